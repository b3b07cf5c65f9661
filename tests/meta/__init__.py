"""Meta tests: the environment tested against itself."""
