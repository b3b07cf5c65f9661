// SPDX-License-Identifier: BSD-3-Clause
// CON_IO_CONF: rings the doorbell of a queue pair whose handshake was just enabled. Bit 31 is 0 while that is under
// way; then the queue pair looks at its SQPI again.

localparam [5:0] CONIO_CLKS = 6'd32;

reg [5:0] conio_busy = 6'd0;

task automatic connect_io_step;
  reg [23:0] slot;
  if (conio_busy != 0) begin
    conio_busy = conio_busy - 1'b1;
    slot = {13'd0, greg[G_CONIO][26:16]} - QPN_OF_SLOT0;
    if (conio_busy == 0 && slot < C_NUM_QP) kick(slot[QW-1:0]);
  end
endtask
