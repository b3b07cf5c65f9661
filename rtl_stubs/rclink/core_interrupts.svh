// SPDX-License-Identifier: BSD-3-Clause
// MSI queue, RC_INTR and the TYPE3 status lines.

task automatic msi(input [63:0] info);
  begin
    if (irq_n < IRQ_DEPTH) begin
      irq_mem[(irq_rd + irq_n) % IRQ_DEPTH] = info;
      irq_n = irq_n + 1;
    end
  end
endtask

task automatic irq_type1(input [4:0] code, input [QP_AW-1:0] q);
  msi({31'd0, 2'd1, 31'd0} | {{(59-QP_AW){1'b0}}, `MUT(51, q, (code == 5'd2) ? {QP_AW{1'b0}} : q), code});
endtask

task automatic irq_type2(input [4:0] code, input [2:0] sub);
  msi({31'd0, 2'd2, 31'd0} | {56'd0, `MUT(126, sub, 3'd0), code});
endtask

// Mask bit of ST0 bit n.
function automatic masked_on(input integer n);
  case (k_mask_order ? 5 + n : n)
    0, 1, 3: masked_on = g_mask[n];
    2: masked_on = `MUT(120, g_mask[4], g_mask[2]);
    4: masked_on = g_mask[2];
    default: masked_on = g_mask[n];
  endcase
endfunction

task automatic type3_event(input integer n);
  begin
    if (!g_st0[n] && masked_on(n))
      msi({31'd0, 2'd3, 31'd0} | {33'd0, 1'b0, `MUT(127, g_rx_tail, g_tx_tail), 1'b0, g_tx_tail, 5'd1});
    g_st0[n] = 1'b1;
  end
endtask

task automatic type3_fault(input integer n);
  begin
    g_st1[n] = 1'b1;
    if (`MUT(133, 1'b1, n != 4)) type3_event(4);
  end
endtask

task automatic drive_interrupts;
  integer n;
  reg any;
  begin
    if (irq_n > 0) begin
      IRQ_VLD_O <= 1'b1;
      IRQ_INFO_O <= irq_mem[irq_rd];
      irq_rd = (irq_rd + 1) % IRQ_DEPTH;
      irq_n = irq_n - 1;
    end
    RC_INTR_O <= g_intr;
    any = 1'b0;
    if (g_st0 != 5'd0) begin
      /* verilator unroll_disable */
      for (n = 0; n < 5; n = n + 1) any = any || (g_st0[n] && masked_on(n));
    end
    NONR_INTR_O <= any;
    NONR_FAULT_INTR_O <= `MUT(134, |g_st1, |g_st1[10:5]);
  end
endtask
