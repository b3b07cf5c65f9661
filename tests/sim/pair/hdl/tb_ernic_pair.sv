// Two ERNICs side by side for the test in ernic_cocotb.py, which carries the frames from one to the other.
//
// Each side has the pins of tb_ernic as its own signals, so that an environment takes a side for its DUT.
`timescale 1ns / 1ps
`default_nettype none

// Signals for the pins of one memory port of a DUT inside, those it reads as variables.
`define MEMORY_PINS(p) \
    wire p``_awid; \
    wire [63:0] p``_awaddr; \
    wire [7:0] p``_awlen; \
    wire [2:0] p``_awsize; \
    wire [1:0] p``_awburst; \
    wire p``_awlock; \
    wire [3:0] p``_awcache; \
    wire [2:0] p``_awprot; \
    wire p``_awvalid; \
    reg  p``_awready; \
    wire [511:0] p``_wdata; \
    wire [63:0] p``_wstrb; \
    wire p``_wlast; \
    wire p``_wvalid; \
    reg  p``_wready; \
    reg  p``_bid; \
    reg  [1:0] p``_bresp; \
    reg  p``_bvalid; \
    wire p``_bready; \
    wire p``_arid; \
    wire [63:0] p``_araddr; \
    wire [7:0] p``_arlen; \
    wire [2:0] p``_arsize; \
    wire [1:0] p``_arburst; \
    wire p``_arlock; \
    wire [3:0] p``_arcache; \
    wire [2:0] p``_arprot; \
    wire p``_arvalid; \
    reg  p``_arready; \
    reg  p``_rid; \
    reg  [511:0] p``_rdata; \
    reg  [1:0] p``_rresp; \
    reg  p``_rlast; \
    reg  p``_rvalid; \
    wire p``_rready;

// Parameters of tb_ernic that reach both sides.
`define PARAMETERS \
    parameter C_NUM_QP         = 8, \
    parameter C_MR_ROWS        = 16, \
    parameter C_RESP_RESOURCES = 16, \
    parameter C_RETRY_BUFFERS  = 1, \
    parameter C_CNP_CLEAR_TX   = 0, \
    parameter QP_BASE_RAW      = 0, \
    parameter C_HNDSHK_DB_MEM  = 1, \
    parameter C_RQ_SB_DELTA    = 0, \
    parameter C_SB_ADDR_W      = 13
`define SAME_PARAMETERS \
    .C_NUM_QP(C_NUM_QP), \
    .C_MR_ROWS(C_MR_ROWS), \
    .C_RESP_RESOURCES(C_RESP_RESOURCES), \
    .C_RETRY_BUFFERS(C_RETRY_BUFFERS), \
    .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX), \
    .QP_BASE_RAW(QP_BASE_RAW), \
    .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM), \
    .C_RQ_SB_DELTA(C_RQ_SB_DELTA), \
    .C_SB_ADDR_W(C_SB_ADDR_W)

module tb_ernic_pair #(
    `PARAMETERS
);
    ernic_side #(`SAME_PARAMETERS) a ();
    ernic_side #(`SAME_PARAMETERS) b ();
endmodule

module ernic_side #(
    `PARAMETERS
);
    reg  m_axi_aclk;
    reg  m_axi_aresetn;
    reg  s_axi_lite_aclk;
    reg  s_axi_lite_aresetn;
    reg  cmac_rx_clk;
    reg  cmac_rx_rst;
    reg  cmac_tx_clk;
    reg  cmac_tx_rst;
    wire system_resetn;
    reg  [31:0] s_axi_lite_awaddr;
    reg  s_axi_lite_awvalid;
    wire s_axi_lite_awready;
    reg  [31:0] s_axi_lite_wdata;
    reg  [3:0] s_axi_lite_wstrb;
    reg  s_axi_lite_wvalid;
    wire s_axi_lite_wready;
    wire [1:0] s_axi_lite_bresp;
    wire s_axi_lite_bvalid;
    reg  s_axi_lite_bready;
    reg  [31:0] s_axi_lite_araddr;
    reg  s_axi_lite_arvalid;
    wire s_axi_lite_arready;
    wire [31:0] s_axi_lite_rdata;
    wire [1:0] s_axi_lite_rresp;
    wire s_axi_lite_rvalid;
    reg  s_axi_lite_rready;
    `MEMORY_PINS(qp_mgr_m_axi)
    `MEMORY_PINS(wqe_proc_top_m_axi)
    `MEMORY_PINS(wqe_proc_wr_ddr_m_axi)
    `MEMORY_PINS(rx_pkt_hndler_ddr_m_axi)
    wire [31:0] rx_pkt_hndler_ddr_m_axi_awuser;
    `MEMORY_PINS(rx_pkt_hndler_rdrsp_m_axi)
    `MEMORY_PINS(resp_hndler_m_axi)
    reg  [511:0] roce_cmac_s_axis_tdata;
    reg  [63:0] roce_cmac_s_axis_tkeep;
    reg  roce_cmac_s_axis_tlast;
    reg  roce_cmac_s_axis_tuser;
    reg  roce_cmac_s_axis_tvalid;
    reg  [511:0] non_roce_cmac_s_axis_tdata;
    reg  [63:0] non_roce_cmac_s_axis_tkeep;
    reg  non_roce_cmac_s_axis_tlast;
    reg  non_roce_cmac_s_axis_tuser;
    reg  non_roce_cmac_s_axis_tvalid;
    wire [511:0] non_roce_dma_m_axis_tdata;
    wire [63:0] non_roce_dma_m_axis_tkeep;
    wire non_roce_dma_m_axis_tlast;
    wire non_roce_dma_m_axis_tvalid;
    reg  non_roce_dma_m_axis_tready;
    wire [511:0] cmac_m_axis_tdata;
    wire [63:0] cmac_m_axis_tkeep;
    wire cmac_m_axis_tlast;
    wire cmac_m_axis_tvalid;
    reg  cmac_m_axis_tready;
    reg  [511:0] non_roce_dma_s_axis_tdata;
    reg  [63:0] non_roce_dma_s_axis_tkeep;
    reg  non_roce_dma_s_axis_tlast;
    reg  non_roce_dma_s_axis_tvalid;
    wire non_roce_dma_s_axis_tready;
    wire [63:0] ieth_immdt_axis_tdata;
    wire ieth_immdt_axis_tlast;
    wire ieth_immdt_axis_tvalid;
    reg  ieth_immdt_axis_trdy;
    wire resp_hndler_o_send_cq_db_cnt_valid;
    wire [12:0] resp_hndler_o_send_cq_db_addr;
    wire [31:0] resp_hndler_o_send_cq_db_cnt;
    reg  resp_hndler_i_send_cq_db_rdy;
    reg  [15:0] i_qp_sq_pidb_hndshk;
    reg  [31:0] i_qp_sq_pidb_wr_addr_hndshk;
    reg  i_qp_sq_pidb_wr_valid_hndshk;
    wire o_qp_sq_pidb_wr_rdy;
    reg  [15:0] i_qp_rq_cidb_hndshk;
    reg  [31:0] i_qp_rq_cidb_wr_addr_hndshk;
    reg  i_qp_rq_cidb_wr_valid_hndshk;
    wire o_qp_rq_cidb_wr_rdy;
    wire [31:0] rx_pkt_hndler_o_rq_db_data;
    wire [12:0] rx_pkt_hndler_o_rq_db_addr;
    wire rx_pkt_hndler_o_rq_db_data_valid;
    reg  rx_pkt_hndler_i_rq_db_rdy;
    wire rnic_intr;
    reg  [8:0] stat_rx_pause_req;
    wire [8:0] ctl_tx_pause_req;
    wire ctl_tx_resend_pause;

    wire [12:0]      protocol_alive = inner.protocol_alive;
    wire [13*16-1:0] protocol_count = inner.protocol_count;
    wire [13*32-1:0] protocol_code = inner.protocol_code;

    tb_ernic #(`SAME_PARAMETERS) inner (
        .*
    );
endmodule

`default_nettype wire
