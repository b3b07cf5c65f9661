// SPDX-License-Identifier: BSD-3-Clause
// Completion reports: checks, capacity, translation, CQE.

// Result codes on m_axis_sts.
localparam [7:0] R_WRITTEN = 8'd0;
localparam [7:0] R_OVERFLOW = 8'd1;
localparam [7:0] R_CQ_ERROR = 8'd2;
localparam [7:0] R_NO_CQ = 8'd3;
localparam [7:0] R_WRITE_FAILED = 8'd4;

reg [NUM_CQ_LOG-1:0] rep_cq;

task begin_report;
  begin
    rep_cq = rep_cqn[NUM_CQ_LOG-1:0];
    if (rep_cqn >= NCQ || !cq_hw[rep_cq]) finish_report(R_NO_CQ);
    else if (cq_status[rep_cq] != 4'h0) finish_report(R_CQ_ERROR);
    else if (capacity_counts(rep_cq) && (takes(4) || is_full(rep_cq))) begin
      start_access(1'b0, cq_record[rep_cq], 7'd8);
      es = E_REP_RECORD;
    end else translate_report;
  end
endtask

function automatic capacity_counts(input [NUM_CQ_LOG-1:0] q);
  capacity_counts = !cq_oi[q] && !(cq_cc[q] && k_cc_cap == 0);
endfunction

function automatic is_full(input [NUM_CQ_LOG-1:0] q);
  reg signed [31:0] outstanding;
  begin
    outstanding = gap(cq_pi[q], cq_ci[q]);
    is_full = outstanding >= $signed({8'd0, size_of(cq_log[q])}) - ((k_cap_mode == 0) ? 1 : 0);
  end
endfunction

// An unreadable record leaves the cached consumer counter in use.
task take_record(input [NUM_CQ_LOG-1:0] q);
  if (!mx_err) cq_ci[q] = record_dword(1'b0);
endtask

function automatic [31:0] record_dword(input k);
  record_dword = swap32(mx_data[32*k+:32]);
endfunction

task run_report_record;
  reg [31:0] request;
  begin
    if (mx_done) begin
      take_record(rep_cq);
      request = record_dword(1'b1);
      if (k_dbrec_arm == 1 && !mx_err) request_event(rep_cq, {1'b0, request[26] ? 2'd0 : request[25:24]}, request[29:28],
                                                     request[23:0]);
      if (is_full(rep_cq)) begin
        fail_cq(4'h9, 8'h01);
        finish_report(R_OVERFLOW);
      end else translate_report;
    end
  end
endtask

task fail_cq(input [3:0] status, input [7:0] syndrome);
  begin
    cq_status[rep_cq] = status;
    cq_syndrome[rep_cq] = syndrome;
    cq_pend_error[rep_cq] = 1'b1;
  end
endtask

task translate_report;
  begin
    use_ring(rep_cq);
    tr_keep = 1'b1;
    start_translation(cq_pi[rep_cq]);
    es = E_REP_MTT;
  end
endtask

task run_report_translation;
  begin
    if (mx_done || tr_hit) begin
      finish_translation;
      if (!tr_entry[0]) begin
        fail_cq(4'hA, 8'h02);
        finish_report(R_WRITE_FAILED);
      end else begin
        start_access(1'b1, cqe_address(), 7'd32);
        mx_data = swap_dwords({256'd0, reported_cqe()});
        es = E_REP_CQE;
      end
    end
  end
endtask

function automatic [255:0] reported_cqe();
  begin
    reported_cqe = rep_body;
    if (rep_error) begin
      reported_cqe[7*32+:5] = 5'h1E;
      if (takes(26)) reported_cqe[32+:5*32] = 160'd0;
    end
    reported_cqe[7*32+7] = owner_of(cq_pi[rep_cq], cq_log[rep_cq], cq_cc[rep_cq]);
  end
endfunction

task run_report_write;
  begin
    if (mx_done) begin
      if (mx_err) begin
        fail_cq(4'hA, 8'h02);
        finish_report(R_WRITE_FAILED);
      end else begin
        count_cqe(rep_cq, rep_solicited, 1'b1);
        look_at(rep_cq);
        finish_report(R_WRITTEN);
      end
    end
  end
endtask

task finish_report(input [7:0] code);
  begin
    es = E_IDLE;
    rep_valid = 1'b0;
    sts_v = (k_has_sts == 1);
    sts_data = {rep_tag, code, rep_cqn};
    if (code != R_WRITTEN) cnt_ref = cnt_ref + 32'd1;
    scan_left = NCQ + 1;
  end
endtask
