// SPDX-License-Identifier: BSD-3-Clause
// TYPE1 slots. The slots of a QP form a chain in PSN order: q_head .. (WAIT_ACK) .. q_send .. (WAIT_GRANT or
// WAIT_CRD) .. q_tail. Slots in WAIT_GRANT of a QP that may send are also linked in the list of their bank,
// oldest first, so that a grant only looks at the heads of at most four lists.

`ifdef MUTATION
reg [QP_NUM-1:0] q_forgiven = {QP_NUM{1'b0}};  // fault 202
`endif

function automatic blocked(input [QP_AW-1:0] q);
  blocked = (q_mask[q] && `MUT(202, 1'b1, !q_forgiven[q])) || `MUT(57, q_fatal[q], 1'b0) || q_rnr_wait[q];
endfunction

task automatic push_token(input [QP_AW-1:0] q, input valid);
  begin
    if (tk_n < TK_DEPTH) begin
      tk_mem[(tk_rd + tk_n) % TK_DEPTH] = {valid, q};
      tk_n = tk_n + 1;
    end
  end
endtask

// Puts a slot into the list of its bank behind everything older.
task automatic link_slot(input [9:0] s, input keep_age);
  reg [1:0] b;
  reg [9:0] p;
  begin
    b = bank_of(s_qp[s]);
    p = b_tail[b];
    if (keep_age)
      while (p != NIL && s_age[p] > s_age[s]) p = s_prev[p];
    s_prev[s] = p;
    if (p == NIL) begin
      s_next[s] = b_head[b];
      b_head[b] = s;
    end else begin
      s_next[s] = s_next[p];
      s_next[p] = s;
    end
    if (s_next[s] == NIL) b_tail[b] = s;
    else s_prev[s_next[s]] = s;
    s_linked[s] = 1'b1;
    linked_n = linked_n + 1;
  end
endtask

task automatic unlink_slot(input [9:0] s);
  reg [1:0] b;
  begin
    b = bank_of(s_qp[s]);
    if (s_prev[s] == NIL) b_head[b] = s_next[s];
    else s_next[s_prev[s]] = s_next[s];
    if (s_next[s] == NIL) b_tail[b] = s_prev[s];
    else s_prev[s_next[s]] = s_prev[s];
    s_linked[s] = 1'b0;
    linked_n = linked_n - 1;
  end
endtask

// Something about a QP changed that may bring its waiting slots in or out of the lists. The work itself is done
// in one place, just before the next grant.
task automatic relink(input [QP_AW-1:0] q, input keep_age);
  if (!q_relink[q]) begin
    q_relink[q] = 1'b1;
    rl_mem[rl_n] = {keep_age, q};
    rl_n = rl_n + 1;
  end
endtask

task automatic run_relink;
  reg [QP_AW-1:0] q;
  reg keep_age;
  reg [9:0] s;
  begin
    while (rl_n > 0) begin
      rl_n = rl_n - 1;
      {keep_age, q} = rl_mem[rl_n];
      q_relink[q] = 1'b0;
      s = q_send[q];
      while (s != NIL) begin
        if (blocked(q) == s_linked[s]) begin
          if (s_linked[s]) unlink_slot(s);
          else link_slot(s, keep_age);
        end
        s = s_follow[s];
      end
      `MUT_DO(45, if (q_send[q] != NIL && s_sent[q_send[q]]) resend_one(q);)
    end
  end
endtask

`ifdef MUTATION
// Fault 226: packets that wait are forgotten.
task automatic forget_waiting;
  integer s;
  begin
    /* verilator unroll_disable */
    for (s = 0; s < TYPE1_OST_N; s = s + 1) if (s_linked[s]) unlink_slot(s[9:0]);
  end
endtask
`endif

// The oldest slot of a QP becomes EMPTY.
task automatic free_head(input [QP_AW-1:0] q, input token, input valid);
  reg [9:0] s;
  begin
    s = q_head[q];
    if (s_linked[s]) unlink_slot(s);
    q_head[q] = s_follow[s];
    if (q_send[q] == s) q_send[q] = s_follow[s];
    else q_out[q] = q_out[q] - 1'b1;
    if (q_head[q] == NIL) q_tail[q] = NIL;
    free_list[free_n] = s;
    free_n = free_n + 1;
    if (token) push_token(q, valid);
  end
endtask

// The oldest waiting slot of a QP was granted.
task automatic mark_sent(input [9:0] s);
  reg [QP_AW-1:0] q;
  begin
    q = s_qp[s];
    unlink_slot(s);
    q_send[q] = s_follow[s];
    q_out[q] = q_out[q] + 1'b1;
    s_sent[s] = 1'b1;
    `MUT_DO(45, skip_resent(q);)
`ifdef MUTATION
    if (q_forgiven[q]) relink(q, 1'b1);
    q_forgiven[q] = 1'b0;
`endif
  end
endtask

// Retry: the slots from PSN start on wait again.
task automatic rewind(input [QP_AW-1:0] q, input [11:0] start);
  reg [9:0] s;
  reg [9:0] n;
  begin
    s = q_head[q];
    n = 10'd0;
    while (s != q_send[q] && s_psn[s] != start) begin
      s = s_follow[s];
      n = n + 1'b1;
    end
    q_tx_last[q] = start - 12'd1;
    q_send[q] = s;
    q_out[q] = n;
    relink(q, `MUT(58, 1'b1, 1'b0));
    q_timing[q] = (q_out[q] != 10'd0);
    q_timer[q] = now;
  end
endtask

`ifdef MUTATION
// Fault 45: of the slots that were sent before only the oldest stays linked, the others count as sent.
task automatic skip_resent(input [QP_AW-1:0] q);
  while (q_send[q] != NIL && s_sent[q_send[q]] && !s_linked[q_send[q]]) begin
    q_send[q] = s_follow[q_send[q]];
    q_out[q] = q_out[q] + 1'b1;
  end
endtask

task automatic resend_one(input [QP_AW-1:0] q);
  reg [9:0] s;
  begin
    s = s_follow[q_send[q]];
    while (s != NIL) begin
      if (s_sent[s] && s_linked[s]) unlink_slot(s);
      s = s_follow[s];
    end
  end
endtask
`endif
