// SPDX-License-Identifier: BSD-3-Clause
// Timers of one QP per clock, in turn: retransmission, RNR wait, delayed ACK.

task automatic retry_timeout(input [QW-1:0] q);
  reg [3:0] limit;
  begin
    rt_on[q] = 1'b0;
    if (acked[q] < outc[q]) begin
      limit = {1'b0, qreg[{q, Q_TIMEOUT}][10:8]} + {3'd0, takes(5'd11)};
      if (retry_c[q] >= `MUT(63, limit, limit + 4'd3) && `MUT(64, !greg[G_ADCONF][2], 1'b1)) begin
        set_fatal(q, F_RETRY);
      end else begin
        if (retry_c[q] != 4'd15) retry_c[q] = retry_c[q] + 1'b1;
        qreg[{q, Q_STAT}][26:24] = (retry_c[q] > 4'd7) ? 3'd7 : retry_c[q][2:0];
        if (takes(5'd11)) qreg[{q, Q_STAT}][26:24] = ~qreg[{q, Q_STAT}][26:24];
        if (`MUT(398, 1'b1, retry_c[q] < 4'd12)) roll_back(q);
        if (`MUT(65, 1'b0, acked[q] + 5'd1 < outc[q])) begin
          snd_i[q] = snd_i[q] + 1'b1;
          snd_p[q] = 24'd0;
        end
        `MUT_DO(359, start_retry_timer(q);)
      end
    end
  end
endtask

task automatic timers_step;
  begin
    if (rt_on[tmr_q] && now >= rt_dl[tmr_q]) retry_timeout(tmr_q);
    if (rnr_wait[tmr_q] && now >= rnr_dl[tmr_q]) begin
      rnr_wait[tmr_q] = 1'b0;
      roll_back(tmr_q);
    end
    if (ak_on[tmr_q] && now >= ak_dl[tmr_q] && rep_wr - rep_rd < 7'd60 && rs_level(tmr_q) < RS_ROOM) begin
      ak_on[tmr_q] = 1'b0;
      reply(tmr_q, ack_syndrome & `MUT(378, 8'hFF, 8'hFE), ak_psn[tmr_q]);
    end
    tmr_q = tmr_q + 1'b1;
  end
endtask
