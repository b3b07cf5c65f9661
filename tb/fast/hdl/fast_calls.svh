// Calls of the C engine (tb/fast/c/engine.h): DPI functions on Verilator, system tasks by VPI on Icarus.
// Vectors are FAST_BITS wide, at least as wide as the widest bus of the design: wider ones cost time.
`ifndef FAST_CALLS_SVH
`define FAST_CALLS_SVH
`ifndef FAST_BITS
`define FAST_BITS 1024
`endif
`define FAST_WORDS 256  // bits of the words beside a frame
`ifdef VERILATOR
package fast_calls;
    import "DPI-C" dpi_source_step = function void fast_source_step(
        input int port, input longint now, output bit valid, output int gap, output bit [`FAST_BITS-1:0] data,
        output bit [`FAST_BITS/8-1:0] keep, output bit last, output bit user);
    import "DPI-C" dpi_source_words = function void fast_source_words(
        input int port, output bit [`FAST_WORDS-1:0] words);
    import "DPI-C" dpi_sink_words = function void fast_sink_words(
        input int port, input bit [`FAST_WORDS-1:0] words);
    import "DPI-C" dpi_sink_cut = function void fast_sink_cut(input int port, input longint now, output bit wake);
    import "DPI-C" dpi_offered = function void fast_offered(input int port, input int channel, input longint now);
    import "DPI-C" dpi_first_stall = function void fast_first_stall(
        input int port, input int channel, input longint now, output int stall);
    import "DPI-C" dpi_sink_beat = function void fast_sink_beat(
        input int port, input longint now, input bit [`FAST_BITS-1:0] data, input bit [`FAST_BITS/8-1:0] keep, input bit last,
        input bit user, output int stall, output bit wake);
    import "DPI-C" dpi_memory_address = function void fast_memory_address(
        input int port, input int channel, input longint now, input int id, input longint addr,
        input int length, input int size, input int burst, output int stall);
    import "DPI-C" dpi_memory_data = function void fast_memory_data(
        input int port, input longint now, input bit [`FAST_BITS-1:0] data, input bit [`FAST_BITS/8-1:0] strobe, input bit last,
        output int stall);
    import "DPI-C" dpi_memory_step = function void fast_memory_step(
        input int port, input longint now, input bit b_free, input bit r_free,
        output bit b_valid, output int b_gap, output int b_id, output int b_resp,
        output bit r_valid, output int r_gap, output int r_id, output int r_resp, output bit r_last,
        output bit [`FAST_BITS-1:0] r_data, output int rest, output bit wake);
endpackage
`define FAST(name) fast_calls::fast_``name
`else
`define FAST(name) $fast_``name
`endif
`endif
