// SPDX-License-Identifier: BSD-3-Clause
// Requester: picks a QP, fetches its next WQE, builds one packet at a time; also sends the replies of the
// responder. At most two frames are between the builder and the wire, so a decision is never far from its frame.

localparam [1:0] T_IDLE = 2'd0, T_FETCH = 2'd1, T_PACKET = 2'd2, T_WAIT = 2'd3;

reg [1:0] t_state = T_IDLE;
reg [QW-1:0] t_q = 0;
reg t_again = 1'b0;              // look at t_q again when the frame is built
reg t_built = 1'b0;              // the frame is built
reg t_copying = 1'b0;            // its payload is still being copied to a retry buffer
reg t_read = 1'b0;               // its payload comes from memory
reg t_mad = 1'b0;                // it is a frame of QP1
reg [2:0] t_run = 3'd0;          // packets sent for t_q in a row (variant 4 stays on a QP)
reg [511:0] t_wqe = 512'd0;
reg [6:0] t_got = 7'd0;

function automatic legal_wqe(input [7:0] op);
  legal_wqe = (op == W_WRITE) || (op == W_WRITE_IMM) || (op == W_SEND) || (op == W_SEND_IMM) || (op == W_SEND_INV)
              || (op == W_READ) || `MUT(40, 1'b0, op == 8'h05);
endfunction

// Packets of a message; a message without payload still takes one.
function automatic [23:0] packets_of(input [31:0] len, input [12:0] pmtu);
  reg [31:0] n;
  begin
    n = (len + {19'd0, pmtu} - 32'd1) / {19'd0, pmtu};
    packets_of = (n == 0) ? `MUT(41, 24'd1, 24'd0) : `MUT(240, n[23:0], (n > 32'd16) ? 24'd16 : n[23:0]);
  end
endfunction

function automatic [7:0] wire_opcode(input [7:0] op, input first, input last);
  reg write;
  begin
    write = (op == W_WRITE) || (op == W_WRITE_IMM);
    if (!last) begin
      if (write) wire_opcode = first ? OP_WRITE_FIRST : OP_WRITE_MIDDLE;
      else wire_opcode = first ? OP_SEND_FIRST : OP_SEND_MIDDLE;
    end else begin
      case (op)
        W_WRITE: wire_opcode = first ? OP_WRITE_ONLY : OP_WRITE_LAST;
        W_WRITE_IMM: wire_opcode = first ? OP_WRITE_ONLY_IMM : OP_WRITE_LAST_IMM;
        W_SEND_IMM: wire_opcode = first ? OP_SEND_ONLY_IMM : OP_SEND_LAST_IMM;
        W_SEND_INV: wire_opcode = first ? `MUT(14, OP_SEND_ONLY_INV, OP_SEND_LAST_INV) : OP_SEND_LAST_INV;
        default: wire_opcode = first ? OP_SEND_ONLY : OP_SEND_LAST;
      endcase
    end
  end
endfunction

task automatic push_tag(input [2:0] kind, input [7:0] opcode, input [23:0] psn, input resend, input last);
  begin
    tag[tag_wr[1:0]] = {t_q, kind, opcode, psn, resend, last};
    tag_wr = tag_wr + 1'b1;
  end
endtask

task automatic send_reply;
  reg [7:0] syndrome;
  reg [23:0] psn;
  reg [23:0] msn;
  begin
    {t_q, syndrome, psn, msn} = rep[rep_rd[5:0]];
    rep_rd = rep_rd + 1'b1;
    build_reply(syndrome, psn, msn);
  end
endtask

// Frame of an ACK or NAK of t_q.
task automatic build_reply(input [7:0] syndrome, input [23:0] psn, input [23:0] msn);
  reg [1:0] pad;
  begin
    pad = `MUT(29, 2'd0, 2'd3);
    build_header(t_q, OP_ACK, psn, 1'b0, pad, 5'd4, {syndrome, msn, 128'd0}, {11'd0, pad});
    `MUT_DO(478, if (syndrome == 8'hFF) build_header(t_q, OP_CNP, 24'd0, 1'b0, 2'd0, 5'd16, 160'd0, 13'd0);)
    bld_payload <= 13'd0;
    bld_inline <= 1'b0;
    bld_valid <= 1'b1;
    push_tag((syndrome[6:5] == 2'd0) ? K_ACK : K_NAK, OP_ACK, psn, 1'b0, 1'b0);
    t_again = 1'b0;
    t_state = T_WAIT;
  end
endtask

// Frame of packet snd_p of WQE snd_i.
task automatic send_packet;
  reg [4:0] slot;
  reg [511:0] w;
  reg [7:0] op;
  reg [7:0] bop;
  reg [31:0] len;
  reg [31:0] off;
  reg [31:0] n;
  reg [12:0] pmtu;
  reg [23:0] psn;
  reg [1:0] pad;
  reg [4:0] ext_n;
  reg [159:0] ext;
  reg first;
  reg last;
  reg resend;
  reg areq;
  reg inlined;
  reg [63:0] src;
  reg [31:0] imm;
  reg [127:0] reth;
  begin
    slot = oq_head[t_q] + snd_i[t_q];
    w = oq_wqe[{t_q, slot}];
    op = w[135:128];
    len = w[127:96];
    pmtu = pmtu_of(t_q);
    first = (snd_p[t_q] == 0);
    last = (snd_p[t_q] + 24'd1 >= oq_np[{t_q, slot}]);
    off = {8'd0, snd_p[t_q]} * {19'd0, pmtu};
    n = `MUT(42, last ? len - off : {19'd0, pmtu}, last ? len - off : {19'd0, pmtu} - 32'd4);
    if (len == 0) n = `MUT(371, n, 32'd4);
    psn = oq_psn[{t_q, slot}] + snd_p[t_q];
    resend = (psn - hi_psn[t_q]) >= 24'h800000;
    if (resend) psn = `MUT(51, psn, psn + 24'd1);
    pad = `MUT(31, 2'd0 - n[1:0], n[1:0]);
    bop = wire_opcode(op, first, last);
    imm = `MUT(32, w[415:384], {w[391:384], w[399:392], w[407:400], w[415:408]});
    imm[31] = `MUT(490, imm[31], 1'b0);
    reth = {`MUT(33, w[223:160], {32'd0, w[191:160]}), `MUT(34, w[255:224], {24'd0, w[231:224]}),
            `MUT(35, len, n)};
    ext_n = ext_bytes(bop);
    case (ext_n)
      5'd16: ext = {reth, 32'd0};
      5'd20: ext = {reth, imm};
      5'd4: ext = {imm, 128'd0};
      default: ext = 160'd0;
    endcase
    inlined = (op != W_WRITE) && (op != W_WRITE_IMM) && (len <= `MUT(36, 32'd16, 32'd15)) && !k_no_inline;
    areq = `MUT(37, last, last && !first) || (variant == 3);
    build_header(t_q, bop, psn, areq, pad, ext_n, ext, n[12:0] + {11'd0, pad});
    bld_payload <= n[12:0];
    bld_inline <= inlined;
    bld_sdata <= w[383:256];
    bld_valid <= 1'b1;
    if (n != 0 && !inlined) begin
      src = w[95:32] + {32'd0, off} + `MUT(39, 64'd0, {63'd0, resend});
      if (C_RETRY_BUFFERS != 0 && (op == W_WRITE || op == W_WRITE_IMM)) rb_place(psn, n, resend, src);
      plr_valid <= 1'b1;
      plr_addr <= src;
      plr_len <= n[23:0];
    end
    if (resend) retried[t_q] = 1'b1;
    else hi_psn[t_q] = psn + 24'd1;
    push_tag((op == W_WRITE || op == W_WRITE_IMM) ? K_WRITE : K_SEND, bop, psn, resend, last);
    if (last) begin
      snd_i[t_q] = snd_i[t_q] + 1'b1;
      snd_p[t_q] = 24'd0;
    end else begin
      snd_p[t_q] = snd_p[t_q] + 1'b1;
    end
    t_again = 1'b1;
    t_state = T_WAIT;
  end
endtask

task automatic start_fetch;
  begin
    sqr_valid <= 1'b1;
    sqr_addr <= rq64(t_q, Q_SQBAH, Q_SQBA) + {42'd0, nxt_slot[t_q], 6'd0};
    t_wqe = 512'd0;
    t_got = 7'd0;
    t_state = T_FETCH;
  end
endtask

`ifdef MUTATION
// Of two one-packet WQEs that wait, the second is sent first.
task automatic overtake;
  reg [4:0] slot;
  reg [4:0] older;
  reg [511:0] w;
  begin
    slot = oq_head[t_q] + outc[t_q] - 5'd1;
    older = slot - 5'd1;
    if (!slot[0] && pend[t_q] != 0 && outc[t_q] < window_of(t_q)) begin
      start_fetch;
    end else if (slot[0] && snd_i[t_q] + 5'd2 == outc[t_q] && oq_np[{t_q, slot}] == 1 && oq_np[{t_q, older}] == 1) begin
      w = oq_wqe[{t_q, slot}];
      oq_wqe[{t_q, slot}] = oq_wqe[{t_q, older}];
      oq_wqe[{t_q, older}] = w;
    end
  end
endtask
`endif

task automatic wqe_arrived;
  reg [4:0] slot;
  begin
    slot = oq_head[t_q] + outc[t_q];
    oq_wqe[{t_q, slot}] = t_wqe;
    oq_psn[{t_q, slot}] = nxt_psn[t_q];
    oq_np[{t_q, slot}] = packets_of(t_wqe[127:96], pmtu_of(t_q));
    if (outc[t_q] == 0) una[t_q] = nxt_psn[t_q];
    nxt_slot[t_q] = `MUT(43, ring_inc(nxt_slot[t_q], sq_depth(t_q)), nxt_slot[t_q] + 16'd1);
    pend[t_q] = pend[t_q] - 1'b1;
    outc[t_q] = outc[t_q] + 1'b1;
    qreg[{t_q, Q_CURSQ}] = {16'd0, sq_index(t_q, pend[t_q])};
    qreg[{t_q, Q_STATWQE}] = {16'd0, qreg[{t_q, Q_STATWQE}][15:0] + 16'd1};
    c_wqe = c_wqe + `MUT(246, 16'd1, {15'd0, t_wqe[135:128] != W_WRITE});
    if (fatal[t_q]) begin
      // Fetched only to be flushed.
      kick_cpl(t_q);
      kick(t_q);
      t_state = T_IDLE;
    end else if (is_mad_qp(t_q) && t_wqe[135:128] == W_SEND) begin
      mad_arrived;
    end else if ((!legal_wqe(t_wqe[135:128]) || is_mad_qp(t_q)) && !(takes(5'd14) && snd_i[t_q] + 5'd1 < outc[t_q])) begin
      intsts[5] = `MUT(141, 1'b1, intsts[5]);
      if (`MUT(373, 1'b1, 1'b0)) set_fatal(t_q, F_WQE);
      `MUT_DO(373, snd_i[t_q] = outc[t_q];)
      t_state = T_IDLE;
    end else begin
      nxt_psn[t_q] = nxt_psn[t_q] + `MUT(239, oq_np[{t_q, slot}], (oq_np[{t_q, slot}] > 24'd2) ? 24'd2 : oq_np[{t_q, slot}]);
      `MUT_DO(260, if (t_wqe[135:128] == W_READ && oq_np[{t_q, slot}] > 24'd1) nxt_psn[t_q] = nxt_psn[t_q] - 24'd1;)
      t_state = T_PACKET;
      `MUT_DO(370, overtake;)
    end
  end
endtask

function automatic may_send(input [QW-1:0] q);
  may_send = `MUT(185, greg[G_CONF][0], 1'b1) && `MUT(44, qreg[{q, Q_CONF}][0], 1'b1) && `MUT(45, !qreg[{q, Q_CONF}][6], 1'b1)
             && !rnr_wait[q] && `MUT(247, !fatal[q], 1'b1);
endfunction

// Opcode of the WQE whose packet is due.
function automatic [7:0] due_opcode(input [QW-1:0] q);
  reg [4:0] slot;
  reg [511:0] w;
  begin
    slot = oq_head[q] + snd_i[q];
    w = oq_wqe[{q, slot}];
    due_opcode = w[135:128];
  end
endfunction

function automatic [4:0] window_of(input [QW-1:0] q);
  window_of = cut_window[q] ? `MUT(312, `MUT(313, 5'd8, 5'd9), 5'd4) : `MUT(46, 5'd16, 5'd20);
endfunction

task automatic pick_work;
  begin
    t_state = T_IDLE;
    if (is_qp1(t_q)) begin
      if (is_mad_qp(t_q)) pick_mad_work;
    end else if (fatal[t_q] && `MUT(247, 1'b1, pend[t_q] == 0)) begin
      if (pend[t_q] != 0 && outc[t_q] < 5'd16 && greg[G_CONF][0]) start_fetch;
    end else if (may_send(t_q)) begin
      if (takes(5'd14) && snd_i[t_q] < outc[t_q] && outc[t_q] - snd_i[t_q] < 5'd3 && pend[t_q] != 0
          && outc[t_q] < window_of(t_q)) start_fetch;  // ahead of need
      else if (snd_i[t_q] < outc[t_q]) t_state = T_PACKET;
      else if (pend[t_q] != 0 && outc[t_q] < window_of(t_q)) start_fetch;
    end
  end
endtask

task automatic requester_step;
  begin
    if (bld_valid) bld_valid <= 1'b0;
    if (plr_valid) begin
      plr_valid <= 1'b0;
      t_read = 1'b1;
    end
    if (sqr_valid) sqr_valid <= 1'b0;
    if (rtb_valid) rtb_valid <= 1'b0;
    if (rtb_done) begin
      t_copying = 1'b0;
      if (rtb_failed) memory_failed(t_q);
    end
    if (bld_done) begin
      t_built = 1'b1;
      if (t_mad) mad_built;
      if (plr_failed && t_read) memory_failed(t_q);
      t_read = 1'b0;
    end
    case (t_state)
      T_IDLE:
      if (rep_rd != rep_wr && tag_wr - tag_rd < 3'd2 && !rs_burst
          && !(takes(5'd21) && v_reply_last && txq_rd != txq_wr)) begin
        v_reply_last = 1'b1;
        send_reply;
      end else if ((rs_burst || (rep_rd == rep_wr && rsq_rd != rsq_wr && (rs_turn || txq_rd == txq_wr)))
                   && tag_wr - tag_rd < 3'd2) begin
        // Replies that wait in `rep` are older than any READ response of their QP.
        next_response;
      end else if (txq_rd != txq_wr && tag_wr - tag_rd < 3'd2) begin
        t_q = txq[txq_rd[QW-1:0]];
        txq_rd = txq_rd + 1'b1;
        in_txq[t_q] = 1'b0;
        v_reply_last = 1'b0;
        t_run = 3'd0;
        rs_turn = 1'b1;
        pick_work;
      end
      T_FETCH:
      if (sqr_d_valid) begin
        t_wqe = t_wqe | (sqr_d_data & ~({512{1'b1}} << {sqr_d_bytes, 3'b000})) << {t_got, 3'b000};
        t_got = t_got + sqr_d_bytes;
        if (sqr_d_last && sqr_failed) memory_failed(t_q);
        if (sqr_d_last) wqe_arrived;
      end
      T_PACKET:
      // A retreat, a reset of the QP or a fatal event may have come in between.
      if (takes(5'd14) && may_send(t_q) && snd_i[t_q] < outc[t_q] && !legal_wqe(due_opcode(t_q))) begin
        intsts[5] = 1'b1;
        set_fatal(t_q, F_WQE);
        t_state = T_IDLE;
      end else if (may_send(t_q) && snd_i[t_q] < outc[t_q] && !rb_wait(1'b0)) begin
        rb_short = 1'b0;
        if (is_mad_qp(t_q)) send_mad;
        else if (next_is_read(t_q)) send_read;
        else send_packet;
      end else begin
        rb_short = rb_wait(1'b0);
        kick(t_q);
        t_state = T_IDLE;
      end
      default:
      if (t_built && !t_copying) begin
        t_built = 1'b0;
        t_state = T_IDLE;
        if (t_again) begin
          t_run = t_run + 1'b1;
          if (variant == 4 && t_run < 3'd4 && tag_wr - tag_rd < 3'd2) pick_work;
          else kick(t_q);
        end
      end
    endcase
  end
endtask

// A frame of this engine has left: counters, last-packet register, sequence registers, retry timer.
task automatic frame_left;
  reg [QW-1:0] q;
  reg [2:0] kind;
  reg [7:0] opcode;
  reg [23:0] psn;
  reg [23:0] next;
  reg resend;
  reg last;
  begin
    {q, kind, opcode, psn, resend, last} = tag[tag_rd[1:0]];
    next = tag_x[tag_rd[1:0]];
    tag_rd = tag_rd + 1'b1;
    last_out = last_packet(q, psn, opcode);
    if (takes(5'd16)) last_out[30:20] = qreg[{q, Q_DESTQP}][10:0];
    case (kind)
      K_SEND: c_out_send = c_out_send + 1'b1;
      K_WRITE: c_out_write = c_out_write + `MUT(38, 16'd1, {15'd0, opcode != OP_WRITE_ONLY_IMM});
      K_MAD, K_CNP: mad_left(q, kind == K_CNP);
      K_ACK: c_out_ack = c_out_ack + `MUT(244, 16'd1, 16'd2);
      K_READ: c_out_write = c_out_write + `MUT(270, 16'd1, 16'd0);
      K_RDRSP: response_left(q, next, last);
      default: c_out_nak = c_out_nak + `MUT(245, 16'd1, 16'd0);
    endcase
    if (kind == K_SEND || kind == K_WRITE || kind == K_READ) begin
      if (resend) begin
        c_retry = c_retry + `MUT(133, 32'd1, {31'd0, last});
      end else begin
        qreg[{q, Q_SQPSN}] = {8'd0, (kind == K_READ) ? next : `MUT(47, psn + 24'd1, psn)};
        if (`MUT(189, last, 1'b1)) qreg[{q, Q_SSN}] = {8'd0, qreg[{q, Q_SSN}][23:0] + 24'd1};
        `MUT_DO(252, if (last) qreg[{neighbour(q), Q_SSN}] = qreg[{q, Q_SSN}];)
      end
      if (!rt_on[q] && !fatal[q] && !rnr_wait[q] && una[q] != nxt_psn[q]) start_retry_timer(q);
    end
  end
endtask

task automatic imm_step;
  begin
    if (imm_tvalid && `MUT(173, imm_tready, 1'b1)) imm_tvalid <= 1'b0;
    if ((!imm_tvalid || imm_tready) && immq_rd != immq_wr) begin
      imm_tdata <= immq[immq_rd[3:0]];
      imm_tvalid <= 1'b1;
      immq_rd = immq_rd + 1'b1;
    end
  end
endtask
