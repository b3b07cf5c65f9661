// Checks that two pulses never come at the same edge.
// Interface of the results as in axi4_checker.sv; bits in tb/agents/protocol.py (CheckerKind.EXCLUSIVE).
`timescale 1ns / 1ps
`default_nettype none

module exclusive_checker (
    input  wire        clk,
    input  wire        resetn,
    input  wire        one,
    input  wire        other,
    output reg         alive,
    output reg  [15:0] viol,
    output reg  [31:0] viol_code
);
    initial begin
        viol = 16'd0;
        viol_code = 32'd0;
        alive = 1'b1;
    end

    always @(posedge clk)
        if (resetn === 1'b1 && one === 1'b1 && other === 1'b1) begin
            viol_code <= 32'd1;
            viol <= viol + 16'd1;
        end
endmodule

`default_nettype wire
