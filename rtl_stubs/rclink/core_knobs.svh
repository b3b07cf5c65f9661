// SPDX-License-Identifier: BSD-3-Clause
// Contested points that the binding decides at run time: plusargs +<KNOB>=<n>, default first.

integer k_rh_order = 0;            // RH_ORDER: 0 BE64, 1 TXBIT, 2 LE64
reg k_kw_in_da = 1'b0;             // GEN2_KW_IN_DA: 0 as printed, 1 exchanged
reg k_overlay = 1'b1;              // GEN2_OVERLAY: bytes in the addresses 1 leave the body, 0 are a copy
reg [15:0] k_udp_csum = 16'h0000;  // UDP_CSUM: constant sent
reg k_type2_rh = 1'b0;             // TYPE2_HAS_RH
reg k_len_pad = 1'b1;              // PKTLEN_INCL_PAD: Pkt_len counts pad bytes
reg k_ack_next = 1'b0;             // ACK_PSN_MODE: 0 LAST, 1 NEXT
reg k_ecn_afh = 1'b0;              // ECN_ON_AFH: CE also in TC[1:0] of AFH frames
reg k_packed = 1'b0;               // AFH_LAYOUT: 0 MIN, 1 PACKED
integer k_cbfc_min = 0;            // CBFC_MIN_LEN: shortest length counted for credits
integer k_t3_rx_max = 8192;        // T3_RX_MAX: longest TYPE3 frame received
reg k_mask_order = 1'b0;           // MASK_RX_TAIL_BIT: 4 as printed, 2 order of ST0
reg k_acc_retry = 1'b1;            // ACC_COUNTS_RETRY
reg k_kw_check = 1'b1;             // KW_CHECK: W=0 goes to TYPE3
reg k_icrc_from_rh = 1'b0;         // ICRC_MODE: 0 by_format, 1 from_rh
reg k_icrc_check = 1'b1;           // ICRC_CHECK
reg k_msb_first = 1'b1;            // MAC_FIRST_BYTE_MSB
reg k_buf_per_bank = 1'b1;         // RXBUF_PER_BANK: water marks see each bank, 0 all banks together
reg k_credit_pkt = 1'b0;           // UNIT: 0 BEAT, 1 PKT
integer k_late_ack = 0;            // LATE_ACK: 0 FREE, 1 RESEND, 2 FREE unless variant 5 is taken
integer k_lite_sa = 0;             // LITE_SA: 0 MAC, 1 DQPID, 2 SQPID
reg k_nocnp_frame = 1'b0;          // NOCNP_BYTES: 0 PAYLOAD, 1 FRAME
reg k_mdq_two_bits = 1'b0;         // TX_MDQ_SIZE_BITS: 12, or 2 as printed

integer variant = 0;               // legal variant, see README.md
integer k_n;

initial begin
  if (!$value$plusargs("VARIANT=%d", variant)) variant = 0;
  if ($value$plusargs("RH_ORDER=%d", k_n)) k_rh_order = k_n;
  if ($value$plusargs("GEN2_KW_IN_DA=%d", k_n)) k_kw_in_da = (k_n != 0);
  if ($value$plusargs("GEN2_OVERLAY=%d", k_n)) k_overlay = (k_n != 0);
  if ($value$plusargs("UDP_CSUM=%d", k_n)) k_udp_csum = k_n[15:0];
  if ($value$plusargs("TYPE2_HAS_RH=%d", k_n)) k_type2_rh = (k_n != 0);
  if ($value$plusargs("PKTLEN_INCL_PAD=%d", k_n)) k_len_pad = (k_n != 0);
  if ($value$plusargs("ACK_PSN_MODE=%d", k_n)) k_ack_next = (k_n != 0);
  if ($value$plusargs("ECN_ON_AFH=%d", k_n)) k_ecn_afh = (k_n != 0);
  if ($value$plusargs("AFH_LAYOUT=%d", k_n)) k_packed = (k_n != 0);
  if ($value$plusargs("CBFC_MIN_LEN=%d", k_n)) k_cbfc_min = k_n;
  if ($value$plusargs("T3_RX_MAX=%d", k_n)) k_t3_rx_max = k_n;
  if ($value$plusargs("MASK_RX_TAIL_BIT=%d", k_n)) k_mask_order = (k_n == 2);
  if ($value$plusargs("ACC_COUNTS_RETRY=%d", k_n)) k_acc_retry = (k_n != 0);
  if ($value$plusargs("KW_CHECK=%d", k_n)) k_kw_check = (k_n != 0);
  if ($value$plusargs("ICRC_MODE=%d", k_n)) k_icrc_from_rh = (k_n != 0);
  if ($value$plusargs("ICRC_CHECK=%d", k_n)) k_icrc_check = (k_n != 0);
  if ($value$plusargs("MAC_FIRST_BYTE_MSB=%d", k_n)) k_msb_first = (k_n != 0);
  if ($value$plusargs("RXBUF_PER_BANK=%d", k_n)) k_buf_per_bank = (k_n != 0);
  if ($value$plusargs("UNIT=%d", k_n)) k_credit_pkt = (k_n != 0);
  if ($value$plusargs("LATE_ACK=%d", k_n)) k_late_ack = k_n;
  if ($value$plusargs("LITE_SA=%d", k_n)) k_lite_sa = k_n;
  if ($value$plusargs("NOCNP_BYTES=%d", k_n)) k_nocnp_frame = (k_n != 0);
  if ($value$plusargs("TX_MDQ_SIZE_BITS=%d", k_n)) k_mdq_two_bits = (k_n == 2);
end

localparam ALL_VARIANTS = 20;

// Whether the freedom of variant n is taken; ALL_VARIANTS takes all of them at once.
function automatic takes(input integer n);
  takes = (variant == n) || (variant == ALL_VARIANTS);
endfunction
