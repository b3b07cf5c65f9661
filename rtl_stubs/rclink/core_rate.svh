// SPDX-License-Identifier: BSD-3-Clause
// Rate control: bytes per window of every QP and of TYPE2.

reg [31:0] win_clocks;
reg [31:0] win_length;             // window_length of the registers
reg sweeping;
reg [QP_AW-1:0] sweep_qp;
reg [21:0] t2_speed;
reg [23:0] t2_acc;

// Mask of a QP after a change of its count or rate; a change is reported.
task automatic rate_judge(input [QP_AW-1:0] q);
  reg mask;
  begin
    mask = `MUT(64, q_acc[q] >= {2'd0, q_speed[q]}, q_acc[q] > {2'd0, q_speed[q]} || q_speed[q] == 22'd0);
    mask = `MUT(69, mask, mask && q_speed[q] != 22'd0);
    mask = `MUT(205, mask, q_acc[q] >= {2'd0, q_speed[q]} + 24'd2000 || q_speed[q] == 22'd0);
    if (mask != q_mask[q]) begin
      q_mask[q] = mask;
      relink(q, `MUT(72, 1'b1, 1'b0));
      if (cc_n < CC_DEPTH) begin
        cc_mem[(cc_rd + cc_n) % CC_DEPTH] = {mask, q};
        cc_n = cc_n + 1;
      end
    end
  end
endtask

task automatic rate_add(input [QP_AW-1:0] q, input [12:0] bytes);
  reg [24:0] sum;
  begin
    sum = {1'b0, q_acc[q]} + {12'd0, bytes};
    q_acc[q] = sum[24] ? 24'hFFFFFF : sum[23:0];
    rate_judge(q);
  end
endtask

// What remains of a count when the window starts anew.
function automatic [23:0] carried(input [23:0] acc, input [21:0] speed);
  carried = (acc > {2'd0, speed}) ? `MUT(65, acc - {2'd0, speed}, 24'd0) : 24'd0;
endfunction

function automatic type2_masked(input dummy);
  type2_masked = `MUT(71, t2_acc >= {2'd0, t2_speed}, 1'b0);
endfunction

task automatic take_rates;
  begin
    if (SET_CC_RATE_VLD_I && `MUT(135, !q_cc_locked[SET_CC_RATE_QPID_I], 1'b1)) begin
      q_speed[SET_CC_RATE_QPID_I] = SET_CC_RATE_DAT_I;
      rate_judge(SET_CC_RATE_QPID_I);
    end
    if (SET_TYPE2_RATE_VLD_I) t2_speed = SET_TYPE2_RATE_DAT_I;
  end
endtask

// Length of the window in clocks: 4.096 us and doublings of it.
function automatic [31:0] window_length(input dummy);
  reg [2:0] n;
  begin
    n = (g_misc[10:8] > 3'd4) ? 3'd4 : g_misc[10:8];
    n = `MUT(67, n, (n == 3'd4) ? 3'd3 : n);
    window_length = ((32'd4096 << n) * CLKS_PER_US) / 1000;
  end
endfunction

`ifdef MUTATION
// Fault 202: a queue pair in debt may send one packet more in each window.
task automatic forgive(input [QP_AW-1:0] q);
  if (q_speed[q] != 22'd0 && q_acc[q] >= {2'd0, q_speed[q]}) begin
    q_forgiven[q] = 1'b1;
    relink(q, 1'b1);
  end
endtask
`endif

task automatic run_rate_window;
  reg [QP_AW-1:0] q;
  begin
    win_clocks = win_clocks + 1;
    if (win_clocks >= win_length) begin
      win_clocks = 32'd0;
      sweeping = 1'b1;
      sweep_qp = {QP_AW{1'b0}};
      t2_acc = carried(t2_acc, t2_speed);
    end
    if (sweeping) begin
      q = takes(6) ? ~sweep_qp : sweep_qp;
      q_acc[q] = carried(q_acc[q], q_speed[q]);
      `MUT_DO(202, forgive(q);)
      rate_judge(q);
      sweeping = (sweep_qp != `MUT(66, QP_NUM - 1, QP_NUM - 2));
      sweep_qp = sweep_qp + 1'b1;
    end
    if (cc_n > 0) begin
      CC_TYPE1_QP_EN_SET_O <= !cc_mem[cc_rd][QP_AW];
      CC_TYPE1_QP_EN_CLR_O <= cc_mem[cc_rd][QP_AW];
      CC_TYPE1_QP_ID_O <= `MUT(70, cc_mem[cc_rd][QP_AW-1:0], cc_mem[(cc_rd + cc_n - 1) % CC_DEPTH][QP_AW-1:0]);
      cc_rd = (cc_rd + 1) % CC_DEPTH;
      cc_n = cc_n - 1;
    end
  end
endtask
