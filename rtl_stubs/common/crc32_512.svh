// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 (reflected polynomial 0xEDB88320) over up to 64 bytes per call; include inside a module.
// Four tables, four bytes per step: of the forms tried (byte table, XOR matrix over 512 bits, eight
// tables) this one is among the fastest on Icarus and cheap on Verilator.

// State after the eight bytes of ones that stand for the masked LRH field of the RoCEv2 ICRC.
localparam [31:0] ICRC_START = 32'hDEBB20E3;

reg [31:0] crc_t0 [0:255];
reg [31:0] crc_t1 [0:255];
reg [31:0] crc_t2 [0:255];
reg [31:0] crc_t3 [0:255];

initial begin : crc_tables
  integer i;
  integer k;
  reg [31:0] c;
  for (i = 0; i < 256; i = i + 1) begin
    c = i;
    for (k = 0; k < 8; k = k + 1) c = c[0] ? ((c >> 1) ^ 32'hEDB88320) : (c >> 1);
    crc_t0[i] = c;
  end
  for (i = 0; i < 256; i = i + 1) crc_t1[i] = (crc_t0[i] >> 8) ^ crc_t0[crc_t0[i][7:0]];
  for (i = 0; i < 256; i = i + 1) crc_t2[i] = (crc_t1[i] >> 8) ^ crc_t0[crc_t1[i][7:0]];
  for (i = 0; i < 256; i = i + 1) crc_t3[i] = (crc_t2[i] >> 8) ^ crc_t0[crc_t2[i][7:0]];
end

// New CRC state after the first n bytes (0..64) of data; byte 0 is data[7:0].
function automatic [31:0] crc32_step(input [31:0] crc, input [511:0] data, input [6:0] n);
  integer i;
  reg [31:0] c;
  begin
    c = crc;
    for (i = 0; i + 4 <= n; i = i + 4) begin
      c = c ^ data[8*i +: 32];
      c = crc_t3[c[7:0]] ^ crc_t2[c[15:8]] ^ crc_t1[c[23:16]] ^ crc_t0[c[31:24]];
    end
    for (i = {25'd0, n[6:2], 2'b00}; i < n; i = i + 1) c = crc_t0[c[7:0] ^ data[8*i +: 8]] ^ (c >> 8);
    crc32_step = c;
  end
endfunction
