// Passive checker for an output stream of a DUT, with TKEEP (HAS_KEEP=1) or as a plain VALID/READY port.
// Interface of the results as in axi4_checker.sv; bits in tb/agents/protocol.py (CheckerKind.AXIS).
`timescale 1ns / 1ps
`default_nettype none

module axis_checker #(
    parameter DATA_WIDTH = 512,
    parameter KEEP_WIDTH = DATA_WIDTH / 8,
    parameter HAS_KEEP   = 1,
    parameter RESET_OUT  = 2
) (
    input  wire                  clk,
    input  wire                  resetn,
    input  wire [DATA_WIDTH-1:0] tdata,
    input  wire [KEEP_WIDTH-1:0] tkeep,  // all ones where the port has none
    input  wire                  tlast,
    input  wire                  tvalid,
    input  wire                  tready,
    output reg                   alive,
    output reg  [15:0]           viol,
    output reg  [31:0]           viol_code
);
    /* verilator lint_off BLKSEQ */
    reg [31:0] hit;
    reg [7:0] reset_edges;
    reg told_reset, told_x, waits;
    reg [DATA_WIDTH+KEEP_WIDTH:0] held;

    task keep_rules;
        begin
            if (tkeep == {KEEP_WIDTH{1'b0}}) hit[4] = 1'b1;
            else if ((tkeep & (tkeep + 1'b1)) != {KEEP_WIDTH{1'b0}}) hit[2] = 1'b1;
            if (tlast === 1'b0 && tkeep !== {KEEP_WIDTH{1'b1}}) hit[3] = 1'b1;
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
        alive = 1'b1;
    end

    always @(posedge clk) begin
        hit = 32'd0;
        if (resetn !== 1'b1) begin
            if (reset_edges != 8'hFF) reset_edges = reset_edges + 8'd1;
            if (reset_edges >= RESET_OUT && !told_reset && tvalid === 1'b1) begin
                hit[5] = 1'b1;
                told_reset = 1'b1;
            end
            waits = 1'b0;
            told_x = 1'b0;
        end else if (tvalid !== 1'b0 || waits || told_x || reset_edges != 8'd0) begin  // else at rest
            reset_edges = 8'd0;
            told_reset = 1'b0;
            if (waits && tvalid !== 1'b1) hit[0] = 1'b1;
            else if (waits && {tdata, tkeep, tlast} !== held) hit[1] = 1'b1;
            if ((^tvalid) === 1'bx) begin
                if (!told_x) hit[6] = 1'b1;
                told_x = 1'b1;
            end else told_x = 1'b0;
            if (tvalid === 1'b1) begin
                if ((^{tlast, tkeep}) === 1'bx) hit[7] = 1'b1;
                else if (HAS_KEEP != 0 && !waits) keep_rules;
            end
            waits = tvalid === 1'b1 && tready !== 1'b1;
            held = {tdata, tkeep, tlast};
        end
        if (hit != 32'd0) begin
            viol_code <= hit;
            viol <= viol + 16'd1;
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
