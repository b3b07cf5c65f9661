// SPDX-License-Identifier: BSD-3-Clause
// Reads cmd_len bytes (>= 1) from cmd_addr over a 512-bit AXI4 port. Bursts start 64-byte aligned, never
// cross 4 KB and stay shorter than max_beats; the data come out in pieces moved to lane 0 (d_bytes valid
// bytes, d_last on the final piece). The consumer has to take every piece. failed with d_last: memory answered a
// beat of the command with an error.
`include "mutation.svh"
module axi_read_mover (
    input wire clk,
    input wire rst,
    input wire cmd_valid,
    output wire cmd_ready,
    input wire [63:0] cmd_addr,
    input wire [23:0] cmd_len,
    input wire [6:0] max_beats,
    output reg d_valid,
    output reg [511:0] d_data,
    output reg [6:0] d_bytes,
    output reg d_last,
    output reg failed,

    output reg [63:0] araddr,
    output reg [7:0] arlen,
    output reg arvalid,
    input wire arready,
    input wire [511:0] rdata,
    input wire [1:0] rresp,
    input wire rlast,
    input wire rvalid,
    output reg rready
);
  `MUT_DECL

  reg busy = 1'b0;
  reg erred = 1'b0;             // an error came since the last reset (only for a fault)
  reg ar_again = 1'b0;          // ARVALID fell without ARREADY (only for a fault)
  reg burst = 1'b0;
  reg [63:0] addr = 64'd0;
  reg [23:0] left = 24'd0;
  reg [12:0] chunk = 13'd0;

  assign cmd_ready = !busy;

  // Bytes of the next burst: up to the 4 KB boundary or to max_beats lines, whichever comes first.
  function automatic [12:0] burst_bytes(input [11:0] a, input [23:0] n, input [6:0] beats);
    reg [12:0] room;
    reg [12:0] cap;
    begin
      room = `MUT(100, 13'd4096 - {1'b0, a}, 13'd4096 - {7'd0, a[5:0]});
      cap = {beats, 6'd0} - {7'd0, a[5:0]};
      if (cap < room) room = cap;
      burst_bytes = (n < {11'd0, room}) ? n[12:0] : room;
    end
  endfunction

  reg [12:0] bytes_now;
  reg [12:0] lines;
  reg [6:0] take;

  initial begin
    arvalid = 1'b0;
    rready = 1'b0;
    d_valid = 1'b0;
    araddr = 64'd0;
    arlen = 8'd0;
    d_data = 512'd0;
    d_bytes = 7'd0;
    d_last = 1'b0;
    failed = 1'b0;
  end

  always @(posedge clk) begin
    if (rst) begin
      busy <= 1'b0;
      burst <= 1'b0;
      arvalid <= 1'b0;
      rready <= 1'b0;
      d_valid <= 1'b0;
      erred <= 1'b0;
    end else if (busy) begin
      d_valid <= 1'b0;
      if (arvalid && arready) arvalid <= 1'b0;
      if (arvalid && !arready && `MUT(437, 1'b0, erred)) arvalid <= 1'b0;
      if (ar_again) arvalid <= 1'b1;
      ar_again <= arvalid && !arready && `MUT(437, 1'b0, erred);
      if (!burst) begin
        bytes_now = burst_bytes(addr[11:0], left, max_beats);
        araddr <= {addr[63:6], 6'd0};
        lines = ({7'd0, addr[5:0]} + bytes_now + 13'd63) >> 6;
        arlen <= lines[7:0] - 8'd1;
        arvalid <= 1'b1;
        rready <= 1'b1;
        chunk <= bytes_now;
        burst <= 1'b1;
      end else if (rvalid && rready) begin
        take = 7'd64 - {1'b0, addr[5:0]};
        if (chunk < {6'd0, take}) take = chunk[6:0];
        d_valid <= 1'b1;
        d_data <= rdata >> {`MUT(101, addr[5:0], addr[5:0] & 6'h3C), 3'b000};
        d_bytes <= take;
        if (rresp[1]) begin
          failed <= 1'b1;
          erred <= 1'b1;
        end
        d_last <= (left == {17'd0, take});
        addr <= addr + {57'd0, take};
        left <= left - {17'd0, take};
        chunk <= chunk - {6'd0, take};
        if (rlast) begin
          burst <= 1'b0;
          rready <= 1'b0;
          busy <= (left != {17'd0, take});
        end
      end
    end else begin
      if (d_valid) d_valid <= 1'b0;
      if (cmd_valid) begin
        addr <= cmd_addr;
        left <= cmd_len;
        failed <= 1'b0;
        busy <= 1'b1;
      end
    end
  end
endmodule
