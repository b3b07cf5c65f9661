// Collects the frames of an AXI-Stream for the C engine, one call per accepted beat. ACTIVE = 1 also drives
// READY with the stalls the engine draws; `hold` keeps it low. WORDS words of 32 bits beside a frame are taken at its
// first beat, with WORDS_AT_LAST = 1 at its last. `restart`: the frame under way is given up. `wake` changes when
// Python has something to fetch.
`timescale 1ps / 1ps
`default_nettype none
`include "fast_calls.svh"

module fast_sink #(
    parameter PORT       = 0,
    parameter DATA_WIDTH = 512,
    parameter ACTIVE     = 0,
    parameter WORDS      = 0,
    parameter WORDS_AT_LAST = 0
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [DATA_WIDTH-1:0]   tdata,
    input  wire [DATA_WIDTH/8-1:0] tkeep,
    input  wire                    tlast,
    input  wire                    tuser,
    input  wire                    tvalid,
    input  wire                    tready,  // of the pins; the stream's own when ACTIVE
    input  wire [`FAST_WORDS-1:0]  words,
    input  wire                    restart,
    input  wire                    hold,
    output wire                    ready,   // what ACTIVE drives
    output reg                     wake
);
    /* verilator lint_off BLKSEQ */
    /* verilator lint_off WIDTH */
    reg open = 1'b0, drawn = 1'b0, waits = 1'b0, told = 1'b0;
    reg [`FAST_BITS-1:0] data;
    reg [`FAST_BITS/8-1:0] keep;
    reg [`FAST_WORDS-1:0] beside;
    reg under_way = 1'b0;
    integer stall = 0;

    initial wake = 1'b0;
    initial if (DATA_WIDTH > `FAST_BITS) $fatal(1, "DATA_WIDTH %0d is above FAST_BITS", DATA_WIDTH);
    assign ready = open && !rst && !hold;

    always @(posedge clk) begin
        if (rst !== 1'b0) begin
            waits = 1'b0;
            under_way = 1'b0;
            if (ACTIVE != 0 && !drawn) begin
                `FAST(first_stall)(PORT, 0, $time, stall);
                open <= stall == 0;
                drawn = 1'b1;
            end
        end else begin
            drawn = 1'b0;
            if (restart) begin
                under_way = 1'b0;
                `FAST(sink_cut)(PORT, $time, told);
                if (told) wake <= !wake;
            end
            if (tvalid === 1'b1) begin
                if (tready === 1'b1) begin
                    waits = 1'b0;
                    if (WORDS != 0 && (WORDS_AT_LAST != 0 ? tlast : !under_way)) begin
                        beside = words;
                        `FAST(sink_words)(PORT, beside);
                    end
                    under_way = !tlast;
                    data = tdata;
                    keep = tkeep;
                    `FAST(sink_beat)(PORT, $time, data, keep, tlast, tuser, stall, told);
                    if (told) wake <= !wake;
                    open <= stall == 0;
                end else begin
                    if (!waits) `FAST(offered)(PORT, 0, $time);
                    waits = 1'b1;
                    if (stall != 0) begin
                        stall = stall - 1;
                        open <= stall == 0;
                    end
                end
            end
        end
    end
    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
