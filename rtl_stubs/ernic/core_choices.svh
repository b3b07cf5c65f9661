// SPDX-License-Identifier: BSD-3-Clause
// Contested points that the binding decides: plusargs +<PARAMETER>=<n>, default = the stand-in's own choice.

integer k_aeth_credit = 31;
wire [7:0] ack_syndrome = {3'b000, k_aeth_credit[4:0]};
integer k_ack_timeout = C_ACK_TIMEOUT_CLKS;
reg k_strobes_off = 1'b0;          // AXIL_WSTRB = ignore
reg k_override_gate = 1'b0;        // OVERRIDE_QP_GATE = gates
reg k_class_low = 1'b0;            // TC_MAP = low6
reg k_no_inline = 1'b0;            // INLINE_SEND = off
reg k_tuser_off = 1'b0;            // TUSER_DROP = off
reg k_icrc_off = 1'b0;             // ICRC_CHECK = off
reg k_imm_element = 1'b0;          // WRITE_IMM_USES_RQ = 1
reg k_rnr7_counts = 1'b0;          // RNR_INFINITE_7 = count
reg k_sticky46 = 1'b0;             // INTSTS46_CLEAR = sticky
reg k_saturate = 1'b0;             // COUNTER_WRAP = saturate
reg k_flush_late = 1'b0;           // FLUSH_MOMENT = at_recovery
reg k_send_region = 1'b0;          // SEND_CHECKS_MR = on
reg k_credit_first = 1'b0;         // RQ_CREDIT_MODE = absolute

integer k_n;
initial begin
  if (!$value$plusargs("AETH_CREDIT=%d", k_aeth_credit)) k_aeth_credit = 31;
  if (!$value$plusargs("ACK_TIMEOUT=%d", k_ack_timeout)) k_ack_timeout = C_ACK_TIMEOUT_CLKS;
  if ($value$plusargs("AXIL_WSTRB=%d", k_n)) k_strobes_off = (k_n != 0);
  if ($value$plusargs("OVERRIDE_QP_GATE=%d", k_n)) k_override_gate = (k_n != 0);
  if ($value$plusargs("TC_MAP=%d", k_n)) k_class_low = (k_n != 0);
  if ($value$plusargs("INLINE_SEND=%d", k_n)) k_no_inline = (k_n != 0);
  if ($value$plusargs("TUSER_DROP=%d", k_n)) k_tuser_off = (k_n != 0);
  if ($value$plusargs("ICRC_CHECK=%d", k_n)) k_icrc_off = (k_n != 0);
  if ($value$plusargs("WRITE_IMM_USES_RQ=%d", k_n)) k_imm_element = (k_n != 0);
  if ($value$plusargs("RNR_INFINITE_7=%d", k_n)) k_rnr7_counts = (k_n != 0);
  if ($value$plusargs("INTSTS46_CLEAR=%d", k_n)) k_sticky46 = (k_n != 0);
  if ($value$plusargs("COUNTER_WRAP=%d", k_n)) k_saturate = (k_n != 0);
  if ($value$plusargs("FLUSH_MOMENT=%d", k_n)) k_flush_late = (k_n != 0);
  if ($value$plusargs("SEND_CHECKS_MR=%d", k_n)) k_send_region = (k_n != 0);
  if ($value$plusargs("RQ_CREDIT_MODE=%d", k_n)) k_credit_first = (k_n != 0);
end

reg k_rq_sticky = 1'b0;                   // INTSTS[6] and [4] of their own
reg k_cq_sticky = 1'b0;
reg k_credited [0:C_NUM_QP-1];            // RQCI gave the first credit
reg [15:0] k_last [0:11];                 // 16-bit counters a clock ago

// INTSTS[6] and INTSTS[4].
function automatic rq_summary(input dummy);
  rq_summary = k_sticky46 ? k_rq_sticky : (rq_banks != 0);
endfunction

function automatic cq_summary(input dummy);
  cq_summary = k_sticky46 ? k_cq_sticky : (cq_banks != 0);
endfunction

// Whether software override is on for the QP.
function automatic override_for(input [QW-1:0] q);
  override_for = greg[G_ADCONF][0]
                 && (`MUT(473, !k_override_gate, 1'b0) || greg[G_ADCONF][30:20] == 0 || {13'd0, greg[G_ADCONF][30:20]} == qpn_of(q));
endfunction

// Whether the QP has no receive element for one more message.
function automatic rq_full(input [QW-1:0] q);
  rq_full = (rq_used[q] >= {1'b0, rq_depth(q)} - `MUT(382, 17'd0, {16'd0, qreg[{q, Q_RQCI}] == 0})) || (k_credit_first && !k_credited[q]);
endfunction

// Takes an element of the receive queue.
function automatic takes_element(input [7:0] op);
  takes_element = is_send(op) || (k_imm_element && (op == OP_WRITE_LAST_IMM || op == OP_WRITE_ONLY_IMM));
endfunction

// Whether a row of the QP's protection domain may be written.
function automatic has_region(input [QW-1:0] q);
  integer k;
  begin
    has_region = 1'b0;
    for (k = 0; k < C_MR_ROWS; k = k + 1)
      if (mrow[8*k] == qreg[{q, Q_PD}] && (mrow[8*k+7][3:0] == 4'd1 || mrow[8*k+7][3:0] == 4'd2)
          && {mrow[8*k+7][31:16], mrow[8*k+6]} != 48'd0) has_region = 1'b1;
  end
endfunction

task automatic reset_choices;
  integer k;
  begin
    k_rq_sticky = 1'b0;
    k_cq_sticky = 1'b0;
    for (k = 0; k < C_NUM_QP; k = k + 1) k_credited[k] = 1'b0;
    for (k = 0; k < 12; k = k + 1) k_last[k] = 16'd0;
  end
endtask

// A counter that fell since the last clock has passed its end.
task automatic hold_at_end(inout [15:0] counter, input [3:0] n);
  begin
    if (counter < k_last[n]) counter = 16'hFFFF;
    k_last[n] = counter;
  end
endtask

task automatic choices_step;
  if (`MUT(498, k_saturate, 1'b1)) begin
    hold_at_end(c_in_send, 4'd0);
    hold_at_end(c_in_ack, 4'd1);
    hold_at_end(c_out_send, 4'd2);
    hold_at_end(c_out_write, 4'd3);
    hold_at_end(c_out_ack, 4'd4);
    hold_at_end(c_invalid, 4'd5);
    hold_at_end(c_dup, 4'd6);
    hold_at_end(c_dropped, 4'd7);
    hold_at_end(c_all, 4'd8);
    hold_at_end(c_in_nak, 4'd9);
    hold_at_end(c_out_nak, 4'd10);
    hold_at_end(c_wqe, 4'd11);
  end
endtask
