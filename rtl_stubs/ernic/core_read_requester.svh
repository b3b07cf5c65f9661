// SPDX-License-Identifier: BSD-3-Clause
// READ as requester: the request packet, the responses that come in, and how far an acknowledgement reaches.
// A READ owns one PSN per response. `una` runs through them as the data arrive in order, so a READ that is asked
// for again starts at `una` (variant 8: at its first PSN).

reg [23:0] oq_start [0:C_NUM_QP*32-1];   // PSN of the newest request of a READ, per WQE under way
reg rd_gap [0:C_NUM_QP-1];               // asked again; nothing arrived in order since
reg [23:0] ack_hi [0:C_NUM_QP-1];        // behind the newest PSN acknowledged, READs without data or not
reg [23:0] w_psn = 24'd0;                // PSN of the response that is being written
reg [23:0] w_last = 24'd0;               // its READ has come up to here once it is written

function automatic [23:0] min_psn(input [23:0] a, input [23:0] b);
  min_psn = ((a - b) < 24'h800000) ? b : a;
endfunction

// How far an acknowledgement of everything before `upto` reaches: up to the first READ whose data are missing.
function automatic [23:0] ack_limit(input [QW-1:0] q, input [23:0] upto);
  reg [4:0] i;
  reg [4:0] slot;
  reg going;
  begin
    ack_limit = upto;
    i = acked[q];
    going = 1'b1;
    while (going && i < outc[q]) begin
      slot = oq_head[q] + i;
      if (oq_wqe[{q, slot}][135:128] == W_READ) begin
        going = 1'b0;
        ack_limit = min_psn(upto, ((una[q] - oq_psn[{q, slot}]) < 24'h800000) ? una[q] : oq_psn[{q, slot}]);
      end
      i = i + 1'b1;
    end
    ack_limit = `MUT(262, ack_limit, upto);
  end
endfunction

// Data of a READ were lost: go back to it, once until something arrives in order.
task automatic read_gap(input [QW-1:0] q);
  if (!rd_gap[q] && !rnr_wait[q]) begin
    rd_gap[q] = 1'b1;
    rt_on[q] = 1'b0;
    roll_back(q);
    `MUT_DO(275, roll_back(neighbour(q));)
  end
endtask

// An ACK of everything before `upto`.
task automatic acknowledged(input [QW-1:0] q, input [23:0] upto);
  reg [23:0] lim;
  begin
    if ((upto - ack_hi[q]) < 24'h800000) ack_hi[q] = upto;
    lim = ack_limit(q, upto);
    if (lim != una[q]) progress_to(q, lim);
    if (lim != upto) read_gap(q);
  end
endtask

function automatic next_is_read(input [QW-1:0] q);
  reg [4:0] slot;
  begin
    slot = oq_head[q] + snd_i[q];
    next_is_read = (oq_wqe[{q, slot}][135:128] == W_READ);
  end
endfunction

// Frame of a READ request: WQE snd_i from response snd_p on.
task automatic send_read;
  reg [4:0] slot;
  reg [511:0] w;
  reg [23:0] p;
  reg [31:0] off;
  reg [31:0] len;
  reg [63:0] va;
  reg [23:0] psn;
  reg [23:0] behind;
  reg resend;
  begin
    slot = oq_head[t_q] + snd_i[t_q];
    w = oq_wqe[{t_q, slot}];
    p = (variant == 8) ? 24'd0 : snd_p[t_q];
    off = {8'd0, p} * {19'd0, pmtu_of(t_q)};
    psn = oq_psn[{t_q, slot}] + p;
    behind = oq_psn[{t_q, slot}] + oq_np[{t_q, slot}];
    resend = (psn - hi_psn[t_q]) >= 24'h800000;
    va = w[223:160] + `MUT(265, {32'd0, off}, 64'd0);
    len = w[127:96] - `MUT(266, off, 32'd0);
    len = `MUT(272, len, (len > {19'd0, pmtu_of(t_q)}) ? (len + 32'd3) & ~32'd3 : len);
    build_header(t_q, OP_READ_REQ, psn, (variant == 3), 2'd0, 5'd16, {va, w[255:224], len, 32'd0}, 13'd0);
    bld_payload <= 13'd0;
    bld_inline <= 1'b0;
    bld_valid <= 1'b1;
    if (resend) begin
      retried[t_q] = 1'b1;
      `MUT_DO(268, retry_c[t_q] = 4'd0;)
    end else begin
      hi_psn[t_q] = behind;
    end
    oq_start[{t_q, slot}] = psn;
    tag_x[tag_wr[1:0]] = behind;
    push_tag(K_READ, OP_READ_REQ, psn, resend, 1'b1);
    snd_i[t_q] = snd_i[t_q] + 1'b1;
    snd_p[t_q] = 24'd0;
    t_again = 1'b1;
    t_state = T_WAIT;
  end
endtask

// Does the response under way have the opcode, size and syndrome due at position `p` of a READ of `np` responses?
function automatic response_fits(input [23:0] p, input [23:0] np, input [31:0] len,
                                        input [23:0] start);
  reg final_one;
  reg starts;
  reg [31:0] size;
  begin
    final_one = (p + 24'd1 == np);
    starts = (f_op == OP_READ_FIRST) || (f_op == OP_READ_ONLY);
    size = final_one ? len - {8'd0, p} * {19'd0, pmtu_of(r_q)} : {19'd0, pmtu_of(r_q)};
    response_fits = ({14'd0, f_n} == size)
                    && (final_one ? (f_op == OP_READ_LAST || f_op == OP_READ_ONLY)
                                  : (f_op == OP_READ_FIRST || f_op == OP_READ_MIDDLE) && f_pad == 2'd0)
                    && (starts ? (p == 0 || f_psn == start) : (p != 0))
                    && (f_op == OP_READ_MIDDLE || f_syndrome[6:5] == 2'b00);
  end
endfunction

// Is the response under way one that was taken already, of the READ in `slot` that waits for more?
function automatic taken_before(input [4:0] slot);
  taken_before = acked[r_q] < outc[r_q] && oq_wqe[{r_q, slot}][135:128] == W_READ
                 && (f_psn - oq_psn[{r_q, slot}]) < (una[r_q] - oq_psn[{r_q, slot}])
                 && (una[r_q] - oq_psn[{r_q, slot}]) < oq_np[{r_q, slot}];
endfunction

// Payload of the response under way into the buffer of the READ in `slot`.
task automatic write_read_data(input [4:0] slot);
  reg [63:0] laddr;
  begin
    laddr = oq_wqe[{r_q, slot}][95:32];
    laddr[63:32] = `MUT(264, laddr[63:32], 32'd0);
    rdw_valid <= 1'b1;
    rdw_addr <= laddr + {40'd0, f_psn - oq_psn[{r_q, slot}]} * {51'd0, pmtu_of(r_q)};
    rdw_len <= f_n[12:0] + `MUT(273, 13'd0, {11'd0, f_pad});
    rdw_beat <= rx_beat + {{(RX_AW-1){1'b0}}, f_data_at[6]};
    rdw_off <= f_data_at[5:0];
    r_state = R_RDATA;
  end
endtask

// A READ response: only the next one due is taken. Older ones are ignored, a later one shows a loss, one of the
// wrong shape makes the QP fatal.
task automatic handle_read_response;
  reg [4:0] i;
  reg [4:0] slot;
  reg [4:0] oldest;
  reg [23:0] first_psn;
  reg [23:0] lim;
  reg found;
  reg in_this;
  begin
    i = acked[r_q];
    oldest = oq_head[r_q] + i;
    found = 1'b0;
    slot = 5'd0;
    if ((f_psn - una[r_q]) < (qreg[{r_q, Q_SQPSN}][23:0] - una[r_q])) begin
      while (!found && i < outc[r_q]) begin
        slot = oq_head[r_q] + i;
        found = ((f_psn - oq_psn[{r_q, slot}]) < oq_np[{r_q, slot}]);
        i = i + 1'b1;
      end
    end
    if (`MUT(267, 1'b0, !found && outc[r_q] != 0 && (una[r_q] - f_psn) < 24'd64)) begin
      rd_gap[r_q] = 1'b0;
      read_gap(r_q);
    end
    if (`MUT(460, 1'b0, !found && taken_before(oldest))) begin
      write_read_data(oldest);
    end else if (!found || oq_wqe[{r_q, slot}][135:128] != W_READ) begin
      c_dropped = c_dropped + 16'd1;
      if (!found) write_response_entry;
    end else begin
      first_psn = oq_psn[{r_q, slot}];
      in_this = ((una[r_q] - first_psn) < oq_np[{r_q, slot}]);
      lim = in_this ? una[r_q] : `MUT(269, ack_limit(r_q, first_psn), una[r_q]);
      if ((!in_this && lim != first_psn)
          || (f_psn != (in_this ? una[r_q] : first_psn) && `MUT(274, 1'b1, f_op != OP_READ_LAST))) begin
        // A response before this one is missing; what was sent before the READ is acknowledged all the same.
        c_dropped = c_dropped + 16'd1;
        if (lim != una[r_q]) progress_to(r_q, lim);
        read_gap(r_q);
      end else if (!response_fits(f_psn - first_psn, oq_np[{r_q, slot}], oq_wqe[{r_q, slot}][127:96],
                                 oq_start[{r_q, slot}])
                   && `MUT(277, 1'b1, f_n > $signed({5'd0, pmtu_of(r_q)}))) begin
        c_dropped = c_dropped + 16'd1;
        set_fatal(r_q, F_RESPONSE);
        write_response_entry;
      end else begin
        if (lim != una[r_q]) progress_to(r_q, lim);
        rt_on[r_q] = 1'b0;
        c_in_rdrsp = c_in_rdrsp + `MUT(271, 16'd1, {15'd0, f_op != OP_READ_MIDDLE});
        last_in = last_packet(r_q, f_psn, f_op);
        w_psn = f_psn;
        w_last = `MUT(458, f_psn, (f_op == OP_READ_FIRST) ? first_psn + oq_np[{r_q, slot}] - 24'd1 : f_psn);
        `MUT_DO(263, if (f_op == OP_READ_LAST || f_op == OP_READ_ONLY) read_arrived;)
        if (f_n != 0) write_read_data(slot);
        else read_arrived;
      end
    end
  end
endtask

// The data of response w_psn are in memory.
task automatic read_arrived;
  reg [23:0] lim;
  begin
    r_state = R_POP;
    // Not when the QP turned fatal or was set up anew meanwhile.
    if (!fatal[r_q] && acked[r_q] < outc[r_q] && una[r_q] == `MUT(274, w_psn, una[r_q])) begin
      rd_gap[r_q] = 1'b0;
      progress_to(r_q, w_last + 24'd1);
      // An ACK may have come ahead of the data.
      if ((una[r_q] - ack_hi[r_q]) < 24'h800000) ack_hi[r_q] = una[r_q];
      lim = ack_limit(r_q, ack_hi[r_q]);
      if (lim != una[r_q]) progress_to(r_q, lim);
    end
  end
endtask

task automatic clear_read_requester(input [QW-1:0] q);
  begin
    rd_gap[q] = 1'b0;
    ack_hi[q] = nxt_psn[q];
  end
endtask
