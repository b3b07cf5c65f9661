// SPDX-License-Identifier: BSD-3-Clause
// Copies one payload on its way from the payload reader to the frame builder: packs the pieces into whole beats and,
// when the last one is there, writes them to cmd_addr over a 512-bit AXI4 port. done pulses for one clock when the
// copy is in memory. A command has to come before the first piece; without one the pieces pass by.
`include "mutation.svh"
module ernic_retry_writer (
    input wire clk,
    input wire rst,
    input wire w_first,
    input wire cmd_valid,
    input wire [63:0] cmd_addr,
    input wire [12:0] cmd_len,       // 1..4096 bytes
    output wire done,
    output wire failed,              // with done: memory answered with an error

    input wire d_valid,
    input wire [511:0] d_data,
    input wire [6:0] d_bytes,
    input wire d_last,

    output wire [63:0] awaddr,
    output wire [7:0] awlen,
    output wire awvalid,
    input wire awready,
    output wire [511:0] wdata,
    output wire [63:0] wstrb,
    output wire wlast,
    output wire wvalid,
    input wire wready,
    input wire [1:0] bresp,
    input wire bvalid,
    output wire bready
);
  `MUT_DECL

  localparam AW = 7;               // 4096 bytes are 64 beats

  reg [511:0] mem [0:(1 << AW)-1];
  reg armed = 1'b0;
  reg go = 1'b0;
  reg [63:0] addr = 64'd0;
  reg [12:0] len = 13'd0;
  reg [1023:0] acc = 1024'd0;      // bytes that do not fill a beat yet
  reg [7:0] acc_n = 8'd0;
  reg [AW-1:0] beat = 0;

  wire [AW-1:0] idx;
  wire [AW-1:0] idx_hi = idx + 1'b1;
  wire [511:0] mem_lo = mem[idx];
  wire [511:0] mem_hi = mem[idx_hi];

  // Lanes around the payload are read too (never strobed); no X on a 4-state simulator.
  initial begin : clear_memory
    integer i;
    for (i = 0; i < (1 << AW); i = i + 1) mem[i] = 512'd0;
  end

  always @(posedge clk) begin
    go <= 1'b0;
    if (rst) begin
      armed <= 1'b0;
    end else if (cmd_valid) begin
      armed <= 1'b1;
      addr <= cmd_addr;
      len <= cmd_len;
      acc = 1024'd0;
      acc_n = 8'd0;
      beat = 0;
    end else if (armed && d_valid) begin
      acc = acc | ({512'd0, d_data & ~({512{1'b1}} << {d_bytes, 3'b000})} << {acc_n, 3'b000});
      acc_n = acc_n + {1'b0, d_bytes};
      if (acc_n >= 8'd64) begin
        mem[beat] <= acc[511:0];
        beat = beat + 1'b1;
        acc = acc >> 512;
        acc_n = acc_n - 8'd64;
      end
      if (d_last) begin
        // A beat may be stored and another one begun by the same piece: the rest goes to the next address.
        if (acc_n != 0) mem[beat] <= acc[511:0];
        armed <= 1'b0;
        go <= 1'b1;
      end
    end
  end

  axi_write_mover #(.AW(AW), .ROLE(2)) writer (
      .clk(clk), .rst(rst), .w_first(w_first),
      .cmd_valid(go), .cmd_ready(), .cmd_addr(addr), .cmd_len(len), .cmd_imm(1'b0), .cmd_data(1024'd0),
      .cmd_beat({AW{1'b0}}), .cmd_off(6'd0), .done(done), .failed(failed),
      .mem_idx(idx), .mem_lo(mem_lo), .mem_hi(mem_hi),
      .awaddr(awaddr), .awlen(awlen), .awvalid(awvalid), .awready(awready), .wdata(wdata), .wstrb(wstrb),
      .wlast(wlast), .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid), .bready(bready)
  );
endmodule
