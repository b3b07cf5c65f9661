// SPDX-License-Identifier: BSD-3-Clause
// Elastic shell around the ERNIC stand-in: same ports, +ELASTIC=<seed> (not 0) holds every handshake back by a
// random number of clocks, so that nothing in the environment can rely on the timing of the plain stand-in.
// Bounds: register channels and rnic_intr 16 clocks, memory channels 6, frames 32. +ELASTIC=0 or no plusarg:
// transparent.
module ernic_elastic #(
    parameter C_NUM_QP = 8,
    parameter C_MR_ROWS = 16,
    parameter QP_BASE_RAW = 0,
    parameter C_M_AXI_ADDR_WIDTH = 64,
    parameter C_RESP_RESOURCES = 16,
    parameter C_RNR_UNIT_CLKS = 2500,
    parameter C_ACK_TIMEOUT_CLKS = 256,
    parameter C_RETRY_BUFFERS = 0,
    parameter C_CNP_CLEAR_TX = 0,
    parameter C_HNDSHK_DB_MEM = 1,
    parameter C_RQ_SB_DELTA = 0,
    parameter C_SB_ADDR_W = 13
) (
    input wire m_axi_aclk,
    input wire m_axi_aresetn,
    input wire s_axi_lite_aclk,
    input wire s_axi_lite_aresetn,
    input wire cmac_rx_clk,
    input wire cmac_rx_rst,
    input wire cmac_tx_clk,
    input wire cmac_tx_rst,
    output wire system_resetn,
    input wire [31:0] s_axi_lite_awaddr,
    input wire s_axi_lite_awvalid,
    output wire s_axi_lite_awready,
    input wire [31:0] s_axi_lite_wdata,
    input wire [3:0] s_axi_lite_wstrb,
    input wire s_axi_lite_wvalid,
    output wire s_axi_lite_wready,
    output wire [1:0] s_axi_lite_bresp,
    output wire s_axi_lite_bvalid,
    input wire s_axi_lite_bready,
    input wire [31:0] s_axi_lite_araddr,
    input wire s_axi_lite_arvalid,
    output wire s_axi_lite_arready,
    output wire [31:0] s_axi_lite_rdata,
    output wire [1:0] s_axi_lite_rresp,
    output wire s_axi_lite_rvalid,
    input wire s_axi_lite_rready,
    output wire [0:0] qp_mgr_m_axi_awid,
    output wire [63:0] qp_mgr_m_axi_awaddr,
    output wire [7:0] qp_mgr_m_axi_awlen,
    output wire [2:0] qp_mgr_m_axi_awsize,
    output wire [1:0] qp_mgr_m_axi_awburst,
    output wire qp_mgr_m_axi_awlock,
    output wire [3:0] qp_mgr_m_axi_awcache,
    output wire [2:0] qp_mgr_m_axi_awprot,
    output wire qp_mgr_m_axi_awvalid,
    input wire qp_mgr_m_axi_awready,
    output wire [511:0] qp_mgr_m_axi_wdata,
    output wire [63:0] qp_mgr_m_axi_wstrb,
    output wire qp_mgr_m_axi_wlast,
    output wire qp_mgr_m_axi_wvalid,
    input wire qp_mgr_m_axi_wready,
    input wire [0:0] qp_mgr_m_axi_bid,
    input wire [1:0] qp_mgr_m_axi_bresp,
    input wire qp_mgr_m_axi_bvalid,
    output wire qp_mgr_m_axi_bready,
    output wire [0:0] qp_mgr_m_axi_arid,
    output wire [63:0] qp_mgr_m_axi_araddr,
    output wire [7:0] qp_mgr_m_axi_arlen,
    output wire [2:0] qp_mgr_m_axi_arsize,
    output wire [1:0] qp_mgr_m_axi_arburst,
    output wire qp_mgr_m_axi_arlock,
    output wire [3:0] qp_mgr_m_axi_arcache,
    output wire [2:0] qp_mgr_m_axi_arprot,
    output wire qp_mgr_m_axi_arvalid,
    input wire qp_mgr_m_axi_arready,
    input wire [0:0] qp_mgr_m_axi_rid,
    input wire [511:0] qp_mgr_m_axi_rdata,
    input wire [1:0] qp_mgr_m_axi_rresp,
    input wire qp_mgr_m_axi_rlast,
    input wire qp_mgr_m_axi_rvalid,
    output wire qp_mgr_m_axi_rready,
    output wire [0:0] wqe_proc_top_m_axi_awid,
    output wire [63:0] wqe_proc_top_m_axi_awaddr,
    output wire [7:0] wqe_proc_top_m_axi_awlen,
    output wire [2:0] wqe_proc_top_m_axi_awsize,
    output wire [1:0] wqe_proc_top_m_axi_awburst,
    output wire wqe_proc_top_m_axi_awlock,
    output wire [3:0] wqe_proc_top_m_axi_awcache,
    output wire [2:0] wqe_proc_top_m_axi_awprot,
    output wire wqe_proc_top_m_axi_awvalid,
    input wire wqe_proc_top_m_axi_awready,
    output wire [511:0] wqe_proc_top_m_axi_wdata,
    output wire [63:0] wqe_proc_top_m_axi_wstrb,
    output wire wqe_proc_top_m_axi_wlast,
    output wire wqe_proc_top_m_axi_wvalid,
    input wire wqe_proc_top_m_axi_wready,
    input wire [0:0] wqe_proc_top_m_axi_bid,
    input wire [1:0] wqe_proc_top_m_axi_bresp,
    input wire wqe_proc_top_m_axi_bvalid,
    output wire wqe_proc_top_m_axi_bready,
    output wire [0:0] wqe_proc_top_m_axi_arid,
    output wire [63:0] wqe_proc_top_m_axi_araddr,
    output wire [7:0] wqe_proc_top_m_axi_arlen,
    output wire [2:0] wqe_proc_top_m_axi_arsize,
    output wire [1:0] wqe_proc_top_m_axi_arburst,
    output wire wqe_proc_top_m_axi_arlock,
    output wire [3:0] wqe_proc_top_m_axi_arcache,
    output wire [2:0] wqe_proc_top_m_axi_arprot,
    output wire wqe_proc_top_m_axi_arvalid,
    input wire wqe_proc_top_m_axi_arready,
    input wire [0:0] wqe_proc_top_m_axi_rid,
    input wire [511:0] wqe_proc_top_m_axi_rdata,
    input wire [1:0] wqe_proc_top_m_axi_rresp,
    input wire wqe_proc_top_m_axi_rlast,
    input wire wqe_proc_top_m_axi_rvalid,
    output wire wqe_proc_top_m_axi_rready,
    output wire [0:0] wqe_proc_wr_ddr_m_axi_awid,
    output wire [63:0] wqe_proc_wr_ddr_m_axi_awaddr,
    output wire [7:0] wqe_proc_wr_ddr_m_axi_awlen,
    output wire [2:0] wqe_proc_wr_ddr_m_axi_awsize,
    output wire [1:0] wqe_proc_wr_ddr_m_axi_awburst,
    output wire wqe_proc_wr_ddr_m_axi_awlock,
    output wire [3:0] wqe_proc_wr_ddr_m_axi_awcache,
    output wire [2:0] wqe_proc_wr_ddr_m_axi_awprot,
    output wire wqe_proc_wr_ddr_m_axi_awvalid,
    input wire wqe_proc_wr_ddr_m_axi_awready,
    output wire [511:0] wqe_proc_wr_ddr_m_axi_wdata,
    output wire [63:0] wqe_proc_wr_ddr_m_axi_wstrb,
    output wire wqe_proc_wr_ddr_m_axi_wlast,
    output wire wqe_proc_wr_ddr_m_axi_wvalid,
    input wire wqe_proc_wr_ddr_m_axi_wready,
    input wire [0:0] wqe_proc_wr_ddr_m_axi_bid,
    input wire [1:0] wqe_proc_wr_ddr_m_axi_bresp,
    input wire wqe_proc_wr_ddr_m_axi_bvalid,
    output wire wqe_proc_wr_ddr_m_axi_bready,
    output wire [0:0] wqe_proc_wr_ddr_m_axi_arid,
    output wire [63:0] wqe_proc_wr_ddr_m_axi_araddr,
    output wire [7:0] wqe_proc_wr_ddr_m_axi_arlen,
    output wire [2:0] wqe_proc_wr_ddr_m_axi_arsize,
    output wire [1:0] wqe_proc_wr_ddr_m_axi_arburst,
    output wire wqe_proc_wr_ddr_m_axi_arlock,
    output wire [3:0] wqe_proc_wr_ddr_m_axi_arcache,
    output wire [2:0] wqe_proc_wr_ddr_m_axi_arprot,
    output wire wqe_proc_wr_ddr_m_axi_arvalid,
    input wire wqe_proc_wr_ddr_m_axi_arready,
    input wire [0:0] wqe_proc_wr_ddr_m_axi_rid,
    input wire [511:0] wqe_proc_wr_ddr_m_axi_rdata,
    input wire [1:0] wqe_proc_wr_ddr_m_axi_rresp,
    input wire wqe_proc_wr_ddr_m_axi_rlast,
    input wire wqe_proc_wr_ddr_m_axi_rvalid,
    output wire wqe_proc_wr_ddr_m_axi_rready,
    output wire [0:0] rx_pkt_hndler_ddr_m_axi_awid,
    output wire [63:0] rx_pkt_hndler_ddr_m_axi_awaddr,
    output wire [7:0] rx_pkt_hndler_ddr_m_axi_awlen,
    output wire [2:0] rx_pkt_hndler_ddr_m_axi_awsize,
    output wire [1:0] rx_pkt_hndler_ddr_m_axi_awburst,
    output wire rx_pkt_hndler_ddr_m_axi_awlock,
    output wire [3:0] rx_pkt_hndler_ddr_m_axi_awcache,
    output wire [2:0] rx_pkt_hndler_ddr_m_axi_awprot,
    output wire rx_pkt_hndler_ddr_m_axi_awvalid,
    input wire rx_pkt_hndler_ddr_m_axi_awready,
    output wire [511:0] rx_pkt_hndler_ddr_m_axi_wdata,
    output wire [63:0] rx_pkt_hndler_ddr_m_axi_wstrb,
    output wire rx_pkt_hndler_ddr_m_axi_wlast,
    output wire rx_pkt_hndler_ddr_m_axi_wvalid,
    input wire rx_pkt_hndler_ddr_m_axi_wready,
    input wire [0:0] rx_pkt_hndler_ddr_m_axi_bid,
    input wire [1:0] rx_pkt_hndler_ddr_m_axi_bresp,
    input wire rx_pkt_hndler_ddr_m_axi_bvalid,
    output wire rx_pkt_hndler_ddr_m_axi_bready,
    output wire [0:0] rx_pkt_hndler_ddr_m_axi_arid,
    output wire [63:0] rx_pkt_hndler_ddr_m_axi_araddr,
    output wire [7:0] rx_pkt_hndler_ddr_m_axi_arlen,
    output wire [2:0] rx_pkt_hndler_ddr_m_axi_arsize,
    output wire [1:0] rx_pkt_hndler_ddr_m_axi_arburst,
    output wire rx_pkt_hndler_ddr_m_axi_arlock,
    output wire [3:0] rx_pkt_hndler_ddr_m_axi_arcache,
    output wire [2:0] rx_pkt_hndler_ddr_m_axi_arprot,
    output wire rx_pkt_hndler_ddr_m_axi_arvalid,
    input wire rx_pkt_hndler_ddr_m_axi_arready,
    input wire [0:0] rx_pkt_hndler_ddr_m_axi_rid,
    input wire [511:0] rx_pkt_hndler_ddr_m_axi_rdata,
    input wire [1:0] rx_pkt_hndler_ddr_m_axi_rresp,
    input wire rx_pkt_hndler_ddr_m_axi_rlast,
    input wire rx_pkt_hndler_ddr_m_axi_rvalid,
    output wire rx_pkt_hndler_ddr_m_axi_rready,
    output wire [31:0] rx_pkt_hndler_ddr_m_axi_awuser,
    output wire [0:0] rx_pkt_hndler_rdrsp_m_axi_awid,
    output wire [63:0] rx_pkt_hndler_rdrsp_m_axi_awaddr,
    output wire [7:0] rx_pkt_hndler_rdrsp_m_axi_awlen,
    output wire [2:0] rx_pkt_hndler_rdrsp_m_axi_awsize,
    output wire [1:0] rx_pkt_hndler_rdrsp_m_axi_awburst,
    output wire rx_pkt_hndler_rdrsp_m_axi_awlock,
    output wire [3:0] rx_pkt_hndler_rdrsp_m_axi_awcache,
    output wire [2:0] rx_pkt_hndler_rdrsp_m_axi_awprot,
    output wire rx_pkt_hndler_rdrsp_m_axi_awvalid,
    input wire rx_pkt_hndler_rdrsp_m_axi_awready,
    output wire [511:0] rx_pkt_hndler_rdrsp_m_axi_wdata,
    output wire [63:0] rx_pkt_hndler_rdrsp_m_axi_wstrb,
    output wire rx_pkt_hndler_rdrsp_m_axi_wlast,
    output wire rx_pkt_hndler_rdrsp_m_axi_wvalid,
    input wire rx_pkt_hndler_rdrsp_m_axi_wready,
    input wire [0:0] rx_pkt_hndler_rdrsp_m_axi_bid,
    input wire [1:0] rx_pkt_hndler_rdrsp_m_axi_bresp,
    input wire rx_pkt_hndler_rdrsp_m_axi_bvalid,
    output wire rx_pkt_hndler_rdrsp_m_axi_bready,
    output wire [0:0] rx_pkt_hndler_rdrsp_m_axi_arid,
    output wire [63:0] rx_pkt_hndler_rdrsp_m_axi_araddr,
    output wire [7:0] rx_pkt_hndler_rdrsp_m_axi_arlen,
    output wire [2:0] rx_pkt_hndler_rdrsp_m_axi_arsize,
    output wire [1:0] rx_pkt_hndler_rdrsp_m_axi_arburst,
    output wire rx_pkt_hndler_rdrsp_m_axi_arlock,
    output wire [3:0] rx_pkt_hndler_rdrsp_m_axi_arcache,
    output wire [2:0] rx_pkt_hndler_rdrsp_m_axi_arprot,
    output wire rx_pkt_hndler_rdrsp_m_axi_arvalid,
    input wire rx_pkt_hndler_rdrsp_m_axi_arready,
    input wire [0:0] rx_pkt_hndler_rdrsp_m_axi_rid,
    input wire [511:0] rx_pkt_hndler_rdrsp_m_axi_rdata,
    input wire [1:0] rx_pkt_hndler_rdrsp_m_axi_rresp,
    input wire rx_pkt_hndler_rdrsp_m_axi_rlast,
    input wire rx_pkt_hndler_rdrsp_m_axi_rvalid,
    output wire rx_pkt_hndler_rdrsp_m_axi_rready,
    output wire [0:0] resp_hndler_m_axi_awid,
    output wire [63:0] resp_hndler_m_axi_awaddr,
    output wire [7:0] resp_hndler_m_axi_awlen,
    output wire [2:0] resp_hndler_m_axi_awsize,
    output wire [1:0] resp_hndler_m_axi_awburst,
    output wire resp_hndler_m_axi_awlock,
    output wire [3:0] resp_hndler_m_axi_awcache,
    output wire [2:0] resp_hndler_m_axi_awprot,
    output wire resp_hndler_m_axi_awvalid,
    input wire resp_hndler_m_axi_awready,
    output wire [511:0] resp_hndler_m_axi_wdata,
    output wire [63:0] resp_hndler_m_axi_wstrb,
    output wire resp_hndler_m_axi_wlast,
    output wire resp_hndler_m_axi_wvalid,
    input wire resp_hndler_m_axi_wready,
    input wire [0:0] resp_hndler_m_axi_bid,
    input wire [1:0] resp_hndler_m_axi_bresp,
    input wire resp_hndler_m_axi_bvalid,
    output wire resp_hndler_m_axi_bready,
    output wire [0:0] resp_hndler_m_axi_arid,
    output wire [63:0] resp_hndler_m_axi_araddr,
    output wire [7:0] resp_hndler_m_axi_arlen,
    output wire [2:0] resp_hndler_m_axi_arsize,
    output wire [1:0] resp_hndler_m_axi_arburst,
    output wire resp_hndler_m_axi_arlock,
    output wire [3:0] resp_hndler_m_axi_arcache,
    output wire [2:0] resp_hndler_m_axi_arprot,
    output wire resp_hndler_m_axi_arvalid,
    input wire resp_hndler_m_axi_arready,
    input wire [0:0] resp_hndler_m_axi_rid,
    input wire [511:0] resp_hndler_m_axi_rdata,
    input wire [1:0] resp_hndler_m_axi_rresp,
    input wire resp_hndler_m_axi_rlast,
    input wire resp_hndler_m_axi_rvalid,
    output wire resp_hndler_m_axi_rready,
    input wire [511:0] roce_cmac_s_axis_tdata,
    input wire [63:0] roce_cmac_s_axis_tkeep,
    input wire roce_cmac_s_axis_tlast,
    input wire roce_cmac_s_axis_tuser,
    input wire roce_cmac_s_axis_tvalid,
    input wire [511:0] non_roce_cmac_s_axis_tdata,
    input wire [63:0] non_roce_cmac_s_axis_tkeep,
    input wire non_roce_cmac_s_axis_tlast,
    input wire non_roce_cmac_s_axis_tuser,
    input wire non_roce_cmac_s_axis_tvalid,
    output wire [511:0] non_roce_dma_m_axis_tdata,
    output wire [63:0] non_roce_dma_m_axis_tkeep,
    output wire non_roce_dma_m_axis_tlast,
    output wire non_roce_dma_m_axis_tvalid,
    input wire non_roce_dma_m_axis_tready,
    output wire [511:0] cmac_m_axis_tdata,
    output wire [63:0] cmac_m_axis_tkeep,
    output wire cmac_m_axis_tlast,
    output wire cmac_m_axis_tvalid,
    input wire cmac_m_axis_tready,
    input wire [511:0] non_roce_dma_s_axis_tdata,
    input wire [63:0] non_roce_dma_s_axis_tkeep,
    input wire non_roce_dma_s_axis_tlast,
    input wire non_roce_dma_s_axis_tvalid,
    output wire non_roce_dma_s_axis_tready,
    output wire [63:0] ieth_immdt_axis_tdata,
    output wire ieth_immdt_axis_tlast,
    output wire ieth_immdt_axis_tvalid,
    input wire ieth_immdt_axis_trdy,
    output wire resp_hndler_o_send_cq_db_cnt_valid,
    output wire [12:0] resp_hndler_o_send_cq_db_addr,
    output wire [31:0] resp_hndler_o_send_cq_db_cnt,
    input wire resp_hndler_i_send_cq_db_rdy,
    input wire [15:0] i_qp_sq_pidb_hndshk,
    input wire [31:0] i_qp_sq_pidb_wr_addr_hndshk,
    input wire i_qp_sq_pidb_wr_valid_hndshk,
    output wire o_qp_sq_pidb_wr_rdy,
    input wire [15:0] i_qp_rq_cidb_hndshk,
    input wire [31:0] i_qp_rq_cidb_wr_addr_hndshk,
    input wire i_qp_rq_cidb_wr_valid_hndshk,
    output wire o_qp_rq_cidb_wr_rdy,
    output wire [31:0] rx_pkt_hndler_o_rq_db_data,
    output wire [12:0] rx_pkt_hndler_o_rq_db_addr,
    output wire rx_pkt_hndler_o_rq_db_data_valid,
    input wire rx_pkt_hndler_i_rq_db_rdy,
    output wire rnic_intr,
    input wire [8:0] stat_rx_pause_req,
    output wire [8:0] ctl_tx_pause_req,
    output wire ctl_tx_resend_pause
);
  integer seed = 0;
  initial if (!$value$plusargs("ELASTIC=%d", seed)) seed = 0;
  // The gates get no clock when they have nothing to do.
  wire clk = m_axi_aclk && (seed != 0);
  wire rst = !m_axi_aresetn || !s_axi_lite_aresetn || cmac_rx_rst || cmac_tx_rst;

  wire x_s_axi_lite_awvalid;
  wire x_s_axi_lite_awready;
  wire x_s_axi_lite_wvalid;
  wire x_s_axi_lite_wready;
  wire x_s_axi_lite_arvalid;
  wire x_s_axi_lite_arready;
  wire x_s_axi_lite_bvalid;
  wire x_s_axi_lite_bready;
  wire x_s_axi_lite_rvalid;
  wire x_s_axi_lite_rready;
  wire x_qp_mgr_m_axi_arvalid;
  wire x_qp_mgr_m_axi_arready;
  wire x_qp_mgr_m_axi_rvalid;
  wire x_qp_mgr_m_axi_rready;
  wire x_wqe_proc_top_m_axi_arvalid;
  wire x_wqe_proc_top_m_axi_arready;
  wire x_wqe_proc_top_m_axi_rvalid;
  wire x_wqe_proc_top_m_axi_rready;
  wire x_wqe_proc_wr_ddr_m_axi_awvalid;
  wire x_wqe_proc_wr_ddr_m_axi_awready;
  wire x_wqe_proc_wr_ddr_m_axi_wvalid;
  wire x_wqe_proc_wr_ddr_m_axi_wready;
  wire x_wqe_proc_wr_ddr_m_axi_bvalid;
  wire x_wqe_proc_wr_ddr_m_axi_bready;
  wire x_rx_pkt_hndler_ddr_m_axi_awvalid;
  wire x_rx_pkt_hndler_ddr_m_axi_awready;
  wire x_rx_pkt_hndler_ddr_m_axi_wvalid;
  wire x_rx_pkt_hndler_ddr_m_axi_wready;
  wire x_rx_pkt_hndler_ddr_m_axi_bvalid;
  wire x_rx_pkt_hndler_ddr_m_axi_bready;
  wire x_rx_pkt_hndler_rdrsp_m_axi_awvalid;
  wire x_rx_pkt_hndler_rdrsp_m_axi_awready;
  wire x_rx_pkt_hndler_rdrsp_m_axi_wvalid;
  wire x_rx_pkt_hndler_rdrsp_m_axi_wready;
  wire x_rx_pkt_hndler_rdrsp_m_axi_bvalid;
  wire x_rx_pkt_hndler_rdrsp_m_axi_bready;
  wire x_resp_hndler_m_axi_awvalid;
  wire x_resp_hndler_m_axi_awready;
  wire x_resp_hndler_m_axi_wvalid;
  wire x_resp_hndler_m_axi_wready;
  wire x_resp_hndler_m_axi_bvalid;
  wire x_resp_hndler_m_axi_bready;
  wire x_cmac_m_axis_tvalid;
  wire x_cmac_m_axis_tready;
  wire x_non_roce_dma_m_axis_tvalid;
  wire x_non_roce_dma_m_axis_tready;
  wire x_non_roce_dma_s_axis_tvalid;
  wire x_non_roce_dma_s_axis_tready;
  wire x_ieth_immdt_axis_tvalid;
  wire x_ieth_immdt_axis_trdy;
  wire x_resp_hndler_o_send_cq_db_cnt_valid;
  wire x_resp_hndler_i_send_cq_db_rdy;
  wire x_rx_pkt_hndler_o_rq_db_data_valid;
  wire x_rx_pkt_hndler_i_rq_db_rdy;
  wire x_i_qp_sq_pidb_wr_valid_hndshk;
  wire x_o_qp_sq_pidb_wr_rdy;
  wire x_i_qp_rq_cidb_wr_valid_hndshk;
  wire x_o_qp_rq_cidb_wr_rdy;
  wire x_rnic_intr;

  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(1)) gate_1 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(s_axi_lite_awvalid), .s_ready(s_axi_lite_awready), .s_last(1'b1),
      .m_valid(x_s_axi_lite_awvalid), .m_ready(x_s_axi_lite_awready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(2)) gate_2 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(s_axi_lite_wvalid), .s_ready(s_axi_lite_wready), .s_last(1'b1),
      .m_valid(x_s_axi_lite_wvalid), .m_ready(x_s_axi_lite_wready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(3)) gate_3 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(s_axi_lite_arvalid), .s_ready(s_axi_lite_arready), .s_last(1'b1),
      .m_valid(x_s_axi_lite_arvalid), .m_ready(x_s_axi_lite_arready)
  );
  elastic_gate #(.MAX(8), .PER_FRAME(0), .NUMBER(4)) gate_4 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_s_axi_lite_bvalid), .s_ready(x_s_axi_lite_bready), .s_last(1'b1),
      .m_valid(s_axi_lite_bvalid), .m_ready(s_axi_lite_bready)
  );
  elastic_gate #(.MAX(8), .PER_FRAME(0), .NUMBER(5)) gate_5 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_s_axi_lite_rvalid), .s_ready(x_s_axi_lite_rready), .s_last(1'b1),
      .m_valid(s_axi_lite_rvalid), .m_ready(s_axi_lite_rready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(6)) gate_6 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_qp_mgr_m_axi_arvalid), .s_ready(x_qp_mgr_m_axi_arready), .s_last(1'b1),
      .m_valid(qp_mgr_m_axi_arvalid), .m_ready(qp_mgr_m_axi_arready)
  );
  elastic_gate #(.MAX(2), .PER_FRAME(0), .NUMBER(7)) gate_7 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(qp_mgr_m_axi_rvalid), .s_ready(qp_mgr_m_axi_rready), .s_last(1'b1),
      .m_valid(x_qp_mgr_m_axi_rvalid), .m_ready(x_qp_mgr_m_axi_rready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(8)) gate_8 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_wqe_proc_top_m_axi_arvalid), .s_ready(x_wqe_proc_top_m_axi_arready), .s_last(1'b1),
      .m_valid(wqe_proc_top_m_axi_arvalid), .m_ready(wqe_proc_top_m_axi_arready)
  );
  elastic_gate #(.MAX(2), .PER_FRAME(0), .NUMBER(9)) gate_9 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(wqe_proc_top_m_axi_rvalid), .s_ready(wqe_proc_top_m_axi_rready), .s_last(1'b1),
      .m_valid(x_wqe_proc_top_m_axi_rvalid), .m_ready(x_wqe_proc_top_m_axi_rready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(10)) gate_10 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_wqe_proc_wr_ddr_m_axi_awvalid), .s_ready(x_wqe_proc_wr_ddr_m_axi_awready), .s_last(1'b1),
      .m_valid(wqe_proc_wr_ddr_m_axi_awvalid), .m_ready(wqe_proc_wr_ddr_m_axi_awready)
  );
  elastic_gate #(.MAX(2), .PER_FRAME(0), .NUMBER(11)) gate_11 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_wqe_proc_wr_ddr_m_axi_wvalid), .s_ready(x_wqe_proc_wr_ddr_m_axi_wready), .s_last(1'b1),
      .m_valid(wqe_proc_wr_ddr_m_axi_wvalid), .m_ready(wqe_proc_wr_ddr_m_axi_wready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(12)) gate_12 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(wqe_proc_wr_ddr_m_axi_bvalid), .s_ready(wqe_proc_wr_ddr_m_axi_bready), .s_last(1'b1),
      .m_valid(x_wqe_proc_wr_ddr_m_axi_bvalid), .m_ready(x_wqe_proc_wr_ddr_m_axi_bready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(13)) gate_13 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_rx_pkt_hndler_ddr_m_axi_awvalid), .s_ready(x_rx_pkt_hndler_ddr_m_axi_awready), .s_last(1'b1),
      .m_valid(rx_pkt_hndler_ddr_m_axi_awvalid), .m_ready(rx_pkt_hndler_ddr_m_axi_awready)
  );
  elastic_gate #(.MAX(2), .PER_FRAME(0), .NUMBER(14)) gate_14 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_rx_pkt_hndler_ddr_m_axi_wvalid), .s_ready(x_rx_pkt_hndler_ddr_m_axi_wready), .s_last(1'b1),
      .m_valid(rx_pkt_hndler_ddr_m_axi_wvalid), .m_ready(rx_pkt_hndler_ddr_m_axi_wready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(15)) gate_15 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(rx_pkt_hndler_ddr_m_axi_bvalid), .s_ready(rx_pkt_hndler_ddr_m_axi_bready), .s_last(1'b1),
      .m_valid(x_rx_pkt_hndler_ddr_m_axi_bvalid), .m_ready(x_rx_pkt_hndler_ddr_m_axi_bready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(16)) gate_16 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_rx_pkt_hndler_rdrsp_m_axi_awvalid), .s_ready(x_rx_pkt_hndler_rdrsp_m_axi_awready), .s_last(1'b1),
      .m_valid(rx_pkt_hndler_rdrsp_m_axi_awvalid), .m_ready(rx_pkt_hndler_rdrsp_m_axi_awready)
  );
  elastic_gate #(.MAX(2), .PER_FRAME(0), .NUMBER(17)) gate_17 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_rx_pkt_hndler_rdrsp_m_axi_wvalid), .s_ready(x_rx_pkt_hndler_rdrsp_m_axi_wready), .s_last(1'b1),
      .m_valid(rx_pkt_hndler_rdrsp_m_axi_wvalid), .m_ready(rx_pkt_hndler_rdrsp_m_axi_wready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(18)) gate_18 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(rx_pkt_hndler_rdrsp_m_axi_bvalid), .s_ready(rx_pkt_hndler_rdrsp_m_axi_bready), .s_last(1'b1),
      .m_valid(x_rx_pkt_hndler_rdrsp_m_axi_bvalid), .m_ready(x_rx_pkt_hndler_rdrsp_m_axi_bready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(19)) gate_19 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_resp_hndler_m_axi_awvalid), .s_ready(x_resp_hndler_m_axi_awready), .s_last(1'b1),
      .m_valid(resp_hndler_m_axi_awvalid), .m_ready(resp_hndler_m_axi_awready)
  );
  elastic_gate #(.MAX(2), .PER_FRAME(0), .NUMBER(20)) gate_20 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_resp_hndler_m_axi_wvalid), .s_ready(x_resp_hndler_m_axi_wready), .s_last(1'b1),
      .m_valid(resp_hndler_m_axi_wvalid), .m_ready(resp_hndler_m_axi_wready)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(21)) gate_21 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(resp_hndler_m_axi_bvalid), .s_ready(resp_hndler_m_axi_bready), .s_last(1'b1),
      .m_valid(x_resp_hndler_m_axi_bvalid), .m_ready(x_resp_hndler_m_axi_bready)
  );
  elastic_gate #(.MAX(32), .PER_FRAME(1), .NUMBER(22)) gate_22 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_cmac_m_axis_tvalid), .s_ready(x_cmac_m_axis_tready), .s_last(cmac_m_axis_tlast),
      .m_valid(cmac_m_axis_tvalid), .m_ready(cmac_m_axis_tready)
  );
  elastic_gate #(.MAX(32), .PER_FRAME(1), .NUMBER(23)) gate_23 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_non_roce_dma_m_axis_tvalid), .s_ready(x_non_roce_dma_m_axis_tready), .s_last(non_roce_dma_m_axis_tlast),
      .m_valid(non_roce_dma_m_axis_tvalid), .m_ready(non_roce_dma_m_axis_tready)
  );
  elastic_gate #(.MAX(2), .PER_FRAME(0), .NUMBER(24)) gate_24 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(non_roce_dma_s_axis_tvalid), .s_ready(non_roce_dma_s_axis_tready), .s_last(1'b1),
      .m_valid(x_non_roce_dma_s_axis_tvalid), .m_ready(x_non_roce_dma_s_axis_tready)
  );
  elastic_gate #(.MAX(12), .PER_FRAME(0), .NUMBER(25)) gate_25 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_ieth_immdt_axis_tvalid), .s_ready(x_ieth_immdt_axis_trdy), .s_last(1'b1),
      .m_valid(ieth_immdt_axis_tvalid), .m_ready(ieth_immdt_axis_trdy)
  );
  elastic_gate #(.MAX(12), .PER_FRAME(0), .NUMBER(26)) gate_26 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_resp_hndler_o_send_cq_db_cnt_valid), .s_ready(x_resp_hndler_i_send_cq_db_rdy), .s_last(1'b1),
      .m_valid(resp_hndler_o_send_cq_db_cnt_valid), .m_ready(resp_hndler_i_send_cq_db_rdy)
  );
  elastic_gate #(.MAX(12), .PER_FRAME(0), .NUMBER(27)) gate_27 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(x_rx_pkt_hndler_o_rq_db_data_valid), .s_ready(x_rx_pkt_hndler_i_rq_db_rdy), .s_last(1'b1),
      .m_valid(rx_pkt_hndler_o_rq_db_data_valid), .m_ready(rx_pkt_hndler_i_rq_db_rdy)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(28)) gate_28 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(i_qp_sq_pidb_wr_valid_hndshk), .s_ready(o_qp_sq_pidb_wr_rdy), .s_last(1'b1),
      .m_valid(x_i_qp_sq_pidb_wr_valid_hndshk), .m_ready(x_o_qp_sq_pidb_wr_rdy)
  );
  elastic_gate #(.MAX(6), .PER_FRAME(0), .NUMBER(29)) gate_29 (
      .clk(clk), .rst(rst), .seed(seed), .s_valid(i_qp_rq_cidb_wr_valid_hndshk), .s_ready(o_qp_rq_cidb_wr_rdy), .s_last(1'b1),
      .m_valid(x_i_qp_rq_cidb_wr_valid_hndshk), .m_ready(x_o_qp_rq_cidb_wr_rdy)
  );

  // The interrupt level follows after 0..12 clocks.
  reg intr = 1'b0;
  reg [3:0] intr_left = 4'd0;
  reg [31:0] intr_x = 32'd1;
  assign rnic_intr = (seed == 0) ? x_rnic_intr : intr;
  always @(posedge clk) begin
    if (rst) begin
      intr <= 1'b0;
      intr_left <= 4'd0;
      intr_x <= seed ^ 32'h2468_ACE1;
    end else if (seed != 0 && intr != x_rnic_intr) begin
      if (intr_left == 0) begin
        intr <= x_rnic_intr;
        intr_x <= {intr_x[30:0], intr_x[31] ^ intr_x[21] ^ intr_x[1] ^ intr_x[0]};
        intr_left <= (intr_x[3:0] > 4'd12) ? 4'd0 : intr_x[3:0];
      end else begin
        intr_left <= intr_left - 4'd1;
      end
    end
  end

  ernic #(
      .C_NUM_QP(C_NUM_QP), .C_MR_ROWS(C_MR_ROWS), .QP_BASE_RAW(QP_BASE_RAW), .C_M_AXI_ADDR_WIDTH(C_M_AXI_ADDR_WIDTH),
      .C_RESP_RESOURCES(C_RESP_RESOURCES), .C_RNR_UNIT_CLKS(C_RNR_UNIT_CLKS),
      .C_ACK_TIMEOUT_CLKS(C_ACK_TIMEOUT_CLKS),
      .C_RETRY_BUFFERS(C_RETRY_BUFFERS), .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX),
      .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM), .C_RQ_SB_DELTA(C_RQ_SB_DELTA), .C_SB_ADDR_W(C_SB_ADDR_W)
  ) dut (
      .m_axi_aclk(m_axi_aclk),
      .m_axi_aresetn(m_axi_aresetn),
      .s_axi_lite_aclk(s_axi_lite_aclk),
      .s_axi_lite_aresetn(s_axi_lite_aresetn),
      .cmac_rx_clk(cmac_rx_clk),
      .cmac_rx_rst(cmac_rx_rst),
      .cmac_tx_clk(cmac_tx_clk),
      .cmac_tx_rst(cmac_tx_rst),
      .system_resetn(system_resetn),
      .s_axi_lite_awaddr(s_axi_lite_awaddr),
      .s_axi_lite_awvalid(x_s_axi_lite_awvalid),
      .s_axi_lite_awready(x_s_axi_lite_awready),
      .s_axi_lite_wdata(s_axi_lite_wdata),
      .s_axi_lite_wstrb(s_axi_lite_wstrb),
      .s_axi_lite_wvalid(x_s_axi_lite_wvalid),
      .s_axi_lite_wready(x_s_axi_lite_wready),
      .s_axi_lite_bresp(s_axi_lite_bresp),
      .s_axi_lite_bvalid(x_s_axi_lite_bvalid),
      .s_axi_lite_bready(x_s_axi_lite_bready),
      .s_axi_lite_araddr(s_axi_lite_araddr),
      .s_axi_lite_arvalid(x_s_axi_lite_arvalid),
      .s_axi_lite_arready(x_s_axi_lite_arready),
      .s_axi_lite_rdata(s_axi_lite_rdata),
      .s_axi_lite_rresp(s_axi_lite_rresp),
      .s_axi_lite_rvalid(x_s_axi_lite_rvalid),
      .s_axi_lite_rready(x_s_axi_lite_rready),
      .qp_mgr_m_axi_awid(qp_mgr_m_axi_awid),
      .qp_mgr_m_axi_awaddr(qp_mgr_m_axi_awaddr),
      .qp_mgr_m_axi_awlen(qp_mgr_m_axi_awlen),
      .qp_mgr_m_axi_awsize(qp_mgr_m_axi_awsize),
      .qp_mgr_m_axi_awburst(qp_mgr_m_axi_awburst),
      .qp_mgr_m_axi_awlock(qp_mgr_m_axi_awlock),
      .qp_mgr_m_axi_awcache(qp_mgr_m_axi_awcache),
      .qp_mgr_m_axi_awprot(qp_mgr_m_axi_awprot),
      .qp_mgr_m_axi_awvalid(qp_mgr_m_axi_awvalid),
      .qp_mgr_m_axi_awready(qp_mgr_m_axi_awready),
      .qp_mgr_m_axi_wdata(qp_mgr_m_axi_wdata),
      .qp_mgr_m_axi_wstrb(qp_mgr_m_axi_wstrb),
      .qp_mgr_m_axi_wlast(qp_mgr_m_axi_wlast),
      .qp_mgr_m_axi_wvalid(qp_mgr_m_axi_wvalid),
      .qp_mgr_m_axi_wready(qp_mgr_m_axi_wready),
      .qp_mgr_m_axi_bid(qp_mgr_m_axi_bid),
      .qp_mgr_m_axi_bresp(qp_mgr_m_axi_bresp),
      .qp_mgr_m_axi_bvalid(qp_mgr_m_axi_bvalid),
      .qp_mgr_m_axi_bready(qp_mgr_m_axi_bready),
      .qp_mgr_m_axi_arid(qp_mgr_m_axi_arid),
      .qp_mgr_m_axi_araddr(qp_mgr_m_axi_araddr),
      .qp_mgr_m_axi_arlen(qp_mgr_m_axi_arlen),
      .qp_mgr_m_axi_arsize(qp_mgr_m_axi_arsize),
      .qp_mgr_m_axi_arburst(qp_mgr_m_axi_arburst),
      .qp_mgr_m_axi_arlock(qp_mgr_m_axi_arlock),
      .qp_mgr_m_axi_arcache(qp_mgr_m_axi_arcache),
      .qp_mgr_m_axi_arprot(qp_mgr_m_axi_arprot),
      .qp_mgr_m_axi_arvalid(x_qp_mgr_m_axi_arvalid),
      .qp_mgr_m_axi_arready(x_qp_mgr_m_axi_arready),
      .qp_mgr_m_axi_rid(qp_mgr_m_axi_rid),
      .qp_mgr_m_axi_rdata(qp_mgr_m_axi_rdata),
      .qp_mgr_m_axi_rresp(qp_mgr_m_axi_rresp),
      .qp_mgr_m_axi_rlast(qp_mgr_m_axi_rlast),
      .qp_mgr_m_axi_rvalid(x_qp_mgr_m_axi_rvalid),
      .qp_mgr_m_axi_rready(x_qp_mgr_m_axi_rready),
      .wqe_proc_top_m_axi_awid(wqe_proc_top_m_axi_awid),
      .wqe_proc_top_m_axi_awaddr(wqe_proc_top_m_axi_awaddr),
      .wqe_proc_top_m_axi_awlen(wqe_proc_top_m_axi_awlen),
      .wqe_proc_top_m_axi_awsize(wqe_proc_top_m_axi_awsize),
      .wqe_proc_top_m_axi_awburst(wqe_proc_top_m_axi_awburst),
      .wqe_proc_top_m_axi_awlock(wqe_proc_top_m_axi_awlock),
      .wqe_proc_top_m_axi_awcache(wqe_proc_top_m_axi_awcache),
      .wqe_proc_top_m_axi_awprot(wqe_proc_top_m_axi_awprot),
      .wqe_proc_top_m_axi_awvalid(wqe_proc_top_m_axi_awvalid),
      .wqe_proc_top_m_axi_awready(wqe_proc_top_m_axi_awready),
      .wqe_proc_top_m_axi_wdata(wqe_proc_top_m_axi_wdata),
      .wqe_proc_top_m_axi_wstrb(wqe_proc_top_m_axi_wstrb),
      .wqe_proc_top_m_axi_wlast(wqe_proc_top_m_axi_wlast),
      .wqe_proc_top_m_axi_wvalid(wqe_proc_top_m_axi_wvalid),
      .wqe_proc_top_m_axi_wready(wqe_proc_top_m_axi_wready),
      .wqe_proc_top_m_axi_bid(wqe_proc_top_m_axi_bid),
      .wqe_proc_top_m_axi_bresp(wqe_proc_top_m_axi_bresp),
      .wqe_proc_top_m_axi_bvalid(wqe_proc_top_m_axi_bvalid),
      .wqe_proc_top_m_axi_bready(wqe_proc_top_m_axi_bready),
      .wqe_proc_top_m_axi_arid(wqe_proc_top_m_axi_arid),
      .wqe_proc_top_m_axi_araddr(wqe_proc_top_m_axi_araddr),
      .wqe_proc_top_m_axi_arlen(wqe_proc_top_m_axi_arlen),
      .wqe_proc_top_m_axi_arsize(wqe_proc_top_m_axi_arsize),
      .wqe_proc_top_m_axi_arburst(wqe_proc_top_m_axi_arburst),
      .wqe_proc_top_m_axi_arlock(wqe_proc_top_m_axi_arlock),
      .wqe_proc_top_m_axi_arcache(wqe_proc_top_m_axi_arcache),
      .wqe_proc_top_m_axi_arprot(wqe_proc_top_m_axi_arprot),
      .wqe_proc_top_m_axi_arvalid(x_wqe_proc_top_m_axi_arvalid),
      .wqe_proc_top_m_axi_arready(x_wqe_proc_top_m_axi_arready),
      .wqe_proc_top_m_axi_rid(wqe_proc_top_m_axi_rid),
      .wqe_proc_top_m_axi_rdata(wqe_proc_top_m_axi_rdata),
      .wqe_proc_top_m_axi_rresp(wqe_proc_top_m_axi_rresp),
      .wqe_proc_top_m_axi_rlast(wqe_proc_top_m_axi_rlast),
      .wqe_proc_top_m_axi_rvalid(x_wqe_proc_top_m_axi_rvalid),
      .wqe_proc_top_m_axi_rready(x_wqe_proc_top_m_axi_rready),
      .wqe_proc_wr_ddr_m_axi_awid(wqe_proc_wr_ddr_m_axi_awid),
      .wqe_proc_wr_ddr_m_axi_awaddr(wqe_proc_wr_ddr_m_axi_awaddr),
      .wqe_proc_wr_ddr_m_axi_awlen(wqe_proc_wr_ddr_m_axi_awlen),
      .wqe_proc_wr_ddr_m_axi_awsize(wqe_proc_wr_ddr_m_axi_awsize),
      .wqe_proc_wr_ddr_m_axi_awburst(wqe_proc_wr_ddr_m_axi_awburst),
      .wqe_proc_wr_ddr_m_axi_awlock(wqe_proc_wr_ddr_m_axi_awlock),
      .wqe_proc_wr_ddr_m_axi_awcache(wqe_proc_wr_ddr_m_axi_awcache),
      .wqe_proc_wr_ddr_m_axi_awprot(wqe_proc_wr_ddr_m_axi_awprot),
      .wqe_proc_wr_ddr_m_axi_awvalid(x_wqe_proc_wr_ddr_m_axi_awvalid),
      .wqe_proc_wr_ddr_m_axi_awready(x_wqe_proc_wr_ddr_m_axi_awready),
      .wqe_proc_wr_ddr_m_axi_wdata(wqe_proc_wr_ddr_m_axi_wdata),
      .wqe_proc_wr_ddr_m_axi_wstrb(wqe_proc_wr_ddr_m_axi_wstrb),
      .wqe_proc_wr_ddr_m_axi_wlast(wqe_proc_wr_ddr_m_axi_wlast),
      .wqe_proc_wr_ddr_m_axi_wvalid(x_wqe_proc_wr_ddr_m_axi_wvalid),
      .wqe_proc_wr_ddr_m_axi_wready(x_wqe_proc_wr_ddr_m_axi_wready),
      .wqe_proc_wr_ddr_m_axi_bid(wqe_proc_wr_ddr_m_axi_bid),
      .wqe_proc_wr_ddr_m_axi_bresp(wqe_proc_wr_ddr_m_axi_bresp),
      .wqe_proc_wr_ddr_m_axi_bvalid(x_wqe_proc_wr_ddr_m_axi_bvalid),
      .wqe_proc_wr_ddr_m_axi_bready(x_wqe_proc_wr_ddr_m_axi_bready),
      .wqe_proc_wr_ddr_m_axi_arid(wqe_proc_wr_ddr_m_axi_arid),
      .wqe_proc_wr_ddr_m_axi_araddr(wqe_proc_wr_ddr_m_axi_araddr),
      .wqe_proc_wr_ddr_m_axi_arlen(wqe_proc_wr_ddr_m_axi_arlen),
      .wqe_proc_wr_ddr_m_axi_arsize(wqe_proc_wr_ddr_m_axi_arsize),
      .wqe_proc_wr_ddr_m_axi_arburst(wqe_proc_wr_ddr_m_axi_arburst),
      .wqe_proc_wr_ddr_m_axi_arlock(wqe_proc_wr_ddr_m_axi_arlock),
      .wqe_proc_wr_ddr_m_axi_arcache(wqe_proc_wr_ddr_m_axi_arcache),
      .wqe_proc_wr_ddr_m_axi_arprot(wqe_proc_wr_ddr_m_axi_arprot),
      .wqe_proc_wr_ddr_m_axi_arvalid(wqe_proc_wr_ddr_m_axi_arvalid),
      .wqe_proc_wr_ddr_m_axi_arready(wqe_proc_wr_ddr_m_axi_arready),
      .wqe_proc_wr_ddr_m_axi_rid(wqe_proc_wr_ddr_m_axi_rid),
      .wqe_proc_wr_ddr_m_axi_rdata(wqe_proc_wr_ddr_m_axi_rdata),
      .wqe_proc_wr_ddr_m_axi_rresp(wqe_proc_wr_ddr_m_axi_rresp),
      .wqe_proc_wr_ddr_m_axi_rlast(wqe_proc_wr_ddr_m_axi_rlast),
      .wqe_proc_wr_ddr_m_axi_rvalid(wqe_proc_wr_ddr_m_axi_rvalid),
      .wqe_proc_wr_ddr_m_axi_rready(wqe_proc_wr_ddr_m_axi_rready),
      .rx_pkt_hndler_ddr_m_axi_awid(rx_pkt_hndler_ddr_m_axi_awid),
      .rx_pkt_hndler_ddr_m_axi_awaddr(rx_pkt_hndler_ddr_m_axi_awaddr),
      .rx_pkt_hndler_ddr_m_axi_awlen(rx_pkt_hndler_ddr_m_axi_awlen),
      .rx_pkt_hndler_ddr_m_axi_awsize(rx_pkt_hndler_ddr_m_axi_awsize),
      .rx_pkt_hndler_ddr_m_axi_awburst(rx_pkt_hndler_ddr_m_axi_awburst),
      .rx_pkt_hndler_ddr_m_axi_awlock(rx_pkt_hndler_ddr_m_axi_awlock),
      .rx_pkt_hndler_ddr_m_axi_awcache(rx_pkt_hndler_ddr_m_axi_awcache),
      .rx_pkt_hndler_ddr_m_axi_awprot(rx_pkt_hndler_ddr_m_axi_awprot),
      .rx_pkt_hndler_ddr_m_axi_awvalid(x_rx_pkt_hndler_ddr_m_axi_awvalid),
      .rx_pkt_hndler_ddr_m_axi_awready(x_rx_pkt_hndler_ddr_m_axi_awready),
      .rx_pkt_hndler_ddr_m_axi_wdata(rx_pkt_hndler_ddr_m_axi_wdata),
      .rx_pkt_hndler_ddr_m_axi_wstrb(rx_pkt_hndler_ddr_m_axi_wstrb),
      .rx_pkt_hndler_ddr_m_axi_wlast(rx_pkt_hndler_ddr_m_axi_wlast),
      .rx_pkt_hndler_ddr_m_axi_wvalid(x_rx_pkt_hndler_ddr_m_axi_wvalid),
      .rx_pkt_hndler_ddr_m_axi_wready(x_rx_pkt_hndler_ddr_m_axi_wready),
      .rx_pkt_hndler_ddr_m_axi_bid(rx_pkt_hndler_ddr_m_axi_bid),
      .rx_pkt_hndler_ddr_m_axi_bresp(rx_pkt_hndler_ddr_m_axi_bresp),
      .rx_pkt_hndler_ddr_m_axi_bvalid(x_rx_pkt_hndler_ddr_m_axi_bvalid),
      .rx_pkt_hndler_ddr_m_axi_bready(x_rx_pkt_hndler_ddr_m_axi_bready),
      .rx_pkt_hndler_ddr_m_axi_arid(rx_pkt_hndler_ddr_m_axi_arid),
      .rx_pkt_hndler_ddr_m_axi_araddr(rx_pkt_hndler_ddr_m_axi_araddr),
      .rx_pkt_hndler_ddr_m_axi_arlen(rx_pkt_hndler_ddr_m_axi_arlen),
      .rx_pkt_hndler_ddr_m_axi_arsize(rx_pkt_hndler_ddr_m_axi_arsize),
      .rx_pkt_hndler_ddr_m_axi_arburst(rx_pkt_hndler_ddr_m_axi_arburst),
      .rx_pkt_hndler_ddr_m_axi_arlock(rx_pkt_hndler_ddr_m_axi_arlock),
      .rx_pkt_hndler_ddr_m_axi_arcache(rx_pkt_hndler_ddr_m_axi_arcache),
      .rx_pkt_hndler_ddr_m_axi_arprot(rx_pkt_hndler_ddr_m_axi_arprot),
      .rx_pkt_hndler_ddr_m_axi_arvalid(rx_pkt_hndler_ddr_m_axi_arvalid),
      .rx_pkt_hndler_ddr_m_axi_arready(rx_pkt_hndler_ddr_m_axi_arready),
      .rx_pkt_hndler_ddr_m_axi_rid(rx_pkt_hndler_ddr_m_axi_rid),
      .rx_pkt_hndler_ddr_m_axi_rdata(rx_pkt_hndler_ddr_m_axi_rdata),
      .rx_pkt_hndler_ddr_m_axi_rresp(rx_pkt_hndler_ddr_m_axi_rresp),
      .rx_pkt_hndler_ddr_m_axi_rlast(rx_pkt_hndler_ddr_m_axi_rlast),
      .rx_pkt_hndler_ddr_m_axi_rvalid(rx_pkt_hndler_ddr_m_axi_rvalid),
      .rx_pkt_hndler_ddr_m_axi_rready(rx_pkt_hndler_ddr_m_axi_rready),
      .rx_pkt_hndler_ddr_m_axi_awuser(rx_pkt_hndler_ddr_m_axi_awuser),
      .rx_pkt_hndler_rdrsp_m_axi_awid(rx_pkt_hndler_rdrsp_m_axi_awid),
      .rx_pkt_hndler_rdrsp_m_axi_awaddr(rx_pkt_hndler_rdrsp_m_axi_awaddr),
      .rx_pkt_hndler_rdrsp_m_axi_awlen(rx_pkt_hndler_rdrsp_m_axi_awlen),
      .rx_pkt_hndler_rdrsp_m_axi_awsize(rx_pkt_hndler_rdrsp_m_axi_awsize),
      .rx_pkt_hndler_rdrsp_m_axi_awburst(rx_pkt_hndler_rdrsp_m_axi_awburst),
      .rx_pkt_hndler_rdrsp_m_axi_awlock(rx_pkt_hndler_rdrsp_m_axi_awlock),
      .rx_pkt_hndler_rdrsp_m_axi_awcache(rx_pkt_hndler_rdrsp_m_axi_awcache),
      .rx_pkt_hndler_rdrsp_m_axi_awprot(rx_pkt_hndler_rdrsp_m_axi_awprot),
      .rx_pkt_hndler_rdrsp_m_axi_awvalid(x_rx_pkt_hndler_rdrsp_m_axi_awvalid),
      .rx_pkt_hndler_rdrsp_m_axi_awready(x_rx_pkt_hndler_rdrsp_m_axi_awready),
      .rx_pkt_hndler_rdrsp_m_axi_wdata(rx_pkt_hndler_rdrsp_m_axi_wdata),
      .rx_pkt_hndler_rdrsp_m_axi_wstrb(rx_pkt_hndler_rdrsp_m_axi_wstrb),
      .rx_pkt_hndler_rdrsp_m_axi_wlast(rx_pkt_hndler_rdrsp_m_axi_wlast),
      .rx_pkt_hndler_rdrsp_m_axi_wvalid(x_rx_pkt_hndler_rdrsp_m_axi_wvalid),
      .rx_pkt_hndler_rdrsp_m_axi_wready(x_rx_pkt_hndler_rdrsp_m_axi_wready),
      .rx_pkt_hndler_rdrsp_m_axi_bid(rx_pkt_hndler_rdrsp_m_axi_bid),
      .rx_pkt_hndler_rdrsp_m_axi_bresp(rx_pkt_hndler_rdrsp_m_axi_bresp),
      .rx_pkt_hndler_rdrsp_m_axi_bvalid(x_rx_pkt_hndler_rdrsp_m_axi_bvalid),
      .rx_pkt_hndler_rdrsp_m_axi_bready(x_rx_pkt_hndler_rdrsp_m_axi_bready),
      .rx_pkt_hndler_rdrsp_m_axi_arid(rx_pkt_hndler_rdrsp_m_axi_arid),
      .rx_pkt_hndler_rdrsp_m_axi_araddr(rx_pkt_hndler_rdrsp_m_axi_araddr),
      .rx_pkt_hndler_rdrsp_m_axi_arlen(rx_pkt_hndler_rdrsp_m_axi_arlen),
      .rx_pkt_hndler_rdrsp_m_axi_arsize(rx_pkt_hndler_rdrsp_m_axi_arsize),
      .rx_pkt_hndler_rdrsp_m_axi_arburst(rx_pkt_hndler_rdrsp_m_axi_arburst),
      .rx_pkt_hndler_rdrsp_m_axi_arlock(rx_pkt_hndler_rdrsp_m_axi_arlock),
      .rx_pkt_hndler_rdrsp_m_axi_arcache(rx_pkt_hndler_rdrsp_m_axi_arcache),
      .rx_pkt_hndler_rdrsp_m_axi_arprot(rx_pkt_hndler_rdrsp_m_axi_arprot),
      .rx_pkt_hndler_rdrsp_m_axi_arvalid(rx_pkt_hndler_rdrsp_m_axi_arvalid),
      .rx_pkt_hndler_rdrsp_m_axi_arready(rx_pkt_hndler_rdrsp_m_axi_arready),
      .rx_pkt_hndler_rdrsp_m_axi_rid(rx_pkt_hndler_rdrsp_m_axi_rid),
      .rx_pkt_hndler_rdrsp_m_axi_rdata(rx_pkt_hndler_rdrsp_m_axi_rdata),
      .rx_pkt_hndler_rdrsp_m_axi_rresp(rx_pkt_hndler_rdrsp_m_axi_rresp),
      .rx_pkt_hndler_rdrsp_m_axi_rlast(rx_pkt_hndler_rdrsp_m_axi_rlast),
      .rx_pkt_hndler_rdrsp_m_axi_rvalid(rx_pkt_hndler_rdrsp_m_axi_rvalid),
      .rx_pkt_hndler_rdrsp_m_axi_rready(rx_pkt_hndler_rdrsp_m_axi_rready),
      .resp_hndler_m_axi_awid(resp_hndler_m_axi_awid),
      .resp_hndler_m_axi_awaddr(resp_hndler_m_axi_awaddr),
      .resp_hndler_m_axi_awlen(resp_hndler_m_axi_awlen),
      .resp_hndler_m_axi_awsize(resp_hndler_m_axi_awsize),
      .resp_hndler_m_axi_awburst(resp_hndler_m_axi_awburst),
      .resp_hndler_m_axi_awlock(resp_hndler_m_axi_awlock),
      .resp_hndler_m_axi_awcache(resp_hndler_m_axi_awcache),
      .resp_hndler_m_axi_awprot(resp_hndler_m_axi_awprot),
      .resp_hndler_m_axi_awvalid(x_resp_hndler_m_axi_awvalid),
      .resp_hndler_m_axi_awready(x_resp_hndler_m_axi_awready),
      .resp_hndler_m_axi_wdata(resp_hndler_m_axi_wdata),
      .resp_hndler_m_axi_wstrb(resp_hndler_m_axi_wstrb),
      .resp_hndler_m_axi_wlast(resp_hndler_m_axi_wlast),
      .resp_hndler_m_axi_wvalid(x_resp_hndler_m_axi_wvalid),
      .resp_hndler_m_axi_wready(x_resp_hndler_m_axi_wready),
      .resp_hndler_m_axi_bid(resp_hndler_m_axi_bid),
      .resp_hndler_m_axi_bresp(resp_hndler_m_axi_bresp),
      .resp_hndler_m_axi_bvalid(x_resp_hndler_m_axi_bvalid),
      .resp_hndler_m_axi_bready(x_resp_hndler_m_axi_bready),
      .resp_hndler_m_axi_arid(resp_hndler_m_axi_arid),
      .resp_hndler_m_axi_araddr(resp_hndler_m_axi_araddr),
      .resp_hndler_m_axi_arlen(resp_hndler_m_axi_arlen),
      .resp_hndler_m_axi_arsize(resp_hndler_m_axi_arsize),
      .resp_hndler_m_axi_arburst(resp_hndler_m_axi_arburst),
      .resp_hndler_m_axi_arlock(resp_hndler_m_axi_arlock),
      .resp_hndler_m_axi_arcache(resp_hndler_m_axi_arcache),
      .resp_hndler_m_axi_arprot(resp_hndler_m_axi_arprot),
      .resp_hndler_m_axi_arvalid(resp_hndler_m_axi_arvalid),
      .resp_hndler_m_axi_arready(resp_hndler_m_axi_arready),
      .resp_hndler_m_axi_rid(resp_hndler_m_axi_rid),
      .resp_hndler_m_axi_rdata(resp_hndler_m_axi_rdata),
      .resp_hndler_m_axi_rresp(resp_hndler_m_axi_rresp),
      .resp_hndler_m_axi_rlast(resp_hndler_m_axi_rlast),
      .resp_hndler_m_axi_rvalid(resp_hndler_m_axi_rvalid),
      .resp_hndler_m_axi_rready(resp_hndler_m_axi_rready),
      .roce_cmac_s_axis_tdata(roce_cmac_s_axis_tdata),
      .roce_cmac_s_axis_tkeep(roce_cmac_s_axis_tkeep),
      .roce_cmac_s_axis_tlast(roce_cmac_s_axis_tlast),
      .roce_cmac_s_axis_tuser(roce_cmac_s_axis_tuser),
      .roce_cmac_s_axis_tvalid(roce_cmac_s_axis_tvalid),
      .non_roce_cmac_s_axis_tdata(non_roce_cmac_s_axis_tdata),
      .non_roce_cmac_s_axis_tkeep(non_roce_cmac_s_axis_tkeep),
      .non_roce_cmac_s_axis_tlast(non_roce_cmac_s_axis_tlast),
      .non_roce_cmac_s_axis_tuser(non_roce_cmac_s_axis_tuser),
      .non_roce_cmac_s_axis_tvalid(non_roce_cmac_s_axis_tvalid),
      .non_roce_dma_m_axis_tdata(non_roce_dma_m_axis_tdata),
      .non_roce_dma_m_axis_tkeep(non_roce_dma_m_axis_tkeep),
      .non_roce_dma_m_axis_tlast(non_roce_dma_m_axis_tlast),
      .non_roce_dma_m_axis_tvalid(x_non_roce_dma_m_axis_tvalid),
      .non_roce_dma_m_axis_tready(x_non_roce_dma_m_axis_tready),
      .cmac_m_axis_tdata(cmac_m_axis_tdata),
      .cmac_m_axis_tkeep(cmac_m_axis_tkeep),
      .cmac_m_axis_tlast(cmac_m_axis_tlast),
      .cmac_m_axis_tvalid(x_cmac_m_axis_tvalid),
      .cmac_m_axis_tready(x_cmac_m_axis_tready),
      .non_roce_dma_s_axis_tdata(non_roce_dma_s_axis_tdata),
      .non_roce_dma_s_axis_tkeep(non_roce_dma_s_axis_tkeep),
      .non_roce_dma_s_axis_tlast(non_roce_dma_s_axis_tlast),
      .non_roce_dma_s_axis_tvalid(x_non_roce_dma_s_axis_tvalid),
      .non_roce_dma_s_axis_tready(x_non_roce_dma_s_axis_tready),
      .ieth_immdt_axis_tdata(ieth_immdt_axis_tdata),
      .ieth_immdt_axis_tlast(ieth_immdt_axis_tlast),
      .ieth_immdt_axis_tvalid(x_ieth_immdt_axis_tvalid),
      .ieth_immdt_axis_trdy(x_ieth_immdt_axis_trdy),
      .resp_hndler_o_send_cq_db_cnt_valid(x_resp_hndler_o_send_cq_db_cnt_valid),
      .resp_hndler_o_send_cq_db_addr(resp_hndler_o_send_cq_db_addr),
      .resp_hndler_o_send_cq_db_cnt(resp_hndler_o_send_cq_db_cnt),
      .resp_hndler_i_send_cq_db_rdy(x_resp_hndler_i_send_cq_db_rdy),
      .i_qp_sq_pidb_hndshk(i_qp_sq_pidb_hndshk),
      .i_qp_sq_pidb_wr_addr_hndshk(i_qp_sq_pidb_wr_addr_hndshk),
      .i_qp_sq_pidb_wr_valid_hndshk(x_i_qp_sq_pidb_wr_valid_hndshk),
      .o_qp_sq_pidb_wr_rdy(x_o_qp_sq_pidb_wr_rdy),
      .i_qp_rq_cidb_hndshk(i_qp_rq_cidb_hndshk),
      .i_qp_rq_cidb_wr_addr_hndshk(i_qp_rq_cidb_wr_addr_hndshk),
      .i_qp_rq_cidb_wr_valid_hndshk(x_i_qp_rq_cidb_wr_valid_hndshk),
      .o_qp_rq_cidb_wr_rdy(x_o_qp_rq_cidb_wr_rdy),
      .rx_pkt_hndler_o_rq_db_data(rx_pkt_hndler_o_rq_db_data),
      .rx_pkt_hndler_o_rq_db_addr(rx_pkt_hndler_o_rq_db_addr),
      .rx_pkt_hndler_o_rq_db_data_valid(x_rx_pkt_hndler_o_rq_db_data_valid),
      .rx_pkt_hndler_i_rq_db_rdy(x_rx_pkt_hndler_i_rq_db_rdy),
      .rnic_intr(x_rnic_intr),
      .stat_rx_pause_req(stat_rx_pause_req),
      .ctl_tx_pause_req(ctl_tx_pause_req),
      .ctl_tx_resend_pause(ctl_tx_resend_pause)
  );
endmodule
