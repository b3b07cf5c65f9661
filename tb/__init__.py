"""Testbench side of rdma-dv: agents, host, partner, scoreboard, runner and command line."""
