// SPDX-License-Identifier: BSD-3-Clause
// Merges RoCE frames and host frames onto the MAC output, round robin, at frame boundaries only. A class on hold
// starts no frame; the one under way is finished.
`include "mutation.svh"
module ernic_tx_mux (
    input wire clk,
    input wire rst,
    input wire a_valid,
    output wire a_ready,
    input wire [511:0] a_data,
    input wire [63:0] a_keep,
    input wire a_last,
    input wire a_hold,
    input wire b_valid,
    output wire b_ready,
    input wire [511:0] b_data,
    input wire [63:0] b_keep,
    input wire b_last,
    input wire b_hold,
    output wire m_valid,
    input wire m_ready,
    output wire [511:0] m_data,
    output wire [63:0] m_keep,
    output wire m_last,
    output wire a_sent               // last beat of an `a` frame leaves in this clock
);
  `MUT_DECL

  reg busy = 1'b0;
  reg pick_b = 1'b0;
  reg [63:0] spoil = 64'd0;
  reg starved = 1'b0;              // the host lost its turn once (only for a fault)
  wire a_go = a_valid && !a_hold;
  wire b_go = b_valid && !b_hold && `MUT(479, 1'b1, !starved);

  assign m_valid = busy && (pick_b ? b_valid : a_valid);
  assign m_data = pick_b ? b_data : a_data;
  assign m_keep = pick_b ? b_keep ^ spoil : a_keep;
  assign m_last = pick_b ? b_last : a_last;
  assign a_ready = busy && !pick_b && m_ready;
  assign b_ready = busy && pick_b && m_ready;
  assign a_sent = a_valid && a_ready && a_last;

  always @(posedge clk) begin
    spoil <= `MUT(182, 64'd0, (b_last && b_keep[1]) ? (b_keep ^ (b_keep >> 1)) : 64'd0);
    if (rst) begin
      busy <= 1'b0;
      pick_b <= 1'b0;
      starved <= 1'b0;
    end else if (!busy) begin
      if (a_go || b_go) begin
        busy <= 1'b1;
        pick_b <= b_go && (!a_go || !pick_b);
        if (a_go && b_go && pick_b) starved <= 1'b1;
      end
    end else if (m_valid && m_ready) begin
      if (m_last) busy <= 1'b0;
      else if (`MUT(130, 1'b0, a_valid && b_valid)) pick_b <= !pick_b;
    end
  end
endmodule
