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
    /* verilator unroll_disable */
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

// Payload bytes that a data frame carries in its addresses and not in its body.
function automatic integer overlaid(input dummy);
  overlaid = (k_overlay && (format(1'b0) == GEN2 || format(1'b0) == LITE)) ? 6 : 0;
endfunction

// What the grant says about the frame to be built: flow, addresses, RH (crc_rh is the one the ICRC covers), the
// memory with the payload (word f_base on, shifted by f_shift bytes) and its length with pad.
localparam [1:0] F_NONE = 2'd0;
localparam [1:0] F_TYPE1 = 2'd1;
localparam [1:0] F_TYPE2 = 2'd2;
localparam [1:0] F_TYPE3 = 2'd3;
integer f_flow;
reg [1:0] f_source;
integer f_base;
integer f_shift;
integer f_body;
reg [47:0] f_da;
reg [15:0] f_sa16;
reg [15:0] f_etype;
reg [31:0] f_dip;
reg [15:0] f_sport;
reg [15:0] f_dport;
reg f_has_rh;
reg [63:0] f_rh;
reg [63:0] f_crc_rh;
reg [1:0] f_done;
reg [9:0] f_slot;

task automatic make_headers;
  reg [1:0] fmt;
  reg [7:0] kw;
  reg [7:0] tc;
  reg [159:0] ip;
  reg [63:0] udp;
  reg [15:0] total;
  reg [47:0] first6;
  begin
    first6 = (f_source == F_TYPE1) ? s_mem[f_base][511 -: 48]
             : (f_source == F_TYPE2) ? s2_mem[f_base][511 -: 48] : 48'd0;
    fmt = format(1'b0);
    kw = {7'h41, `MUT(5, f_flow == 5, 1'b0)};
    tc = `MUT(229, class_of(f_flow), class_of((f_flow == 4 && fmt == GEN2) ? 0 : f_flow));
    hd = 512'd0;
    hd_n = 0;
    fr_icrc = f_has_rh && icrc_on(1'b0) && f_flow != 5 && `MUT(20, 1'b1, f_rh[63:62] != 2'b10);
    case (fmt)
      STD: put_header({64'd0, f_da, `MUT(7, g_mac[47:40], 8'd0), g_mac[39:0]}, 12);
      GEN1: put_header({64'd0, f_da, `MUT(4, g_afh[2], 1'b0) ? tc : g_mac[47:40], g_mac[39:0]}, 12);
      default: put_header({64'd0, k_kw_in_da ? kw : tc, first6[47:24], f_da[15:0],
                           k_kw_in_da ? tc : kw, first6[23:0], f_sa16}, 12);
    endcase
    if (vlan_on(1'b0))
      put_header({128'd0, g_vlan[31:16], g_afh[34] ? `MUT(1, vc_of(f_flow), vc_of(f_flow) & 3'b011) : 3'd0,
                  g_vlan[1], g_vlan[15:4]}, 4);
    if (fmt != LITE)
      put_header({144'd0, (fmt == STD) ? `MUT(232, 16'h0800, (f_source == F_TYPE1) ? 16'h0008 : 16'h0800)
                                 : `MUT(145, f_etype, (f_flow == 4) ? g_mac2[63:48] : f_etype)}, 2);
    fr_crc = CRC_INIT;
    if (fmt == STD) begin
      total = 16'd28 + (f_has_rh ? 16'd8 : 16'd0) + f_body[15:0] + `MUT(12, (fr_icrc ? 16'd4 : 16'd0), 16'd0);
      ip = {8'h45, tc, total, g_ip[47:32], `MUT(22, 16'h4000, 16'h0000), `MUT(146, g_ip[55:48], 8'd64), 8'h11, 16'd0,
            g_ip[31:0], f_dip};
      ip[79:64] = ip_checksum(ip);
      udp = {f_sport, f_dport, total - 16'd20, `MUT(210, k_udp_csum, (f_flow == 4) ? ~k_udp_csum : k_udp_csum)};
      put_header(ip, 20);
      put_header({96'd0, udp}, 8);
      if (!k_icrc_from_rh)
        fr_crc = crc_step(CRC_AFTER_LRH,
                          {ip[159:152], `MUT(147, 8'hFF, tc), ip[143:96], 8'hFF, ip[87:80], 16'hFFFF, ip[63:0],
                           udp[63:16], 16'hFFFF, 288'd0}, 28);
    end
    if (f_has_rh && fmt != LITE) begin
      put_header({96'd0, rh_to_wire(f_rh)}, 8);
      fr_crc = crc_step(fr_crc, {rh_to_wire(f_crc_rh), 448'd0}, 8);
    end
    `MUT_DO(3, if (fmt == LITE && f_flow != 5) put_header({96'd0, f_rh}, 8);)
  end
endtask

function automatic [MAC_DW-1:0] reverse_beat(input [MAC_DW-1:0] d);
  integer i;
  begin
    reverse_beat = {MAC_DW{1'b0}};
    /* verilator unroll_disable */
    for (i = 0; i < beat_bytes; i = i + 1)
      reverse_beat[MAC_DW - 1 - 8*i -: 8] = d[MAC_DW - 8*beat_bytes + 8*i +: 8];
  end
endfunction

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
    of_slot[at] = f_slot;
    of_n = of_n + 1;
    fr_first = 1'b0;
    fr_acc = fr_acc << (8 * beat_bytes);
    fr_n = fr_n - beat_bytes;
  end
endtask

// Word w of the payload, its bytes beyond the end zero.
function automatic [511:0] payload_word(input integer w);
  reg [511:0] d;
  begin
    case (f_source)
      F_TYPE1: d = s_mem[f_base + w];
      F_TYPE2: d = s2_mem[f_base + w];
      default: begin
        d = x_mem[w] << (8 * f_shift);
        if (f_shift != 0 && w + 1 < T3_LINES) d = d | (x_mem[w + 1] >> (512 - 8 * f_shift));
      end
    endcase
    payload_word = first_bytes(d, f_body - 64 * w);
  end
endfunction

// Builds the frame described by f_* and puts it into the output buffer: headers, payload words, ICRC.
task automatic emit_frame;
  integer step;
  integer words;
  integer steps;
  integer n;
  integer skip;
  reg [511:0] word;
  begin
    hd = 512'd0;
    hd_n = 0;
    fr_icrc = 1'b0;
    skip = 0;
    if (f_source != F_TYPE3) begin
      make_headers;
      skip = `MUT(6, overlaid(1'b0), 0);
    end
    fr_acc = {hd, 1024'd0};
    fr_n = hd_n;
    fr_first = 1'b1;
    fr_side = {`MUT(88, vc_of(f_flow), (f_flow == 4 && f_rh[63]) ? vc_of(5) : vc_of(f_flow)),
               (f_flow == 6) ? 2'd0 : `MUT(21, format(1'b0), (f_flow == 4) ? 2'd0 : format(1'b0)),
               f_flow == 5, `MUT(148, f_flow != 6 && vlan_on(1'b0), 1'b0), f_done};
    words = (f_body + 63) / 64;
    steps = words + (fr_icrc ? 1 : 0);
    step = 0;
    while (step < steps || fr_n > 0) begin
      if (step < steps) begin
        if (step < words) begin
          word = payload_word(step);
          n = (f_body - 64 * step > 64) ? 64 : f_body - 64 * step;
          if (fr_icrc) fr_crc = crc_step(fr_crc, word, n);
          if (step == 0) begin
            word = word << (8 * skip);
            n = n - skip;
          end
        end else begin
          word = {~fr_crc, 480'd0};
          n = 4;
        end
        if (n > 0) begin
          fr_acc = fr_acc | ({word, 1024'd0} >> (8 * fr_n));
          fr_n = fr_n + n;
        end
        step = step + 1;
      end
      if (fr_n > beat_bytes || (step == steps && fr_n > 0)) put_beat(step == steps && fr_n <= beat_bytes);
    end
  end
endtask

function automatic [15:0] lite_source(input [QP_AW-1:0] q);
  case (k_lite_sa)
    1: lite_source = {3'd0, q_dest[q][44:32]} >> BANK_BITS;
    2: lite_source = {{(16-QP_AW){1'b0}}, q} >> BANK_BITS;
    default: lite_source = g_mac[15:0];
  endcase
endfunction

// The header fields of the TYPE1 frames of queue pair q.
task automatic address_peer(input [QP_AW-1:0] q);
  begin
    f_da = q_dmac[q];
    f_sa16 = g_mac[15:0];
    f_etype = g_mac[63:48];
    f_dip = q_dest[q][31:0];
    f_sport = q_udp[q][15:0];
    f_dport = 16'd4791;
    f_has_rh = 1'b1;
  end
endtask

task automatic describe_request(input [9:0] s);
  reg [QP_AW-1:0] q;
  integer n;
  integer coded;
  reg [1:0] pad;
  reg [15:0] stamp;
  begin
    q = s_qp[s];
    n = {19'd0, s_len[s]};
    pad = (format(1'b0) == LITE) ? 2'd0 : -n[1:0];
    f_body = n + {30'd0, pad};
    coded = 8 + (`MUT(149, k_len_pad, !k_len_pad) ? f_body : n);
    if (coded > `MUT(14, 127, 119)) coded = 0;
    stamp = `MUT(16, ts, s_sent[s] ? s_first_ts[s] : ts);
    if (!s_sent[s]) s_first_ts[s] = stamp;
    address_peer(q);
    if (format(1'b0) == LITE) begin
      f_sa16 = lite_source(q);
      f_has_rh = 1'b0;
    end
    f_rh = {2'b00, `MUT(19, s_fack[s], s_fack[s] && !s_sent[s]), `MUT(15, pad, n[1:0]), `MUT(212, 2'b00, bank_of(q)), 1'b1, stamp,
            `MUT(150, q_udp[q][23:16], q_rkey[q]), coded[6:0], s_psn[s], `MUT(13, q_dest[q][44:32], {3'd0, q_dest[q][41:32]})};
    f_crc_rh = `MUT(151, f_rh, {f_rh[63:56], s_first_ts[s], f_rh[39:0]});
    f_flow = {30'd0, bank_of(q)};
    f_source = F_TYPE1;
    f_base = s * S1_WORDS;
    f_done = (format(1'b0) == LITE) ? DONE_LITE : DONE_NOTHING;
    f_slot = s;
  end
endtask

// ACK, NAK, RNR NAK or CNP of queue pair q; stamp = {carried, echo}.
task automatic describe_response(input [QP_AW-1:0] q, input [1:0] opcode, input [6:0] syndrome, input [11:0] psn,
                                 input [16:0] stamp, input fack);
  begin
    address_peer(q);
    f_rh = {opcode, fack, 2'b00, 2'b00, stamp[16], stamp[16] ? stamp[15:0] : 16'd0, q_udp[q][23:16], syndrome, psn,
            q_dest[q][44:32]};
    f_crc_rh = f_rh;
    f_body = 0;
    f_flow = 4;
    f_source = F_NONE;
    f_done = DONE_NOTHING;
  end
endtask

task automatic describe_type2(input integer s);
  begin
    f_da = g_group_da[s2_group[s]];
    f_sa16 = g_mac[15:0];
    f_etype = g_mac2[63:48];
    f_dip = `MUT(228, g_ip2[31:0], q_dest[0][31:0]);
    f_sport = g_udp2[15:0];
    f_dport = `MUT(152, g_udp2[31:16], g_udp2[15:0]);
    f_has_rh = `MUT(213, k_type2_rh, 1'b1) && format(1'b0) != LITE;
    f_rh = 64'd0;
    f_crc_rh = 64'd0;
    f_body = {19'd0, s2_len[s]};
    f_flow = 5;
    f_source = F_TYPE2;
    f_base = s * S2_WORDS;
    f_done = DONE_TYPE2;
  end
endtask
