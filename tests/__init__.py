"""Tests of rdma-dv: unit (no simulator), sim (tests of a DUT), meta (the bench against itself)."""
