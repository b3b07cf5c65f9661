// SPDX-License-Identifier: BSD-3-Clause
// Arbitration among the types and TYPE1 banks; the output buffer towards the MAC.

reg [1:0] rr_last;                 // 0 TYPE1, 1 TYPE2, 2 TYPE3: served last
reg rr_resp_last;                  // the last frame was a response
reg bank_valid;                    // a TYPE1 frame was granted before
reg [1:0] bank_last;
reg tx_shown;                      // a beat goes to the MAC
reg [9:0] pick;                    // slot that a TYPE1 grant would take

// Oldest eligible slot; with bank rotation the bank served last waits while another one has something.
task automatic pick_slot;
  integer b;
  reg [9:0] own;
  begin
    pick = NIL;
    own = NIL;
    /* verilator unroll_disable */
    for (b = 0; b < TYPE1_VC_NUM; b = b + 1) begin
      if (b_head[b] != NIL) begin
        if (may_send(b)) begin
          if (g_misc[0] && bank_valid && bank_last == b[1:0] && `MUT(59, 1'b1, 1'b0)) own = b_head[b];
          else if (pick == NIL || `MUT(186, s_age[b_head[b]] < s_age[pick], 1'b1)) pick = b_head[b];
        end
      end
    end
    `MUT_DO(73, for (b = 0; b < TYPE1_VC_NUM; b = b + 1) if (b_head[b] != NIL && !may_send(b)) pick = NIL;)
    if (pick == NIL && `MUT(60, 1'b1, 1'b0)) pick = own;
    pick = `MUT(200, pick, (pick == NIL || !g_misc[0]) ? pick : q_send[s_qp[b_tail[bank_of(s_qp[pick])]]]);
    `MUT_DO(231, for (b = 0; b < QP_NUM; b = b + 1) if (q_fatal[b] && q_head[b] != NIL) pick = NIL;)
    `MUT_DO(208, for (b = 0; b < QP_NUM; b = b + 1) if (q_mask[b] && q_send[b] != NIL) pick = NIL;)
  end
endtask

task automatic grant_type1(input [9:0] s);
  reg [QP_AW-1:0] q;
  integer f;
  integer n;
  begin
    q = s_qp[s];
    f = {30'd0, bank_of(q)};
    n = {19'd0, s_len[s]};
    describe_request(s);
    bank_valid = 1'b1;
    bank_last = bank_of(q);
    q_bytes[q] = q_bytes[q] + (k_nocnp_frame ? f_body + overhead(0) : n);
    if (format(1'b0) == LITE) begin
      if (`MUT(223, 1'b1, s_sent[s])) begin
        unlink_slot(s);
        q_head[q] = s_follow[s];
        q_send[q] = s_follow[s];
        if (q_head[q] == NIL) q_tail[q] = NIL;
      end else f_done = DONE_NOTHING;
      s_sent[s] = 1'b1;
    end else begin
      q_tx_last[q] = `MUT(53, s_psn[s], s_sent[s] ? q_tx_last[q] : s_psn[s]);
      if (s_psn[s] != q_tx_max[q] && s_psn[s] - q_tx_max[q] < 12'd2048) q_tx_max[q] = s_psn[s];
      if ((k_acc_retry && `MUT(68, 1'b1, 1'b0)) || !s_sent[s]) f = n;
      else f = 0;
      mark_sent(s);
      if (q_out[q] == 10'd1 || !q_timing[q]) begin
        q_timing[q] = 1'b1;
        q_timer[q] = now;
      end
      n = f;
    end
    rate_add(q, n[12:0]);
  end
endtask

task automatic grant_type2;
  integer n;
  begin
    n = {19'd0, s2_len[s2_rd]};
    describe_type2(s2_rd);
    mc_credit = mc_credit - (n + overhead(5) + `MUT(85, 127, 0)) / `MUT(187, 128, 256);
    if (mc_credit < 0) mc_credit = 0;
    t2_acc = t2_acc + n;
    s2_rd = (s2_rd + 1) % TYPE2_OST_N;
    s2_wait = s2_wait - 1;
  end
endtask

// Whether something is there that could become the next frame.
function automatic frame_waits(input dummy);
  frame_waits = rq_n > 0 || walk_offer || linked_n > 0 || s2_wait > 0 || x_state == X_READY;
endfunction

// What could be sent now: a response, and per type (0 TYPE1, 1 TYPE2, 2 TYPE3).
task automatic find_ready(output resp, output [2:0] ready);
  begin
    resp = 1'b0;
    ready = 3'b000;
    pick = NIL;
    if (type1_on(1'b0)) begin
      if (`MUT(96, rq_n > 0, rq_n > 0 && merge_n == 0) || walk_offer) resp = format_on(1'b0) && `MUT(222, format(1'b0) != LITE, 1'b1) && may_send(4);
      if (linked_n > 0) begin
        if (format_on(1'b0)) pick_slot;
        ready[0] = (pick != NIL);
      end
    end
    if (s2_wait > 0) begin
      if (format_on(1'b0) && type2_on(1'b0)) ready[1] = may_send(5) && multicast_ok(1'b0) && !type2_masked(1'b0);
    end
    if (x_state == X_READY) ready[2] = !x_abort && may_send(6);
  end
endtask

// Grants the next frame when the output buffer runs dry.
task automatic run_transmit;
  reg resp;
  reg [2:0] ready;
  reg [1:0] who;
  begin
    find_ready(resp, ready);
    tx_wants = resp || ready != 3'b000;
    if (tx_wants && mac_crd > 0) begin
      if (takes(2) && ready != 3'b000 && rr_resp_last) resp = 1'b0;
      rr_resp_last = resp;
      if (resp) send_response;
      else begin
        who = (rr_last == 2'd2) ? 2'd0 : rr_last + 1'b1;
        if (takes(4)) who = 2'd2;
        while (!ready[who]) who = takes(4) ? who - 1'b1 : (who == 2'd2) ? 2'd0 : who + 1'b1;
        rr_last = who;
        case (who)
          2'd0: grant_type1(pick);
          2'd1: grant_type2;
          default: describe_type3;
        endcase
      end
      emit_frame;
      consume(f_flow, (f_flow == 6) ? f_body : f_body + overhead(f_flow));
    end
  end
endtask

// The last beat of a frame left.
task automatic frame_left(input [1:0] done, input [9:0] s);
  case (done)
    DONE_TYPE2: begin
      s2_used = s2_used - 1;
      if (`MUT(62, 1'b1, s2_rd != 0)) tk2_n = tk2_n + 1;
    end
    DONE_LITE: if (`MUT(104, 1'b1, 1'b0)) begin
      free_list[free_n] = s;
      free_n = free_n + 1;
      push_token(s_qp[s], 1'b1);
    end
    DONE_TYPE3: x_frame_left = 1'b1;
    default: ;
  endcase
endtask

task automatic drive_mac_tx;
  reg first;
  reg last;
  reg paid;
  begin
    tx_shown = 1'b0;
    TX_WAIT_MAC_CRD_O <= (of_n > 0 || tx_wants) && mac_crd <= 0;
    TX_MAC_FREE_O <= (of_n == 0);
    if (of_n > 0) begin
      {first, last} = of_frame[of_rd];
      paid = !k_credit_pkt || first;
      if (!paid || `MUT(93, mac_crd > 0, mac_crd > 0 || !first)) begin
        TX2MAC_VLD_O <= 1'b1;
        tx_shown = 1'b1;
        TX2MAC_FS_O <= first;
        TX2MAC_FE_O <= last;
        TX2MAC_DATA_O <= of_data[of_rd];
        TX2MAC_DATA_BE_O <= of_be[of_rd];
        TX2MAC_VCID_O <= of_side[of_rd][8:6];
        TX2MAC_CBFC_VCID_O <= {{(VC_CH_N-1){1'b0}}, 1'b1} << `MUT(188, of_side[of_rd][8:6], 3'd0);
        TX2MAC_MAC_HDR_TYPE_O <= of_side[of_rd][5:4];
        TX2MAC_MULTICAST_EN_O <= of_side[of_rd][3];
        TX2MAC_VLAN_EN_O <= of_side[of_rd][2];
        if (paid) mac_crd = mac_crd - 1;
        if (last) frame_left(of_side[of_rd][1:0], of_slot[of_rd]);
        of_rd = (of_rd + 1) % OF_DEPTH;
        of_n = of_n - 1;
      end
    end
  end
endtask

task automatic drive_status;
  RCLINK_IDLE_O <= {free_n == TYPE1_OST_N && s2_used == 0 && of_n == 0 && !tx_shown && `MUT(131, merge_n == 0, 1'b1) && rq_n == 0
                    && x_state == X_IDLE && (!g_dma[0] || x_stopped || g_tx_head == g_tx_tail),
                    !rx_active && i1_n == 0 && i2_n == 0 && !m_busy && ak_n == 0 && i3_n == 0 && y_state == Y_IDLE
                    && !m_shown};
endtask
