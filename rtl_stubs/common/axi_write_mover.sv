// SPDX-License-Identifier: BSD-3-Clause
// Writes cmd_len bytes (>= 1) to cmd_addr over a 512-bit AXI4 port: bursts are 64-byte aligned, never cross
// 4 KB, and strobe only the bytes meant. Source is a frame memory (cmd_beat, byte cmd_off; two neighbouring
// beats are read per clock to realign) or, with cmd_imm, the 128 bytes of cmd_data. One burst is under way
// at a time; done pulses for one clock after the last B, with
// failed if memory answered a burst of the command with an error. w_first = 1 offers W before AW (both orders are
// legal AXI), always without waiting for either ready.
`include "mutation.svh"
module axi_write_mover #(
    parameter AW = 10,
    parameter ROLE = 0
) (
    input wire clk,
    input wire rst,
    input wire w_first,
    input wire cmd_valid,
    output wire cmd_ready,
    input wire [63:0] cmd_addr,
    input wire [12:0] cmd_len,
    input wire cmd_imm,
    input wire [1023:0] cmd_data,
    input wire [AW-1:0] cmd_beat,
    input wire [5:0] cmd_off,
    output reg done,
    output reg failed,

    output wire [AW-1:0] mem_idx,
    input wire [511:0] mem_lo,
    input wire [511:0] mem_hi,

    output reg [63:0] awaddr,
    output reg [7:0] awlen,
    output reg awvalid,
    input wire awready,
    output reg [511:0] wdata,
    output reg [63:0] wstrb,
    output reg wlast,
    output reg wvalid,
    input wire wready,
    input wire [1:0] bresp,
    input wire bvalid,
    output reg bready
);
  `MUT_DECL

  localparam IDLE = 2'd0, START = 2'd1, DATA = 2'd2, RESP = 2'd3;

  reg [1:0] state = IDLE;
  reg imm = 1'b0;
  reg [1023:0] imm_data = 1024'd0;
  reg [63:0] addr = 64'd0;
  reg [12:0] left = 13'd0;      // bytes of the command not yet sent
  reg [12:0] chunk = 13'd0;     // bytes of this burst not yet sent
  reg [AW-1:0] idx = 0;         // frame memory beat behind lane 0 of the next beat
  reg [1:0] imm_idx = 2'd0;     // same for immediate data; 3 = the beat before the first
  reg [6:0] shift = 7'd0;       // bytes to drop from {hi, lo}
  reg [2:0] aw_wait = 3'd0;
  reg erred = 1'b0;             // an error came since the last reset (only for a fault)

  function automatic [12:0] least(input [12:0] a, input [12:0] b);
    least = (a < b) ? a : b;
  endfunction

  assign cmd_ready = (state == IDLE) && !done;
  assign mem_idx = idx;

  integer variant = 0;
  initial if (!$value$plusargs("VARIANT=%d", variant)) variant = 0;
  wire short_bursts = (variant == 18) || (variant == 23);   // one beat each

  reg [6:0] take;
  reg [12:0] bytes_now;
  reg [12:0] lines;
  reg [1023:0] pair;

  initial begin
    awvalid = 1'b0;
    wvalid = 1'b0;
    bready = 1'b0;
    done = 1'b0;
    failed = 1'b0;
    awaddr = 64'd0;
    awlen = 8'd0;
    wdata = 512'd0;
    wstrb = 64'd0;
    wlast = 1'b0;
  end

  always @(posedge clk) begin
    if (rst) begin
      state <= IDLE;
      awvalid <= 1'b0;
      wvalid <= 1'b0;
      bready <= 1'b0;
      done <= 1'b0;
      aw_wait <= 3'd0;
      erred <= 1'b0;
    end else begin
      if (done) done <= 1'b0;
      case (state)
        IDLE:
        if (cmd_valid && !done) begin
          imm <= cmd_imm;
          if (cmd_imm) imm_data <= cmd_data;
          addr <= cmd_addr;
          left <= cmd_len;
          failed <= 1'b0;
          if (cmd_off >= cmd_addr[5:0]) begin
            idx <= cmd_beat;
            imm_idx <= 2'd0;
            shift <= {1'b0, cmd_off - cmd_addr[5:0]};
          end else begin
            idx <= cmd_beat - 1'b1;
            imm_idx <= 2'd3;
            shift <= 7'd64 + {1'b0, cmd_off} - {1'b0, cmd_addr[5:0]};
          end
          state <= START;
        end
        START: begin
          bytes_now = `MUT(102, least(left, 13'd4096 - {1'b0, addr[11:0]}), least(left, 13'd4096 - {7'd0, addr[5:0]}));
          if (short_bursts) bytes_now = least(bytes_now, 13'd64 - {7'd0, addr[5:0]});
          chunk <= bytes_now;
          awaddr <= (ROLE == 0) ? `MUT(103, {addr[63:6], 6'd0}, addr) : {addr[63:6], 6'd0};
          lines = ({7'd0, addr[5:0]} + bytes_now + 13'd63) >> 6;
          awlen <= lines[7:0] - 8'd1;
          awvalid <= !w_first;
          aw_wait <= w_first ? 3'd4 : 3'd0;
          state <= DATA;
        end
        DATA: begin
          if (awvalid && awready) awvalid <= 1'b0;
          if (aw_wait != 0) begin
            aw_wait <= aw_wait - 1'b1;
            if (aw_wait == 3'd1) awvalid <= 1'b1;
          end
          if (awvalid && !awready && `MUT(435, 1'b0, erred)) begin
            awvalid <= 1'b0;
            aw_wait <= 3'd1;
          end
          if (!wvalid || wready) begin
            if (chunk != 0) begin
              take = 7'd64 - {1'b0, addr[5:0]};
              if (chunk < {6'd0, take}) take = chunk[6:0];
              if (imm) begin
                case (imm_idx)
                  2'd0: pair = imm_data;
                  2'd1: pair = {512'd0, imm_data[1023:512]};
                  2'd3: pair = {imm_data[511:0], 512'd0};
                  default: pair = 1024'd0;
                endcase
              end else begin
                pair = {mem_hi, mem_lo};
              end
              pair = pair >> {shift, 3'b000};
              wdata <= pair[511:0];
              wstrb <= (ROLE == 1) ? `MUT(104, ~(64'hFFFF_FFFF_FFFF_FFFF << take) << addr[5:0], 64'hFFFF_FFFF_FFFF_FFFF)
                                   : `MUT(105, ~(64'hFFFF_FFFF_FFFF_FFFF << take) << addr[5:0],
                                          ~(64'hFFFF_FFFF_FFFF_FFFF << (take + 7'd4)) << addr[5:0]);
              wlast <= (chunk == {6'd0, take}) || `MUT(208, 1'b0, chunk <= {6'd0, take} + 13'd64)
                       || `MUT(436, 1'b0, erred);
              wvalid <= 1'b1;
              addr <= addr + {57'd0, take};
              left <= left - {6'd0, take};
              chunk <= chunk - {6'd0, take};
              idx <= idx + 1'b1;
              imm_idx <= imm_idx + 1'b1;
            end else begin
              wvalid <= 1'b0;
            end
          end
          if (wvalid && !wready && `MUT(106, 1'b0, 1'b1)) wdata <= {wdata[503:0], wdata[511:504]};
          if (!wvalid && chunk == 0 && !awvalid && aw_wait == 0) begin
            bready <= 1'b1;
            state <= RESP;
          end
        end
        default:
        if (bvalid && bready) begin
          bready <= 1'b0;
          if (bresp[1]) begin
            failed <= 1'b1;
            erred <= 1'b1;
          end
          if (left == 0) begin
            done <= 1'b1;
            state <= IDLE;
          end else begin
            state <= START;
          end
        end
      endcase
    end
  end
endmodule
