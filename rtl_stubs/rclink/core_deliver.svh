// SPDX-License-Identifier: BSD-3-Clause
// RX_M: packets of TYPE1 and TYPE2 in turn, one whole packet after the other.

reg m_busy;
reg m_shown;                       // a beat waits on RX_M
reg m_type2;
reg m_last_type2;                  // the last packet was of TYPE2
reg m_first;
reg [12:0] m_len;
integer m_left;
reg [QP_AW-1:0] m_qp;
reg [9:0] m_sa;
integer r1_rd;
integer r2_rd;

task automatic next_packet;
  begin
    if (i1_n > 0 || i2_n > 0) begin
      m_busy = 1'b1;
      m_first = 1'b1;
      m_type2 = (i1_n == 0) || (i2_n > 0 && (takes(13) || !m_last_type2));
      m_last_type2 = m_type2;
      if (m_type2) begin
        {m_len, m_sa} = i2_mem[i2_rd];
        m_qp = {QP_AW{1'b0}};
        i2_rd = (i2_rd + 1) % R2_DEPTH;
        i2_n = i2_n - 1;
      end else begin
        {m_qp, m_len, m_sa} = i1_mem[i1_rd];
        i1_rd = (i1_rd + 1) % R1_DEPTH;
        i1_n = i1_n - 1;
      end
      m_left = {19'd0, m_len};
    end
  end
endtask

task automatic drive_rx_m;
  integer n;
  begin
    if (m_shown && !(TYPE1_2_RX_M_VLD_O && TYPE1_2_RX_M_RDY_I))
      TYPE1_2_RX_M_VLD_O <= `MUT(171, 1'b1, now[2:0] != 3'd0);
    else begin
      if (!m_busy) next_packet;
      TYPE1_2_RX_M_VLD_O <= m_busy;
      m_shown = m_busy;
      if (m_busy) begin
        n = (m_left > 64) ? 64 : m_left;
        TYPE1_2_RX_M_FS_O <= m_first;
        TYPE1_2_RX_M_FE_O <= (m_left <= 64);
        TYPE1_2_RX_M_DAT_O <= first_bytes(m_type2 ? r2_mem[r2_rd] : r1_mem[r1_rd], n);
        TYPE1_2_RX_M_KEEP_O <= (n == 0) ? 64'd0 : ({64{1'b1}} << `MUT(172, 64 - n, (64 - n) & 60));
        TYPE1_2_RX_M_QPID_O <= m_qp;
        TYPE1_2_RX_M_ETYPE_O <= m_type2 ? `MUT(173, 2'd3, 2'd1) : 2'd0;
        TYPE1_2_RX_M_LEN_O <= m_len;
        TYPE1_2_RX_M_SA_O <= m_sa;
        if (m_type2) begin
          r2_rd = (r2_rd + 1) % R2_DEPTH;
          r2_level = r2_level - 1;
        end else begin
          r1_rd = (r1_rd + 1) % R1_DEPTH;
          r1_used = r1_used - 1;
          r1_level[bank_of(m_qp)] = r1_level[bank_of(m_qp)] - 1;
        end
        m_left = m_left - 64;
        m_first = 1'b0;
        m_busy = (m_left > 0);
      end
    end
  end
endtask
