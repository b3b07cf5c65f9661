// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 (reflected polynomial 0xEDB88320) over words whose first byte is at the top. The state is kept with its
// bytes exchanged: words then enter without a swap, and the complement of the state is the ICRC in wire order.

localparam [31:0] CRC_INIT = 32'hFFFFFFFF;
localparam [31:0] CRC_AFTER_LRH = 32'hE320BBDE;   // after eight bytes of ones (RoCEv2 rule)

reg [31:0] crc_t0 [0:255];
reg [31:0] crc_t1 [0:255];
reg [31:0] crc_t2 [0:255];
reg [31:0] crc_t3 [0:255];

function automatic [31:0] swap32(input [31:0] v);
  swap32 = {v[7:0], v[15:8], v[23:16], v[31:24]};
endfunction

initial begin : crc_tables
  integer i;
  integer k;
  reg [31:0] c;
  for (i = 0; i < 256; i = i + 1) begin
    c = i;
    for (k = 0; k < 8; k = k + 1) c = c[0] ? ((c >> 1) ^ 32'hEDB88320) : (c >> 1);
    crc_t0[i] = swap32(c);
  end
  for (i = 0; i < 256; i = i + 1) crc_t1[i] = (crc_t0[i] << 8) ^ crc_t0[crc_t0[i][31:24]];
  for (i = 0; i < 256; i = i + 1) crc_t2[i] = (crc_t1[i] << 8) ^ crc_t0[crc_t1[i][31:24]];
  for (i = 0; i < 256; i = i + 1) crc_t3[i] = (crc_t2[i] << 8) ^ crc_t0[crc_t2[i][31:24]];
end

// State after the first n bytes (0..64) of a word.
function automatic [31:0] crc_step(input [31:0] crc, input [511:0] word, input integer n);
  integer i;
  reg [31:0] c;
  begin
    c = crc;
    for (i = 0; i + 4 <= n; i = i + 4) begin
      c = c ^ word[511 - 8*i -: 32];
      c = crc_t3[c[31:24]] ^ crc_t2[c[23:16]] ^ crc_t1[c[15:8]] ^ crc_t0[c[7:0]];
    end
    for (i = n - n % 4; i < n; i = i + 1) c = crc_t0[c[31:24] ^ word[511 - 8*i -: 8]] ^ (c << 8);
    crc_step = c;
  end
endfunction
