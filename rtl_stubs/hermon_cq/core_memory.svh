// SPDX-License-Identifier: BSD-3-Clause
// m_axi: one access outstanding, ID 0. The engine starts an access and waits for mx_done, high for one clock.

reg mx_busy;
reg mx_done;
reg mx_err;                            // SLVERR or DECERR on any beat
reg mx_write;
reg [63:0] mx_addr;
reg [6:0] mx_bytes;                    // 1 or 32 or 64 written, 8 or 64 read
reg [511:0] mx_data;                   // byte 0 at bits 7:0
reg [3:0] mx_beats;
reg [3:0] mx_beat;
integer mx_gap;                        // clocks until it is offered
integer mx_age;                        // clocks since then
reg ar_v;
reg aw_v;
reg w_v;
reg aw_taken;
reg w_taken;

assign m_axi_awid = {AXI_ID_W{1'b0}};
assign m_axi_awsize = FULL_SIZE;
assign m_axi_awburst = 2'b01;
assign m_axi_awcache = 4'd0;
assign m_axi_awprot = 3'd0;
assign m_axi_awqos = 4'd0;
assign m_axi_arid = {AXI_ID_W{1'b0}};
assign m_axi_arburst = 2'b01;
assign m_axi_arcache = 4'd0;
assign m_axi_arprot = 3'd0;
assign m_axi_arqos = 4'd0;

task start_access(input write, input [63:0] addr, input [6:0] bytes);
  begin
    mx_busy = 1'b1;
    mx_err = 1'b0;
    mx_write = write;
    mx_addr = addr;
    mx_bytes = bytes;
    mx_beats = (bytes <= LANES) ? 4'd1 : bytes / LANES;
    mx_beat = 4'd0;
    aw_taken = 1'b0;
    w_taken = 1'b0;
    mx_age = 0;
    mx_gap = takes(1) ? lfsr[2:0] : 0;
  end
endtask

task run_memory;
  begin
    mx_done = 1'b0;
    if (ar_v && m_axi_arready) ar_v = 1'b0;
    if (aw_v && m_axi_awready) begin
      aw_v = 1'b0;
      aw_taken = 1'b1;
    end
    if (w_v && m_axi_wready) begin
      mx_beat = mx_beat + 4'd1;
      w_taken = (mx_beat == mx_beats);
      w_v = !w_taken;
    end
    if (m_axi_rready && m_axi_rvalid) begin
      mx_data[mx_beat*AXI_DATA_W+:AXI_DATA_W] = (mx_bytes < LANES)
          ? (m_axi_rdata >> {mx_addr[LANE_LOG-1:0], 3'd0}) : m_axi_rdata;
      mx_err = mx_err | m_axi_rresp[1];
      mx_beat = mx_beat + 4'd1;
      if (mx_beat == mx_beats) finish_access;
    end
    if (m_axi_bready && m_axi_bvalid) take_response;
`ifdef MUTATION
    else if (mx_busy && mx_write && aw_taken && w_taken && es == E_REP_CQE && !b_owed) go_on_without_response;
`endif
  end
endtask

task take_response;
  begin
`ifdef MUTATION
    if (b_owed) begin
      b_owed = 1'b0;
      if (mutsel == 163) sts_v = 1'b1;
    end else
`endif
    begin
      mx_err = m_axi_bresp[1];
      finish_access;
    end
  end
endtask

`ifdef MUTATION
// Faults that do not wait for the response to a CQE; it is taken while the next access may be under way.
reg b_owed = 1'b0;
task go_on_without_response;
  begin
    `MUT_IF(163, cq_arm[rep_cq] != ARM_NONE, b_owed = 1'b1;)
    `MUT_DO(201, b_owed = 1'b1;)
    if (b_owed) finish_access;
  end
endtask
`endif

task finish_access;
  begin
    mx_busy = 1'b0;
    mx_done = 1'b1;
  end
endtask

// Raises the VALIDs of an access that was started in this or an earlier clock.
task offer_access;
  begin
    if (mx_gap != 0) begin
      mx_gap = mx_gap - 1;
    end else if (!mx_write) begin
      if (!aw_taken) begin
        aw_taken = 1'b1;
        ar_v = 1'b1;
      end
    end else begin
      if (!aw_taken && !(takes(4) && mx_age < 5)) aw_v = 1'b1;
      if (!w_taken && !(takes(5) && !takes(4) && mx_age < 5)) w_v = 1'b1;
      mx_age = mx_age + 1;
    end
  end
endtask

task drive_memory;
  begin
    if (mx_busy) begin
      offer_access;
      drive_access;
    end
    m_axi_arvalid <= ar_v;
    m_axi_rready <= mx_busy && !mx_write;
    m_axi_awvalid <= aw_v;
    m_axi_wvalid <= w_v;
    m_axi_bready <= mx_busy && mx_write && aw_taken && w_taken;
`ifdef MUTATION
    if (b_owed) m_axi_bready <= 1'b1;
`endif
  end
endtask

task drive_access;
  reg [63:0] beat_addr;
  begin
    beat_addr = mx_addr & ~(64'd1 * (LANES - 1));
    m_axi_araddr <= mx_addr;
    m_axi_arlen <= {4'd0, mx_beats - 4'd1};
    m_axi_arsize <= (mx_bytes == 7'd8) ? 3'd3 : FULL_SIZE;
    m_axi_awaddr <= beat_addr;
    m_axi_awlen <= {4'd0, mx_beats - 4'd1};
    m_axi_wdata <= mx_data[(mx_beat&4'd7)*AXI_DATA_W+:AXI_DATA_W]
        ^ `MUT(166, 0, (w_v && m_axi_wvalid && !m_axi_wready && es == E_REP_CQE && rep_error && mx_beat == 4'd1)
               ? 1 : 0);
    m_axi_wstrb <= (mx_bytes == 7'd1) ? ({{(LANES-1){1'b0}}, 1'b1} << mx_addr[LANE_LOG-1:0])
        : {LANES{`MUT(48, 1'b1,
                      es != E_REP_CQE || mx_beat != 4'd1 || mx_data[64+:64] != 64'd0)
                 && `MUT(285, 1'b1, es != E_CMD_OUT || mx_data[(mx_beat&4'd7)*AXI_DATA_W+:AXI_DATA_W] != 0)}};
    m_axi_wlast <= (mx_beat + 4'd1 == mx_beats);
  end
endtask
