// SPDX-License-Identifier: BSD-3-Clause
// Hermon CQ engine stand-in: ports, parameters and the one clocked process that runs all units in order.
// Behavioural: the state lives in variables and memories that this process alone updates with blocking
// assignments, so the effects of one clock are strictly ordered; ports are driven by nonblocking assignments
// only. The units are the core_*.svh files; README.md lists them and the choices made where the text is open.
`include "mutation.svh"
module hermon_cq #(
    parameter NUM_CQ_LOG = 6,              // 1..16, log2 of the CQ contexts
    parameter NUM_EQ = 4,                  // 1..32
    parameter MAX_LOG_CQ = 22,             // 1..22
    parameter IDX_W = 24,                  // fixed
    parameter STRIDE = 32,                 // 32, 64, 128 or 256: reset value of CFG.stride_sel
    parameter CAP_MODE = 0,                // 0 N-1, 1 N
    parameter ARM_RULE = 0,                // 0 R1, 1 R3
    parameter SN_MODE = 1,                 // 0 ignore, 1 gate
    parameter INIT_BY_FW = 1,
    parameter MOD_TIMER_MODE = 0,          // fixed
    parameter CREATE_ST_ACCEPT = 2,        // 0 not checked, 1 {0}, 2 {0, A}
    parameter RSVD_CQS = 0,
    parameter NUM_UAR_LOG = 4,             // 0..10, log2 of the 4 KiB doorbell pages
    parameter RSVD_MODE = 0,               // 0 ignore, 1 BAD_PARAM
    parameter BAD_UAR_MODE = 0,            // 0 ignore, 1 ignore and report, 2 accept
    parameter ARMN_PASSED = 0,             // 0 fire at once, 1 wait
    parameter SOL_BREAKS_MOD = 0,
    parameter RSZ_EVENT = 1,
    parameter CC_OWNER = 0,                // 0 lap rule, 1 always 0
    parameter CC_CAP = 1,
    parameter DBREC_ARM = 0,
    parameter EQ_FULL_MODE = 0,            // 0 hold, 1 drop
    parameter HAS_CPL_STS = 1,
    parameter TEST_HOOKS = 1,
    parameter AXI_DATA_W = 64,             // 64, 128 or 256
    parameter AXI_ID_W = 4,
    parameter CLK_PER_US = 0,              // 0: tick_us counts
    parameter UAR_ADDR_W = NUM_UAR_LOG + 12
) (
    input wire clk,
    input wire rst_n,
    input wire tick_us,
    output reg [NUM_EQ-1:0] irq,

    input wire [11:0] s_axil_cmd_awaddr,
    input wire [2:0] s_axil_cmd_awprot,
    input wire s_axil_cmd_awvalid,
    output reg s_axil_cmd_awready,
    input wire [31:0] s_axil_cmd_wdata,
    input wire [3:0] s_axil_cmd_wstrb,
    input wire s_axil_cmd_wvalid,
    output reg s_axil_cmd_wready,
    output wire [1:0] s_axil_cmd_bresp,
    output reg s_axil_cmd_bvalid,
    input wire s_axil_cmd_bready,
    input wire [11:0] s_axil_cmd_araddr,
    input wire [2:0] s_axil_cmd_arprot,
    input wire s_axil_cmd_arvalid,
    output reg s_axil_cmd_arready,
    output reg [31:0] s_axil_cmd_rdata,
    output wire [1:0] s_axil_cmd_rresp,
    output reg s_axil_cmd_rvalid,
    input wire s_axil_cmd_rready,

    input wire [UAR_ADDR_W-1:0] s_axil_uar_awaddr,
    input wire [2:0] s_axil_uar_awprot,
    input wire s_axil_uar_awvalid,
    output reg s_axil_uar_awready,
    input wire [63:0] s_axil_uar_wdata,
    input wire [7:0] s_axil_uar_wstrb,
    input wire s_axil_uar_wvalid,
    output reg s_axil_uar_wready,
    output wire [1:0] s_axil_uar_bresp,
    output reg s_axil_uar_bvalid,
    input wire s_axil_uar_bready,
    input wire [UAR_ADDR_W-1:0] s_axil_uar_araddr,
    input wire [2:0] s_axil_uar_arprot,
    input wire s_axil_uar_arvalid,
    output reg s_axil_uar_arready,
    output wire [63:0] s_axil_uar_rdata,
    output wire [1:0] s_axil_uar_rresp,
    output reg s_axil_uar_rvalid,
    input wire s_axil_uar_rready,

    input wire [511:0] s_axis_cpl_tdata,
    input wire [63:0] s_axis_cpl_tkeep,
    input wire s_axis_cpl_tlast,
    input wire s_axis_cpl_tvalid,
    output reg s_axis_cpl_tready,

    output reg [63:0] m_axis_sts_tdata,
    output wire m_axis_sts_tlast,
    output reg m_axis_sts_tvalid,
    input wire m_axis_sts_tready,

    output wire [AXI_ID_W-1:0] m_axi_awid,
    output reg [63:0] m_axi_awaddr,
    output reg [7:0] m_axi_awlen,
    output wire [2:0] m_axi_awsize,
    output wire [1:0] m_axi_awburst,
    output wire [3:0] m_axi_awcache,
    output wire [2:0] m_axi_awprot,
    output wire [3:0] m_axi_awqos,
    output reg m_axi_awvalid,
    input wire m_axi_awready,
    output reg [AXI_DATA_W-1:0] m_axi_wdata,
    output reg [AXI_DATA_W/8-1:0] m_axi_wstrb,
    output reg m_axi_wlast,
    output reg m_axi_wvalid,
    input wire m_axi_wready,
    input wire [AXI_ID_W-1:0] m_axi_bid,
    input wire [1:0] m_axi_bresp,
    input wire m_axi_bvalid,
    output reg m_axi_bready,
    output wire [AXI_ID_W-1:0] m_axi_arid,
    output reg [63:0] m_axi_araddr,
    output reg [7:0] m_axi_arlen,
    output reg [2:0] m_axi_arsize,
    output wire [1:0] m_axi_arburst,
    output wire [3:0] m_axi_arcache,
    output wire [2:0] m_axi_arprot,
    output wire [3:0] m_axi_arqos,
    output reg m_axi_arvalid,
    input wire m_axi_arready,
    input wire [AXI_ID_W-1:0] m_axi_rid,
    input wire [AXI_DATA_W-1:0] m_axi_rdata,
    input wire [1:0] m_axi_rresp,
    input wire m_axi_rlast,
    input wire m_axi_rvalid,
    output reg m_axi_rready
);
  `MUT_DECL

  `include "core_knobs.svh"
  `include "core_state.svh"
  `include "core_layout.svh"
  `include "core_memory.svh"
  `include "core_address.svh"
  `include "core_registers.svh"
  `include "core_doorbells.svh"
  `include "core_streams.svh"
  `include "core_requests.svh"
  `include "core_events.svh"
  `include "core_reports.svh"
  `include "core_contexts.svh"
  `include "core_commands.svh"
  `include "core_engine.svh"
  `include "core_reset.svh"

  reg in_reset = 1'b0;

  // The jump out of the block also keeps Verilator from taking this one process apart.
  always @(posedge clk) begin : one_clock
    if (!rst_n) begin
      if (!in_reset) reset_state;
      in_reset = 1'b1;
      drive_outputs;
      disable one_clock;
    end
    in_reset = 1'b0;
    run_time;
    run_registers;
    run_doorbell_port;
    run_streams;
    run_memory;
    run_engine;
    run_requests;
    run_interrupts;
    drive_outputs;
  end
endmodule
