// SPDX-License-Identifier: BSD-3-Clause
// TYPE1 requests that passed the checks: order, acknowledgements, merge walk.

`ifdef MUTATION
reg [QP_AW-1:0] acked_qp;          // the last ACK and its moment, for fault 203
reg [31:0] acked_at = 32'd0;
reg [QP_NUM-1:0] merged = {QP_NUM{1'b0}};  // several requests wait for one ACK, for fault 220
`endif

// Queues an immediate response; plain: the ACK of a request without Fack.
task automatic queue_response(input [QP_AW-1:0] q, input [1:0] kind, input plain);
  begin
    if (plain || !q_queued[q][kind]) begin
      rq_mem[(rq_rd + rq_n) % RQ_DEPTH] = {plain, kind, q};
      rq_n = rq_n + 1;
      if (!plain) q_queued[q][kind] = 1'b1;
    end
  end
endtask

task automatic set_merge(input [QP_AW-1:0] q);
  begin
`ifdef MUTATION
    merged[q] = merge[q];
`endif
    if (!merge[q]) merge_n = merge_n + 1;
    merge[q] = 1'b1;
  end
endtask

task automatic clear_merge(input [QP_AW-1:0] q);
  begin
    if (merge[q]) merge_n = merge_n - 1;
    merge[q] = 1'b0;
  end
endtask

// Acknowledges what came in order, merged or at once.
task automatic schedule_ack(input [QP_AW-1:0] q, input fack);
  begin
    if (fack) begin
      // An ACK at once that still waits (variant 1, always the first in line) becomes the one that Fack demands.
      if (rq_n > 0 && rq_mem[rq_rd] == {1'b1, R_ACK, q}) begin
        rq_mem[rq_rd] = {1'b0, R_ACK, q};
        q_queued[q][R_ACK] = 1'b1;
      end else queue_response(q, R_ACK, 1'b0);
      clear_merge(q);
    end else if (takes(1) && rq_n == 0 && merge_n == 0) queue_response(q, R_ACK, 1'b1);
    else if (`MUT(203, 1'b1, q != acked_qp || now - acked_at > 32'd1)) set_merge(q);
  end
endtask

function automatic refuses(input [1:0] b);
  refuses = g_thr_rdma[46 + b] && TYPE1_FLOW_STOP_I[b] && `MUT(52, g_afh[60 + b], g_afh[60]);
endfunction

task automatic judge_request(input [QP_AW-1:0] q, input [11:0] psn, input fack, input [15:0] stamp, output accept);
  reg [11:0] ahead;
  reg [16:0] echo;
  begin
    accept = 1'b0;
    ahead = psn - q_rx_epsn[q];
    echo = {(fack || g_misc[1]) && !takes(7), stamp};
    if (ahead == 12'd0) begin
      if (refuses(bank_of(q))) begin
        if (!q_rnr_sent[q]) begin
          q_rnr_psn[q] = q_rx_epsn[q];
          q_rnr_ts[q] = echo;
          queue_response(q, R_RNR, 1'b0);
        end
        q_rnr_sent[q] = `MUT(160, 1'b1, 1'b0);
      end else begin
        accept = 1'b1;
        q_rx_epsn[q] = `MUT(38, q_rx_epsn[q] + 12'd1, (q_rx_epsn[q] == 12'hFFE) ? 12'd0 : q_rx_epsn[q] + 12'd1);
        q_ack_epsn[q] = q_rx_epsn[q];
        q_nak_sent[q] = `MUT(43, 1'b0, q_nak_sent[q]);
        q_rnr_sent[q] = 1'b0;
        q_ts[q] = stamp;
        schedule_ack(q, fack);
      end
    end else if (`MUT(161, ahead < 12'd2048, psn > q_rx_epsn[q])) begin
      if (`MUT(42, !q_nak_sent[q], 1'b1)) begin
        q_nak_psn[q] = `MUT(162, q_rx_epsn[q], q_rx_epsn[q] - 12'd1);
        q_nak_ts[q] = echo;
        queue_response(q, R_NAK, 1'b0);
      end
      q_nak_sent[q] = 1'b1;
    end else begin
      if (`MUT(44, 1'b1, 1'b0)) schedule_ack(q, 1'b0);
      `MUT_DO(39, accept = (ahead == 12'hFFF);)
    end
  end
endtask

// PSN of an ACK that covers everything before the expected number.
function automatic [11:0] ack_psn(input [11:0] expected);
  ack_psn = k_ack_next ? expected : `MUT(163, expected - 12'd1, expected);
endfunction

task automatic send_ack(input [QP_AW-1:0] q, input [11:0] expected, input fack);
  begin
    describe_response(q, 2'b01, `MUT(164, 7'h1F, 7'h3F), ack_psn(expected), {`MUT(17, fack || g_misc[1], 1'b1), q_ts[q]},
                      `MUT(18, 1'b0, fack));
`ifdef MUTATION
    acked_qp = q;
    acked_at = now;
`endif
  end
endtask

task automatic send_response;
  reg [QP_AW-1:0] q;
  reg [1:0] kind;
  reg plain;
  begin
    if (`MUT(96, rq_n > 0, rq_n > 0 && merge_n == 0)) begin
      {plain, kind, q} = rq_mem[rq_rd];
      rq_rd = (rq_rd + 1) % RQ_DEPTH;
      rq_n = rq_n - 1;
      if (!plain) q_queued[q][kind] = 1'b0;
      case (kind)
        R_ACK: begin
          send_ack(q, q_ack_epsn[q], !plain);
          clear_merge(q);
        end
        R_NAK: begin
          describe_response(q, 2'b01, `MUT(165, 7'h60, 7'h40), q_nak_psn[q], q_nak_ts[q], 1'b0);
          if (q_nak_psn[q] == q_ack_epsn[q]) clear_merge(q);
        end
        R_RNR: begin
          describe_response(q, 2'b01, {2'b01, g_retry[21:17]}, `MUT(166, q_rnr_psn[q], q_rnr_psn[q] - 12'd1), q_rnr_ts[q],
                            1'b0);
          if (q_rnr_psn[q] == q_ack_epsn[q]) clear_merge(q);
        end
        default: describe_response(q, 2'b10, 7'd0, 12'd0, 17'd0, 1'b0);
      endcase
    end else begin
      send_ack(walk_qp, `MUT(94, q_ack_epsn[walk_qp], walk_psn), 1'b0);
      if (`MUT(220, 1'b1, !merged[walk_qp])) clear_merge(walk_qp);
`ifdef MUTATION
      merged[walk_qp] = 1'b0;
`endif
      `MUT_DO(95, clear_merge(walk_qp ^ 1);)
      walk_offer = 1'b0;
      walk_qp = `MUT(97, walk_qp + 1'b1, {QP_AW{1'b0}});
    end
  end
endtask

// One step of the walk: the lowest pending QP of the group from the pointer on, or on to the next group.
task automatic run_merge_walk;
  reg [3:0] group;
  reg [1:0] low;
  begin
    if (merge_n == 0 || !merge[walk_qp]) walk_offer = 1'b0;
    if (merge_n == 0) walk_qp = {walk_qp[QP_AW-1:2] + 1'b1, 2'b00};
    else if (!walk_offer) begin
      group = merge[{walk_qp[QP_AW-1:2], 2'b00} +: 4] & (4'hF << walk_qp[1:0]);
      low = group[0] ? 2'd0 : group[1] ? 2'd1 : group[2] ? 2'd2 : 2'd3;
      if (group != 4'd0) begin
        walk_offer = 1'b1;
        walk_qp = {walk_qp[QP_AW-1:2], low};
        walk_psn = q_ack_epsn[walk_qp];
      end else walk_qp = {walk_qp[QP_AW-1:2] + 1'b1, 2'b00};
    end
  end
endtask
