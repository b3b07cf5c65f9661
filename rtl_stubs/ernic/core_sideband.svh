// SPDX-License-Identifier: BSD-3-Clause
// Hardware handshake: doorbells of QPs with QPCONF[4] = 0 over the side-band ports, and CON_IO_CONF.
// Outgoing doorbells are counted per QP; a port offers what has gathered for the QP whose turn it is, and keeps it
// until it is taken. So no engine ever waits for a side-band ready, and nothing is lost while it is low.

localparam [4:0] CONIO_CLKS = 5'd16;

reg [16:0] cqs_n [0:C_NUM_QP-1];         // completions not yet offered
reg in_cqs [0:C_NUM_QP-1];
reg [QW-1:0] cqs [0:C_NUM_QP-1];         // QPs with completions to offer
reg [QW:0] cqs_wr = 0, cqs_rd = 0;
reg [16:0] rqs_n [0:C_NUM_QP-1];         // SENDs not yet announced
reg [15:0] rqs_i [0:C_NUM_QP-1];         // producer index behind the newest of them
reg in_rqs [0:C_NUM_QP-1];
reg [QW-1:0] rqs [0:C_NUM_QP-1];
reg [QW:0] rqs_wr = 0, rqs_rd = 0;

// RQ after the enabling sequence: numbering starts over with the pending elements, their places do not change.
reg [15:0] rq_shift [0:C_NUM_QP-1];      // place of the next element - STATRQPIDB, modulo the depth
reg [15:0] rq_keep [0:C_NUM_QP-1];       // value of rq_shift that undoes the jump of the last write to STATRQPIDB
reg rq_restart [0:C_NUM_QP-1];           // the next RQCI counts from 0
reg [16:0] rq_unsaid [0:C_NUM_QP-1];     // pending elements that CON_IO_CONF is to announce
reg [4:0] conio_left = 5'd0;             // clocks until CON_IO_CONF[31] = 1

function automatic handshake(input [QW-1:0] q);
  handshake = !qreg[{q, Q_CONF}][4] && !is_qp1(q);
endfunction

// A doorbell of this QP is (also) a memory write to the address in registers hi and lo.
function automatic db_in_memory(input [QW-1:0] q, input [5:0] hi, input [5:0] lo);
  db_in_memory = `MUT(357, (C_HNDSHK_DB_MEM != 0), 1'b0) || (!handshake(q) && rq64(q, hi, lo) != 64'd0);
endfunction

function automatic [12:0] sb_addr(input [31:0] db);
  sb_addr = (C_SB_ADDR_W >= 13) ? `MUT(348, db[12:0], {1'b0, db[11:0]}) : db[12:0] & ((13'd1 << C_SB_ADDR_W) - 13'd1);
endfunction

// Element of the RQ ring that the next SEND fills.
function automatic [15:0] rq_place(input [QW-1:0] q);
  reg [16:0] sum;
  begin
    sum = {1'b0, qreg[{q, Q_RQPI}][15:0]} + {1'b0, rq_shift[q]};
    rq_place = (rq_shift[q] == 0) ? sum[15:0] : sum % {1'b0, rq_depth(q)};
  end
endfunction

task automatic announce_completion(input [QW-1:0] q);
  begin
    cqs_n[q] = `MUT(347, cqs_n[q] + 17'd1, 17'd1);
    if (!in_cqs[q]) begin
      in_cqs[q] = 1'b1;
      cqs[cqs_wr[QW-1:0]] = q;
      cqs_wr = cqs_wr + 1'b1;
    end
  end
endtask

task automatic announce_receive(input [QW-1:0] q, input [16:0] n);
  begin
    rqs_n[q] = rqs_n[q] + n;
    rqs_i[q] = qreg[{q, Q_RQPI}][15:0];
    if (!in_rqs[q]) begin
      in_rqs[q] = 1'b1;
      rqs[rqs_wr[QW-1:0]] = q;
      rqs_wr = rqs_wr + 1'b1;
    end
  end
endtask

// Software set STATRQPIDB: elements are counted and placed from there on.
task automatic rq_index_written(input [QW-1:0] q, input [15:0] old, input [15:0] v);
  begin
    rq_used[q] = {1'b0, ring_dist(v, qreg[{q, Q_RQCI}][15:0], rq_depth(q))};
    rq_keep[q] = (({1'b0, ring_dist(old, v, rq_depth(q))} + {1'b0, rq_shift[q]}) % {1'b0, rq_depth(q)});
    rq_shift[q] = 16'd0;
  end
endtask

// QPCONF[4] of an enabled QP went from 1 to 0 under software override: the end of the enabling sequence. STATRQPIDB
// holds the number of filled elements that were not consumed; the next one is still at STATRQBUFCA.
task automatic handshake_enabled(input [QW-1:0] q);
  begin
    rq_shift[q] = `MUT(355, rq_keep[q], 16'd0);
    rq_used[q] = {1'b0, qreg[{q, Q_RQPI}][15:0]};
    if (rq_used[q] > {1'b0, rq_depth(q)}) rq_used[q] = {1'b0, rq_depth(q)};
    rq_unsaid[q] = rq_used[q];
    rq_restart[q] = 1'b1;
  end
endtask

// CON_IO_CONF written: announces what was pending when the handshake was enabled, once.
task automatic connect_io;
  reg [10:0] n;
  reg [QW-1:0] q;
  begin
    conio_left = CONIO_CLKS;
    n = greg[G_CONIO][26:16];
    if ({21'd0, n} <= MAX_QPN && {13'd0, n} >= QPN_OF_SLOT0) begin
      q = n[QW-1:0] - QPN_OF_SLOT0[QW-1:0];
      if (handshake(q) && rq_unsaid[q] != 0) begin
        announce_receive(q, rq_unsaid[q]);
        rq_unsaid[q] = 17'd0;
      end
    end
  end
endtask

// An accepted side-band write: bits [18:8] of the address choose the QP, bits [7:2] have to be those of the register.
task automatic sideband_write(input [31:0] addr, input [15:0] data, input [5:0] word);
  if (addr[18:8] < C_NUM_QP && addr[7:2] == word) write_qp(addr[8+:QW], word, {16'd0, data}, 32'h0000_FFFF);
endtask

task automatic sideband_inputs;
  reg [16:0] was_used;
  begin
    was_used = 17'd0;
    if (sqpi_valid && sqpi_rdy)
      sideband_write(`MUT(343, sqpi_addr, {sqpi_addr[31:11], 1'b0, sqpi_addr[9:0]}),
                     `MUT(344, sqpi_data, qreg[{sqpi_addr[8+:QW], Q_SQPI}][15:0] + sqpi_data), Q_SQPI);
    if (rqci_valid && rqci_rdy) begin
      `MUT_DO(345, was_used = rq_used[rqci_addr[8+:QW]];)
      sideband_write(rqci_addr, rqci_data, Q_RQCI);
      `MUT_DO(345, if (rq_used[rqci_addr[8+:QW]] + 17'd1 < was_used) rq_used[rqci_addr[8+:QW]] = was_used - 17'd1;)
    end
  end
endtask

task automatic sideband_step;
  reg [QW-1:0] q;
  reg [16:0] n;
  reg turn;
  begin
    if (conio_left != 0 && `MUT(356, 1'b1, conio_left != 5'd1)) conio_left = conio_left - 1'b1;
    // Variant 34 offers in 8 of 32 clocks what has gathered meanwhile.
    turn = (variant != 34) || (now[4:3] == 2'd0);
    if (cq_sb_valid && cq_sb_rdy) cq_sb_valid <= 1'b0;
    `MUT_DO(350, if (cq_sb_valid && !cq_sb_rdy && cqs_rd != cqs_wr) cq_sb_cnt <= cq_sb_cnt + 32'd1;)
    if ((!cq_sb_valid || cq_sb_rdy) && cqs_rd != cqs_wr && turn) begin
      q = cqs[cqs_rd[QW-1:0]];
      cqs_rd = cqs_rd + 1'b1;
      in_cqs[q] = 1'b0;
      n = cqs_n[q];
      cqs_n[q] = 17'd0;
      cq_sb_valid <= 1'b1;
      cq_sb_addr <= sb_addr(qreg[{q, Q_CQDB}]);
      cq_sb_cnt <= {15'd0, n};
    end
    if (rq_sb_valid && rq_sb_rdy) rq_sb_valid <= 1'b0;
    if ((!rq_sb_valid || rq_sb_rdy) && rqs_rd != rqs_wr && turn) begin
      q = rqs[rqs_rd[QW-1:0]];
      rqs_rd = rqs_rd + 1'b1;
      in_rqs[q] = 1'b0;
      n = rqs_n[q];
      rqs_n[q] = 17'd0;
      rq_sb_valid <= 1'b1;
      rq_sb_addr <= sb_addr(qreg[{q, Q_RQDB}]);
      rq_sb_data <= (C_RQ_SB_DELTA != 0) ? {15'd0, n} : {16'd0, `MUT(352, rqs_i[q], rqs_i[q] - 16'd1)};
    end
  end
endtask

task automatic sideband_clear(input [QW-1:0] q);
  begin
    cqs_n[q] = 17'd0;
    in_cqs[q] = 1'b0;
    rqs_n[q] = 17'd0;
    rqs_i[q] = 16'd0;
    in_rqs[q] = 1'b0;
    rq_shift[q] = 16'd0;
    rq_keep[q] = 16'd0;
    rq_restart[q] = 1'b0;
    rq_unsaid[q] = 17'd0;
  end
endtask

task automatic sideband_reset;
  begin
    {cqs_wr, cqs_rd, rqs_wr, rqs_rd} = 0;
    conio_left = 5'd0;
  end
endtask
