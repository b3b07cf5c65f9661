// SPDX-License-Identifier: BSD-3-Clause
// TYPE3: descriptor rings and raw frames. The transmit side reads one descriptor and its whole buffer, then
// offers the frame; the receive side writes a whole frame, descriptor by descriptor. One outstanding descriptor
// transfer per side; data reads are pipelined, data writes are one burst after the other.

localparam [2:0] X_IDLE = 3'd0;
localparam [2:0] X_FETCH = 3'd1;       // descriptor read under way
localparam [2:0] X_CHECK = 3'd2;
localparam [2:0] X_READ = 3'd3;        // buffer being read
localparam [2:0] X_READY = 3'd4;       // frame complete
localparam [2:0] X_SENDING = 3'd5;
localparam [2:0] X_BACK = 3'd6;        // descriptor to be written back (variant 3)
localparam [2:0] X_CLOSE = 3'd7;       // write-back under way

localparam [2:0] Y_IDLE = 3'd0;
localparam [2:0] Y_ASK = 3'd1;         // needs a descriptor
localparam [2:0] Y_FETCH = 3'd2;
localparam [2:0] Y_CHECK = 3'd3;
localparam [2:0] Y_WRITE = 3'd4;
localparam [2:0] Y_SETTLE = 3'd5;      // data writes outstanding
localparam [2:0] Y_BACK = 3'd6;        // descriptor write-back

reg [2:0] x_state;
reg x_abort;                           // soft reset while something was under way
reg x_stopped;
reg [127:0] x_md;
reg x_cached;                          // x_md2 is the descriptor at the tail
reg [127:0] x_md2;
reg x_pair;
reg x_after_sop;
reg x_after_eop;
reg [63:0] x_addr;                     // next line to read
integer x_lines;                       // lines not asked for
integer x_missing;                     // lines not received
integer x_line;
reg [5:0] x_md_id;
reg [6:0] x_id;
integer x_id_line [0:127];
reg x_frame_left;                      // the last beat left

reg [2:0] y_state;
reg y_abort;
reg [127:0] y_md;
reg y_cached;
reg [127:0] y_md2;
reg y_pair;
reg y_starving;                        // waits for a descriptor, reported
reg [15:0] y_info;
integer y_pos;                         // bytes of the frame written
integer y_seg;                         // bytes in this descriptor
integer y_left;                        // of these, not written
reg [63:0] y_addr;
integer y_beats;                       // beats of the burst not yet accepted
integer y_open;                        // bursts without response
reg [5:0] y_md_id;
reg [6:0] y_id;
integer r3_rd;

reg md_ar_v;
reg md_aw_v;
reg md_w_v;
integer md_open;
reg md_back_open;
reg da_ar_v;
reg da_aw_v;
reg da_w_v;
reg t3_rests;                          // nothing to do until a register, a frame or a response comes
wire t3_response = NONR_MD_AXI_RVALID_I || NONR_MD_AXI_BVALID_I || NONR_DATA_AXI_RVALID_I || NONR_DATA_AXI_BVALID_I;

function automatic [511:0] reverse64(input [511:0] d);
  integer i;
  /* verilator unroll_disable */
  for (i = 0; i < 64; i = i + 1) reverse64[511 - 8*i -: 8] = d[8*i +: 8];
endfunction

function automatic [11:0] ring_next(input [11:0] at, input [11:0] size);
  ring_next = (at + 12'd1 >= size) ? 12'd0 : at + 12'd1;
endfunction

task automatic advance_tx_tail;
  begin
    g_tx_tail = ring_next(g_tx_tail, `MUT(108, g_tx_size, g_tx_size + 12'd1));
    if (g_tx_tail == `MUT(119, g_tail_up[11:0], g_tail_up[11:0] + 12'd1)) type3_event(3);
    if (g_tx_tail == g_tx_head) type3_event(1);
  end
endtask

task automatic advance_rx_tail;
  begin
    g_rx_tail = ring_next(g_rx_tail, g_rx_size);
    if (g_rx_tail == g_tail_up[27:16]) type3_event(`MUT(174, 2, 3));
    if (g_rx_tail == g_rx_head) type3_event(0);
  end
endtask

// Whether the descriptor at the tail and the next one make a pair for one 32-byte read.
function automatic is_pair(input [63:0] addr, input [11:0] tail, input [11:0] head, input [11:0] size);
  is_pair = !addr[4] && tail + 12'd1 < size && tail + 12'd1 != head && !takes(12);
endfunction

task automatic read_descriptor(input [63:0] addr, input pair, input rx_side, input [5:0] id);
  begin
    md_ar_v = 1'b1;
    md_open = md_open + 1;
    NONR_MD_AXI_ARADDR_O <= addr;
    NONR_MD_AXI_ARSIZE_O <= pair ? 3'd5 : 3'd4;
    NONR_MD_AXI_ARID_O <= {rx_side, id};
  end
endtask

task automatic write_descriptor(input [63:0] addr, input [47:0] low, input [6:0] id);
  reg upper;
  begin
    upper = `MUT(111, addr[4], 1'b0);
    md_aw_v = 1'b1;
    md_w_v = 1'b1;
    md_open = md_open + 1;
    md_back_open = 1'b1;
    NONR_MD_AXI_AWADDR_O <= addr;
    NONR_MD_AXI_AWID_O <= id;
    NONR_MD_AXI_WDATA_O <= {80'd0, low, 80'd0, low};
    NONR_MD_AXI_WSTRB_O <= upper ? 32'h003F_0000 : `MUT(175, 32'h0000_003F, 32'h0000_00FF);
  end
endtask

// Lines of the next burst: at most limit, and none beyond the 4 KB boundary.
function automatic integer burst_lines(input [63:0] addr, input integer lines, input integer limit);
  integer room;
  begin
    room = `MUT(112, 64 - {26'd0, addr[11:6]}, 64);
    burst_lines = (lines < limit) ? lines : limit;
    if (takes(11) && burst_lines > 1) burst_lines = 1;
    if (burst_lines > room) burst_lines = room;
  end
endfunction

task automatic check_tx_descriptor;
  integer size;
  reg sop_only;
  reg eop_only;
  begin
    size = {16'd0, x_md[19:4]};
    sop_only = x_md[20] && !x_md[21];
    eop_only = x_md[21] && !x_md[20];
    x_stopped = 1'b1;
    x_state = X_IDLE;
    if (size == 0) type3_fault(`MUT(176, 9, 10));
    else if (size > `MUT(114, T3_TX_MAX, T3_TX_MAX + 1)) type3_fault(7);
    else if (sop_only && x_after_sop && `MUT(116, 1'b1, 1'b0)) type3_fault(5);
    else if (eop_only && x_after_eop) type3_fault(`MUT(177, 6, 5));
    else begin
      x_stopped = 1'b0;
      x_state = X_READ;
      x_addr = {x_md[127:70], 6'd0};
      x_lines = ({26'd0, x_md[69:64]} + size + 63) / 64;
      x_missing = x_lines;
      x_line = 0;
    end
    x_after_sop = sop_only;
    x_after_eop = eop_only;
  end
endtask

task automatic run_tx_side;
  integer n;
  reg [63:0] at;
  begin
    if (g_dma[16]) begin
      if (x_state != X_IDLE) x_abort = 1'b1;
      x_stopped = 1'b0;
      x_cached = 1'b0;
      x_after_sop = 1'b0;
      x_after_eop = 1'b0;
      g_tx_head = 12'd0;
      g_tx_tail = `MUT(121, 12'd0, g_tx_tail);
    end
    at = g_tx_ba + {48'd0, g_tx_tail, 4'd0};
    case (x_state)
      X_IDLE: begin
        x_abort = 1'b0;
        if (g_dma[0] && !g_dma[16] && !x_stopped && g_tx_head != g_tx_tail) begin
          if (x_cached) begin
            x_md = x_md2;
            x_cached = 1'b0;
            x_state = X_CHECK;
          end else if (!md_ar_v) begin
            x_pair = is_pair(at, g_tx_tail, g_tx_head, g_tx_size);
            x_md_id = x_md_id + 1'b1;
            read_descriptor(at, x_pair, 1'b0, x_md_id);
            x_state = X_FETCH;
          end
        end
      end
      X_CHECK: if (x_abort) x_state = X_IDLE; else check_tx_descriptor;
      X_READ: begin
        if (x_lines > 0 && !da_ar_v) begin
          n = burst_lines(x_addr, x_lines, `MUT(178, 4, 8));
          da_ar_v = 1'b1;
          NONR_DATA_AXI_ARADDR_O <= x_addr;
          NONR_DATA_AXI_ARLEN_O <= n[7:0] - 8'd1;
          NONR_DATA_AXI_ARID_O <= x_id;
          x_id_line[x_id] = x_line;
          x_id = x_id + 1'b1;
          x_line = x_line + n;
          x_lines = x_lines - n;
          x_addr = x_addr + {26'd0, n, 6'd0};
        end
        if (x_missing == 0 && x_lines == 0) x_state = X_READY;
      end
      X_READY: if (x_abort) x_state = X_IDLE;
      X_SENDING: if (x_frame_left) begin
        x_state = X_IDLE;
        if (!x_abort && `MUT(204, takes(3), 1'b1)) x_state = X_BACK;
        else if (!x_abort) advance_tx_tail;
      end
      X_BACK: if (!md_back_open && !md_aw_v && !md_w_v) begin
        x_md_id = x_md_id + 1'b1;
        write_descriptor(at, `MUT(204, x_md[47:0], x_md[47:0] ^ 48'h10), {1'b0, x_md_id});
        x_state = X_CLOSE;
      end
      X_CLOSE: if (!md_back_open) begin
        x_state = X_IDLE;
        if (!x_abort) advance_tx_tail;
      end
      default: ;
    endcase
  end
endtask

task automatic start_data_burst;
  integer n;
  begin
    n = burst_lines(y_addr, (y_left + 63) / 64, `MUT(179, 8, 16));
    y_beats = n;
    y_open = y_open + 1;
    da_aw_v = 1'b1;
    NONR_DATA_AXI_AWADDR_O <= y_addr;
    NONR_DATA_AXI_AWLEN_O <= n[7:0] - 8'd1;
    NONR_DATA_AXI_AWID_O <= `MUT(113, y_id, 7'd5);
    y_id = y_id + 1'b1;
    put_data_beat;
  end
endtask

task automatic put_data_beat;
  integer n;
  begin
    n = (y_left > 64) ? 64 : y_left;
    da_w_v = 1'b1;
    NONR_DATA_AXI_WDATA_O <= reverse64(r3_mem[(r3_rd + y_pos / 64) % R3_DEPTH]);
    NONR_DATA_AXI_WSTRB_O <= {64{1'b1}} >> `MUT(180, 64 - n, 0);
    NONR_DATA_AXI_WLAST_O <= (y_beats == 1);
    y_addr = y_addr + 64'd64;
    y_pos = y_pos + n;
    y_left = y_left - n;
  end
endtask

// Low six bytes of a receive descriptor that was filled.
function automatic [47:0] filled(input dummy);
  reg last;
  begin
    last = (y_pos == {18'd0, y_info[13:0]});
    filled = {24'd0, y_info[15] && last, `MUT(181, y_info[14] && last, 1'b0), `MUT(110, last, 1'b1),
              `MUT(182, y_pos == y_seg, 1'b1), `MUT(109, y_seg[15:0], y_pos[15:0]), y_md[3:0]};
  end
endfunction

task automatic run_rx_side;
  reg [63:0] at;
  begin
    if (g_dma[31]) begin
      if (y_state != Y_IDLE) y_abort = 1'b1;
      t3_rx_stopped = 1'b0;
      y_cached = 1'b0;
      y_starving = 1'b0;
      g_rx_head = 12'd0;
      g_rx_tail = 12'd0;
      if (!y_abort) reset_rx_fifo;
    end
    at = g_rx_ba + {48'd0, g_rx_tail, 4'd0};
    case (y_state)
      Y_IDLE: begin
        if (y_abort) reset_rx_fifo;
        y_abort = 1'b0;
        if (i3_n > 0 && g_dma[8] && !g_dma[31] && !t3_rx_stopped) begin
          y_info = i3_mem[i3_rd];
          y_pos = 0;
          y_state = Y_ASK;
        end
      end
      Y_ASK: begin
        if (y_abort) y_state = Y_IDLE;
        else if (g_rx_head == g_rx_tail) begin
          if (!y_starving) type3_event(0);
          y_starving = 1'b1;
        end else begin
          y_starving = 1'b0;
          if (y_cached) begin
            y_md = y_md2;
            y_cached = 1'b0;
            y_state = Y_CHECK;
          end else if (!md_ar_v) begin
            y_pair = is_pair(at, g_rx_tail, g_rx_head, g_rx_size);
            y_md_id = y_md_id + 1'b1;
            read_descriptor(at, y_pair, 1'b1, y_md_id);
            y_state = Y_FETCH;
          end
        end
      end
      Y_CHECK: begin
        y_seg = {18'd0, y_info[13:0]} - y_pos;
        if (y_seg > {16'd0, y_md[63:48]} && `MUT(117, 1'b1, y_md[63:48] != 16'd0)) y_seg = {16'd0, y_md[63:48]};
        y_left = y_seg;
        y_addr = y_md[127:64];
        y_state = Y_WRITE;
        if (y_abort) y_state = Y_IDLE;
        else if (y_seg == 0) begin
          type3_fault(10);
          t3_rx_stopped = 1'b1;
          y_state = Y_IDLE;
        end else start_data_burst;
      end
      Y_WRITE:
        if (y_beats == 0 && !da_aw_v) begin
          if (y_left > 0 && !y_abort) start_data_burst;
          else y_state = Y_SETTLE;
        end
      Y_SETTLE:
        if (y_abort) begin
          if (y_open == 0) y_state = Y_IDLE;
        end else if (`MUT(183, y_open == 0, 1'b1) && !md_back_open && !md_aw_v && !md_w_v) begin
          y_md_id = y_md_id + 1'b1;
          write_descriptor(at, filled(1'b0), {1'b1, y_md_id});
          y_state = Y_BACK;
        end
      Y_BACK:
        if (!md_back_open) begin
          y_state = Y_IDLE;
          if (!y_abort) begin
            advance_rx_tail;
            if (y_pos < {18'd0, y_info[13:0]}) y_state = Y_ASK;
            else begin
              r3_rd = (r3_rd + (y_pos + 63) / 64) % R3_DEPTH;
              r3_level = r3_level - (y_pos + 63) / 64;
              i3_rd = (i3_rd + 1) % R3_DEPTH;
              i3_n = i3_n - 1;
            end
          end
        end
      default: ;
    endcase
  end
endtask

task automatic take_axi_responses;
  integer line;
  begin
    if (md_ar_v && NONR_MD_AXI_ARREADY_I) md_ar_v = 1'b0;
    if (md_aw_v && NONR_MD_AXI_AWREADY_I) md_aw_v = 1'b0;
    if (md_w_v && NONR_MD_AXI_WREADY_I) md_w_v = 1'b0;
    if (da_ar_v && NONR_DATA_AXI_ARREADY_I) da_ar_v = 1'b0;
    if (da_aw_v && NONR_DATA_AXI_AWREADY_I) da_aw_v = 1'b0;
    if (da_w_v && NONR_DATA_AXI_WREADY_I) begin
      da_w_v = 1'b0;
      y_beats = y_beats - 1;
      if (y_beats > 0) put_data_beat;
    end
    if (NONR_MD_AXI_RVALID_I && NONR_MD_AXI_RREADY_O) begin
      md_open = md_open - 1;
      if (NONR_MD_AXI_RRESP_I[1]) type3_fault(3);
      if (NONR_MD_AXI_RID_I[6]) begin
        y_md = (g_rx_ba[4] ^ g_rx_tail[0]) ? NONR_MD_AXI_RDATA_I[255:128] : NONR_MD_AXI_RDATA_I[127:0];
        y_md2 = NONR_MD_AXI_RDATA_I[255:128];
        y_cached = y_pair && !y_abort;
        y_state = Y_CHECK;
      end else begin
        x_md = (g_tx_ba[4] ^ g_tx_tail[0]) ? NONR_MD_AXI_RDATA_I[255:128] : NONR_MD_AXI_RDATA_I[127:0];
        x_md2 = NONR_MD_AXI_RDATA_I[255:128];
        x_cached = x_pair && !x_abort;
        x_state = X_CHECK;
      end
    end
    if (NONR_MD_AXI_BVALID_I && NONR_MD_AXI_BREADY_O) begin
      md_open = md_open - 1;
      md_back_open = 1'b0;
      if (NONR_MD_AXI_BRESP_I[1]) type3_fault(`MUT(184, 2, 3));
    end
    if (NONR_DATA_AXI_RVALID_I && NONR_DATA_AXI_RREADY_O) begin
      line = x_id_line[NONR_DATA_AXI_RID_I];
      x_mem[line] = reverse64(NONR_DATA_AXI_RDATA_I);
      x_id_line[NONR_DATA_AXI_RID_I] = line + 1;
      x_missing = x_missing - 1;
      if (NONR_DATA_AXI_RRESP_I[1]) type3_fault(4);
    end
    if (NONR_DATA_AXI_BVALID_I && NONR_DATA_AXI_BREADY_O) begin
      y_open = y_open - 1;
      if (`MUT(118, NONR_DATA_AXI_BRESP_I[1], 1'b0)) type3_fault(4);
    end
  end
endtask

// Both sides at the start of a descriptor and no request at AXI.
function automatic type3_idle(input dummy);
  type3_idle = x_state == X_IDLE && y_state == Y_IDLE && {md_ar_v, md_aw_v, md_w_v, da_ar_v, da_aw_v, da_w_v} == 6'd0;
endfunction

task automatic run_type3;
  begin
    t3_rests = type3_idle(1'b0);
    take_axi_responses;
    run_tx_side;
    run_rx_side;
    if (t3_rests) t3_rests = type3_idle(1'b0);
    x_frame_left = 1'b0;
    NONR_MD_AXI_ARVALID_O <= md_ar_v;
    NONR_MD_AXI_AWVALID_O <= md_aw_v;
    NONR_MD_AXI_WVALID_O <= md_w_v;
    NONR_MD_AXI_RREADY_O <= 1'b1;
    NONR_MD_AXI_BREADY_O <= 1'b1;
    NONR_MD_AXI_BUSY_O <= `MUT(132, md_open > 0, md_ar_v || md_aw_v);
    NONR_DATA_AXI_ARVALID_O <= da_ar_v;
    NONR_DATA_AXI_AWVALID_O <= da_aw_v;
    NONR_DATA_AXI_WVALID_O <= da_w_v;
    NONR_DATA_AXI_RREADY_O <= 1'b1;
    NONR_DATA_AXI_BREADY_O <= 1'b1;
  end
endtask

// The frame of the buffer that was read.
task automatic describe_type3;
  begin
    f_flow = 6;
    f_source = F_TYPE3;
    f_shift = `MUT(185, {26'd0, x_md[69:64]}, {26'd0, x_md[69:66], 2'b00});
    f_body = {16'd0, x_md[19:4]};
    f_done = DONE_TYPE3;
    x_state = X_SENDING;
  end
endtask
