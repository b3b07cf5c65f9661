// SPDX-License-Identifier: BSD-3-Clause
// Self-check of the RCLINK stand-in: two instances back to back. It shows that the stand-in is alive and that its
// frames are those of the specification; it is no verification environment. Ends with "SELFCHECK PASS" or with
// the number of errors. Plusargs: +FORMAT=0..3 (Standard, GEN1, GEN2, LITE), +VLAN=0/1, +NOICRC=0/1,
// +LOSS=<percent of frames lost on the link>, +PACKETS=<n>, +SEED=<n>.
`timescale 1ns / 1ps
module pair;
  parameter QPS = 16;
  parameter OST = 16;
  parameter W = 512;                     // MAC data width
  parameter G400 = 1;                    // 0: a 1024-bit build at 200G
  parameter VCS = 4;
  localparam QW = $clog2(QPS);
  localparam BW = $clog2(W / 8);

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #0.5 clk = ~clk;

  integer format = 0;
  integer vlan = 0;
  integer noicrc = 0;
  integer loss = 0;
  integer packets = 40;
  integer seed = 1;
  integer errors = 0;

  // Per side: registers, TX_S, RX_M, link.
  reg [31:0] awaddr [0:1];
  reg awvalid [0:1];
  reg [63:0] wdata [0:1];
  reg [31:0] araddr [0:1];
  reg arvalid [0:1];
  wire [1:0] awready, wready, bvalid, arready, rvalid;
  wire [63:0] rdata [0:1];
  reg tx_vld [0:1];
  reg tx_fs, tx_fe, tx_fack;
  reg [511:0] tx_dat;
  reg [63:0] tx_keep;
  reg [QW-1:0] tx_qp;
  reg [1:0] tx_etype;
  wire [3:0] crd [0:1];
  wire [1:0] rxm_vld, rxm_fs, rxm_fe;
  wire [511:0] rxm_dat [0:1];
  wire [63:0] rxm_keep [0:1];
  wire [QW-1:0] rxm_qp [0:1];
  wire [1:0] rxm_etype [0:1];
  wire [12:0] rxm_len [0:1];
  wire [1:0] mvld, mfs, mfe, mrdy;
  wire [1:0] idle [0:1];
  wire [W-1:0] mdata [0:1];
  wire [BW-1:0] mbe [0:1];
  wire [9:0] lvl [0:1];
  wire [1:0] irq;
  wire [63:0] irq_info [0:1];
  reg rate_set = 1'b0;

  // TYPE3 memory of side 0 (transmit) and side 1 (receive), one per side.
  wire [1:0] md_ar, md_aw, md_w, da_ar, da_aw, da_w;
  wire [63:0] md_araddr [0:1], md_awaddr [0:1], da_araddr [0:1], da_awaddr [0:1];
  wire [6:0] md_arid [0:1], md_awid [0:1], da_arid [0:1], da_awid [0:1];
  wire [7:0] da_arlen [0:1];
  wire [255:0] md_wdata [0:1];
  wire [31:0] md_wstrb [0:1];
  wire [511:0] da_wdata [0:1];
  wire [63:0] da_wstrb [0:1];
  wire [1:0] da_wlast;
  reg [7:0] mem [0:2*65536-1];
  reg md_rv [0:1];
  reg [255:0] md_rd [0:1];
  reg [6:0] md_rid [0:1];
  reg md_bv [0:1];
  reg [1:0] md_half [0:1];
  reg da_rv [0:1];
  reg [511:0] da_rd [0:1];
  reg [6:0] da_rid [0:1];
  reg da_bv [0:1];
  reg [63:0] da_at [0:1];
  integer da_left [0:1];
  reg [63:0] da_wat [0:1];
  reg da_wat_new [0:1];

  // Link with loss; beats of a lost frame vanish.
  reg losing [0:1];
  reg lose_now [0:1];
  genvar g;
  generate
    for (g = 0; g < 2; g = g + 1) begin : side
      rclink #(.QP_NUM(QPS), .TYPE1_OST_N(OST), .MAC_DW(W), .TYPE1_VC_NUM(VCS), .TYPE1_RX_BUF_AW(6), .CLKS_PER_US(100)) dut (
        .CLK_I(clk), .RST_N_I(rst_n),
        .CFG_S_AXI_AWADDR_I(awaddr[g]), .CFG_S_AXI_AWVALID_I(awvalid[g]), .CFG_S_AXI_AWREADY_O(awready[g]),
        .CFG_S_AXI_WDATA_I(wdata[g]), .CFG_S_AXI_WSTRB_I(8'hFF), .CFG_S_AXI_WVALID_I(awvalid[g]),
        .CFG_S_AXI_WREADY_O(wready[g]), .CFG_S_AXI_BRESP_O(), .CFG_S_AXI_BVALID_O(bvalid[g]),
        .CFG_S_AXI_BREADY_I(1'b1), .CFG_S_AXI_ARADDR_I(araddr[g]), .CFG_S_AXI_ARVALID_I(arvalid[g]),
        .CFG_S_AXI_ARREADY_O(arready[g]), .CFG_S_AXI_RDATA_O(rdata[g]), .CFG_S_AXI_RRESP_O(),
        .CFG_S_AXI_RVALID_O(rvalid[g]), .CFG_S_AXI_RREADY_I(1'b1),
        .IS_400G_I(G400 != 0 && W == 1024), .TX_WAIT_MAC_CRD_O(), .TX_MAC_FREE_O(),
        .TX_S_VLD_I(tx_vld[g]), .TX_S_FS_I(tx_fs), .TX_S_FE_I(tx_fe), .TX_S_DAT_I(tx_dat), .TX_S_KEEP_I(tx_keep),
        .TX_S_QPID_I(tx_qp), .TX_S_FACK_I(tx_fack), .TX_S_ETYPE_I(tx_etype), .TX_S_TYPE2_GROUP_INDEX_I(3'd0),
        .TX_S_CRD_O(crd[g]), .TX_S_CRD_QPID_O(), .TX_S_CRD_QPID_VLD_O(),
        .TYPE1_2_RX_M_VLD_O(rxm_vld[g]), .TYPE1_2_RX_M_RDY_I(1'b1), .TYPE1_2_RX_M_FS_O(rxm_fs[g]),
        .TYPE1_2_RX_M_FE_O(rxm_fe[g]), .TYPE1_2_RX_M_DAT_O(rxm_dat[g]), .TYPE1_2_RX_M_KEEP_O(rxm_keep[g]),
        .TYPE1_2_RX_M_QPID_O(rxm_qp[g]), .TYPE1_2_RX_M_ETYPE_O(rxm_etype[g]), .TYPE1_2_RX_M_LEN_O(rxm_len[g]),
        .TYPE1_2_RX_M_SA_O(),
        .NONR_MD_AXI_ARVALID_O(md_ar[g]), .NONR_MD_AXI_ARREADY_I(1'b1), .NONR_MD_AXI_ARADDR_O(md_araddr[g]),
        .NONR_MD_AXI_ARLEN_O(), .NONR_MD_AXI_ARSIZE_O(), .NONR_MD_AXI_ARBURST_O(), .NONR_MD_AXI_ARID_O(md_arid[g]),
        .NONR_MD_AXI_RVALID_I(md_rv[g]), .NONR_MD_AXI_RREADY_O(), .NONR_MD_AXI_RDATA_I(md_rd[g]),
        .NONR_MD_AXI_RRESP_I(2'b00), .NONR_MD_AXI_RLAST_I(1'b1), .NONR_MD_AXI_RID_I(md_rid[g]),
        .NONR_MD_AXI_AWVALID_O(md_aw[g]), .NONR_MD_AXI_AWREADY_I(1'b1), .NONR_MD_AXI_AWADDR_O(md_awaddr[g]),
        .NONR_MD_AXI_AWLEN_O(), .NONR_MD_AXI_AWSIZE_O(), .NONR_MD_AXI_AWBURST_O(), .NONR_MD_AXI_AWID_O(md_awid[g]),
        .NONR_MD_AXI_WVALID_O(md_w[g]), .NONR_MD_AXI_WREADY_I(1'b1), .NONR_MD_AXI_WDATA_O(md_wdata[g]),
        .NONR_MD_AXI_WSTRB_O(md_wstrb[g]), .NONR_MD_AXI_WLAST_O(), .NONR_MD_AXI_BVALID_I(md_bv[g]),
        .NONR_MD_AXI_BREADY_O(), .NONR_MD_AXI_BRESP_I(2'b00), .NONR_MD_AXI_BID_I(7'd0), .NONR_MD_AXI_BUSY_O(),
        .NONR_DATA_AXI_ARVALID_O(da_ar[g]), .NONR_DATA_AXI_ARREADY_I(da_left[g] == 0), .NONR_DATA_AXI_ARADDR_O(da_araddr[g]),
        .NONR_DATA_AXI_ARLEN_O(da_arlen[g]), .NONR_DATA_AXI_ARSIZE_O(), .NONR_DATA_AXI_ARBURST_O(),
        .NONR_DATA_AXI_ARID_O(da_arid[g]), .NONR_DATA_AXI_RVALID_I(da_rv[g]), .NONR_DATA_AXI_RREADY_O(),
        .NONR_DATA_AXI_RDATA_I(da_rd[g]), .NONR_DATA_AXI_RRESP_I(2'b00), .NONR_DATA_AXI_RLAST_I(1'b0),
        .NONR_DATA_AXI_RID_I(da_rid[g]),
        .NONR_DATA_AXI_AWVALID_O(da_aw[g]), .NONR_DATA_AXI_AWREADY_I(1'b1), .NONR_DATA_AXI_AWADDR_O(da_awaddr[g]),
        .NONR_DATA_AXI_AWLEN_O(), .NONR_DATA_AXI_AWSIZE_O(), .NONR_DATA_AXI_AWBURST_O(), .NONR_DATA_AXI_AWID_O(),
        .NONR_DATA_AXI_WVALID_O(da_w[g]), .NONR_DATA_AXI_WREADY_I(1'b1), .NONR_DATA_AXI_WDATA_O(da_wdata[g]),
        .NONR_DATA_AXI_WSTRB_O(da_wstrb[g]), .NONR_DATA_AXI_WLAST_O(da_wlast[g]), .NONR_DATA_AXI_BVALID_I(da_bv[g]),
        .NONR_DATA_AXI_BREADY_O(), .NONR_DATA_AXI_BRESP_I(2'b00), .NONR_DATA_AXI_BID_I(7'd0),
        .MAC2TX_CREDIT_I(mvld[g]), .MAC2TX_CREDIT_RST_I(1'b0),
        .TX2MAC_DATA_O(mdata[g]), .TX2MAC_DATA_BE_O(mbe[g]), .TX2MAC_VLD_O(mvld[g]), .TX2MAC_FS_O(mfs[g]),
        .TX2MAC_FE_O(mfe[g]), .TX2MAC_VCID_O(), .TX2MAC_CBFC_VCID_O(), .TX2MAC_FCS_O(), .TX2MAC_ERR_O(),
        .TX2MAC_MAC_HDR_TYPE_O(), .TX2MAC_MULTICAST_EN_O(), .TX2MAC_VLAN_EN_O(),
        .MAC2TX_CBFC_RST_I(32'd0), .MAC2TX_CBFC_CREDITSIZE_I(12'd0), .MAC2TX_CBFC_CREDITLIMIT_I(20'd0),
        .MAC2TX_CBFC_PKTOVHD_LEN_I(10'd0), .MAC2TX_CBFC_VLD_I(32'd0), .MAC2TX_CBFC_NUM_I(15'd0),
        .MAC2TX_CBFC_RESET_I(1'b0), .MAC2TX_TYPE2_CRD_VLD_I(1'b0), .MAC2TX_TYPE2_CRD_NUM_I(12'd0),
        .MAC2TX_TYPE2_CREDIT_RST_I(1'b0),
        .RX2MAC_RDY_O(mrdy[g]), .MAC2RX_VLD_I(mvld[1-g] && !lose_now[1-g]), .MAC2RX_FS_I(mfs[1-g]),
        .MAC2RX_FE_I(mfe[1-g]), .MAC2RX_DATA_I(mdata[1-g]), .MAC2RX_DATA_BE_I(mbe[1-g]), .MAC2RX_FCS_ERR_I(2'b00),
        .TX_PFC_REQ_O(), .RX_PFC_REQ_I(8'd0), .TYPE1_FLOW_STOP_I(4'd0), .TYPE2_PFC_REQ_I(1'b0),
        .SET_CC_RATE_VLD_I(1'b0), .SET_CC_RATE_DAT_I(22'd0), .SET_CC_RATE_QPID_I({QW{1'b0}}),
        .SET_TYPE2_RATE_VLD_I(rate_set), .SET_TYPE2_RATE_DAT_I(22'h3FFFFF),
        .CC_TYPE1_QP_EN_SET_O(), .CC_TYPE1_QP_EN_CLR_O(), .CC_TYPE1_QP_ID_O(),
        .RECV_CNP_VLD_O(), .RECV_CNP_QPID_O(), .RECV_ACK_VLD_O(), .RECV_ACK_QPID_O(), .RECV_ACK_RTT_O(),
        .RECV_NAK_FLG_O(), .RECV_NUM_ACKED_O(), .RETRY_TMO_VLD_O(), .RETRY_TMO_QPID_O(),
        .NOCNP_TIMER_VLD_O(), .NOCNP_TIMER_QPID_O(), .NOCNP_TIMER_BYTE_CNT_O(),
        .IRQ_VLD_O(irq[g]), .IRQ_INFO_O(irq_info[g]), .RC_INTR_O(), .NONR_INTR_O(), .NONR_FAULT_INTR_O(),
        .DFX_TYPE1_OST_FREE_LVL_O(lvl[g]), .DFX_CBFC_CF_O(), .RCLINK_IDLE_O(idle[g])
      );

      // The loss of a frame is decided at its first beat.
      always @* lose_now[g] = mfs[g] ? (drop_next[g] < loss) : losing[g];
      always @(posedge clk) begin
        if (mvld[g]) begin
          losing[g] <= lose_now[g];
          if (mfe[g]) drop_next[g] <= $unsigned($random(seed)) % 100;
          if (!mrdy[1-g]) begin
            $display("%0t side %0d: beat while the other side is not ready", $time, g);
            errors = errors + 1;
          end
        end
        if (irq[g]) $display("%0t side %0d: interrupt message %h", $time, g, irq_info[g]);
      end

      // Memory slave: one transfer after the other, always ready for writes.
      integer i;
      reg [511:0] line;
      always @(posedge clk) begin
        md_rv[g] <= md_ar[g];
        md_rid[g] <= md_arid[g];
        if (md_ar[g]) begin
          for (i = 0; i < 32; i = i + 1) line[8*i +: 8] = mem[g*65536 + {md_araddr[g][15:5], 5'd0} + i];
          md_rd[g] <= line[255:0];
        end
        if (md_w[g])
          for (i = 0; i < 32; i = i + 1)
            if (md_wstrb[g][i]) mem[g*65536 + {md_awaddr[g][15:5], 5'd0} + i] <= md_wdata[g][8*i +: 8];
        md_bv[g] <= md_w[g];
        da_rv[g] <= 1'b0;
        if (da_left[g] > 0) begin
          da_rv[g] <= 1'b1;
          for (i = 0; i < 64; i = i + 1) line[8*i +: 8] = mem[g*65536 + {da_at[g][15:6], 6'd0} + i];
          da_rd[g] <= line;
          da_at[g] <= da_at[g] + 64;
          da_left[g] <= da_left[g] - 1;
        end else if (da_ar[g]) begin
          da_at[g] <= da_araddr[g];
          da_left[g] <= da_arlen[g] + 1;
          da_rid[g] <= da_arid[g];
        end
        if (da_aw[g]) da_wat[g] = da_awaddr[g];
        da_bv[g] <= da_w[g] && da_wlast[g];
        if (da_w[g]) begin
          for (i = 0; i < 64; i = i + 1)
            if (da_wstrb[g][i]) mem[g*65536 + {da_wat[g][15:6], 6'd0} + i] <= da_wdata[g][8*i +: 8];
          da_wat[g] = da_wat[g] + 64;
        end
      end
    end
  endgenerate
  integer drop_next [0:1];

  task write(input integer s, input [31:0] a, input [63:0] d);
    begin
      @(negedge clk);
      awaddr[s] = a;
      wdata[s] = d;
      awvalid[s] = 1'b1;
      while (!(awready[s] && wready[s])) @(negedge clk);
      @(negedge clk);
      awvalid[s] = 1'b0;
      while (!bvalid[s]) @(negedge clk);
      @(negedge clk);
    end
  endtask

  task read(input integer s, input [31:0] a, output [63:0] d);
    begin
      @(negedge clk);
      araddr[s] = a;
      arvalid[s] = 1'b1;
      while (!arready[s]) @(negedge clk);
      @(negedge clk);
      arvalid[s] = 1'b0;
      while (!rvalid[s]) @(negedge clk);
      d = rdata[s];
      @(negedge clk);
    end
  endtask

  task expect_register(input integer s, input [31:0] a, input [63:0] want);
    reg [63:0] got;
    begin
      read(s, a, got);
      if (got !== want) begin
        $display("side %0d register %h: %h, expected %h", s, a[15:0], got, want);
        errors = errors + 1;
      end
    end
  endtask

  function [7:0] payload(input integer qp, input integer n, input integer at);
    payload = (qp * 37 + n * 11 + at) & 255;
  endfunction

  // One packet into side 0; n-th of its QP.
  integer sent [0:QPS-1];
  integer received [0:QPS-1];
  integer tokens = OST;
  integer tokens2 = 16;
  integer sent2 = 0;
  integer received2 = 0;

  task send(input [1:0] etype, input integer qp, input integer len, input fack);
    integer at;
    integer i;
    integer n;
    begin
      n = (etype == 0) ? sent[qp] : sent2;
      while ((etype == 0 ? tokens : tokens2) == 0) @(negedge clk);
      if (etype == 0) tokens = tokens - 1;
      else tokens2 = tokens2 - 1;
      at = 0;
      while (at < len) begin
        @(negedge clk);
        tx_vld[0] = 1'b1;
        tx_fs = (at == 0);
        tx_fe = (at + 64 >= len);
        tx_fack = fack;
        tx_etype = etype;
        tx_qp = qp;
        tx_dat = 512'd0;
        for (i = 0; i < 64; i = i + 1)
          if (at + i < len) tx_dat[511 - 8*i -: 8] = payload((etype == 0) ? qp : 99, n, at + i);
        tx_keep = (len - at >= 64) ? {64{1'b1}} : ({64{1'b1}} << (64 - (len - at)));
        at = at + 64;
      end
      @(negedge clk);
      tx_vld[0] = 1'b0;
      if (etype == 0) sent[qp] = sent[qp] + 1;
      else sent2 = sent2 + 1;
    end
  endtask

  always @(posedge clk) begin
    if (crd[0][0]) tokens = tokens + 1;
    if (crd[0][3]) tokens2 = tokens2 + 1;
  end

  // What arrives at side 1.
  integer got_at = 0;
  integer k;
  integer want_n;
  always @(posedge clk) begin
    if (rxm_vld[1]) begin
      want_n = (rxm_etype[1] == 0) ? received[rxm_qp[1]] : received2;
      if (rxm_fs[1]) got_at = 0;
      for (k = 0; k < 64; k = k + 1) begin
        if (rxm_keep[1][63 - k]) begin
          // TYPE2 is not repeated: with losses its packets are not told apart.
          if (!(loss > 0 && rxm_etype[1] != 0) && rxm_dat[1][511 - 8*k -: 8] !== payload((rxm_etype[1] == 0) ? rxm_qp[1] : 99, want_n, got_at)) begin
            if (errors < 20) $display("%0t qp %0d packet %0d byte %0d: %h", $time, rxm_qp[1], want_n, got_at, rxm_dat[1][511 - 8*k -: 8]);
            errors = errors + 1;
          end
          got_at = got_at + 1;
        end
      end
      if (rxm_fe[1]) begin
        if (got_at != rxm_len[1]) begin
          $display("%0t length %0d, LEN %0d", $time, got_at, rxm_len[1]);
          errors = errors + 1;
        end
        if (rxm_etype[1] == 0) received[rxm_qp[1]] = received[rxm_qp[1]] + 1;
        else received2 = received2 + 1;
      end
    end
  end

  task setup(input integer s);
    integer q;
    begin
      write(s, 32'h0000, 64'h3);
      write(s, 32'h0010, {16'h88B5, 48'h020000000011 + {16'd0, s[31:0]}});
      write(s, 32'h0118, {16'h88B6, 48'd0});
      write(s, 32'h0020, {8'd0, 8'd64, 16'h1234, 32'hC0A80001 + s[31:0]});
      write(s, 32'h0120, {32'd0, 16'hBEEF, 16'hC002});
      write(s, 32'h0110, {16'h0054, 16'd0, 32'hC0A80002});
      write(s, 32'h0028, {32'd0, 16'h8100, 12'h123, 3'd0, vlan[0]});
      write(s, 32'h0040, {40'd0, 4'd15, 5'd1, 4'd14, 13'd20} | (64'd15 << 22));
      write(s, 32'h0168, 64'h010000000033);
      write(s, 32'h0220, {16'd0, 8'h54, 8'h30, 8'h2C, 8'h38, 8'h34, 8'h28});
      write(s, 32'h0160, (64'h1 << ((format == 0) ? 0 : (format == 1) ? 1 : (format == 2) ? 3 : 4)) | 64'h24);
      write(s, 32'h0228, noicrc ? 64'h4 : 64'h0);
      for (q = 0; q < 16; q = q + 1) begin
        write(s, 32'h2088, q);
        write(s, 32'h2058, 64'hFFE);
        write(s, 32'h2030, 64'hFFE);
        write(s, 32'h2038, 64'hFFD);
        write(s, 32'h2080, 64'hFFD);
        write(s, 32'h2078, 64'hFFE);
        write(s, 32'h2040, 64'hFFE);
        write(s, 32'h2048, 64'h3FFFFF);
        write(s, 32'h2008, {8'd0, q[23:0], 32'hC0A80001 + 32'd1 - s[31:0]});
        write(s, 32'h2018, {40'd0, 8'h5A, 16'hC000});
        write(s, 32'h2010, 64'h020000000011 + (1 - s));
        write(s, 32'h2070, 64'h5A);
        write(s, 32'h2028, 64'h1);
      end
    end
  endtask

  // TYPE3: one frame of 1500 bytes at an unaligned address, two receive buffers of 1024.
  task type3_check;
    integer i;
    reg [63:0] st;
    begin
      for (i = 0; i < 1500; i = i + 1) mem[16'h0FF5 + i] = (i < 14) ? 8'hE0 : i * 3;
      {mem[16'h0207], mem[16'h0206], mem[16'h0205], mem[16'h0204], mem[16'h0203], mem[16'h0202], mem[16'h0201],
       mem[16'h0200]} = {16'd2048, 24'd0, 2'b00, 2'b11, 16'd1500, 4'd0};
      {mem[16'h020F], mem[16'h020E], mem[16'h020D], mem[16'h020C], mem[16'h020B], mem[16'h020A], mem[16'h0209],
       mem[16'h0208]} = 64'h0FF5;
      for (i = 0; i < 2; i = i + 1) begin
        {mem[65536 + 'h307 + 16*i], mem[65536 + 'h306 + 16*i], mem[65536 + 'h305 + 16*i], mem[65536 + 'h304 + 16*i],
         mem[65536 + 'h303 + 16*i], mem[65536 + 'h302 + 16*i], mem[65536 + 'h301 + 16*i], mem[65536 + 'h300 + 16*i]}
          = {16'd1024, 48'd0};
        {mem[65536 + 'h30F + 16*i], mem[65536 + 'h30E + 16*i], mem[65536 + 'h30D + 16*i], mem[65536 + 'h30C + 16*i],
         mem[65536 + 'h30B + 16*i], mem[65536 + 'h30A + 16*i], mem[65536 + 'h309 + 16*i], mem[65536 + 'h308 + 16*i]}
          = 64'h2E00 + 1024 * i;
      end
      write(1, 32'h1120, 64'd4);
      write(1, 32'h10C0, 64'h300);
      write(1, 32'h1178, 64'h1F);
      write(1, 32'h1190, {32'd0, 16'd2, 16'd0});
      write(1, 32'h1140, 64'h0001_0100);
      write(1, 32'h1020, 64'd2);
      write(0, 32'h1100, 64'd4);
      write(0, 32'h1080, 64'h200);
      write(0, 32'h1140, 64'h8000_0001);
      write(0, 32'h1000, 64'd1);
      repeat (600) @(negedge clk);
      expect_register(0, 32'h1040, 64'd1);
      expect_register(1, 32'h1060, 64'd2);
      expect_register(1, 32'h1150, 64'h5);
      expect_register(1, 32'h1170, 64'h0);
      for (i = 0; i < 1500; i = i + 1)
        if (mem[65536 + 16'h2E00 + i] !== mem[16'h0FF5 + i]) begin
          if (errors < 20) $display("TYPE3 byte %0d: %h", i, mem[65536 + 16'h2E00 + i]);
          errors = errors + 1;
        end
      st = {mem[65536 + 'h305], mem[65536 + 'h304], mem[65536 + 'h303], mem[65536 + 'h302], mem[65536 + 'h301], mem[65536 + 'h300]};
      if (st[23:0] !== {4'h1, 16'd1024, 4'd0}) begin
        $display("TYPE3 first descriptor %h", st);
        errors = errors + 1;
      end
      st = {mem[65536 + 'h315], mem[65536 + 'h314], mem[65536 + 'h313], mem[65536 + 'h312], mem[65536 + 'h311], mem[65536 + 'h310]};
      if (st[23:0] !== {4'h2, 16'd476, 4'd0}) begin
        $display("TYPE3 second descriptor %h", st);
        errors = errors + 1;
      end
    end
  endtask

  integer p;
  integer q;
  integer len;
  integer waited;
  integer total;
  initial begin
    if (!$value$plusargs("FORMAT=%d", format)) format = 0;
    if (!$value$plusargs("VLAN=%d", vlan)) vlan = 0;
    if (!$value$plusargs("NOICRC=%d", noicrc)) noicrc = 0;
    if (!$value$plusargs("LOSS=%d", loss)) loss = 0;
    if (!$value$plusargs("PACKETS=%d", packets)) packets = 40;
    if (!$value$plusargs("SEED=%d", seed)) seed = 1;
    for (q = 0; q < QPS; q = q + 1) begin
      sent[q] = 0;
      received[q] = 0;
    end
    for (q = 0; q < 2; q = q + 1) begin
      awvalid[q] = 1'b0;
      awaddr[q] = 0;
      wdata[q] = 0;
      arvalid[q] = 1'b0;
      araddr[q] = 0;
      tx_vld[q] = 1'b0;
      md_rv[q] = 0;
      md_bv[q] = 0;
      da_rv[q] = 0;
      da_bv[q] = 0;
      da_left[q] = 0;
      losing[q] = 0;
      drop_next[q] = 100;
    end
    {tx_fs, tx_fe, tx_fack, tx_qp, tx_etype} = 0;
    tx_dat = 0;
    tx_keep = 0;
    repeat (5) @(negedge clk);
    rst_n = 1'b1;
    setup(0);
    setup(1);
    rate_set = 1'b1;
    @(negedge clk);
    rate_set = 1'b0;
    for (p = 0; p < packets; p = p + 1) begin
      len = 64 + $unsigned($random(seed)) % 300;
      if (p % 16 == 5) len = 1344;
      q = $unsigned($random(seed)) % 16;
      if (format == 3) q = 4 + q % 4;         // the QPs that the source address 0x11 names
      if (p % 7 == 3) send(2'd3, 0, len, 1'b0);
      else send(2'd0, q, len, p % 5 == 0);
    end
    waited = 0;
    while (waited < 200000 && (tokens != OST || tokens2 != 16 || idle[0] != 2'b11 || idle[1] != 2'b11)) begin
      @(negedge clk);
      waited = waited + 1;
    end
    repeat (100) @(negedge clk);             // what is still on the link
    total = 0;
    for (q = 0; q < 16; q = q + 1) begin
      total = total + received[q];
      if (received[q] != sent[q] && !(format == 3 && loss > 0)) begin
        $display("qp %0d: sent %0d, received %0d", q, sent[q], received[q]);
        errors = errors + 1;
      end
      if (format != 3) begin
        write(0, 32'h2088, q);
        write(1, 32'h2088, q);
        expect_register(0, 32'h2058, (64'hFFE + sent[q]) & 64'hFFF);
        expect_register(0, 32'h2030, (64'hFFE + sent[q]) & 64'hFFF);
        expect_register(0, 32'h2038, (64'hFFD + sent[q]) & 64'hFFF);
        expect_register(1, 32'h2078, (64'hFFE + sent[q]) & 64'hFFF);
      end
    end
    if (loss == 0 && received2 != sent2) begin
      $display("TYPE2: sent %0d, received %0d", sent2, received2);
      errors = errors + 1;
    end
    if (tokens != OST || tokens2 != 16 || idle[0] != 2'b11 || idle[1] != 2'b11 || lvl[0] != OST) begin
      $display("not drained: tokens %0d %0d, free %0d, idle %b %b", tokens, tokens2, lvl[0], idle[0], idle[1]);
      errors = errors + 1;
    end
    if (loss == 0 && format == 0) type3_check;
    if (total == 0) errors = errors + 1;
    if (errors == 0) $display("SELFCHECK PASS: %0d TYPE1, %0d TYPE2 packets at %0t", total, received2, $time);
    else $display("SELFCHECK FAIL: %0d errors", errors);
    $finish;
  end
endmodule
