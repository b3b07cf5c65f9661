// SPDX-License-Identifier: BSD-3-Clause
// RCLINK-Stream stand-in: ports, parameters and the one clocked process that runs all units in a fixed order.
// Behavioural: the state lives in variables and memories that this process alone updates with blocking
// assignments, so the effects of one clock are strictly ordered; ports are driven by nonblocking assignments only.
// A frame is built or judged as a whole in the clock of its grant or of its last beat. The units are the
// core_*.svh files; README.md lists them together with the choices made where the specification is open.
//
// Byte order inside: the first byte of a word or frame is at the top of the vector, as on TX_S.
`include "mutation.svh"
module rclink #(
    parameter QP_NUM = 1024,               // 16..1024
    parameter QP_AW = $clog2(QP_NUM),
    parameter DW = 512,
    parameter MAC_DW = 1024,               // 512 or 1024
    parameter MAC_BE = $clog2(MAC_DW / 8),
    parameter TYPE1_OST_N = 512,           // 4..512
    parameter TYPE2_OST_N = 16,            // 1..16
    parameter TYPE1_PKT_LEN = 1344,        // 64..4096
    parameter TYPE2_PKT_LEN = 1344,
    parameter TYPE1_VC_NUM = 4,            // 1, 2 or 4
    parameter TYPE1_RX_BUF_AW = 10,        // 4..10, entries of one bank
    parameter TYPE2_CRD_RST_NUM = 2048,
    parameter NONR_TX_DEPTH = 64,
    parameter NONR_RX_DEPTH = 64,
    parameter NONR_DAT_ID_W = 7,
    parameter NONR_MD_ID_W = 7,
    parameter RAM_RD_LATENCY = 1,          // no effect
    parameter EPSN_W = 12,
    parameter USE_QDMA = 1,                // no effect
    parameter VC_CH_N = 8,
    parameter CRD_NUM = 12,
    parameter MAC_TX_CRD_INIT = 64,        // beats (or packets) the MAC takes after reset
    parameter TYPE2_RX_BUF_DEPTH = 256,    // entries of 64 bytes
    parameter TS_TICK = 1,                 // clocks in one timestamp unit
    parameter CLKS_PER_US = 1000
) (
    input wire CLK_I,
    input wire RST_N_I,

    input wire [31:0] CFG_S_AXI_AWADDR_I,
    input wire CFG_S_AXI_AWVALID_I,
    output reg CFG_S_AXI_AWREADY_O,
    input wire [63:0] CFG_S_AXI_WDATA_I,
    input wire [7:0] CFG_S_AXI_WSTRB_I,
    input wire CFG_S_AXI_WVALID_I,
    output reg CFG_S_AXI_WREADY_O,
    output reg [1:0] CFG_S_AXI_BRESP_O,
    output reg CFG_S_AXI_BVALID_O,
    input wire CFG_S_AXI_BREADY_I,
    input wire [31:0] CFG_S_AXI_ARADDR_I,
    input wire CFG_S_AXI_ARVALID_I,
    output reg CFG_S_AXI_ARREADY_O,
    output reg [63:0] CFG_S_AXI_RDATA_O,
    output reg [1:0] CFG_S_AXI_RRESP_O,
    output reg CFG_S_AXI_RVALID_O,
    input wire CFG_S_AXI_RREADY_I,

    input wire IS_400G_I,
    output reg TX_WAIT_MAC_CRD_O,
    output reg TX_MAC_FREE_O,

    input wire TX_S_VLD_I,
    input wire TX_S_FS_I,
    input wire TX_S_FE_I,
    input wire [DW-1:0] TX_S_DAT_I,
    input wire [DW/8-1:0] TX_S_KEEP_I,
    input wire [QP_AW-1:0] TX_S_QPID_I,
    input wire TX_S_FACK_I,
    input wire [1:0] TX_S_ETYPE_I,
    input wire [2:0] TX_S_TYPE2_GROUP_INDEX_I,
    output reg [3:0] TX_S_CRD_O,
    output reg [QP_AW-1:0] TX_S_CRD_QPID_O,
    output reg TX_S_CRD_QPID_VLD_O,

    output reg TYPE1_2_RX_M_VLD_O,
    input wire TYPE1_2_RX_M_RDY_I,
    output reg TYPE1_2_RX_M_FS_O,
    output reg TYPE1_2_RX_M_FE_O,
    output reg [DW-1:0] TYPE1_2_RX_M_DAT_O,
    output reg [DW/8-1:0] TYPE1_2_RX_M_KEEP_O,
    output reg [QP_AW-1:0] TYPE1_2_RX_M_QPID_O,
    output reg [1:0] TYPE1_2_RX_M_ETYPE_O,
    output reg [12:0] TYPE1_2_RX_M_LEN_O,
    output reg [9:0] TYPE1_2_RX_M_SA_O,

    output reg NONR_MD_AXI_ARVALID_O,
    input wire NONR_MD_AXI_ARREADY_I,
    output reg [63:0] NONR_MD_AXI_ARADDR_O,
    output reg [7:0] NONR_MD_AXI_ARLEN_O,
    output reg [2:0] NONR_MD_AXI_ARSIZE_O,
    output reg [1:0] NONR_MD_AXI_ARBURST_O,
    output reg [NONR_MD_ID_W-1:0] NONR_MD_AXI_ARID_O,
    input wire NONR_MD_AXI_RVALID_I,
    output reg NONR_MD_AXI_RREADY_O,
    input wire [255:0] NONR_MD_AXI_RDATA_I,
    input wire [1:0] NONR_MD_AXI_RRESP_I,
    input wire NONR_MD_AXI_RLAST_I,
    input wire [NONR_MD_ID_W-1:0] NONR_MD_AXI_RID_I,
    output reg NONR_MD_AXI_AWVALID_O,
    input wire NONR_MD_AXI_AWREADY_I,
    output reg [63:0] NONR_MD_AXI_AWADDR_O,
    output reg [7:0] NONR_MD_AXI_AWLEN_O,
    output reg [2:0] NONR_MD_AXI_AWSIZE_O,
    output reg [1:0] NONR_MD_AXI_AWBURST_O,
    output reg [NONR_MD_ID_W-1:0] NONR_MD_AXI_AWID_O,
    output reg NONR_MD_AXI_WVALID_O,
    input wire NONR_MD_AXI_WREADY_I,
    output reg [255:0] NONR_MD_AXI_WDATA_O,
    output reg [31:0] NONR_MD_AXI_WSTRB_O,
    output reg NONR_MD_AXI_WLAST_O,
    input wire NONR_MD_AXI_BVALID_I,
    output reg NONR_MD_AXI_BREADY_O,
    input wire [1:0] NONR_MD_AXI_BRESP_I,
    input wire [NONR_MD_ID_W-1:0] NONR_MD_AXI_BID_I,
    output reg NONR_MD_AXI_BUSY_O,

    output reg NONR_DATA_AXI_ARVALID_O,
    input wire NONR_DATA_AXI_ARREADY_I,
    output reg [63:0] NONR_DATA_AXI_ARADDR_O,
    output reg [7:0] NONR_DATA_AXI_ARLEN_O,
    output reg [2:0] NONR_DATA_AXI_ARSIZE_O,
    output reg [1:0] NONR_DATA_AXI_ARBURST_O,
    output reg [NONR_DAT_ID_W-1:0] NONR_DATA_AXI_ARID_O,
    input wire NONR_DATA_AXI_RVALID_I,
    output reg NONR_DATA_AXI_RREADY_O,
    input wire [511:0] NONR_DATA_AXI_RDATA_I,
    input wire [1:0] NONR_DATA_AXI_RRESP_I,
    input wire NONR_DATA_AXI_RLAST_I,
    input wire [NONR_DAT_ID_W-1:0] NONR_DATA_AXI_RID_I,
    output reg NONR_DATA_AXI_AWVALID_O,
    input wire NONR_DATA_AXI_AWREADY_I,
    output reg [63:0] NONR_DATA_AXI_AWADDR_O,
    output reg [7:0] NONR_DATA_AXI_AWLEN_O,
    output reg [2:0] NONR_DATA_AXI_AWSIZE_O,
    output reg [1:0] NONR_DATA_AXI_AWBURST_O,
    output reg [NONR_DAT_ID_W-1:0] NONR_DATA_AXI_AWID_O,
    output reg NONR_DATA_AXI_WVALID_O,
    input wire NONR_DATA_AXI_WREADY_I,
    output reg [511:0] NONR_DATA_AXI_WDATA_O,
    output reg [63:0] NONR_DATA_AXI_WSTRB_O,
    output reg NONR_DATA_AXI_WLAST_O,
    input wire NONR_DATA_AXI_BVALID_I,
    output reg NONR_DATA_AXI_BREADY_O,
    input wire [1:0] NONR_DATA_AXI_BRESP_I,
    input wire [NONR_DAT_ID_W-1:0] NONR_DATA_AXI_BID_I,

    input wire MAC2TX_CREDIT_I,
    input wire MAC2TX_CREDIT_RST_I,
    output reg [MAC_DW-1:0] TX2MAC_DATA_O,
    output reg [MAC_BE-1:0] TX2MAC_DATA_BE_O,
    output reg TX2MAC_VLD_O,
    output reg TX2MAC_FS_O,
    output reg TX2MAC_FE_O,
    output reg [2:0] TX2MAC_VCID_O,
    output reg [VC_CH_N-1:0] TX2MAC_CBFC_VCID_O,
    output wire TX2MAC_FCS_O,
    output wire TX2MAC_ERR_O,
    output reg [1:0] TX2MAC_MAC_HDR_TYPE_O,
    output reg TX2MAC_MULTICAST_EN_O,
    output reg TX2MAC_VLAN_EN_O,

    input wire [31:0] MAC2TX_CBFC_RST_I,
    input wire [11:0] MAC2TX_CBFC_CREDITSIZE_I,
    input wire [19:0] MAC2TX_CBFC_CREDITLIMIT_I,
    input wire [9:0] MAC2TX_CBFC_PKTOVHD_LEN_I,
    input wire [31:0] MAC2TX_CBFC_VLD_I,
    input wire [14:0] MAC2TX_CBFC_NUM_I,
    input wire MAC2TX_CBFC_RESET_I,
    input wire MAC2TX_TYPE2_CRD_VLD_I,
    input wire [CRD_NUM-1:0] MAC2TX_TYPE2_CRD_NUM_I,
    input wire MAC2TX_TYPE2_CREDIT_RST_I,

    output reg RX2MAC_RDY_O,
    input wire MAC2RX_VLD_I,
    input wire MAC2RX_FS_I,
    input wire MAC2RX_FE_I,
    input wire [MAC_DW-1:0] MAC2RX_DATA_I,
    input wire [MAC_BE-1:0] MAC2RX_DATA_BE_I,
    input wire [1:0] MAC2RX_FCS_ERR_I,

    output reg [7:0] TX_PFC_REQ_O,
    input wire [7:0] RX_PFC_REQ_I,
    input wire [3:0] TYPE1_FLOW_STOP_I,
    input wire TYPE2_PFC_REQ_I,

    input wire SET_CC_RATE_VLD_I,
    input wire [21:0] SET_CC_RATE_DAT_I,
    input wire [QP_AW-1:0] SET_CC_RATE_QPID_I,
    input wire SET_TYPE2_RATE_VLD_I,
    input wire [21:0] SET_TYPE2_RATE_DAT_I,
    output reg CC_TYPE1_QP_EN_SET_O,
    output reg CC_TYPE1_QP_EN_CLR_O,
    output reg [QP_AW-1:0] CC_TYPE1_QP_ID_O,

    output reg RECV_CNP_VLD_O,
    output reg [QP_AW-1:0] RECV_CNP_QPID_O,
    output reg RECV_ACK_VLD_O,
    output reg [QP_AW-1:0] RECV_ACK_QPID_O,
    output reg [31:0] RECV_ACK_RTT_O,
    output reg RECV_NAK_FLG_O,
    output reg [9:0] RECV_NUM_ACKED_O,
    output reg RETRY_TMO_VLD_O,
    output reg [QP_AW-1:0] RETRY_TMO_QPID_O,
    output reg NOCNP_TIMER_VLD_O,
    output reg [QP_AW-1:0] NOCNP_TIMER_QPID_O,
    output reg [31:0] NOCNP_TIMER_BYTE_CNT_O,

    output reg IRQ_VLD_O,
    output reg [63:0] IRQ_INFO_O,
    output reg [15:0] RC_INTR_O,
    output reg NONR_INTR_O,
    output reg NONR_FAULT_INTR_O,

    output reg [9:0] DFX_TYPE1_OST_FREE_LVL_O,
    output reg [111:0] DFX_CBFC_CF_O,
    output reg [1:0] RCLINK_IDLE_O
);
  `MUT_DECL

  assign TX2MAC_FCS_O = 1'b1;
  assign TX2MAC_ERR_O = 1'b0;

  `include "core_knobs.svh"
  `include "core_state.svh"
  `include "core_crc.svh"
  `include "core_interrupts.svh"
  `include "core_slots.svh"
  `include "core_rate.svh"
  `include "core_credit.svh"
  `include "core_congestion.svh"
  `include "core_registers.svh"
  `include "core_tx_input.svh"
  `include "core_frame.svh"
  `include "core_requester.svh"
  `include "core_responder.svh"
  `include "core_receive.svh"
  `include "core_deliver.svh"
  `include "core_type3.svh"
  `include "core_transmit.svh"
  `include "core_reset.svh"

  reg in_reset = 1'b0;


  // The jump out of the block also keeps Verilator from taking this one process apart.
  always @(posedge CLK_I) begin : one_clock
    if (!RST_N_I) begin
      if (!in_reset) reset_state;
      in_reset = 1'b1;
      idle_outputs;
      disable one_clock;
    end
    in_reset = 1'b0;
    now = now + 1;
    if (pulsing) clear_pulses;
    if (cfg_comes || cfg_busy) run_registers;
    take_credits;
    if (settings_old) apply_settings;
    take_rates;
    run_rate_window;
    if (TX_S_VLD_I) take_tx_s;
    if (MAC2RX_VLD_I && RX2MAC_RDY_O) take_mac_rx;
    drive_mac_ready;
    if (ak_n > 0) run_acknowledgements;
    if (fb_n > 0) run_free_buffers;
    run_timers;
    run_merge_walk;
    run_no_cnp_report;
    if (!t3_rests || t3_response) run_type3;
    if (rl_n > 0) run_relink;
    tx_wants = 1'b0;
    if (of_n <= 1 && frame_waits(1'b0)) run_transmit;
    drive_mac_tx;
    drive_rx_m;
    drive_tokens;
    drive_pfc;
    drive_status;
    drive_interrupts;
  end
endmodule
