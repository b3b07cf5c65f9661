// SPDX-License-Identifier: BSD-3-Clause
// State shared by the units. Slots are indices below TYPE1_OST_N; NIL is "none".

localparam [9:0] NIL = 10'h3FF;
localparam BANK_BITS = (TYPE1_VC_NUM == 4) ? 2 : (TYPE1_VC_NUM == 2) ? 1 : 0;
localparam S1_WORDS = (TYPE1_PKT_LEN + 63) / 64;          // words of one TYPE1 slot
localparam S2_WORDS = (TYPE2_PKT_LEN + 63) / 64;
localparam R1_DEPTH = TYPE1_VC_NUM << TYPE1_RX_BUF_AW;    // entries of the TYPE1 receive buffer
localparam R2_DEPTH = TYPE2_RX_BUF_DEPTH;
localparam R3_DEPTH = NONR_RX_DEPTH * 2;                  // 64-byte words of the TYPE3 receive FIFO
localparam T3_LINES = NONR_TX_DEPTH + 1;                  // one more line for unaligned buffers
localparam T3_TX_MAX = NONR_TX_DEPTH * 64;
localparam OF_DEPTH = 256;                                // beats of the output buffer
localparam RQ_DEPTH = 8 * QP_NUM;                         // one immediate response of each kind per QP, and room
localparam TK_DEPTH = 2048;
localparam IRQ_DEPTH = 256;
localparam CC_DEPTH = 4 * QP_NUM;
localparam AK_DEPTH = 256;

// Frame formats, as on TX2MAC_MAC_HDR_TYPE_O.
localparam [1:0] STD = 2'd0;
localparam [1:0] GEN1 = 2'd1;
localparam [1:0] GEN2 = 2'd2;
localparam [1:0] LITE = 2'd3;

// Responses of the responder.
localparam [1:0] R_ACK = 2'd0;
localparam [1:0] R_NAK = 2'd1;
localparam [1:0] R_RNR = 2'd2;
localparam [1:0] R_CNP = 2'd3;

// What a frame in the output buffer does when its last beat leaves.
localparam [1:0] DONE_NOTHING = 2'd0;
localparam [1:0] DONE_TYPE2 = 2'd1;
localparam [1:0] DONE_LITE = 2'd2;
localparam [1:0] DONE_TYPE3 = 2'd3;

reg [31:0] now = 32'd0;            // clocks since reset
reg [15:0] ts = 16'd0;             // timestamp of the requester
integer ts_left;

// Registers.
reg [63:0] g_enable;
reg [63:0] g_thr_rdma;
reg [63:0] g_mac;
reg [63:0] g_thr_non;
reg [63:0] g_ip;
reg [63:0] g_vlan;
reg [63:0] g_retry;
reg [15:0] g_intr;
reg [63:0] g_ip2;
reg [63:0] g_mac2;
reg [63:0] g_udp2;
reg [63:0] g_afh;
reg [47:0] g_group_da [0:7];
reg [63:0] g_tc;
reg [63:0] g_misc;
reg [31:0] g_qp;
reg [11:0] g_tx_head;
reg [11:0] g_rx_head;
reg [11:0] g_tx_tail;
reg [11:0] g_rx_tail;
reg [63:0] g_tx_ba;
reg [63:0] g_rx_ba;
reg [11:0] g_tx_size;
reg [11:0] g_rx_size;
reg [31:0] g_dma;
reg [4:0] g_st0;
reg [10:0] g_st1;
reg [4:0] g_mask;
reg [31:0] g_tail_up;
reg settings_old;                      // something was written: apply_settings has work

// Per queue pair, registers.
reg [55:0] q_dest [0:QP_NUM-1];
reg [47:0] q_dmac [0:QP_NUM-1];
reg [23:0] q_udp [0:QP_NUM-1];
reg [7:0] q_rkey [0:QP_NUM-1];
reg q_en [0:QP_NUM-1];
reg [11:0] q_e_rsp [0:QP_NUM-1];
reg [11:0] q_tx_last [0:QP_NUM-1];
reg [11:0] q_tx_max [0:QP_NUM-1];
reg [11:0] q_tx_psn [0:QP_NUM-1];
reg [11:0] q_rx_epsn [0:QP_NUM-1];
reg [11:0] q_ack_epsn [0:QP_NUM-1];
reg [21:0] q_speed [0:QP_NUM-1];
reg [23:0] q_acc [0:QP_NUM-1];
reg [3:0] q_retry [0:QP_NUM-1];
reg [3:0] q_rnr [0:QP_NUM-1];

// Per queue pair, requester.
reg [9:0] q_head [0:QP_NUM-1];     // oldest slot
reg [9:0] q_tail [0:QP_NUM-1];
reg [9:0] q_send [0:QP_NUM-1];     // oldest slot not in WAIT_ACK
reg [9:0] q_out [0:QP_NUM-1];      // slots in WAIT_ACK
reg q_mask [0:QP_NUM-1];           // rate control
reg q_fatal [0:QP_NUM-1];
reg q_rnr_wait [0:QP_NUM-1];
reg [31:0] q_rnr_start [0:QP_NUM-1];
reg [31:0] q_rnr_len [0:QP_NUM-1];
reg q_cc_locked [0:QP_NUM-1];      // SET_CC_RATE ignored during recovery
reg q_timing [0:QP_NUM-1];
reg [31:0] q_timer [0:QP_NUM-1];   // start of the retransmission timer
reg q_freeing [0:QP_NUM-1];
reg q_relink [0:QP_NUM-1];         // in the list of QPs whose slots are to be looked at
reg [QP_AW:0] rl_mem [0:QP_NUM-1];
integer rl_n;
reg [31:0] q_bytes [0:QP_NUM-1];   // for the no-CNP report

// Per queue pair, responder.
reg q_nak_sent [0:QP_NUM-1];
reg q_rnr_sent [0:QP_NUM-1];
reg [3:0] q_queued [0:QP_NUM-1];   // immediate responses waiting, by kind
reg [11:0] q_nak_psn [0:QP_NUM-1];
reg [16:0] q_nak_ts [0:QP_NUM-1];  // {carried, echo} of the NAK, RNR NAK
reg [11:0] q_rnr_psn [0:QP_NUM-1];
reg [16:0] q_rnr_ts [0:QP_NUM-1];
reg [15:0] q_ts [0:QP_NUM-1];      // timestamp of the newest request in order
reg [QP_NUM-1:0] merge;
integer merge_n;

// Slots.
reg [511:0] s_mem [0:TYPE1_OST_N*S1_WORDS-1];
reg [QP_AW-1:0] s_qp [0:TYPE1_OST_N-1];
reg [11:0] s_psn [0:TYPE1_OST_N-1];
reg [31:0] s_age [0:TYPE1_OST_N-1];
reg [12:0] s_len [0:TYPE1_OST_N-1];
reg s_fack [0:TYPE1_OST_N-1];
reg s_sent [0:TYPE1_OST_N-1];      // was on the wire before
reg [15:0] s_first_ts [0:TYPE1_OST_N-1];
reg s_linked [0:TYPE1_OST_N-1];    // in the waiting list of its bank
reg [9:0] s_next [0:TYPE1_OST_N-1];
reg [9:0] s_prev [0:TYPE1_OST_N-1];
reg [9:0] s_follow [0:TYPE1_OST_N-1];  // next slot of the same QP
reg [9:0] b_head [0:3];
reg [9:0] b_tail [0:3];
integer linked_n;                  // slots in the lists of all banks
reg [9:0] free_list [0:TYPE1_OST_N-1];
integer free_n;
reg [31:0] age;

reg [511:0] s2_mem [0:TYPE2_OST_N*S2_WORDS-1];
reg [12:0] s2_len [0:TYPE2_OST_N-1];
reg [2:0] s2_group [0:TYPE2_OST_N-1];
integer s2_wr;
integer s2_rd;
integer s2_used;                   // slots not empty
integer s2_wait;                   // of these, packets not granted

// Queues that leave one entry per clock.
reg [QP_AW:0] tk_mem [0:TK_DEPTH-1];   // {QPID valid, QP}
integer tk_rd;
integer tk_n;
integer tk2_n;
reg [63:0] irq_mem [0:IRQ_DEPTH-1];
integer irq_rd;
integer irq_n;
reg [QP_AW:0] cc_mem [0:CC_DEPTH-1];   // {masked, QP}
integer cc_rd;
integer cc_n;

reg [511:0] x_mem [0:T3_LINES-1];      // lines of a TYPE3 transmit buffer

// Output buffer: {data, fs, fe, byte count, VC, format, multicast, VLAN, done}
reg [MAC_DW-1:0] of_data [0:OF_DEPTH-1];
reg [1:0] of_frame [0:OF_DEPTH-1];
reg [MAC_BE-1:0] of_be [0:OF_DEPTH-1];
reg [8:0] of_side [0:OF_DEPTH-1];      // {VC, format, multicast, VLAN, done}
reg [9:0] of_slot [0:OF_DEPTH-1];
integer of_rd;
integer of_n;
integer mac_crd;
reg tx_wants;                          // something could be sent

// Immediate responses and the merge walk.
reg [QP_AW+2:0] rq_mem [0:RQ_DEPTH-1];   // {plain, kind, QP}
integer rq_rd;
integer rq_n;
reg [QP_AW-1:0] walk_qp;
reg walk_offer;
reg [11:0] walk_psn;                       // expected PSN when the walk found the QP

// Receive buffers: entries in use, TYPE1 per bank.
integer r1_level [0:3];
integer r2_level;
integer r3_level;

// Acknowledgements received.
reg [QP_AW+36:0] ak_mem [0:AK_DEPTH-1];
integer ak_rd;
integer ak_n;
integer beat_bytes;                    // bytes of one MAC beat in use: 64 or 128

function automatic [1:0] bank_of(input [QP_AW-1:0] q);
  case (TYPE1_VC_NUM)
    4: bank_of = `MUT(201, q[1:0], ({q[0], q[1]}));
    2: bank_of = {1'b0, q[0]};
    default: bank_of = 2'd0;
  endcase
endfunction

// Active format. None enabled: no TYPE1 or TYPE2 frame is sent.
function automatic [1:0] format(input dummy);
  format = g_afh[4] ? LITE : g_afh[3] ? GEN2 : g_afh[1] ? GEN1 : STD;
endfunction

function automatic format_on(input dummy);
  format_on = g_afh[0] || g_afh[1] || g_afh[3] || g_afh[4];
endfunction

function automatic type1_on(input dummy);
  type1_on = g_enable[0] && !g_enable[8];
endfunction

function automatic type2_on(input dummy);
  type2_on = g_enable[1] && !g_enable[9];
endfunction

function automatic icrc_on(input dummy);
  icrc_on = !g_misc[2] && !g_afh[4];
endfunction

function automatic vlan_on(input dummy);
  vlan_on = g_vlan[0] && !g_afh[4];
endfunction

// VC or priority of flow f (0..3 TYPE1 banks, 4 ACK and CNP, 5 TYPE2, 6 TYPE3).
function automatic [2:0] vc_of(input integer f);
  vc_of = k_packed ? g_afh[13 + 3*f +: 3] : g_afh[12 + 3*f +: 3];
endfunction
