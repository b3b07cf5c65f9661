// SPDX-License-Identifier: BSD-3-Clause
// Congestion: notification packets (CNP) that come in, ECN marks of accepted requests, the scheduling flags for CNPs
// that software then builds and sends through QP1.

// A CNP lowers the outstanding limit of its queue pair once; it is no part of the packet sequence. The limit stays
// until the queue pair is set up anew: nothing public says what would lift it earlier.
task automatic handle_cnp;
  begin
    c_in_cnp = c_in_cnp + `MUT(386, 32'd1, 32'd2);
    cut_window[r_q] = `MUT(388, `MUT(314, 1'b1, cut_window[r_q] || outc[r_q] < 5'd8), cut_window[r_q]);
    `MUT_DO(248, qreg[{r_q, Q_LSTRQ}][23:0] = qreg[{r_q, Q_LSTRQ}][23:0] + 24'd1;)
    `MUT_DO(249, cut_window[neighbour(r_q)] = 1'b1;)
    `MUT_DO(327, rx_fill[r_q] = 32'd0;)
    last_in = last_packet(r_q, f_psn, f_op);
  end
endtask

// An accepted request marked "congestion experienced".
task automatic note_congestion;
  if (`MUT(172, f_tclass[1:0] == 2'b11, f_tclass[1:0] == 2'b10) && `MUT(316, 1'b1, !is_write(f_op))) begin
    intsts[8] = 1'b1;
    cnpint[f_qpn[10:5]][`MUT(315, f_qpn[4:0], f_qpn[4:0] - 5'd1)] = 1'b1;
    `MUT_DO(311, c_out_cnp = c_out_cnp + 32'd1;)
    `MUT_DO(478, reply(r_q, 8'hFF, 24'd0);)
  end
endtask

// A CNP to queue pair `dest` at `ip` has left (C_CNP_CLEAR_TX = 1): falls for the queue pairs connected there.
task automatic clear_scheduled(input [23:0] dest, input [127:0] ip, input v6);
  integer k;
  reg [QW-1:0] q;
  reg [23:0] n;
  reg hit;
  for (k = 0; k < C_NUM_QP; k = k + 1) begin
    q = k[QW-1:0];
    n = qpn_of(q);
    if (v6) hit = (ip == {qreg[{q, 6'h1B}], qreg[{q, 6'h1A}], qreg[{q, 6'h19}], qreg[{q, 6'h18}]});
    else hit = (ip[31:0] == qreg[{q, Q_IP}]);
    if (hit && qreg[{q, Q_CONF}][7] == v6 && qreg[{q, Q_DESTQP}][23:0] == dest) cnpint[n[10:5]][n[4:0]] = 1'b0;
  end
endtask
