// SPDX-License-Identifier: BSD-3-Clause
// State shared by the units. One memory per field, so that a unit reads and writes only what it needs.

localparam NCQ = 1 << NUM_CQ_LOG;
localparam NPAGE = 1 << NUM_UAR_LOG;
localparam LANES = AXI_DATA_W / 8;
localparam LANE_LOG = $clog2(LANES);
localparam [2:0] FULL_SIZE = LANE_LOG;

// Requests for events.
localparam [1:0] ARM_NONE = 2'd0;
localparam [1:0] ARM_SOL = 2'd1;
localparam [1:0] ARM_ANY = 2'd2;
localparam [1:0] ARM_N = 2'd3;

// Software-owned part of the contexts.
reg cq_hw [0:NCQ-1];                   // hardware-owned
reg cq_oi [0:NCQ-1];
reg cq_cc [0:NCQ-1];
reg [6:0] cq_page_offset [0:NCQ-1];    // 32-byte units
reg [23:0] cq_usr_page [0:NCQ-1];
reg [4:0] cq_log [0:NCQ-1];
reg [15:0] cq_max_count [0:NCQ-1];
reg [15:0] cq_period [0:NCQ-1];        // microseconds
reg [8:0] cq_eqn [0:NCQ-1];
reg [5:0] cq_page_log [0:NCQ-1];       // pages of 4 KiB << value
reg [39:0] cq_mtt [0:NCQ-1];           // byte offset of MTT entry 0 in the MTT area
reg [63:0] cq_record [0:NCQ-1];        // address of the DB record

// Hardware part.
reg [3:0] cq_status [0:NCQ-1];
reg [23:0] cq_pi [0:NCQ-1];
reg [23:0] cq_ci [0:NCQ-1];            // as last read from the DB record
reg [23:0] cq_notified [0:NCQ-1];      // producer counter at the latest event
reg [23:0] cq_sol [0:NCQ-1];           // index just after the newest solicited CQE
reg cq_sol_valid [0:NCQ-1];
reg [1:0] cq_arm [0:NCQ-1];
reg [23:0] cq_arm_ci [0:NCQ-1];        // consumer counter or, for Arm-N, the target
reg [1:0] cq_arm_sn [0:NCQ-1];
reg cq_n_hit [0:NCQ-1];                // the CQE of an Arm-N request is there
reg [1:0] cq_sn_done [0:NCQ-1];
reg cq_fired [0:NCQ-1];                // an event was sent since creation
reg cq_waiting [0:NCQ-1];              // the condition holds, the moderation gate is closed
reg [15:0] cq_mod_cnt [0:NCQ-1];       // CQEs since the last event, saturating
reg cq_mod_sol [0:NCQ-1];              // a solicited CQE since the last event
reg [31:0] cq_last_event [0:NCQ-1];    // microseconds
reg [31:0] cq_ready_since [0:NCQ-1];   // microseconds, when the condition began to hold (variant)
reg [8:0] cq_event_eqn [0:NCQ-1];      // EQ when the event fired (variant)
reg [23:0] cq_start [0:NCQ-1];         // first index (variant)
reg cq_pend_event [0:NCQ-1];           // completion event to be written
reg cq_pend_error [0:NCQ-1];           // CQ error event to be written
reg [7:0] cq_syndrome [0:NCQ-1];

`ifdef MUTATION
reg [4:0] cap_log [0:NCQ-1];           // size at creation, for one fault
reg [39:0] cap_mtt [0:NCQ-1];          // MTT address at creation, for one fault
reg [63:0] first_record [0:NCQ-1];     // DB record of the first life, for one fault
`endif

// Last translation of each CQ, used only by the variant that keeps it.
reg tlb_valid [0:NCQ-1];
reg [31:0] tlb_index [0:NCQ-1];
reg [63:0] tlb_entry [0:NCQ-1];

// Event queues.
localparam [3:0] EQ_IDLE = 4'h0;
localparam [3:0] EQ_ARMED = 4'h9;
localparam [3:0] EQ_FIRED = 4'hA;
localparam [3:0] EQ_ALWAYS = 4'hB;

reg eq_valid [0:NUM_EQ-1];
reg [4:0] eq_log [0:NUM_EQ-1];
reg [1:0] eq_arm_init [0:NUM_EQ-1];
reg [63:0] eq_base [0:NUM_EQ-1];
reg [23:0] eq_pi [0:NUM_EQ-1];
reg [23:0] eq_ci [0:NUM_EQ-1];
reg [3:0] eq_st [0:NUM_EQ-1];
reg eq_ovf [0:NUM_EQ-1];
reg [NUM_EQ-1:0] irq_v;                // EQ in st A: level until the next arm

// Asynchronous events without a CQ.
reg pend_uar;                          // misused doorbell page
reg pend_overflow;                     // an EQ lost an event
reg async_en;
reg [7:0] async_eqn;

// Configuration and HCR.
reg init_done;
reg [1:0] stride_sel;                  // 32 << stride_sel bytes
reg [63:0] mtt_base;
reg [23:0] dbg_init_idx;
reg [63:0] hcr_in;
reg [31:0] hcr_mod;
reg [63:0] hcr_out;
reg [15:0] hcr_token;
reg [7:0] hcr_status;
reg hcr_go;
reg hcr_e;
reg hcr_t;
reg [3:0] hcr_opmod;
reg [11:0] hcr_opcode;
reg [31:0] cnt_cpl;
reg [31:0] cnt_cqe;
reg [31:0] cnt_eqe;
reg [31:0] cnt_ref;

// Time.
reg [31:0] now_us;
integer us_clks;
reg [15:0] lfsr;                       // delays of variants

// Engine.
reg [3:0] es;                          // state, core_engine.svh
reg [1:0] last_served;

// d(a, b) of the text: signed distance of two counters.
function automatic signed [23:0] gap(input [23:0] a, input [23:0] b);
  gap = $signed(a - b);
endfunction

task run_time;
  begin
    if (takes(1)) lfsr = {lfsr[14:0], lfsr[15] ^ lfsr[13] ^ lfsr[12] ^ lfsr[10]};
    if (k_clk_per_us == 0) begin
      if (tick_us) count_us;
    end else begin
      us_clks = us_clks + 1;
      if (us_clks >= k_clk_per_us) begin
        us_clks = 0;
        count_us;
      end
    end
  end
endtask

task count_us;
  begin
    now_us = now_us + 1;
    scan_left = NCQ + 1;
  end
endtask
