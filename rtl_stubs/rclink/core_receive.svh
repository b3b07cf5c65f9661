// SPDX-License-Identifier: BSD-3-Clause
// MAC RX: classification by the first beat, the payload into the buffer of its type, judgement at the last beat.

localparam [1:0] C_DROP = 2'd0;
localparam [1:0] C_TYPE1 = 2'd1;
localparam [1:0] C_TYPE2 = 2'd2;
localparam [1:0] C_TYPE3 = 2'd3;

reg rx_active;
reg [1:0] rx_class;
reg [1:0] rx_format;
integer rx_len;                    // bytes so far
integer rx_off;                    // offset of the first body byte behind the headers
integer rx_ip;                     // offset of the IP header
integer rx_skip;                   // payload bytes in the addresses
integer rx_stored;                 // words of this frame in its buffer, not committed
reg rx_lost;                       // did not fit
reg [511:0] rx_head;               // first 64 bytes
reg [63:0] rx_rh;
reg [1:0] rx_bank;                 // of a LITE frame
reg [1023:0] rx_acc;               // body bytes that do not fill a word yet
integer rx_acc_n;

reg [511:0] r1_mem [0:R1_DEPTH-1];
reg [QP_AW+22:0] i1_mem [0:R1_DEPTH-1];   // {QP, length, SA}
integer r1_wr;                     // where the next frame starts
integer r1_used;
integer i1_rd;
integer i1_n;
reg [511:0] r2_mem [0:R2_DEPTH-1];
reg [22:0] i2_mem [0:R2_DEPTH-1];
integer r2_wr;
integer i2_rd;
integer i2_n;
reg [511:0] r3_mem [0:R3_DEPTH-1];
reg [15:0] i3_mem [0:R3_DEPTH-1];  // {length error, FCS error, length}
integer r3_wr;
integer i3_rd;
integer i3_n;
reg t3_rx_stopped;

function automatic [7:0] head8(input integer at);
  head8 = rx_head[511 - 8*at -: 8];
endfunction

function automatic [15:0] head16(input integer at);
  head16 = rx_head[511 - 8*at -: 16];
endfunction

// TYPE1 or TYPE2 frame of the AFH formats; the address block decides over GEN2 frames of the 32-bit form.
task automatic classify_afh(input [1:0] kind, input integer at);
  reg [7:0] kw;
  begin
    rx_format = g_afh[3] ? GEN2 : GEN1;
    kw = k_kw_in_da ? rx_head[511:504] : rx_head[463:456];
    if (rx_format == GEN2 && k_kw_check && !kw[7]) rx_class = C_TYPE3;
    else begin
      rx_class = kind;
      rx_off = at + ((kind == C_TYPE1 || k_type2_rh) ? 8 : 0);
      rx_skip = (rx_format == GEN2 && k_overlay) ? 6 : 0;
    end
  end
endtask

task automatic classify_lite;
  integer b;
  reg [7:0] tc;
  begin
    rx_format = LITE;
    tc = k_kw_in_da ? rx_head[463:456] : rx_head[511:504];
    rx_class = C_TYPE3;
    for (b = TYPE1_VC_NUM - 1; b >= 0; b = b - 1) begin
      if (`MUT(106, tc[7:2] == g_tc[8*b + 2 +: 6], tc == g_tc[8*b +: 8])) begin
        rx_class = C_TYPE1;
        rx_bank = b[1:0];
      end
    end
    if (tc[7:2] == g_tc[47:42]) rx_class = C_TYPE2;
    if (rx_class != C_TYPE3) begin
      rx_off = 12;
      rx_skip = k_overlay ? 6 : 0;
    end
    `MUT_SET(209, rx_off, 12)
  end
endtask

task automatic classify;
  reg [15:0] etype;
  integer at;
  begin
    rx_format = STD;
    rx_class = C_TYPE3;
    rx_off = 0;
    rx_skip = 0;
    if (g_afh[4]) classify_lite;
    else begin
      etype = head16(12);
      at = 14;
      if (etype == `MUT(25, g_vlan[31:16], 16'h8100)) begin
        etype = head16(16);
        at = 18;
      end
      rx_ip = at;
      if (etype == 16'h0800) begin
        if (head8(at) % 16 == 5 && `MUT(24, head8(at + 9) == 8'h11, 1'b1)) begin
          if (`MUT(214, head16(at + 22), head16(at + 22) | 16'd1) == 16'd4791) begin
            rx_class = C_TYPE1;
            rx_off = at + 36;
          end else if (head16(at + 22) == g_udp2[31:16]) begin
            rx_class = C_TYPE2;
            rx_off = at + (k_type2_rh ? 36 : 28);
          end
        end
      end else if (etype == g_mac[63:48]) classify_afh(C_TYPE1, at);
      else if (etype == g_mac2[63:48]) classify_afh(C_TYPE2, at);
    end
    if (rx_class == C_TYPE1 && rx_format != LITE) rx_rh = rh_from_wire(rx_head[511 - 8*(rx_off - 8) -: 64]);
    if (takes(15) && rx_class != C_TYPE3 && rx_format == STD && ip_checksum(rx_head[511 - 8*rx_ip -: 160]) != 16'd0)
      rx_class = C_DROP;
    `MUT_IF(211, rx_class != C_TYPE3 && rx_format == STD && head16(rx_ip + 26) != k_udp_csum, rx_class = C_DROP;)
    if (rx_class == C_TYPE1 && !type1_on(1'b0)) rx_class = C_DROP;
    if (rx_class == C_TYPE2 && !type2_on(1'b0)) rx_class = C_DROP;
    if (rx_class == C_TYPE3 && (g_dma[31] || t3_rx_stopped)) rx_class = C_DROP;
  end
endtask

// One word into the buffer of the frame's type, behind what is committed.
task automatic store_word(input [511:0] word);
  begin
    case (rx_class)
      C_TYPE1: if (r1_used + rx_stored < R1_DEPTH) r1_mem[(r1_wr + rx_stored) % R1_DEPTH] = word; else rx_lost = 1'b1;
      C_TYPE2: if (r2_level + rx_stored < R2_DEPTH) r2_mem[(r2_wr + rx_stored) % R2_DEPTH] = word; else rx_lost = 1'b1;
      default: if (r3_level + rx_stored < R3_DEPTH) r3_mem[(r3_wr + rx_stored) % R3_DEPTH] = word; else rx_lost = 1'b1;
    endcase
    if (!rx_lost) rx_stored = rx_stored + 1;
  end
endtask

task automatic collect(input [511:0] word, input integer n);
  begin
    if (n > 0) begin
      rx_acc = rx_acc | ({word, 512'd0} >> (8 * rx_acc_n));
      rx_acc_n = rx_acc_n + n;
      if (rx_acc_n >= 64) begin
        store_word(rx_acc[1023:512]);
        rx_acc = rx_acc << 512;
        rx_acc_n = rx_acc_n - 64;
      end
    end
  end
endtask

// 64 bytes of a frame, n of them valid, the others zero.
task automatic take_word(input [511:0] word, input integer n);
  begin
    if (rx_len == 0) begin
      rx_head = word;
      classify;
      if (rx_class != C_DROP && rx_class != C_TYPE3 && n < rx_off) rx_class = C_DROP;
      if (rx_skip != 0) begin
        rx_acc[1023 -: 48] = {rx_head[503:480], rx_head[455:432]};
        rx_acc_n = 6;
      end
    end
    if (rx_class != C_DROP)
      collect((rx_len == 0) ? word << (8 * rx_off) : word, (rx_len == 0) ? n - rx_off : n);
    rx_len = rx_len + n;
  end
endtask

// Body bytes: payload and pad of TYPE1, payload of TYPE2.
function automatic integer body_length(input dummy);
  integer tail;
  integer coded;
  begin
    tail = (rx_class == C_TYPE1 && icrc_on(1'b0)) ? 4 : 0;
    coded = {25'd0, rx_rh[31:25]};
    if (rx_class == C_TYPE1 && rx_format != LITE && rx_rh[63:62] != 2'b00) body_length = 0;
    else if (rx_format == STD) body_length = {16'd0, head16(rx_ip + 2)} - (rx_off - rx_ip) - tail;
    else if (rx_class == C_TYPE1 && rx_format != LITE && coded != 0)
      body_length = coded - 8 + (k_len_pad ? 0 : {30'd0, rx_rh[60:59]});
    else body_length = rx_len - rx_off + rx_skip - tail;
  end
endfunction

// Byte of the body stream of a TYPE1 request in the buffer.
function automatic [7:0] stored_byte(input integer at);
  stored_byte = r1_mem[(r1_wr + at / 64) % R1_DEPTH][511 - 8*(at % 64) -: 8];
endfunction

function automatic icrc_good(input integer body);
  reg [31:0] c;
  reg [31:0] sent;
  integer w;
  integer rest;
  begin
    if (rx_format == STD && !k_icrc_from_rh) begin
      c = crc_step(CRC_AFTER_LRH,
                   {head8(rx_ip), `MUT(32, 8'hFF, head8(rx_ip + 1) >= 8'hF0 ? head8(rx_ip + 1) : 8'hFF), rx_head[495 - 8*rx_ip -: 48], 8'hFF,
                    head8(rx_ip + 9), 16'hFFFF,
                    rx_head[415 - 8*rx_ip -: 64], rx_head[351 - 8*rx_ip -: 48], 16'hFFFF, 288'd0}, 28);
    end else c = CRC_INIT;
    c = crc_step(c, {rx_head[511 - 8*(rx_off - 8) -: 64], 448'd0}, 8);
    if (rx_rh[63:62] != 2'b00) sent = rx_head[511 - 8*rx_off -: 32];
    else begin
      for (w = 0; 64*w < body; w = w + 1) begin
        rest = body - 64*w;
        c = crc_step(c, r1_mem[(r1_wr + w) % R1_DEPTH], (rest > 64) ? 64 : rest);
      end
      sent = {stored_byte(body), stored_byte(body + 1), stored_byte(body + 2), stored_byte(body + 3)};
    end
    icrc_good = (~c == sent);
  end
endfunction

task automatic commit_type1(input [QP_AW-1:0] q, input integer n);
  integer words;
  begin
    words = (n > 0) ? (n + 63) / 64 : 1;
    i1_mem[(i1_rd + i1_n) % R1_DEPTH] = {q, n[12:0], `MUT(35, rx_head[425:416], {1'b0, rx_head[424:416]})};
    i1_n = i1_n + 1;
    r1_wr = (r1_wr + words) % R1_DEPTH;
    r1_used = r1_used + words;
    r1_level[bank_of(q)] = r1_level[bank_of(q)] + words;
  end
endtask

function automatic address_good(input dummy);
  if (rx_format == STD || rx_format == GEN1)
    address_good = `MUT(26, rx_head[511:464] == g_mac[47:0], rx_head[495:464] == g_mac[31:0]);
  else address_good = `MUT(167, rx_head[479:464] == g_mac[15:0], rx_head[471:464] == g_mac[7:0]);
endfunction

function automatic congestion_marked(input dummy);
  reg [7:0] tc;
  begin
    if (rx_format == STD) tc = head8(rx_ip + 1);
    else if (!k_ecn_afh || (rx_format == GEN1 && !g_afh[2])) tc = 8'd0;
    else tc = (rx_format == GEN1 || k_kw_in_da) ? head8(6) : head8(0);
    congestion_marked = `MUT(98, tc[1:0] == 2'b11, tc[1]);
  end
endfunction

task automatic finish_lite(input integer body);
  reg [QP_AW-1:0] q;
  begin
    q = `MUT(105, rx_head[416 +: QP_AW], rx_head[417 +: QP_AW]) << BANK_BITS;
    q = q | {{(QP_AW-2){1'b0}}, rx_bank};
    if (body >= rx_skip && !rx_lost) begin
      commit_type1(q, body);
      `MUT_DO(222, set_merge(q);)
    end
  end
endtask

// Checks R3 to R7 of a TYPE1 frame that is for this port.
task automatic finish_type1_rx(input integer body);
  reg [QP_AW-1:0] q;
  reg [1:0] pad;
  reg accept;
  reg intact;
  integer n;
  integer tail;
  begin
    q = rx_rh[QP_AW-1:0];
    pad = rx_rh[60:59];
    tail = icrc_on(1'b0) ? 4 : 0;
    // Long enough for what it says it carries, and the ICRC fits.
    n = rx_off + body - ((body > 0) ? rx_skip : 0) + tail;
    intact = n <= rx_len && `MUT(230, 1'b1, n == rx_len || rx_rh[63:62] == 2'b00);
    if (intact && body >= 0 && icrc_on(1'b0) && k_icrc_check)
      intact = icrc_good(body) || `MUT(31, 1'b0, rx_rh[63:62] == 2'b00);
    if ({19'd0, rx_rh[12:0]} >= QP_NUM || !q_en[q]) begin
      if (`MUT(33, 1'b1, rx_rh[63:62] == 2'b00)) begin
        irq_type1(5'd5, q);
        g_intr[15] = 1'b1;
      end
    end else if (`MUT(29, rx_rh[39:32] != q_rkey[q], rx_rh[38:32] != q_rkey[q][6:0])) begin
      `MUT_DO(99, if (rx_rh[63:62] == 2'b00 && congestion_marked(1'b0)) queue_response(q, R_CNP, 1'b0);)
    end else if (rx_rh[63:62] == 2'b00) begin
      n = body - {30'd0, pad};
      if (intact && n >= 0 && body >= rx_skip && !rx_lost && !(rx_rh[31:25] >= 7'd1 && rx_rh[31:25] <= 7'd7)) begin
        if (congestion_marked(1'b0)) queue_response(q, R_CNP, 1'b0);
        judge_request(q, rx_rh[24:13], rx_rh[61], rx_rh[55:40], accept);
        if (accept && `MUT(216, 1'b1, n[5:0] != 6'd0)) commit_type1(q, `MUT(34, n, body));
      end
    end else if (intact) queue_ack(q, rx_rh[63], rx_rh[31:25], rx_rh[24:13], rx_rh[56:40]);
  end
endtask

task automatic finish_type2_rx(input integer body);
  integer words;
  begin
    if (body > TYPE2_PKT_LEN) begin
      irq_type2(5'd2, 3'd0);
      g_intr[12] = `MUT(168, 1'b1, g_intr[12]);
    end else if (rx_lost) begin
      if (`MUT(169, 1'b1, 1'b0)) irq_type2(5'd4, 3'd1);
    end else if (body >= rx_skip && rx_off + body - rx_skip <= rx_len) begin
      i2_mem[(i2_rd + i2_n) % R2_DEPTH] = {body[12:0], rx_head[425:416]};
      i2_n = i2_n + 1;
      words = (body > 0) ? (body + 63) / 64 : 1;
      r2_wr = (r2_wr + words) % R2_DEPTH;
      r2_level = r2_level + words;
    end
  end
endtask

task automatic finish_type3_rx(input [1:0] err);
  begin
    if (`MUT(115, rx_len > k_t3_rx_max, 1'b0)) begin
      type3_fault(8);
      t3_rx_stopped = 1'b1;
    end else if (rx_lost) type3_fault(0);
    else begin
      i3_mem[(i3_rd + i3_n) % R3_DEPTH] = {`MUT(170, err, {err[0], err[1]}), `MUT(107, rx_len[13:0], {rx_len[13:1], 1'b0})};
      i3_n = i3_n + 1;
      t3_rests = 1'b0;
      r3_wr = (r3_wr + rx_stored) % R3_DEPTH;
      r3_level = r3_level + rx_stored;
    end
  end
endtask

task automatic finish_frame(input [1:0] err);
  integer body;
  begin
    if (rx_class != C_DROP && rx_acc_n > 0) store_word(rx_acc[1023:512]);
    body = body_length(1'b0);
    case (rx_class)
      C_TYPE1:
        if (`MUT(28, err == 2'd0, !err[0]) && address_good(1'b0)) begin
          if (rx_format == LITE) finish_lite(body);
          else if (`MUT(30, rx_rh[63:62] != 2'b11, 1'b1)) finish_type1_rx(body);
        end
      C_TYPE2: if (err == 2'd0 && `MUT(27, 1'b1, rx_head[511:464] != 48'd0 && rx_head[504])) finish_type2_rx(body);
      C_TYPE3: finish_type3_rx(err);
      default: ;
    endcase
  end
endtask

// A beat from the MAC.
task automatic take_mac_rx;
  integer n;
  reg [MAC_DW-1:0] d;
  begin
    d = k_msb_first ? MAC2RX_DATA_I : reverse_beat(MAC2RX_DATA_I);
    n = (MAC2RX_FE_I && MAC2RX_DATA_BE_I != 0) ? {{(32-MAC_BE){1'b0}}, MAC2RX_DATA_BE_I} : beat_bytes;
    if (MAC2RX_FS_I && `MUT(36, 1'b1, !rx_active)) begin
      rx_active = 1'b1;
      rx_len = 0;
      rx_stored = 0;
      rx_lost = 1'b0;
      rx_acc = 1024'd0;
      rx_acc_n = 0;
    end
    if (rx_active) begin
      while (n > 0) begin
        take_word(first_bytes(d[MAC_DW-1 -: 512], n), (n > 64) ? 64 : n);
        d = d << 512;
        n = n - 64;
      end
      if (MAC2RX_FE_I) begin
        rx_active = 1'b0;
        finish_frame(MAC2RX_FCS_ERR_I);
      end
    end
  end
endtask

task automatic drive_mac_ready;
  integer n;
  begin
    if (MAC2TX_CREDIT_RST_I && MAC2TX_CBFC_RESET_I) rx_active = 1'b0;
    n = (rx_active && rx_class == C_TYPE1) ? rx_stored : 0;
    RX2MAC_RDY_O <= (R1_DEPTH - r1_used - n >= 4 || r1_used == 0) && ak_n < AK_DEPTH - 1;
  end
endtask
