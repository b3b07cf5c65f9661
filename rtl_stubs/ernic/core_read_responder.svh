// SPDX-License-Identifier: BSD-3-Clause
// READ as responder: queue of pending READs and of the replies that have to stay behind them, READ responses.
// The queue of a QP holds at most C_RESP_RESOURCES READs that are new; a repeated READ takes what room is left.

localparam RSW = $clog2(2 * C_RESP_RESOURCES + 24);   // log2 of the entries of one QP
localparam [RSW:0] RS_ROOM = {1'b1, {RSW{1'b0}}} - 4;

// {READ, duplicate, syndrome, PSN, MSN, address, bytes}; the last two only of a READ.
reg [153:0] rs [0:C_NUM_QP*(1<<RSW)-1];
reg [RSW:0] rs_wr [0:C_NUM_QP-1];
reg [RSW:0] rs_rd [0:C_NUM_QP-1];
reg [23:0] rs_p [0:C_NUM_QP-1];          // responses of the oldest READ already handed to the builder
reg [8:0] rs_new [0:C_NUM_QP-1];         // new READs whose last response has not left
reg rs_life [0:C_NUM_QP-1];              // toggles when the queue is thrown away
reg [23:0] plain_psn [0:C_NUM_QP-1];     // newest SEND or WRITE packet accepted
reg in_rsq [0:C_NUM_QP-1];               // QPs with such work
reg [QW-1:0] rsq [0:C_NUM_QP-1];
reg [QW:0] rsq_wr = 0, rsq_rd = 0;
reg rs_turn = 1'b0;                      // a READ response goes before the next request
reg rs_burst = 1'b0;                     // variant 9: the READ under way is finished first

function automatic [RSW:0] rs_level(input [QW-1:0] q);
  rs_level = rs_wr[q] - rs_rd[q];
endfunction

task automatic kick_rs(input [QW-1:0] q);
  if (!in_rsq[q]) begin
    in_rsq[q] = 1'b1;
    rsq[rsq_wr[QW-1:0]] = q;
    rsq_wr = rsq_wr + 1'b1;
  end
endtask

task automatic push_rs(input [QW-1:0] q, input [153:0] entry);
  begin
    rs[{q, rs_wr[q][RSW-1:0]}] = entry;
    rs_wr[q] = rs_wr[q] + 1'b1;
    kick_rs(q);
  end
endtask

// Responses to a READ of len bytes.
function automatic [23:0] responses_of(input [QW-1:0] q, input [31:0] len);
  reg [31:0] n;
  begin
    n = (len + {19'd0, pmtu_of(q)} - 32'd1) / {19'd0, pmtu_of(q)};
    responses_of = (n == 0) ? 24'd1 : n[23:0];
  end
endfunction

// A new READ in sequence; f_va, f_len and f_rkey are those of its RETH.
task automatic accept_read;
  reg [5:0] bad;
  begin
    bad = 6'd0;
    if (f_len != 0 || `MUT(299, 1'b0, 1'b1)) check_region(bad);
    if (bad != 0) refuse(8'h62, F_REGION, bad);
    else if (rs_new[r_q] >= `MUT(285, C_RESP_RESOURCES, C_RESP_RESOURCES + 1) - `MUT(286, 0, 1)) begin
      refuse(8'h61, F_READS, S_READS);
      `MUT_DO(295, rs_rd[r_q] = rs_wr[r_q]; rs_p[r_q] = 24'd0; reply(r_q, 8'h61, f_psn);)
    end else r_state = R_COMMIT;
  end
endtask

// Into the queue: the READ whose address is in r_addr.
task automatic queue_read(input duplicate);
  begin
    // The responses acknowledge what came before (variant 9: an ACK does it first, unless it has to wait).
    if (ak_on[r_q] && !duplicate) begin
      ak_on[r_q] = 1'b0;
      if (variant == 9 && greg[G_CONF][4:3] != 2'b01) reply(r_q, ack_syndrome, ak_psn[r_q]);
    end
    if (!duplicate) rs_new[r_q] = rs_new[r_q] + 1'b1;
    r_addr[63:32] = `MUT(294, r_addr[63:32], 32'd0);
    push_rs(r_q, {1'b1, duplicate, ack_syndrome, f_psn, qreg[{r_q, Q_MSN}][23:0], r_addr, f_len});
  end
endtask

// A repeated READ is executed again if its PSNs are all of the past; its key is checked like that of a new one.
task automatic duplicate_read;
  reg [5:0] bad;
  reg [23:0] left;
  begin
    left = qreg[{r_q, Q_LSTRQ}][23:0] + 24'd1 - f_psn;
    bad = 6'd0;
    if (f_n == 0 && responses_of(r_q, f_len) <= left && rs_level(r_q) + C_RESP_RESOURCES < RS_ROOM
        && `MUT(283, 1'b1, 1'b0)) begin
      if (f_len != 0) check_region(bad);
      if (`MUT(284, bad != 0, 1'b0)) refuse(8'h62, F_REGION, bad);
      else queue_read(1'b1);
      `MUT_DO(297, qreg[{r_q, Q_MSN}] = {8'd0, qreg[{r_q, Q_MSN}][23:0] + 24'd1};)
      last_in = last_packet(r_q, f_psn, f_op);
    end
  end
endtask

function automatic [7:0] response_opcode(input first, input last);
  if (first) response_opcode = last ? OP_READ_ONLY : OP_READ_FIRST;
  else response_opcode = last ? OP_READ_LAST : OP_READ_MIDDLE;
endfunction

// Frame of the next response, or the reply, at the head of the queue of t_q.
task automatic send_response;
  reg is_read;
  reg duplicate;
  reg [7:0] syndrome;
  reg [23:0] psn;
  reg [23:0] msn;
  reg [63:0] addr;
  reg [31:0] len;
  reg [31:0] off;
  reg [31:0] n;
  reg [12:0] pmtu;
  reg first;
  reg last;
  reg [7:0] op;
  reg [1:0] pad;
  reg [4:0] ext_n;
  begin
    {is_read, duplicate, syndrome, psn, msn, addr, len} = rs[{t_q, rs_rd[t_q][RSW-1:0]}];
    rs_burst = 1'b0;
    if (!is_read) begin
      rs_rd[t_q] = rs_rd[t_q] + 1'b1;
      build_reply(syndrome, psn, msn);
    end else begin
      pmtu = pmtu_of(t_q);
      first = (rs_p[t_q] == 0);
      last = (rs_p[t_q] + 24'd1 >= `MUT(282, responses_of(t_q, len), responses_of(t_q, len + 32'd1)));
      off = {8'd0, rs_p[t_q]} * {19'd0, pmtu};
      n = last ? len - off : {19'd0, pmtu};
      psn = psn + rs_p[t_q];
      psn = `MUT(261, psn, psn + {23'd0, psn < rs_p[t_q]});
      op = response_opcode(first, last);
      pad = `MUT(280, 2'd0 - n[1:0], 2'd0);
      ext_n = `MUT(281, ext_bytes(op), 5'd4);
      build_header(t_q, op, psn, 1'b0, pad, ext_n, (ext_n != 0) ? {syndrome, msn, 128'd0} : 160'd0,
                   n[12:0] + {11'd0, pad});
      bld_payload <= n[12:0];
      bld_inline <= 1'b0;
      bld_valid <= 1'b1;
      if (n != 0) begin
        plr_valid <= 1'b1;
        plr_addr <= addr + {32'd0, off};
        plr_len <= n[23:0];
      end
      tag_x[tag_wr[1:0]] = {22'd0, last && !duplicate, rs_life[t_q]};
      push_tag(K_RDRSP, op, psn, 1'b0, last);
      t_again = 1'b0;
      t_state = T_WAIT;
      if (last) begin
        rs_rd[t_q] = rs_rd[t_q] + `MUT(459, 1'b1, (rs_level(t_q) > 2) ? 2'd2 : 2'd1);
        rs_p[t_q] = 24'd0;
      end else begin
        rs_p[t_q] = rs_p[t_q] + 24'd1;
        `MUT_DO(276, if (rs_level(neighbour(t_q)) != 0) rs_p[neighbour(t_q)] = rs_p[t_q];)
        rs_burst = (variant == 9);
      end
    end
    if (rs_rd[t_q] != rs_wr[t_q] && !rs_burst) kick_rs(t_q);
  end
endtask

task automatic next_response;
  begin
    if (!rs_burst) begin
      t_q = rsq[rsq_rd[QW-1:0]];
      rsq_rd = rsq_rd + 1'b1;
      in_rsq[t_q] = 1'b0;
    end
    rs_turn = 1'b0;
    rs_burst = 1'b0;
    if (rs_rd[t_q] != rs_wr[t_q]) send_response;
  end
endtask

// The last beat of a READ response has left.
task automatic response_left(input [QW-1:0] q, input [23:0] x, input last);
  begin
    c_out_rdrsp = c_out_rdrsp + `MUT(291, 32'd1, {31'd0, last});
    if (x[1] && x[0] == rs_life[q] && rs_new[q] != 0) rs_new[q] = rs_new[q] - 1'b1;
  end
endtask

task automatic clear_read_responder(input [QW-1:0] q);
  begin
    rs_rd[q] = rs_wr[q];
    rs_p[q] = 24'd0;
    rs_new[q] = 9'd0;
    rs_life[q] = !rs_life[q];
  end
endtask

task automatic reset_read(input [QW-1:0] q);
  begin
    clear_read_requester(q);
    rs_wr[q] = 0;
    rs_rd[q] = 0;
    rs_p[q] = 24'd0;
    rs_new[q] = 9'd0;
    rs_life[q] = 1'b0;
    plain_psn[q] = 24'd0;
    in_rsq[q] = 1'b0;
  end
endtask
