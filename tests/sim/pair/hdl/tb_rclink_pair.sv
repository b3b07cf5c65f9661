// Two RCLINKs side by side for the tests in rclink_cocotb.py, which carries the frames from one to the other.
//
// Each side has the pins of tb_rclink as its own signals, so that an environment takes a side for its DUT.
`timescale 1ns / 1ps
`default_nettype none

// Signals for the pins of an AXI4 master of TYPE3, those it reads as variables.
`define NONR_SIGNALS(p, bits) \
    wire [6:0] p``_awid; \
    wire [63:0] p``_awaddr; \
    wire [7:0] p``_awlen; \
    wire [2:0] p``_awsize; \
    wire [1:0] p``_awburst; \
    wire p``_awvalid; \
    wire [(bits)-1:0] p``_wdata; \
    wire [(bits)/8-1:0] p``_wstrb; \
    wire p``_wlast; \
    wire p``_wvalid; \
    wire p``_bready; \
    wire [6:0] p``_arid; \
    wire [63:0] p``_araddr; \
    wire [7:0] p``_arlen; \
    wire [2:0] p``_arsize; \
    wire [1:0] p``_arburst; \
    wire p``_arvalid; \
    wire p``_rready; \
    reg  p``_awready; \
    reg  p``_wready; \
    reg  [6:0] p``_bid; \
    reg  [1:0] p``_bresp; \
    reg  p``_bvalid; \
    reg  p``_arready; \
    reg  [6:0] p``_rid; \
    reg  [(bits)-1:0] p``_rdata; \
    reg  [1:0] p``_rresp; \
    reg  p``_rlast; \
    reg  p``_rvalid;

// Parameters of tb_rclink that reach both sides.
`define PARAMETERS \
    parameter QP_NUM             = 1024, \
    parameter MAC_DW             = 1024, \
    parameter TYPE1_OST_N        = 512, \
    parameter TYPE2_OST_N        = 16, \
    parameter TYPE1_PKT_LEN      = 1344, \
    parameter TYPE2_PKT_LEN      = 1344, \
    parameter TYPE1_VC_NUM       = 4, \
    parameter TYPE1_RX_BUF_AW    = 10, \
    parameter TYPE2_CRD_RST_NUM  = 2048, \
    parameter MAC_TX_CRD_INIT    = 64, \
    parameter TYPE2_RX_BUF_DEPTH = 256, \
    parameter TS_TICK            = 1
`define SAME_PARAMETERS \
    .QP_NUM(QP_NUM), \
    .MAC_DW(MAC_DW), \
    .TYPE1_OST_N(TYPE1_OST_N), \
    .TYPE2_OST_N(TYPE2_OST_N), \
    .TYPE1_PKT_LEN(TYPE1_PKT_LEN), \
    .TYPE2_PKT_LEN(TYPE2_PKT_LEN), \
    .TYPE1_VC_NUM(TYPE1_VC_NUM), \
    .TYPE1_RX_BUF_AW(TYPE1_RX_BUF_AW), \
    .TYPE2_CRD_RST_NUM(TYPE2_CRD_RST_NUM), \
    .MAC_TX_CRD_INIT(MAC_TX_CRD_INIT), \
    .TYPE2_RX_BUF_DEPTH(TYPE2_RX_BUF_DEPTH), \
    .TS_TICK(TS_TICK)

module tb_rclink_pair #(
    `PARAMETERS
);
    rclink_side #(`SAME_PARAMETERS) a ();
    rclink_side #(`SAME_PARAMETERS) b ();
endmodule

module rclink_side #(
    `PARAMETERS
);
    localparam QP_AW = $clog2(QP_NUM);

    reg  clk;
    reg  rst_n;
    reg  [31:0] s_axi_lite_awaddr;
    reg  s_axi_lite_awvalid;
    wire s_axi_lite_awready;
    reg  [63:0] s_axi_lite_wdata;
    reg  [7:0] s_axi_lite_wstrb;
    reg  s_axi_lite_wvalid;
    wire s_axi_lite_wready;
    wire [1:0] s_axi_lite_bresp;
    wire s_axi_lite_bvalid;
    reg  s_axi_lite_bready;
    reg  [31:0] s_axi_lite_araddr;
    reg  s_axi_lite_arvalid;
    wire s_axi_lite_arready;
    wire [63:0] s_axi_lite_rdata;
    wire [1:0] s_axi_lite_rresp;
    wire s_axi_lite_rvalid;
    reg  s_axi_lite_rready;
    reg  [511:0] tx_s_axis_tdata;
    reg  [63:0] tx_s_axis_tkeep;
    reg  tx_s_axis_tlast;
    reg  tx_s_axis_tvalid;
    reg  [QP_AW-1:0] tx_s_qpid;
    reg  tx_s_fack;
    reg  [1:0] tx_s_etype;
    reg  [2:0] tx_s_group;
    wire [511:0] rx_m_axis_tdata;
    wire [63:0] rx_m_axis_tkeep;
    wire rx_m_axis_tlast;
    wire rx_m_axis_tvalid;
    reg  rx_m_axis_tready;
    wire [QP_AW-1:0] rx_m_qpid;
    wire [1:0] rx_m_etype;
    wire [12:0] rx_m_len;
    wire [9:0] rx_m_sa;
    wire [MAC_DW-1:0] mac_tx_axis_tdata;
    wire [MAC_DW/8-1:0] mac_tx_axis_tkeep;
    wire mac_tx_axis_tlast;
    wire mac_tx_axis_tvalid;
    wire [2:0] mac_tx_vcid;
    wire [7:0] mac_tx_cbfc_vcid;
    wire [1:0] mac_tx_hdr_type;
    wire mac_tx_multicast;
    wire mac_tx_vlan_en;
    wire mac_tx_fcs;
    wire mac_tx_err;
    reg  [MAC_DW-1:0] mac_rx_axis_tdata;
    reg  [MAC_DW/8-1:0] mac_rx_axis_tkeep;
    reg  mac_rx_axis_tlast;
    reg  mac_rx_axis_tvalid;
    wire mac_rx_axis_tready;
    reg  [1:0] mac_rx_fcs_err;
    reg  mac_rx_axis_restart;
    `NONR_SIGNALS(md_m_axi, 256)
    `NONR_SIGNALS(data_m_axi, 512)
    reg  mac_credit_valid;
    reg  mac_credit_rst_valid;
    reg  cbfc_load_valid;
    reg  [7:0] cbfc_load_bits;
    reg  [11:0] cbfc_load_size;
    reg  [19:0] cbfc_load_limit;
    reg  [9:0] cbfc_load_ovhd;
    reg  cbfc_return_valid;
    reg  [7:0] cbfc_return_bits;
    reg  [14:0] cbfc_return_num;
    reg  cbfc_reset_valid;
    reg  type2_crd_valid;
    reg  [11:0] type2_crd_num;
    reg  type2_crd_rst_valid;
    reg  set_cc_rate_valid;
    reg  [21:0] set_cc_rate_dat;
    reg  [QP_AW-1:0] set_cc_rate_qpid;
    reg  set_type2_rate_valid;
    reg  [21:0] set_type2_rate_dat;
    wire tx_s_crd_valid;
    wire [3:0] tx_s_crd_bits;
    wire [QP_AW-1:0] tx_s_crd_qpid;
    wire tx_s_crd_qpid_vld;
    wire cc_qp_en_valid;
    wire cc_qp_en_set;
    wire cc_qp_en_clr;
    wire [QP_AW-1:0] cc_qp_en_qpid;
    wire recv_cnp_valid;
    wire [QP_AW-1:0] recv_cnp_qpid;
    wire recv_ack_valid;
    wire [QP_AW-1:0] recv_ack_qpid;
    wire [31:0] recv_ack_rtt;
    wire [9:0] recv_ack_num;
    wire recv_ack_nak;
    wire retry_tmo_valid;
    wire [QP_AW-1:0] retry_tmo_qpid;
    wire nocnp_valid;
    wire [QP_AW-1:0] nocnp_qpid;
    wire [31:0] nocnp_bytes;
    wire msi_valid;
    wire [63:0] msi_info;
    reg  [7:0] rx_pfc_req;
    reg  [3:0] flow_stop;
    reg  type2_pfc_req;
    wire [165:0] levels;

    wire [10:0]      protocol_alive = inner.protocol_alive;
    wire [11*16-1:0] protocol_count = inner.protocol_count;
    wire [11*32-1:0] protocol_code = inner.protocol_code;

    tb_rclink #(`SAME_PARAMETERS) inner (
        .*
    );
endmodule

`default_nettype wire
