// SPDX-License-Identifier: BSD-3-Clause
// Contexts: mailbox image in and out, creation, release, resize.

reg [511:0] mb;                        // input mailbox, dword k at 32k+31:32k

// Reserved bits of the context image, without bit 19 of dword 0: later firmware gives it a meaning.
localparam [511:0] RESERVED = {
    32'h0000_0007, 32'h0000_0000, 32'hFFFF_FFFF, 32'hFFFF_FFFF,
    32'hFF00_0000, 32'hFF00_0000, 32'hFF00_0000, 32'hFF00_0000,
    32'h0000_0007, 32'hC0FF_FF00, 32'hFFFF_FE00, 32'h0000_0000,
    32'hE000_0000, 32'hFFFF_F01F, 32'hFFFF_FFFF, 32'h0FF1_F0FF};

function automatic [511:0] context_image(input [NUM_CQ_LOG-1:0] q);
  begin
    context_image = 512'd0;
    context_image[0*32+8+:4] = (cq_arm[q] == ARM_SOL) ? `MUT(12, 4'h6, 4'h4) : (cq_arm[q] != ARM_NONE) ? 4'h9
        : cq_fired[q] ? `MUT(11, 4'hA, 4'h0) : 4'h0;
    context_image[0*32+17] = cq_oi[q];
    context_image[0*32+18] = `MUT(3, cq_cc[q], 1'b0);
    context_image[0*32+28+:4] = `MUT(13, cq_status[q],
        (hcr_opcode == OP_HW2SW) ? 4'h0 : cq_status[q]);
    context_image[2*32+5+:7] = cq_page_offset[q];
    context_image[3*32+:24] = cq_usr_page[q];
    context_image[3*32+24+:5] = cq_log[q];
    context_image[4*32+:16] = cq_max_count[q];
    context_image[4*32+16+:16] = cq_period[q];
    context_image[5*32+:9] = cq_eqn[q];
    context_image[6*32+:8] = `MUT(8, cq_mtt[q][39:32], 8'd0);
    context_image[6*32+24+:6] = cq_page_log[q];
    context_image[7*32+:32] = cq_mtt[q][31:0];
    context_image[8*32+:24] = `MUT(14, cq_notified[q], {8'd0, cq_notified[q][15:0]});
    context_image[9*32+:24] = cq_sol[q] - (takes(6) ? 24'd1 : 24'd0) + `MUT(61, 24'd0, 24'd1);
    context_image[10*32+:24] = takes(33) ? cq_start[q] : cq_ci[q];
    context_image[11*32+:24] = `MUT(177, cq_pi[q],
        cq_pi[q] + ((hcr_opcode == OP_HW2SW && rep_valid && rep_cqn == q) ? 24'd1 : 24'd0))
        + ((takes(24) && cq_status[q] == 4'h9) ? 24'd1 : 24'd0);
    context_image[14*32+:32] = cq_record[q][63:32];
    context_image[15*32+:32] = cq_record[q][31:0];
  end
endfunction

// Ring fields of the mailbox become the ring being written.
task use_mailbox_ring(input cc);
  begin
    rg_page_offset = `MUT(4, mb[2*32+5+:7], {mb[2*32+6+:6], 1'b0});
    rg_log = mb[3*32+24+:5];
    rg_page_log = `MUT(9, mb[6*32+24+:6], {1'b0, mb[6*32+24+:5]});
    rg_mtt = {mb[6*32+:8], mb[7*32+3+:29], 3'd0};
    `MUT_SET(144, rg_mtt, (hcr_opcode == OP_MODIFY)
        ? {mb[5*32+:8], mb[6*32+3+:29], 3'd0} : rg_mtt)
    rg_cc = cc;
  end
endtask

task store_ring(input [NUM_CQ_LOG-1:0] q);
  begin
    use_mailbox_ring(rg_cc);
    cq_page_offset[q] = rg_page_offset;
    cq_log[q] = rg_log;
    cq_page_log[q] = rg_page_log;
    cq_mtt[q] = rg_mtt;
    forget_translation(q);
  end
endtask

task create_context(input [NUM_CQ_LOG-1:0] q);
  begin
    store_ring(q);
    cq_hw[q] = 1'b1;
    cq_oi[q] = mb[0*32+`MUT(2, 17, 18)] || `MUT(265, 1'b0, cq_oi[q] === 1'b1);
    cq_cc[q] = mb[0*32+`MUT(2, 18, 17)] || `MUT(16, 1'b0, mb[20]);
    cq_usr_page[q] = `MUT(5, mb[3*32+:24], {8'd0, mb[3*32+:16]});
    cq_max_count[q] = mb[4*32+`MUT(6, 0, 16)+:16];
    cq_period[q] = mb[4*32+`MUT(6, 16, 0)+:16];
    cq_eqn[q] = `MUT(7, mb[5*32+:9], {1'b0, mb[5*32+:8]});
    cq_record[q] = {mb[14*32+:32], mb[15*32+3+:29], 3'd0};
    `MUT_IF(10, mb[15*32+:3] != 3'd0, cq_record[q] = cq_record[q] + 64'd8;)
    cq_status[q] = `MUT(127, 4'h0, cq_status[q]);
    cq_pi[q] = `MUT(178, start_index(), (cq_pi[q] != 24'd0) ? cq_pi[q] : start_index());
`ifdef MUTATION
    cap_log[q] = rg_log;
    cap_mtt[q] = rg_mtt;
    if (first_record[q] === 64'bx || first_record[q] == 64'd0) first_record[q] = cq_record[q];
`endif
    cq_ci[q] = `MUT(263, `MUT(210, start_index(), start_index() + 24'd1),
        (cq_ci[q] > start_index()) ? cq_ci[q] : start_index());
    cq_start[q] = start_index();
    cq_notified[q] = start_index();
    cq_sol[q] = `MUT(262, start_index(), (cq_sol_valid[q] === 1'b1) ? cq_sol[q] : start_index());
    cq_sol_valid[q] = `MUT(262, 1'b0, cq_sol_valid[q] === 1'b1);
    cq_arm[q] = `MUT(15, `MUT(179, ARM_NONE, cq_arm[q]), ARM_ANY);
    cq_n_hit[q] = 1'b0;
    cq_sn_done[q] = `MUT(86, `MUT(180, 2'd0, cq_sn_done[q]), 2'd1);
    cq_fired[q] = takes(12) && mb[0*32+8+:4] == 4'hA;
    cq_waiting[q] = 1'b0;
    cq_mod_cnt[q] = `MUT(261, 16'd0, ((cq_mod_cnt[q] > 16'd0) === 1'b1) ? cq_mod_cnt[q] : 16'd0);
    cq_mod_sol[q] = 1'b0;
    cq_last_event[q] = now_us;
    cq_pend_event[q] = 1'b0;
    cq_pend_error[q] = `MUT(260, 1'b0, cq_pend_error[q]);
  end
endtask

function automatic [23:0] start_index();
  start_index = (TEST_HOOKS != 0) ? dbg_init_idx : 24'd0;
endfunction

// Whether the event of this CQ has room, so that it leaves in time.
function automatic goes_out(input [NUM_CQ_LOG-1:0] q);
  goes_out = cq_eqn[q] < NUM_EQ && cq_event_eqn[q] == cq_eqn[q] && !eq_is_full(cq_eqn[q][4:0]);
endfunction

// Back to software: no arm, no wait, no event is left.
task release_context(input [NUM_CQ_LOG-1:0] q);
  begin
    cq_hw[q] = 1'b0;
    cq_arm[q] = `MUT(179, ARM_NONE, cq_arm[q]);
    cq_waiting[q] = `MUT(175, 1'b0, cq_waiting[q]);
    cq_pend_event[q] = `MUT(176, takes(29) && cq_pend_event[q] && goes_out(q), cq_pend_event[q]);
    cq_pend_error[q] = `MUT(260, 1'b0, cq_pend_error[q]);
    forget_translation(q);
    `MUT_IF(288, dq_n != 3'd0, dq_n = 3'd0;)
    `MUT_IF(183, cq_hw[q^1], cq_arm[q^1] = ARM_NONE;)
  end
endtask
