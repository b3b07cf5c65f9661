// From a stream (byte 0 in lane 0, as the agents drive it) to the framing of a DUT without AXI-Stream: first and
// last beat marked, byte 0 at the top of the bus where msb_first is 1, the tail by KEEP from the top or as a count
// of bytes on the last beat (0: all). Combinational: beats keep their clocks.
`timescale 1ns / 1ps
`default_nettype none

module framed_input #(
    parameter DATA_WIDTH = 512,
    parameter COUNT_WIDTH = $clog2(DATA_WIDTH / 8)
) (
    input  wire                    clk,
    input  wire                    resetn,
    input  wire                    restart,  // the frame under way ends here without a last beat
    input  wire                    msb_first,
    input  wire [DATA_WIDTH-1:0]   tdata,
    input  wire [DATA_WIDTH/8-1:0] tkeep,
    input  wire                    tlast,
    input  wire                    tvalid,
    input  wire                    tready,   // 1 where the DUT has none
    output wire                    first,
    output wire                    last,
    output wire [DATA_WIDTH-1:0]   data,
    output wire [DATA_WIDTH/8-1:0] keep,
    output wire [COUNT_WIDTH-1:0]  count
);
    localparam BYTES = DATA_WIDTH / 8;

    reg in_frame;
    wire [DATA_WIDTH-1:0] reversed;

    turned #(.WIDTH(DATA_WIDTH), .UNIT(8)) turned_data (.in(tdata), .out(reversed));
    turned #(.WIDTH(BYTES), .UNIT(1)) turned_keep (.in(tkeep), .out(keep));

    assign first = tvalid && !in_frame;
    assign last = tvalid && tlast;
    assign data = msb_first ? reversed : tdata;
    assign count = last ? COUNT_WIDTH'($countones(tkeep)) : {COUNT_WIDTH{1'b0}};

    initial in_frame = 1'b0;

    always @(posedge clk)
        if (!resetn || restart) in_frame <= 1'b0;
        else if (tvalid && tready) in_frame <= !tlast;
endmodule

`default_nettype wire
