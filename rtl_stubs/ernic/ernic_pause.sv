// SPDX-License-Identifier: BSD-3-Clause
// Priority flow control. Out: a class requests pause when the free space of its input buffer (beats of 64 bytes) is
// down at its XON value, until it is up at its XOFF value. In: a class may start no frame while the request of its
// priority is up. Every class obeys its own enable; XRNIC_PAUSE_CONF[13] makes any request stop both classes.
`include "mutation.svh"
module ernic_pause #(
    parameter RESEND_CLKS = 1024         // a request that stays is sent again
) (
    input wire clk,
    input wire rst,
    input wire [31:0] conf,              // XRNIC_PAUSE_CONF
    input wire [31:0] thr_roce,          // {XOFF, XON}
    input wire [31:0] thr_non,
    input wire [15:0] space_roce,
    input wire [15:0] space_non,
    input wire [8:0] rx_req,
    output reg [8:0] tx_req,
    output reg tx_resend,
    output reg hold_roce,                // start no frame of the class
    output reg hold_non
);
  `MUT_DECL

  integer variant = 0;
  initial if (!$value$plusargs("VARIANT=%d", variant)) variant = 0;

  reg low_roce = 1'b0;
  reg low_non = 1'b0;
  reg [8:0] req = 9'd0;
  reg [8:0] late [0:11];                 // variant 33 reacts twelve clocks later
  reg [15:0] age = 16'd0;
  reg [8:0] lines;
  integer k;

  // Priorities above 8 have no line.
  function automatic [8:0] line_of(input [3:0] priority_code);
    line_of = (priority_code > 4'd8) ? 9'd0 : 9'd1 << priority_code;
  endfunction

  function automatic low_next(input low, input [15:0] space, input [31:0] thr);
    if (space <= thr[15:0]) low_next = 1'b1;
    else if (space >= `MUT(338, thr[31:16], thr[15:0])) low_next = 1'b0;
    else low_next = low;
  endfunction

  function automatic stopped(input [8:0] lines, input [3:0] priority_code);
    stopped = conf[13] ? `MUT(334, lines != 9'd0, lines[7:0] != 8'd0) : (lines & line_of(priority_code)) != 9'd0;
  endfunction

  wire [8:0] seen = (variant == 33) ? late[11] : req;

  initial begin
    tx_req = 9'd0;
    tx_resend = 1'b0;
    hold_roce = 1'b0;
    hold_non = 1'b0;
    for (k = 0; k < 12; k = k + 1) late[k] = 9'd0;
  end

  always @(posedge clk) begin
    req <= rx_req;
    late[0] <= req;
    for (k = 1; k < 12; k = k + 1) late[k] <= late[k-1];
    if (rst) begin
      low_roce <= 1'b0;
      low_non <= 1'b0;
      tx_req <= 9'd0;
      tx_resend <= 1'b0;
      hold_roce <= 1'b0;
      hold_non <= 1'b0;
      age <= 16'd0;
    end else begin
      hold_roce <= `MUT(330, conf[0], 1'b1) && stopped(seen, `MUT(331, conf[7:4], conf[11:8]));
      hold_non <= (conf[1] && stopped(seen, `MUT(332, conf[11:8], {1'b0, conf[10:8]})))
                  || `MUT(333, 1'b0, conf[0] && stopped(seen, conf[7:4]));
      low_roce <= low_next(low_roce, space_roce, `MUT(337, thr_roce, thr_non));
      low_non <= low_next(low_non, space_non, thr_non);
      lines = ((conf[0] && low_roce) ? line_of(conf[7:4]) : 9'd0)
              | ((`MUT(336, conf[1], 1'b1) && low_non) ? line_of(`MUT(339, conf[11:8], conf[7:4])) : 9'd0);
      lines = `MUT(335, lines, (conf[13] && lines != 9'd0) ? 9'h1FF : lines);
      tx_req <= `MUT(340, lines, (age[9]) ? 9'd0 : lines);
      age <= (tx_req == 9'd0 || age == RESEND_CLKS - 1) ? 16'd0 : age + 1'b1;
      tx_resend <= (tx_req != 9'd0) && (age == RESEND_CLKS - 1);
    end
  end
endmodule
