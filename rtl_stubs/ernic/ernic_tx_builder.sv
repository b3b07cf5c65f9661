// SPDX-License-Identifier: BSD-3-Clause
// Builds one RoCEv2 frame: header (lane 0 first), payload from the read mover or from the WQE (inline),
// pad bytes of zero and the ICRC. Output are beats for a store-and-forward frame_fifo.
// The ICRC covers eight bytes of ones and the frame from the IP header on, with the fields that routers may
// change set to ones (IPv4 TOS, TTL, checksum; IPv6 class, flow label, hop limit; UDP checksum; BTH byte 4).
`include "mutation.svh"
module ernic_tx_builder (
    input wire clk,
    input wire rst,
    input wire cmd_valid,
    output wire cmd_ready,
    input wire [767:0] cmd_hdr,
    input wire [6:0] cmd_hdr_len,
    input wire cmd_v6,
    input wire [12:0] cmd_payload,   // payload bytes
    input wire [1:0] cmd_pad,
    input wire cmd_inline,           // payload is cmd_sdata (at most 16 bytes)
    input wire [127:0] cmd_sdata,
    input wire cmd_raw,              // payload is the whole frame but for the ICRC (at least 54 bytes, no header)
    output reg done,                 // last beat handed to the FIFO

    // Headers found in the latest raw frame; valid with done.
    output reg [7:0] raw_op,
    output reg [23:0] raw_psn,
    output reg [23:0] raw_dest,
    output reg [127:0] raw_ip,       // destination; IPv4 in [31:0]
    output reg raw_v6,

    input wire d_valid,
    input wire [511:0] d_data,
    input wire [6:0] d_bytes,
    input wire d_last,

    output reg f_valid,
    output reg [511:0] f_data,
    output reg [63:0] f_keep,
    output reg f_last
);
  `MUT_DECL
  `include "crc32_512.svh"

  localparam IDLE = 2'd0, HEAD = 2'd1, BODY = 2'd2, TAIL = 2'd3;

  reg [1:0] state = IDLE;
  reg v6 = 1'b0;
  reg raw = 1'b0;
  reg use_inline = 1'b0;
  reg has_payload = 1'b0;
  reg [1:0] pad = 2'd0;
  reg [6:0] inline_bytes = 7'd0;
  reg [127:0] sdata = 128'd0;
  reg [1535:0] acc = 1536'd0;      // bytes not yet sent as full beats
  reg [7:0] acc_n = 8'd0;
  reg [1:0] beat = 2'd0;           // beats sent, saturating: only 0 and 1 hold masked fields
  reg [31:0] crc = 32'd0;
  reg sealed = 1'b0;               // ICRC appended

  assign cmd_ready = (state == IDLE) && !done;

  initial begin
    done = 1'b0;
    f_valid = 1'b0;
    f_data = 512'd0;
    f_keep = 64'd0;
    f_last = 1'b0;
    raw_op = 8'd0;
    raw_psn = 24'd0;
    raw_dest = 24'd0;
    raw_ip = 128'd0;
    raw_v6 = 1'b0;
  end

  function automatic [511:0] icrc_mask(input is_v6, input [1:0] number);
    begin
      icrc_mask = 512'd0;
      if (is_v6) begin
        if (number == 2'd0) begin
          icrc_mask[8*14 +: 4] = 4'hF;
          icrc_mask[8*15 +: 24] = 24'hFFFFFF;
          icrc_mask[8*21 +: 8] = `MUT(16, 8'hFF, 8'h00);
          icrc_mask[8*60 +: 16] = 16'hFFFF;
        end
        if (number == 2'd1) icrc_mask[8*2 +: 8] = 8'hFF;
      end else if (number == 2'd0) begin
        icrc_mask[8*15 +: 8] = `MUT(17, 8'hFF, 8'h00);
        icrc_mask[8*22 +: 8] = `MUT(18, 8'hFF, 8'h00);
        icrc_mask[8*24 +: 16] = 16'hFFFF;
        icrc_mask[8*40 +: 16] = 16'hFFFF;
        icrc_mask[8*46 +: 8] = 8'hFF;
      end
    end
  endfunction

  // CRC over one beat; the Ethernet header (first 14 bytes) is not covered.
  function automatic [31:0] icrc_beat(input [31:0] c, input [511:0] data, input [6:0] n, input [1:0] number,
                                      input is_v6);
    reg [511:0] x;
    begin
      x = data;
      if (!number[1]) x = x | icrc_mask(is_v6, number);
      if (number == 2'd0) icrc_beat = crc32_step(c, {112'd0, x[511:112]}, n - 7'd14);
      else icrc_beat = crc32_step(c, x, n);
    end
  endfunction

  function automatic [7:0] acc_byte(input [6:0] k);
    acc_byte = acc[8*k +: 8];
  endfunction

  // Reads the headers of a raw frame from the beat about to leave; the IP version decides how the ICRC is masked.
  task automatic look_inside;
    integer k;
    if (beat == 2'd0) begin
      v6 = `MUT(310, {acc_byte(7'd12), acc_byte(7'd13)} == 16'h86DD, 1'b0);
      raw_v6 <= v6;
      `MUT_DO(309, if (!v6) acc[8*22 +: 8] = 8'd64;)
      raw_op <= v6 ? acc_byte(7'd62) : acc_byte(7'd42);
      raw_dest <= {acc_byte(7'd47), acc_byte(7'd48), acc_byte(7'd49)};
      raw_psn <= {acc_byte(7'd51), acc_byte(7'd52), acc_byte(7'd53)};
      raw_ip <= {96'd0, acc_byte(7'd30), acc_byte(7'd31), acc_byte(7'd32), acc_byte(7'd33)};
      if (v6) for (k = 0; k < 16; k = k + 1) raw_ip[8*(15-k) +: 8] <= acc[8*(38+k) +: 8];
    end else if (beat == 2'd1 && v6) begin
      raw_dest <= {acc_byte(7'd3), acc_byte(7'd4), acc_byte(7'd5)};
      raw_psn <= {acc_byte(7'd7), acc_byte(7'd8), acc_byte(7'd9)};
    end
  endtask

  always @(posedge clk) begin
    if (rst) begin
      state <= IDLE;
      done <= 1'b0;
      f_valid <= 1'b0;
      acc_n = 8'd0;
    end else begin
      if (done) done <= 1'b0;
      if (f_valid) f_valid <= 1'b0;
      if (state == IDLE) begin
        if (cmd_valid && !done) begin
          acc = {768'd0, cmd_hdr};
          acc_n = {1'b0, cmd_hdr_len};
          v6 = cmd_v6;
          raw <= cmd_raw;
          use_inline <= cmd_inline;
          has_payload <= (cmd_payload != 0);
          inline_bytes <= cmd_payload[6:0];
          sdata <= cmd_sdata;
          pad <= cmd_pad;
          beat = 2'd0;
          crc = ICRC_START;
          sealed = 1'b0;
          state <= HEAD;
        end
      end else begin
        if (state == HEAD) begin
          `MUT_DO(390, if (use_inline) begin f_valid <= 1'b1; f_keep <= 64'd0; f_last <= 1'b0; end)
          if (use_inline && has_payload) begin
            acc = acc | ({1408'd0, sdata & ~({128{1'b1}} << {inline_bytes, 3'b000})} << {acc_n, 3'b000});
            acc_n = acc_n + {1'b0, inline_bytes};
          end
          if (has_payload && !use_inline) begin
            state <= BODY;
          end else begin
            acc_n = acc_n + {6'd0, pad};
            state <= TAIL;
          end
        end
        if (d_valid) begin
          // Bytes beyond d_bytes are cleared so that the next piece can be ORed in.
          acc = acc | ({1024'd0, d_data & ~({512{1'b1}} << {d_bytes, 3'b000})} << {acc_n, 3'b000});
          acc_n = acc_n + {1'b0, d_bytes};
          if (d_last) begin
            acc_n = acc_n + {6'd0, pad};
            state <= TAIL;
          end
        end
        if (raw && !sealed && (acc_n > 8'd64 || state == TAIL)) look_inside;
        if (state == TAIL && !sealed && acc_n <= 8'd64) begin
          crc = icrc_beat(crc, acc[511:0], acc_n[6:0], beat, v6);
          acc = acc | ({1504'd0, `MUT(19, ~crc, {~crc[7:0], ~crc[15:8], ~crc[23:16], ~crc[31:24]})} << {acc_n, 3'b000});
          acc_n = acc_n + 8'd4;
          sealed = 1'b1;
          f_valid <= 1'b1;
          f_data <= acc[511:0];
          f_last <= (acc_n <= 8'd64);
          f_keep <= (acc_n >= 8'd64) ? 64'hFFFF_FFFF_FFFF_FFFF : ~(64'hFFFF_FFFF_FFFF_FFFF << acc_n);
          if (acc_n <= 8'd64) begin
            done <= 1'b1;
            state <= IDLE;
          end
          acc = acc >> 512;
          acc_n = acc_n - 8'd64;
        end else if (sealed) begin
          f_valid <= 1'b1;
          f_data <= acc[511:0];
          f_last <= 1'b1;
          f_keep <= `MUT(209, ~(64'hFFFF_FFFF_FFFF_FFFF << acc_n), 64'hFFFF_FFFF_FFFF_FFFF);
          done <= 1'b1;
          state <= IDLE;
        end else if (acc_n > 8'd64) begin
          crc = icrc_beat(crc, acc[511:0], 7'd64, beat, v6);
          f_valid <= 1'b1;
          f_data <= acc[511:0];
          f_keep <= 64'hFFFF_FFFF_FFFF_FFFF;
          f_last <= 1'b0;
          acc = acc >> 512;
          acc_n = acc_n - 8'd64;
          if (beat != 2'd2) beat = beat + 1'b1;
        end
      end
    end
  end
endmodule
