// SPDX-License-Identifier: BSD-3-Clause
// Acknowledgements that come in, retransmission, timers.

reg ak_busy;                       // slots of the acknowledgement at the head of the queue are being freed
integer ak_left;
reg [9:0] ak_total;
reg [QP_AW-1:0] timer_qp;

// Entries of the queue of acknowledgements: {QP, CNP, syndrome, PSN, stamp carried, round trip time}.
task automatic queue_ack(input [QP_AW-1:0] q, input cnp, input [6:0] syndrome, input [11:0] psn,
                         input [16:0] stamp);
  begin
    ak_mem[(ak_rd + ak_n) % AK_DEPTH]
      = {q, cnp, syndrome, psn, stamp[16], `MUT(154, ts - stamp[15:0], stamp[15:0] - ts)};
    ak_n = ak_n + 1;
  end
endtask

task automatic set_fatal(input [QP_AW-1:0] q);
  begin
    q_fatal[q] = 1'b1;
    q_timing[q] = 1'b0;
    relink(q, 1'b1);
    if (`MUT(218, 1'b1, 1'b0)) begin
      irq_type1(5'd2, q);
      g_intr[3] = `MUT(217, 1'b1, g_intr[3]);
    end
  end
endtask

// Sequence NAK or timeout: everything from PSN start on is sent again, unless the threshold is reached.
task automatic retry_event(input [QP_AW-1:0] q, input [11:0] start);
  begin
    if (!q_fatal[q]) begin
      `MUT_IF(46, q_head[q ^ 3] != NIL, rewind(q ^ 3, q_e_rsp[q ^ 3]);)
      if (q_retry[q] != 4'hF) q_retry[q] = q_retry[q] + 1'b1;
      if ({1'b0, q_retry[q]} >= {1'b0, g_retry[16:13]} + `MUT(50, takes(14) ? 5'd1 : 5'd0, 5'd2)) set_fatal(q);
      else rewind(q, start);
    end
  end
endtask

// RNR time in units of 10 us.
function automatic [31:0] rnr_units(input [4:0] code);
  integer e;
  begin
    // 1, 2, 3, 4, 6, 8, 12 ...: powers of two and one and a half times them; code 0 is the longest.
    e = {28'd0, code[4:1]} - 1;
    case (code)
      5'd0: rnr_units = 32'd65536;
      5'd1: rnr_units = 32'd1;
      default: rnr_units = code[0] ? (32'd3 << e) : (32'd2 << e);
    endcase
  end
endfunction

task automatic rnr_event(input [QP_AW-1:0] q, input [11:0] start, input [4:0] code);
  begin
    if (!q_fatal[q]) begin
      if (q_rnr[q] != 4'hF) q_rnr[q] = q_rnr[q] + 1'b1;
      rewind(q, start);
      q_timing[q] = 1'b0;
      if (g_retry[25:22] != 4'hF && q_rnr[q] >= g_retry[25:22]) set_fatal(q);
      else begin
        q_rnr_wait[q] = 1'b1;
        q_rnr_start[q] = now;
        q_rnr_len[q] = `MUT(153, rnr_units(code) * (10 * CLKS_PER_US), rnr_units(code) * (2 * CLKS_PER_US));
        relink(q, 1'b1);
      end
    end
  end
endtask

// Packets an acknowledgement of the queue's head covers; 0 when it lies outside the window.
function automatic [11:0] covered(input [QP_AW-1:0] q, input [11:0] psn, input nak);
  reg [11:0] k;
  reg [11:0] out;
  begin
    k = psn - q_e_rsp[q] + ((nak || k_ack_next) ? 12'd0 : 12'd1);
    out = q_tx_max[q] - q_e_rsp[q] + 12'd1;
    covered = (k <= out) ? k : `MUT(48, 12'd0, 12'd1);
    if (`MUT(219, k_late_ack == 1 || (k_late_ack == 2 && takes(5)), 1'b1) && covered > {2'd0, q_out[q]}) covered = {2'd0, q_out[q]};
  end
endfunction

task automatic finish_ack(input [QP_AW-1:0] q, input [6:0] syndrome, input [11:0] psn, input [16:0] stamp);
  reg nak;
  reg fits;
  begin
    nak = syndrome[5];
    fits = (psn == q_e_rsp[q]) && q_head[q] != NIL;
    if (ak_total != 10'd0) begin
      if (`MUT(49, 1'b1, 1'b0)) q_retry[q] = 4'd0;
      q_rnr[q] = 4'd0;
      q_timing[q] = (q_out[q] != 10'd0) && !q_fatal[q];
      q_timer[q] = now;
    end
    if (nak && fits) begin
      if (syndrome[6]) retry_event(q, psn);
      else rnr_event(q, psn, syndrome[4:0]);
    end
    if (`MUT(54, stamp[16], 1'b1)) begin
      RECV_ACK_VLD_O <= 1'b1;
      RECV_ACK_QPID_O <= q;
      RECV_ACK_RTT_O <= {16'd0, stamp[15:0]};
      RECV_NUM_ACKED_O <= `MUT(55, ak_total, ak_total + {9'd0, nak});
      RECV_NAK_FLG_O <= `MUT(155, nak, nak && syndrome[6]);
    end
  end
endtask

// Works on the acknowledgement at the head of the queue: one slot per clock, then its consequences.
task automatic run_acknowledgements;
  reg [QP_AW-1:0] q;
  reg cnp;
  reg [6:0] syndrome;
  reg [11:0] psn;
  reg [16:0] stamp;
  reg finished;
  begin
    finished = 1'b0;
    {q, cnp, syndrome, psn, stamp} = ak_mem[ak_rd];
    if (cnp) begin
      receive_cnp(q);
      finished = 1'b1;
    end else begin
      if (!ak_busy) begin
        ak_left = {20'd0, covered(q, psn, syndrome[5])};
        ak_left = `MUT(47, ak_left, syndrome[5] ? 0 : ak_left);
        ak_total = ak_left[9:0];
        ak_busy = 1'b1;
        if (ak_left > 0) q_timer[q] = now;
      end
      if (ak_left > 0 && q_head[q] != NIL) begin
        if (`MUT(40, 1'b1, ak_left > 1 || ak_total < 10'd4))
          free_head(q, `MUT(156, 1'b1, ak_total[5:0] != 6'd63), `MUT(41, 1'b1, ak_left == 1));
        q_e_rsp[q] = q_e_rsp[q] + 12'd1;
        ak_left = ak_left - 1;
      end else ak_left = 0;
      if (ak_left == 0) begin
        finish_ack(q, syndrome, psn, stamp);
        finished = 1'b1;
      end
    end
    if (finished) begin
      ak_busy = 1'b0;
      ak_rd = (ak_rd + 1) % AK_DEPTH;
      ak_n = ak_n - 1;
    end
  end
endtask

// Timestamp counter; retransmission timer and RNR wait of one QP per clock.
task automatic run_timers;
  reg [QP_AW-1:0] q;
  reg [31:0] limit;                // of the retransmission timer
  begin
    ts_left = ts_left - 1;
    if (ts_left <= 0) begin
      ts = ts + 1'b1;
      ts_left = TS_TICK;
    end
    q = timer_qp;
    if (q_timing[q]) begin
      limit = {19'd0, `MUT(157, g_retry[12:0], {1'b0, g_retry[12:1]})} * CLKS_PER_US + (takes(10) ? 32'd50 : 32'd0);
      if (g_retry[12:0] != 13'd0 && now - q_timer[q] >= limit) begin
        RETRY_TMO_VLD_O <= `MUT(158, 1'b1, 1'b0);
        RETRY_TMO_QPID_O <= q;
        retry_event(q, `MUT(159, q_e_rsp[q], q_tx_max[q]));
      end
    end
    if (q_rnr_wait[q]) begin
      if (now - q_rnr_start[q] >= q_rnr_len[q]) begin
        q_rnr_wait[q] = 1'b0;
        relink(q, 1'b1);
      end
    end
    timer_qp = (timer_qp == QP_NUM - 1) ? {QP_AW{1'b0}} : timer_qp + 1'b1;
  end
endtask
