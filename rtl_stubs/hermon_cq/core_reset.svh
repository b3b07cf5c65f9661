// SPDX-License-Identifier: BSD-3-Clause
// Reset, and the one place where ports are driven.

`ifdef MUTATION
reg was_reset = 1'b0;                  // not the first reset, for one fault
`endif

task reset_state;
  integer i;
  begin
    /* verilator unroll_disable */
    for (i = 0; i < NCQ; i = i + 1) begin
      cq_hw[i] = `MUT(172, 1'b0, cq_hw[i] === 1'b1);
      cq_pi[i] = 24'd0;
      cq_status[i] = 4'h0;
      cq_arm[i] = ARM_NONE;
      cq_arm_ci[i] = 24'd0;
      cq_sn_done[i] = 2'd0;
      cq_fired[i] = 1'b0;
      cq_waiting[i] = 1'b0;
      cq_pend_event[i] = 1'b0;
      cq_pend_error[i] = 1'b0;
      tlb_valid[i] = 1'b0;
    end
    /* verilator unroll_disable */
    for (i = 0; i < NUM_EQ; i = i + 1) begin
      eq_valid[i] = 1'b0;
      eq_log[i] = 5'd0;
      eq_arm_init[i] = 2'd0;
      eq_base[i] = 64'd0;
      eq_pi[i] = 24'd0;
      eq_ci[i] = 24'd0;
      eq_st[i] = EQ_IDLE;
      eq_ovf[i] = 1'b0;
    end
    /* verilator unroll_disable */
    for (i = 0; i < NPAGE; i = i + 1) half_valid[i] = 1'b0;
    irq_v = {NUM_EQ{1'b0}};
    irq_look = 1'b1;
    irq_now = `MUT(173, {NUM_EQ{1'b0}}, (^irq_now === 1'bx) ? {NUM_EQ{1'b0}} : irq_now);
    pend_uar = 1'b0;
    pend_overflow = 1'b0;
    async_en = 1'b0;
    async_eqn = 8'd0;
    init_done = 1'b0;
    stride_sel = (k_stride == 64) ? 2'd1 : (k_stride == 128) ? 2'd2 : (k_stride == 256) ? 2'd3 : 2'd0;
    mtt_base = 64'd0;
    dbg_init_idx = `MUT(241, 24'd0, was_reset ? dbg_init_idx : 24'd0);
    hcr_in = 64'd0;
    hcr_mod = 32'd0;
    hcr_out = 64'd0;
    hcr_token = 16'd0;
    hcr_status = 8'd0;
    hcr_go = 1'b0;
    hcr_e = 1'b0;
    hcr_t = 1'b0;
    hcr_opmod = 4'd0;
    hcr_opcode = 12'd0;
    cnt_cpl = 32'd0;
    cnt_cqe = 32'd0;
    cnt_eqe = 32'd0;
    cnt_ref = 32'd0;
    now_us = 32'd0;
    us_clks = 0;
    lfsr = 16'hACE1;
    c_ready = 1'b0;
    c_bvalid = 1'b0;
    c_bresp = 2'b00;
    c_arready = 1'b0;
    c_rvalid = 1'b0;
    c_rdata = 32'd0;
    c_rresp = 2'b00;
    u_ready = 1'b0;
    u_bvalid = 1'b0;
    u_arready = 1'b0;
    u_rvalid = 1'b0;
    dq_n = 3'd0;
    dq_head = 2'd0;
    go_doorbells = 3'd0;
    rep_valid = 1'b0;
    rep_body = 256'd0;
    rep_solicited = 1'b0;
    sts_v = 1'b0;
    sts_wait = 0;
    sts_data = 64'd0;
    mx_busy = 1'b0;
    mx_done = 1'b0;
    mx_write = 1'b0;
    mx_bytes = 7'd8;
    mx_addr = 64'd0;
    mx_data = 512'd0;
    mx_beats = 4'd1;
    mx_beat = 4'd0;
    mx_gap = 0;
    ar_v = 1'b0;
    aw_v = 1'b0;
    w_v = 1'b0;
    aw_taken = 1'b0;
    w_taken = 1'b0;
    es = E_IDLE;
    last_served = 2'd0;
    tr_ahead = 1'b0;
    in_command = 1'b0;
    ev_eqn = 5'd0;
    rq_v = 1'b0;
    ck_v = 1'b0;
    sc_at = 0;
    sc_found = 1'b0;
    scan_left = 0;
`ifdef MUTATION
    b_owed = 1'b0;
    ev_owner_first = 1'b0;
    rep_late = 1'b0;
    dq_age = 0;
    was_reset = 1'b1;
`endif
  end
endtask

task drive_outputs;
  begin
    drive_memory;
    s_axil_cmd_awready <= c_ready;
    s_axil_cmd_wready <= c_ready;
    s_axil_cmd_bvalid <= c_bvalid;
    s_axil_cmd_arready <= c_arready;
    s_axil_cmd_rdata <= c_rdata;
    s_axil_cmd_rvalid <= c_rvalid;
    s_axil_uar_awready <= u_ready;
    s_axil_uar_wready <= u_ready;
    s_axil_uar_bvalid <= u_bvalid;
    s_axil_uar_arready <= u_arready;
    s_axil_uar_rvalid <= u_rvalid;
    s_axis_cpl_tready <= rst_n && (!rep_valid || `MUT(168, 1'b0, es == E_REP_CQE));
    m_axis_sts_tvalid <= sts_v;
    m_axis_sts_tdata <= sts_data;
    irq <= irq_now;
  end
endtask
