// SPDX-License-Identifier: BSD-3-Clause
// Named faults. One macro at the place of each fault keeps the golden text readable:
//   `MUT(n, good, bad)   the expression `good`, or `bad` when +MUTANT=n was given
//   `MUT_DO(n, stmt)     nothing, or the statement `stmt` (for faults that add behaviour)
//   `MUT_DECL            once per module that uses them
// Without `define MUTATION only `good` is left. The first time a selected fault changes a value,
// "mut_hit <n>" is printed.
`ifndef MUTATION_SVH
`define MUTATION_SVH
`ifdef MUTATION
`define MUT_DECL \
  integer mutsel = 0; \
  reg mut_told = 1'b0; \
  initial if (!$value$plusargs("MUTANT=%d", mutsel)) mutsel = 0; \
  function mut_note(input differs); \
    begin \
      if (differs && !mut_told) begin \
        mut_told = 1'b1; \
        $display("mut_hit %0d", mutsel); \
      end \
      mut_note = 1'b1; \
    end \
  endfunction
`define MUT(n, good, bad) \
  ((mutsel == (n)) ? (mut_note((good) !== (bad)) ? (bad) : (good)) : (good))
// Nested: Icarus evaluates both operands of &&, and mut_note would tell a fault that was not reached.
`define MUT_DO(n, stmt) \
  if (mutsel == (n)) begin if (mut_note(1'b1)) begin stmt end end
`else
`define MUT_DECL
`define MUT_DO(n, stmt)
`define MUT(n, good, bad) (good)
`endif
`endif
