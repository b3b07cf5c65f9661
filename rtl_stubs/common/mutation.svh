// SPDX-License-Identifier: BSD-3-Clause
// Named faults. One macro at the place of each fault keeps the golden text readable:
//   `MUT(n, good, bad)   the expression `good`, or `bad` when +MUTANT=n was given
//   `MUT_DO(n, stmt)     nothing, or the statement `stmt` (for faults that add behaviour)
//   `MUT_IF(n, cond, stmt)      the same where cond holds
//   `MUT_SET(n, target, bad)    nothing, or target = bad
//   `MUT_DECL            once per module that uses them
// Without `define MUTATION only `good` is left. The first time a selected fault changes a value,
// "mut_hit <n>" is printed. Conditions are written with ?: because && does not keep Icarus from calling mut_note.
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
`define MUT_DO(n, stmt) \
  if ((mutsel == (n)) ? mut_note(1'b1) : 1'b0) begin stmt end
`define MUT_IF(n, cond, stmt) \
  if ((mutsel == (n)) ? ((cond) ? mut_note(1'b1) : 1'b0) : 1'b0) begin stmt end
`define MUT_SET(n, target, bad) \
  if ((mutsel == (n)) ? mut_note((target) !== (bad)) : 1'b0) target = bad;
`else
`define MUT_DECL
`define MUT_DO(n, stmt)
`define MUT_IF(n, cond, stmt)
`define MUT_SET(n, target, bad)
`define MUT(n, good, bad) (good)
`endif
`endif
