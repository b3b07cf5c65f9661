// Passive checker for an output of a DUT that marks the first and the last beat of a frame (no AXI-Stream).
// The tail is KEEP from the top of the bus or, with COUNTED, a count of bytes on the last beat.
// Interface of the results as in axi4_checker.sv; bits in tb/agents/protocol.py (CheckerKind.FRAMED).
`timescale 1ns / 1ps
`default_nettype none

module framed_checker #(
    parameter DATA_WIDTH = 512,
    parameter TAIL_WIDTH = DATA_WIDTH / 8,
    parameter WORDS      = 1,  // bits of the words beside the frame
    parameter COUNTED    = 0,
    parameter RESET_OUT  = 2
) (
    input  wire                  clk,
    input  wire                  resetn,
    input  wire                  valid,
    input  wire                  ready,  // 1 where the port has none
    input  wire                  first,
    input  wire                  last,
    input  wire [DATA_WIDTH-1:0] data,
    input  wire [TAIL_WIDTH-1:0] tail,
    input  wire [WORDS-1:0]      words,
    output reg                   alive,
    output reg  [15:0]           viol,
    output reg  [31:0]           viol_code
);
    localparam [TAIL_WIDTH-1:0] ALL = {TAIL_WIDTH{1'b1}};

    /* verilator lint_off BLKSEQ */
    reg [31:0] hit;
    reg [7:0] reset_edges;
    reg told_reset, told_x, waits, in_frame;
    reg [DATA_WIDTH+TAIL_WIDTH+WORDS+1:0] held;

    wire [DATA_WIDTH+TAIL_WIDTH+WORDS+1:0] beat = {first, last, data, tail, words};
    wire [TAIL_WIDTH-1:0] unused = ~tail;
    wire holes = (unused & (unused + 1'b1)) != {TAIL_WIDTH{1'b0}};  // the ones are not contiguous from the top

    task shape;
        begin
            if (!in_frame && first === 1'b0) hit[2] = 1'b1;
            if (in_frame && first === 1'b1) hit[3] = 1'b1;
            if (COUNTED != 0) begin
                if (last === 1'b0 && tail != {TAIL_WIDTH{1'b0}}) hit[5] = 1'b1;
            end else if (tail == {TAIL_WIDTH{1'b0}}) hit[6] = 1'b1;
            else if (holes) hit[4] = 1'b1;
            else if (last === 1'b0 && tail != ALL) hit[5] = 1'b1;
        end
    endtask

    initial begin
        viol = 16'd0;
        viol_code = 32'd0;
        hit = 32'd0;
        reset_edges = 8'd0;
        told_reset = 1'b0;
        told_x = 1'b0;
        waits = 1'b0;
        in_frame = 1'b0;
        alive = 1'b1;
    end

    always @(posedge clk) begin
        hit = 32'd0;
        if (resetn !== 1'b1) begin
            if (reset_edges != 8'hFF) reset_edges = reset_edges + 8'd1;
            if (reset_edges >= RESET_OUT && !told_reset && valid === 1'b1) begin
                hit[7] = 1'b1;
                told_reset = 1'b1;
            end
            waits = 1'b0;
            in_frame = 1'b0;
            told_x = 1'b0;
        end else if (valid !== 1'b0 || waits || told_x || reset_edges != 8'd0) begin  // else at rest
            reset_edges = 8'd0;
            told_reset = 1'b0;
            if (waits && valid !== 1'b1) hit[0] = 1'b1;
            else if (waits && beat !== held) hit[1] = 1'b1;
            if ((^valid) === 1'bx) begin
                if (!told_x) hit[8] = 1'b1;
                told_x = 1'b1;
            end else told_x = 1'b0;
            if (valid === 1'b1) begin
                if ((^{first, last, tail, words}) === 1'bx) hit[9] = 1'b1;
                else if (!waits) shape;
            end
            waits = valid === 1'b1 && ready !== 1'b1;
            if (valid === 1'b1 && !waits) in_frame = last !== 1'b1;
            held = beat;
        end
        if (hit != 32'd0) begin
            viol_code <= hit;
            viol <= viol + 16'd1;
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
