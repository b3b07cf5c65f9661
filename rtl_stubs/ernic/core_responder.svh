// SPDX-License-Identifier: BSD-3-Clause
// Receive side: validation of every RoCE frame, responder, error buffers. One frame at a time, in the order
//   check -> (payload write) -> commit and ACK -> (RQ doorbell) -> (interrupt) -> next frame.

localparam [3:0] R_IDLE = 4'd0, R_CHECK = 4'd1, R_DATA = 4'd2, R_COMMIT = 4'd3, R_DOORBELL = 4'd4, R_ANNOUNCE = 4'd5;
localparam [3:0] R_ERROR = 4'd7, R_FATAL = 4'd8, R_POP = 4'd9, R_POP2 = 4'd10;
localparam [3:0] R_RDATA = 4'd12, R_OUTGOING = 4'd6;

reg [3:0] r_state = R_IDLE;

// The frame under way.
reg f_v4 = 1'b0;
reg f_v6 = 1'b0;
reg [7:0] f_op = 8'd0;
reg [1:0] f_pad = 2'd0;
reg [3:0] f_tver = 4'd0;
reg [15:0] f_pkey = 16'd0;
reg [23:0] f_qpn = 24'd0;
reg f_areq = 1'b0;
reg [23:0] f_psn = 24'd0;
reg [63:0] f_va = 64'd0;
reg [31:0] f_rkey = 32'd0;
reg [31:0] f_len = 32'd0;
reg [31:0] f_imm = 32'd0;
reg [7:0] f_syndrome = 8'd0;
reg [15:0] f_udp_port = 16'd0;
reg [7:0] f_proto = 8'd0;
reg [7:0] f_tclass = 8'd0;
reg [6:0] f_data_at = 7'd0;            // offset of the payload in the frame
reg signed [17:0] f_n = 18'sd0;        // payload bytes; negative: headers do not fit
reg f_short = 1'b0;
reg [QW-1:0] r_q = 0;
reg r_q_known = 1'b0;
reg [63:0] r_addr = 64'd0;
reg r_mac_seen = 1'b0;                 // an earlier frame matched (only for a fault)
reg [QW-1:0] r_ftq = 0;
reg [15:0] r_code = 16'd0;             // why it is fatal
reg [5:0] dup_bad = 6'd0;
reg r_dup_write = 1'b0;               // a fault writes a duplicate again
reg f_cut4 = 1'b0;                     // the frame ends before its ICRC (only for a fault)
reg f_uneven = 1'b0;                   // it is whole, but UDP and IP length disagree (only for a fault)

function automatic [7:0] hb(input [9:0] n);
  hb = rx_hdr[8*n[6:0] +: 8];
endfunction

function automatic [15:0] hb2(input [9:0] n);
  hb2 = {hb(n), hb(n + 10'd1)};
endfunction

task automatic parse_frame;
  reg [3:0] ihl;
  reg [9:0] l4;
  reg [1023:0] t;
  reg [15:0] ip_len;
  reg [15:0] udp_len;
  reg [4:0] ext_n;
  begin
    f_v4 = (hb2(10'd12) == 16'h0800);
    f_v6 = (hb2(10'd12) == 16'h86DD);
    ihl = rx_hdr[8*14 +: 4];
    l4 = f_v6 ? 10'd54 : 10'd14 + {4'd0, (ihl < 4'd5) ? 4'd5 : ihl, 2'b00};
    ip_len = f_v6 ? hb2(10'd18) + 16'd40 : hb2(10'd16);
    f_proto = f_v6 ? hb(10'd20) : hb(10'd23);
    f_tclass = f_v6 ? {rx_hdr[8*14 +: 4], rx_hdr[8*15+4 +: 4]} : hb(10'd15);
    f_udp_port = hb2(l4 + 10'd2);
    udp_len = hb2(l4 + 10'd4);
    t = rx_hdr >> {l4 + 10'd8, 3'b000};
    f_op = t[7:0];
    f_pad = t[13:12];
    f_tver = t[11:8];
    f_pkey = {t[23:16], t[31:24]};
    f_qpn = {t[47:40], t[55:48], t[63:56]};
    f_areq = t[71];
    f_psn = {t[79:72], t[87:80], t[95:88]};
    t = t >> 96;
    f_va = {t[7:0], t[15:8], t[23:16], t[31:24], t[39:32], t[47:40], t[55:48], t[63:56]};
    f_rkey = {t[71:64], t[79:72], t[87:80], t[95:88]};
    f_len = {t[103:96], t[111:104], t[119:112], t[127:120]};
    f_syndrome = t[7:0];
    f_imm = (f_op == OP_WRITE_ONLY_IMM) ? {t[135:128], t[143:136], t[151:144], t[159:152]}
                                        : {t[7:0], t[15:8], t[23:16], t[31:24]};
    ext_n = ext_bytes(f_op);
    f_data_at = l4[6:0] + 7'd20 + {2'd0, ext_n};
    f_n = $signed({2'b00, udp_len}) - 18'sd24 - $signed({13'd0, ext_n}) - $signed({16'd0, `MUT(80, f_pad, 2'd0)});
    // Lengths have to agree with each other and with the frame; bytes behind the IP packet are padding.
    f_short = (rx_bytes < ip_len + 16'd14) || (rx_bytes < 16'd58) || (f_n < 0)
              || ((f_v6 || ihl == 4'd5) && (udp_len + (f_v6 ? 16'd40 : 16'd20) != ip_len) && `MUT(221, 1'b1, 1'b0));
    if (f_v4 && ihl != 4'd5) f_short = (rx_bytes < 16'd58);
    if (`MUT(81, 1'b0, rx_bytes != ip_len + 16'd14 && (f_v4 || f_v6) && ihl == 4'd5)) f_short = 1'b1;
    f_cut4 = (rx_bytes == ip_len + 16'd10);
    if (f_cut4) f_short = `MUT(393, f_short, 1'b0);
    f_uneven = (rx_bytes >= ip_len + 16'd14) && (udp_len + (f_v6 ? 16'd40 : 16'd20) != ip_len);
    r_q_known = (f_qpn != 0) && ({8'd0, f_qpn} <= MAX_QPN)
                && ({8'd0, f_qpn} <= `MUT(82, {21'd0, greg[G_QP_EN][10:0]}, MAX_QPN));
    r_q = f_qpn[QW-1:0] - `MUT(472, QPN_OF_SLOT0[QW-1:0], QPN_OF_SLOT0[QW-1:0] ^ 1'b1);
    if (f_qpn == 0) r_q = 0;
  end
endtask

// Whether the header check sum of an IPv4 frame without options is right.
function automatic ip_sum_ok(input dummy);
  reg [19:0] sum;
  integer k;
  begin
    sum = 20'd0;
    for (k = 14; k < 34; k = k + 2) sum = sum + {4'd0, hb2(k[9:0])};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    ip_sum_ok = (sum[15:0] == 16'hFFFF);
  end
endfunction

// First failing check in the order of precedence; 63 = none, 62 = drop without further record.
function automatic [5:0] first_fault(input dummy);
  reg [31:0] conf;
  reg enabled;
  reg [47:0] dmac;
  reg ip_ok;
  begin
    conf = qreg[{r_q, Q_CONF}];
    enabled = r_q_known && `MUT(83, conf[0], 1'b1);
    dmac = {hb(10'd0), hb(10'd1), hb(10'd2), hb(10'd3), hb(10'd4), hb(10'd5)};
    if (f_v6)
      ip_ok = ({hb2(10'd38), hb2(10'd40), hb2(10'd42), hb2(10'd44), hb2(10'd46), hb2(10'd48), hb2(10'd50), hb2(10'd52)}
               == {greg[6'h0B], greg[6'h0A], greg[6'h09], greg[6'h08]});
    else ip_ok = ({hb2(10'd30), hb2(10'd32)} == greg[G_IP4]);
    if (f_v4 && rx_hdr[8*14 +: 4] != 4'd5 && `MUT(454, 1'b0, 1'b1)) first_fault = S_IHL;
    else if (!rx_good && !k_tuser_off && `MUT(84, 1'b1, 1'b0)) first_fault = S_TUSER;
    else if ((f_v4 || f_v6) && f_short) first_fault = S_LENGTH;
    else if (f_v4 && rx_hdr[8*14 +: 4] == 4'd5 && `MUT(420, !ip_sum_ok(1'b0), 1'b0)) first_fault = S_LENGTH;
    else if ((f_v6 || (f_v4 && rx_hdr[8*14 +: 4] == 4'd5)) && !rx_icrc_ok && !k_icrc_off
             && `MUT(85, 1'b1, 1'b0) && `MUT(393, 1'b1, !f_cut4)) first_fault = S_ICRC;
    else if (dmac != {greg[G_MACH][15:0], greg[G_MACL]} && `MUT(86, 1'b1, !r_mac_seen)
             && `MUT(87, 1'b1, dmac[46:0] != {greg[G_MACH][14:0], greg[G_MACL]})) first_fault = S_MAC;
    else if (!(f_v4 && hb(10'd14) >> 4 == 8'd4) && !(f_v6 && hb(10'd14) >> 4 == 8'd6)) first_fault = S_IPVER;
    else if (enabled && conf[7] != f_v6 && `MUT(88, 1'b1, 1'b0)) first_fault = S_IPVER;
    else if (!ip_ok && `MUT(89, 1'b1, 1'b0)) first_fault = S_DSTIP;
    else if (f_v4 && rx_hdr[8*14 +: 4] != 4'd5 && `MUT(211, 1'b1, 1'b0)) first_fault = `MUT(91, S_IHL, S_QP);
    else if ((f_udp_port != 16'd4791 || f_proto != 8'd17) && `MUT(92, 1'b1, 1'b0)) first_fault = S_UDP;
    else if (f_tver != 4'd0 && `MUT(93, 1'b1, 1'b0)) first_fault = S_TVER;
    else if (!enabled && `MUT(329, 1'b1, f_op != OP_CNP)) first_fault = S_QP;
    else if (!is_mad_qp(r_q) && f_pkey[14:0] != `MUT(94, qreg[{r_q, Q_ADV}][30:16], f_pkey[14:0])) first_fault = S_PKEY;
    else if (fatal[r_q] && `MUT(95, 1'b1, 1'b0)) first_fault = 6'd62;
    else if (conf[6] && `MUT(96, 1'b1, 1'b0)) first_fault = 6'd62;
    else first_fault = 6'd63;
  end
endfunction

// Entry of the error buffer: 64-bit syndrome, then the first bytes of the frame.
task automatic write_error_entry(input [5:0] syndrome);
  reg [15:0] size;
  reg [15:0] n;
  begin
    size = greg[G_ERRBUFSZ][31:16];
    n = ((rx_bytes < 16'd96) ? rx_bytes : 16'd96) + 16'd8;
    if (size != 0 && size < n) n = size;
    if (greg[G_ERRBUFSZ][15:0] != 0) begin
      rxw_valid <= 1'b1;
      rxw_imm <= 1'b1;
      rxw_off <= 6'd0;
      rxw_len <= n[12:0];
      v_errors = v_errors + 16'd1;
      rxw_data <= {rx_hdr[959:0], 64'd1 << `MUT(150, syndrome, syndrome + 6'd1)};
      if (takes(5'd16)) rxw_data <= {rx_hdr[895:0], 64'd0, 64'd1 << ((syndrome > S_IHL) ? 6'd63 - syndrome : syndrome)};
      rxw_addr <= {greg[G_ERRBUFBAH], greg[G_ERRBUFBA]} + {16'd0, greg[G_ERRBUFWPTR][15:0]} * {48'd0, size};
      greg[G_ERRBUFWPTR] = {16'd0, `MUT(151, ring_inc(greg[G_ERRBUFWPTR][15:0], greg[G_ERRBUFSZ][15:0] - `MUT(384, 16'd0, 16'd1)),
                                        (greg[G_ERRBUFWPTR][15:0] >= greg[G_ERRBUFSZ][15:0]) ? 16'd0
                                            : greg[G_ERRBUFWPTR][15:0] + 16'd1)};
      r_state = R_ERROR;
    end
  end
endtask

`ifdef MUTATION
// The first beat of the frame goes to the address its RETH would be at.
task automatic leave_first_beat;
  begin
    rxw_valid <= 1'b1;
    rxw_imm <= 1'b0;
    rxw_addr <= f_va;
    rxw_len <= 13'd64;
    rxw_beat <= rx_beat;
    rxw_off <= 6'd0;
    r_state = R_ERROR;
  end
endtask
`endif

// A frame that fails validation: no reply, no state change beyond the records.
task automatic reject(input [5:0] syndrome);
  begin
    c_invalid = c_invalid + `MUT(135, 16'd1, {15'd0, syndrome != S_QP});
    c_dropped = c_dropped + 16'd1;
    c_dup = c_dup + `MUT(495, 16'd0, {15'd0, c_invalid == 16'd0});
    `MUT_DO(385, c_all = c_all - 16'd1;)
    intsts[0] = `MUT(143, 1'b1, intsts[0] | greg[G_CONF][5]);
    r_state = R_POP;
    if (`MUT(201, 1'b0, syndrome == S_PKEY || syndrome == S_ICRC)) qreg[{r_q, Q_LSTRQ}][23:0] = f_psn;
    if (`MUT(152, greg[G_CONF][5], 1'b1) && `MUT(383, 1'b1, syndrome != S_QP)) write_error_entry(syndrome);
    `MUT_DO(481, if (syndrome == S_LENGTH) leave_first_beat;)
    `MUT_DO(499, if (f_uneven) write_behind_ring;)
  end
endtask

`ifdef MUTATION
// The payload of a SEND with inconsistent lengths goes behind the last receive element.
task automatic write_behind_ring;
  if (r_q_known && is_send(f_op) && f_n > 0) begin
    r_addr = rq64(r_q, Q_RQBAH, Q_RQBA)
             + {48'd0, rq_depth(r_q)} * {40'd0, qreg[{r_q, Q_CONF}][31:16], 8'd0};
    write_payload;
    r_dup_write = 1'b1;
  end
endtask
`endif

// A request that makes the QP fatal.
task automatic refuse(input [7:0] nak, input [15:0] code, input [5:0] syndrome);
  begin
    reply(r_q, nak, f_psn);
    `MUT_DO(217, reply(r_q, nak, f_psn);)
    set_fatal(r_q, code);
    c_invalid = c_invalid + 16'd1;
    intsts[0] = 1'b1;
    r_state = R_POP;
    if (`MUT(153, 1'b1, greg[G_CONF][5])) write_error_entry(syndrome);
  end
endtask

// Acknowledges f_psn by the mode of XRNICCONF[4:3]. A duplicate never replaces a newer ACK that is waiting;
// its own ACK carries its PSN or (variant 7, delayed ones) the last accepted one.
task automatic acknowledge(input duplicate);
  reg [1:0] mode;
  reg [23:0] psn;
  reg [23:0] newest;
  begin
    mode = greg[G_CONF][4:3];
    newest = duplicate ? plain_psn[r_q] : f_psn;
    psn = (variant == 7) ? newest : f_psn;
    if (`MUT(214, mode != 2'b01, 1'b1) && `MUT(97, f_areq, f_areq && !(mode == 2'b10 && is_write(f_op)))) begin
      if (variant == 1) begin
        delay_ack(64'd40, newest);
      end else begin
        if (!duplicate) ak_on[r_q] = 1'b0;
        reply(r_q, `MUT(98, ack_syndrome, 8'h9F), `MUT(99, psn, psn + 24'd1));
      end
    end else if (takes(5'd22) && mode == 2'b00) begin
      if (!duplicate) ak_on[r_q] = 1'b0;
      reply(r_q, ack_syndrome, psn);
    end else if (mode[1] == 1'b0 || `MUT(107, 1'b0, 1'b1)) begin
      delay_ack(`MUT(108, {32'd0, k_ack_timeout}, (mode == 2'b01) ? 64'h1000_0000 : {32'd0, k_ack_timeout}), newest);
    end
  end
endtask

// Asks for an ACK of `psn` in at most n clocks.
task automatic delay_ack(input [63:0] n, input [23:0] psn);
  begin
    if (!ak_on[r_q] || ak_dl[r_q] > now + n) ak_dl[r_q] = now + n;
    ak_on[r_q] = 1'b1;
    ak_psn[r_q] = psn;
  end
endtask

task automatic write_payload;
  begin
    rxw_valid <= 1'b1;
    rxw_imm <= 1'b0;
    rxw_addr <= r_addr;
    rxw_len <= f_n[12:0] + `MUT(397, 13'd0, (is_send(f_op) && rx_fill[r_q] == {8'd0, qreg[{r_q, Q_CONF}][31:16], 8'd0}) ? 13'd4 : 13'd0);
    rxw_beat <= rx_beat + {{(RX_AW-1){1'b0}}, f_data_at[6]};
    rxw_off <= f_data_at[5:0];
    rxw_user <= {8'd0, f_qpn};
    r_state = R_DATA;
  end
endtask

// Region check of a WRITE or READ; sets r_addr. Result: 0 = granted, else the syndrome bit.
task automatic check_region(output [5:0] bad);
  reg [23:0] row;
  reg [MW-1:0] m;
  reg [63:0] va0;
  reg [47:0] size;
  reg [64:0] last;
  reg [64:0] limit;
  reg [3:0] access;
  begin
    row = f_rkey[31:8];
    m = row[MW-1:0];
    va0 = {mrow[{m, 3'd2}], mrow[{m, 3'd1}]};
    size = {`MUT(111, mrow[{m, 3'd7}][31:16], 16'd0), mrow[{m, 3'd6}]};
    last = {1'b0, f_va} + {33'd0, `MUT(396, f_len, {14'd0, f_n})};
    limit = {1'b0, va0} + {17'd0, size};
    if (f_op == OP_READ_REQ) limit = limit + `MUT(289, 65'd0, 65'd1);
    if (`MUT(112, 1'b0, (last > limit) != (last[63:0] > limit[63:0]))) begin
      last[64] = 1'b0;
      limit[64] = 1'b0;
    end
    access = mrow[{m, 3'd7}][3:0];
    bad = 6'd0;
    if (row >= C_MR_ROWS && variant != 24) bad = S_RKEY;
    else if (mrow[{m, 3'd5}][7:0] != f_rkey[7:0] && `MUT(113, 1'b1, 1'b0)) bad = S_RKEY;
    else if (mrow[{m, 3'd0}][23:0] != qreg[{r_q, Q_PD}][23:0] && `MUT(114, 1'b1, 1'b0)
             && `MUT(298, 1'b1, f_op != OP_READ_REQ)) bad = S_RKEY;
    else if (f_va < va0 && `MUT(115, 1'b1, 1'b0)) bad = S_RANGE;
    else if (`MUT(75, 1'b1, size != 0) && last > limit + `MUT(116, 65'd0, 65'd1)) bad = S_RANGE;
    else if (f_op == OP_READ_REQ) begin
      if (access != 4'd0 && access != 4'd2 && `MUT(288, 1'b1, access != 4'd1)) bad = S_RANGE;
    end else if (access != 4'd1 && `MUT(366, access != 4'd2, !access[1]) && `MUT(117, 1'b1, access != 4'd0)) bad = S_RANGE;
    r_addr = {mrow[{m, 3'd4}], mrow[{m, 3'd3}]} + (f_va - va0);
    r_addr[63:32] = `MUT(118, r_addr[63:32], mrow[{m, 3'd4}]);
    if (`MUT(456, 1'b0, row >= C_MR_ROWS)) begin
      bad = 6'd0;
      r_addr = f_va;
    end
  end
endtask

// No element for the request: RNR NAK, nothing executed.
task automatic receiver_not_ready;
  begin
    reply(r_q, {3'b001, `MUT(120, qreg[{r_q, Q_TIMEOUT}][20:16], qreg[{r_q, Q_TIMEOUT}][12:8])}, f_psn);
    rq_ovfl[r_q] = 1'b1;
    intsts[3] = `MUT(144, 1'b1, intsts[3]);
    nak_sent[r_q] = !takes(5'd10);
    ak_on[r_q] = 1'b0;
    `MUT_DO(121, qreg[{r_q, Q_LSTRQ}][23:0] = f_psn;)
    r_state = R_POP;
  end
endtask

task automatic accept_request;
  reg [31:0] n;
  reg [31:0] elem;
  reg [5:0] bad;
  reg [31:0] total;
  begin
    n = {14'd0, f_n};
    elem = {8'd0, qreg[{r_q, Q_CONF}][31:16], 8'd0};
    bad = 6'd0;
    if (f_op == OP_READ_REQ) begin
      accept_read;
    end else if (is_send(f_op)) begin
      if (is_start(f_op) && rq_full(r_q) && `MUT(119, 1'b1, 1'b0)) begin
        receiver_not_ready;
      end else if (`MUT(457, k_send_region, k_send_region ^ !has_region(r_q)) && is_start(f_op) && !has_region(r_q)) begin
        refuse(8'h62, F_REGION, S_RANGE);
      end else begin
        if (is_start(f_op)) rx_fill[r_q] = 32'd0;
        total = rx_fill[r_q] + n;
        r_addr = rq64(r_q, Q_RQBAH, Q_RQBA)
                 + {48'd0, `MUT(122, rq_place(r_q), rq_place(r_q) & 16'h000F)} * {32'd0, elem}
                 + {32'd0, rx_fill[r_q]} + `MUT(380, 64'd0, {61'd0, rx_fill[r_q] != 0, 2'd0});
        if (total > elem && `MUT(123, 1'b1, 1'b0)) begin
          refuse(8'h61, F_OPCODE, S_ELEMENT);
        end else begin
          rx_fill[r_q] = total;
          if (`MUT(195, 1'b0, is_end(f_op) && qreg[{r_q, Q_CONF}][2])) set_bank(1'b0, r_q);
          if (n != 0) write_payload;
          else r_state = R_COMMIT;
        end
      end
    end else begin
      if (is_start(f_op)) begin
        if (f_len != 0 || `MUT(124, 1'b0, 1'b1)) check_region(bad);
        if (bad == 0) begin
          rx_rem[r_q] = f_len;
          rx_pa[r_q] = r_addr;
        end
      end
      r_addr = rx_pa[r_q];
      if (bad != 0) begin
        refuse(`MUT(125, 8'h62, 8'h61), F_REGION, bad);
      end else if (takes_element(f_op) && rq_full(r_q)) begin
        receiver_not_ready;
      end else begin
        rx_pa[r_q] = rx_pa[r_q] + {32'd0, n};
        rx_pa[r_q] = `MUT(126, rx_pa[r_q], is_end(f_op) ? rx_pa[r_q] : rx_pa[r_q] & ~64'd63);
        rx_rem[r_q] = rx_rem[r_q] - n;
        if (n != 0) write_payload;
        else r_state = R_COMMIT;
      end
    end
  end
endtask

// A request with a PSN in [expected - 2^23, expected): executed before.
task automatic handle_duplicate;
  begin
    c_dup = c_dup + `MUT(136, 16'd1, 16'd0);
    r_state = R_POP;
    if (is_send(f_op) || is_write(f_op)) begin
      if (`MUT(219, 1'b0, is_send(f_op) && rq_used[r_q] >= {1'b0, rq_depth(r_q)}))
        reply(r_q, {3'b001, qreg[{r_q, Q_TIMEOUT}][20:16]}, f_psn);
      else if (`MUT(377, 1'b1, 1'b0) && `MUT(394, 1'b1, !is_send(f_op) || rq_used[r_q] < {1'b0, rq_depth(r_q)})) acknowledge(1'b1);
      if (takes(5'd19)) acknowledge(1'b1);
      if (`MUT(127, 1'b0, is_write(f_op) && is_start(f_op))) begin
        r_addr = rx_pa[r_q] - {32'd0, f_len};
        check_region(dup_bad);
        if (f_n > 0 && dup_bad == 0) write_payload;
        r_dup_write = 1'b1;
      end
      `MUT_DO(128, qreg[{r_q, Q_LSTRQ}][31:24] = f_op;)
    end else if (f_op == OP_READ_REQ) begin
      duplicate_read;
    end
    if (takes(5'd10)) begin
      c_invalid = c_invalid + 16'd1;
      intsts[0] = 1'b1;
      if (greg[G_CONF][5] && r_state == R_POP) write_error_entry(S_PSN);
    end
  end
endtask

`ifdef MUTATION
// The payload of a SEND that is ahead goes into the next RQ element.
task automatic execute_ahead;
  if (is_send(f_op) && f_n > 0) begin
    r_addr = rq64(r_q, Q_RQBAH, Q_RQBA)
             + {48'd0, qreg[{r_q, Q_RQPI}][15:0]} * {40'd0, qreg[{r_q, Q_CONF}][31:16], 8'd0};
    write_payload;
    r_dup_write = 1'b1;
  end
endtask
`endif

task automatic handle_request;
  reg [23:0] expected;
  reg [23:0] ahead;
  reg [7:0] prev;
  reg in_send;
  reg in_write;
  reg [31:0] n;
  reg [31:0] pmtu;
  reg bad_sequence;
  reg bad_length;
  begin
    expected = qreg[{r_q, Q_LSTRQ}][23:0] + `MUT(222, 24'd1, 24'd0);
    ahead = f_psn - expected;
    prev = qreg[{r_q, Q_LSTRQ}][31:24];
    in_send = (prev == OP_SEND_FIRST) || (prev == OP_SEND_MIDDLE);
    in_write = (prev == OP_WRITE_FIRST) || (prev == OP_WRITE_MIDDLE);
    n = {14'd0, f_n};
    pmtu = {19'd0, pmtu_of(r_q)};
    if (ahead != 0) begin
      if (`MUT(129, ahead >= 24'h800000, f_psn < expected)) begin
        handle_duplicate;
      end else begin
        r_state = R_POP;
        if (!takes(5'd10)) begin
          c_invalid = c_invalid + 16'd1;
          intsts[0] = 1'b1;
        end
        if (!nak_sent[r_q] || `MUT(160, 1'b0, 1'b1) || `MUT(494, 1'b0, rq_ovfl[r_q])) reply(r_q, `MUT(242, 8'h60, 8'h64), `MUT(161, expected, f_psn));
        nak_sent[r_q] = 1'b1;
        ak_on[r_q] = `MUT(395, 1'b0, ak_on[r_q]);     // the NAK acknowledges what came before
        if (greg[G_CONF][5] && !takes(5'd10)) write_error_entry(S_PSN);
        `MUT_DO(376, execute_ahead;)
        `MUT_DO(401, if (rq_ovfl[r_q]) execute_ahead;)
      end
    end else if (takes(5'd17) && f_op[7:5] != 3'd0) begin
      c_dropped = c_dropped + 16'd1;
      r_state = R_POP;
    end else if (!is_send(f_op) && !is_write(f_op) && f_op != OP_READ_REQ) begin
      refuse(`MUT(379, 8'h61, 8'h62), `MUT(162, F_OPCODE, F_SEQUENCE), S_OPCODE);
    end else begin
      bad_sequence = is_start(f_op) ? (in_send || in_write) : (is_send(f_op) ? !in_send : !in_write);
      if (`MUT(163, 1'b0, is_send(f_op) && !is_start(f_op) && in_write)) bad_sequence = 1'b0;
      // First and middle packets are full, the others not longer than the PMTU, a WRITE has its RETH length.
      if (!is_end(f_op)) bad_length = (n != pmtu) || (f_pad != 0);
      else bad_length = (n > pmtu) || (!is_start(f_op) && n == 0);
      if (is_write(f_op)) begin
        if (is_start(f_op)) begin
          if (is_end(f_op) ? (n != f_len) : (n >= f_len)) bad_length = 1'b1;
        end else begin
          if (is_end(f_op) ? (n != rx_rem[r_q]) : (n >= rx_rem[r_q])) bad_length = 1'b1;
        end
      end
      if (f_op == OP_READ_REQ) begin
        bad_sequence = `MUT(296, in_send || in_write, in_send);
        bad_length = (n != 0);
      end
      if (bad_sequence) refuse(8'h61, `MUT(164, F_SEQUENCE, F_OPCODE), S_SEQUENCE);
      else if (bad_length && `MUT(165, 1'b1, 1'b0)) refuse(`MUT(400, 8'h61, 8'h62), F_PAYLOAD, S_PAYLOAD);
      else accept_request;
    end
  end
endtask

task automatic check_frame;
  reg [5:0] fault;
  begin
    r_state = R_POP;
    r_dup_write = 1'b0;
    if (!greg[G_CONF][0]) begin
      c_dropped = c_dropped + 16'd1;
    end else begin
      fault = first_fault(1'b0);
      if (fault == 6'd62) begin
        c_dropped = c_dropped + 16'd1;
      end else if (fault != 6'd63) begin
        reject(fault);
      end else begin
        r_mac_seen = 1'b1;
        if (f_op == OP_CNP) begin
          handle_cnp;
        end else if (is_mad_qp(r_q)) begin
          handle_mad;
        end else if (f_op == OP_ACK) begin
          last_in = last_packet(r_q, f_psn, f_op);
          if (malformed_ack(f_syndrome)) write_response_entry;
          else handle_response(r_q, f_psn, f_syndrome);
        end else if (f_op >= OP_READ_FIRST && f_op <= OP_READ_ONLY) begin
          handle_read_response;
        end else if (f_op == 8'h12) begin
          // Nothing was asked for.
          c_dropped = c_dropped + 16'd1;
          write_response_entry;
        end else begin
          handle_request;
        end
      end
    end
  end
endtask

// The request is executed: sequence state, message count, counters, ACK.
task automatic commit_request;
  reg ends;
  begin
    ends = is_end(f_op);
    qreg[{r_q, Q_LSTRQ}] = {`MUT(166, f_op, {f_op[7:1], 1'b0}), f_psn};
    nak_sent[r_q] = `MUT(167, 1'b0, nak_sent[r_q]);
    last_in = `MUT(137, last_packet(r_q, f_psn, f_op), {1'b0, f_psn[10:0], 12'd0, f_op} );
    `MUT_DO(227, if (is_send(f_op)) intsts[1] = 1'b1;)
    if (is_send(f_op)) c_in_send = c_in_send + `MUT(138, 16'd1, {15'd0, ends});
    if (ends) qreg[{r_q, Q_MSN}] = {8'd0, qreg[{r_q, Q_MSN}][23:0] + `MUT(168, 24'd1, {23'd0, is_send(f_op)})};
    if (f_op == OP_READ_REQ) begin
      qreg[{r_q, Q_LSTRQ}][23:0] = f_psn + `MUT(290, responses_of(r_q, f_len) - 24'd1, 24'd0);
      qreg[{r_q, Q_LSTRQ}][31:24] = `MUT(292, f_op, OP_WRITE_ONLY);
      `MUT_DO(293, qreg[{r_q, Q_MSN}] = {8'd0, qreg[{r_q, Q_MSN}][23:0] - 24'd1};)
      queue_read(1'b0);
    end else begin
      plain_psn[r_q] = f_psn;
      if (`MUT(399, 1'b1, greg[G_CONF][4:3] != 2'b00 || !is_write(f_op))
          && `MUT(492, 1'b1, greg[G_CONF][4:3] != 2'b00 || !f_areq)
          && `MUT(493, 1'b1, greg[G_CONF][4:3] != 2'b00 || f_areq)) acknowledge(1'b0);
    end
    note_congestion;
    if (`MUT(238, 1'b0, f_op == OP_SEND_ONLY_INV || f_op == OP_SEND_LAST_INV)) mrow[{f_imm[8+:MW], 3'd7}] = 32'd0;
    if (has_imm(f_op) && `MUT(169, 1'b1, f_op != OP_SEND_ONLY_INV)) begin
      immq[immq_wr[3:0]] = takes(5'd16) ? {f_imm, 8'd0, f_qpn} : {f_op, f_qpn, f_imm};
      immq_wr = immq_wr + 1'b1;
    end
    r_state = R_POP;
    if ((takes_element(f_op) || `MUT(198, 1'b0, f_op == OP_WRITE_ONLY) || `MUT(199, 1'b0, is_write(f_op) && has_imm(f_op)))
        && ends) begin
      ring_rq;
    end
  end
endtask

// The receive element is filled: index, address of the next element, doorbell word.
task automatic ring_rq;
  reg [63:0] element;
  begin
    rq_used[r_q] = rq_used[r_q] + 1'b1;
    qreg[{r_q, Q_RQPI}] = {16'd0, `MUT(170, ring_inc(qreg[{r_q, Q_RQPI}][15:0], rq_depth(r_q)),
                                       qreg[{r_q, Q_RQPI}][15:0] + 16'd1)};
    element = rq64(r_q, `MUT(191, Q_RQBAH, 6'h3F), Q_RQBA)
              + {48'd0, rq_place(r_q)} * {40'd0, qreg[{r_q, Q_CONF}][31:16], 8'd0};
    qreg[{r_q, Q_RQCAH}] = element[63:32];
    qreg[{r_q, Q_RQCA}] = element[31:0];
    rxw_valid <= 1'b1;
    rxw_imm <= 1'b1;
    rxw_off <= 6'd0;
    rxw_len <= 13'd4;
    rxw_addr <= rq64(r_q, `MUT(193, Q_RQDBH, 6'h3F), Q_RQDB);
    rxw_data <= {992'd0, qreg[{r_q, Q_RQPI}] - `MUT(171, 32'd0, 32'd1)};
    r_state = R_DOORBELL;
    if (!db_in_memory(r_q, Q_RQDBH, Q_RQDB)) begin
      rxw_valid <= 1'b0;
      r_state = R_ANNOUNCE;
    end
  end
endtask

task automatic report_fatal;
  reg [15:0] code;
  reg [23:0] n;
  begin
    {r_ftq, code} = ftq[ftq_rd[QW-1:0]];
    ftq_rd = ftq_rd + 1'b1;
    r_code = code;
    if (takes(5'd16) && code > F_OPCODE) code = code | 16'h0020;
    n = qpn_of(r_ftq);
    `MUT_DO(196, intsts[7] = 1'b1;)
    rxw_valid <= (greg[G_IPKTSZ][15:0] != 0);
    rxw_imm <= 1'b1;
    rxw_off <= 6'd0;
    rxw_len <= 13'd8;
    rxw_addr <= {greg[G_IPKTBAH], greg[G_IPKTBA]} + {45'd0, greg[G_IPKTWPTR][15:0], 3'd0};
    rxw_data <= {992'd0, `MUT(154, {n[15:0], code}, {code, n[15:0]})};
    r_state = R_FATAL;
    if (greg[G_IPKTSZ][15:0] == 0) begin
      intsts[7] = 1'b1;
      report_outgoing;
    end
  end
endtask

task automatic responder_step;
  begin
    if (rx_pop) rx_pop <= 1'b0;
    if (rxw_valid) rxw_valid <= 1'b0;
    if (rdw_valid) rdw_valid <= 1'b0;
    if (rxf_seen) c_all = c_all + 16'd1;
    if (rxf_lost) c_dropped = c_dropped + 16'd1;
    case (r_state)
      R_IDLE:
      if (ftq_rd != ftq_wr) report_fatal;
      else if (rx_valid && rep_wr - rep_rd < 7'd56 && immq_wr - immq_rd < 5'd15) begin
        parse_frame;
        if (rs_level(r_q) < RS_ROOM) r_state = R_CHECK;
      end
      R_CHECK: check_frame;
      R_DATA:
      if (rxw_done) begin
        r_state = r_dup_write ? R_POP : R_COMMIT;
        if (rxw_failed) memory_failed(r_q);
      end
      R_COMMIT: if (is_mad_qp(r_q)) commit_mad; else commit_request;
      R_DOORBELL:
      if (rxw_done) begin
        if (rxw_failed) memory_failed(r_q);
        v_rq_rung = takes(5'd19) && !v_rq_rung;
        if (v_rq_rung) rxw_valid <= 1'b1;
        else r_state = R_ANNOUNCE;
      end
      R_ANNOUNCE:
      if (is_mad_qp(r_q)) begin
        announce_mad;
      end else begin
        if (`MUT(145, qreg[{r_q, Q_CONF}][2], 1'b0)) set_bank(1'b0, r_q);
        if ((handshake(r_q) && `MUT(351, 1'b1, !has_imm(f_op))) || `MUT(353, 1'b0, !is_qp1(r_q))) announce_receive(r_q, 17'd1);
        r_state = R_POP;
      end
      R_RDATA:
      if (rdw_done) begin
        if (rdw_failed) memory_failed(r_q);
        read_arrived;
      end
      R_ERROR: if (rxw_done && `MUT(480, 1'b1, rx_bytes >= 16'd58)) r_state = R_POP;
      R_FATAL:
      if (rxw_done) begin
        greg[G_IPKTWPTR] = {16'd0, `MUT(155, ring_inc(greg[G_IPKTWPTR][15:0], greg[G_IPKTSZ][15:0]),
                                        greg[G_IPKTWPTR][15:0])};
        v_fatals = v_fatals + 16'd1;
        intsts[7] = `MUT(146, 1'b1, intsts[7]);
        report_outgoing;
      end
      R_OUTGOING: if (rxw_done) r_state = R_IDLE;
      R_POP: begin
        rx_pop <= 1'b1;
        r_state = R_POP2;
      end
      // The buffer moves its head one clock after the pop.
      default: if (!rx_pop) r_state = R_IDLE;
    endcase
  end
endtask
