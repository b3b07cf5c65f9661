"""Unit tests of the codec, its scapy layers and the capture files."""
