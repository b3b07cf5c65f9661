// SPDX-License-Identifier: BSD-3-Clause
// TX_S: packets of the client into the slots of TYPE1 and TYPE2; tokens back.

localparam [1:0] STORED = 2'd0;
localparam [1:0] NO_SLOT = 2'd1;
localparam [1:0] QP_DISABLED = 2'd2;
localparam [1:0] RESERVED_TYPE = 2'd3;

reg in_packet;
reg [1:0] in_fate;
reg [1:0] in_type;
reg [QP_AW-1:0] in_qp;
reg in_fack;
reg [2:0] in_group;
reg [9:0] in_slot;
integer in_len;
integer in_beat;

// The first n bytes of a word, zeros behind.
function automatic [511:0] first_bytes(input [511:0] word, input integer n);
  first_bytes = (n >= 64) ? word : (n <= 0) ? 512'd0 : word & ({512{1'b1}} << (512 - 8*n));
endfunction

task automatic start_packet;
  begin
    in_packet = 1'b1;
    in_type = TX_S_ETYPE_I;
    in_qp = TX_S_QPID_I;
    in_fack = TX_S_FACK_I;
    in_group = TX_S_TYPE2_GROUP_INDEX_I;
    in_len = 0;
    in_beat = 0;
    in_fate = STORED;
    if (in_type == 2'd0) begin
      if (free_n == `MUT(61, 0, 1)) in_fate = NO_SLOT;
      else if (!q_en[in_qp]) in_fate = QP_DISABLED;
      else begin
        free_n = free_n - 1;
        in_slot = free_list[free_n];
      end
    end else if (in_type == 2'd3) begin
      if (s2_used == TYPE2_OST_N) in_fate = NO_SLOT;
      else in_slot = s2_wr;
    end else in_fate = RESERVED_TYPE;
  end
endtask

task automatic store_type1;
  reg [QP_AW-1:0] q;
  begin
    q = in_qp;
    s_qp[in_slot] = q;
    s_psn[in_slot] = q_tx_psn[q];
    s_age[in_slot] = age;
    s_len[in_slot] = in_len[12:0];
    s_fack[in_slot] = in_fack;
    s_sent[in_slot] = 1'b0;
    s_follow[in_slot] = NIL;
    s_linked[in_slot] = 1'b0;
    age = age + 1;
    if (format(1'b0) != LITE)
      q_tx_psn[q] = `MUT(37, q_tx_psn[q] + 12'd1, (q_tx_psn[q] == 12'hFFF) ? 12'd1 : q_tx_psn[q] + 12'd1);
    `MUT_IF(215, in_fack && format(1'b0) != LITE, q_tx_psn[q] = q_tx_psn[q] + 12'd1;)
    if (q_head[q] == NIL) q_head[q] = in_slot;
    else s_follow[q_tail[q]] = in_slot;
    q_tail[q] = in_slot;
    if (q_send[q] == NIL) q_send[q] = in_slot;
    if (!blocked(q)) link_slot(in_slot, 1'b1);
  end
endtask

task automatic finish_type1;
  case (in_fate)
    NO_SLOT: begin
      irq_type1(5'd3, in_qp);
      g_intr[1] = 1'b1;
      `MUT_DO(122, push_token(in_qp, 1'b0);)
    end
    QP_DISABLED: begin
      irq_type1(5'd4, in_qp);
      g_intr[14] = 1'b1;
      push_token(in_qp, `MUT(124, 1'b0, 1'b1));
    end
    default:
      if (in_len > `MUT(142, TYPE1_PKT_LEN, TYPE1_PKT_LEN + 1)) begin
        irq_type1(`MUT(143, 5'd1, 5'd3), in_qp);
        g_intr[0] = 1'b1;
        free_list[free_n] = in_slot;
        free_n = free_n + 1;
        if (`MUT(123, 1'b1, 1'b0)) push_token(in_qp, 1'b0);
        `MUT_DO(125, q_tx_psn[in_qp] = q_tx_psn[in_qp] + 12'd1;)
      end else store_type1;
  endcase
endtask

task automatic finish_type2;
  begin
    if (in_fate == NO_SLOT) begin
      irq_type2(5'd1, 3'd0);
      g_intr[9] = 1'b1;
    end else if (in_len > TYPE2_PKT_LEN) begin
      irq_type2(5'd1, 3'd0);
      g_intr[`MUT(144, 6, 9)] = 1'b1;
      tk2_n = tk2_n + 1;
    end else begin
      s2_len[s2_wr] = in_len[12:0];
      s2_group[s2_wr] = `MUT(9, in_group, {1'b0, in_group[1:0]});
      s2_wr = (s2_wr + 1) % TYPE2_OST_N;
      s2_used = s2_used + 1;
      s2_wait = s2_wait + 1;
    end
  end
endtask

// A beat on TX_S.
task automatic take_tx_s;
  integer n;
  reg [511:0] word;
  begin
    if (TX_S_FS_I) start_packet;
    if (in_packet) begin
      n = $countones(TX_S_KEEP_I);
      word = first_bytes(TX_S_DAT_I, `MUT(23, n, (n == 63) ? 62 : n));
      if (in_fate == STORED) begin
        if (in_type == 2'd0 && in_beat < S1_WORDS) s_mem[in_slot*S1_WORDS + in_beat] = word;
        if (in_type == 2'd3 && in_beat < S2_WORDS) s2_mem[in_slot*S2_WORDS + in_beat] = word;
      end
      in_len = in_len + n;
      in_beat = in_beat + 1;
      if (TX_S_FE_I) begin
        in_packet = 1'b0;
        if (in_type == 2'd0 && !g_enable[8]) finish_type1;
        if (in_type == 2'd3 && !g_enable[9]) finish_type2;
      end
    end
  end
endtask

task automatic drive_tokens;
  begin
    if (tk_n > 0) begin
      TX_S_CRD_O[0] <= 1'b1;
      TX_S_CRD_QPID_VLD_O <= tk_mem[tk_rd][QP_AW];
      TX_S_CRD_QPID_O <= tk_mem[tk_rd][QP_AW-1:0];
      tk_rd = (tk_rd + 1) % TK_DEPTH;
      tk_n = tk_n - 1;
    end
    if (tk2_n > 0) begin
      TX_S_CRD_O[3] <= 1'b1;
      tk2_n = tk2_n - 1;
    end
    DFX_TYPE1_OST_FREE_LVL_O <= free_n[9:0];
  end
endtask
