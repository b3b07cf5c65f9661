// SPDX-License-Identifier: BSD-3-Clause
// Byte order: memory is a vector with byte 0 at bits 7:0, made of big-endian dwords; inside, dword k is at
// 32k+31:32k.

function automatic [31:0] swap32(input [31:0] x);
  swap32 = {x[7:0], x[15:8], x[23:16], x[31:24]};
endfunction

function automatic [511:0] swap_dwords(input [511:0] x);
  integer k;
  for (k = 0; k < 16; k = k + 1) swap_dwords[32*k+:32] = swap32(x[32*k+:32]);
endfunction

function automatic [63:0] be64(input [63:0] x);
  be64 = {swap32(x[31:0]), swap32(x[63:32])};
endfunction
