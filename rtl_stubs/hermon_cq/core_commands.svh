// SPDX-License-Identifier: BSD-3-Clause
// Commands: checks in the order of the text, mailboxes, pre-fill, resize.

localparam [7:0] ST_OK = 8'h00;
localparam [7:0] ST_INTERNAL_ERR = 8'h01;
localparam [7:0] ST_BAD_OP = 8'h02;
localparam [7:0] ST_BAD_PARAM = 8'h03;
localparam [7:0] ST_BAD_SYS_STATE = 8'h04;
localparam [7:0] ST_BAD_RESOURCE = 8'h05;
localparam [7:0] ST_EXCEED_LIM = 8'h08;
localparam [7:0] ST_BAD_RES_STATE = 8'h09;
localparam [7:0] ST_BAD_INDEX = 8'h0A;
localparam [7:0] ST_ICM_ERROR = 8'h0C;
localparam [7:0] ST_BAD_SIZE = 8'h40;

localparam [11:0] OP_SW2HW = 12'h016;
localparam [11:0] OP_HW2SW = 12'h017;
localparam [11:0] OP_QUERY = 12'h018;
localparam [11:0] OP_MODIFY = 12'h02C;

reg [NUM_CQ_LOG-1:0] cm_cq;
reg [23:0] fill_start;                 // first index the new ring will take
reg [23:0] fill_slot;
reg [23:0] fill_left;
reg in_command;

function automatic is_known();
  case (`MUT(32, hcr_opcode, {4'd0, hcr_opcode[7:0]}))
    OP_SW2HW, OP_HW2SW: is_known = hcr_opmod <= 4'd1;
    OP_QUERY: is_known = `MUT(33, hcr_opmod == 4'd0, 1'b1);
    OP_MODIFY: is_known = hcr_opmod <= 4'd3;
    default: is_known = 1'b0;
  endcase
endfunction

task begin_command;
  begin
    in_command = 1'b1;
    cm_cq = hcr_mod[NUM_CQ_LOG-1:0];
    if (!is_known()) finish_command(ST_BAD_OP);
    else if (`MUT(35, !init_done, 1'b0)) finish_command(ST_BAD_SYS_STATE);
    else if (`MUT(27, hcr_mod[23:0], hcr_mod[NUM_CQ_LOG-1:0])
             >= `MUT(19, NCQ, (hcr_mod[23:0] == NCQ - 1) ? NCQ - 1 : NCQ))
      finish_command(ST_BAD_INDEX);
    else if (`MUT(276, 1'b0, hcr_mod[31:24] != 8'd0)) finish_command(ST_BAD_INDEX);
    else if (hcr_mod[23:0] < k_rsvd_cqs) finish_command(ST_BAD_RESOURCE);
    else if (wrong_owner()) begin
      `MUT_IF(24, hcr_opcode == OP_SW2HW && cq_arm[cm_cq] != ARM_NONE,
              cq_arm[cm_cq] = ARM_NONE;)
      finish_command(ST_BAD_RES_STATE);
    end else if (`MUT(126, 1'b0, hcr_opcode == OP_HW2SW && cq_status[cm_cq] != 4'h0))
      finish_command(ST_BAD_RES_STATE);
    else if (`MUT(212, 1'b0, hcr_opcode == OP_HW2SW && cq_arm[cm_cq] != ARM_NONE))
      finish_command(ST_BAD_RES_STATE);
    else if (hcr_opcode == OP_SW2HW || hcr_opcode == OP_MODIFY) begin
      start_access(1'b0, `MUT(277, hcr_in & ~64'd63, hcr_in & ~64'd31), 7'd64);
      es = E_CMD_IN;
    end else if (hcr_opcode == OP_QUERY || `MUT(25, hcr_opmod == 4'd0, 1'b1)) begin
      start_access(1'b1, hcr_out & ~64'd63, 7'd64);
      mx_data = swap_dwords(context_image(cm_cq));
      `MUT_SET(1, mx_data, exchange_dwords(mx_data))
      `MUT_IF(28, hcr_opcode == OP_QUERY && cq_arm[cm_cq] != ARM_NONE,
              cq_arm[cm_cq] = ARM_NONE;)
      `MUT_IF(29, hcr_opcode == OP_QUERY && cq_mod_cnt[cm_cq] != 16'd0,
              cq_mod_cnt[cm_cq] = 16'd0;)
      `MUT_IF(252, hcr_opcode == OP_QUERY && cq_waiting[cm_cq], cq_last_event[cm_cq] = now_us;)
      hcr_go = `MUT(17, 1'b1, 1'b0);
      es = E_CMD_OUT;
    end else begin
      release_context(cm_cq);
      finish_command(ST_OK);
      `MUT_DO(236, hcr_go = 1'b1; in_command = 1'b1; es = E_CMD_OUT;
              start_access(1'b0, hcr_out & ~64'd63, 7'd64);)
    end
  end
endtask

function automatic wrong_owner();
  begin
    wrong_owner = cq_hw[cm_cq] == (hcr_opcode == OP_SW2HW);
    `MUT_IF(23, hcr_opcode == OP_SW2HW && wrong_owner, wrong_owner = 1'b0;)
    `MUT_IF(26, hcr_opcode == OP_QUERY && wrong_owner, wrong_owner = 1'b0;)
  end
endfunction

`ifdef MUTATION
function automatic [511:0] exchange_dwords(input [511:0] x);
  integer k;
  for (k = 0; k < 8; k = k + 1) exchange_dwords[64*k+:64] = {x[64*k+:32], x[64*k+32+:32]};
endfunction
`endif

task finish_command(input [7:0] status);
  begin
    es = E_IDLE;
    hcr_status = (takes(26) && status != ST_OK && status != ST_BAD_SIZE) ? ST_BAD_PARAM : status;
    hcr_go = `MUT(188, 1'b0, status == ST_BAD_SIZE);
    in_command = 1'b0;
    scan_left = NCQ + 1;
  end
endtask

task run_command_output;
  begin
    if (mx_done) begin
      if (`MUT(171, mx_err, 1'b0)) begin
        `MUT_IF(267, hcr_opcode == OP_HW2SW, release_context(cm_cq);)
        finish_command(ST_INTERNAL_ERR);
      end else begin
        if (hcr_opcode == OP_HW2SW) release_context(cm_cq);
        finish_command(ST_OK);
      end
    end
  end
endtask

task run_command_input;
  reg sizes;                           // the mailbox describes a ring
  begin
    if (mx_done) begin
      mb = swap_dwords(mx_data);
      sizes = hcr_opcode == OP_SW2HW || hcr_opmod == 4'd0;
      `MUT_IF(286, mx_err && hcr_opcode == OP_MODIFY && hcr_opmod == 4'd1, cq_max_count[cm_cq] = 16'd0;)
      if (`MUT(170, mx_err, 1'b0)) finish_command(ST_INTERNAL_ERR);
      else if (sizes && `MUT(34, mb[3*32+24+:5] > k_max_log, mb[3*32+24+:5] > k_max_log + 1))
        finish_command(takes(11) ? ST_BAD_PARAM : ST_EXCEED_LIM);
      else if (hcr_opcode == OP_SW2HW) check_create;
      else if (takes(31) && (mb & ~RESERVED & ~modified_fields()) != 512'd0) finish_command(ST_BAD_PARAM);
      else if (cq_status[cm_cq] != 4'h0) finish_command(ST_BAD_RES_STATE);
      else if (hcr_opmod == 4'd0) begin_resize;
      else begin
        modify;
        finish_command(ST_OK);
      end
    end
  end
endtask

// Bits of the mailbox that MODIFY_CQ has a use for.
function automatic [511:0] modified_fields();
  begin
    modified_fields = 512'd0;
    case (hcr_opmod)
      4'd0: begin
        modified_fields[2*32+5+:7] = 7'h7F;
        modified_fields[3*32+24+:5] = 5'h1F;
        modified_fields[6*32+:8] = 8'hFF;
        modified_fields[6*32+24+:6] = 6'h3F;
        modified_fields[7*32+3+:29] = {29{1'b1}};
      end
      4'd1: modified_fields[4*32+:32] = 32'hFFFF_FFFF;
      4'd2: modified_fields[5*32+:9] = 9'h1FF;
      default: modified_fields[0*32+17] = 1'b1;
    endcase
  end
endfunction

task modify;
  begin
    case (hcr_opmod)
      4'd1: begin
        cq_max_count[cm_cq] = mb[4*32+:16];
        cq_period[cm_cq] = mb[4*32+16+:16];
        `MUT_IF(110, cq_waiting[cm_cq], cq_arm[cm_cq] = ARM_NONE;)
        `MUT_SET(30, cq_eqn[cm_cq], mb[5*32+:9])
        look_at(cm_cq);
      end
      4'd2: begin
        cq_eqn[cm_cq] = `MUT(152, mb[5*32+:9],
            (cq_arm[cm_cq] != ARM_NONE) ? cq_eqn[cm_cq] : mb[5*32+:9]);
        `MUT_SET(31, cq_max_count[cm_cq], mb[4*32+:16])
        `MUT_SET(253, cq_mod_cnt[cm_cq], 16'd0)
        `MUT_SET(269, cq_pend_event[cm_cq], 1'b0)
      end
      default: if (mb[0*32+17]) begin
        cq_oi[cm_cq] = `MUT(131, 1'b1, cq_oi[cm_cq] || cq_arm[cm_cq] == ARM_NONE);
        `MUT_SET(132, cq_arm[cm_cq], ARM_NONE)
      end
    endcase
  end
endtask

task check_create;
  reg [3:0] st;
  begin
    st = mb[0*32+8+:4];
    if ((k_rsvd_mode == 1 && (mb & RESERVED) != 512'd0)
        || (k_create_st != 0 && st != 4'h0 && !(k_create_st == 2 && `MUT(211, st == 4'hA, 1'b0)))
        || (takes(17) && mb[5*32+:9] >= NUM_EQ)) begin
      finish_command(ST_BAD_PARAM);
    end else begin
      use_mailbox_ring(mb[0*32+18]);
      if (`MUT(22, hcr_opmod == 4'd0, 1'b1) && k_init_by_fw == 1) begin_fill(start_index());
      else begin
        create_context(cm_cq);
        finish_command(ST_OK);
      end
    end
  end
endtask

task begin_resize;
  begin
    if (takes(16) && mb[3*32+24+:5] == cq_log[cm_cq]) begin
      finish_command(ST_BAD_PARAM);
    end else if (capacity_counts(cm_cq)) begin
      read_record(cm_cq);
      es = E_CMD_RECORD;
    end else begin
      use_mailbox_ring(cq_cc[cm_cq]);
      begin_fill(cq_pi[cm_cq] + 24'd1);
    end
  end
endtask

task run_resize_record;
  reg signed [31:0] outstanding;
  begin
    if (mx_done) begin
      if (`MUT(143, 1'b1, 1'b0)) take_record(cm_cq);
      use_mailbox_ring(cq_cc[cm_cq]);
      outstanding = gap(cq_pi[cm_cq], cq_ci[cm_cq]);
      if (outstanding < 0) outstanding = 0;
      if (`MUT(148, is_full(cm_cq), 1'b0)
          || `MUT(142, outstanding + (takes(15) ? 2 : 1) > $signed({8'd0, size_of(rg_log)}),
                  1'b0)) begin
        `MUT_SET(36, cq_log[cm_cq], rg_log)
        `MUT_SET(266, cq_arm[cm_cq], ARM_NONE)
        finish_command(ST_BAD_SIZE);
      end
      else begin_fill(cq_pi[cm_cq] + 24'd1);
    end
  end
endtask

// Pre-fill: every slot reads as hardware-owned for the next index that lands there.
task begin_fill(input [23:0] start);
  begin
    fill_start = start;
    fill_left = rg_cc ? 24'd1 : size_of(rg_log) - `MUT(21, 24'd0, 24'd1);
    fill_slot = takes(8) ? fill_left - 24'd1 : 24'd0;
    tr_keep = 1'b0;
    start_translation(fill_slot);
    es = E_FILL_MTT;
  end
endtask

task run_fill_translation;
  begin
    if (mx_done) begin
      finish_translation;
      if (!tr_entry[0]) begin
        `MUT_IF(150, hcr_opcode == OP_MODIFY, store_ring(cm_cq);)
        `MUT_IF(268, hcr_opcode == OP_SW2HW, create_context(cm_cq);)
        finish_command(ST_ICM_ERROR);
      end else begin
        start_access(1'b1, cqe_address() + `MUT(164, 64'd31, 64'd63), 7'd1);
        mx_data = {64{fill_byte()}};
        es = E_FILL_WRITE;
      end
    end
  end
endtask

function automatic [7:0] fill_byte();
  reg [23:0] index;
  begin
    index = rg_cc ? fill_start : fill_start + ((fill_slot - fill_start) & (size_of(rg_log) - 24'd1));
    fill_byte = {!owner_of(index, rg_log, rg_cc), takes(21) ? 7'h4C : 7'h00};
    `MUT_IF(20, hcr_opcode == OP_SW2HW && fill_byte[7], fill_byte[7] = 1'b0;)
    `MUT_IF(141, hcr_opcode == OP_MODIFY && !fill_byte[7], fill_byte[7] = 1'b1;)
  end
endfunction

task run_fill_write;
  begin
    if (mx_done) begin
      fill_left = fill_left - 24'd1;
      fill_slot = takes(8) ? fill_slot - 24'd1 : fill_slot + 24'd1;
      if (mx_err) begin
        finish_command(ST_ICM_ERROR);
      end else if (fill_left != 24'd0) begin
        start_translation(fill_slot);
        es = E_FILL_MTT;
      end else if (hcr_opcode == OP_SW2HW) begin
        create_context(cm_cq);
        finish_command(ST_OK);
      end else begin
        use_ring(cm_cq);
        `MUT_SET(283, rg_mtt, cap_mtt[cm_cq])
        start_translation(cq_pi[cm_cq] + `MUT(148, 24'd0, {23'd0, is_full(cm_cq)}));
        es = E_RSZ_MTT;
      end
    end
  end
endtask

// The resize CQE goes to the old ring, before the new one is taken.
task run_resize_translation;
  begin
    if (mx_done) begin
      finish_translation;
      if (!tr_entry[0]) begin
        finish_command(ST_ICM_ERROR);
      end else begin
        start_access(1'b1, cqe_address(), 7'd32);
        mx_data = swap_dwords({256'd0, resize_cqe()});
        es = E_RSZ_CQE;
      end
    end
  end
endtask

function automatic [255:0] resize_cqe();
  begin
    resize_cqe = takes(20) ? {24'd0, 8'd0, {7{32'hA5A5_A5A5}}} : 256'd0;
    resize_cqe[7*32+:5] = `MUT(137, 5'h16, 5'h1E);
    resize_cqe[7*32+7] = owner_of(cq_pi[cm_cq], `MUT(138, cq_log[cm_cq], mb[3*32+24+:5]),
                                  cq_cc[cm_cq]);
  end
endfunction

task run_resize_write;
  begin
    if (mx_done) begin
      if (mx_err) begin
        finish_command(ST_ICM_ERROR);
      end else begin
        count_cqe(cm_cq, 1'b0, k_rsz_event == 1);
        if (k_rsz_event == 1 && `MUT(147, 1'b1, cq_pi[cm_cq][0])) look_at(cm_cq);
        store_ring(cm_cq);
        `MUT_SET(140, cq_pi[cm_cq], cq_pi[cm_cq] & (size_of(cq_log[cm_cq]) - 24'd1))
        `MUT_SET(139, cq_pi[cm_cq], cq_pi[cm_cq] - 24'd1)
        `MUT_SET(145, cq_arm[cm_cq], ARM_NONE)
        `MUT_SET(146, cq_usr_page[cm_cq], mb[3*32+:24])
        `MUT_SET(250, cq_last_event[cm_cq], now_us)
        `MUT_IF(251, cq_arm[cm_cq] == ARM_ANY, cq_arm_ci[cm_cq] = cq_pi[cm_cq];)
        `MUT_SET(271, cq_cc[cm_cq], 1'b0)
        `MUT_SET(272, cq_oi[cm_cq], 1'b0)
        `MUT_SET(284, cq_ci[cm_cq], cq_pi[cm_cq])
        hcr_out = {8'd0, cq_pi[cm_cq], 32'd0};
        finish_command(ST_OK);
      end
    end
  end
endtask
