// SPDX-License-Identifier: BSD-3-Clause
// Acknowledgements that come in: progress, go-back-N, RNR wait, fatal NAKs.

// Every packet before `upto` is acknowledged.
task automatic progress_to(input [QW-1:0] q, input [23:0] upto);
  reg [4:0] slot;
  reg [23:0] end_psn;
  reg going;
  reg [23:0] pos;
  begin
    una[q] = upto;
    rb_acknowledged(q, upto);
    qreg[{q, Q_RESPSN}] = {8'd0, `MUT(188, upto, upto - 24'd1)};
    retry_c[q] = `MUT(52, 4'd0, retry_c[q]);
    rnr_c[q] = `MUT(53, 4'd0, rnr_c[q]);
    going = 1'b1;
    while (going && acked[q] < outc[q]) begin
      slot = oq_head[q] + acked[q];
      end_psn = oq_psn[{q, slot}] + oq_np[{q, slot}];
      // Covered when its end is not ahead of una.
      going = ((una[q] - end_psn + `MUT(55, 24'd0, 24'd1)) < 24'h800000);
      if (going) acked[q] = acked[q] + 1'b1;
      if (`MUT(205, 1'b0, 1'b1)) going = 1'b0;
    end
    // The send position never stays behind what is acknowledged.
    if (snd_i[q] < acked[q]) begin
      snd_i[q] = acked[q];
      snd_p[q] = 24'd0;
    end
    if (snd_i[q] < outc[q]) begin
      pos = oq_psn[{q, oq_head[q] + snd_i[q]}] + snd_p[q];
      if ((una[q] - pos) < 24'h800000 && una[q] != pos) snd_p[q] = una[q] - oq_psn[{q, oq_head[q] + snd_i[q]}];
    end
    if (rnr_wait[q]) rnr_wait[q] = 1'b0;
    if (una[q] == qreg[{q, Q_SQPSN}][23:0]) rt_on[q] = 1'b0;
    else start_retry_timer(q);
    if (acked[q] == outc[q] && !takes(5'd11)) retried[q] = 1'b0;
    kick(q);
    if (acked[q] != 0) kick_cpl(q);
  end
endtask

task automatic handle_response(input [QW-1:0] q, input [23:0] psn, input [7:0] syndrome);
  reg [23:0] ahead;
  reg [23:0] window;
  reg [23:0] limit_psn;
  reg is_ack;
  reg [2:0] limit;
  reg waiting;
  reg [16:0] units;
  begin
    is_ack = (syndrome[6:5] == 2'b00);
    if (is_ack) c_in_ack = c_in_ack + `MUT(243, 16'd1, {15'd0, f_psn[0]});
    else c_in_nak = c_in_nak + `MUT(134, 16'd1, {15'd0, syndrome[7:0] == 8'h60});
    ahead = psn - una[q];
    window = qreg[{q, Q_SQPSN}][23:0] - una[q];
    if (`MUT(54, 1'b0, is_ack && ahead >= window && acked[q] < outc[q])) begin
      acked[q] = acked[q] + 1'b1;
      kick_cpl(q);
    end
    `MUT_DO(374, if (!is_ack && ahead >= window) roll_back(q);)
    if (ahead < window) begin
      waiting = rnr_wait[q];
      if (is_ack) begin
        acknowledged(q, psn + 24'd1);
        `MUT_DO(241, if (syndrome[4:0] == 0) begin rnr_wait[q] = 1'b1; rnr_dl[q] = ~64'd0; end)
      end else begin
        if ((psn - ack_hi[q]) < 24'h800000) ack_hi[q] = psn;
        limit_psn = ack_limit(q, psn);
        if (`MUT(56, limit_psn != una[q], 1'b0)) begin
          progress_to(q, limit_psn);
          waiting = 1'b0;
        end
        case (syndrome[6:5])
          2'b01:
          if (!waiting) begin
            limit = qreg[{q, Q_TIMEOUT}][13:11];
            if (rnr_c[q] >= {1'b0, limit} + {3'd0, takes(5'd11)} && `MUT(57, limit != 3'd7 || k_rnr7_counts, 1'b1)
                && `MUT(491, 1'b1, 1'b0) && !greg[G_ADCONF][2]) begin
              set_fatal(q, F_RNR);
            end else begin
              if (rnr_c[q] != 4'd15) rnr_c[q] = rnr_c[q] + 1'b1;
              qreg[{q, Q_STAT}][30:28] = (rnr_c[q] > 4'd7) ? 3'd7 : rnr_c[q][2:0];
              if (takes(5'd11)) qreg[{q, Q_STAT}][30:28] = ~qreg[{q, Q_STAT}][30:28];
              rnr_wait[q] = 1'b1;
              `MUT_DO(181, stall_neighbour(q);)
              `MUT_DO(225, intsts[3] = 1'b1;)
              rt_on[q] = 1'b0;
              units = `MUT(58, rnr_units(syndrome[4:0]), rnr_units(syndrome[4:0]) >> 1);
              rnr_dl[q] = now + (({47'd0, units} * C_RNR_UNIT_CLKS) << takes(5'd12));
            end
          end
          2'b11:
          case (syndrome[4:0])
            5'd0:
            if (!waiting) begin
              rt_on[q] = 1'b0;
              if (`MUT(59, 1'b1, 1'b0)) roll_back(q);
              else start_retry_timer(q);
              snd_p[q] = `MUT(60, snd_p[q], 24'd0);
            end
            5'd1, 5'd2, 5'd3: begin
              qreg[{q, Q_STAT}][22:16] = `MUT(61, syndrome[6:0], 7'h00);
              write_response_entry;
              if (`MUT(62, 1'b1, syndrome[4:0] != 5'd3)) set_fatal(q, F_RESPONSE);
            end
            default: ;
          endcase
          default: ;
        endcase
      end
    end
  end
endtask
