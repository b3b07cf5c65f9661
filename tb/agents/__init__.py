"""pyuvm agents, one module per kind of interface.

| module | interface |
|---|---|
| clock_reset | clocks and resets |
| axil | AXI4-Lite register port (on cocotbext-axi) |
| axi, host_memory | AXI4 masters of the DUT, served from one sparse host memory |
| axis_mac | Ethernet frames on 512-bit AXI-Stream (input on cocotbext-eth) |
| sideband | narrow VALID/READY ports: immediate stream, side-band doorbells |
| irq | interrupt line |
| protocol | results of the HDL protocol checkers in tb/hdl |
| levels | levels of a DUT as one packed vector |
| tokens, credits | both sides of ports without READY: token client, far side that returns credits |
| tick | time base of a DUT, pulses made in HDL |
| ernic_pins, rclink_pins, hermon_pins | which pins of a target belong to which agent |
"""
