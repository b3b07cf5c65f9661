// Checks that outputs are known outside reset, and those of them in ZERO_IN_RESET are 0 in reset.
// Interface of the results as in axi4_checker.sv; bits in tb/agents/protocol.py (CheckerKind.PIN).
`timescale 1ns / 1ps
`default_nettype none

module pin_checker #(
    parameter WIDTH = 1,
    parameter [WIDTH-1:0] ZERO_IN_RESET = {WIDTH{1'b1}},
    parameter RESET_OUT = 2
) (
    input  wire        clk,
    input  wire        resetn,
    input  wire [WIDTH-1:0] pin,
    output reg         alive,
    output reg  [15:0] viol,
    output reg  [31:0] viol_code
);
    /* verilator lint_off BLKSEQ */
    reg [31:0] hit;
    reg [7:0] reset_edges;
    reg told_reset, told_x;
    wire unknown = (^pin) === 1'bx;

    initial begin
        viol = 16'd0;
        viol_code = 32'd0;
        hit = 32'd0;
        reset_edges = 8'd0;
        told_reset = 1'b0;
        told_x = 1'b0;
        alive = 1'b1;
    end

    always @(posedge clk) begin
        hit = 32'd0;
        if (resetn !== 1'b1) begin
            if (reset_edges != 8'hFF) reset_edges = reset_edges + 8'd1;
            if (reset_edges >= RESET_OUT && !told_reset && (pin & ZERO_IN_RESET) != {WIDTH{1'b0}}) begin
                hit[0] = 1'b1;
                told_reset = 1'b1;
            end
            told_x = 1'b0;
        end else begin
            reset_edges = 8'd0;
            told_reset = 1'b0;
            if (unknown && !told_x) hit[1] = 1'b1;
            told_x = unknown;
        end
        if (hit != 32'd0) begin
            viol_code <= hit;
            viol <= viol + 16'd1;
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
