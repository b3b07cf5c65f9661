// SPDX-License-Identifier: BSD-3-Clause
// s_axis_cpl into a one-report buffer, m_axis_sts out of another.

reg rep_valid;
reg [255:0] rep_body;
reg [23:0] rep_cqn;
reg rep_solicited;
reg rep_error;
reg [31:0] rep_tag;
`ifdef MUTATION
reg rep_owned;                         // ownership when the report was accepted
`endif
integer sts_wait;                      // clocks until the result is offered
reg sts_v;
reg [63:0] sts_data;

assign m_axis_sts_tlast = 1'b1;

task run_streams;
  begin
    if (sts_v && m_axis_sts_tready) sts_v = 1'b0;
    `MUT_IF(167, sts_v, sts_v = 1'b0;)
    if (sts_wait != 0) begin
      sts_wait = sts_wait - 1;
      if (sts_wait == 0) sts_v = 1'b1;
    end
    if (s_axis_cpl_tready && s_axis_cpl_tvalid) begin
      rep_valid = 1'b1;
      rep_body = `MUT(49, s_axis_cpl_tdata[255:0],
          {s_axis_cpl_tdata[255:24], rep_body[23:0]});
      rep_cqn = s_axis_cpl_tdata[279:256];
      rep_error = s_axis_cpl_tdata[313];
      rep_solicited = s_axis_cpl_tdata[312] || `MUT(73, rep_error, 1'b0)
          || `MUT(74, 1'b0, s_axis_cpl_tdata[7*32+6]);
      rep_tag = s_axis_cpl_tdata[351:320];
      cnt_cpl = cnt_cpl + 32'd1;
      `MUT_IF(246, sts_v, rep_valid = 1'b0;)
`ifdef MUTATION
      rep_owned = cq_hw[rep_cqn[NUM_CQ_LOG-1:0]];
`endif
    end
  end
endtask
