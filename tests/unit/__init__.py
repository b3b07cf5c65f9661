"""Unit tests: no simulator needed."""
