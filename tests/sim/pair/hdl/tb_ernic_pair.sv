// Two ERNICs side by side for the test in ernic_pair_cocotb.py, which carries the frames from one to the other.
//
// Each side has the pins of tb_ernic as its own signals, so that an environment takes a side for its DUT.
`timescale 1ns / 1ps
`default_nettype none

module tb_ernic_pair #(
    parameter C_NUM_QP         = 8,
    parameter C_MR_ROWS        = 16,
    parameter C_RESP_RESOURCES = 16,
    parameter C_RETRY_BUFFERS  = 1,
    parameter C_CNP_CLEAR_TX   = 0,
    parameter QP_BASE_RAW      = 0,
    parameter C_HNDSHK_DB_MEM  = 1,
    parameter C_RQ_SB_DELTA    = 0,
    parameter C_SB_ADDR_W      = 13
);
    ernic_side #(
        .C_NUM_QP(C_NUM_QP),
        .C_MR_ROWS(C_MR_ROWS),
        .C_RESP_RESOURCES(C_RESP_RESOURCES),
        .C_RETRY_BUFFERS(C_RETRY_BUFFERS),
        .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX),
        .QP_BASE_RAW(QP_BASE_RAW),
        .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM),
        .C_RQ_SB_DELTA(C_RQ_SB_DELTA),
        .C_SB_ADDR_W(C_SB_ADDR_W)
    ) a ();
    ernic_side #(
        .C_NUM_QP(C_NUM_QP),
        .C_MR_ROWS(C_MR_ROWS),
        .C_RESP_RESOURCES(C_RESP_RESOURCES),
        .C_RETRY_BUFFERS(C_RETRY_BUFFERS),
        .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX),
        .QP_BASE_RAW(QP_BASE_RAW),
        .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM),
        .C_RQ_SB_DELTA(C_RQ_SB_DELTA),
        .C_SB_ADDR_W(C_SB_ADDR_W)
    ) b ();
endmodule

module ernic_side #(
    parameter C_NUM_QP         = 8,
    parameter C_MR_ROWS        = 16,
    parameter C_RESP_RESOURCES = 16,
    parameter C_RETRY_BUFFERS  = 1,
    parameter C_CNP_CLEAR_TX   = 0,
    parameter QP_BASE_RAW      = 0,
    parameter C_HNDSHK_DB_MEM  = 1,
    parameter C_RQ_SB_DELTA    = 0,
    parameter C_SB_ADDR_W      = 13
);
    reg  m_axi_aclk /* verilator public_flat_rw */;
    reg  m_axi_aresetn /* verilator public_flat_rw */;
    reg  s_axi_lite_aclk /* verilator public_flat_rw */;
    reg  s_axi_lite_aresetn /* verilator public_flat_rw */;
    reg  cmac_rx_clk /* verilator public_flat_rw */;
    reg  cmac_rx_rst /* verilator public_flat_rw */;
    reg  cmac_tx_clk /* verilator public_flat_rw */;
    reg  cmac_tx_rst /* verilator public_flat_rw */;
    wire system_resetn /* verilator public_flat_rw */;
    reg  [31:0] s_axi_lite_awaddr /* verilator public_flat_rw */;
    reg  s_axi_lite_awvalid /* verilator public_flat_rw */;
    wire s_axi_lite_awready /* verilator public_flat_rw */;
    reg  [31:0] s_axi_lite_wdata /* verilator public_flat_rw */;
    reg  [3:0] s_axi_lite_wstrb /* verilator public_flat_rw */;
    reg  s_axi_lite_wvalid /* verilator public_flat_rw */;
    wire s_axi_lite_wready /* verilator public_flat_rw */;
    wire [1:0] s_axi_lite_bresp /* verilator public_flat_rw */;
    wire s_axi_lite_bvalid /* verilator public_flat_rw */;
    reg  s_axi_lite_bready /* verilator public_flat_rw */;
    reg  [31:0] s_axi_lite_araddr /* verilator public_flat_rw */;
    reg  s_axi_lite_arvalid /* verilator public_flat_rw */;
    wire s_axi_lite_arready /* verilator public_flat_rw */;
    wire [31:0] s_axi_lite_rdata /* verilator public_flat_rw */;
    wire [1:0] s_axi_lite_rresp /* verilator public_flat_rw */;
    wire s_axi_lite_rvalid /* verilator public_flat_rw */;
    reg  s_axi_lite_rready /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_awid /* verilator public_flat_rw */;
    wire [63:0] qp_mgr_m_axi_awaddr /* verilator public_flat_rw */;
    wire [7:0] qp_mgr_m_axi_awlen /* verilator public_flat_rw */;
    wire [2:0] qp_mgr_m_axi_awsize /* verilator public_flat_rw */;
    wire [1:0] qp_mgr_m_axi_awburst /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_awlock /* verilator public_flat_rw */;
    wire [3:0] qp_mgr_m_axi_awcache /* verilator public_flat_rw */;
    wire [2:0] qp_mgr_m_axi_awprot /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_awvalid /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_awready /* verilator public_flat_rw */;
    wire [511:0] qp_mgr_m_axi_wdata /* verilator public_flat_rw */;
    wire [63:0] qp_mgr_m_axi_wstrb /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_wlast /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_wvalid /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_wready /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_bid /* verilator public_flat_rw */;
    reg  [1:0] qp_mgr_m_axi_bresp /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_bvalid /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_bready /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_arid /* verilator public_flat_rw */;
    wire [63:0] qp_mgr_m_axi_araddr /* verilator public_flat_rw */;
    wire [7:0] qp_mgr_m_axi_arlen /* verilator public_flat_rw */;
    wire [2:0] qp_mgr_m_axi_arsize /* verilator public_flat_rw */;
    wire [1:0] qp_mgr_m_axi_arburst /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_arlock /* verilator public_flat_rw */;
    wire [3:0] qp_mgr_m_axi_arcache /* verilator public_flat_rw */;
    wire [2:0] qp_mgr_m_axi_arprot /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_arvalid /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_arready /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_rid /* verilator public_flat_rw */;
    reg  [511:0] qp_mgr_m_axi_rdata /* verilator public_flat_rw */;
    reg  [1:0] qp_mgr_m_axi_rresp /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_rlast /* verilator public_flat_rw */;
    reg  qp_mgr_m_axi_rvalid /* verilator public_flat_rw */;
    wire qp_mgr_m_axi_rready /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_awid /* verilator public_flat_rw */;
    wire [63:0] wqe_proc_top_m_axi_awaddr /* verilator public_flat_rw */;
    wire [7:0] wqe_proc_top_m_axi_awlen /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_top_m_axi_awsize /* verilator public_flat_rw */;
    wire [1:0] wqe_proc_top_m_axi_awburst /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_awlock /* verilator public_flat_rw */;
    wire [3:0] wqe_proc_top_m_axi_awcache /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_top_m_axi_awprot /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_awvalid /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_awready /* verilator public_flat_rw */;
    wire [511:0] wqe_proc_top_m_axi_wdata /* verilator public_flat_rw */;
    wire [63:0] wqe_proc_top_m_axi_wstrb /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_wlast /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_wvalid /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_wready /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_bid /* verilator public_flat_rw */;
    reg  [1:0] wqe_proc_top_m_axi_bresp /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_bvalid /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_bready /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_arid /* verilator public_flat_rw */;
    wire [63:0] wqe_proc_top_m_axi_araddr /* verilator public_flat_rw */;
    wire [7:0] wqe_proc_top_m_axi_arlen /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_top_m_axi_arsize /* verilator public_flat_rw */;
    wire [1:0] wqe_proc_top_m_axi_arburst /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_arlock /* verilator public_flat_rw */;
    wire [3:0] wqe_proc_top_m_axi_arcache /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_top_m_axi_arprot /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_arvalid /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_arready /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_rid /* verilator public_flat_rw */;
    reg  [511:0] wqe_proc_top_m_axi_rdata /* verilator public_flat_rw */;
    reg  [1:0] wqe_proc_top_m_axi_rresp /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_rlast /* verilator public_flat_rw */;
    reg  wqe_proc_top_m_axi_rvalid /* verilator public_flat_rw */;
    wire wqe_proc_top_m_axi_rready /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_awid /* verilator public_flat_rw */;
    wire [63:0] wqe_proc_wr_ddr_m_axi_awaddr /* verilator public_flat_rw */;
    wire [7:0] wqe_proc_wr_ddr_m_axi_awlen /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_wr_ddr_m_axi_awsize /* verilator public_flat_rw */;
    wire [1:0] wqe_proc_wr_ddr_m_axi_awburst /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_awlock /* verilator public_flat_rw */;
    wire [3:0] wqe_proc_wr_ddr_m_axi_awcache /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_wr_ddr_m_axi_awprot /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_awvalid /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_awready /* verilator public_flat_rw */;
    wire [511:0] wqe_proc_wr_ddr_m_axi_wdata /* verilator public_flat_rw */;
    wire [63:0] wqe_proc_wr_ddr_m_axi_wstrb /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_wlast /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_wvalid /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_wready /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_bid /* verilator public_flat_rw */;
    reg  [1:0] wqe_proc_wr_ddr_m_axi_bresp /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_bvalid /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_bready /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_arid /* verilator public_flat_rw */;
    wire [63:0] wqe_proc_wr_ddr_m_axi_araddr /* verilator public_flat_rw */;
    wire [7:0] wqe_proc_wr_ddr_m_axi_arlen /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_wr_ddr_m_axi_arsize /* verilator public_flat_rw */;
    wire [1:0] wqe_proc_wr_ddr_m_axi_arburst /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_arlock /* verilator public_flat_rw */;
    wire [3:0] wqe_proc_wr_ddr_m_axi_arcache /* verilator public_flat_rw */;
    wire [2:0] wqe_proc_wr_ddr_m_axi_arprot /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_arvalid /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_arready /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_rid /* verilator public_flat_rw */;
    reg  [511:0] wqe_proc_wr_ddr_m_axi_rdata /* verilator public_flat_rw */;
    reg  [1:0] wqe_proc_wr_ddr_m_axi_rresp /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_rlast /* verilator public_flat_rw */;
    reg  wqe_proc_wr_ddr_m_axi_rvalid /* verilator public_flat_rw */;
    wire wqe_proc_wr_ddr_m_axi_rready /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_awid /* verilator public_flat_rw */;
    wire [63:0] rx_pkt_hndler_ddr_m_axi_awaddr /* verilator public_flat_rw */;
    wire [7:0] rx_pkt_hndler_ddr_m_axi_awlen /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_ddr_m_axi_awsize /* verilator public_flat_rw */;
    wire [1:0] rx_pkt_hndler_ddr_m_axi_awburst /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_awlock /* verilator public_flat_rw */;
    wire [3:0] rx_pkt_hndler_ddr_m_axi_awcache /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_ddr_m_axi_awprot /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_awvalid /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_awready /* verilator public_flat_rw */;
    wire [511:0] rx_pkt_hndler_ddr_m_axi_wdata /* verilator public_flat_rw */;
    wire [63:0] rx_pkt_hndler_ddr_m_axi_wstrb /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_wlast /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_wvalid /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_wready /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_bid /* verilator public_flat_rw */;
    reg  [1:0] rx_pkt_hndler_ddr_m_axi_bresp /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_bvalid /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_bready /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_arid /* verilator public_flat_rw */;
    wire [63:0] rx_pkt_hndler_ddr_m_axi_araddr /* verilator public_flat_rw */;
    wire [7:0] rx_pkt_hndler_ddr_m_axi_arlen /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_ddr_m_axi_arsize /* verilator public_flat_rw */;
    wire [1:0] rx_pkt_hndler_ddr_m_axi_arburst /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_arlock /* verilator public_flat_rw */;
    wire [3:0] rx_pkt_hndler_ddr_m_axi_arcache /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_ddr_m_axi_arprot /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_arvalid /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_arready /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_rid /* verilator public_flat_rw */;
    reg  [511:0] rx_pkt_hndler_ddr_m_axi_rdata /* verilator public_flat_rw */;
    reg  [1:0] rx_pkt_hndler_ddr_m_axi_rresp /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_rlast /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_ddr_m_axi_rvalid /* verilator public_flat_rw */;
    wire rx_pkt_hndler_ddr_m_axi_rready /* verilator public_flat_rw */;
    wire [31:0] rx_pkt_hndler_ddr_m_axi_awuser /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_awid /* verilator public_flat_rw */;
    wire [63:0] rx_pkt_hndler_rdrsp_m_axi_awaddr /* verilator public_flat_rw */;
    wire [7:0] rx_pkt_hndler_rdrsp_m_axi_awlen /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_rdrsp_m_axi_awsize /* verilator public_flat_rw */;
    wire [1:0] rx_pkt_hndler_rdrsp_m_axi_awburst /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_awlock /* verilator public_flat_rw */;
    wire [3:0] rx_pkt_hndler_rdrsp_m_axi_awcache /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_rdrsp_m_axi_awprot /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_awvalid /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_awready /* verilator public_flat_rw */;
    wire [511:0] rx_pkt_hndler_rdrsp_m_axi_wdata /* verilator public_flat_rw */;
    wire [63:0] rx_pkt_hndler_rdrsp_m_axi_wstrb /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_wlast /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_wvalid /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_wready /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_bid /* verilator public_flat_rw */;
    reg  [1:0] rx_pkt_hndler_rdrsp_m_axi_bresp /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_bvalid /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_bready /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_arid /* verilator public_flat_rw */;
    wire [63:0] rx_pkt_hndler_rdrsp_m_axi_araddr /* verilator public_flat_rw */;
    wire [7:0] rx_pkt_hndler_rdrsp_m_axi_arlen /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_rdrsp_m_axi_arsize /* verilator public_flat_rw */;
    wire [1:0] rx_pkt_hndler_rdrsp_m_axi_arburst /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_arlock /* verilator public_flat_rw */;
    wire [3:0] rx_pkt_hndler_rdrsp_m_axi_arcache /* verilator public_flat_rw */;
    wire [2:0] rx_pkt_hndler_rdrsp_m_axi_arprot /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_arvalid /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_arready /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_rid /* verilator public_flat_rw */;
    reg  [511:0] rx_pkt_hndler_rdrsp_m_axi_rdata /* verilator public_flat_rw */;
    reg  [1:0] rx_pkt_hndler_rdrsp_m_axi_rresp /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_rlast /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_rdrsp_m_axi_rvalid /* verilator public_flat_rw */;
    wire rx_pkt_hndler_rdrsp_m_axi_rready /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_awid /* verilator public_flat_rw */;
    wire [63:0] resp_hndler_m_axi_awaddr /* verilator public_flat_rw */;
    wire [7:0] resp_hndler_m_axi_awlen /* verilator public_flat_rw */;
    wire [2:0] resp_hndler_m_axi_awsize /* verilator public_flat_rw */;
    wire [1:0] resp_hndler_m_axi_awburst /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_awlock /* verilator public_flat_rw */;
    wire [3:0] resp_hndler_m_axi_awcache /* verilator public_flat_rw */;
    wire [2:0] resp_hndler_m_axi_awprot /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_awvalid /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_awready /* verilator public_flat_rw */;
    wire [511:0] resp_hndler_m_axi_wdata /* verilator public_flat_rw */;
    wire [63:0] resp_hndler_m_axi_wstrb /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_wlast /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_wvalid /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_wready /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_bid /* verilator public_flat_rw */;
    reg  [1:0] resp_hndler_m_axi_bresp /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_bvalid /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_bready /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_arid /* verilator public_flat_rw */;
    wire [63:0] resp_hndler_m_axi_araddr /* verilator public_flat_rw */;
    wire [7:0] resp_hndler_m_axi_arlen /* verilator public_flat_rw */;
    wire [2:0] resp_hndler_m_axi_arsize /* verilator public_flat_rw */;
    wire [1:0] resp_hndler_m_axi_arburst /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_arlock /* verilator public_flat_rw */;
    wire [3:0] resp_hndler_m_axi_arcache /* verilator public_flat_rw */;
    wire [2:0] resp_hndler_m_axi_arprot /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_arvalid /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_arready /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_rid /* verilator public_flat_rw */;
    reg  [511:0] resp_hndler_m_axi_rdata /* verilator public_flat_rw */;
    reg  [1:0] resp_hndler_m_axi_rresp /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_rlast /* verilator public_flat_rw */;
    reg  resp_hndler_m_axi_rvalid /* verilator public_flat_rw */;
    wire resp_hndler_m_axi_rready /* verilator public_flat_rw */;
    reg  [511:0] roce_cmac_s_axis_tdata /* verilator public_flat_rw */;
    reg  [63:0] roce_cmac_s_axis_tkeep /* verilator public_flat_rw */;
    reg  roce_cmac_s_axis_tlast /* verilator public_flat_rw */;
    reg  roce_cmac_s_axis_tuser /* verilator public_flat_rw */;
    reg  roce_cmac_s_axis_tvalid /* verilator public_flat_rw */;
    reg  [511:0] non_roce_cmac_s_axis_tdata /* verilator public_flat_rw */;
    reg  [63:0] non_roce_cmac_s_axis_tkeep /* verilator public_flat_rw */;
    reg  non_roce_cmac_s_axis_tlast /* verilator public_flat_rw */;
    reg  non_roce_cmac_s_axis_tuser /* verilator public_flat_rw */;
    reg  non_roce_cmac_s_axis_tvalid /* verilator public_flat_rw */;
    wire [511:0] non_roce_dma_m_axis_tdata /* verilator public_flat_rw */;
    wire [63:0] non_roce_dma_m_axis_tkeep /* verilator public_flat_rw */;
    wire non_roce_dma_m_axis_tlast /* verilator public_flat_rw */;
    wire non_roce_dma_m_axis_tvalid /* verilator public_flat_rw */;
    reg  non_roce_dma_m_axis_tready /* verilator public_flat_rw */;
    wire [511:0] cmac_m_axis_tdata /* verilator public_flat_rw */;
    wire [63:0] cmac_m_axis_tkeep /* verilator public_flat_rw */;
    wire cmac_m_axis_tlast /* verilator public_flat_rw */;
    wire cmac_m_axis_tvalid /* verilator public_flat_rw */;
    reg  cmac_m_axis_tready /* verilator public_flat_rw */;
    reg  [511:0] non_roce_dma_s_axis_tdata /* verilator public_flat_rw */;
    reg  [63:0] non_roce_dma_s_axis_tkeep /* verilator public_flat_rw */;
    reg  non_roce_dma_s_axis_tlast /* verilator public_flat_rw */;
    reg  non_roce_dma_s_axis_tvalid /* verilator public_flat_rw */;
    wire non_roce_dma_s_axis_tready /* verilator public_flat_rw */;
    wire [63:0] ieth_immdt_axis_tdata /* verilator public_flat_rw */;
    wire ieth_immdt_axis_tlast /* verilator public_flat_rw */;
    wire ieth_immdt_axis_tvalid /* verilator public_flat_rw */;
    reg  ieth_immdt_axis_trdy /* verilator public_flat_rw */;
    wire resp_hndler_o_send_cq_db_cnt_valid /* verilator public_flat_rw */;
    wire [12:0] resp_hndler_o_send_cq_db_addr /* verilator public_flat_rw */;
    wire [31:0] resp_hndler_o_send_cq_db_cnt /* verilator public_flat_rw */;
    reg  resp_hndler_i_send_cq_db_rdy /* verilator public_flat_rw */;
    reg  [15:0] i_qp_sq_pidb_hndshk /* verilator public_flat_rw */;
    reg  [31:0] i_qp_sq_pidb_wr_addr_hndshk /* verilator public_flat_rw */;
    reg  i_qp_sq_pidb_wr_valid_hndshk /* verilator public_flat_rw */;
    wire o_qp_sq_pidb_wr_rdy /* verilator public_flat_rw */;
    reg  [15:0] i_qp_rq_cidb_hndshk /* verilator public_flat_rw */;
    reg  [31:0] i_qp_rq_cidb_wr_addr_hndshk /* verilator public_flat_rw */;
    reg  i_qp_rq_cidb_wr_valid_hndshk /* verilator public_flat_rw */;
    wire o_qp_rq_cidb_wr_rdy /* verilator public_flat_rw */;
    wire [31:0] rx_pkt_hndler_o_rq_db_data /* verilator public_flat_rw */;
    wire [12:0] rx_pkt_hndler_o_rq_db_addr /* verilator public_flat_rw */;
    wire rx_pkt_hndler_o_rq_db_data_valid /* verilator public_flat_rw */;
    reg  rx_pkt_hndler_i_rq_db_rdy /* verilator public_flat_rw */;
    wire rnic_intr /* verilator public_flat_rw */;
    reg  [8:0] stat_rx_pause_req /* verilator public_flat_rw */;
    wire [8:0] ctl_tx_pause_req /* verilator public_flat_rw */;
    wire ctl_tx_resend_pause /* verilator public_flat_rw */;

    wire [12:0]      protocol_alive /* verilator public_flat_rw */ = inner.protocol_alive;
    wire [13*16-1:0] protocol_count /* verilator public_flat_rw */ = inner.protocol_count;
    wire [13*32-1:0] protocol_code /* verilator public_flat_rw */ = inner.protocol_code;

    tb_ernic #(
        .C_NUM_QP(C_NUM_QP),
        .C_MR_ROWS(C_MR_ROWS),
        .C_RESP_RESOURCES(C_RESP_RESOURCES),
        .C_RETRY_BUFFERS(C_RETRY_BUFFERS),
        .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX),
        .QP_BASE_RAW(QP_BASE_RAW),
        .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM),
        .C_RQ_SB_DELTA(C_RQ_SB_DELTA),
        .C_SB_ADDR_W(C_SB_ADDR_W)
    ) inner (
        .*
    );
endmodule

`default_nettype wire
