// SPDX-License-Identifier: BSD-3-Clause
// s_axil_cmd: HCR, configuration, EQ blocks. A write is taken when address and data are both there.

reg c_ready;
reg c_bvalid;
reg c_arready;
reg c_rvalid;
reg [31:0] c_rdata;
reg [1:0] c_rresp;

reg [1:0] c_bresp;

assign s_axil_cmd_bresp = c_bresp;
assign s_axil_cmd_rresp = c_rresp;

reg [2:0] go_doorbells;                // doorbells taken before the command, not yet executed

// Register words are numbered by offset / 4.
task run_registers;
  begin
    if (c_bvalid && s_axil_cmd_bready) c_bvalid = 1'b0;
    if (c_ready) begin
      c_ready = 1'b0;
      c_bvalid = 1'b1;
      c_bresp = (takes(25) && hcr_go && s_axil_cmd_awaddr[11:2] < 10'h007) ? 2'b10 : 2'b00;
      if (`MUT(193, (&s_axil_cmd_wstrb), 1'b1)) write_register(s_axil_cmd_awaddr[11:2], s_axil_cmd_wdata);
    end else if (s_axil_cmd_awvalid && s_axil_cmd_wvalid && !c_bvalid) begin
      c_ready = 1'b1;
    end
    if (c_rvalid && s_axil_cmd_rready) c_rvalid = 1'b0;
    if (c_arready) begin
      c_arready = 1'b0;
      c_rvalid = 1'b1;
      c_rdata = register_value(s_axil_cmd_araddr[11:2]);
      c_rresp = `MUT(242, 2'b00, (s_axil_cmd_araddr[11:2] == 10'h007) ? 2'b10 : 2'b00);
    end else if (s_axil_cmd_arvalid && !c_rvalid) begin
      c_arready = 1'b1;
    end
  end
endtask

task write_register(input [9:0] word, input [31:0] value);
  begin
    if (word < 10'h007) begin
      if (`MUT(18, !hcr_go, !hcr_go || word == 10'h002)) write_hcr(word[2:0], value);
    end else if (word[9:8] == 2'b01) begin
      if (word[7:3] < NUM_EQ) write_eq(word[7:3], word[2:0], value);
    end else begin
      case (word)
        10'h00C: begin
          if (`MUT(195, !init_done, 1'b1)) stride_sel = value[2:1];
          if (value[0]) init_done = 1'b1;
        end
        10'h00D: begin
          async_eqn = value[7:0];
          async_en = value[31];
          scan_left = NCQ + 1;
        end
        10'h00E: if (!init_done) mtt_base[63:32] = value;
        10'h00F: if (`MUT(196, !init_done, 1'b1)) mtt_base[31:0] = value & ~32'd7;
        10'h010: if (TEST_HOOKS != 0) dbg_init_idx = value[23:0];
        default: ;
      endcase
    end
  end
endtask

task write_hcr(input [2:0] word, input [31:0] value);
  begin
    case (word)
      3'd0: hcr_in[63:32] = value;
      3'd1: hcr_in[31:0] = value;
      3'd2: hcr_mod = value;
      3'd3: hcr_out[63:32] = value;
      3'd4: hcr_out[31:0] = value;
      3'd5: hcr_token = value[31:16];
      default: begin
        hcr_e = value[22];
        hcr_t = value[21];
        hcr_opmod = value[15:12];
        hcr_opcode = value[11:0];
        if (value[23]) begin
          hcr_go = 1'b1;
          go_doorbells = `MUT(181, dq_n, 3'd0);
        end
      end
    endcase
  end
endtask

task write_eq(input [4:0] e, input [2:0] word, input [31:0] value);
  begin
    case (word)
      3'd0: begin
        if (!eq_valid[e]) begin
          eq_log[e] = value[12:8];
          eq_arm_init[e] = value[17:16];
        end
        if (value[0] != eq_valid[e]) begin
          if (value[0]) begin
            eq_pi[e] = 24'd0;
            eq_ci[e] = `MUT(198, 24'd0, eq_ci[e]);
            eq_ovf[e] = 1'b0;
            eq_st[e] = (eq_arm_init[e] == 2'd1) ? EQ_ARMED : (eq_arm_init[e] == 2'd2) ? EQ_ALWAYS : EQ_IDLE;
          end else begin
            eq_st[e] = EQ_IDLE;
          end
          irq_v[e] = 1'b0;
          irq_look = 1'b1;
          eq_valid[e] = value[0];
          if (ev_eqn == e) ev_eq_changed = 1'b1;
          scan_left = NCQ + 1;
        end
      end
      3'd1: if (!eq_valid[e]) eq_base[e][63:32] = value;
      3'd2: if (`MUT(197, !eq_valid[e], 1'b1)) eq_base[e][31:0] = value & ~32'd31;
      3'd5: if (value[8]) eq_ovf[e] = 1'b0;
      default: ;
    endcase
  end
endtask

function automatic [31:0] register_value(input [9:0] word);
  begin
    register_value = 32'd0;
    if (word[9:8] == 2'b01) begin
      if (word[7:3] < NUM_EQ) register_value = eq_value(word[7:3], word[2:0]);
    end else begin
      case (word)
        10'h000: register_value = hcr_in[63:32];
        10'h001: register_value = hcr_in[31:0];
        10'h002: register_value = hcr_mod;
        10'h003: register_value = hcr_out[63:32];
        10'h004: register_value = hcr_out[31:0];
        10'h005: register_value = {`MUT(199, hcr_token, {1'b0, hcr_token[14:0]}), 16'd0};
        10'h006: register_value = {hcr_status, hcr_go, hcr_e, hcr_t, 5'd0, hcr_opmod, hcr_opcode};
        10'h008: register_value = 32'h4843_5131;
        10'h009: begin
          register_value[4:0] = NUM_CQ_LOG;
          register_value[12:8] = k_max_log[4:0];
          register_value[21:16] = NUM_EQ;
          register_value[27:24] = NUM_UAR_LOG;
        end
        10'h00A: register_value = build_switches();
        10'h00B: register_value = {4'd0, k_clk_per_us[11:0], k_rsvd_cqs[15:0]};
        10'h00C: register_value = {29'd0, stride_sel, init_done};
        10'h00D: register_value = {async_en, 23'd0, async_eqn};
        10'h00E: register_value = mtt_base[63:32];
        10'h00F: register_value = mtt_base[31:0];
        10'h010: register_value = (TEST_HOOKS != 0) ? {8'd0, dbg_init_idx} : 32'd0;
        10'h011: register_value = {30'd0, `MUT(275, event_held(), 1'b0), is_idle()};
        10'h012: register_value = cnt_cpl;
        10'h013: register_value = cnt_cqe;
        10'h014: register_value = cnt_eqe;
        10'h015: register_value = cnt_ref;
        default: register_value = 32'd0;
      endcase
    end
  end
endfunction

function automatic [31:0] eq_value(input [4:0] e, input [2:0] word);
  case (word)
    3'd0: eq_value = {14'd0, eq_arm_init[e], 3'd0, eq_log[e], 7'd0, eq_valid[e]};
    3'd1: eq_value = eq_base[e][63:32];
    3'd2: eq_value = eq_base[e][31:0];
    3'd3: eq_value = {8'd0, eq_pi[e]};
    3'd4: eq_value = {8'd0, eq_ci[e]};
    3'd5: eq_value = {23'd0, eq_ovf[e], 4'd0, eq_st[e]};
    default: eq_value = 32'd0;
  endcase
endfunction

function automatic [31:0] build_switches();
  begin
    build_switches = 32'd0;
    build_switches[0] = (k_cap_mode != 0);
    build_switches[1] = (k_arm_rule != 0);
    build_switches[2] = (k_sn_mode != 0);
    build_switches[3] = (k_init_by_fw != 0);
    build_switches[6:5] = k_create_st[1:0];
    build_switches[7] = (k_rsvd_mode != 0);
    build_switches[9:8] = k_bad_uar[1:0];
    build_switches[10] = (k_armn_passed != 0);
    build_switches[11] = (k_sol_breaks != 0);
    build_switches[12] = (k_rsz_event != 0);
    build_switches[13] = (k_eq_full != 0);
    build_switches[14] = (k_cc_owner != 0);
    build_switches[15] = (k_cc_cap != 0);
    build_switches[16] = (k_dbrec_arm != 0);
    build_switches[17] = (k_has_sts != 0);
    build_switches[18] = (TEST_HOOKS != 0);
  end
endfunction

// The two flags of STAT are worked out when they are read, so that nothing has to be counted.
function automatic is_idle();
  integer q;
  begin
    is_idle = !hcr_go && dq_n == 0 && !rep_valid && sts_wait == 0 && es == E_IDLE && !mx_busy
        && !pend_uar && !pend_overflow && `MUT(189, 1'b1, cnt_ref == 32'd0);
    /* verilator unroll_disable */
    for (q = 0; q < NCQ; q = q + 1) if (cq_pend_event[q] || cq_pend_error[q]) is_idle = 1'b0;
  end
endfunction

function automatic event_held();
  integer q;
  reg async_full;
  begin
    async_full = async_en && async_eqn < NUM_EQ && eq_is_full(async_eqn);
    event_held = (pend_uar || pend_overflow) && async_full;
    /* verilator unroll_disable */
    for (q = 0; q < NCQ; q = q + 1) begin
      if (cq_pend_event[q] && cq_eqn[q] < NUM_EQ && eq_is_full(cq_eqn[q])) event_held = 1'b1;
      if (cq_pend_error[q] && async_full) event_held = 1'b1;
    end
  end
endfunction

function automatic eq_is_full(input [4:0] e);
  eq_is_full = eq_valid[e] && (eq_pi[e] - eq_ci[e]) == size_of(eq_log[e]) + `MUT(161, 24'd0, 24'd1);
endfunction
