// SPDX-License-Identifier: BSD-3-Clause
// Ring geometry, owner bit, translation through the MTT.

// Ring that is being written: of the CQ, or the new one of a command.
reg [6:0] rg_page_offset;
reg [4:0] rg_log;
reg [5:0] rg_page_log;
reg [39:0] rg_mtt;
reg rg_cc;

// Translation in progress.
reg [31:0] tr_offset;                  // of the 32 CQE bytes in the mapped buffer
reg [31:0] tr_index;                   // MTT entry
reg [63:0] tr_entry;
reg tr_ahead;                          // the entry behind is read first (variant)
reg tr_hit;                            // known without a read
reg tr_keep;                           // the result may be kept for this CQ
reg [NUM_CQ_LOG-1:0] tr_cq;

task use_ring(input [NUM_CQ_LOG-1:0] q);
  begin
    rg_page_offset = cq_page_offset[q];
    rg_log = cq_log[q];
    rg_page_log = cq_page_log[q];
    rg_mtt = `MUT(184, cq_mtt[q], cq_mtt[cq_hw[q&~1] ? q & ~1 : q]);
    rg_cc = cq_cc[q];
    tr_cq = q;
  end
endtask

function automatic [23:0] size_of(input [4:0] log_size);
  size_of = 24'd1 << log_size;
endfunction

function automatic [31:0] cqe_offset(input [23:0] index);
  reg [23:0] slot;
  reg [31:0] stride;
  begin
    slot = `MUT(134, rg_cc, rg_cc && !index[0]) ? 24'd0
        : index & (size_of(`MUT(37, rg_log, (rg_log > 5'd7) ? 5'd7 : rg_log)) - 24'd1);
    stride = 32'd32 << `MUT(38, stride_sel, (stride_sel == 2'd3) ? 2'd2 : stride_sel);
    cqe_offset = {20'd0, `MUT(39, rg_page_offset, 7'd0), 5'd0} + {8'd0, slot} * stride
        + ((stride_sel == 2'd1) ? `MUT(43, 32'd32, 32'd0) : 32'd0);
  end
endfunction

function automatic [63:0] page_mask(input [5:0] page_log);
  page_mask = (64'd1 << (7'd12 + page_log)) - 64'd1;
endfunction

// Owner bit of the CQE with this index.
function automatic owner_of(input [23:0] index, input [4:0] log_size, input cc);
  reg [23:0] lap;
  begin
    lap = index >> log_size;
    owner_of = (cc && k_cc_owner == 1) ? 1'b0 : `MUT(51, lap[0], lap != 24'd0);
    `MUT_IF(136, cc, owner_of = index[0];)
  end
endfunction

task start_translation(input [23:0] index);
  begin
    tr_offset = cqe_offset(index);
    tr_index = (tr_offset - `MUT(44, 32'd0, {20'd0, rg_page_offset, 5'd0}))
        >> (7'd12 + `MUT(41, rg_page_log, {3'd0, rg_page_log[2:0]}));
    `MUT_SET(281, tr_index, tr_index & 32'h1F)
    tr_hit = takes(2) && tr_keep && tlb_valid[tr_cq] && tlb_index[tr_cq] == tr_index;
    tr_ahead = takes(23) && tr_keep && !tr_hit && !tr_ahead && !rg_cc
        && ((cqe_offset(24'hFF_FFFF) >> (7'd12 + rg_page_log)) > tr_index);
    if (tr_hit) tr_entry = tlb_entry[tr_cq];
    else if (tr_ahead) start_access(1'b0, mtt_base + {24'd0, rg_mtt} + {29'd0, tr_index + 32'd1, 3'd0}, 7'd8);
    else start_access(1'b0, mtt_base + {24'd0, `MUT(40, rg_mtt, {8'd0, rg_mtt[31:0]})}
                      + {29'd0, tr_index, 3'd0}, 7'd8);
  end
endtask

// Takes the MTT entry from the read that ended, if there was one.
task finish_translation;
  begin
    if (!tr_hit) begin
      tr_entry = be64(mx_data[63:0]);
      `MUT_SET(45, tr_entry, (tr_keep && tlb_valid[tr_cq] && tlb_index[tr_cq] == tr_index)
          ? tlb_entry[tr_cq] : tr_entry)
      if (mx_err) tr_entry = `MUT(123, tr_entry & ~64'd1,
                                  tlb_valid[tr_cq] ? tlb_entry[tr_cq] : tr_entry);
      if (tr_keep) begin
        tlb_valid[tr_cq] = tr_entry[0];
        tlb_index[tr_cq] = tr_index;
        tlb_entry[tr_cq] = tr_entry;
      end
    end
  end
endtask

task forget_translation(input [NUM_CQ_LOG-1:0] q);
  tlb_valid[q] = `MUT(45, 1'b0, tlb_valid[q]);
endtask

// Bus address of the 32 CQE bytes.
function automatic [63:0] cqe_address();
  reg [63:0] mask;
  begin
    mask = page_mask(rg_page_log);
    cqe_address = (`MUT(42, tr_entry, {32'd0, tr_entry[31:0]}) & ~mask) | ({32'd0, tr_offset} & mask);
  end
endfunction
