// SPDX-License-Identifier: BSD-3-Clause
// Reset of everything, and the soft resets of TYPE1, TYPE2 and the TYPE3 receive FIFO.

`ifdef MUTATION
reg [15:0] kept_intr;               // interrupt status before the reset, for fault 227
`endif

task automatic reset_type1;
  integer i;
  begin
    /* verilator unroll_disable */
    for (i = 0; i < QP_NUM; i = i + 1) begin
      q_head[i] = NIL;
      q_tail[i] = NIL;
      q_send[i] = NIL;
      q_out[i] = 10'd0;
      q_fatal[i] = 1'b0;
      q_rnr_wait[i] = 1'b0;
      q_timing[i] = 1'b0;
      q_freeing[i] = 1'b0;
      q_relink[i] = 1'b0;
      q_nak_sent[i] = 1'b0;
      q_rnr_sent[i] = 1'b0;
      q_queued[i] = 4'd0;
    end
    merge = {QP_NUM{1'b0}};
    merge_n = 0;
    /* verilator unroll_disable */
    for (i = 0; i < TYPE1_OST_N; i = i + 1) begin
      s_linked[i] = 1'b0;
      free_list[i] = i[9:0];
    end
    free_n = TYPE1_OST_N;
    linked_n = 0;
    /* verilator unroll_disable */
    for (i = 0; i < 4; i = i + 1) begin
      b_head[i] = NIL;
      b_tail[i] = NIL;
      r1_level[i] = 0;
    end
    /* verilator unroll_disable */
    for (i = 0; i < OF_DEPTH; i = i + 1) if (of_side[i][1:0] == DONE_LITE) of_side[i][1:0] = DONE_NOTHING;
    rl_n = 0;
    tk_n = 0;
    fb_n = 0;
    rq_n = 0;
    ak_n = 0;
    ak_busy = 1'b0;
    walk_offer = 1'b0;
    bank_valid = 1'b0;
    if (rx_class == C_TYPE1) rx_active = 1'b0;
    i1_n = 0;
    if (!m_type2) m_busy = 1'b0;
    r1_used = 0;
    r1_wr = r1_rd;
    if (in_type == 2'd0) in_packet = 1'b0;
  end
endtask

task automatic reset_type2;
  integer i;
  begin
    /* verilator unroll_disable */
    for (i = 0; i < OF_DEPTH; i = i + 1) if (of_side[i][1:0] == DONE_TYPE2) of_side[i][1:0] = DONE_NOTHING;
    s2_wr = 0;
    s2_rd = 0;
    s2_used = 0;
    s2_wait = 0;
    tk2_n = 0;
    if (rx_class == C_TYPE2) rx_active = 1'b0;
    i2_n = 0;
    if (m_type2) m_busy = 1'b0;
    r2_level = 0;
    r2_wr = r2_rd;
    if (in_type == 2'd3) in_packet = 1'b0;
  end
endtask

task automatic reset_rx_fifo;
  begin
    if (rx_class == C_TYPE3) rx_active = 1'b0;
    i3_n = 0;
    r3_level = 0;
    r3_wr = r3_rd;
  end
endtask

task automatic reset_registers;
  integer i;
  begin
    g_enable = 64'd0;
    g_thr_rdma = 64'd0;
    g_mac = 64'd0;
    g_thr_non = 64'd0;
    g_ip = 64'd0;
    g_vlan = 64'd0;
    g_retry = 64'd0;
    g_intr = `MUT(227, 16'd0, kept_intr);
    g_ip2 = 64'd0;
    g_mac2 = 64'd0;
    g_udp2 = 64'd0;
    g_afh = 64'd0;
    /* verilator unroll_disable */
    for (i = 0; i < 8; i = i + 1) g_group_da[i] = 48'd0;
    g_tc = 64'd0;
    g_misc = 64'd0;
    g_qp = 32'd0;
    g_tx_head = 12'd0;
    g_rx_head = 12'd0;
    g_tx_tail = 12'd0;
    g_rx_tail = 12'd0;
    g_tx_ba = 64'd0;
    g_rx_ba = 64'd0;
    g_tx_size = 12'd0;
    g_rx_size = 12'd0;
    g_dma = 32'h8001_0000;
    g_st0 = 5'd0;
    g_st1 = 11'd0;
    g_mask = 5'd0;
    g_tail_up = 32'd0;
    /* verilator unroll_disable */
    for (i = 0; i < QP_NUM; i = i + 1) begin
      q_dest[i] = 56'd0;
      q_dmac[i] = 48'd0;
      q_udp[i] = 24'd0;
      q_rkey[i] = 8'd0;
      q_en[i] = 1'b0;
      q_e_rsp[i] = 12'd0;
      q_tx_last[i] = 12'd0;
      q_tx_max[i] = 12'd0;
      q_tx_psn[i] = 12'd0;
      q_rx_epsn[i] = 12'd0;
      q_ack_epsn[i] = 12'd0;
      q_speed[i] = 22'd0;
      q_acc[i] = 24'd0;
      q_mask[i] = 1'b1;
      q_retry[i] = 4'd0;
      q_rnr[i] = 4'd0;
      q_cc_locked[i] = 1'b0;
      q_bytes[i] = 32'd0;
      q_ts[i] = 16'd0;
    end
  end
endtask

task automatic reset_type3;
  begin
    x_state = X_IDLE;
    x_abort = 1'b0;
    x_stopped = 1'b0;
    x_cached = 1'b0;
    x_after_sop = 1'b0;
    x_after_eop = 1'b0;
    x_lines = 0;
    x_missing = 0;
    x_md_id = 6'd0;
    x_id = 7'd0;
    x_frame_left = 1'b0;
    y_state = Y_IDLE;
    y_abort = 1'b0;
    y_cached = 1'b0;
    y_starving = 1'b0;
    y_beats = 0;
    y_open = 0;
    y_md_id = 6'd0;
    y_id = 7'd0;
    r3_rd = 0;
    i3_rd = 0;
    t3_rx_stopped = 1'b0;
    md_ar_v = 1'b0;
    md_aw_v = 1'b0;
    md_w_v = 1'b0;
    md_open = 0;
    md_back_open = 1'b0;
    da_ar_v = 1'b0;
    da_aw_v = 1'b0;
    da_w_v = 1'b0;
    t3_rests = 1'b0;
    reset_rx_fifo;
  end
endtask

task automatic reset_state;
  integer i;
  begin
`ifdef MUTATION
    kept_intr = (now != 32'd0) ? g_intr : 16'd0;
`endif
    now = 32'd0;
    ts = 16'd0;
    ts_left = TS_TICK;
    age = 32'd0;
    of_rd = 0;
    of_n = 0;
    mac_crd = MAC_TX_CRD_INIT;
    mc_credit = TYPE2_CRD_RST_NUM;
    tx_wants = 1'b0;
    beat_bytes = 64;
    irq_rd = 0;
    irq_n = 0;
    cc_rd = 0;
    cc_n = 0;
    tk_rd = 0;
    rq_rd = 0;
    ak_rd = 0;
    fb_rd = 0;
    i1_rd = 0;
    i2_rd = 0;
    r1_rd = 0;
    r2_rd = 0;
    rx_active = 1'b0;
    rx_class = C_DROP;
    rx_len = 0;
    rx_stored = 0;
    in_packet = 1'b0;
    in_type = 2'd1;
    m_busy = 1'b0;
    m_type2 = 1'b0;
    m_last_type2 = 1'b0;
    m_shown = 1'b0;
    tx_shown = 1'b0;
    aw_got = 1'b0;
    w_got = 1'b0;
    ar_got = 1'b0;
    cfg_busy = 1'b1;
    win_clocks = takes(8) ? 32'd1500 : 32'd0;
    sweeping = 1'b0;
    sweep_qp = {QP_AW{1'b0}};
    t2_speed = 22'd0;
    t2_acc = 24'd0;
    nocnp_clocks = 32'd0;
    nocnp_due = 1'b0;
    nocnp_active = 1'b0;
    nocnp_qp = {QP_AW{1'b0}};
    filter_count = 32'd0;
    /* verilator unroll_disable */
    for (i = 0; i < FILTER_N; i = i + 1) filter_used[i] = 1'b0;
    congested = 7'd0;
    timer_qp = {QP_AW{1'b0}};
    walk_qp = takes(9) ? QP_NUM / 2 : 0;
    rr_last = 2'd2;
    rr_resp_last = 1'b0;
    bank_last = 2'd0;
    reset_registers;
    reset_credit;
    reset_type1;
    reset_type2;
    reset_type3;
  end
endtask

// Outputs that are 1 for one clock: the units below only set them.
wire pulsing = TX_S_CRD_O != 4'd0 || CC_TYPE1_QP_EN_SET_O || CC_TYPE1_QP_EN_CLR_O || RECV_CNP_VLD_O || RECV_ACK_VLD_O
               || RETRY_TMO_VLD_O || NOCNP_TIMER_VLD_O || IRQ_VLD_O || TX2MAC_VLD_O;

task automatic clear_pulses;
  begin
    TX_S_CRD_O <= 4'd0;
    TX_S_CRD_QPID_VLD_O <= 1'b0;
    CC_TYPE1_QP_EN_SET_O <= 1'b0;
    CC_TYPE1_QP_EN_CLR_O <= 1'b0;
    RECV_CNP_VLD_O <= 1'b0;
    RECV_ACK_VLD_O <= 1'b0;
    RETRY_TMO_VLD_O <= 1'b0;
    NOCNP_TIMER_VLD_O <= 1'b0;
    IRQ_VLD_O <= 1'b0;
    TX2MAC_VLD_O <= 1'b0;
  end
endtask

// Every output of a device in reset.
task automatic idle_outputs;
  begin
    CFG_S_AXI_AWREADY_O <= 1'b0;
    CFG_S_AXI_WREADY_O <= 1'b0;
    CFG_S_AXI_BRESP_O <= 2'b00;
    CFG_S_AXI_BVALID_O <= 1'b0;
    CFG_S_AXI_ARREADY_O <= 1'b0;
    CFG_S_AXI_RDATA_O <= 64'd0;
    CFG_S_AXI_RRESP_O <= 2'b00;
    CFG_S_AXI_RVALID_O <= 1'b0;
    TX_WAIT_MAC_CRD_O <= 1'b0;
    TX_MAC_FREE_O <= 1'b1;
    TX_S_CRD_O <= 4'd0;
    TX_S_CRD_QPID_O <= {QP_AW{1'b0}};
    TX_S_CRD_QPID_VLD_O <= 1'b0;
    TYPE1_2_RX_M_VLD_O <= 1'b0;
    TYPE1_2_RX_M_FS_O <= 1'b0;
    TYPE1_2_RX_M_FE_O <= 1'b0;
    TYPE1_2_RX_M_DAT_O <= {DW{1'b0}};
    TYPE1_2_RX_M_KEEP_O <= {(DW/8){1'b0}};
    TYPE1_2_RX_M_QPID_O <= {QP_AW{1'b0}};
    TYPE1_2_RX_M_ETYPE_O <= 2'd0;
    TYPE1_2_RX_M_LEN_O <= 13'd0;
    TYPE1_2_RX_M_SA_O <= 10'd0;
    NONR_MD_AXI_ARVALID_O <= 1'b0;
    NONR_MD_AXI_ARADDR_O <= 64'd0;
    NONR_MD_AXI_ARLEN_O <= 8'd0;
    NONR_MD_AXI_ARSIZE_O <= 3'd4;
    NONR_MD_AXI_ARBURST_O <= 2'd1;
    NONR_MD_AXI_ARID_O <= {NONR_MD_ID_W{1'b0}};
    NONR_MD_AXI_RREADY_O <= 1'b0;
    NONR_MD_AXI_AWVALID_O <= 1'b0;
    NONR_MD_AXI_AWADDR_O <= 64'd0;
    NONR_MD_AXI_AWLEN_O <= 8'd0;
    NONR_MD_AXI_AWSIZE_O <= 3'd4;
    NONR_MD_AXI_AWBURST_O <= 2'd1;
    NONR_MD_AXI_AWID_O <= {NONR_MD_ID_W{1'b0}};
    NONR_MD_AXI_WVALID_O <= 1'b0;
    NONR_MD_AXI_WDATA_O <= 256'd0;
    NONR_MD_AXI_WSTRB_O <= 32'd0;
    NONR_MD_AXI_WLAST_O <= 1'b1;
    NONR_MD_AXI_BREADY_O <= 1'b0;
    NONR_MD_AXI_BUSY_O <= 1'b0;
    NONR_DATA_AXI_ARVALID_O <= 1'b0;
    NONR_DATA_AXI_ARADDR_O <= 64'd0;
    NONR_DATA_AXI_ARLEN_O <= 8'd0;
    NONR_DATA_AXI_ARSIZE_O <= 3'd6;
    NONR_DATA_AXI_ARBURST_O <= 2'd1;
    NONR_DATA_AXI_ARID_O <= {NONR_DAT_ID_W{1'b0}};
    NONR_DATA_AXI_RREADY_O <= 1'b0;
    NONR_DATA_AXI_AWVALID_O <= 1'b0;
    NONR_DATA_AXI_AWADDR_O <= 64'd0;
    NONR_DATA_AXI_AWLEN_O <= 8'd0;
    NONR_DATA_AXI_AWSIZE_O <= 3'd6;
    NONR_DATA_AXI_AWBURST_O <= 2'd1;
    NONR_DATA_AXI_AWID_O <= {NONR_DAT_ID_W{1'b0}};
    NONR_DATA_AXI_WVALID_O <= 1'b0;
    NONR_DATA_AXI_WDATA_O <= 512'd0;
    NONR_DATA_AXI_WSTRB_O <= 64'd0;
    NONR_DATA_AXI_WLAST_O <= 1'b0;
    NONR_DATA_AXI_BREADY_O <= 1'b0;
    TX2MAC_DATA_O <= {MAC_DW{1'b0}};
    TX2MAC_DATA_BE_O <= {MAC_BE{1'b0}};
    TX2MAC_VLD_O <= 1'b0;
    TX2MAC_FS_O <= 1'b0;
    TX2MAC_FE_O <= 1'b0;
    TX2MAC_VCID_O <= 3'd0;
    TX2MAC_CBFC_VCID_O <= {VC_CH_N{1'b0}};
    TX2MAC_MAC_HDR_TYPE_O <= 2'd0;
    TX2MAC_MULTICAST_EN_O <= 1'b0;
    TX2MAC_VLAN_EN_O <= 1'b0;
    RX2MAC_RDY_O <= 1'b0;
    TX_PFC_REQ_O <= 8'd0;
    CC_TYPE1_QP_EN_SET_O <= 1'b0;
    CC_TYPE1_QP_EN_CLR_O <= 1'b0;
    CC_TYPE1_QP_ID_O <= {QP_AW{1'b0}};
    RECV_CNP_VLD_O <= 1'b0;
    RECV_CNP_QPID_O <= {QP_AW{1'b0}};
    RECV_ACK_VLD_O <= 1'b0;
    RECV_ACK_QPID_O <= {QP_AW{1'b0}};
    RECV_ACK_RTT_O <= 32'd0;
    RECV_NAK_FLG_O <= 1'b0;
    RECV_NUM_ACKED_O <= 10'd0;
    RETRY_TMO_VLD_O <= 1'b0;
    RETRY_TMO_QPID_O <= {QP_AW{1'b0}};
    NOCNP_TIMER_VLD_O <= 1'b0;
    NOCNP_TIMER_QPID_O <= {QP_AW{1'b0}};
    NOCNP_TIMER_BYTE_CNT_O <= 32'd0;
    IRQ_VLD_O <= 1'b0;
    IRQ_INFO_O <= 64'd0;
    RC_INTR_O <= 16'd0;
    NONR_INTR_O <= 1'b0;
    NONR_FAULT_INTR_O <= 1'b0;
    DFX_TYPE1_OST_FREE_LVL_O <= TYPE1_OST_N;
    DFX_CBFC_CF_O <= 112'd0;
    RCLINK_IDLE_O <= 2'b11;
  end
endtask
