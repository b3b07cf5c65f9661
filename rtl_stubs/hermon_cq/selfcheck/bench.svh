// SPDX-License-Identifier: BSD-3-Clause
// What the self-checks share: the engine with memory, a driver's register and doorbell accesses, checks.
// AXI_W is the width of m_axi in bits.

  localparam W = `AXI_W;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #0.5 clk = ~clk;

  // Memory map, offsets in 256 KiB of memory; MTT entries add a high half that the bench looks for on the bus.
  localparam [31:0] HIGH = 32'h0000_00A5;
  localparam [17:0] MTT = 18'h01000;
  localparam [17:0] MAILBOX = 18'h02000;
  localparam [17:0] RECORDS = 18'h03000;
  localparam [17:0] EQS = 18'h04000;
  localparam [17:0] PAGES = 18'h10000;
  reg [7:0] mem [0:(1<<18)-1];

  reg [11:0] c_awaddr = 0, c_araddr = 0;
  reg [31:0] c_wdata = 0;
  reg c_valid = 0, c_arvalid = 0;
  wire c_awready, c_bvalid, c_arready, c_rvalid;
  wire [31:0] c_rdata;
  reg [15:0] u_awaddr = 0;
  reg [63:0] u_wdata = 0;
  reg [7:0] u_wstrb = 0;
  reg u_valid = 0;
  wire u_awready, u_bvalid;
  reg [511:0] cpl = 0;
  reg cpl_valid = 0;
  wire cpl_ready;
  wire [63:0] sts;
  wire sts_valid;
  wire [3:0] irq;
  reg tick = 0;

  wire [63:0] awaddr, araddr;
  wire [W-1:0] wdata;
  wire [W/8-1:0] wstrb;
  wire [7:0] awlen, arlen;
  wire [2:0] arsize;
  wire awvalid, wvalid, wlast, bready, arvalid, rready;
  reg bvalid = 0, rvalid = 0, rlast = 0;
  reg [W-1:0] rdata = 0;
  reg aw_open = 0;
  reg [1:0] bresp = 0, rresp = 0;

  hermon_cq #(.AXI_DATA_W(W)) dut (
    .clk(clk), .rst_n(rst_n), .tick_us(tick), .irq(irq),
    .s_axil_cmd_awaddr(c_awaddr), .s_axil_cmd_awprot(3'd0), .s_axil_cmd_awvalid(c_valid),
    .s_axil_cmd_awready(c_awready), .s_axil_cmd_wdata(c_wdata), .s_axil_cmd_wstrb(4'hF),
    .s_axil_cmd_wvalid(c_valid), .s_axil_cmd_bvalid(c_bvalid), .s_axil_cmd_bready(1'b1),
    .s_axil_cmd_araddr(c_araddr), .s_axil_cmd_arprot(3'd0), .s_axil_cmd_arvalid(c_arvalid),
    .s_axil_cmd_arready(c_arready), .s_axil_cmd_rdata(c_rdata), .s_axil_cmd_rvalid(c_rvalid),
    .s_axil_cmd_rready(1'b1),
    .s_axil_uar_awaddr(u_awaddr), .s_axil_uar_awprot(3'd0), .s_axil_uar_awvalid(u_valid),
    .s_axil_uar_awready(u_awready), .s_axil_uar_wdata(u_wdata), .s_axil_uar_wstrb(u_wstrb),
    .s_axil_uar_wvalid(u_valid), .s_axil_uar_bvalid(u_bvalid), .s_axil_uar_bready(1'b1),
    .s_axil_uar_araddr(16'd0), .s_axil_uar_arprot(3'd0), .s_axil_uar_arvalid(1'b0), .s_axil_uar_rready(1'b1),
    .s_axis_cpl_tdata(cpl), .s_axis_cpl_tkeep({64{1'b1}}), .s_axis_cpl_tlast(1'b1), .s_axis_cpl_tvalid(cpl_valid),
    .s_axis_cpl_tready(cpl_ready), .m_axis_sts_tdata(sts), .m_axis_sts_tvalid(sts_valid), .m_axis_sts_tready(1'b1),
    .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awvalid(awvalid), .m_axi_awready(1'b1),
    .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(aw_open),
    .m_axi_bid(4'd0), .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
    .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arvalid(arvalid),
    .m_axi_arready(1'b1), .m_axi_rid(4'd0), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
    .m_axi_rvalid(rvalid), .m_axi_rready(rready)
  );

  integer errors = 0;
  task check(input ok, input integer line);
    if (ok !== 1'b1) begin
      errors = errors + 1;
      $display("check at line %0d failed, time %0t", line, $time);
    end
  endtask
  `define CHECK(expression) check(expression, `__LINE__)

  // Memory: data beats are taken once the address is known; ring pages carry the high half.
  reg [63:0] w_at;
  reg [63:0] r_at;
  integer r_left = 0;
  integer ring_writes = 0;
  integer i;
  always @(posedge clk) begin
    if (awvalid && !aw_open) begin
      w_at = awaddr;
      aw_open <= 1'b1;
      if (awaddr[17:0] >= PAGES) begin
        `CHECK(awaddr[63:32] == HIGH);
        ring_writes = ring_writes + 1;
      end
    end
    if (wvalid && aw_open) begin
      for (i = 0; i < W / 8; i = i + 1) if (wstrb[i]) mem[(w_at[17:0] & ~(W / 8 - 1)) + i] = wdata[8*i+:8];
      w_at = w_at + W / 8;
      if (wlast) begin
        aw_open <= 1'b0;
        bvalid <= 1'b1;
      end
    end
    if (bvalid && bready) bvalid <= 1'b0;
    if (arvalid) begin
      r_at = araddr;
      r_left = arlen + 1;
    end
    if (rvalid && rready) rvalid <= 1'b0;
    if (r_left != 0 && (!rvalid || rready)) begin
      for (i = 0; i < W / 8; i = i + 1) rdata[8*i+:8] <= mem[(r_at[17:0] & ~(W / 8 - 1)) + i];
      r_at = r_at + W / 8;
      rlast <= (r_left == 1);
      rvalid <= 1'b1;
      r_left = r_left - 1;
    end
  end

  function [31:0] dword(input [17:0] at);
    dword = {mem[at], mem[at+1], mem[at+2], mem[at+3]};
  endfunction
  task put_dword(input [17:0] at, input [31:0] value);
    {mem[at], mem[at+1], mem[at+2], mem[at+3]} = value;
  endtask

  task ticks(input integer n);
    repeat (n) begin
      tick = 1;
      @(negedge clk) tick = 0;
      clocks(3);
    end
  endtask

  task clocks(input integer n);
    repeat (n) @(negedge clk);
  endtask

  task write_reg(input [11:0] at, input [31:0] value);
    begin
      c_awaddr = at;
      c_wdata = value;
      c_valid = 1;
      while (!c_awready) @(negedge clk);
      @(negedge clk) c_valid = 0;
      while (!c_bvalid) @(negedge clk);
    end
  endtask

  reg [31:0] value;
  task read_reg(input [11:0] at);
    begin
      c_araddr = at;
      c_arvalid = 1;
      while (!c_arready) @(negedge clk);
      @(negedge clk) c_arvalid = 0;
      while (!c_rvalid) @(negedge clk);
      value = c_rdata;
    end
  endtask

  reg [7:0] status;
  task command(input [11:0] opcode, input [3:0] opmod, input [23:0] cqn);
    begin
      write_reg(12'h000, 32'd0);
      write_reg(12'h004, {14'd0, MAILBOX});
      write_reg(12'h008, {8'd0, cqn});
      write_reg(12'h00C, 32'd0);
      write_reg(12'h010, {14'd0, MAILBOX} + 32'd64);
      write_reg(12'h018, {8'd0, 1'b1, 7'd0, opmod, opcode});
      read_reg(12'h018);
      while (value[23]) read_reg(12'h018);
      status = value[31:24];
    end
  endtask

  // One doorbell as a 64-bit write, or as two halves.
  task ring_doorbell(input halves, input [23:0] cqn, input [2:0] cmd, input [1:0] sn, input [23:0] param);
    integer k;
    begin
      for (k = 0; k < 2; k = k + 1) if (halves || k == 0) begin
        u_awaddr = 16'h3020;
        u_wdata = {8'd0, param, 2'd0, sn, 1'b0, cmd, cqn};
        u_wstrb = !halves ? 8'hFF : (k == 0) ? 8'h0F : 8'hF0;
        u_valid = 1;
        while (!u_awready) @(negedge clk);
        @(negedge clk) u_valid = 0;
        while (!u_bvalid) @(negedge clk);
      end
    end
  endtask

  // One dword of the doorbell pair at 0x20 on a page.
  task write_half(input [3:0] page, input high, input [31:0] word);
    begin
      u_awaddr = {page, 12'h020};
      u_wdata = {word, word};
      u_wstrb = high ? 8'hF0 : 8'h0F;
      u_valid = 1;
      while (!u_awready) @(negedge clk);
      @(negedge clk) u_valid = 0;
      while (!u_bvalid) @(negedge clk);
    end
  endtask

  task eq_doorbell(input [23:0] ci, input arm);
    begin
      u_awaddr = 16'h0808;
      u_wdata = {32'd0, arm, 7'd0, ci};
      u_wstrb = 8'h0F;
      u_valid = 1;
      while (!u_awready) @(negedge clk);
      @(negedge clk) u_valid = 0;
      while (!u_bvalid) @(negedge clk);
    end
  endtask

  // Report with tag = body dword 5; returns the code.
  reg [7:0] code;
  integer tag = 100;
  task report(input [23:0] cqn, input solicited, input error);
    begin
      tag = tag + 1;
      cpl = 512'd0;
      cpl[31:0] = 32'h0000_1234;
      cpl[5*32+:32] = tag;
      cpl[7*32+:32] = 32'h0000_0001;
      cpl[256+:24] = cqn;
      cpl[312] = solicited;
      cpl[313] = error;
      cpl[320+:32] = tag;
      cpl_valid = 1;
      while (!cpl_ready) @(negedge clk);
      @(negedge clk) cpl_valid = 0;
      while (!sts_valid) @(negedge clk);
      code = sts[31:24];
      `CHECK(sts[23:0] == cqn && sts[63:32] == tag);
      @(negedge clk);
    end
  endtask

  // The CQE that a poll of the ring would take now.
  task check_cqe(input [17:0] at, input owner, input [4:0] opcode, input integer want_tag);
    begin
      `CHECK(mem[at+31] == {owner, 2'b00, opcode});
      if (opcode != 5'h16) `CHECK(dword(at) == 32'h0000_1234);
      if (opcode == 5'h01) `CHECK(dword(at + 20) == want_tag);
    end
  endtask

  task publish(input [17:0] record, input [23:0] ci);
    put_dword(record, {8'd0, ci});
  endtask

  // Context: 8 entries at byte 4064 of the first page, so that all but one are on the second.
  task fill_mailbox(input [4:0] log_size, input [6:0] offset, input [31:0] mtt, input [15:0] count, input [17:0] record);
    integer k;
    begin
      for (k = 0; k < 64; k = k + 4) put_dword(MAILBOX + k, 32'd0);
      put_dword(MAILBOX + 8, {20'd0, offset, 5'd0});
      put_dword(MAILBOX + 12, {3'd0, log_size, 24'd3});
      put_dword(MAILBOX + 16, {16'd0, count});
      put_dword(MAILBOX + 20, 32'd1);
      put_dword(MAILBOX + 28, mtt);
      put_dword(MAILBOX + 60, {14'd0, record});
    end
  endtask

  integer k;
  integer events = 0;
  task expect_events(input integer more);
    begin
      clocks(400);
      events = events + more;
      read_reg(12'h42C);
      `CHECK(value == events);
    end
  endtask

  // Memory as software leaves it: MTT of 16 pages in reverse order, EQ 1 with four entries, armed.
  task start_up(input [1:0] stride_sel);
    begin
      rst_n = 0;
      events = 0;
      for (k = 0; k < (1 << 18); k = k + 1) mem[k] = 8'h00;
      for (k = 0; k < 16; k = k + 1) begin                // pages in reverse order
        put_dword(MTT + 8 * k, HIGH);
        put_dword(MTT + 8 * k + 4, {14'd0, PAGES} + (15 - k) * 4096 + 1);
      end
      for (k = 0; k < 64; k = k + 1) mem[EQS + 32 * k + 31] = 8'h80;
      clocks(20);
      rst_n = 1;
      clocks(2);
      write_reg(12'h03C, {14'd0, MTT});
      write_reg(12'h424, 32'd0);
      write_reg(12'h428, {14'd0, EQS});
      write_reg(12'h420, {14'd0, 2'd1, 3'd0, 5'd2, 7'd0, 1'b1});
      write_reg(12'h034, 32'h8000_0001);
      write_reg(12'h030, {29'd0, stride_sel, 1'b1});
    end
  endtask

  task finish(input [8*7-1:0] name);
    begin
      if (errors == 0) $display("%0s: PASS", name);
      else $display("%0s: FAIL, %0d checks", name, errors);
      $finish;
    end
  endtask

  initial begin
    #1000000;
    $display("FAIL, time is over");
    $finish;
  end
