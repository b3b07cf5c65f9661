// SPDX-License-Identifier: BSD-3-Clause
// Outgoing error status queue: an entry per queue pair that turns fatal by an error of its own sending, behind its
// entry of the fatal error queue. Variant 16 leaves the queue alone.

reg [15:0] out_slot = 16'd0;          // next entry; software may write anything into OPTERRSTSQQPTRDB

// Reserved WQE, response that ends the QP, retry limit, RNR limit.
function automatic is_own_error(input [15:0] code);
  is_own_error = (code >= F_WQE) && (code <= F_RNR);
endfunction

task automatic report_outgoing;
  reg [15:0] entries;
  begin
    entries = greg[G_OUTERRSZ][15:0];
    r_state = R_IDLE;
    if (is_own_error(r_code) && `MUT(432, entries != 0, 1'b1) && !takes(5'd16)) begin
      if (out_slot >= `MUT(430, entries, entries + 16'd1)) out_slot = 16'd0;
      rxw_valid <= 1'b1;
      rxw_imm <= 1'b1;
      rxw_off <= 6'd0;
      rxw_len <= 13'd64;
      rxw_addr <= {`MUT(431, greg[G_OUTERRBAH], 32'd0), greg[G_OUTERRBA]} + {42'd0, out_slot, 6'd0};
      rxw_data <= {928'd0, una_slot[r_ftq], 8'd0, una[r_ftq], 8'd0, qpn_of(r_ftq), r_code};
      out_slot = out_slot + 16'd1;
      greg[G_OUTERRPTR] = {16'd0, (out_slot >= entries) ? 16'd0 : out_slot};
      r_state = R_OUTGOING;
    end
  end
endtask
