// SPDX-License-Identifier: BSD-3-Clause
// Store-and-forward frame buffer, 512-bit AXI-Stream in and out. A frame is offered only when its last
// beat is stored, so the output never has a gap inside a frame. A frame that does not fit is dropped
// whole when the source ignores s_ready; a source that honours s_ready loses nothing, as long as one
// frame fits into DEPTH beats.
`include "mutation.svh"
module frame_fifo #(
    parameter DEPTH = 256,
    parameter ROLE = 0                   // 1: frames for the host, 2: frames of the host (places of faults)
) (
    input wire clk,
    input wire rst,
    input wire s_valid,
    output wire s_ready,
    input wire [511:0] s_data,
    input wire [63:0] s_keep,
    input wire s_last,
    output wire [15:0] space,            // free beats
    output reg m_valid,
    input wire m_ready,
    output reg [511:0] m_data,
    output reg [63:0] m_keep,
    output reg m_last
);
  `MUT_DECL
  localparam AW = $clog2(DEPTH);

  reg [576:0] mem [0:DEPTH-1];
  reg [AW:0] wr_ptr = 0;
  reg [AW:0] commit_ptr = 0;
  reg [AW:0] rd_ptr = 0;
  reg dropping = 1'b0;
  reg lax = 1'b0;                        // ready without room (only a fault)

  wire [AW:0] level = wr_ptr - rd_ptr;
  assign s_ready = !rst && (level < DEPTH || lax);
  assign space = DEPTH - level;

  initial begin
    m_valid = 1'b0;
    m_last = 1'b0;
    m_data = 512'd0;
    m_keep = 64'd0;
  end

  always @(posedge clk) begin
    lax <= `MUT(346, 1'b0, (ROLE == 2) && (level >= DEPTH - 1));
    if (rst) begin
      wr_ptr <= 0;
      commit_ptr <= 0;
      rd_ptr <= 0;
      dropping <= 1'b0;
      m_valid <= 1'b0;
    end else begin
      if (s_valid) begin
        if (s_ready && !dropping && level < DEPTH) begin
          mem[wr_ptr[AW-1:0]] <= {s_last, s_keep, (ROLE == 1) ? `MUT(183, s_data, {s_data[511:504] ^ 8'h01, s_data[503:0]}) : s_data};
          wr_ptr <= wr_ptr + 1'b1;
          if (s_last) commit_ptr <= wr_ptr + 1'b1;
        end else begin
          dropping <= !s_last;
          wr_ptr <= (ROLE == 1) ? `MUT(341, commit_ptr, wr_ptr) : commit_ptr;
        end
      end
      if (!m_valid || m_ready) begin
        if (rd_ptr != commit_ptr) begin
          {m_last, m_keep, m_data} <= mem[rd_ptr[AW-1:0]];
          m_valid <= 1'b1;
          rd_ptr <= rd_ptr + 1'b1;
        end else if (m_valid) begin
          m_valid <= 1'b0;
        end
      end
    end
  end
endmodule
