// SPDX-License-Identifier: BSD-3-Clause
// QP1, the queue pair of management frames. Software builds whole frames: a send WQE holds one from the Ethernet
// header on, the hardware adds the ICRC only; a received frame goes into a receive element as it is. There are no
// sequence numbers, no acknowledgements and no retries, so a WQE is complete when its frame has left. QP1 works on
// one WQE at a time.

localparam [31:0] MAD_SHORTEST = 32'd54;      // Ethernet, IPv4, UDP, BTH
localparam [31:0] MAD_LONGEST = 32'd4178;     // the same on IPv6, DETH and 4096 bytes

reg [23:0] r_mad_psn = 24'd0;                 // PSN of the latest frame (only for a fault)

function automatic is_mad_qp(input [QW-1:0] q);
  is_mad_qp = (qpn_of(q) == 24'd1);
endfunction

// Registers that QP1 does not have.
function automatic absent_on_qp1(input [5:0] word);
  case (word)
    Q_ADV, Q_SQPSN, Q_LSTRQ, Q_TIMEOUT, Q_SSN, Q_MSN, Q_RESPSN, Q_PD: absent_on_qp1 = 1'b1;
    default: absent_on_qp1 = 1'b0;
  endcase
endfunction

// ---------------------------------------------------------------- receive side
// A frame for QP1 that passed validation.
task automatic handle_mad;
  reg [31:0] elem;
  reg [31:0] n;
  begin
    elem = {8'd0, qreg[{r_q, Q_CONF}][31:16], 8'd0};
    // Up to the ICRC, which the hardware takes off as it adds it on the way out.
    n = {25'd0, f_data_at} + {14'd0, f_n} + `MUT(304, {30'd0, f_pad}, {30'd0, f_pad} - 32'd4);
    r_state = R_POP;
    if (f_op != OP_UD_SEND_ONLY) begin
      reject(S_OPCODE);
    end else if (n > elem || rq_used[r_q] >= {1'b0, rq_depth(r_q)}) begin
      c_dropped = c_dropped + 16'd1;
      `MUT_DO(308, reply(r_q, 8'h21, f_psn);)
    end else if (`MUT(306, 1'b0, c_in_mad != 0 && f_psn == r_mad_psn)) begin
      c_dropped = c_dropped + 16'd1;
    end else begin
      r_addr = rq64(r_q, Q_RQBAH, Q_RQBA) + {48'd0, `MUT(301, qreg[{r_q, Q_RQPI}][15:0],
                       (qreg[{r_q, Q_RQPI}][15:0] == 0 && c_in_mad != 0) ? rq_depth(r_q) - 16'd1
                           : qreg[{r_q, Q_RQPI}][15:0])} * {32'd0, elem};
      rxw_valid <= 1'b1;
      rxw_imm <= 1'b0;
      rxw_addr <= r_addr;
      rxw_len <= n[12:0];
      rxw_beat <= rx_beat;
      rxw_off <= `MUT(305, 6'd0, 6'd14);
      rxw_user <= {8'd0, f_qpn};
      r_state = R_DATA;
    end
  end
endtask

// The frame is in memory: counters, then the doorbell word.
task automatic commit_mad;
  begin
    last_in = last_packet(r_q, f_psn, f_op);
    c_in_mad = c_in_mad + `MUT(474, 16'd1, {15'd0, f_n != 0});
    r_mad_psn = f_psn;
    `MUT_DO(302, if (f_areq) reply(r_q, 8'h1F, f_psn);)
    note_congestion;
    `MUT_DO(300, qreg[{r_q, Q_RQPI}] = {16'd0, ring_inc(qreg[{r_q, Q_RQPI}][15:0], rq_depth(r_q))};)
    ring_rq;
  end
endtask

// The doorbell is in memory, too.
task automatic announce_mad;
  begin
    intsts[1] = `MUT(307, 1'b1, intsts[1] | qreg[{r_q, Q_CONF}][2]);
    if (qreg[{r_q, Q_CONF}][2]) set_bank(1'b0, r_q);
    r_state = R_POP;
  end
endtask

// ---------------------------------------------------------------- send side
// Next step for QP1: a frame to send, or a WQE to fetch once the one before is completed.
task automatic pick_mad_work;
  if (fatal[t_q]) begin
    if (pend[t_q] != 0 && outc[t_q] < 5'd16 && greg[G_CONF][0]) start_fetch;
  end else if (may_send(t_q)) begin
    if (snd_i[t_q] < outc[t_q]) t_state = T_PACKET;
    else if (pend[t_q] != 0 && outc[t_q] == 0) start_fetch;
  end
endtask

function automatic legal_mad_length(input [31:0] n);
  legal_mad_length = (n >= MAD_SHORTEST) && (n <= MAD_LONGEST);
endfunction

// A SEND was fetched for QP1. One that cannot be a frame is an error of the WQE processor.
task automatic mad_arrived;
  if (legal_mad_length(t_wqe[127:96])) begin
    t_state = T_PACKET;
    `MUT_DO(477, acked[t_q] = acked[t_q] + 1'b1; kick_cpl(t_q); t_state = T_IDLE;)
  end else begin
    set_fatal(t_q, F_WQE);
    t_state = T_IDLE;
  end
endtask

task automatic send_mad;
  reg [511:0] w;
  begin
    w = oq_wqe[{t_q, oq_head[t_q] + snd_i[t_q]}];
    bld_hdr <= 768'd0;
    bld_hdr_len <= 7'd0;
    bld_raw <= 1'b1;
    bld_pad <= 2'd0;
    bld_payload <= w[108:96];
    bld_inline <= 1'b0;
    bld_valid <= 1'b1;
    plr_valid <= 1'b1;
    plr_addr <= w[95:32];
    plr_len <= w[119:96];
    snd_i[t_q] = snd_i[t_q] + 1'b1;
    t_again = 1'b1;
    t_mad = 1'b1;
    t_state = T_WAIT;
  end
endtask

// The builder is done with a frame of QP1: now its headers are known.
task automatic mad_built;
  begin
    push_tag((bld_raw_op == OP_CNP) ? K_CNP : K_MAD, bld_raw_op, bld_raw_psn, 1'b0, 1'b1);
    t_mad = 1'b0;
  end
endtask

// The last beat of a QP1 frame has left: its WQE is complete.
task automatic mad_left(input [QW-1:0] q, input is_cnp);
  begin
    c_out_mad = c_out_mad + `MUT(475, 16'd1, {15'd0, qreg[{q, Q_CONF}][5]});
    if (is_cnp) begin
      c_out_cnp = c_out_cnp + 32'd1;
      if (C_CNP_CLEAR_TX != 0) clear_scheduled(bld_raw_dest, bld_raw_ip, bld_raw_v6);
    end
    if (!fatal[q] && acked[q] < outc[q] && `MUT(476, 1'b1, 1'b0)) begin
      acked[q] = acked[q] + 1'b1;
      kick_cpl(q);
    end
  end
endtask
