// SPDX-License-Identifier: BSD-3-Clause
// Holds back a valid/ready channel for a random number of clocks (0..MAX) before an item passes; with
// PER_FRAME only before the first beat of a frame. Nothing is stored: valid, once shown, stays until ready.
// seed = 0: always open. Same draws on every simulator (xorshift, one step per draw).
module elastic_gate #(
    parameter MAX = 8,
    parameter PER_FRAME = 0,
    parameter NUMBER = 1
) (
    input wire clk,
    input wire rst,
    input wire [31:0] seed,
    input wire s_valid,
    output wire s_ready,
    input wire s_last,
    output wire m_valid,
    input wire m_ready
);
  reg open;
  reg drawn;
  reg [31:0] x;
  reg [7:0] left;

  initial begin
    open = 1'b0;
    drawn = 1'b0;
    x = 32'd0;
    left = 8'd0;
  end

  wire pass = open || (seed == 0);
  assign m_valid = s_valid && pass;
  assign s_ready = m_ready && pass;

  function automatic [31:0] step(input [31:0] v);
    reg [31:0] y;
    begin
      y = v ^ (v << 13);
      y = y ^ (y >> 17);
      step = y ^ (y << 5);
    end
  endfunction

  // Half of the items pass at once, the others wait 0..MAX clocks.
  function automatic [7:0] delay_of(input [31:0] v);
    delay_of = v[8] ? v[23:16] % (MAX + 1) : 8'd0;
  endfunction

  always @(posedge clk) begin
    if (rst) begin
      open <= 1'b0;
      drawn <= 1'b0;
      x <= (seed * 32'd2654435761) ^ (NUMBER * 32'd40503) ^ 32'h1357_9BDF;
    end else if (seed != 0) begin
      if (open) begin
        if (s_valid && m_ready && ((PER_FRAME == 0) || s_last)) begin
          x <= step(x);
          left <= delay_of(step(x));
          open <= (delay_of(step(x)) == 0);
          drawn <= 1'b1;
        end
      end else if (s_valid) begin
        // The draw made when the last item passed counts from the arrival of this one.
        if (!drawn) begin
          x <= step(x);
          left <= delay_of(step(x));
          drawn <= 1'b1;
        end else if (left <= 8'd1) begin
          open <= 1'b1;
          drawn <= 1'b0;
        end else begin
          left <= left - 8'd1;
        end
      end
    end
  end
endmodule
