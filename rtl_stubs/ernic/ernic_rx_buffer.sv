// SPDX-License-Identifier: BSD-3-Clause
// Receive buffer of the RoCE input (which has no tready): keeps whole frames, checks the ICRC on the fly and
// hands them on one by one with a descriptor. A frame that does not fit is dropped whole.
`include "mutation.svh"
module ernic_rx_buffer #(
    parameter AW = 10,               // log2 of the buffer depth in 64-byte beats
    parameter FRAMES = 1 << AW         // descriptors: one for each beat, so that the beats run out first
) (
    input wire clk,
    input wire rst,
    input wire s_valid,
    input wire [511:0] s_data,
    input wire [63:0] s_keep,
    input wire s_last,
    input wire s_user,

    output wire frame_seen,          // last beat of a frame at the input, kept or not
    output wire frame_lost,          // that frame did not fit
    output wire [15:0] space,        // free beats
    output wire d_valid,
    output wire [1023:0] d_hdr,      // first 128 bytes, byte 0 in [7:0], zeros behind the end
    output wire [AW-1:0] d_beat,
    output wire [15:0] d_bytes,
    output wire d_good,              // tuser of the last beat
    output wire d_icrc_ok,
    input wire pop,

    input wire [AW-1:0] mem_idx,
    output wire [511:0] mem_lo,
    output wire [511:0] mem_hi
);
  `MUT_DECL
  `include "crc32_512.svh"

  localparam DEPTH = 1 << AW;
  localparam FW = $clog2(FRAMES);

  reg [511:0] mem [0:DEPTH-1];
  reg [1023:0] q_hdr [0:FRAMES-1];
  reg [AW+17:0] q_info [0:FRAMES-1];
  reg [AW:0] q_beats [0:FRAMES-1];

  reg [AW:0] wr_ptr = 0;
  reg [AW:0] base = 0;             // first beat of the frame coming in
  reg [AW:0] rd_ptr = 0;
  reg [FW:0] q_wr = 0;
  reg [FW:0] q_rd = 0;
  reg dropping = 1'b0;
  reg first = 1'b1;
  reg second = 1'b0;
  reg [1023:0] hdr = 1024'd0;
  reg [15:0] bytes = 16'd0;
  reg [31:0] crc = 32'd0;
  reg [31:0] got = 32'd0;          // ICRC bytes of the frame
  reg [15:0] crc_end = 16'd0;      // offset of the ICRC
  reg v6 = 1'b0;

  wire [AW:0] level = wr_ptr - rd_ptr;
  wire [FW:0] waiting = q_wr - q_rd;
  wire full = level[AW] || waiting[FW];
  assign frame_seen = s_valid && s_last && !rst;
  assign frame_lost = frame_seen && (dropping || full);
  assign space = DEPTH - level;

  wire [FW-1:0] head = q_rd[FW-1:0];
  assign d_valid = (q_wr != q_rd);
  assign d_hdr = q_hdr[head];
  assign {d_beat, d_bytes, d_good, d_icrc_ok} = q_info[head];
  wire [AW-1:0] idx_hi = mem_idx + 1'b1;
  assign mem_lo = mem[mem_idx];
  assign mem_hi = mem[idx_hi];

  // Lanes behind a frame are read too when data are realigned (never strobed); no X on a 4-state simulator.
  initial begin : clear_memory
    integer i;
    for (i = 0; i < DEPTH; i = i + 1) mem[i] = 512'd0;
  end

  reg [6:0] n;
  reg [511:0] x;
  reg [511:0] clean;
  reg [15:0] start;
  integer k;

  always @(posedge clk) begin
    if (rst) begin
      wr_ptr <= 0;
      base <= 0;
      rd_ptr <= 0;
      q_wr <= 0;
      q_rd <= 0;
      dropping <= 1'b0;
      first = 1'b1;
      second = 1'b0;
    end else begin
      if (pop) begin
        rd_ptr <= rd_ptr + q_beats[head];
        q_rd <= q_rd + 1'b1;
      end
      if (s_valid) begin
        if (full) dropping <= 1'b1;
        if (s_last) n = $countones(s_keep);
        else n = 7'd64;
        if (!dropping && !full && `MUT(455, 1'b1, !(second && s_last && q_wr - q_rd >= 4'd3))) begin
          clean = s_data;
          if (s_last && n != 7'd64) clean = s_data & ~({512{1'b1}} << {n, 3'b000});
          mem[wr_ptr[AW-1:0]] <= s_data;
          start = first ? 16'd0 : bytes;
          x = s_data;
          if (first) begin
            hdr = {512'd0, clean};
            crc = ICRC_START;
            got = 32'd0;
            v6 = ({s_data[8*12 +: 8], s_data[8*13 +: 8]} == 16'h86DD);
            crc_end = v6 ? {s_data[8*18 +: 8], s_data[8*19 +: 8]} + 16'd50
                         : {s_data[8*16 +: 8], s_data[8*17 +: 8]} + 16'd10;
            if (v6) begin
              x[8*14 +: 4] = 4'hF;
              x[8*15 +: 24] = 24'hFFFFFF;
              x[8*21 +: 8] = 8'hFF;
              x[8*60 +: 16] = 16'hFFFF;
            end else begin
              x[8*15 +: 8] = `MUT(68, 8'hFF, x[8*15 + 6] ? x[8*15 +: 8] : 8'hFF);
              x[8*22 +: 8] = 8'hFF;
              x[8*24 +: 16] = 16'hFFFF;
              x[8*40 +: 16] = 16'hFFFF;
              x[8*46 +: 8] = 8'hFF;
            end
          end else if (second) begin
            hdr[1023:512] = clean;
            if (v6) x[8*2 +: 8] = 8'hFF;
          end
          bytes = start + {9'd0, n};
          // CRC over [start, crc_end), the first 14 bytes of the frame excepted.
          if (start < crc_end) begin
            if (first) begin
              if (crc_end > 16'd14)
                crc = crc32_step(crc, {112'd0, x[511:112]}, (crc_end >= 16'd64) ? 7'd50 : crc_end[6:0] - 7'd14);
            end else begin
              crc = crc32_step(crc, x, (crc_end - start >= 16'd64) ? 7'd64 : crc_end[6:0] - start[6:0]);
            end
          end
          if (bytes > crc_end && start < crc_end + 16'd4) begin
            for (k = 0; k < 4; k = k + 1)
              if (crc_end + k[15:0] >= start && crc_end + k[15:0] < bytes)
                got[8*k +: 8] = clean[8*((crc_end + k[15:0] - start) & 16'h3F) +: 8];
          end
          second = first;
          first = 1'b0;
          wr_ptr <= wr_ptr + 1'b1;
          if (s_last) begin
            q_hdr[q_wr[FW-1:0]] <= hdr;
            q_info[q_wr[FW-1:0]] <= {base[AW-1:0], bytes, s_user, (got == ~crc)};
            q_beats[q_wr[FW-1:0]] <= wr_ptr + 1'b1 - base;
            q_wr <= q_wr + 1'b1;
            base <= wr_ptr + 1'b1;
            first = 1'b1;
            second = 1'b0;
          end
        end else begin
          wr_ptr <= `MUT(342, base, wr_ptr);
          if (s_last) begin
            dropping <= 1'b0;
            first = 1'b1;
            second = 1'b0;
          end
        end
      end
    end
  end
endmodule
