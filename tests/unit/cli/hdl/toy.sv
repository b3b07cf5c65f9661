// Smallest design the runner can build: one parameter, one fault.
`include "toy.svh"
module toy #(
    parameter int WIDTH = 8
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] a,
    output logic [WIDTH-1:0] b
);
    int mutant;
    initial if (!$value$plusargs("MUTANT=%d", mutant)) mutant = 0;
    always_ff @(posedge clk) b <= a + `TOY_STEP;
`ifdef MUTATION
    initial if (mutant != 0) $display("mut_hit %0d", mutant);
`endif
endmodule
