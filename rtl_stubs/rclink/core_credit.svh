// SPDX-License-Identifier: BSD-3-Clause
// Credit flow control per VC, multicast credit, PFC in both directions. Flow f: 0..3 TYPE1 banks, 4 ACK and
// CNP, 5 TYPE2, 6 TYPE3.

reg [11:0] v_size [0:7];
reg [19:0] v_limit [0:7];
reg [9:0] v_ovhd [0:7];
reg [19:0] v_credit [0:7];
reg v_loaded [0:7];
reg [31:0] f_max [0:6];            // credits of one maximum packet
reg [31:0] f_threshold [0:6];
integer mc_credit;
reg [6:0] congested;
reg pause_old;                     // a register changed: TX_PFC_REQ_O has to be computed again
reg credit_old;                    // a credit changed: DFX_CBFC_CF_O has to be computed again

// Bytes of all headers and trailers around a payload: flow f under the active format.
function automatic integer overhead(input integer f);
  integer n;
  begin
    case (format(1'b0))
      STD: n = 42;
      GEN1: n = 14;
      GEN2: n = 14 - ((f != 4 && k_overlay) ? 6 : 0);
      default: n = 12 - (k_overlay ? 6 : 0);
    endcase
    if (vlan_on(1'b0)) n = n + 4;
    if (f != 5) n = n + ((format(1'b0) == LITE) ? 0 : 8) + (icrc_on(1'b0) ? 4 : 0);
    else if (k_type2_rh && format(1'b0) != LITE) n = n + 8;
    overhead = n;
  end
endfunction

function automatic integer max_frame(input integer f);
  case (f)
    4: max_frame = overhead(4);
    5: max_frame = TYPE2_PKT_LEN + overhead(5);
    6: max_frame = T3_TX_MAX;
    default: max_frame = TYPE1_PKT_LEN + overhead(0);
  endcase
endfunction

// Credits of a frame of len bytes on VC v.
function automatic [31:0] credits_of(input [2:0] v, input integer len);
  integer bytes;
  integer size;
  begin
    size = {20'd0, v_size[v]};
    bytes = (len < k_cbfc_min) ? k_cbfc_min : len;
    bytes = bytes + `MUT(76, $signed({{22{v_ovhd[v][9]}}, v_ovhd[v]}), $signed({24'd0, v_ovhd[v][7:0]}));
    if (size == 0) credits_of = 32'd1;
    else if (bytes <= size) credits_of = 32'd1;
    else credits_of = `MUT(75, (bytes + size - 1) / size, bytes / size);
  end
endfunction

function automatic [2:0] uf_limit(input integer f);
  case (f)
    4: uf_limit = g_afh[47:45];
    5: uf_limit = g_afh[41:39];
    6: uf_limit = g_afh[44:42];
    default: uf_limit = g_afh[38:36];
  endcase
endfunction

function automatic cbfc_on(input integer f);
  case (f)
    4: cbfc_on = g_afh[10];
    5: cbfc_on = k_packed ? g_afh[12] : g_afh[33];
    6: cbfc_on = g_afh[11];
    default: cbfc_on = g_afh[6 + f];
  endcase
endfunction

task automatic compute_limits;
  integer f;
  begin
    /* verilator unroll_disable */
    for (f = 0; f < 7; f = f + 1) begin
      f_max[f] = credits_of(vc_of(f), max_frame(f));
      f_threshold[f] = `MUT(79, {29'd0, uf_limit(f)}, 32'd1) * f_max[f];
    end
  end
endtask

// Whether VC v has enough credit for a frame of flow f.
function automatic enough(input integer f, input [2:0] v);
  enough = v_loaded[v]
           && ({12'd0, v_credit[v]} >= f_threshold[f]
               || (`MUT(80, f <= 3, f <= 3 || f == 5) && `MUT(206, g_afh[48], 1'b0)
                   && {12'd0, v_credit[v]} >= f_max[f]));
endfunction

// Whether the VC of flow f lets a frame through.
function automatic vc_open(input integer f);
  reg [2:0] v;
  begin
    v = vc_of(f);
    if (g_afh[5]) vc_open = `MUT(83, 1'b1, g_afh[52 + v]);
    else if (!`MUT(81, g_afh[52 + v], g_afh[52 + v] || f == 4)) vc_open = 1'b0;
    else if (!cbfc_on(f)) vc_open = 1'b1;
    else vc_open = `MUT(82, enough(f, v), enough(f, v) || (v_loaded[v] && g_afh[59:52] == 8'hFF));
  end
endfunction

// RX_PFC_REQ_I stops flow f.
function automatic paused(input integer f);
  paused = g_thr_rdma[39 + f] && RX_PFC_REQ_I[vc_of(f)] && `MUT(91, 1'b1, f != 4);
endfunction

function automatic may_send(input integer f);
  may_send = vc_open(f) && !paused(f);
endfunction

// A frame of flow f with len bytes was granted.
task automatic consume(input integer f, input integer len);
  reg [2:0] v;
  reg [31:0] need;
  begin
    v = vc_of(f);
    if (!g_afh[5] && `MUT(136, cbfc_on(f), 1'b1)) begin
      need = credits_of(v, len);
      if (`MUT(78, 1'b1, !MAC2TX_CBFC_VLD_I[v]))
        v_credit[v] = ({12'd0, v_credit[v]} > need) ? v_credit[v] - need[19:0] : 20'd0;
      credit_old = 1'b1;
    end
  end
endtask

function automatic multicast_ok(input dummy);
  multicast_ok = `MUT(87, !g_misc[3], 1'b0) || `MUT(207, 1'b0, cbfc_on(5) && !g_afh[5])
                 || mc_credit >= (max_frame(5) + 127) / 128;
endfunction

wire vc_event = MAC2TX_CBFC_VLD_I[7:0] != 8'd0 || MAC2TX_CBFC_RST_I[7:0] != 8'd0 || MAC2TX_CBFC_RESET_I;

// Credits of the VCs that come back or are loaded.
task automatic take_vc_credits;
  integer v;
  reg [20:0] sum;
  begin
    if (MAC2TX_CBFC_VLD_I[7:0] != 8'd0) begin
      /* verilator unroll_disable */
      for (v = 0; v < 8; v = v + 1) begin
        if (MAC2TX_CBFC_VLD_I[v]) begin
          sum = {1'b0, v_credit[v]} + {6'd0, MAC2TX_CBFC_NUM_I};
          sum = `MUT(77, sum, (v == 7) ? {1'b0, v_credit[v]} : sum);
          v_credit[v] = (sum > {1'b0, v_limit[v]}) ? v_limit[v] : sum[19:0];
        end
      end
      credit_old = 1'b1;
    end
    if (MAC2TX_CBFC_RST_I[7:0] != 8'd0) begin
      /* verilator unroll_disable */
      for (v = 0; v < 8; v = v + 1) begin
        if (MAC2TX_CBFC_RST_I[v]) begin
          v_size[v] = MAC2TX_CBFC_CREDITSIZE_I;
          v_limit[v] = MAC2TX_CBFC_CREDITLIMIT_I;
          v_ovhd[v] = MAC2TX_CBFC_PKTOVHD_LEN_I;
          if (`MUT(74, 1'b1, !v_loaded[v])) v_credit[v] = MAC2TX_CBFC_CREDITLIMIT_I;
          v_loaded[v] = 1'b1;
        end
      end
      settings_old = 1'b1;
    end
    if (MAC2TX_CBFC_RESET_I) begin
      reset_credit;
      `MUT_DO(84, mc_credit = 0;)
    end
  end
endtask

task automatic take_credits;
  begin
    beat_bytes = (MAC_DW == 1024 && IS_400G_I) ? 128 : 64;
    if (MAC2TX_CREDIT_I) mac_crd = mac_crd + 1;
    if (MAC2TX_CREDIT_RST_I) mac_crd = MAC_TX_CRD_INIT;
    if (vc_event) take_vc_credits;
    `MUT_IF(226, MAC2TX_CREDIT_RST_I && MAC2TX_CBFC_RESET_I, forget_waiting;)
    if (MAC2TX_TYPE2_CRD_VLD_I) begin
      mc_credit = mc_credit + {20'd0, MAC2TX_TYPE2_CRD_NUM_I};
      if (mc_credit > TYPE2_CRD_RST_NUM) mc_credit = TYPE2_CRD_RST_NUM;
    end
    if (MAC2TX_TYPE2_CREDIT_RST_I && `MUT(86, 1'b1, 1'b0)) mc_credit = TYPE2_CRD_RST_NUM;
  end
endtask

task automatic reset_credit;
  integer v;
  begin
    /* verilator unroll_disable */
    for (v = 0; v < 8; v = v + 1) begin
      v_size[v] = 12'd0;
      v_limit[v] = 20'd0;
      v_ovhd[v] = 10'd0;
      v_credit[v] = 20'd0;
      v_loaded[v] = 1'b0;
    end
    settings_old = 1'b1;
  end
endtask

// Hysteresis of one receive buffer.
function automatic crowded(input integer level, input [15:0] xon, input [15:0] xoff, input was);
  if (level >= `MUT(89, {16'd0, xoff}, {15'd0, xoff, 1'b0})) crowded = 1'b1;
  else if (level <= {16'd0, xon}) crowded = 1'b0;
  else crowded = `MUT(137, was, 1'b0);
endfunction

function automatic integer buffer_level(input integer f);
  case (f)
    4: buffer_level = ak_n;
    5: buffer_level = r2_level;
    6: buffer_level = (r3_level + 1) / 2;
    default: buffer_level = k_buf_per_bank ? r1_level[f]
                            : r1_level[0] + r1_level[1] + r1_level[2] + r1_level[3];
  endcase
endfunction

// All that pause requests depend on beside registers, and what it was when they were computed.
wire [4:0] stops = {TYPE2_PFC_REQ_I, TYPE1_FLOW_STOP_I};
reg [228:0] pause_inputs;
reg [228:0] pause_before;

task automatic drive_pause;
  integer f;
  reg stop;
  reg [7:0] request;
  begin
    request = 8'd0;
    /* verilator unroll_disable */
    for (f = 0; f < 7; f = f + 1) begin
      if (f == 4) congested[f] = crowded(buffer_level(f), g_thr_non[47:32], g_thr_non[63:48], congested[f]);
      else if (f == 6) congested[f] = crowded(buffer_level(f), g_thr_non[15:0], g_thr_non[31:16], congested[f]);
      else congested[f] = crowded(buffer_level(f), g_thr_rdma[15:0], g_thr_rdma[31:16], congested[f]);
      stop = 1'b0;
      if (f < 4) stop = `MUT(90, g_thr_rdma[46 + f], 1'b1) && TYPE1_FLOW_STOP_I[f];
      if (f == 5) stop = TYPE2_PFC_REQ_I;
      if (`MUT(92, g_thr_rdma[32 + f], g_thr_rdma[32 + f] || !g_afh[5]) && (congested[f] || stop))
        request[vc_of(f)] = 1'b1;
    end
    TX_PFC_REQ_O <= request;
  end
endtask

task automatic drive_credit_display;
  integer f;
  reg [19:0] credit;
  reg [111:0] left;
  begin
    /* verilator unroll_disable */
    for (f = 0; f < 7; f = f + 1) begin
      credit = v_credit[vc_of(f)];
      left[16*f +: 16] = (credit > 20'h0FFFF) ? 16'hFFFF : credit[15:0];
    end
    DFX_CBFC_CF_O <= left;
  end
endtask

// Both are computed only after a change: with the same inputs the hysteresis stays as it is.
task automatic drive_pfc;
  begin
    pause_inputs = {stops, ak_n, r2_level, r3_level, r1_level[0], r1_level[1], r1_level[2], r1_level[3]};
    if (pause_old || pause_inputs !== pause_before) drive_pause;
    pause_before = pause_inputs;
    pause_old = 1'b0;
    if (credit_old) drive_credit_display;
    credit_old = 1'b0;
  end
endtask
