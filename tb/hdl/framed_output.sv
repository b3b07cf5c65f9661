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
    wire [BYTES-1:0] turned, counted;

    genvar i;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : turn
            assign reversed[8*i+:8] = data[8*(BYTES-1-i)+:8];
            assign turned[i] = keep[BYTES-1-i];
        end
    endgenerate

    assign counted = (last && count != 0) ? ~({BYTES{1'b1}} << count) : {BYTES{1'b1}};
    assign tdata = msb_first ? reversed : data;
    assign tkeep = (COUNTED != 0) ? counted : turned;
    assign tlast = last;
    assign tvalid = valid;
endmodule

`default_nettype wire
