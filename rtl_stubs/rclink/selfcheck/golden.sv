// SPDX-License-Identifier: BSD-3-Clause
// Self-check: the frames of one instance against the golden frames of the specification (golden.txt: format, VLAN,
// kind, bytes, frame). Requests are looped back with the address of this port; run with +ECN_ON_AFH=1.
`timescale 1ns / 1ps
module golden;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #0.5 clk = ~clk;
  reg [31:0] awaddr = 0;
  reg awvalid = 0;
  reg [63:0] wdata = 0;
  wire awready, wready, bvalid;
  reg tx_vld = 0;
  reg [1:0] tx_etype = 0;
  reg tx_fack = 0;
  wire vld, fs, fe;
  wire [511:0] data;
  wire [5:0] be;
  reg rx_vld = 0;
  reg rx_fs = 0;
  reg rx_fe = 0;
  reg [511:0] rx_data = 0;
  reg [5:0] rx_be = 0;
  reg rate = 0;
  reg [511:0] payload;

  rclink #(.MAC_DW(512), .TYPE1_OST_N(8)) dut (
    .CLK_I(clk), .RST_N_I(rst_n), .CFG_S_AXI_AWADDR_I(awaddr), .CFG_S_AXI_AWVALID_I(awvalid),
    .CFG_S_AXI_AWREADY_O(awready), .CFG_S_AXI_WDATA_I(wdata), .CFG_S_AXI_WSTRB_I(8'hFF),
    .CFG_S_AXI_WVALID_I(awvalid), .CFG_S_AXI_WREADY_O(wready), .CFG_S_AXI_BVALID_O(bvalid),
    .CFG_S_AXI_BREADY_I(1'b1), .CFG_S_AXI_ARADDR_I(32'd0), .CFG_S_AXI_ARVALID_I(1'b0), .CFG_S_AXI_RREADY_I(1'b1),
    .IS_400G_I(1'b0), .TX_S_VLD_I(tx_vld), .TX_S_FS_I(1'b1), .TX_S_FE_I(1'b1), .TX_S_DAT_I(payload),
    .TX_S_KEEP_I({64{1'b1}}), .TX_S_QPID_I(10'h155), .TX_S_FACK_I(tx_fack), .TX_S_ETYPE_I(tx_etype),
    .TX_S_TYPE2_GROUP_INDEX_I(3'd0), .TYPE1_2_RX_M_RDY_I(1'b1),
    .NONR_MD_AXI_ARREADY_I(1'b0), .NONR_MD_AXI_RVALID_I(1'b0), .NONR_MD_AXI_RDATA_I(256'd0),
    .NONR_MD_AXI_RRESP_I(2'd0), .NONR_MD_AXI_RLAST_I(1'b0), .NONR_MD_AXI_RID_I(7'd0), .NONR_MD_AXI_AWREADY_I(1'b0),
    .NONR_MD_AXI_WREADY_I(1'b0), .NONR_MD_AXI_BVALID_I(1'b0), .NONR_MD_AXI_BRESP_I(2'd0), .NONR_MD_AXI_BID_I(7'd0),
    .NONR_DATA_AXI_ARREADY_I(1'b0), .NONR_DATA_AXI_RVALID_I(1'b0), .NONR_DATA_AXI_RDATA_I(512'd0),
    .NONR_DATA_AXI_RRESP_I(2'd0), .NONR_DATA_AXI_RLAST_I(1'b0), .NONR_DATA_AXI_RID_I(7'd0),
    .NONR_DATA_AXI_AWREADY_I(1'b0), .NONR_DATA_AXI_WREADY_I(1'b0), .NONR_DATA_AXI_BVALID_I(1'b0),
    .NONR_DATA_AXI_BRESP_I(2'd0), .NONR_DATA_AXI_BID_I(7'd0),
    .MAC2TX_CREDIT_I(vld), .MAC2TX_CREDIT_RST_I(1'b0), .TX2MAC_DATA_O(data), .TX2MAC_DATA_BE_O(be),
    .TX2MAC_VLD_O(vld), .TX2MAC_FS_O(fs), .TX2MAC_FE_O(fe),
    .MAC2TX_CBFC_RST_I(32'd0), .MAC2TX_CBFC_CREDITSIZE_I(12'd0), .MAC2TX_CBFC_CREDITLIMIT_I(20'd0),
    .MAC2TX_CBFC_PKTOVHD_LEN_I(10'd0), .MAC2TX_CBFC_VLD_I(32'd0), .MAC2TX_CBFC_NUM_I(15'd0),
    .MAC2TX_CBFC_RESET_I(1'b0), .MAC2TX_TYPE2_CRD_VLD_I(1'b0), .MAC2TX_TYPE2_CRD_NUM_I(12'd0),
    .MAC2TX_TYPE2_CREDIT_RST_I(1'b0), .MAC2RX_VLD_I(rx_vld), .MAC2RX_FS_I(rx_fs), .MAC2RX_FE_I(rx_fe),
    .MAC2RX_DATA_I(rx_data), .MAC2RX_DATA_BE_I(rx_be), .MAC2RX_FCS_ERR_I(2'd0), .RX_PFC_REQ_I(8'd0),
    .TYPE1_FLOW_STOP_I(4'd0), .TYPE2_PFC_REQ_I(1'b0), .SET_CC_RATE_VLD_I(1'b0), .SET_CC_RATE_DAT_I(22'd0),
    .SET_CC_RATE_QPID_I(10'd0), .SET_TYPE2_RATE_VLD_I(rate), .SET_TYPE2_RATE_DAT_I(22'h3FFFFF)
  );

  // The last frame sent, right-aligned, and its length.
  reg [1023:0] frame;
  integer frame_n;
  integer frames = 0;
  reg [1023:0] gather;
  integer gather_n;
  integer n;
  always @(posedge clk) begin
    if (vld) begin
      if (fs) begin
        gather = 0;
        gather_n = 0;
      end
      n = (fe && be != 0) ? be : 64;
      gather = (gather << (8 * n)) | (data >> (512 - 8 * n));
      gather_n = gather_n + n;
      if (fe) begin
        frame = gather;
        frame_n = gather_n;
        frames = frames + 1;
      end
    end
  end

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

  // Waits for a new frame, or for n clocks.
  task next_frame(input integer have);
    integer i;
    begin
      for (i = 0; i < 2000 && frames == have; i = i + 1) @(negedge clk);
      @(negedge clk);
    end
  endtask

  task packet(input [1:0] etype, input fack);
    integer have;
    begin
      have = frames;
      @(negedge clk);
      dut.ts = 16'h1234;
      dut.ts_left = 100000;
      tx_vld = 1'b1;
      tx_etype = etype;
      tx_fack = fack;
      @(negedge clk);
      tx_vld = 1'b0;
      next_frame(have);
    end
  endtask

  // Sends frame f of len bytes into the receive port.
  task loop_back(input [1023:0] f, input integer len);
    integer have;
    integer at;
    reg [1023:0] top;
    begin
      have = frames;
      top = f << (1024 - 8 * len);
      for (at = 0; at < len; at = at + 64) begin
        @(negedge clk);
        rx_vld = 1'b1;
        rx_fs = (at == 0);
        rx_fe = (at + 64 >= len);
        rx_be = rx_fe ? len - at : 0;
        rx_data = top[1023 -: 512];
        top = top << 512;
      end
      @(negedge clk);
      rx_vld = 1'b0;
      next_frame(have);
    end
  endtask

  integer errors = 0;
  integer checked = 0;
  integer file;
  integer f_format, f_vlan, f_kind, f_len;
  reg [1023:0] f_hex;

  task compare(input integer format, input integer vlan, input integer kind);
    begin
      file = $fopen("golden.txt", "r");
      while ($fscanf(file, "%d %d %d %d %h", f_format, f_vlan, f_kind, f_len, f_hex) == 5) begin
        if (f_format == format && f_vlan == vlan && f_kind == kind) begin
          checked = checked + 1;
          if (frame !== f_hex || frame_n != f_len) begin
            errors = errors + 1;
            $display("format %0d vlan %0d kind %0d: %0d bytes %0h", format, vlan, kind, frame_n, frame);
            $display("                 expected: %0d bytes %0h", f_len, f_hex);
          end
        end
      end
      $fclose(file);
    end
  endtask

  integer i, format, vlan, tag;
  reg [1023:0] request;
  integer request_n;
  initial begin
    for (i = 0; i < 64; i = i + 1) payload[511 - 8*i -: 8] = i;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    rate = 1'b1;
    repeat (2) @(negedge clk);
    rate = 1'b0;
    for (format = 0; format < 4; format = format + 1) begin
      for (vlan = 0; vlan < 2; vlan = vlan + 1) begin
        write(32'h0000, 64'h3);
        write(32'h0010, 64'h88B5_0200_0000_0011);
        write(32'h0118, 64'h88B6_0000_0000_0000);
        write(32'h0020, 64'h0040_1234_C0A8_0001);
        write(32'h0120, 64'hBEEF_C002);
        write(32'h0110, 64'h0054_0000_C0A8_0002);
        write(32'h0028, 64'h8100_1230 | vlan);
        write(32'h0168, 64'h0100_0000_0033);
        write(32'h0220, 64'h5430_0000_2800);
        write(32'h0160, (64'h1 << ((format == 0) ? 0 : (format == 1) ? 1 : (format == 2) ? 3 : 4)) | 64'h24
                        | (64'd3 << 15) | (64'd4 << 24) | (64'd5 << 27) | (64'd1 << 34));
        write(32'h2088, 64'h155);
        write(32'h2028, 64'h8000);
        repeat (20) @(negedge clk);
        write(32'h2058, 64'hABC);
        write(32'h2030, 64'hABC);
        write(32'h2038, 64'hABB);
        write(32'h2080, 64'hABB);
        write(32'h2078, 64'hABC);
        write(32'h2040, 64'hABC);
        write(32'h2048, 64'h3FFFFF);
        write(32'h2008, 64'h0000_0155_C0A8_0002);
        write(32'h2018, 64'h5A_C000);
        write(32'h2010, 64'h0200_0000_0022);
        write(32'h2070, 64'h5A);
        write(32'h2028, 64'h1);
        packet(2'd0, 1'b1);
        compare(format, vlan, 0);
        if (format != 3) begin
          request = frame;
          request_n = frame_n;
          request[8*(request_n - 6) +: 8] = 8'h11;
          loop_back(request, request_n);
          compare(format, vlan, 1);
          // A request behind a gap.
          write(32'h2078, 64'hABC);
          packet(2'd0, 1'b0);
          request = frame;
          request_n = frame_n;
          request[8*(request_n - 6) +: 8] = 8'h11;
          loop_back(request, request_n);
          compare(format, vlan, 2);
          // The same marked CE, as a duplicate; the CNP goes before the merged ACK.
          write(32'h2078, 64'h000);
          tag = (format == 0) ? 15 + 4*vlan : (format == 1) ? 6 : 0;
          request[8*(request_n - tag - 1) +: 2] = 2'b11;
          loop_back(request, request_n);
          compare(format, vlan, 3);
          repeat (400) @(negedge clk);
        end
        packet(2'd3, 1'b0);
        compare(format, vlan, 4);
      end
    end
    if (errors == 0 && checked > 20) $display("SELFCHECK PASS: %0d golden frames", checked);
    else $display("SELFCHECK FAIL: %0d errors in %0d frames", errors, checked);
    $finish;
  end
endmodule
