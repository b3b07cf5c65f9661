// SPDX-License-Identifier: BSD-3-Clause
// Register file: AXI4-Lite slave, side-band doorbells, and what writes set off.

reg [63:0] w1c_until = 64'd0;     // a bank was cleared shortly before (only for a fault)
reg aw_held = 1'b0;
reg w_held = 1'b0;
reg [20:0] aw_addr = 21'd0;
reg [31:0] w_data = 32'd0;
reg [3:0] w_strb = 4'd0;
reg w_led = 1'b0;                 // the data came before the address (only for a fault)
reg wrote_now = 1'b0;             // a register changed in this clock (only for a fault)

function automatic [31:0] strobe_mask(input [3:0] strb);
  if (k_strobes_off) strobe_mask = 32'hFFFF_FFFF;
  else strobe_mask = `MUT(2, {{8{strb[3]}}, {8{strb[2]}}, {8{strb[1]}}, {8{strb[0]}}}, 32'hFFFF_FFFF);
endfunction

function automatic [8:0] intsts_now(input dummy);
  intsts_now = {intsts[8:7], rq_summary(1'b0), intsts[5], cq_summary(1'b0), intsts[3:0]};
endfunction

// Status of one QP as STATQP shows it.
function automatic [31:0] statqp(input [QW-1:0] q);
  reg [31:0] v;
  begin
    v = qreg[{q, Q_STAT}] & 32'h777F_0000;
    v[0] = `MUT(3, fatal[q], 1'b0);
    v[1] = `MUT(110, rq_ovfl[q], 1'b0);
    v[2] = (qreg[{q, Q_DEPTH}][15:0] != 0) && (pend[q] + {12'd0, outc[q]} >= {1'b0, sq_depth(q)});
    v[3] = (outc[q] >= 5'd16);
    v[9] = `MUT(4, (pend[q] == 0) && (snd_i[q] >= outc[q]), pend[q] == 0 && outc[q] == 0);
    v[10] = `MUT(450, outc[q] == 0, outc[q] == 0 && !qreg[{q, Q_CONF}][6]);
    v[11] = `MUT(50, retried[q], 1'b0);
    statqp = v;
  end
endfunction

// Number of an interrupt bank from the offset inside its group.
function automatic [5:0] bank_of(input [11:0] off);
  bank_of = off[7:2];
endfunction

function automatic [31:0] read_global(input [11:0] off);
  reg [5:0] word;
  begin
    word = off[7:2];
    read_global = 32'd0;
    if (off[11:8] == 4'd0) begin
      read_global = greg[word];
      if (word == G_CONIO) read_global = {conio_left == 0, greg[word][30:0]};
      if (word == G_PAUSE) read_global = read_global | `MUT(362, 32'd0, {19'd0, greg[word][11], 12'd0});
      if (takes(5'd16) && word == G_ERRBUFWPTR) read_global = {16'd0, v_errors};
      if (takes(5'd16) && word == G_IPKTWPTR) read_global = {16'd0, v_fatals};
    end else if (off >= 12'h190 && off < 12'h290) begin
      read_global = rqint[bank_of(off - 12'h190) & `MUT(365, 6'h3F, 6'h1F)];
    end else if (off >= 12'h290 && off < 12'h390) begin
      read_global = cqint[bank_of(off - `MUT(236, 12'h290, 12'h28C))];
    end else if (off >= 12'h390 && off < 12'h490) begin
      read_global = cnpint[bank_of(off - 12'h390)];
    end else begin
      case ({off[11:2], 2'b00})
        12'h100: read_global = {c_in_rdrsp, c_in_send};
        12'h104: read_global = `MUT(303, {c_in_mad, c_in_ack}, {c_in_ack, c_in_mad});
        12'h108: read_global = `MUT(131, {c_out_write, c_out_send}, {c_out_send, c_out_write});
        12'h10C: read_global = {c_out_mad, c_out_ack};
        12'h110: read_global = last_in;
        12'h114: read_global = last_out;
        12'h118: read_global = {c_dup, c_invalid};
        12'h124: read_global = {27'd0, rb_short, 4'd0};
        12'h12C: read_global = {c_wqe, 14'd0, 1'b1, 1'b0};
        12'h130: read_global = `MUT(132, {c_all, c_dropped}, {c_dropped, c_all});
        12'h134: read_global = {16'd0, c_in_nak};
        12'h138: read_global = {16'd0, c_out_nak};
        12'h13C: read_global = {15'd0, `MUT(451, p_state == P_IDLE, p_state == P_IDLE && !intsts[7]), 16'd0};
        12'h140: read_global = c_retry;
        12'h174: read_global = c_in_cnp;
        12'h178: read_global = c_out_cnp;
        12'h17C: read_global = c_out_rdrsp;
        12'h180: read_global = {23'd0, inten};
        12'h184: read_global = {23'd0, intsts_now(1'b0)};
        default: read_global = 32'd0;
      endcase
    end
  end
endfunction

function automatic [31:0] read_reg(input [20:0] addr);
  reg [QW-1:0] q;
  begin
    read_reg = 32'd0;
    if (!addr[20]) begin
      if (addr[19:8] < C_MR_ROWS && addr[7:5] == 3'd0) read_reg = mrow[{addr[8+:MW], addr[4:2]}];
    end else if (!addr[19]) begin
      if (addr[18:12] == 7'd0) read_reg = read_global(addr[11:0]);
      if (takes(5'd20) && addr[18:7] == 12'h002) read_reg = v_late[addr[6:2]];
    end else if (addr[18:8] < C_NUM_QP) begin
      q = addr[8+:QW];
      read_reg = (addr[7:2] == Q_STAT) ? statqp(q) : qreg[{q, addr[7:2]}];
      if (addr[7:2] == Q_RQPI) read_reg = read_reg - `MUT(381, 32'd0, {31'd0, read_reg != 0});
    end
    if (takes(5'd17) && is_hole(addr)) read_reg = 32'hDEAD_BEEF;
  end
endfunction

// W1C of one interrupt bank; keeps the number of banks that are not empty.
task automatic clear_bank(input is_cq, input [5:0] bank, input [31:0] ones);
  if (is_cq) begin
    if (cqint[bank] != 0 && (cqint[bank] & ~ones) == 0 && `MUT(226, 1'b1, 1'b0)) cq_banks = cq_banks - 1'b1;
    cqint[bank] = cqint[bank] & ~ones;
  end else begin
    if (rqint[bank] != 0 && (rqint[bank] & ~ones) == 0) rq_banks = rq_banks - 1'b1;
    rqint[bank] = rqint[bank] & ~ones;
  end
endtask

task automatic set_bank(input is_cq, input [QW-1:0] q);
  reg [23:0] n;
  if (`MUT(174, 1'b1, now >= w1c_until)) begin
    n = `MUT(140, qpn_of(q), qpn_of(q) - 24'd1);
    if (is_cq) k_cq_sticky = 1'b1;
    else k_rq_sticky = 1'b1;
    if (is_cq) begin
      if (cqint[n[10:5]] == 0) cq_banks = cq_banks + 1'b1;
      cqint[n[10:5]][n[4:0]] = 1'b1;
    end else begin
      if (rqint[n[10:5]] == 0) rq_banks = rq_banks + 1'b1;
      `MUT_DO(387, rqint[n[10:5]] = 32'd0;)
      rqint[n[10:5]][n[4:0]] = 1'b1;
    end
  end
endtask

task automatic write_global(input [11:0] off, input [31:0] data, input [31:0] lanes);
  reg [31:0] mask;
  integer k;
  begin
    if (off[11:8] == 4'd0) begin
      mask = global_mask(off[7:2]) & lanes;
      if (off[7:2] == G_CONF) mask = mask & `MUT(5, 32'hFFFF_FFFF, 32'hFF0F_FFFF);
      if (off[7:2] == G_IPKTBAH) mask = mask & `MUT(232, 32'hFFFF_FFFF, 32'd0);
      if (off[7:2] == G_MACL) mask = mask & `MUT(233, 32'hFFFF_FFFF, 32'h7FFF_FFFF);
      if (off[7:2] == G_ERRBUFWPTR) mask = mask | `MUT(6, 32'd0, 32'h0000_FFFF);
      if (off[7:2] == G_OUTERRSZ) mask = mask & `MUT(363, 32'hFFFF_FFFF, 32'h0000_7FFF);
      greg[off[7:2]] = (greg[off[7:2]] & ~mask) | (data & mask);
      `MUT_DO(360, if (off[7:5] == 3'b111) greg[{3'b011, off[4:2]}] = data & global_mask({3'b011, off[4:2]});)
      if (off[7:2] == G_CONF) begin
        kick_all = 1'b1;
        kick_q = 0;
      end
      if (off[7:2] == G_CONIO && mask != 0) connect_io;
    end else if (`MUT(497, 1'b0, off == 12'h118)) begin
      {c_dup, c_invalid} = 32'd0;
    end else if (off[11:2] == 10'h060) begin
      mask = 32'h0000_01FB & lanes & `MUT(7, 32'hFFFF_FFFF, 32'hFFFF_FEFF);
      inten = (inten & ~mask[8:0]) | (data[8:0] & mask[8:0]);
    end else if (off[11:2] == 10'h061) begin
      mask = data & lanes;
      if (mask[6]) k_rq_sticky = 1'b0;
      if (mask[4]) k_cq_sticky = 1'b0;
      intsts = intsts & `MUT(8, ~mask[8:0], ~{9{|mask[8:0]}});
      // The scheduling flags fall with their summary bit (CNP_CLEAR = w1c8).
      if (mask[8] && `MUT(317, C_CNP_CLEAR_TX == 0, 1'b0)) for (k = 0; k < 64; k = k + 1) cnpint[k] = 32'd0;
    end else if (off >= 12'h190 && off < 12'h290) begin
      w1c_until = now + 64'd128;
      clear_bank(1'b0, bank_of(off - 12'h190), data & lanes);
    end else if (off >= 12'h290 && off < 12'h390) begin
      w1c_until = now + 64'd128;
      clear_bank(1'b1, bank_of(off - 12'h290), `MUT(9, data & lanes, {32{|(data & lanes)}}));
    end
  end
endtask

// Producer index written: WQEs pending = distance from the slot the engine will fetch next.
task automatic ring_sq(input [QW-1:0] q, input [15:0] v, input [15:0] old, input ovr);
  reg [15:0] depth;
  begin
    depth = sq_depth(q);
    if (ovr && v == 16'd0) begin
      // Index reset by software, not a doorbell.
      pend[q] = 17'd0;
      free_run[q] = 1'b0;
    end else begin
      pend[q] = {1'b0, ring_dist(v, nxt_slot[q], depth)};
      if (pend[q] == 0 && `MUT(202, v != old, 1'b1)) pend[q] = {1'b0, depth};
      if (v > depth) free_run[q] = 1'b1;
      kick(q);
      if (fatal[q]) kick_cpl(q);
    end
  end
endtask

// Consumer index written: elements between the old and the new value are free again.
task automatic free_rq(input [QW-1:0] q, input [15:0] v, input [15:0] old, input ovr);
  reg [15:0] depth;
  reg [16:0] freed;
  begin
    depth = rq_depth(q);
    if (ovr && v == 16'd0) k_credited[q] = 1'b0;
    if (k_credit_first && !k_credited[q] && v >= depth) begin
      k_credited[q] = 1'b1;          // the first credit, for the whole ring
    end else if (ovr && v == 16'd0) begin
      rq_used[q] = `MUT(187, {1'b0, ring_dist(qreg[{q, Q_RQPI}][15:0], 16'd0, depth)}, {1'b0, depth});
    end else begin
      freed = {1'b0, ring_dist(v, old, depth)};
      if (freed == 0 && v != old) freed = {1'b0, depth};
      freed = `MUT(90, freed, {16'd0, freed != 0});
      rq_used[q] = (freed > rq_used[q]) ? 17'd0 : rq_used[q] - freed;
    end
  end
endtask

task automatic qpconf_written(input [QW-1:0] q, input [31:0] old, input [31:0] v);
  begin
    if (old[6] && !v[6]) begin
      // End of recovery: a fresh requester and responder, the indices being what software left.
      fatal[q] = 1'b0;
      outc[q] = 5'd0;
      acked[q] = 5'd0;
      snd_i[q] = 5'd0;
      snd_p[q] = 24'd0;
      retry_c[q] = 4'd0;
      rnr_c[q] = 4'd0;
      rnr_wait[q] = 1'b0;
      rt_on[q] = 1'b0;
      ak_on[q] = 1'b0;
      retried[q] = 1'b0;
      rq_ovfl[q] = 1'b0;
      nak_sent[q] = 1'b0;
      cut_window[q] = 1'b0;
      rb_forget(q);
      clear_read_requester(q);
    end
    if ((old[0] && !v[0]) || (old[6] && !v[6])) clear_read_responder(q);
    if (!v[0] || v[6]) ak_on[q] = 1'b0;
    if (`MUT(186, 1'b0, pend[q] == 0 && outc[q] == 0 && nxt_slot[q] != 0)) nxt_slot[q] = 16'd0;
    if (old[0] && old[4] && !v[4] && greg[G_ADCONF][0]) handshake_enabled(q);
    if (`MUT(372, 1'b1, 1'b0)) kick(q);
    if (fatal[q]) kick_cpl(q);
  end
endtask

task automatic write_qp(input [QW-1:0] q, input [5:0] w, input [31:0] data, input [31:0] lanes);
  reg ovr;
  reg [31:0] mask;
  reg [31:0] old;
  reg [31:0] v;
  begin
    ovr = `MUT(10, override_for(q), 1'b1);
    mask = qp_mask(w, ovr) & lanes;
    if (is_mad_qp(q) && absent_on_qp1(w)) mask = 32'd0;
    if (w == Q_DESTQP) mask = mask & `MUT(11, 32'hFFFF_FFFF, 32'h0000_FFFF);
    if (w == Q_SQBA) mask = mask | `MUT(230, 32'd0, lanes & 32'h0000_001F);
    if (w == Q_STAT) mask = mask & `MUT(231, 32'hFFFF_FFFF, 32'h8FFF_FFFF);
    if (w == Q_CONF) mask = mask & `MUT(234, 32'hFFFF_FFFF, 32'hFFFF_FBFF);
    if (w == Q_CQBA) mask = mask & `MUT(452, 32'hFFFF_FFFF, {32{!qreg[{q, Q_CONF}][6]}});
    if (w == Q_LSTRQ) mask = mask & `MUT(453, 32'hFFFF_FFFF, {32{!qreg[{q, Q_CONF}][6] || greg[G_ADCONF][0]}});
    if (w == Q_CQHEAD) mask = mask & `MUT(12, 32'hFFFF_FFFF, 32'd0);
    old = qreg[{q, w}];
    v = (old & ~mask) | (data & mask);
    qreg[{q, w}] = v;
    `MUT_DO(392, if (w == Q_SQBA && qreg[{q, Q_DEPTH}] != 0) begin rnr_wait[q] = 1'b1; rnr_dl[q] = ~64'd0; end)
    if (mask != 0) begin
      case (w)
        Q_CONF: qpconf_written(q, old, v);
        Q_SQPI: ring_sq(q, v[15:0], old[15:0], override_for(q));
        Q_RQCI: begin
          free_rq(q, v[15:0], rq_restart[q] ? 16'd0 : old[15:0], override_for(q));
          rq_restart[q] = 1'b0;
        end
        Q_SQPSN: begin
          nxt_psn[q] = v[23:0];
          hi_psn[q] = v[23:0];
          ack_hi[q] = v[23:0];
          if (outc[q] == 0) una[q] = v[23:0];
        end
        Q_LSTRQ: begin
          nak_sent[q] = 1'b0;
          plain_psn[q] = v[23:0];
          ak_on[q] = 1'b0;
        end
        Q_CQHEAD: una_slot[q] = v[15:0] % sq_depth(q);
        Q_CURSQ: begin
          nxt_slot[q] = `MUT(354, v[15:0] % sq_depth(q), nxt_slot[q]);
          pend[q] = {1'b0, ring_dist(qreg[{q, Q_SQPI}][15:0], nxt_slot[q], sq_depth(q))};
        end
        Q_RQPI: rq_index_written(q, old[15:0], v[15:0]);
        default: ;
      endcase
    end
  end
endtask

task automatic write_reg(input [20:0] addr, input [31:0] data, input [3:0] strb);
  reg [31:0] lanes;
  reg [31:0] mask;
  begin
    lanes = strobe_mask(strb);
    if (!addr[20]) begin
      if (addr[19:8] < C_MR_ROWS && addr[7:5] == 3'd0) begin
        mask = row_mask(addr[4:2]) & lanes;
        if (addr[4:2] == 3'd0) mask = mask & `MUT(470, 32'hFFFF_FFFF, 32'h0000_FFFF);
        if (addr[4:2] == 3'd7) mask = mask & `MUT(482, 32'hFFFF_FFFF, 32'h0FFF_FFFF);
        if (`MUT(229, 1'b1, addr[15:8] < 8'd8)) mrow[{addr[8+:MW], addr[4:2]}] = (mrow[{addr[8+:MW], addr[4:2]}] & ~mask) | (data & mask);
        if (addr[4:2] == 3'd5 && `MUT(13, 1'b0, addr[19:8] != 0)) mrow[{{MW{1'b0}}, 3'd5}] = data & 32'h0000_00FF;
        `MUT_DO(471, if (addr[4:2] == 3'd2) mrow[{addr[8+:MW], 3'd1}] = data;)
      end
    end else if (!addr[19]) begin
      if (addr[18:12] == 7'd0) write_global(addr[11:0], data, lanes);
    end else if (addr[18:8] < C_NUM_QP) begin
      write_qp(addr[8+:QW], addr[7:2], data, lanes);
    end
  end
endtask

task automatic registers_step;
  begin
    wrote_now = 1'b0;
    if (s_awvalid && s_awready) begin
      aw_addr = s_awaddr[20:0];
      aw_held = 1'b1;
      s_awready <= 1'b0;
    end
    if (s_wvalid && s_wready) begin
      w_data = s_wdata;
      w_strb = s_wstrb;
      w_held = 1'b1;
      w_led = !aw_held;
      s_wready <= 1'b0;
    end
    if (s_bvalid && s_bready) s_bvalid <= 1'b0;
    if (aw_held && w_held && (!s_bvalid || s_bready)) begin
      if (`MUT(391, 1'b1, now > 64'd64)) write_reg(aw_addr, w_data, `MUT(422, w_strb, w_led ? 4'hF : w_strb));
      wrote_now = 1'b1;
      s_bslverr <= takes(5'd17) && is_hole(aw_addr);
      aw_held = 1'b0;
      w_held = 1'b0;
      s_awready <= 1'b1;
      s_wready <= 1'b1;
      s_bvalid <= `MUT(237, 1'b1, !(aw_addr[20:19] == 2'b11 && aw_addr[7:2] == Q_TIMEOUT));
    end
    if (s_rvalid && s_rready) begin
      s_rvalid <= 1'b0;
      s_arready <= 1'b1;
    end
    if (s_arvalid && s_arready) begin
      s_rdata <= `MUT(421, read_reg(s_araddr[20:0]), wrote_now ? w_data : read_reg(s_araddr[20:0]));
      `MUT_DO(361, if (!s_araddr[20] && s_araddr[7:2] == 6'd5) mrow[{s_araddr[8+:MW], 3'd5}] = 32'd0;)
      `MUT_DO(496, if (s_araddr[20:0] == 21'h100130) {c_all, c_dropped} = 32'd0;)
      s_rslverr <= takes(5'd17) && is_hole(s_araddr[20:0]);
      s_rvalid <= 1'b1;
      s_arready <= 1'b0;
    end
    sideband_inputs;
    if (kick_all) begin
      kick(kick_q);
      kick_q = kick_q + 1'b1;
      if (kick_q == 0) kick_all = 1'b0;
    end
  end
endtask
