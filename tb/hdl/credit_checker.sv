// Checks that an output without READY spends no credit it has not got: one per beat or, with per_frame, one per
// frame. A credit counts from the edge at which it is given. Beats at the edge of a restore and at the one behind it
// may belong to either side of it and cost nothing.
// Interface of the results as in axi4_checker.sv; bits in tb/agents/protocol.py (CheckerKind.CREDIT).
`timescale 1ns / 1ps
`default_nettype none

module credit_checker #(
    parameter INITIAL = 64
) (
    input  wire        clk,
    input  wire        resetn,
    input  wire        per_frame,
    input  wire        valid,
    input  wire        first,
    input  wire        credit,
    input  wire        restore,
    output reg         alive,
    output reg  [15:0] viol,
    output reg  [31:0] viol_code
);
    /* verilator lint_off BLKSEQ */
    reg [31:0] hit;
    reg [31:0] left;
    reg restored;

    wire spends = valid === 1'b1 && (!per_frame || first === 1'b1);

    initial begin
        viol = 16'd0;
        viol_code = 32'd0;
        left = INITIAL;
        restored = 1'b0;
        alive = 1'b1;
    end

    always @(posedge clk) begin
        hit = 32'd0;
        if (resetn !== 1'b1) begin
            left = INITIAL;
            restored = 1'b0;
        end else begin
            if (restore === 1'b1) left = INITIAL;
            else if (credit === 1'b1) left = left + 1;
            if (spends && !restored && restore !== 1'b1) begin
                if (left == 0) hit[0] = 1'b1;
                else left = left - 1;
            end
            restored = restore === 1'b1;
        end
        if (hit != 32'd0) begin
            viol_code <= hit;
            viol <= viol + 16'd1;
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
