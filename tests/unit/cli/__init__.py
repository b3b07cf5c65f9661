"""Unit tests of runner, command line and reports."""
