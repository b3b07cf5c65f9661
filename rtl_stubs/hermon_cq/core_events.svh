// SPDX-License-Identifier: BSD-3-Clause
// Event writer, EQs and interrupts. The event of the CQ under the scan is written when the engine is free.

localparam [1:0] EV_COMPLETION = 2'd0;
localparam [1:0] EV_CQ_ERROR = 2'd1;
localparam [1:0] EV_BAD_PAGE = 2'd2;
localparam [1:0] EV_OVERFLOW = 2'd3;

reg [1:0] ev_kind;
reg [NUM_CQ_LOG-1:0] ev_cq;
reg [4:0] ev_eqn;
reg ev_started;
reg ev_eq_changed;                     // the EQ was switched while its EQE was on the way
`ifdef MUTATION
reg ev_owner_first = 1'b0;             // one fault writes the owner byte first
`endif

task begin_event;
  integer kind;
  begin
    sc_found = 1'b0;
    ev_started = 1'b0;
    ev_cq = sc_at[NUM_CQ_LOG-1:0];
    for (kind = 0; kind < 4; kind = kind + 1) begin
      if (!ev_started && ((kind < 2) == (sc_at != NCQ)) && is_pending(kind)) try_event(kind);
    end
    if (ev_started) begin
      es = E_EVENT;
      scan_left = NCQ + 1;
    end else if (`MUT(185, 1'b1, !cq_pend_event[ev_cq])) begin
      next_scan;
    end
  end
endtask

function automatic is_pending(input [1:0] kind);
  case (kind)
    EV_COMPLETION: is_pending = cq_pend_event[ev_cq];
    EV_CQ_ERROR: is_pending = cq_pend_error[ev_cq];
    EV_BAD_PAGE: is_pending = pend_uar;
    default: is_pending = pend_overflow;
  endcase
endfunction

task clear_pending(input [1:0] kind);
  case (kind)
    EV_COMPLETION: cq_pend_event[ev_cq] = `MUT(96, 1'b0, !cnt_eqe[0]);
    EV_CQ_ERROR: cq_pend_error[ev_cq] = 1'b0;
    EV_BAD_PAGE: pend_uar = 1'b0;
    default: pend_overflow = 1'b0;
  endcase
endtask

// Starts the EQE, discards the event, or leaves it where it is.
task try_event(input [1:0] kind);
  reg [8:0] eqn;
  reg exists;
  begin
    eqn = (kind != EV_COMPLETION) ? {1'b0, async_eqn}
        : takes(28) ? cq_event_eqn[ev_cq] : cq_eqn[ev_cq];
    `MUT_IF(153, kind == EV_CQ_ERROR && eqn != cq_eqn[ev_cq], eqn = cq_eqn[ev_cq];)
    `MUT_SET(100, eqn, {7'd0, eqn[1:0]})
    `MUT_IF(151, kind == EV_COMPLETION && eqn[0], eqn[0] = 1'b0;)
    exists = (kind == EV_COMPLETION || async_en) && eqn < NUM_EQ;
    if (exists) exists = eq_valid[eqn[4:0]];
    if (!exists) begin
      if (`MUT(289, 1'b1, kind != EV_COMPLETION)) clear_pending(kind);
    end else if (`MUT(98, 1'b0,
                      kind == EV_COMPLETION && now_us - cq_last_event[ev_cq] < 32'd400)) begin
      ev_started = 1'b0;
    end else if (eq_is_full(eqn[4:0])) begin
      `MUT_DO(162, clear_pending(kind);)
      if (k_eq_full == 1 && kind != EV_OVERFLOW) begin
        clear_pending(kind);
        eq_ovf[eqn[4:0]] = 1'b1;
        pend_overflow = 1'b1;
        scan_left = NCQ + 1;
      end
    end else begin
      ev_started = 1'b1;
      irq_look = 1'b1;
      ev_kind = kind;
      ev_eqn = eqn[4:0];
      ev_eq_changed = 1'b0;
      start_access(1'b1, eqe_address(ev_eqn), 7'd32);
      mx_data = swap_dwords(eqe(kind));
      `MUT_IF(156, eq_st[ev_eqn] == EQ_ARMED, irq_v[ev_eqn] = 1'b1;)
      `MUT_DO(234, ev_owner_first = 1'b1; start_access(1'b1, eqe_address(ev_eqn) + 64'd31, 7'd1);
              mx_data = {64{mx_data[31*8+:8]}};)
    end
  end
endtask

function automatic [63:0] eqe_address(input [4:0] e);
  eqe_address = `MUT(165, eq_base[e], {32'd0, eq_base[e][31:0]})
      + {35'd0, `MUT(233, eq_pi[e], eq_pi[e] + 24'd1) & (size_of(
          `MUT(257, eq_log[e], (eq_log[e] > 5'd5) ? 5'd5 : eq_log[e])) - 24'd1), 5'd0};
endfunction

function automatic [511:0] eqe(input [1:0] kind);
  reg [23:0] lap;
  begin
    eqe = 512'd0;
    lap = `MUT(154, eq_pi[ev_eqn] >> eq_log[ev_eqn], (eq_pi[ev_eqn] + 24'd1) >> eq_log[ev_eqn]);
    eqe[23:16] = (kind == EV_COMPLETION) ? 8'h00
        : (kind == EV_CQ_ERROR) ? `MUT(118, 8'h04, 8'h05) : 8'h0F;
    if (kind == EV_COMPLETION || kind == EV_CQ_ERROR)
      eqe[32+:NUM_CQ_LOG] = `MUT(95, ev_cq, ev_cq & (NCQ / 2 - 1));
    if (kind == EV_CQ_ERROR) eqe[3*32+:8] = cq_syndrome[ev_cq];
    if (kind == EV_BAD_PAGE) eqe[3*32+:8] = 8'h02;
    if (kind == EV_OVERFLOW) eqe[3*32+:8] = 8'h01;
    eqe[7*32+7] = `MUT(155, lap[0], lap != 24'd0);
  end
endfunction

// The EQE is complete (an error response changes nothing).
task run_event;
  begin
`ifdef MUTATION
    if (mx_done && ev_owner_first) begin
      ev_owner_first = 1'b0;
      mx_done = 1'b0;
      start_access(1'b1, eqe_address(ev_eqn), 7'd32);
      mx_data = swap_dwords(eqe(ev_kind));
    end
`endif
    if (`MUT(169, mx_done, mx_done && !mx_err)) begin
      es = E_IDLE;
      irq_look = 1'b1;
      if (takes(7) && ev_kind == EV_COMPLETION) cq_notified[ev_cq] = cq_pi[ev_cq];
      clear_pending(ev_kind);
      cnt_eqe = cnt_eqe + 32'd1;
      if (!ev_eq_changed) begin
        eq_pi[ev_eqn] = eq_pi[ev_eqn] + 24'd1;
        if (`MUT(157, eq_st[ev_eqn] == EQ_ARMED,
                 eq_st[ev_eqn] == EQ_ARMED || eq_st[ev_eqn] == EQ_IDLE)) begin
          eq_st[ev_eqn] = EQ_FIRED;
          irq_v[ev_eqn] = `MUT(235, 1'b1, 1'b0);
        end
      end
      next_scan;
    end
  end
endtask

reg irq_look;                          // an EQ changed
reg [NUM_EQ-1:0] irq_now;

task run_interrupts;
  integer e;
  begin
    if (irq_look) for (e = 0; e < NUM_EQ; e = e + 1)
      irq_now[e] = (eq_st[e] == EQ_ALWAYS) ? (eq_ci[e] != eq_pi[e]) : irq_v[e];
    irq_look = 1'b0;
    if (takes(27) && irq_v != {NUM_EQ{1'b0}}) begin
      irq_v = {NUM_EQ{1'b0}};
      irq_look = 1'b1;
    end
  end
endtask
