// From the framing of a DUT without AXI-Stream (see framed_input.sv) to a stream with byte 0 in lane 0.
// Combinational: beats keep their clocks. COUNTED: the tail is a count on the last beat (0: all bytes).
`timescale 1ns / 1ps
`default_nettype none

module framed_output #(
    parameter DATA_WIDTH = 512,
    parameter COUNTED = 0,
    parameter COUNT_WIDTH = $clog2(DATA_WIDTH / 8)
) (
    input  wire                    msb_first,
    input  wire                    valid,
    input  wire                    last,
    input  wire [DATA_WIDTH-1:0]   data,
    input  wire [DATA_WIDTH/8-1:0] keep,   // where COUNTED is 0
    input  wire [COUNT_WIDTH-1:0]  count,  // where it is 1
    output wire [DATA_WIDTH-1:0]   tdata,
    output wire [DATA_WIDTH/8-1:0] tkeep,
    output wire                    tlast,
    output wire                    tvalid
);
    localparam BYTES = DATA_WIDTH / 8;

    wire [DATA_WIDTH-1:0] reversed;
    wire [BYTES-1:0] reversed_keep, counted;

    turned #(.WIDTH(DATA_WIDTH), .UNIT(8)) turned_data (.in(data), .out(reversed));
    turned #(.WIDTH(BYTES), .UNIT(1)) turned_keep (.in(keep), .out(reversed_keep));

    assign counted = (last && count != 0) ? ~({BYTES{1'b1}} << count) : {BYTES{1'b1}};
    assign tdata = msb_first ? reversed : data;
    assign tkeep = (COUNTED != 0) ? counted : reversed_keep;
    assign tlast = last;
    assign tvalid = valid;
endmodule

`default_nettype wire
