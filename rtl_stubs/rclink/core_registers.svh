// SPDX-License-Identifier: BSD-3-Clause
// AXI4-Lite slave and register file. Bits without a field read 0; other addresses read 0 and ignore writes.

localparam [63:0] AFH_FIELDS = ~(64'd1 << 35);

reg aw_got;
reg w_got;
reg [15:0] aw_addr;
reg [63:0] w_data;
reg [7:0] w_strb;
reg ar_got;
reg [15:0] ar_addr;
reg cfg_busy;                      // not at rest
wire cfg_comes = CFG_S_AXI_AWVALID_I || CFG_S_AXI_WVALID_I || CFG_S_AXI_ARVALID_I;

reg [QP_AW-1:0] fb_mem [0:QP_NUM-1];   // QPs whose slots are to be freed
integer fb_rd;
integer fb_n;

function automatic qp_selected(input dummy);
  qp_selected = (g_qp < QP_NUM);
endfunction

function automatic [QP_AW-1:0] qp_index(input dummy);
  qp_index = `MUT(130, g_qp[QP_AW-1:0], g_qp[QP_AW-1:0] & {{(QP_AW-3){1'b0}}, 3'b111});
endfunction

function automatic [63:0] read_register(input [15:0] a);
  begin
    case (a)
      16'h0000: read_register = g_enable;
      16'h0008: read_register = {g_thr_rdma[63:51], (fb_n > 0), g_thr_rdma[49:0]};
      16'h0010: read_register = g_mac;
      16'h0018: read_register = g_thr_non;
      16'h0020: read_register = `MUT(225, g_ip, {1'b0, g_ip[62:56], 1'b0, g_ip[54:0]});
      16'h0028: read_register = g_vlan;
      16'h0040: read_register = g_retry;
      16'h00A0: read_register = {48'd0, g_intr};
      16'h0110: read_register = g_ip2;
      16'h0118: read_register = g_mac2;
      16'h0120: read_register = g_udp2;
      16'h0160: read_register = g_afh;
      16'h0168, 16'h0170, 16'h0178, 16'h0180, 16'h0188, 16'h0190, 16'h0198, 16'h01A0:
        read_register = {16'd0, g_group_da[(a[5:3] + 3'd3) & 3'd7]};
      16'h0220: read_register = g_tc;
      16'h0228: read_register = g_misc;
      16'h1000: read_register = {52'd0, g_tx_head};
      16'h1020: read_register = {52'd0, g_rx_head};
      16'h1040: read_register = {52'd0, g_tx_tail};
      16'h1060: read_register = {52'd0, g_rx_tail};
      16'h1080: read_register = g_tx_ba;
      16'h10C0: read_register = g_rx_ba;
      16'h1100: read_register = {52'd0, g_tx_size};
      16'h1120: read_register = {52'd0, g_rx_size};
      16'h1140: read_register = {32'd0, g_dma};
      16'h1150: read_register = {59'd0, g_st0};
      16'h1170: read_register = {53'd0, g_st1};
      16'h1178: read_register = {59'd0, g_mask};
      16'h1190: read_register = {32'd0, g_tail_up};
      16'h2088: read_register = {32'd0, g_qp};
      default: read_register = 64'd0;
    endcase
  end
endfunction

// Register of the selected QP.
function automatic [63:0] read_qp_register(input [15:0] a);
  reg [QP_AW-1:0] q;
  begin
    q = qp_index(1'b0);
    case (a)
      16'h2008: read_qp_register = {8'd0, q_dest[q]};
      16'h2010: read_qp_register = {16'd0, q_dmac[q]};
      16'h2018: read_qp_register = {40'd0, q_udp[q]};
      16'h2028: read_qp_register = {48'd0, q_freeing[q], 14'd0, q_en[q]};
      16'h2030: read_qp_register = {52'd0, q_e_rsp[q]};
      16'h2038: read_qp_register = {52'd0, q_tx_last[q]};
      16'h2040: read_qp_register = {52'd0, q_ack_epsn[q]};
      16'h2048: read_qp_register = {42'd0, q_speed[q]};
      16'h2050: read_qp_register = {40'd0, q_acc[q]};
      16'h2058: read_qp_register = {52'd0, q_tx_psn[q]};
      16'h2060: read_qp_register = {56'd0, q_rnr[q], q_retry[q]};
      16'h2070: read_qp_register = {56'd0, q_rkey[q]};
      16'h2078: read_qp_register = {52'd0, q_rx_epsn[q]};
      16'h2080: read_qp_register = {52'd0, q_tx_max[q]};
      default: read_qp_register = 64'd0;
    endcase
  end
endfunction

// Whether an address lies in the window of per-QP registers.
function automatic in_window(input [15:0] a);
  in_window = (a >= 16'h2008 && a <= 16'h2080);
endfunction

task automatic enable_qp(input [QP_AW-1:0] q, input on);
  begin
    if (on && !q_en[q]) begin
      q_fatal[q] = 1'b0;
      q_rnr_wait[q] = 1'b0;
      q_cc_locked[q] = 1'b0;
      q_nak_sent[q] = 1'b0;
      q_rnr_sent[q] = 1'b0;
      relink(q, 1'b1);
    end
    q_en[q] = on;
  end
endtask

task automatic write_qp_register(input [15:0] a, input [63:0] v);
  reg [QP_AW-1:0] q;
  begin
    q = qp_index(1'b0);
    case (a)
      16'h2008: q_dest[q] = v[55:0];
      16'h2010: q_dmac[q] = `MUT(8, v[47:0], {6'd0, v[41:0]});
      16'h2018: q_udp[q] = v[23:0];
      16'h2028: begin
        enable_qp(q, v[0]);
        if (v[15] && !q_freeing[q]) begin
          q_freeing[q] = 1'b1;
          fb_mem[(fb_rd + fb_n) % QP_NUM] = q;
          fb_n = fb_n + 1;
        end
      end
      16'h2030: q_e_rsp[q] = v[11:0];
      16'h2038: q_tx_last[q] = v[11:0];
      16'h2040: q_ack_epsn[q] = v[11:0];
      16'h2048: begin
        q_speed[q] = v[21:0];
        if (v[21:0] == 22'd0 && !q_en[q]) q_cc_locked[q] = 1'b1;
        rate_judge(q);
      end
      16'h2050: begin
        q_acc[q] = v[23:0];
        rate_judge(q);
      end
      16'h2058: q_tx_psn[q] = v[11:0];
      16'h2060: begin
        q_retry[q] = v[3:0];
        q_rnr[q] = v[7:4];
      end
      16'h2070: q_rkey[q] = v[7:0];
      16'h2078: q_rx_epsn[q] = v[11:0];
      16'h2080: q_tx_max[q] = v[11:0];
      default: ;
    endcase
  end
endtask

// d are the bits to write, m the bits whose byte is strobed, old is what the register reads now.
task automatic write_register(input [15:0] a, input [63:0] d, input [63:0] m, input [63:0] old);
  reg [63:0] v;
  begin
    v = (old & ~m) | (d & m);
    case (a)
      16'h0000: begin
        if (v[8] && !g_enable[8]) reset_type1;
        if (v[9] && !g_enable[9]) reset_type2;
        g_enable = v & 64'h303;
      end
      16'h0008: g_thr_rdma = v & 64'h0003_FFFF_FFFF_FFFF;
      16'h0010: g_mac = v;
      16'h0018: g_thr_non = v;
      16'h0020: g_ip = v & 64'h00FF_FFFF_FFFF_FFFF;
      16'h0028: g_vlan = v & `MUT(2, 64'hFFFF_FFFF_FFFF_FFF3, 64'hFFFF_FFFF_FFFF_FFF1);
      16'h0040: g_retry = v & 64'h3FF_FFFF;
      16'h00A0: g_intr = `MUT(128, g_intr & ~(d[15:0] & m[15:0]), ((d[15:0] & m[15:0]) != 16'd0) ? 16'd0 : g_intr);
      16'h0110: g_ip2 = v & 64'hFFFF_0000_FFFF_FFFF;
      16'h0118: g_mac2 = v;
      16'h0120: g_udp2 = v & 64'hFFFF_FFFF;
      16'h0160: g_afh = v & (k_packed ? ~64'd0 : AFH_FIELDS);
      16'h0168, 16'h0170, 16'h0178, 16'h0180, 16'h0188, 16'h0190, 16'h0198, 16'h01A0:
        g_group_da[(a[5:3] + 3'd3) & 3'd7] = v[47:0];
      16'h0220: g_tc = v & 64'h0000_FFFF_FFFF_FFFF;
      16'h0228: g_misc = v & `MUT(224, 64'hFFFF_FFFF_00FF_071F, 64'h00FF_FFFF_00FF_071F);
      16'h1000: g_tx_head = v[11:0];
      16'h1020: g_rx_head = v[11:0];
      16'h1080: g_tx_ba = v;
      16'h10C0: g_rx_ba = v;
      16'h1100: g_tx_size = k_mdq_two_bits ? {10'd0, v[1:0]} : v[11:0];
      16'h1120: g_rx_size = v[11:0];
      16'h1140: g_dma = v[31:0] & 32'h8001_0101;
      16'h1150: g_st0 = g_st0 & ~(d[4:0] & m[4:0]);
      16'h1170: g_st1 = g_st1 & ~(d[10:0] & m[10:0]);
      16'h1178: g_mask = v[4:0];
      16'h1190: g_tail_up = v[31:0] & 32'h0FFF_0FFF;
      16'h2088: g_qp = v[31:0];
      default: ;
    endcase
    if (in_window(a) && qp_selected(1'b0)) write_qp_register(a, v);
    settings_old = 1'b1;
  end
endtask

function automatic [63:0] strobe_mask(input [7:0] s);
  strobe_mask = `MUT(129, {{8{s[7]}}, {8{s[6]}}, {8{s[5]}}, {8{s[4]}}, {8{s[3]}}, {8{s[2]}}, {8{s[1]}}, {8{s[0]}}},
                     {{32{|s[7:4]}}, {32{|s[3:0]}}});
endfunction

// Address of the 64-bit register; one without a register for all that lies above the map.
function automatic [15:0] register_at(input [31:0] a);
  register_at = (a[31:16] == 16'd0) ? {a[15:3], 3'b000} : 16'hFFF8;
endfunction

// What follows from registers and from the credit sizes of the VCs; computed after a change only.
task automatic apply_settings;
  begin
    compute_limits;
    win_length = window_length(1'b0);
    nocnp_interval = (32'd1 + {24'd0, g_misc[23:16]}) * CLKS_PER_US;
    pause_old = 1'b1;
    credit_old = 1'b1;
    t3_rests = 1'b0;
    settings_old = 1'b0;
  end
endtask

// One access per clock, writes first.
task automatic run_registers;
  reg writing;
  reg reading;
  reg [15:0] at;
  reg [63:0] old;
  begin
    if (CFG_S_AXI_AWVALID_I && CFG_S_AXI_AWREADY_O) begin
      aw_got = 1'b1;
      aw_addr = register_at(CFG_S_AXI_AWADDR_I);
    end
    if (CFG_S_AXI_WVALID_I && CFG_S_AXI_WREADY_O) begin
      w_got = 1'b1;
      w_data = CFG_S_AXI_WDATA_I;
      w_strb = CFG_S_AXI_WSTRB_I;
    end
    if (CFG_S_AXI_ARVALID_I && CFG_S_AXI_ARREADY_O) begin
      ar_got = 1'b1;
      ar_addr = register_at(CFG_S_AXI_ARADDR_I);
    end
    writing = aw_got && w_got && !CFG_S_AXI_BVALID_O;
    reading = ar_got && !writing && !CFG_S_AXI_RVALID_O;
    if (CFG_S_AXI_BVALID_O && CFG_S_AXI_BREADY_I) CFG_S_AXI_BVALID_O <= 1'b0;
    if (CFG_S_AXI_RVALID_O && CFG_S_AXI_RREADY_I) CFG_S_AXI_RVALID_O <= 1'b0;
    cfg_busy = aw_got || w_got || ar_got || CFG_S_AXI_BVALID_O || CFG_S_AXI_RVALID_O;
    if (writing || reading) begin
      at = writing ? aw_addr : ar_addr;
      if (!in_window(at)) old = read_register(at);
      else old = qp_selected(1'b0) ? read_qp_register(at) : 64'd0;
      if (writing) begin
        write_register(aw_addr, w_data, strobe_mask(w_strb), old);
        aw_got = 1'b0;
        w_got = 1'b0;
        CFG_S_AXI_BVALID_O <= 1'b1;
      end else begin
        ar_got = 1'b0;
        CFG_S_AXI_RDATA_O <= old;
        CFG_S_AXI_RVALID_O <= 1'b1;
      end
    end
    CFG_S_AXI_AWREADY_O <= !aw_got;
    CFG_S_AXI_WREADY_O <= !w_got;
    CFG_S_AXI_ARREADY_O <= !ar_got;
  end
endtask

// Frees one slot per clock of the QPs with free_buf_set.
task automatic run_free_buffers;
  reg [QP_AW-1:0] q;
  begin
    if (fb_n > 0) begin
      q = fb_mem[fb_rd];
      if (q_head[q] != NIL && `MUT(56, 1'b1, q_head[q] != q_send[q]))
        free_head(q, `MUT(140, 1'b1, 1'b0), `MUT(141, 1'b0, 1'b1));
      else begin
        q_freeing[q] = 1'b0;
        q_timing[q] = 1'b0;
        q_rnr_wait[q] = 1'b0;
        fb_rd = (fb_rd + 1) % QP_NUM;
        fb_n = fb_n - 1;
      end
    end
  end
endtask
