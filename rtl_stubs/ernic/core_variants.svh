// SPDX-License-Identifier: BSD-3-Clause
// Legal variants from number 10 on: other freedoms of the specification (table in README.md).

localparam ALL_VARIANTS = 23;

// Whether the freedom of variant n is taken. Number 23 takes all at once; timers cannot be late and early (13).
function automatic takes(input [4:0] n);
  takes = (variant == {27'd0, n}) || (variant == ALL_VARIANTS && n != 5'd13);
endfunction

reg [15:0] v_ip_id = 16'd0;        // 15: identification of the next IPv4 frame
reg [15:0] v_errors = 16'd0;       // 16: ERRBUFWPTR and IPKTERRQWPTR run free
reg [15:0] v_fatals = 16'd0;
reg v_cq_rung = 1'b0;              // 19: the doorbell was written once
reg v_rq_rung = 1'b0;
reg v_reply_last = 1'b0;           // 21: the last frame was a reply
reg [31:0] v_late [0:31];          // 20: counters as they were up to eight clocks ago

task automatic reset_variants;
  integer k;
  begin
    v_errors = 16'd0;
    v_fatals = 16'd0;
    v_cq_rung = 1'b0;
    v_rq_rung = 1'b0;
    v_reply_last = 1'b0;
    for (k = 0; k < 32; k = k + 1) v_late[k] = 32'd0;
  end
endtask

task automatic variants_step;
  integer k;
  if (takes(5'd20) && now[2:0] == 3'd0)
    for (k = 0; k < 32; k = k + 1) v_late[k] = read_global(12'h100 + {5'd0, k[4:0], 2'b00});
endtask

// 17: addresses without a register.
function automatic is_hole(input [20:0] addr);
  begin
    if (!addr[20]) is_hole = (addr[7:5] != 3'd0) || (addr[19:8] >= C_MR_ROWS);
    else if (!addr[19]) begin
      case (addr[18:8])
        11'd0:
          is_hole = (global_mask(addr[7:2]) == 32'd0) && (addr[7:2] != G_ERRBUFWPTR) && (addr[7:2] != G_IPKTWPTR);
        11'd1:
          is_hole = (addr[7:2] == 6'h07) || (addr[7:2] == 6'h08) || (addr[7:2] == 6'h0A)
                    || (addr[7:2] >= 6'h11 && addr[7:2] <= 6'h1C) || (addr[7:2] == 6'h22) || (addr[7:2] == 6'h23);
        default: is_hole = (addr[18:0] >= 19'h00490);
      endcase
    end else begin
      case (addr[7:2])
        Q_CQHEAD, Q_SSN, Q_MSN, Q_STAT, Q_CURSQ, Q_RESPSN, Q_RQCA, Q_STATWQE, Q_RQPI, Q_RQCAH: is_hole = 1'b0;
        default: is_hole = (qp_mask(addr[7:2], 1'b0) == 32'd0);
      endcase
      if (addr[18:8] >= C_NUM_QP) is_hole = 1'b1;
    end
  end
endfunction
