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
  case (hcr_opcode)
    OP_SW2HW, OP_HW2SW: is_known = hcr_opmod <= 4'd1;
    OP_QUERY: is_known = hcr_opmod == 4'd0;
    OP_MODIFY: is_known = hcr_opmod <= 4'd3;
    default: is_known = 1'b0;
  endcase
endfunction

task begin_command;
  begin
    in_command = 1'b1;
    cm_cq = hcr_mod[NUM_CQ_LOG-1:0];
    if (!is_known()) finish_command(ST_BAD_OP);
    else if (!init_done) finish_command(ST_BAD_SYS_STATE);
    else if (hcr_mod[23:0] >= NCQ) finish_command(ST_BAD_INDEX);
    else if (hcr_mod[23:0] < k_rsvd_cqs) finish_command(ST_BAD_RESOURCE);
    else if (cq_hw[cm_cq] == (hcr_opcode == OP_SW2HW)) finish_command(ST_BAD_RES_STATE);
    else if (hcr_opcode == OP_SW2HW || hcr_opcode == OP_MODIFY) begin
      start_access(1'b0, hcr_in & ~64'd63, 7'd64);
      es = E_CMD_IN;
    end else if (hcr_opcode == OP_QUERY || hcr_opmod == 4'd0) begin
      start_access(1'b1, hcr_out & ~64'd63, 7'd64);
      mx_data = swap_dwords(context_image(cm_cq));
      es = E_CMD_OUT;
    end else begin
      release_context(cm_cq);
      finish_command(ST_OK);
    end
  end
endtask

task finish_command(input [7:0] status);
  begin
    es = E_IDLE;
    hcr_status = status;
    hcr_go = 1'b0;
    in_command = 1'b0;
    scan_left = NCQ + 1;
  end
endtask

task run_command_output;
  begin
    if (mx_done) begin
      if (mx_err) begin
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
      if (mx_err) finish_command(ST_INTERNAL_ERR);
      else if (sizes && mb[3*32+24+:5] > k_max_log) finish_command(takes(15) ? ST_BAD_PARAM : ST_EXCEED_LIM);
      else if (hcr_opcode == OP_SW2HW) check_create;
      else if (cq_status[cm_cq] != 4'h0) finish_command(ST_BAD_RES_STATE);
      else if (hcr_opmod == 4'd0) begin_resize;
      else begin
        modify;
        finish_command(ST_OK);
      end
    end
  end
endtask

task modify;
  begin
    case (hcr_opmod)
      4'd1: begin
        cq_max_count[cm_cq] = mb[4*32+:16];
        cq_period[cm_cq] = mb[4*32+16+:16];
        look_at(cm_cq);
      end
      4'd2: cq_eqn[cm_cq] = mb[5*32+:9];
      default: if (mb[0*32+17]) cq_oi[cm_cq] = 1'b1;
    endcase
  end
endtask

task check_create;
  reg [3:0] st;
  begin
    st = mb[0*32+8+:4];
    if ((k_rsvd_mode == 1 && (mb & RESERVED) != 512'd0)
        || (k_create_st != 0 && st != 4'h0 && !(k_create_st == 2 && st == 4'hA))
        || (takes(23) && mb[5*32+:9] >= NUM_EQ)) begin
      finish_command(ST_BAD_PARAM);
    end else begin
      use_mailbox_ring(mb[0*32+18]);
      if (hcr_opmod == 4'd0 && k_init_by_fw == 1) begin_fill(start_index());
      else begin
        create_context(cm_cq);
        finish_command(ST_OK);
      end
    end
  end
endtask

task begin_resize;
  begin
    if (capacity_counts(cm_cq)) begin
      start_access(1'b0, cq_record[cm_cq], 7'd8);
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
      take_record(cm_cq);
      use_mailbox_ring(cq_cc[cm_cq]);
      outstanding = gap(cq_pi[cm_cq], cq_ci[cm_cq]);
      if (outstanding < 0) outstanding = 0;
      if (is_full(cm_cq) || outstanding + (takes(21) ? 2 : 1) > $signed({8'd0, size_of(rg_log)}))
        finish_command(ST_BAD_SIZE);
      else begin_fill(cq_pi[cm_cq] + 24'd1);
    end
  end
endtask

// Pre-fill: every slot reads as hardware-owned for the next index that lands there.
task begin_fill(input [23:0] start);
  begin
    fill_start = start;
    fill_left = rg_cc ? 24'd1 : size_of(rg_log);
    fill_slot = takes(11) ? fill_left - 24'd1 : 24'd0;
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
        finish_command(ST_ICM_ERROR);
      end else begin
        start_access(1'b1, cqe_address() + 64'd31, 7'd1);
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
    fill_byte = {!owner_of(index, rg_log, rg_cc), takes(28) ? 7'h4C : 7'h00};
  end
endfunction

task run_fill_write;
  begin
    if (mx_done) begin
      fill_left = fill_left - 24'd1;
      fill_slot = takes(11) ? fill_slot - 24'd1 : fill_slot + 24'd1;
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
        start_translation(cq_pi[cm_cq]);
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
    resize_cqe = takes(27) ? {24'd0, 8'd0, {7{32'hA5A5_A5A5}}} : 256'd0;
    resize_cqe[7*32+:5] = 5'h16;
    resize_cqe[7*32+7] = owner_of(cq_pi[cm_cq], cq_log[cm_cq], cq_cc[cm_cq]);
  end
endfunction

task run_resize_write;
  begin
    if (mx_done) begin
      if (mx_err) begin
        finish_command(ST_ICM_ERROR);
      end else begin
        count_cqe(cm_cq, 1'b0, k_rsz_event == 1);
        if (k_rsz_event == 1) look_at(cm_cq);
        store_ring(cm_cq);
        hcr_out = {8'd0, cq_pi[cm_cq], 32'd0};
        finish_command(ST_OK);
      end
    end
  end
endtask
