// SPDX-License-Identifier: BSD-3-Clause
// Requests for completion events: what a doorbell asks for, when it fires, moderation. At most one request
// and one look at a CQ per clock; the scan looks at the CQs whose event waits for time.

reg rq_v;                              // a request to be taken at the end of this clock
reg [NUM_CQ_LOG-1:0] rq_cq;
reg [2:0] rq_cmd;
reg [1:0] rq_sn;
reg [23:0] rq_param;
reg ck_v;                              // look at the conditions of this CQ
reg [NUM_CQ_LOG-1:0] ck_cq;
reg [NUM_CQ_LOG:0] sc_at;              // CQ under the scan; NCQ: asynchronous events
reg sc_found;                          // it has an event to write
integer scan_left;                     // positions until the scan may rest

task request_event(input [NUM_CQ_LOG-1:0] q, input [2:0] cmd, input [1:0] sn, input [23:0] param);
  begin
    rq_v = 1'b1;
    rq_cq = q;
    rq_cmd = cmd;
    rq_sn = sn;
    rq_param = param;
  end
endtask

task look_at(input [NUM_CQ_LOG-1:0] q);
  begin
    ck_v = 1'b1;
    ck_cq = q;
  end
endtask

task run_requests;
  begin
    if (rq_v) take_request(rq_cq);
    if (ck_v) begin
      decide_event(ck_cq, condition(ck_cq));
    end else if (scan_left != 0 && !sc_found && !in_command) begin
      if (sc_at != NCQ) decide_event(sc_at[NUM_CQ_LOG-1:0], scan_condition(sc_at[NUM_CQ_LOG-1:0]));
      sc_found = (sc_at == NCQ) ? (pend_uar || pend_overflow)
          : (cq_pend_event[sc_at[NUM_CQ_LOG-1:0]] || cq_pend_error[sc_at[NUM_CQ_LOG-1:0]]);
      if (!sc_found) next_scan;
    end
    rq_v = 1'b0;
    ck_v = 1'b0;
  end
endtask

// A CQ under the scan can only have time on its side.
function automatic scan_condition(input [NUM_CQ_LOG-1:0] q);
  scan_condition = `MUT(109, cq_waiting[q], cq_waiting[q] || (cq_hw[q] && cq_fired[q]
      && cq_arm[q] == ARM_NONE && cq_period[q] != 16'd0 && cq_mod_cnt[q] != 16'd0));
endfunction

task next_scan;
  begin
    if (takes(9)) sc_at = (sc_at == 0) ? NCQ : sc_at - 1'b1;
    else sc_at = (sc_at == NCQ) ? 0 : sc_at + 1'b1;
    scan_left = scan_left - 1;
  end
endtask

task take_request(input [NUM_CQ_LOG-1:0] q);
  reg same;
  reg stale;
  reg [1:0] kind;
  begin
    stale = `MUT(87, rq_sn == cq_sn_done[q], rq_sn <= cq_sn_done[q]);
    `MUT_IF(81, rq_cmd == 3'd0, cq_arm[q] = ARM_NONE;)
    if (cq_status[q] == 4'h0 && rq_cmd[1:0] != 2'd0 && `MUT(80, !rq_cmd[2], 1'b1)
        && !(k_sn_mode == 1 && `MUT(88, stale, 1'b0))
        && !(takes(32) && rq_cmd[1:0] != 2'd3 && illegal_index(q, rq_param))) begin
      kind = rq_cmd[1:0];
      same = (cq_arm[q] != ARM_NONE) && rq_sn == cq_arm_sn[q];
      if (same && cq_arm[q] == ARM_ANY && kind == ARM_SOL) kind = `MUT(82, ARM_ANY, ARM_NONE);
      if (same && cq_arm[q] == ARM_SOL && kind == ARM_ANY) kind = `MUT(83, ARM_ANY, ARM_SOL);
      if (takes(13) && !same) cq_mod_cnt[q] = 16'd0;
      cq_arm[q] = kind;
      cq_arm_ci[q] = `MUT(84, rq_param, same ? cq_arm_ci[q] : rq_param);
      `MUT_IF(85, kind == ARM_ANY && cq_ci[q] != rq_param, cq_arm_ci[q] = cq_ci[q];)
      `MUT_IF(71, kind == ARM_ANY && gap(cq_pi[q], rq_param) > 0, cq_arm_ci[q] = cq_pi[q];)
      `MUT_IF(94, kind != ARM_N && m_axis_sts_tvalid && m_axis_sts_tdata[31:0] == q,
              cq_arm_ci[q] = cq_pi[q];)
      `MUT_IF(75, kind == ARM_SOL && cq_sol_valid[q], cq_sol_valid[q] = 1'b0;)
      `MUT_IF(93, kind != ARM_N && gap(rq_param, cq_pi[q]) > 0,
              cq_arm[q] = ARM_NONE; cq_sn_done[q] = rq_sn;)
      cq_arm_sn[q] = rq_sn;
      cq_n_hit[q] = (kind == ARM_N) && k_armn_passed == 0
          && `MUT(79, gap(cq_pi[q], rq_param) > 0, 1'b0);
      look_at(q);
    end
  end
endtask

// A consumer counter that no correct software can have.
function automatic illegal_index(input [NUM_CQ_LOG-1:0] q, input [23:0] param);
  illegal_index = gap(param, cq_pi[q]) > 0
      || $signed({{8{1'b0}}, cq_pi[q] - param}) > $signed({8'd0, size_of(cq_log[q])});
endfunction

// Whether the CQE that the request waits for is there.
function automatic condition(input [NUM_CQ_LOG-1:0] q);
  reg fresh;
  begin
    fresh = (k_arm_rule == 0 && `MUT(99, 1'b1, cq_pi[q][0])) || gap(cq_pi[q], cq_notified[q]) > 0;
    case (cq_arm[q])
      ARM_ANY: condition = fresh
          && `MUT(59, `MUT(70, gap(cq_pi[q], cq_arm_ci[q]) > 0,
                  gap(cq_pi[q], cq_arm_ci[q]) >= 0), cq_pi[q] > cq_arm_ci[q]);
      ARM_SOL: condition = `MUT(72, cq_sol_valid[q], 1'b1)
          && `MUT(76, gap(`MUT(72, cq_sol[q], cq_pi[q]), cq_arm_ci[q]) > 0, 1'b1)
          && (k_arm_rule == 0 || gap(cq_sol[q], cq_notified[q]) > 0);
      ARM_N: condition = `MUT(78, cq_n_hit[q], cq_n_hit[q] || cq_mod_cnt[q] != 16'd0);
      default: condition = `MUT(97, 1'b0, rep_solicited && cq_fired[q]);
    endcase
  end
endfunction

function automatic gate_open(input [NUM_CQ_LOG-1:0] q);
  reg [31:0] waited;
  reg [31:0] period;
  begin
    waited = now_us - (takes(22) ? cq_ready_since[q] : cq_last_event[q]);
    period = {16'd0, `MUT(106, cq_period[q], {4'd0, cq_period[q][11:0]})};
    gate_open = (cq_max_count[q] == 16'd0 && cq_period[q] == 16'd0
            && `MUT(101, 1'b1, cq_mod_cnt[q] > 16'd1))
        || (cq_max_count[q] != 16'd0
            && `MUT(102, cq_mod_cnt[q] >= cq_max_count[q], cq_mod_cnt[q] > cq_max_count[q]))
        || `MUT(104, 1'b0, cq_period[q] == 16'd0 && waited >= 32'd1024)
        || (period != 32'd0
            && `MUT(105, waited, waited >> 1) >= `MUT(108, period, period >> 1))
        || (k_sol_breaks == 1 && cq_mod_sol[q])
        || (takes(18) && cq_max_count[q] == 16'd0);
  end
endfunction

task decide_event(input [NUM_CQ_LOG-1:0] q, input holds);
  begin
    if (holds && !cq_waiting[q]) cq_ready_since[q] = now_us;
    cq_waiting[q] = holds;
    if (holds && gate_open(q)) begin
      cq_waiting[q] = 1'b0;
      cq_arm[q] = ARM_NONE;
      cq_fired[q] = 1'b1;
      cq_sn_done[q] = cq_arm_sn[q];
      cq_notified[q] = `MUT(62, cq_pi[q], cq_arm_ci[q]);
      cq_mod_cnt[q] = `MUT(103, 16'd0, cq_mod_cnt[q]);
      cq_mod_sol[q] = 1'b0;
      cq_last_event[q] = now_us;
      `MUT_IF(254, cq_waiting[q^1], cq_last_event[q^1] = now_us;)
      `MUT_SET(256, cq_sn_done[q^1], cq_arm_sn[q])
      cq_event_eqn[q] = cq_eqn[q];
      cq_pend_event[q] = 1'b1;
      scan_left = NCQ + 1;
    end
  end
endtask

// A CQE with this index was written: producer counter, solicited index, moderation count.
task count_cqe(input [NUM_CQ_LOG-1:0] q, input solicited, input moderated);
  begin
    if (cq_arm[q] == ARM_N && `MUT(77, cq_pi[q], cq_pi[q] + 24'd1) == cq_arm_ci[q]) cq_n_hit[q] = 1'b1;
    cq_pi[q] = cq_pi[q] + `MUT(135, 24'd1, cq_cc[q] ? 24'd0 : 24'd1);
    `MUT_SET(57, cq_pi[q], {8'd0, cq_pi[q][15:0]})
    `MUT_IF(58, cq_pi[q] == 24'd0, cq_pi[q] = 24'd1;)
    `MUT_SET(107, cq_last_event[q], now_us)
    if (solicited) begin
      cq_sol[q] = cq_pi[q];
      cq_sol_valid[q] = 1'b1;
      cq_mod_sol[q] = 1'b1;
    end else if (cq_pi[q] - cq_sol[q] == 24'h7FFFFF) begin
      cq_sol_valid[q] = 1'b0;
    end
    if (moderated && cq_mod_cnt[q] != `MUT(273, 16'hFFFF, 16'h00FF)) cq_mod_cnt[q] = cq_mod_cnt[q] + 16'd1;
    `MUT_IF(255, cq_waiting[q^1], cq_mod_cnt[q^1] = cq_mod_cnt[q^1] + 16'd1;)
    cnt_cqe = cnt_cqe + 32'd1;
  end
endtask
