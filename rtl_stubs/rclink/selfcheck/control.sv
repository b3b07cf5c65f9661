// SPDX-License-Identifier: BSD-3-Clause
// Self-check: one instance that talks to itself (the link can be cut). Rate example, CBFC example, multicast
// credit, PFC, refused packets, RNR, retry over and recovery, no-CNP report.
`timescale 1ns / 1ps
module control;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #0.5 clk = ~clk;
  reg [31:0] awaddr = 0;
  reg awvalid = 0;
  reg [63:0] wdata = 0;
  wire awready, wready, bvalid;
  reg [31:0] araddr = 0;
  reg arvalid = 0;
  wire arready, rvalid;
  wire [63:0] rdata;
  reg tx_vld = 0, tx_fs = 0, tx_fe = 0;
  reg [1:0] tx_etype = 0;
  reg [3:0] tx_qp = 0;
  wire [3:0] crd;
  wire crd_ok;
  wire vld, fs, fe, rdy;
  wire [511:0] data;
  wire [5:0] be;
  wire [2:0] vcid;
  reg cut = 0;
  reg rx_rdy = 1;
  wire rx_vld, rx_fe;
  reg [31:0] cb_rst = 0, cb_vld = 0;
  reg [14:0] cb_num = 0;
  reg mc_vld = 0;
  wire [7:0] tx_pfc;
  reg [7:0] rx_pfc = 0;
  reg [3:0] flow_stop = 0;
  reg rate1 = 0, rate2 = 0;
  reg [21:0] rate = 0;
  reg [3:0] rate_qp = 0;
  wire en_set, en_clr, tmo, nocnp, irq;
  wire [31:0] nocnp_bytes;
  wire [63:0] irq_info;
  wire [15:0] rc_intr;
  wire [9:0] lvl;
  wire [111:0] cf;
  wire ack_vld, ack_nak;

  rclink #(.QP_NUM(16), .TYPE1_OST_N(8), .TYPE2_OST_N(4), .MAC_DW(512), .TYPE1_RX_BUF_AW(6), .CLKS_PER_US(100),
           .TYPE2_CRD_RST_NUM(24)) dut (
    .CLK_I(clk), .RST_N_I(rst_n), .CFG_S_AXI_AWADDR_I(awaddr), .CFG_S_AXI_AWVALID_I(awvalid),
    .CFG_S_AXI_AWREADY_O(awready), .CFG_S_AXI_WDATA_I(wdata), .CFG_S_AXI_WSTRB_I(8'hFF),
    .CFG_S_AXI_WVALID_I(awvalid), .CFG_S_AXI_WREADY_O(wready), .CFG_S_AXI_BVALID_O(bvalid),
    .CFG_S_AXI_BREADY_I(1'b1), .CFG_S_AXI_ARADDR_I(araddr), .CFG_S_AXI_ARVALID_I(arvalid),
    .CFG_S_AXI_ARREADY_O(arready), .CFG_S_AXI_RDATA_O(rdata), .CFG_S_AXI_RVALID_O(rvalid), .CFG_S_AXI_RREADY_I(1'b1),
    .IS_400G_I(1'b0), .TX_S_VLD_I(tx_vld), .TX_S_FS_I(tx_fs), .TX_S_FE_I(tx_fe), .TX_S_DAT_I(512'h55),
    .TX_S_KEEP_I({64{1'b1}}), .TX_S_QPID_I(tx_qp), .TX_S_FACK_I(1'b1), .TX_S_ETYPE_I(tx_etype),
    .TX_S_TYPE2_GROUP_INDEX_I(3'd0), .TX_S_CRD_O(crd), .TX_S_CRD_QPID_VLD_O(crd_ok),
    .TYPE1_2_RX_M_VLD_O(rx_vld), .TYPE1_2_RX_M_RDY_I(rx_rdy), .TYPE1_2_RX_M_FE_O(rx_fe),
    .NONR_MD_AXI_ARREADY_I(1'b0), .NONR_MD_AXI_RVALID_I(1'b0), .NONR_MD_AXI_RDATA_I(256'd0),
    .NONR_MD_AXI_RRESP_I(2'd0), .NONR_MD_AXI_RLAST_I(1'b0), .NONR_MD_AXI_RID_I(7'd0), .NONR_MD_AXI_AWREADY_I(1'b0),
    .NONR_MD_AXI_WREADY_I(1'b0), .NONR_MD_AXI_BVALID_I(1'b0), .NONR_MD_AXI_BRESP_I(2'd0), .NONR_MD_AXI_BID_I(7'd0),
    .NONR_DATA_AXI_ARREADY_I(1'b0), .NONR_DATA_AXI_RVALID_I(1'b0), .NONR_DATA_AXI_RDATA_I(512'd0),
    .NONR_DATA_AXI_RRESP_I(2'd0), .NONR_DATA_AXI_RLAST_I(1'b0), .NONR_DATA_AXI_RID_I(7'd0),
    .NONR_DATA_AXI_AWREADY_I(1'b0), .NONR_DATA_AXI_WREADY_I(1'b0), .NONR_DATA_AXI_BVALID_I(1'b0),
    .NONR_DATA_AXI_BRESP_I(2'd0), .NONR_DATA_AXI_BID_I(7'd0),
    .MAC2TX_CREDIT_I(vld), .MAC2TX_CREDIT_RST_I(1'b0), .TX2MAC_DATA_O(data), .TX2MAC_DATA_BE_O(be),
    .TX2MAC_VLD_O(vld), .TX2MAC_FS_O(fs), .TX2MAC_FE_O(fe), .TX2MAC_VCID_O(vcid),
    .MAC2TX_CBFC_RST_I(cb_rst), .MAC2TX_CBFC_CREDITSIZE_I(12'd256), .MAC2TX_CBFC_CREDITLIMIT_I(20'd40),
    .MAC2TX_CBFC_PKTOVHD_LEN_I(10'd4), .MAC2TX_CBFC_VLD_I(cb_vld), .MAC2TX_CBFC_NUM_I(cb_num),
    .MAC2TX_CBFC_RESET_I(1'b0), .MAC2TX_TYPE2_CRD_VLD_I(mc_vld), .MAC2TX_TYPE2_CRD_NUM_I(12'd11),
    .MAC2TX_TYPE2_CREDIT_RST_I(1'b0), .RX2MAC_RDY_O(rdy), .MAC2RX_VLD_I(vld && !cut), .MAC2RX_FS_I(fs),
    .MAC2RX_FE_I(fe), .MAC2RX_DATA_I(data), .MAC2RX_DATA_BE_I(be), .MAC2RX_FCS_ERR_I(2'd0), .TX_PFC_REQ_O(tx_pfc),
    .RX_PFC_REQ_I(rx_pfc), .TYPE1_FLOW_STOP_I(flow_stop), .TYPE2_PFC_REQ_I(1'b0), .SET_CC_RATE_VLD_I(rate1),
    .SET_CC_RATE_DAT_I(rate), .SET_CC_RATE_QPID_I(rate_qp), .SET_TYPE2_RATE_VLD_I(rate2), .SET_TYPE2_RATE_DAT_I(rate),
    .CC_TYPE1_QP_EN_SET_O(en_set), .CC_TYPE1_QP_EN_CLR_O(en_clr), .RECV_ACK_VLD_O(ack_vld), .RECV_NAK_FLG_O(ack_nak),
    .RETRY_TMO_VLD_O(tmo), .NOCNP_TIMER_VLD_O(nocnp), .NOCNP_TIMER_BYTE_CNT_O(nocnp_bytes), .IRQ_VLD_O(irq),
    .IRQ_INFO_O(irq_info), .RC_INTR_O(rc_intr), .DFX_TYPE1_OST_FREE_LVL_O(lvl), .DFX_CBFC_CF_O(cf)
  );

  integer errors = 0;
  integer requests = 0;                // TYPE1 requests and TYPE2 frames on the wire, without responses
  integer multicasts = 0;
  reg [23:0] order = 0;                // VCs of the last requests, three bits each
  integer delivered = 0;
  integer tokens = 0;
  integer bare_tokens = 0;
  integer timeouts = 0;
  integer naks = 0;
  integer sets = 0;
  integer clears = 0;
  reg [63:0] last_irq = 0;
  reg [63:0] no_cnp_total = 0;
  reg [63:0] wire_total = 0;           // payload bytes of TYPE1 requests on the wire: frame without 22 + 4 bytes
  reg [63:0] value;
  always @(posedge clk) begin
    if (vld && fs && vcid < 4) requests <= requests + 1;
    if (vld && fs && vcid < 4) order <= {order[20:0], vcid};
    if (vld && vcid < 4) wire_total <= wire_total + ((fe && be != 0) ? be : 64) - (fe ? 26 : 0);
    if (vld && fs && vcid == 5) multicasts <= multicasts + 1;
    if (rx_vld && rx_rdy && rx_fe) delivered <= delivered + 1;
    if (crd[0]) tokens <= tokens + 1;
    if (crd[0] && !crd_ok) bare_tokens <= bare_tokens + 1;
    if (tmo) timeouts <= timeouts + 1;
    if (ack_vld && ack_nak) naks <= naks + 1;
    if (en_set) sets <= sets + 1;
    if (en_clr) clears <= clears + 1;
    if (irq) last_irq <= irq_info;
    if (nocnp) no_cnp_total <= no_cnp_total + nocnp_bytes;
  end

  task check(input ok, input [8*48-1:0] what);
    if (ok !== 1'b1) begin
      errors = errors + 1;
      $display("%0t failed: %0s", $time, what);
    end
  endtask

  task write(input [31:0] a, input [63:0] d);
    begin
      @(negedge clk);
      awaddr = a;
      wdata = d;
      awvalid = 1'b1;
      while (!(awready && wready)) @(negedge clk);
      @(negedge clk);
      awvalid = 1'b0;
      while (!bvalid) @(negedge clk);
      @(negedge clk);
    end
  endtask

  task read(input [31:0] a);
    begin
      @(negedge clk);
      araddr = a;
      arvalid = 1'b1;
      while (!arready) @(negedge clk);
      @(negedge clk);
      arvalid = 1'b0;
      while (!rvalid) @(negedge clk);
      value = rdata;
      @(negedge clk);
    end
  endtask

  task send(input [1:0] etype, input integer qp, input integer beats);
    integer i;
    begin
      for (i = 0; i < beats; i = i + 1) begin
        @(negedge clk);
        tx_vld = 1'b1;
        tx_fs = (i == 0);
        tx_fe = (i == beats - 1);
        tx_qp = qp;
        tx_etype = etype;
      end
      @(negedge clk);
      tx_vld = 1'b0;
    end
  endtask

  task set_rate(input integer qp, input [21:0] r);
    begin
      @(negedge clk);
      rate = r;
      rate_qp = qp;
      rate1 = 1'b1;
      @(negedge clk);
      rate1 = 1'b0;
      repeat (4) @(negedge clk);
    end
  endtask

  task start_qp(input integer qp, input [11:0] psn);
    begin
      write(32'h2088, qp);
      write(32'h2058, psn);
      write(32'h2030, psn);
      write(32'h2038, psn - 12'd1);
      write(32'h2080, psn - 12'd1);
      write(32'h2078, psn);
      write(32'h2040, psn);
      write(32'h2060, 0);
      write(32'h2048, 64'h3FFFFF);
      write(32'h2008, {8'd0, 20'd0, qp[3:0], 32'd1});
      write(32'h2010, 64'h0200_0000_0011);
      write(32'h2028, 64'h1);
    end
  endtask

  // Flow f on VC f; GEN1; extra fields.
  task configure(input [63:0] more);
    write(32'h0160, 64'h2 | (64'd1 << 15) | (64'd2 << 18) | (64'd3 << 21) | (64'd4 << 24) | (64'd5 << 27)
                    | (64'd6 << 30) | (64'hFF << 52) | more);
  endtask

  integer i;
  initial begin
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    write(32'h0000, 64'h3);
    write(32'h0010, 64'h88B5_0200_0000_0011);
    write(32'h0118, 64'h88B6_0000_0000_0000);
    write(32'h0040, (64'd3 << 13) | (64'd1 << 17) | (64'd15 << 22) | 64'd30);
    configure(64'h20);
    for (i = 0; i < 16; i = i + 1) start_qp(i, 12'hFFE);
    @(negedge clk);
    rate = 22'h3FFFFF;
    rate2 = 1'b1;
    @(negedge clk);
    rate2 = 1'b0;

    // Rate example in units of 64 bytes: 0x10, 0x30, 0x20 of a threshold of 0x30 are 1, 3, 2 of 3 beats.
    clears = 0;
    sets = 0;
    while (dut.win_clocks != 20) @(negedge clk);
    set_rate(2, 192);
    check(clears == 0, "no mask before traffic");
    send(2'd0, 2, 1);
    repeat (10) @(negedge clk);
    check(clears == 0, "64 of 192 does not mask");
    send(2'd0, 2, 3);
    repeat (10) @(negedge clk);
    check(clears == 1 && dut.q_acc[2] == 256, "256 of 192 masks");
    send(2'd0, 2, 2);
    repeat (20) @(negedge clk);
    check(requests == 2, "masked queue pair sends nothing");
    while (sets == 0) @(negedge clk);
    repeat (10) @(negedge clk);
    check(requests == 3 && clears == 2 && dut.q_acc[2] == 192, "64 left over, then equality masks");
    set_rate(2, 22'h3FFFFF);
    repeat (200) @(negedge clk);
    check(tokens == 3 && delivered == 3 && lvl == 8, "three packets acknowledged");

    // CBFC example: 256-byte credits, overhead 4, limit 40, uf_limit 2: five packets of 1344, six with dyn.
    cb_rst = 32'hFF;
    @(negedge clk);
    cb_rst = 0;
    configure((64'd1 << 6) | (64'd2 << 36) | (64'd1 << 39) | (64'd1 << 42) | (64'd1 << 45));
    requests = 0;
    for (i = 0; i < 7; i = i + 1) send(2'd0, 4, 21);
    repeat (300) @(negedge clk);
    check(requests == 5 && cf[15:0] == 10, "five packets, ten credits left");
    configure((64'd1 << 6) | (64'd2 << 36) | (64'd1 << 39) | (64'd1 << 42) | (64'd1 << 45) | (64'd1 << 48));
    repeat (100) @(negedge clk);
    check(requests == 6 && cf[15:0] == 4, "sixth packet under the dynamic limit");
    cb_num = 36;
    cb_vld = 32'h1;
    @(negedge clk);
    cb_vld = 0;
    repeat (200) @(negedge clk);
    check(requests == 7 && lvl == 8, "returned credits let the rest go");
    configure(64'h20);

    // Multicast credit of 24 cells: one maximum frame is 11 cells, so a second one passes and a third waits.
    write(32'h0228, 64'h8);
    for (i = 0; i < 3; i = i + 1) send(2'd3, 0, 21);
    repeat (200) @(negedge clk);
    check(multicasts == 2, "multicast credit holds the third frame");
    mc_vld = 1'b1;
    @(negedge clk);
    mc_vld = 1'b0;
    repeat (100) @(negedge clk);
    check(multicasts == 3, "returned multicast credit");

    // Refused packets.
    tokens = 0;
    bare_tokens = 0;
    send(2'd0, 5, 22);
    repeat (10) @(negedge clk);
    check(last_irq == {31'd0, 2'd1, 22'd0, 4'd5, 5'd1} && rc_intr[0] && bare_tokens == 1, "oversize");
    write(32'h2088, 9);
    write(32'h2028, 0);
    send(2'd0, 9, 1);
    repeat (10) @(negedge clk);
    check(last_irq[8:0] == {4'd9, 5'd4} && rc_intr[14] && bare_tokens == 2, "disabled queue pair");
    cut = 1'b1;
    for (i = 0; i < 9; i = i + 1) send(2'd0, 6, 1);
    repeat (10) @(negedge clk);
    check(last_irq[8:0] == {4'd6, 5'd3} && rc_intr[1] && bare_tokens == 2 && lvl == 0, "over-credit");
    write(32'h00A0, 64'h4003);
    @(negedge clk);
    check(rc_intr == 0, "interrupts cleared");

    // The link stays cut: timeouts of 30 us, threshold 3, then recovery.
    requests = 0;
    repeat (12000) @(negedge clk);
    check(timeouts == 3 && requests == 16 && rc_intr[3] && last_irq[8:0] == {4'd6, 5'd2}, "retry over");
    cut = 1'b0;
    tokens = 0;
    write(32'h2088, 6);
    write(32'h2028, 0);
    write(32'h2048, 0);
    set_rate(6, 1000);
    read(32'h2048);
    check(value == 0, "rate commands ignored in recovery");
    write(32'h2028, 64'h8000);
    read(32'h2028);
    while (value[15]) read(32'h2028);
    repeat (20) @(negedge clk);
    check(tokens == 8 && lvl == 8, "slots freed with their tokens");
    read(32'h2058);
    check(value == 64'h006, "TX_EPSN");
    start_qp(6, value[11:0] + 12'd1);
    delivered = 0;
    send(2'd0, 6, 1);
    repeat (100) @(negedge clk);
    check(delivered == 1 && lvl == 8, "recovered queue pair works");

    // RNR: bank 3 refused, then open again.
    write(32'h0008, (64'hF << 46) | (64'h7F << 32) | (64'h7F << 39) | (64'd8) | (64'd16 << 16));
    configure(64'h20 | (64'h8 << 60));
    naks = 0;
    write(32'h0018, (64'd32) | (64'd48 << 16) | (64'h80 << 32) | (64'hC0 << 48));
    flow_stop = 4'h8;
    send(2'd0, 7, 1);
    repeat (50) @(negedge clk);
    check(naks == 1 && delivered == 1 && tx_pfc == 8'h08, "RNR NAK and back-pressure");
    flow_stop = 4'h0;
    repeat (900) @(negedge clk);
    check(delivered == 1, "RNR time not over");
    repeat (200) @(negedge clk);
    check(delivered == 2, "sent again after the RNR time");

    // PFC: priority 1 stops bank 1 alone; a full receive buffer asks for a stop.
    rx_pfc = 8'h02;
    send(2'd0, 1, 1);
    send(2'd0, 2, 1);
    repeat (100) @(negedge clk);
    check(delivered == 3, "paused bank waits");
    rx_pfc = 8'h00;
    repeat (100) @(negedge clk);
    check(delivered == 4, "pause over");
    rx_rdy = 1'b0;
    send(2'd0, 1, 21);
    repeat (200) @(negedge clk);
    check(tx_pfc == 8'h02, "buffer above XOFF");
    rx_rdy = 1'b1;
    repeat (200) @(negedge clk);
    check(tx_pfc == 8'h00 && delivered == 5, "buffer below XON");
    repeat (300) @(negedge clk);
    check(no_cnp_total == wire_total, "payload bytes reported, retries included");

    // Bank rotation: five packets of the banks 0 0 0 1 2 leave as 0 1 0 2 0.
    write(32'h0228, 64'h1);
    rx_pfc = 8'h0F;
    send(2'd0, 0, 1);
    send(2'd0, 0, 1);
    send(2'd0, 0, 1);
    send(2'd0, 1, 1);
    send(2'd0, 2, 1);
    order = 0;
    rx_pfc = 8'h00;
    repeat (200) @(negedge clk);
    check(order == 24'o01020, "bank rotation");

    // A soft reset throws away what waits; later packets pass.
    rx_pfc = 8'h0F;
    send(2'd0, 3, 1);
    write(32'h0000, 64'h103);
    write(32'h0000, 64'h3);
    check(lvl == 8, "soft reset empties the slots");
    rx_pfc = 8'h00;
    delivered = 0;
    start_qp(3, 12'h100);
    send(2'd0, 3, 2);
    repeat (100) @(negedge clk);
    check(delivered == 1 && lvl == 8, "traffic after a soft reset");
    if (errors == 0) $display("SELFCHECK PASS");
    else $display("SELFCHECK FAIL: %0d errors", errors);
    $finish;
  end
endmodule
