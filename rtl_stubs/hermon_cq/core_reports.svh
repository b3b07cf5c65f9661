// SPDX-License-Identifier: BSD-3-Clause
// Completion reports: checks, capacity, translation, CQE.

// Result codes on m_axis_sts.
localparam [7:0] R_WRITTEN = 8'd0;
localparam [7:0] R_OVERFLOW = 8'd1;
localparam [7:0] R_CQ_ERROR = 8'd2;
localparam [7:0] R_NO_CQ = 8'd3;
localparam [7:0] R_WRITE_FAILED = 8'd4;

reg [NUM_CQ_LOG-1:0] rep_cq;
`ifdef MUTATION
reg rep_late = 1'b0;                   // one fault writes the CQE of a report that was refused
`endif

task begin_report;
  begin
    rep_cq = rep_cqn[NUM_CQ_LOG-1:0];
    if (`MUT(187, rep_cqn >= NCQ, 1'b0) || !report_owned()) begin
      finish_report(`MUT(238, R_NO_CQ, R_CQ_ERROR));
      `MUT_IF(243, rep_cqn[22] && cq_hw[rep_cq], cq_pi[rep_cq] = cq_pi[rep_cq] + 24'd1;)
    end else if (`MUT(119, cq_status[rep_cq] != 4'h0, cq_status[rep_cq] == 4'hA)) begin
      `MUT_DO(116, cq_pend_error[rep_cq] = 1'b1;)
      finish_report(R_CQ_ERROR);
    end else if (`MUT(56, 1'b0,
                      rep_error && cq_sol_valid[rep_cq] && cq_sol[rep_cq] == cq_pi[rep_cq])) begin
      finish_report(R_WRITTEN);
    end else if (`MUT(129, 1'b0, cq_oi[rep_cq] && is_full(rep_cq))) begin
      count_cqe(rep_cq, rep_solicited, 1'b1);
      finish_report(R_WRITTEN);
    end else if (`MUT(68, 1'b0,
                      capacity_counts(rep_cq) && is_full(rep_cq) && cnt_cpl[2])) begin
      fail_cq(4'h9, 8'h01);
      finish_report(R_OVERFLOW);
    end else if (`MUT(130, capacity_counts(rep_cq), 1'b1) && (takes(3) || is_full(rep_cq))) begin
      read_record(rep_cq);
      es = E_REP_RECORD;
    end else translate_report;
  end
endtask

function automatic report_owned();
  report_owned = `MUT(186, `MUT(174, cq_hw[rep_cq], rep_owned),
                      cq_hw[rep_cq] || cq_fired[rep_cq]);
endfunction

function automatic capacity_counts(input [NUM_CQ_LOG-1:0] q);
  capacity_counts = `MUT(128, !cq_oi[q], !cq_oi[q] || cq_pi[q] - cq_ci[q] >= (size_of(cq_log[q]) << 1))
      && !(cq_cc[q] && k_cc_cap == 0)
      || `MUT(270, 1'b0, cq_cc[q] && cq_oi[q] && cq_pi[q] - cq_ci[q] > size_of(cq_log[q]));
endfunction

function automatic is_full(input [NUM_CQ_LOG-1:0] q);
  reg signed [31:0] outstanding;
  reg signed [31:0] room;
  begin
    outstanding = gap(cq_pi[q], cq_ci[q]);
    `MUT_SET(69, outstanding, $signed({8'd0, cq_pi[q] - cq_ci[q]}))
    `MUT_SET(60, outstanding, $signed({8'd0, cq_pi[q]}) - $signed({8'd0, cq_ci[q]}))
    room = size_of(`MUT(149, cq_log[q], cap_log[q])) - ((k_cap_mode == 0) ? 1 : 0);
    is_full = outstanding >= `MUT(111, `MUT(112, room, room + 2), room - 1);
  end
endfunction

task read_record(input [NUM_CQ_LOG-1:0] q);
  reg [63:0] at;
  begin
    at = `MUT(63, cq_record[q], {32'd0, cq_record[q][31:0]});
    `MUT_SET(264, at, first_record[q])
    start_access(1'b0, `MUT(64, at, at & ~64'd63), `MUT(64, 7'd8, 7'd64));
`ifdef MUTATION
    rec_at = at[5:3];
`endif
  end
endtask

// An unreadable record leaves the cached consumer counter in use.
task take_record(input [NUM_CQ_LOG-1:0] q);
  if (!mx_err) begin
    cq_ci[q] = record_dword(`MUT(66, 1'b0, 1'b1));
    `MUT_SET(65, cq_ci[q], {8'd0, cq_ci[q][15:0]})
  end
endtask

`ifdef MUTATION
reg [2:0] rec_at;                      // place of the record in its line of 64 bytes
`endif

function automatic [31:0] record_dword(input k);
  begin
    record_dword = `MUT(67, swap32(mx_data[32*k+:32]), mx_data[32*k+:32]);
    `MUT_SET(64, record_dword, swap32(mx_data[64*rec_at+32*k+:32]))
  end
endfunction

task run_report_record;
  reg [31:0] request;
  begin
    if (mx_done) begin
      take_record(rep_cq);
      request = record_dword(1'b1);
      if (k_dbrec_arm == 1 && !mx_err) request_event(rep_cq, request[26:24], request[29:28], request[23:0]);
      if (`MUT(130, 1'b0, cq_oi[rep_cq] && mx_err)) begin
        fail_cq(4'hA, 8'h02);
        finish_report(R_WRITE_FAILED);
      end else if (capacity_counts(rep_cq) && is_full(rep_cq)) begin
        finish_report(`MUT(119, R_OVERFLOW, (cq_status[rep_cq] == 4'h0) ? R_OVERFLOW : R_CQ_ERROR));
        if (`MUT(119, 1'b1, cq_status[rep_cq] == 4'h0)) fail_cq(`MUT(114, 4'h9, 4'hA), `MUT(117, 8'h01, 8'h02));
        cq_pi[rep_cq] = cq_pi[rep_cq] + `MUT(115, 24'd0, 24'd2);
        `MUT_DO(113, rep_valid = 1'b1; rep_late = 1'b1; translate_report;)
      end else translate_report;
    end
  end
endtask

task fail_cq(input [3:0] status, input [7:0] syndrome);
  begin
    cq_status[rep_cq] = status;
    cq_syndrome[rep_cq] = syndrome;
    cq_pend_error[rep_cq] = 1'b1;
    `MUT_IF(182, cq_hw[rep_cq^1], cq_status[rep_cq^1] = status;)
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
    if (mx_done && tr_ahead) begin
      start_translation(cq_pi[rep_cq]);
    end else if (mx_done || tr_hit) begin
      finish_translation;
      if (`MUT(133, 1'b0, !tr_entry[0] && cq_oi[rep_cq])) begin
        count_cqe(rep_cq, rep_solicited, 1'b1);
        finish_report(R_WRITTEN);
      end else if (`MUT(122, !tr_entry[0], 1'b0)) begin
        fail_cq(`MUT(231, 4'hA, 4'h9), 8'h02);
        `MUT_SET(230, cq_pend_error[rep_cq], 1'b0)
        finish_report(R_WRITE_FAILED);
      end else begin
        write_cqe;
        `MUT_DO(52, start_access(1'b1, cqe_address() + 64'd31, 7'd1);
                mx_data = {64{mx_data[31*8+:8]}}; es = E_REP_OWNER;)
      end
    end
  end
endtask

task write_cqe;
  begin
    start_access(1'b1, cqe_address(), 7'd32);
    mx_data = swap_dwords({256'd0, reported_cqe()});
    `MUT_SET(46, mx_data[95:64], swap32(mx_data[95:64]))
    es = E_REP_CQE;
  end
endtask

function automatic [255:0] reported_cqe();
  begin
    reported_cqe = rep_body;
    reported_cqe[7*32+8+:24] = `MUT(47, rep_body[7*32+8+:24], 24'd0);
    if (rep_error) begin
      reported_cqe[7*32+:5] = `MUT(53, 5'h1E, 5'h1F);
      reported_cqe[7*32+6] = `MUT(54, rep_body[7*32+6], 1'b1);
      reported_cqe[6*32+:16] = `MUT(55, rep_body[6*32+:16],
          {rep_body[6*32+:8], rep_body[6*32+8+:8]});
      if (takes(19)) reported_cqe[32+:5*32] = 160'd0;
    end
    reported_cqe[7*32+7] = owner_of(`MUT(50, cq_pi[rep_cq], cq_pi[rep_cq] + 24'd1), cq_log[rep_cq],
                                    cq_cc[rep_cq]);
  end
endfunction

task run_report_write;
  begin
`ifdef MUTATION
    if (mx_done && rep_late) begin
      mx_done = 1'b0;
      rep_late = 1'b0;
      rep_valid = 1'b0;
      es = E_IDLE;
    end
`endif
    if (mx_done) begin
      if (`MUT(124, mx_err, 1'b0)) begin
        `MUT_DO(125, count_cqe(rep_cq, rep_solicited, 1'b1); look_at(rep_cq);)
        fail_cq(4'hA, 8'h02);
        finish_report(R_WRITE_FAILED);
      end else begin
        count_cqe(rep_cq, rep_solicited, 1'b1);
        if (`MUT(232, 1'b1, !cq_cc[rep_cq])) look_at(rep_cq);
        finish_report(R_WRITTEN);
      end
    end
  end
endtask

task finish_report(input [7:0] code);
  begin
    es = E_IDLE;
    rep_valid = 1'b0;
    sts_wait = (takes(14) && k_has_sts == 1) ? 8 : 0;
    `MUT_IF(239, code == R_NO_CQ, sts_wait = 1000;)
    `MUT_IF(240, code == R_WRITTEN && cnt_ref != 32'd0, sts_wait = 1000;)
    sts_v = (k_has_sts == 1) && sts_wait == 0;
`ifdef MUTATION
    if (mutsel == 163 && b_owed) sts_v = 1'b0;
`endif
    sts_data = {`MUT(120, rep_tag, (code == R_WRITTEN) ? rep_tag : 32'd0),
                `MUT(121, code, (code == R_CQ_ERROR) ? R_OVERFLOW : code),
                `MUT(282, rep_cqn, {{(24-NUM_CQ_LOG){1'b0}}, rep_cqn[NUM_CQ_LOG-1:0]})};
    if (`MUT(190, code != R_WRITTEN, code != R_WRITTEN && code != R_NO_CQ)) cnt_ref = cnt_ref + 32'd1;
    scan_left = NCQ + 1;
  end
endtask
