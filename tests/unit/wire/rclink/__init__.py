"""Unit tests of the RCLINK frame codec."""
