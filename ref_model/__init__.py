"""Pure Python reference model: standard library only, no simulator, no testbench."""
