// SPDX-License-Identifier: BSD-3-Clause
// s_axis_cpl into a one-report buffer, m_axis_sts out of another.

reg rep_valid;
reg [255:0] rep_body;
reg [23:0] rep_cqn;
reg rep_solicited;
reg rep_error;
reg [31:0] rep_tag;
reg sts_v;
reg [63:0] sts_data;

assign m_axis_sts_tlast = 1'b1;

task run_streams;
  begin
    if (sts_v && m_axis_sts_tready) sts_v = 1'b0;
    if (s_axis_cpl_tready && s_axis_cpl_tvalid) begin
      rep_valid = 1'b1;
      rep_body = s_axis_cpl_tdata[255:0];
      rep_cqn = s_axis_cpl_tdata[279:256];
      rep_error = s_axis_cpl_tdata[313];
      rep_solicited = s_axis_cpl_tdata[312] || rep_error;
      rep_tag = s_axis_cpl_tdata[351:320];
      cnt_cpl = cnt_cpl + 32'd1;
    end
  end
endtask
