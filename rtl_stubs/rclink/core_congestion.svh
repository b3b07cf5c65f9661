// SPDX-License-Identifier: BSD-3-Clause
// CNPs that come in: filter and report; bytes sent without a CNP.

localparam FILTER_N = 8;
reg filter_used [0:FILTER_N-1];
reg [QP_AW-1:0] filter_qp [0:FILTER_N-1];
reg [31:0] filter_time [0:FILTER_N-1];
reg [31:0] filter_since [0:FILTER_N-1];   // order of insertion
reg [31:0] filter_count;

reg [31:0] nocnp_clocks;
reg [31:0] nocnp_interval;         // clocks
reg nocnp_due;
reg nocnp_active;
reg [QP_AW-1:0] nocnp_qp;

// Whether a CNP for q passes the filter; updates it.
task automatic filter_cnp(input [QP_AW-1:0] q, output pass);
  integer i;
  integer hit;
  integer oldest;
  integer entries;
  begin
    entries = `MUT(101, FILTER_N, 4);
    hit = -1;
    oldest = 0;
    pass = 1'b1;
    /* verilator unroll_disable */
    for (i = 0; i < entries; i = i + 1) begin
      if (filter_used[i] && filter_qp[i] == q) hit = i;
      if (!filter_used[i]) begin
        if (filter_used[oldest]) oldest = i;
      end else if (filter_used[oldest] && filter_since[i] < filter_since[oldest]) oldest = i;
    end
    if (g_misc[4]) begin
      if (hit >= 0) begin
        pass = now - filter_time[hit] > `MUT(138, g_misc[63:32], {1'b0, g_misc[63:33]});
        if (`MUT(100, pass, 1'b1)) filter_time[hit] = now;
        if (pass) begin
          filter_since[hit] = filter_count;
          filter_count = filter_count + 1;
        end
      end else begin
        filter_used[oldest] = 1'b1;
        filter_qp[oldest] = q;
        filter_time[oldest] = now;
        filter_since[oldest] = filter_count;
        filter_count = filter_count + 1;
      end
    end
  end
endtask

task automatic receive_cnp(input [QP_AW-1:0] q);
  reg pass;
  begin
    filter_cnp(q, pass);
    if (`MUT(102, 1'b1, pass)) q_bytes[q] = 32'd0;
    if (pass) begin
      RECV_CNP_VLD_O <= 1'b1;
      RECV_CNP_QPID_O <= `MUT(221, q, q_dest[q][32 +: QP_AW]);
    end
  end
endtask

task automatic run_no_cnp_report;
  begin
    nocnp_clocks = nocnp_clocks + 1;
    if (nocnp_clocks >= nocnp_interval) begin
      nocnp_clocks = 32'd0;
      nocnp_due = 1'b1;
    end
    if (!nocnp_active && nocnp_due) begin
      nocnp_active = 1'b1;
      nocnp_due = 1'b0;
      nocnp_qp = {QP_AW{1'b0}};
    end else if (nocnp_active) begin
      if (`MUT(103, q_bytes[nocnp_qp] != 32'd0, q_bytes[nocnp_qp] != 32'd0 || q_en[nocnp_qp])) begin
        NOCNP_TIMER_VLD_O <= 1'b1;
        NOCNP_TIMER_QPID_O <= nocnp_qp;
        NOCNP_TIMER_BYTE_CNT_O <= q_bytes[nocnp_qp];
        if (`MUT(139, 1'b1, 1'b0)) q_bytes[nocnp_qp] = 32'd0;
      end
      nocnp_active = (nocnp_qp != QP_NUM - 1);
      nocnp_qp = nocnp_qp + 1'b1;
    end
  end
endtask
