// SPDX-License-Identifier: BSD-3-Clause
// The engine does one thing at a time: a command, a doorbell, an event or a report, taken in turn.

localparam [3:0] E_IDLE = 4'd0;
localparam [3:0] E_REP_RECORD = 4'd1;
localparam [3:0] E_REP_MTT = 4'd2;
localparam [3:0] E_REP_CQE = 4'd3;
localparam [3:0] E_EVENT = 4'd4;
localparam [3:0] E_EQ_ARM = 4'd5;
localparam [3:0] E_CMD_IN = 4'd6;
localparam [3:0] E_CMD_OUT = 4'd7;
localparam [3:0] E_CMD_RECORD = 4'd8;
localparam [3:0] E_FILL_MTT = 4'd9;
localparam [3:0] E_FILL_WRITE = 4'd10;
localparam [3:0] E_RSZ_MTT = 4'd11;
localparam [3:0] E_RSZ_CQE = 4'd12;
`ifdef MUTATION
localparam [3:0] E_REP_OWNER = 4'd13;  // one fault writes the owner byte first
`endif

task run_engine;
  begin
    case (es)
      E_IDLE: choose_work;
      E_REP_RECORD: run_report_record;
      E_REP_MTT: run_report_translation;
      E_REP_CQE: run_report_write;
      E_EVENT: run_event;
      E_EQ_ARM: run_eq_arm;
      E_CMD_IN: run_command_input;
      E_CMD_OUT: run_command_output;
      E_CMD_RECORD: run_resize_record;
      E_FILL_MTT: run_fill_translation;
      E_FILL_WRITE: run_fill_write;
      E_RSZ_MTT: run_resize_translation;
      E_RSZ_CQE: run_resize_write;
`ifdef MUTATION
      E_REP_OWNER: if (mx_done) write_cqe;
`endif
      default: es = E_IDLE;
    endcase
  end
endtask

// Round robin. A command waits for the doorbells taken before it, which then come first.
task choose_work;
  reg [3:0] ready;                     // command, doorbell, event, report
  reg [1:0] pick;
  integer k;
  begin
    ready = {rep_valid && !sts_v && sts_wait == 0, sc_found, dq_n != 3'd0, hcr_go && go_doorbells == 3'd0};
`ifdef MUTATION
    if (b_owed) ready[3] = 1'b0;
    `MUT_IF(200, sts_v, ready = 4'd0;)
    `MUT_IF(245, dq_n != 3'd0 && dq_age < 9000, ready[1] = 1'b0;)
`endif
    if (hcr_go && go_doorbells != 3'd0) ready = 4'b0010;
    if (ready != 4'd0) begin
      for (k = 3; k >= 0; k = k - 1) if (ready[(last_served + 1 + k) & 3]) pick = last_served + 1 + k;
      if (takes(10) && ready[1]) pick = 2'd1;
      last_served = pick;
      case (pick)
        2'd0: begin_command;
        2'd1: begin_doorbell;
        2'd2: begin_event;
        default: begin_report;
      endcase
    end
  end
endtask
