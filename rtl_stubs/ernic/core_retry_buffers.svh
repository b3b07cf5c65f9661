// SPDX-License-Identifier: BSD-3-Clause
// Retry data buffers (C_RETRY_BUFFERS = 1): the payload of every WRITE packet is copied into a buffer of DATBUF when
// it is first sent and stays there until it is acknowledged; a resend reads it from there, not from LADDR. Buffers
// belong to all queue pairs in common. A WRITE for which none is free waits. A packet longer than a buffer is not
// copied; its resend reads LADDR.

localparam RB_MAX = 256;              // buffers this stand-in keeps books on
localparam BW = 8;

reg [RB_MAX-1:0] rb_busy = {RB_MAX{1'b0}};
reg [BW-1:0] rb_next = 0;             // where the search for a free one begins
reg [BW-1:0] rb_link [0:RB_MAX-1];    // buffers of a queue pair, in order of their PSNs
reg [23:0] rb_psn [0:RB_MAX-1];
reg [BW-1:0] rb_first [0:C_NUM_QP-1];
reg [BW-1:0] rb_last [0:C_NUM_QP-1];
reg [8:0] rb_held [0:C_NUM_QP-1];
reg [8:0] rb_used = 9'd0;
reg rb_short = 1'b0;                  // a WRITE waits for a buffer

function automatic [8:0] rb_count(input dummy);
  if (greg[G_DATBUFSZ][31:16] == 0) rb_count = 9'd0;
  else rb_count = (greg[G_DATBUFSZ][15:0] > RB_MAX) ? RB_MAX : greg[G_DATBUFSZ][8:0];
endfunction

function automatic [63:0] rb_addr(input [BW-1:0] b);
  rb_addr = {`MUT(326, greg[G_DATBUFBAH], 32'd0), greg[G_DATBUFBA]} + {56'd0, `MUT(321, b, {b[BW-1:1], 1'b0})} * {48'd0, `MUT(324, greg[G_DATBUFSZ][31:16], 16'd4096)};
endfunction

// Oldest buffer of a queue pair is free again.
task automatic rb_release(input [QW-1:0] q);
  begin
    rb_busy[rb_first[q]] = 1'b0;
    rb_used = rb_used - 1'b1;
    rb_first[q] = rb_link[rb_first[q]];
    rb_held[q] = rb_held[q] - 1'b1;
  end
endtask

// Everything before `upto` is acknowledged.
task automatic rb_acknowledged(input [QW-1:0] q, input [23:0] upto);
  while (rb_held[q] != 0 && (rb_psn[rb_first[q]] - upto) >= 24'h800000) rb_release(q);
endtask

task automatic rb_forget(input [QW-1:0] q);
  while (rb_held[q] != 0) rb_release(q);
endtask

// Takes a buffer for packet `psn`; found = 0: none is free.
task automatic rb_take(input [QW-1:0] q, input [23:0] psn, output found, output [BW-1:0] b);
  reg [8:0] tried;
  reg [8:0] count;
  reg [8:0] at;
  begin
    count = rb_count(1'b0);
    found = 1'b0;
    b = 0;
    at = {1'b0, rb_next};
    for (tried = 9'd0; tried < count && !found; tried = tried + 9'd1) begin
      if (at >= `MUT(323, count, count + 9'd1)) at = 9'd0;
      if (!rb_busy[at[BW-1:0]]) begin
        found = 1'b1;
        b = at[BW-1:0];
      end
      at = at + 9'd1;
    end
    if (found) begin
      rb_next = at[BW-1:0];
      rb_busy[b] = 1'b1;
      rb_used = rb_used + 1'b1;
      rb_psn[b] = psn;
      if (rb_held[q] == 0) rb_first[q] = b;
      else rb_link[rb_last[q]] = b;
      rb_last[q] = b;
      rb_held[q] = rb_held[q] + 1'b1;
    end
  end
endtask

// Buffer that holds packet `psn`.
task automatic rb_find(input [QW-1:0] q, input [23:0] psn, output found, output [BW-1:0] b);
  reg [8:0] k;
  begin
    found = 1'b0;
    b = rb_first[q];
    for (k = 9'd0; k < rb_held[q] && !found; k = k + 9'd1) begin
      if (rb_psn[b] == psn) found = 1'b1;
      else b = rb_link[b];
    end
  end
endtask

// Whether the next packet of t_q has to wait for a buffer.
function automatic rb_wait(input dummy);
  reg [4:0] slot;
  reg [511:0] w;
  reg [23:0] psn;
  begin
    slot = oq_head[t_q] + snd_i[t_q];
    w = oq_wqe[{t_q, slot}];
    psn = oq_psn[{t_q, slot}] + snd_p[t_q];
    rb_wait = (C_RETRY_BUFFERS != 0) && (w[135:128] == W_WRITE || w[135:128] == W_WRITE_IMM) && (w[127:96] != 0)
              && ((psn - hi_psn[t_q]) < 24'h800000) && (rb_used >= rb_count(1'b0));
  end
endfunction

// WRITE packet `psn` with n bytes of payload is about to be sent: when it is new, its payload is copied to a buffer on
// the way; when it is sent again, src changes from LADDR to its buffer.
task automatic rb_place(input [23:0] psn, input [31:0] n, input resend, inout [63:0] src);
  reg found;
  reg [BW-1:0] b;
  if (resend) begin
    rb_find(t_q, psn, found, b);
    if (found && `MUT(322, 1'b1, 1'b0)) src = rb_addr(b);
  end else if (n <= {16'd0, greg[G_DATBUFSZ][31:16]}) begin
    rb_take(t_q, psn, found, b);
    if (found) begin
      rtb_valid <= 1'b1;
      rtb_addr <= rb_addr(b);
      rtb_len <= `MUT(325, n[12:0], (n > 32'd4) ? {n[12:2], 2'b00} : n[12:0]);
      t_copying = 1'b1;
    end
  end
endtask
