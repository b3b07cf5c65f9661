"""Transactors in C: HDL calls the engine once per beat, Python hands over and takes frames and bursts."""
