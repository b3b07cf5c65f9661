// SPDX-License-Identifier: BSD-3-Clause
// Protocol engine of the ERNIC stand-in: register file, requester, responder, completions, timers.
// Behavioural: all per-QP state lives in memories that one clocked process updates with blocking assignments,
// block by block in a fixed order (registers, egress, requester, responder, completions, timers), so that the
// effects of one clock are strictly ordered and nothing is read half-changed. Ports are driven by nonblocking
// assignments only. The blocks are in the core_*.svh files.
//
// Numbering: `q` is the register slot. QP n has slot n-1 (QP_BASE_RAW = 0) or slot n (QP_BASE_RAW = 1).
`include "mutation.svh"
module ernic_core
  import ernic_pkg::*;
#(
    parameter C_NUM_QP = 8,
    parameter C_MR_ROWS = 16,
    parameter QP_BASE_RAW = 0,
    parameter C_RESP_RESOURCES = 16,       // READ requests one QP keeps
    parameter C_RNR_UNIT_CLKS = 2500,      // clocks in 10 us
    parameter C_ACK_TIMEOUT_CLKS = 256,
    parameter C_RETRY_BUFFERS = 0,         // 1: resent WRITE data come from DATBUF, 0: from LADDR
    parameter C_CNP_CLEAR_TX = 0,          // 1: a CNP sent clears its CNPSCHDSTS bit, 0: W1C of INTSTS[8] clears all
    parameter C_HNDSHK_DB_MEM = 1,         // memory doorbells of handshake QPs, and of address 0, are written
    parameter C_RQ_SB_DELTA = 0,           // RQ side band: 0 = producer index, 1 = SENDs since the last one
    parameter C_SB_ADDR_W = 13             // address bits on the outgoing side bands
) (
    input wire clk,
    input wire rst,
    output reg system_resetn,

    input wire [31:0] s_awaddr,
    input wire s_awvalid,
    output reg s_awready,
    input wire [31:0] s_wdata,
    input wire [3:0] s_wstrb,
    input wire s_wvalid,
    output reg s_wready,
    output reg s_bvalid,
    output reg s_bslverr,
    input wire s_bready,
    input wire [31:0] s_araddr,
    input wire s_arvalid,
    output reg s_arready,
    output reg [31:0] s_rdata,
    output reg s_rvalid,
    output reg s_rslverr,
    input wire s_rready,

    input wire rxf_seen,
    input wire rxf_lost,
    input wire rx_valid,
    input wire [1023:0] rx_hdr,
    input wire [RX_AW-1:0] rx_beat,
    input wire [15:0] rx_bytes,
    input wire rx_good,
    input wire rx_icrc_ok,
    output reg rx_pop,

    output reg rxw_valid,
    output reg [63:0] rxw_addr,
    output reg [12:0] rxw_len,
    output reg rxw_imm,
    output reg [1023:0] rxw_data,
    output reg [RX_AW-1:0] rxw_beat,
    output reg [5:0] rxw_off,
    output reg [31:0] rxw_user,
    input wire rxw_done,
    input wire rxw_failed,

    output reg rdw_valid,
    output reg [63:0] rdw_addr,
    output reg [12:0] rdw_len,
    output reg [RX_AW-1:0] rdw_beat,
    output reg [5:0] rdw_off,
    input wire rdw_done,
    input wire rdw_failed,

    output reg cqw_valid,
    output reg [63:0] cqw_addr,
    output reg [31:0] cqw_data,
    input wire cqw_done,
    input wire cqw_failed,

    output reg sqr_valid,
    output reg [63:0] sqr_addr,
    input wire sqr_d_valid,
    input wire [511:0] sqr_d_data,
    input wire [6:0] sqr_d_bytes,
    input wire sqr_d_last,
    input wire sqr_failed,

    output reg plr_valid,
    output reg [63:0] plr_addr,
    output reg [23:0] plr_len,
    input wire plr_failed,

    output reg bld_valid,
    output reg [767:0] bld_hdr,
    output reg [6:0] bld_hdr_len,
    output reg bld_v6,
    output reg [12:0] bld_payload,
    output reg [1:0] bld_pad,
    output reg bld_inline,
    output reg [127:0] bld_sdata,
    output reg bld_raw,                    // the payload is the whole frame
    input wire bld_done,
    input wire [7:0] bld_raw_op,           // headers found in a raw frame
    input wire [23:0] bld_raw_psn,
    input wire [23:0] bld_raw_dest,
    input wire [127:0] bld_raw_ip,
    input wire bld_raw_v6,
    input wire tx_sent,

    output reg rtb_valid,                  // copy the next payload to the retry buffers
    output reg [63:0] rtb_addr,
    output reg [12:0] rtb_len,
    input wire rtb_done,
    input wire rtb_failed,

    output reg [63:0] imm_tdata,
    output reg imm_tvalid,
    input wire imm_tready,

    output reg cq_sb_valid,
    output reg [12:0] cq_sb_addr,
    output reg [31:0] cq_sb_cnt,
    input wire cq_sb_rdy,
    output reg rq_sb_valid,
    output reg [12:0] rq_sb_addr,
    output reg [31:0] rq_sb_data,
    input wire rq_sb_rdy,
    input wire sqpi_valid,
    input wire [15:0] sqpi_data,
    input wire [31:0] sqpi_addr,
    output reg sqpi_rdy,
    input wire rqci_valid,
    input wire [15:0] rqci_data,
    input wire [31:0] rqci_addr,
    output reg rqci_rdy,

    output reg [31:0] pause_conf,
    output reg [31:0] thr_roce,
    output reg [31:0] thr_non,

    output reg irq,
    output reg small_bursts                // variant 5: payload fetch in short bursts
);
  `MUT_DECL

  localparam QW = $clog2(C_NUM_QP);
  localparam MW = (C_MR_ROWS > 1) ? $clog2(C_MR_ROWS) : 1;
  localparam CLEAR_CLKS = (C_NUM_QP > C_MR_ROWS) ? C_NUM_QP : C_MR_ROWS;
  localparam [31:0] MAX_QPN = (QP_BASE_RAW != 0) ? C_NUM_QP - 1 : C_NUM_QP;
  localparam [23:0] QPN_OF_SLOT0 = (QP_BASE_RAW != 0) ? 24'd0 : 24'd1;

  integer variant = 0;
  initial if (!$value$plusargs("VARIANT=%d", variant)) variant = 0;

  // ---------------------------------------------------------------- state
  reg [63:0] now = 64'd0;
  reg clearing = 1'b1;
  reg in_reset = 1'b0;
  reg was_up = 1'b0;                       // not the first reset (only for faults)
  reg [12:0] clr_i = 13'd0;

  // Registers.
  reg [31:0] greg [0:63];
  reg [31:0] qreg [0:C_NUM_QP*64-1];
  reg [31:0] mrow [0:C_MR_ROWS*8-1];
  reg [8:0] inten = 9'd0;
  reg [8:0] intsts = 9'd0;                 // bits 4 and 6 unused: OR of the banks
  reg [31:0] rqint [0:63];
  reg [31:0] cqint [0:63];
  reg [31:0] cnpint [0:63];
  reg [6:0] rq_banks = 7'd0;               // banks with a bit set
  reg [6:0] cq_banks = 7'd0;
  reg [15:0] c_in_send = 0, c_in_ack = 0, c_out_send = 0, c_out_write = 0, c_out_ack = 0, c_invalid = 0;
  reg [15:0] c_dup = 0, c_dropped = 0, c_all = 0, c_in_nak = 0, c_out_nak = 0, c_wqe = 0;
  reg [31:0] c_retry = 0, c_in_cnp = 0, c_out_cnp = 0;
  reg [15:0] c_in_mad = 0, c_out_mad = 0, c_in_rdrsp = 0;
  reg [31:0] c_out_rdrsp = 0;
  reg [31:0] last_in = 0, last_out = 0;

  // Requester, per QP.
  reg fatal [0:C_NUM_QP-1];
  reg [16:0] pend [0:C_NUM_QP-1];          // WQEs posted and not yet fetched
  reg [4:0] outc [0:C_NUM_QP-1];           // WQEs fetched and not yet completed
  reg [4:0] acked [0:C_NUM_QP-1];          // the oldest of them that are acknowledged
  reg [4:0] snd_i [0:C_NUM_QP-1];          // next packet to send: WQE (counted from the oldest) ...
  reg [23:0] snd_p [0:C_NUM_QP-1];         // ... and packet inside it
  reg [15:0] nxt_slot [0:C_NUM_QP-1];      // SQ slot of the next WQE to fetch
  reg [15:0] una_slot [0:C_NUM_QP-1];      // SQ slot of the oldest WQE not completed
  reg free_run [0:C_NUM_QP-1];             // SQPI was seen above the depth: free-running numbering
  reg [4:0] oq_head [0:C_NUM_QP-1];
  // WQEs under way: a ring of 32, of which at most 16 are used.
  reg [511:0] oq_wqe [0:C_NUM_QP*32-1];
  reg [23:0] oq_psn [0:C_NUM_QP*32-1];     // first PSN
  reg [23:0] oq_np [0:C_NUM_QP*32-1];      // packets
  reg [23:0] nxt_psn [0:C_NUM_QP-1];       // first PSN of the next WQE
  reg [23:0] hi_psn [0:C_NUM_QP-1];        // behind the newest PSN given to the builder
  reg [23:0] una [0:C_NUM_QP-1];           // oldest PSN not acknowledged
  reg [3:0] retry_c [0:C_NUM_QP-1];
  reg [3:0] rnr_c [0:C_NUM_QP-1];
  reg rnr_wait [0:C_NUM_QP-1];
  reg [63:0] rnr_dl [0:C_NUM_QP-1];
  reg rt_on [0:C_NUM_QP-1];
  reg [63:0] rt_dl [0:C_NUM_QP-1];
  reg retried [0:C_NUM_QP-1];
  reg cut_window [0:C_NUM_QP-1];           // a CNP lowered the outstanding limit

  // Responder, per QP.
  reg nak_sent [0:C_NUM_QP-1];
  reg rq_ovfl [0:C_NUM_QP-1];
  reg [16:0] rq_used [0:C_NUM_QP-1];       // RQ elements filled and not yet released by RQCI
  reg [63:0] rx_pa [0:C_NUM_QP-1];         // running address of a WRITE
  reg [31:0] rx_rem [0:C_NUM_QP-1];        // bytes of the WRITE still to come
  reg [31:0] rx_fill [0:C_NUM_QP-1];       // bytes of the SEND already placed
  reg ak_on [0:C_NUM_QP-1];                // delayed ACK waiting
  reg [63:0] ak_dl [0:C_NUM_QP-1];
  reg [23:0] ak_psn [0:C_NUM_QP-1];

  // Queues of QPs with work; every QP is at most once in each.
  reg in_txq [0:C_NUM_QP-1];
  reg [QW-1:0] txq [0:C_NUM_QP-1];
  reg [QW:0] txq_wr = 0, txq_rd = 0;
  reg in_cpq [0:C_NUM_QP-1];
  reg [QW-1:0] cpq [0:C_NUM_QP-1];
  reg [QW:0] cpq_wr = 0, cpq_rd = 0;

  // Replies to send: {slot, syndrome, PSN, MSN}.
  reg [QW+55:0] rep [0:63];
  reg [6:0] rep_wr = 0, rep_rd = 0;
  // Fatal events to report: {slot, code}.
  reg [QW+15:0] ftq [0:C_NUM_QP-1];
  reg [QW:0] ftq_wr = 0, ftq_rd = 0;
  // Frames between builder and wire: {slot, kind, opcode, PSN, resend, last packet of a WQE}.
  reg [QW+36:0] tag [0:3];
  reg [2:0] tag_wr = 0, tag_rd = 0;
  localparam [2:0] K_SEND = 3'd0, K_WRITE = 3'd1, K_ACK = 3'd2, K_NAK = 3'd3;
  localparam [2:0] K_READ = 3'd4, K_RDRSP = 3'd5, K_MAD = 3'd6, K_CNP = 3'd7;
  reg [23:0] tag_x [0:3];                  // of a READ request: PSN behind it; of a response: see send_response
  // Entries for ieth_immdt_axis.
  reg [63:0] immq [0:15];
  reg [4:0] immq_wr = 0, immq_rd = 0;

  reg [QW-1:0] tmr_q = 0;
  reg kick_all = 1'b0;
  reg [QW-1:0] kick_q = 0;

  // ---------------------------------------------------------------- helpers
  function automatic [31:0] rq32(input [QW-1:0] q, input [5:0] w);
    rq32 = qreg[{q, w}];
  endfunction

  function automatic [63:0] rq64(input [QW-1:0] q, input [5:0] hi, input [5:0] lo);
    rq64 = {qreg[{q, hi}], qreg[{q, lo}]};
  endfunction

  function automatic [23:0] qpn_of(input [QW-1:0] q);
    qpn_of = {{(24-QW){1'b0}}, q} + QPN_OF_SLOT0;
  endfunction

  function automatic is_qp1(input [QW-1:0] q);
    is_qp1 = (qpn_of(q) <= 24'd1);
  endfunction

  function automatic [12:0] pmtu_of(input [QW-1:0] q);
    reg [2:0] code;
    begin
      code = qreg[{q, Q_CONF}][10:8];
      pmtu_of = (code >= 3'd4) ? 13'd4096 : 13'd256 << code;
    end
  endfunction

  function automatic [15:0] sq_depth(input [QW-1:0] q);
    sq_depth = (qreg[{q, Q_DEPTH}][15:0] == 0) ? 16'd1 : qreg[{q, Q_DEPTH}][15:0];
  endfunction

  function automatic [15:0] rq_depth(input [QW-1:0] q);
    rq_depth = (qreg[{q, Q_DEPTH}][31:16] == 0) ? 16'd1 : qreg[{q, Q_DEPTH}][31:16];
  endfunction

  // a - b on a ring.
  function automatic [15:0] ring_dist(input [15:0] a, input [15:0] b, input [15:0] depth);
    reg [15:0] x;
    reg [15:0] y;
    begin
      x = a % depth;
      y = b % depth;
      ring_dist = (x >= y) ? x - y : x + depth - y;
    end
  endfunction

  function automatic [15:0] ring_inc(input [15:0] slot, input [15:0] depth);
    ring_inc = (slot + 16'd1 >= depth) ? 16'd0 : slot + 16'd1;
  endfunction

  // Index `behind` WQEs before the producer index, in the numbering software uses for SQPI.
  function automatic [15:0] sq_index(input [QW-1:0] q, input [16:0] behind);
    reg [15:0] v;
    begin
      v = qreg[{q, Q_SQPI}][15:0];
      if (free_run[q] || behind == 0) sq_index = v - behind[15:0];
      else if ({1'b0, v} > behind) sq_index = v - behind[15:0];
      else sq_index = v + sq_depth(q) - behind[15:0];
    end
  endfunction

  task automatic kick(input [QW-1:0] q);
    if (!in_txq[q]) begin
      in_txq[q] = 1'b1;
      txq[txq_wr[QW-1:0]] = q;
      txq_wr = txq_wr + 1'b1;
    end
  endtask

  task automatic kick_cpl(input [QW-1:0] q);
    if (!in_cpq[q]) begin
      in_cpq[q] = 1'b1;
      cpq[cpq_wr[QW-1:0]] = q;
      cpq_wr = cpq_wr + 1'b1;
    end
  endtask

  // A reply never passes a READ response of its QP.
  task automatic reply(input [QW-1:0] q, input [7:0] syndrome, input [23:0] psn);
    if (rs_level(q) != 0 && `MUT(287, 1'b1, syndrome[6:5] != 2'b00)) begin
      push_rs(q, {2'b00, syndrome, psn, qreg[{q, Q_MSN}][23:0], 96'd0});
    end else begin
      rep[rep_wr[5:0]] = {q, syndrome, psn, qreg[{q, Q_MSN}][23:0]};
      rep_wr = rep_wr + 1'b1;
    end
  endtask

`ifdef MUTATION
  function automatic [QW-1:0] neighbour(input [QW-1:0] q);
    neighbour = {q[QW-1:1], ~q[0]};
  endfunction

  // The QP in the neighbouring slot stops for good.
  task automatic stall_neighbour(input [QW-1:0] q);
    begin
      rnr_wait[neighbour(q)] = 1'b1;
      rnr_dl[neighbour(q)] = 64'hFFFF_FFFF_FFFF_FFFF;
      rt_on[neighbour(q)] = 1'b0;
    end
  endtask
`endif

  // Memory answered an access for queue pair q with an error, which is ignored (variant 35: q turns fatal).
  task automatic memory_failed(input [QW-1:0] q);
    begin
      `MUT_DO(433, stall_neighbour(q);)
      if (variant == 35) set_fatal(q, F_MEMORY);
    end
  endtask

  task automatic set_fatal(input [QW-1:0] q, input [15:0] code);
    if (!fatal[q]) begin
      fatal[q] = 1'b1;
      rt_on[q] = 1'b0;
      rnr_wait[q] = 1'b0;
      ak_on[q] = 1'b0;
      rb_forget(q);
      ftq[ftq_wr[QW-1:0]] = {q, code};
      ftq_wr = ftq_wr + 1'b1;
      `MUT_DO(180, stall_neighbour(q);)
      kick(q);
      kick_cpl(q);
    end
  endtask

  // Next packet to send = oldest unacknowledged PSN.
  task automatic roll_back(input [QW-1:0] q);
    if (acked[q] < outc[q]) begin
      snd_i[q] = acked[q];
      snd_p[q] = una[q] - oq_psn[{q, oq_head[q] + acked[q]}];
      kick(q);
    end
  endtask

  function automatic [63:0] retry_clks(input [QW-1:0] q);
    begin
      retry_clks = (64'd1 << ({3'd0, greg[G_ADCONF][19:16]} + {1'b0, qreg[{q, Q_TIMEOUT}][5:0]})) << takes(5'd12);
      if (takes(5'd13)) retry_clks = retry_clks - (64'd1 << greg[G_ADCONF][19:16]);
    end
  endfunction

  task automatic start_retry_timer(input [QW-1:0] q);
    begin
      rt_on[q] = (qreg[{q, Q_TIMEOUT}][5:0] != 0) || `MUT(48, 1'b0, 1'b1);
      rt_dl[q] = now + `MUT(49, retry_clks(q), retry_clks(q) >> 1);
    end
  endtask

  `include "core_choices.svh"
  `include "core_sideband.svh"
  `include "core_registers.svh"
  `include "core_header.svh"
  `include "core_read_requester.svh"
  `include "core_read_responder.svh"
  `include "core_requester.svh"
  `include "core_retry_buffers.svh"
  `include "core_responses.svh"
  `include "core_responder.svh"
  `include "core_response_errors.svh"
  `include "core_outgoing_errors.svh"
  `include "core_congestion.svh"
  `include "core_mad.svh"
  `include "core_completion.svh"
  `include "core_timers.svh"
  `include "core_variants.svh"

  // ---------------------------------------------------------------- reset
  task automatic clear_slot;
    integer k;
    begin
      if (clr_i < C_NUM_QP) begin
        for (k = 0; k < 64; k = k + 1)
          if (k[5:0] == Q_CQHEAD && was_up) qreg[{clr_i[QW-1:0], k[5:0]}] = `MUT(176, 32'd0, qreg[{clr_i[QW-1:0], k[5:0]}]);
          else qreg[{clr_i[QW-1:0], k[5:0]}] = 32'd0;
        clear_qp(clr_i[QW-1:0]);
      end
      if (clr_i < C_MR_ROWS) for (k = 0; k < 8; k = k + 1) mrow[{clr_i[MW-1:0], k[2:0]}] = 32'd0;
      clr_i = clr_i + 1'b1;
      if (clr_i == `MUT(177, CLEAR_CLKS, 13'd2)) begin
        clearing = 1'b0;
        was_up = 1'b1;
        system_resetn <= 1'b1;
        s_awready <= 1'b1;
        s_wready <= 1'b1;
        s_arready <= 1'b1;
        sqpi_rdy <= 1'b1;
        rqci_rdy <= 1'b1;
      end
    end
  endtask

  task automatic clear_qp(input [QW-1:0] q);
    begin
      fatal[q] = 1'b0;
      pend[q] = 17'd0;
      outc[q] = 5'd0;
      acked[q] = 5'd0;
      snd_i[q] = 5'd0;
      snd_p[q] = 24'd0;
      nxt_slot[q] = 16'd0;
      una_slot[q] = `MUT(423, 16'd0, was_up ? una_slot[q] : 16'd0);
      free_run[q] = 1'b0;
      oq_head[q] = 5'd0;
      nxt_psn[q] = 24'd0;
      hi_psn[q] = 24'd0;
      una[q] = 24'd0;
      retry_c[q] = 4'd0;
      rnr_c[q] = 4'd0;
      rnr_wait[q] = 1'b0;
      rt_on[q] = 1'b0;
      retried[q] = 1'b0;
      cut_window[q] = 1'b0;
      nak_sent[q] = 1'b0;
      rq_ovfl[q] = 1'b0;
      rq_used[q] = 17'd0;
      rx_pa[q] = 64'd0;
      rx_rem[q] = 32'd0;
      rx_fill[q] = 32'd0;
      ak_on[q] = 1'b0;
      in_txq[q] = 1'b0;
      in_cpq[q] = 1'b0;
      rb_held[q] = 9'd0;
      sideband_clear(q);
      reset_read(q);
    end
  endtask

  task automatic reset_all;
    integer k;
    begin
      now = 64'd0;
      clearing = 1'b1;
      clr_i = 13'd0;
      for (k = 0; k < 64; k = k + 1) begin
        greg[k] = 32'd0;
        rqint[k] = 32'd0;
        cqint[k] = 32'd0;
        cnpint[k] = 32'd0;
      end
      greg[G_THR_ROCE] = `MUT(1, 32'h0096_005A, 32'h005A_0096);
      greg[G_THR_NON] = 32'h0096_005A;
      greg[G_PAUSE] = 32'h0000_0800;
      inten = 9'd0;
      intsts = 9'd0;
      rq_banks = 7'd0;
      cq_banks = 7'd0;
      {c_in_send, c_in_ack, c_out_send, c_out_write, c_out_ack, c_invalid} = 96'd0;
      {c_dup, c_dropped, c_all, c_in_nak, c_out_nak, c_wqe} = `MUT(364, 96'd0, {32'd0, c_all, 48'd0});
      {c_retry, c_in_cnp, c_out_cnp, last_in, last_out} = 160'd0;
      {c_in_mad, c_out_mad, c_in_rdrsp, c_out_rdrsp} = 80'd0;
      resp_slot = 16'd0;
      out_slot = 16'd0;
      rb_busy = {RB_MAX{1'b0}};
      rb_next = 0;
      rb_used = 9'd0;
      rb_short = 1'b0;
      t_mad = 1'b0;
      t_built = 1'b0;
      t_copying = 1'b0;
      rsq_wr = 0;
      rsq_rd = 0;
      rs_turn = 1'b0;
      rs_burst = 1'b0;
      rdw_valid <= 1'b0;
      txq_wr = 0;
      txq_rd = 0;
      cpq_wr = 0;
      cpq_rd = 0;
      rep_wr = 0;
      rep_rd = 0;
      ftq_wr = 0;
      ftq_rd = 0;
      tag_wr = 0;
      tag_rd = 0;
      immq_wr = 0;
      immq_rd = 0;
      kick_all = 1'b0;
      sideband_reset;
      tmr_q = 0;
      t_state = T_IDLE;
      r_state = R_IDLE;
      p_state = P_IDLE;
      aw_held = 1'b0;
      w_held = 1'b0;
      reset_variants;
      reset_choices;
      system_resetn <= 1'b0;
      s_awready <= 1'b0;
      s_wready <= 1'b0;
      s_arready <= 1'b0;
      s_bvalid <= 1'b0;
      s_rvalid <= 1'b0;
      rx_pop <= 1'b0;
      rxw_valid <= 1'b0;
      cqw_valid <= 1'b0;
      sqr_valid <= 1'b0;
      plr_valid <= 1'b0;
      bld_valid <= 1'b0;
      rtb_valid <= 1'b0;
      imm_tvalid <= 1'b0;
      cq_sb_valid <= 1'b0;
      rq_sb_valid <= 1'b0;
      sqpi_rdy <= 1'b0;
      rqci_rdy <= 1'b0;
      irq <= `MUT(178, 1'b0, was_up);
      small_bursts <= (variant == 5);
    end
  endtask

  initial begin
    s_rdata = 32'd0;
    rx_pop = 1'b0;
    rxw_valid = 1'b0;
    rxw_addr = 64'd0;
    rxw_len = 13'd0;
    rxw_imm = 1'b0;
    rxw_data = 1024'd0;
    rxw_beat = {RX_AW{1'b0}};
    rxw_off = 6'd0;
    rxw_user = 32'd0;
    rdw_valid = 1'b0;
    rdw_addr = 64'd0;
    rdw_len = 13'd0;
    rdw_beat = {RX_AW{1'b0}};
    rdw_off = 6'd0;
    cqw_addr = 64'd0;
    cqw_data = 32'd0;
    sqr_addr = 64'd0;
    plr_addr = 64'd0;
    plr_len = 24'd0;
    bld_hdr = 768'd0;
    bld_hdr_len = 7'd0;
    bld_v6 = 1'b0;
    bld_payload = 13'd0;
    bld_pad = 2'd0;
    bld_inline = 1'b0;
    bld_sdata = 128'd0;
    bld_raw = 1'b0;
    rtb_valid = 1'b0;
    rtb_addr = 64'd0;
    rtb_len = 13'd0;
    imm_tdata = 64'd0;
    cq_sb_addr = 13'd0;
    cq_sb_cnt = 32'd0;
    rq_sb_addr = 13'd0;
    rq_sb_data = 32'd0;
    system_resetn = 1'b0;
    s_awready = 1'b0;
    s_wready = 1'b0;
    s_arready = 1'b0;
    s_bvalid = 1'b0;
    s_bslverr = 1'b0;
    s_rslverr = 1'b0;
    s_rvalid = 1'b0;
    cqw_valid = 1'b0;
    sqr_valid = 1'b0;
    plr_valid = 1'b0;
    bld_valid = 1'b0;
    imm_tvalid = 1'b0;
    cq_sb_valid = 1'b0;
    rq_sb_valid = 1'b0;
    sqpi_rdy = 1'b0;
    rqci_rdy = 1'b0;
    irq = 1'b0;
    small_bursts = 1'b0;
    pause_conf = 32'd0;
    thr_roce = 32'd0;
    thr_non = 32'd0;
  end

  always @(posedge clk) begin
    if (rst) begin
      // Once per reset; the memories are cleared slot by slot behind it, before system_resetn rises.
      if (!in_reset) reset_all;
      in_reset = 1'b1;
    end else if (clearing) begin
      in_reset = 1'b0;
      clear_slot;
    end else begin
      now = now + 64'd1;
      registers_step;
      if (tx_sent) frame_left;
      requester_step;
      responder_step;
      completion_step;
      timers_step;
      imm_step;
      sideband_step;
      variants_step;
      choices_step;
      irq <= |({intsts[8:7], rq_summary(1'b0), intsts[5], cq_summary(1'b0), intsts[3:0]}
               & `MUT(224, inten, 9'h1FF));
    end
    pause_conf <= greg[G_PAUSE];
    thr_roce <= greg[G_THR_ROCE];
    thr_non <= greg[G_THR_NON];
  end
endmodule
