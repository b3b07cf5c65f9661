// SPDX-License-Identifier: BSD-3-Clause
// Headers of the four formats and the packing of a frame into MAC beats.

reg [511:0] hd;                    // headers, first byte at the top
integer hd_n;
reg [31:0] fr_crc;
reg fr_icrc;
reg [1535:0] fr_acc;               // bytes not yet in a beat
integer fr_n;
reg fr_first;
reg [8:0] fr_side;
reg [9:0] fr_slot;

// RH as it goes over the wire.
function automatic [63:0] rh_to_wire(input [63:0] rh);
  case (k_rh_order)
    1: rh_to_wire = {rh[12:0], rh[24:13], rh[31:25], rh[39:32], rh[55:40], rh[56], rh[58:57], rh[60:59], rh[61], rh[63:62]};
    2: rh_to_wire = {swap32(rh[31:0]), swap32(rh[63:32])};
    default: rh_to_wire = rh;
  endcase
endfunction

function automatic [63:0] rh_from_wire(input [63:0] w);
  case (k_rh_order)
    1: rh_from_wire = {w[1:0], w[2], w[4:3], w[6:5], w[7], w[23:8], w[31:24], w[38:32], w[50:39], w[63:51]};
    2: rh_from_wire = {swap32(w[31:0]), swap32(w[63:32])};
    default: rh_from_wire = w;
  endcase
endfunction

task automatic put_header(input [159:0] v, input integer n);
  begin
    hd = hd | ({352'd0, v} << (512 - 8*(hd_n + n)));
    hd_n = hd_n + n;
  end
endtask

function automatic [15:0] ip_checksum(input [159:0] h);
  integer i;
  reg [31:0] sum;
  begin
    sum = 32'd0;
    for (i = 0; i < 10; i = i + 1) sum = sum + {16'd0, h[16*i +: 16]};
    sum = {16'd0, sum[31:16]} + {16'd0, sum[15:0]};
    sum = `MUT(10, {16'd0, sum[31:16]} + {16'd0, sum[15:0]}, {16'd0, sum[15:0]});
    ip_checksum = ~sum[15:0];
  end
endfunction

// Traffic class of flow f. TYPE2 follows dscp2 while CBFC is stopped globally.
function automatic [7:0] class_of(input integer f);
  case (f)
    4: class_of = g_tc[39:32];
    5: class_of = (`MUT(11, g_afh[5], 1'b0)) ? g_ip2[55:48] : g_tc[47:40];
    default: class_of = g_tc[8*f +: 8];
  endcase
endfunction

// Headers of a frame of flow f, with body bytes of payload and pad behind. first6 are the first payload bytes.
// crc_rh is what the ICRC covers (the same RH in wire order).
task automatic make_headers(
    input integer f, input [47:0] da, input [15:0] sa16, input [15:0] etype, input [31:0] dip,
    input [15:0] sport, input [15:0] dport, input has_rh, input [63:0] rh, input [63:0] crc_rh,
    input [47:0] first6, input integer body
);
  reg [1:0] fmt;
  reg [7:0] kw;
  reg [7:0] tc;
  reg [159:0] ip;
  reg [63:0] udp;
  reg [15:0] total;
  begin
    fmt = format(1'b0);
    kw = {7'h41, `MUT(5, f == 5, 1'b0)};
    tc = class_of(f);
    hd = 512'd0;
    hd_n = 0;
    fr_icrc = has_rh && icrc_on(1'b0) && f != 5 && `MUT(20, 1'b1, rh[63:62] != 2'b10);
    case (fmt)
      STD: put_header({64'd0, da, `MUT(7, g_mac[47:40], 8'd0), g_mac[39:0]}, 12);
      GEN1: put_header({64'd0, da, `MUT(4, g_afh[2], 1'b0) ? tc : g_mac[47:40], g_mac[39:0]}, 12);
      default: put_header({64'd0, k_kw_in_da ? kw : tc, first6[47:24], da[15:0],
                           k_kw_in_da ? tc : kw, first6[23:0], sa16}, 12);
    endcase
    if (vlan_on(1'b0))
      put_header({128'd0, g_vlan[31:16], g_afh[34] ? `MUT(1, vc_of(f), vc_of(f) & 3'b011) : 3'd0, g_vlan[1], g_vlan[15:4]}, 4);
    if (fmt != LITE) put_header({144'd0, (fmt == STD) ? 16'h0800 : `MUT(145, etype, (f == 4) ? g_mac2[63:48] : etype)}, 2);
    fr_crc = CRC_INIT;
    if (fmt == STD) begin
      total = 16'd28 + (has_rh ? 16'd8 : 16'd0) + body[15:0] + `MUT(12, (fr_icrc ? 16'd4 : 16'd0), 16'd0);
      ip = {8'h45, tc, total, g_ip[47:32], `MUT(22, 16'h4000, 16'h0000), `MUT(146, g_ip[55:48], 8'd64), 8'h11, 16'd0, g_ip[31:0], dip};
      ip[79:64] = ip_checksum(ip);
      udp = {sport, dport, total - 16'd20, k_udp_csum};
      put_header(ip, 20);
      put_header({96'd0, udp}, 8);
      fr_crc = crc_step(CRC_AFTER_LRH,
                        {ip[159:152], `MUT(147, 8'hFF, tc), ip[143:96], 8'hFF, ip[87:80], 16'hFFFF, ip[63:0], udp[63:16], 16'hFFFF, 288'd0},
                        28);
    end
    if (has_rh && fmt != LITE) begin
      put_header({96'd0, rh_to_wire(rh)}, 8);
      fr_crc = crc_step(fr_crc, {rh_to_wire(crc_rh), 448'd0}, 8);
    end
    `MUT_DO(3, if (fmt == LITE && f != 5) put_header({96'd0, rh}, 8);)
  end
endtask

function automatic [MAC_DW-1:0] reverse_beat(input [MAC_DW-1:0] d);
  integer i;
  begin
    reverse_beat = {MAC_DW{1'b0}};
    for (i = 0; i < beat_bytes; i = i + 1)
      reverse_beat[MAC_DW - 1 - 8*i -: 8] = d[MAC_DW - 8*beat_bytes + 8*i +: 8];
  end
endfunction

task automatic begin_frame(input integer f, input [1:0] done, input [9:0] slot);
  begin
    fr_acc = 1536'd0;
    fr_n = 0;
    fr_first = 1'b1;
    fr_side = {vc_of(f),
               (f == 6) ? 2'd0 : `MUT(21, format(1'b0), (f == 4) ? 2'd0 : format(1'b0)),
               f == 5, `MUT(148, f != 6 && vlan_on(1'b0), 1'b0), done};
    fr_slot = slot;
  end
endtask

task automatic put_beat(input last);
  integer at;
  reg [MAC_DW-1:0] d;
  begin
    at = (of_rd + of_n) % OF_DEPTH;
    d = fr_acc[1535 -: MAC_DW];
    if (beat_bytes == 64) d = d & ({MAC_DW{1'b1}} << (MAC_DW - 512));
    of_data[at] = k_msb_first ? d : reverse_beat(d);
    of_frame[at] = {fr_first, last};
    of_be[at] = (last && fr_n != beat_bytes) ? fr_n[MAC_BE-1:0] : {MAC_BE{1'b0}};
    of_side[at] = fr_side;
    of_slot[at] = fr_slot;
    of_n = of_n + 1;
    fr_first = 1'b0;
    fr_acc = fr_acc << (8 * beat_bytes);
    fr_n = fr_n - beat_bytes;
  end
endtask

// Appends the first n bytes of a word whose other bytes are zero.
task automatic put_bytes(input [511:0] word, input integer n);
  begin
    if (n > 0) begin
      fr_acc = fr_acc | ({word, 1024'd0} >> (8 * fr_n));
      fr_n = fr_n + n;
      while (fr_n > beat_bytes) put_beat(1'b0);
    end
  end
endtask

// Appends the ICRC, if the frame has one, and closes the frame.
task automatic end_frame;
  begin
    if (fr_icrc) put_bytes({~fr_crc, 480'd0}, 4);
    put_beat(1'b1);
    fr_n = 0;
  end
endtask

// One payload word of a frame with an ICRC or without; skip leaves out the bytes that ride in the addresses.
task automatic put_payload(input [511:0] word, input integer n, input integer skip);
  begin
    if (fr_icrc) fr_crc = crc_step(fr_crc, word, n);
    put_bytes(word << (8 * skip), n - skip);
  end
endtask

// Payload bytes in the addresses of a data frame.
function automatic integer overlaid(input dummy);
  overlaid = (k_overlay && (format(1'b0) == GEN2 || format(1'b0) == LITE)) ? 6 : 0;
endfunction

function automatic [15:0] lite_source(input [QP_AW-1:0] q);
  case (k_lite_sa)
    1: lite_source = {3'd0, q_dest[q][44:32]} >> BANK_BITS;
    2: lite_source = {{(16-QP_AW){1'b0}}, q} >> BANK_BITS;
    default: lite_source = g_mac[15:0];
  endcase
endfunction

task automatic build_request(input [9:0] s);
  reg [QP_AW-1:0] q;
  integer w;
  integer n;
  integer body;
  integer coded;
  integer skip;
  reg [1:0] pad;
  reg [63:0] rh;
  reg [47:0] first6;
  reg [15:0] stamp;
  begin
    q = s_qp[s];
    n = {19'd0, s_len[s]};
    pad = (format(1'b0) == LITE) ? 2'd0 : -n[1:0];
    body = n + {30'd0, pad};
    coded = 8 + (`MUT(149, k_len_pad, !k_len_pad) ? body : n);
    if (coded > `MUT(14, 127, 119)) coded = 0;
    stamp = `MUT(16, ts, s_sent[s] ? s_first_ts[s] : ts);
    rh = {2'b00, `MUT(19, s_fack[s], s_fack[s] && !s_sent[s]), `MUT(15, pad, n[1:0]), 2'b00, 1'b1, stamp,
          `MUT(150, q_udp[q][23:16], q_rkey[q]), coded[6:0], s_psn[s], `MUT(13, q_dest[q][44:32], {3'd0, q_dest[q][41:32]})};
    if (!s_sent[s]) s_first_ts[s] = stamp;
    skip = overlaid(1'b0);
    first6 = (skip != 0) ? s_mem[s*S1_WORDS][511 -: 48] : 48'd0;
    make_headers({30'd0, bank_of(q)}, q_dmac[q], (format(1'b0) == LITE) ? lite_source(q) : g_mac[15:0], g_mac[63:48],
                 q_dest[q][31:0], q_udp[q][15:0], 16'd4791, format(1'b0) != LITE, rh,
                 `MUT(151, rh, {rh[63:56], s_first_ts[s], rh[39:0]}), first6, body);
    begin_frame({30'd0, bank_of(q)}, (format(1'b0) == LITE) ? DONE_LITE : DONE_NOTHING, s);
    put_bytes(hd, hd_n);
    skip = `MUT(6, skip, 0);
    for (w = 0; 64*w < body; w = w + 1)
      put_payload(s_mem[s*S1_WORDS + w], (body - 64*w > 64) ? 64 : body - 64*w, (w == 0) ? skip : 0);
    end_frame;
  end
endtask

// ACK, NAK, RNR NAK or CNP of queue pair q; stamp = {carried, echo}.
task automatic build_response(input [QP_AW-1:0] q, input [1:0] opcode, input [6:0] syndrome, input [11:0] psn,
                              input [16:0] stamp, input fack);
  reg [63:0] rh;
  begin
    rh = {opcode, fack, 2'b00, 2'b00, stamp[16], stamp[16] ? stamp[15:0] : 16'd0, q_udp[q][23:16], syndrome, psn,
          q_dest[q][44:32]};
    make_headers(4, q_dmac[q], g_mac[15:0], g_mac[63:48], q_dest[q][31:0], q_udp[q][15:0], 16'd4791, 1'b1, rh, rh,
                 48'd0, 0);
    begin_frame(4, DONE_NOTHING, 10'd0);
    `MUT_DO(88, if (opcode == 2'b10) fr_side[8:6] = vc_of(5);)
    put_bytes(hd, hd_n);
    end_frame;
  end
endtask

task automatic build_type2(input integer s);
  integer w;
  integer n;
  integer skip;
  reg [47:0] first6;
  begin
    n = {19'd0, s2_len[s]};
    skip = overlaid(1'b0);
    first6 = (skip != 0) ? s2_mem[s*S2_WORDS][511 -: 48] : 48'd0;
    make_headers(5, g_group_da[s2_group[s]], g_mac[15:0], g_mac2[63:48], g_ip2[31:0], g_udp2[15:0],
                 `MUT(152, g_udp2[31:16], g_udp2[15:0]), k_type2_rh && format(1'b0) != LITE, 64'd0, 64'd0, first6, n);
    begin_frame(5, DONE_TYPE2, s[9:0]);
    put_bytes(hd, hd_n);
    for (w = 0; 64*w < n; w = w + 1)
      put_payload(s2_mem[s*S2_WORDS + w], (n - 64*w > 64) ? 64 : n - 64*w, (w == 0) ? skip : 0);
    end_frame;
  end
endtask
