// A bus with its units (bytes, or bits of a KEEP) in the opposite order; their number is a power of two.
// Halves change places, then quarters, and so on: a few operations on the whole bus are much faster on Icarus than
// one assignment for each unit.
`timescale 1ns / 1ps
`default_nettype none

module turned #(
    parameter WIDTH = 512,
    parameter UNIT  = 8
) (
    input  wire [WIDTH-1:0] in,
    output wire [WIDTH-1:0] out
);
    function automatic [WIDTH-1:0] turn(input [WIDTH-1:0] bus);
        integer step;
        reg [WIDTH-1:0] low;  // ones in the low half of each pair
        begin
            turn = bus;
            low = {WIDTH{1'b1}};
            for (step = WIDTH / 2; step >= UNIT; step = step / 2) begin
                low = low ^ (low << step);
                turn = ((turn & low) << step) | ((turn >> step) & low);
            end
        end
    endfunction

    assign out = turn(in);
endmodule

`default_nettype wire
