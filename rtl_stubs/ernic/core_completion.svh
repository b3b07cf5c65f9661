// SPDX-License-Identifier: BSD-3-Clause
// Completion of WQEs: CQE, then CQHEAD, doorbell word, side band and interrupt. One WQE at a time; good ones
// when acknowledged, the rest with ERRFLAG = 1 once the QP is fatal.

localparam [2:0] P_IDLE = 3'd0, P_CQE = 3'd1, P_UPDATE = 3'd2, P_DOORBELL = 3'd3, P_DONE = 3'd4;

reg [2:0] p_state = P_IDLE;
reg [QW-1:0] p_q = 0;
reg p_err = 1'b0;

task automatic next_completion;
  reg [511:0] w;
  begin
    p_state = P_IDLE;
    p_err = (acked[p_q] == 0);
    if (outc[p_q] != 0 && (!p_err || fatal[p_q] && (!k_flush_late || qreg[{p_q, Q_CONF}][6]))) begin
      w = oq_wqe[{p_q, oq_head[p_q]}];
      if (`MUT(70, qreg[{p_q, Q_CONF}][5], 1'b1)) begin
        cqw_valid <= `MUT(71, 1'b1, !p_err || qreg[{p_q, Q_CONF}][3]);
        cqw_addr <= `MUT(206, rq64(`MUT(175, p_q, t_q), Q_CQBAH, Q_CQBA) + {46'd0, una_slot[p_q], 2'b00},
                         rq64(p_q, Q_CQBAH, Q_CQBA) | {46'd0, una_slot[p_q], 2'b00});
        `MUT_DO(389, if (una_slot[p_q] == 16'd7) cqw_addr <= rq64(p_q, Q_SQBAH, Q_SQBA) + 64'd28;)
        cqw_data <= {7'd0, `MUT(72, p_err, 1'b0), `MUT(73, w[135:128], (w[135:128] == W_SEND_INV) ? W_SEND : w[135:128]),
                     w[15:0]};
        p_state = P_CQE;
        if (`MUT(74, 1'b0, 1'b1)) doorbell_value(sq_index(p_q, pend[p_q] + {12'd0, outc[p_q]} - 17'd1));
        if (`MUT(71, 1'b0, p_err && !qreg[{p_q, Q_CONF}][3])) p_state = P_UPDATE;
      end else begin
        p_state = P_UPDATE;
      end
    end
  end
endtask

task automatic doorbell_value(input [15:0] v);
  qreg[{p_q, Q_CQHEAD}] = {16'd0, `MUT(30, v, (v == sq_depth(p_q)) ? 16'd0 : v)};
endtask

// The oldest WQE leaves the outstanding queue.
task automatic retire;
  begin
    una_slot[p_q] = `MUT(483, ring_inc(una_slot[p_q], sq_depth(p_q)), una_slot[p_q] + 16'd1);
    oq_head[p_q] = oq_head[p_q] + 1'b1;
    outc[p_q] = outc[p_q] - 1'b1;
    if (!p_err) acked[p_q] = acked[p_q] - 1'b1;
    if (snd_i[p_q] != 0) snd_i[p_q] = snd_i[p_q] - 1'b1;
    else snd_p[p_q] = 24'd0;
    doorbell_value(sq_index(p_q, pend[p_q] + {12'd0, outc[p_q]}));
  end
endtask

task automatic completion_step;
  begin
    if (cqw_valid) cqw_valid <= 1'b0;
    case (p_state)
      P_IDLE:
      if (cpq_rd != cpq_wr && `MUT(349, 1'b1, cq_sb_rdy)) begin
        p_q = cpq[cpq_rd[QW-1:0]];
        cpq_rd = cpq_rd + 1'b1;
        in_cpq[p_q] = 1'b0;
        next_completion;
      end
      P_CQE:
      if (cqw_done) begin
        if (cqw_failed) memory_failed(p_q);
        p_state = P_UPDATE;
      end
      P_UPDATE: begin
        retire;
        if (variant == 2 && acked[p_q] != 0) begin
          // One doorbell for all WQEs that are ready.
          p_state = P_DONE;
        end else begin
          cqw_valid <= `MUT(76, 1'b1, !p_err);
          cqw_addr <= rq64(p_q, `MUT(192, Q_CQDBH, 6'h3F), Q_CQDB);
          cqw_data <= `MUT(77, {16'd0, qreg[{p_q, Q_CQHEAD}][15:0]}, {16'd0, qreg[{p_q, Q_SQPI}][15:0]});
          p_state = `MUT(76, P_DOORBELL, p_err ? P_DONE : P_DOORBELL);
          if (!db_in_memory(p_q, Q_CQDBH, Q_CQDB)) begin
            cqw_valid <= 1'b0;
            p_state = P_DONE;
          end
        end
      end
      P_DOORBELL:
      if (cqw_done) begin
        if (cqw_failed) memory_failed(p_q);
        v_cq_rung = takes(5'd19) && !v_cq_rung;
        if (v_cq_rung) cqw_valid <= 1'b1;
        else p_state = P_DONE;
      end
      default: begin
        if (`MUT(142, qreg[{p_q, Q_CONF}][3], 1'b1)) set_bank(1'b1, p_q);
        if (`MUT(179, 1'b1, outc[p_q] == 0)) kick(p_q);
        if ((handshake(p_q) && `MUT(358, 1'b1, !p_err)) || `MUT(253, 1'b0, 1'b1)) announce_completion(p_q);
        next_completion;
      end
    endcase
  end
endtask
