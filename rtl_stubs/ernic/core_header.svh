// SPDX-License-Identifier: BSD-3-Clause
// Frame headers from the settings of a QP.

function automatic [767:0] bytes_reversed(input [767:0] x);
  integer k;
  begin
    for (k = 0; k < 96; k = k + 1) bytes_reversed[8*k +: 8] = x[8*(95-k) +: 8];
  end
endfunction

function automatic [15:0] ip_checksum(input [159:0] h);
  reg [19:0] sum;
  integer k;
  begin
    sum = 20'd0;
    for (k = 0; k < 10; k = k + 1) sum = sum + {4'd0, h[16*k +: 16]};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    sum = `MUT(20, {4'd0, sum[15:0]} + {16'd0, sum[19:16]}, {4'd0, sum[15:0]});
    ip_checksum = ~sum[15:0];
  end
endfunction

// Header bytes (byte 0 in [7:0]) of a frame of QP q. ext holds the extension headers left-aligned, body is the
// number of payload and pad bytes.
task automatic build_header(input [QW-1:0] q, input [7:0] opcode, input [23:0] psn, input areq, input [1:0] pad,
                            input [4:0] ext_n, input [159:0] ext, input [12:0] body);
  reg v6;
  reg [111:0] eth;
  reg [159:0] ip4;
  reg [319:0] ip6;
  reg [63:0] udp;
  reg [95:0] bth;
  reg [15:0] udp_len;
  reg [7:0] tc;
  reg [15:0] pkey;
  reg [31:0] adv;
  begin
    v6 = qreg[{q, Q_CONF}][7];
    adv = qreg[{q, Q_ADV}];
    tc = k_class_low ? {2'b00, adv[5:0]} : `MUT(21, {adv[5:0], 2'b00}, {2'b00, adv[5:0]});
    udp_len = 16'd8 + 16'd12 + {11'd0, ext_n} + {3'd0, body} + 16'd4;
    eth = {`MUT(22, {qreg[{q, Q_MACH}][15:0], qreg[{q, Q_MACL}]}, {qreg[{q, Q_MACL}], qreg[{q, Q_MACH}][15:0]}),
           greg[G_MACH][15:0], greg[G_MACL], v6 ? 16'h86DD : 16'h0800};
    ip4 = {8'h45, tc, udp_len + 16'd20, takes(5'd15) ? v_ip_id : 16'h0000, takes(5'd15) ? 16'h0000 : 16'h4000, `MUT(23, adv[15:8], 8'd64), 8'd17, 16'h0000, `MUT(254, greg[G_IP4], greg[6'h08]),
           qreg[{q, Q_IP}]};
    ip4[79:64] = ip_checksum(ip4);
    v_ip_id = v_ip_id + 16'd1;
    ip6 = {4'd6, tc, takes(5'd15) ? {4'h5, v_ip_id} : 20'd0, `MUT(24, udp_len, udp_len + 16'd4), 8'd17, `MUT(367, adv[15:8], 8'd64), greg[6'h0B], greg[6'h0A], greg[6'h09],
           greg[6'h08],
           `MUT(25, {qreg[{q, 6'h1B}], qreg[{q, 6'h1A}], qreg[{q, 6'h19}], qreg[{q, 6'h18}]},
                {qreg[{q, 6'h18}], qreg[{q, 6'h19}], qreg[{q, 6'h1A}], qreg[{q, 6'h1B}]})};
    udp = {greg[G_CONF][23:16], `MUT(368, greg[G_CONF][15:8], 8'hB7), 16'd4791, `MUT(26, udp_len, udp_len - 16'd4),
           `MUT(369, 16'h0000, v6 ? 16'h0000 : 16'hFFFF)};
    pkey = `MUT(27, adv[31:16], 16'hFFFF);
    bth = {opcode, takes(5'd15) ? 2'b01 : 2'b00, pad, 4'd0, pkey, 8'd0, `MUT(28, qreg[{q, Q_DESTQP}][23:0], qpn_of(q)), areq, 7'd0, psn};
    if (v6) begin
      bld_hdr <= bytes_reversed({eth, ip6, udp, bth, ext, 16'd0});
      bld_hdr_len <= 7'd74 + {2'd0, ext_n};
    end else begin
      bld_hdr <= bytes_reversed({eth, ip4, udp, bth, ext, 176'd0});
      bld_hdr_len <= 7'd54 + {2'd0, ext_n};
    end
    bld_v6 <= v6;
    bld_pad <= pad;
  end
endtask

// Layout of LSTINPKT and LSTOUTPKT.
function automatic [31:0] last_packet(input [QW-1:0] q, input [23:0] psn, input [7:0] opcode);
  reg [23:0] n;
  begin
    n = qpn_of(q);
    last_packet = {1'b0, n[10:0], psn[11:0], opcode};
  end
endfunction
