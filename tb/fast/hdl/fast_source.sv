// Drives an AXI-Stream from the frame queue of the C engine: pacing, gaps, keep, last and user come from there,
// one call per beat; WORDS words of 32 bits go beside a frame. A frame that is given up ends without a last beat, by
// `restart` for a clock. Port number PORT as opened from Python.
`timescale 1ps / 1ps
`default_nettype none
`include "fast_calls.svh"

module fast_source #(
    parameter PORT       = 0,
    parameter DATA_WIDTH = 512,
    parameter HAS_READY  = 0,
    parameter WORDS      = 0
) (
    input  wire                    clk,
    input  wire                    rst,
    output wire [DATA_WIDTH-1:0]   tdata,
    output wire [DATA_WIDTH/8-1:0] tkeep,
    output wire                    tlast,
    output wire                    tuser,
    output wire                    tvalid,
    input  wire                    tready,
    output wire [`FAST_WORDS-1:0]  words,
    output reg                     restart
);
    /* verilator lint_off BLKSEQ */
    /* verilator lint_off WIDTH */
    reg valid = 1'b0, last = 1'b0, user = 1'b0;
    reg [`FAST_BITS-1:0] data = {`FAST_BITS{1'b0}};
    reg [`FAST_BITS/8-1:0] keep = {`FAST_BITS / 8{1'b0}};
    reg next_valid = 1'b0, next_last = 1'b0, next_user = 1'b0;
    reg [`FAST_BITS-1:0] next_data = {`FAST_BITS{1'b0}};
    reg [`FAST_BITS/8-1:0] next_keep = {`FAST_BITS / 8{1'b0}};
    reg [`FAST_WORDS-1:0] beside = {`FAST_WORDS{1'b0}}, next_beside = {`FAST_WORDS{1'b0}};
    reg under_way = 1'b0;
    integer gap = 0;
    localparam GIVE_UP = -1;

    assign tvalid = valid && !rst;
    initial restart = 1'b0;
    initial if (DATA_WIDTH > `FAST_BITS) $fatal(1, "DATA_WIDTH %0d is above FAST_BITS", DATA_WIDTH);

`ifdef VERILATOR
    assign tdata = data[DATA_WIDTH-1:0];
    assign tkeep = keep[DATA_WIDTH/8-1:0];
    assign tlast = last;
    assign tuser = user;
    assign words = beside;
`else
    // Between beats the payload is X: a DUT that looks at it without VALID shows.
    assign tdata = tvalid ? data[DATA_WIDTH-1:0] : {DATA_WIDTH{1'bx}};
    assign tkeep = tvalid ? keep[DATA_WIDTH/8-1:0] : {DATA_WIDTH / 8{1'bx}};
    assign tlast = tvalid ? last : 1'bx;
    assign tuser = tvalid ? user : 1'bx;
    assign words = tvalid ? beside : {`FAST_WORDS{1'bx}};
`endif

    always @(posedge clk) begin
        if (rst) begin
            valid <= 1'b0;
            restart <= 1'b0;
            under_way = 1'b0;
            gap = 0;
        end else if (!valid || HAS_READY == 0 || tready) begin
            if (gap != 0) gap = gap - 1;
            next_valid = 1'b0;
            if (gap == 0)
                `FAST(source_step)(PORT, $time, next_valid, gap, next_data, next_keep, next_last, next_user);
            valid <= next_valid;
            restart <= gap == GIVE_UP;
            if (gap == GIVE_UP) begin
                under_way = 1'b0;
                gap = 0;
            end
            if (next_valid) begin
                if (WORDS != 0 && !under_way) begin
                    `FAST(source_words)(PORT, next_beside);
                    beside <= next_beside;
                end
                under_way = !next_last;
                data <= next_data;
                keep <= next_keep;
                last <= next_last;
                user <= next_user;
            end
        end
    end
    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
