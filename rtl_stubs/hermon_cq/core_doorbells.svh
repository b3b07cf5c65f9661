// SPDX-License-Identifier: BSD-3-Clause
// s_axil_uar: doorbell pages, one latch per page, a queue of four doorbells executed in order.

localparam integer DQ_DEPTH = 4;

reg u_ready;
reg u_bvalid;
reg u_arready;
reg u_rvalid;

assign s_axil_uar_bresp = 2'b00;
assign s_axil_uar_rresp = 2'b00;
assign s_axil_uar_rdata = 64'd0;

reg half_valid [0:NPAGE-1];            // dword 0 of a CQ doorbell waits for dword 1
reg [31:0] half [0:NPAGE-1];
reg dq_eq [0:DQ_DEPTH-1];              // EQ doorbell
reg [15:0] dq_page [0:DQ_DEPTH-1];     // page, or EQ number
reg [31:0] dq_low [0:DQ_DEPTH-1];
reg [31:0] dq_high [0:DQ_DEPTH-1];
reg [2:0] dq_n;
reg [1:0] dq_head;
`ifdef MUTATION
integer dq_age = 0;                    // clocks since the queue moved, for one fault
`endif

task run_doorbell_port;
  begin
    if (u_bvalid && s_axil_uar_bready) u_bvalid = 1'b0;
`ifdef MUTATION
    dq_age = (dq_n == 3'd0) ? 0 : dq_age + 1;
`endif
    if (u_ready) begin
      u_ready = 1'b0;
      u_bvalid = 1'b1;
      take_doorbell(s_axil_uar_awaddr >> 12, s_axil_uar_awaddr[11:3]);
    end else if (s_axil_uar_awvalid && s_axil_uar_wvalid && !u_bvalid && dq_n != DQ_DEPTH) begin
      u_ready = 1'b1;
    end
    if (u_rvalid && s_axil_uar_rready) u_rvalid = 1'b0;
    if (u_arready) begin
      u_arready = 1'b0;
      u_rvalid = 1'b1;
      `MUT_SET(258, half_valid[s_axil_uar_araddr>>12], 1'b0)
    end else if (s_axil_uar_arvalid && !u_rvalid) begin
      u_arready = 1'b1;
    end
  end
endtask

task take_doorbell(input [15:0] page, input [8:0] pair);
  reg [15:0] latch;
  begin
    if (pair == 9'h004) begin
      latch = `MUT(191, page, 16'd0);
      if (s_axil_uar_wstrb[3:0] == 4'hF) begin
        half_valid[latch] = 1'b1;
        half[latch] = s_axil_uar_wdata[31:0];
        `MUT_IF(90, s_axil_uar_wstrb == 8'h0F, push_doorbell(1'b0, page, half[latch], 32'd0);)
      end
      if (`MUT(194, s_axil_uar_wstrb[7:4] == 4'hF, s_axil_uar_wstrb[7:4] != 4'h0)
          && `MUT(89, 1'b1, s_axil_uar_wstrb[3:0] == 4'hF) && half_valid[latch]) begin
        half_valid[latch] = 1'b0;
        `MUT_IF(259, s_axil_uar_wstrb == 8'hFF && half_valid[latch^1], half_valid[latch^1] = 1'b0;)
        push_doorbell(1'b0, page, half[latch], s_axil_uar_wdata[63:32]);
      end
    end else if (pair[8:2] == 7'h40 && s_axil_uar_wstrb[3:0] == 4'hF) begin
      `MUT_SET(192, half_valid[page], 1'b0)
      push_doorbell(1'b1, {page[13:0], `MUT(158, pair[1:0], {1'b0, pair[0]})},
                    s_axil_uar_wdata[31:0], 32'd0);
    end
  end
endtask

task push_doorbell(input is_eq, input [15:0] page, input [31:0] low, input [31:0] high);
  reg [1:0] tail;
  begin : push
`ifdef MUTATION
    `MUT_IF(279, !is_eq && (es == E_FILL_MTT || es == E_FILL_WRITE), disable push;)
    `MUT_IF(278, !is_eq && high[31:24] != 8'd0, disable push;)
`endif
    tail = dq_head + dq_n[1:0];
    dq_eq[tail] = is_eq;
    dq_page[tail] = page;
    dq_low[tail] = low;
    dq_high[tail] = high;
    dq_n = dq_n + 3'd1;
  end
endtask

// Executes the oldest doorbell. An arming EQ doorbell goes on in E_EQ_ARM, one clock later.
task begin_doorbell;
  begin
    if (dq_eq[dq_head]) begin
      if (dq_page[dq_head] < NUM_EQ) begin_eq_doorbell(dq_page[dq_head][4:0], dq_low[dq_head]);
    end else begin
      ring_cq(dq_page[dq_head], dq_low[dq_head], dq_high[dq_head][23:0]);
    end
    dq_head = dq_head + 2'd1;
    dq_n = dq_n - 3'd1;
`ifdef MUTATION
    dq_age = 0;
`endif
    if (go_doorbells != 3'd0) go_doorbells = go_doorbells - 3'd1;
    scan_left = NCQ + 1;
  end
endtask

task ring_cq(input [15:0] page, input [31:0] low, input [23:0] param);
  reg [NUM_CQ_LOG-1:0] q;
  reg right;                           // the doorbell came by the page of the CQ
  begin
    q = low[NUM_CQ_LOG-1:0];
    if (low[23:0] < NCQ && cq_hw[q]) begin
      right = `MUT(91, cq_usr_page[q] == {8'd0, page}, 1'b1);
      right = `MUT(92, right, cq_usr_page[q][9:0] == page[9:0]);
      if (right || k_bad_uar == 2) request_event(q, low[26:24], low[29:28], param);
      else if (k_bad_uar == 1) pend_uar = 1'b1;
    end
  end
endtask

reg [4:0] da_eq;                       // EQ being armed

task begin_eq_doorbell(input [4:0] e, input [31:0] value);
  begin
    if (eq_valid[e]) begin
      if (`MUT(274, 1'b1, value[31])) eq_ci[e] = value[23:0];
      irq_look = 1'b1;
      if (`MUT(160, value[31], 1'b1) && eq_st[e] != EQ_ALWAYS) begin
        da_eq = e;
        irq_v[e] = 1'b0;
        eq_st[e] = EQ_ARMED;
        `MUT_IF(287, (e ^ 5'd1) < NUM_EQ && eq_st[e^5'd1] == EQ_IDLE, eq_st[e^5'd1] = EQ_ARMED;)
        es = E_EQ_ARM;
      end
    end
  end
endtask

task run_eq_arm;
  begin
    es = E_IDLE;
    irq_look = 1'b1;
    if (eq_st[da_eq] == EQ_ARMED && `MUT(159, eq_ci[da_eq] != eq_pi[da_eq], 1'b0)) begin
      eq_st[da_eq] = EQ_FIRED;
      irq_v[da_eq] = 1'b1;
    end
  end
endtask
