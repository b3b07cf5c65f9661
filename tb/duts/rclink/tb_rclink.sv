// Simulation top of the RCLINK target: the DUT with all its ports, adapters for its framing, protocol checkers.
//
// cocotb drives the ports of this module. Frames are streams with byte 0 in lane 0 and words beside them, pulses have
// a valid and their words, levels out are one vector: names and order in tb/agents/rclink_pins.py, as are the
// checkers in protocol_*.
`timescale 1ns / 1ps
`default_nettype none
`include "axi4_macros.svh"

// AXI4 master of TYPE3: `p` prefix of the bench, `q` of the DUT.
`define NONR_PORTS(p, bits) \
    output wire [6:0] p``_awid, \
    output wire [63:0] p``_awaddr, \
    output wire [7:0] p``_awlen, \
    output wire [2:0] p``_awsize, \
    output wire [1:0] p``_awburst, \
    output wire p``_awvalid, \
    output wire [(bits)-1:0] p``_wdata, \
    output wire [(bits)/8-1:0] p``_wstrb, \
    output wire p``_wlast, \
    output wire p``_wvalid, \
    output wire p``_bready, \
    output wire [6:0] p``_arid, \
    output wire [63:0] p``_araddr, \
    output wire [7:0] p``_arlen, \
    output wire [2:0] p``_arsize, \
    output wire [1:0] p``_arburst, \
    output wire p``_arvalid, \
    output wire p``_rready, \
    input  wire p``_awready, \
    input  wire p``_wready, \
    input  wire [6:0] p``_bid, \
    input  wire [1:0] p``_bresp, \
    input  wire p``_bvalid, \
    input  wire p``_arready, \
    input  wire [6:0] p``_rid, \
    input  wire [(bits)-1:0] p``_rdata, \
    input  wire [1:0] p``_rresp, \
    input  wire p``_rlast, \
    input  wire p``_rvalid

`define NONR_PINS(p, q) \
        .q``_AWID_O(p``_awid), \
        .q``_AWADDR_O(p``_awaddr), \
        .q``_AWLEN_O(p``_awlen), \
        .q``_AWSIZE_O(p``_awsize), \
        .q``_AWBURST_O(p``_awburst), \
        .q``_AWVALID_O(p``_awvalid), \
        .q``_WDATA_O(p``_wdata), \
        .q``_WSTRB_O(p``_wstrb), \
        .q``_WLAST_O(p``_wlast), \
        .q``_WVALID_O(p``_wvalid), \
        .q``_BREADY_O(p``_bready), \
        .q``_ARID_O(p``_arid), \
        .q``_ARADDR_O(p``_araddr), \
        .q``_ARLEN_O(p``_arlen), \
        .q``_ARSIZE_O(p``_arsize), \
        .q``_ARBURST_O(p``_arburst), \
        .q``_ARVALID_O(p``_arvalid), \
        .q``_RREADY_O(p``_rready), \
        .q``_AWREADY_I(p``_awready), \
        .q``_WREADY_I(p``_wready), \
        .q``_BID_I(p``_bid), \
        .q``_BRESP_I(p``_bresp), \
        .q``_BVALID_I(p``_bvalid), \
        .q``_ARREADY_I(p``_arready), \
        .q``_RID_I(p``_rid), \
        .q``_RDATA_I(p``_rdata), \
        .q``_RRESP_I(p``_rresp), \
        .q``_RLAST_I(p``_rlast), \
        .q``_RVALID_I(p``_rvalid)

`define NONR_CHECKERS(p, bits, n, awmax, armax, awsizes, arsizes) \
    axi4_checker #(.ADDR_WIDTH(64), .DATA_WIDTH(bits), .ID_WIDTH(7), .DEPTH(128), .RESET_OUT(RESET_OUT)) check_``p ( \
        .clk(clk), .resetn(rst_n), \
        .awid(p``_awid), .awaddr(p``_awaddr), .awlen(p``_awlen), .awsize(p``_awsize), .awburst(p``_awburst), \
        .awlock(1'b0), .awcache(4'd0), .awprot(3'd0), .awvalid(p``_awvalid), .awready(p``_awready), \
        .wdata(p``_wdata), .wstrb(p``_wstrb), .wlast(p``_wlast), .wvalid(p``_wvalid), .wready(p``_wready), \
        .bvalid(p``_bvalid), .bready(p``_bready), \
        .arid(p``_arid), .araddr(p``_araddr), .arlen(p``_arlen), .arsize(p``_arsize), .arburst(p``_arburst), \
        .arlock(1'b0), .arcache(4'd0), .arprot(3'd0), .arvalid(p``_arvalid), .arready(p``_arready), \
        .rid(p``_rid), .rlast(p``_rlast), .rvalid(p``_rvalid), .rready(p``_rready), \
        `CHECKER_RESULT(n) \
    ); \
    axi4_limits #( \
        .ID_WIDTH(7), .MAX_AWLEN(awmax), .MAX_ARLEN(armax), .AWSIZES(awsizes), .ARSIZES(arsizes) \
    ) limit_``p ( \
        .clk(clk), .resetn(rst_n), \
        .awid(p``_awid), .awlen(p``_awlen), .awsize(p``_awsize), .awvalid(p``_awvalid), .awready(p``_awready), \
        .bid(p``_bid), .bvalid(p``_bvalid), .bready(p``_bready), \
        .arid(p``_arid), .arlen(p``_arlen), .arsize(p``_arsize), .arvalid(p``_arvalid), .arready(p``_arready), \
        .rid(p``_rid), .rlast(p``_rlast), .rvalid(p``_rvalid), .rready(p``_rready), \
        `CHECKER_RESULT(n + 1) \
    );

module tb_rclink #(
    parameter QP_NUM             = 1024,
    parameter QP_AW              = $clog2(QP_NUM),
    parameter MAC_DW             = 1024,
    parameter TYPE1_OST_N        = 512,
    parameter TYPE2_OST_N        = 16,
    parameter TYPE1_PKT_LEN      = 1344,
    parameter TYPE2_PKT_LEN      = 1344,
    parameter TYPE1_VC_NUM       = 4,
    parameter TYPE1_RX_BUF_AW    = 10,
    parameter TYPE2_CRD_RST_NUM  = 2048,
    parameter MAC_TX_CRD_INIT    = 64,
    parameter TYPE2_RX_BUF_DEPTH = 256,
    parameter TS_TICK            = 1,
    parameter RESET_OUT          = 2  // first edge in reset at which VALID must be 0
) (
    input  wire                clk,
    input  wire                rst_n,

    input  wire [31:0]         s_axi_lite_awaddr,
    input  wire                s_axi_lite_awvalid,
    output wire                s_axi_lite_awready,
    input  wire [63:0]         s_axi_lite_wdata,
    input  wire [7:0]          s_axi_lite_wstrb,
    input  wire                s_axi_lite_wvalid,
    output wire                s_axi_lite_wready,
    output wire [1:0]          s_axi_lite_bresp,
    output wire                s_axi_lite_bvalid,
    input  wire                s_axi_lite_bready,
    input  wire [31:0]         s_axi_lite_araddr,
    input  wire                s_axi_lite_arvalid,
    output wire                s_axi_lite_arready,
    output wire [63:0]         s_axi_lite_rdata,
    output wire [1:0]          s_axi_lite_rresp,
    output wire                s_axi_lite_rvalid,
    input  wire                s_axi_lite_rready,

    input  wire [511:0]        tx_s_axis_tdata,
    input  wire [63:0]         tx_s_axis_tkeep,
    input  wire                tx_s_axis_tlast,
    input  wire                tx_s_axis_tvalid,
    input  wire [QP_AW-1:0]    tx_s_qpid,
    input  wire                tx_s_fack,
    input  wire [1:0]          tx_s_etype,
    input  wire [2:0]          tx_s_group,
    output wire [511:0]        rx_m_axis_tdata,
    output wire [63:0]         rx_m_axis_tkeep,
    output wire                rx_m_axis_tlast,
    output wire                rx_m_axis_tvalid,
    input  wire                rx_m_axis_tready,
    output wire [QP_AW-1:0]    rx_m_qpid,
    output wire [1:0]          rx_m_etype,
    output wire [12:0]         rx_m_len,
    output wire [9:0]          rx_m_sa,
    output wire [MAC_DW-1:0]   mac_tx_axis_tdata,
    output wire [MAC_DW/8-1:0] mac_tx_axis_tkeep,
    output wire                mac_tx_axis_tlast,
    output wire                mac_tx_axis_tvalid,
    output wire [2:0]          mac_tx_vcid,
    output wire [7:0]          mac_tx_cbfc_vcid,
    output wire [1:0]          mac_tx_hdr_type,
    output wire                mac_tx_multicast,
    output wire                mac_tx_vlan_en,
    output wire                mac_tx_fcs,
    output wire                mac_tx_err,
    input  wire [MAC_DW-1:0]   mac_rx_axis_tdata,
    input  wire [MAC_DW/8-1:0] mac_rx_axis_tkeep,
    input  wire                mac_rx_axis_tlast,
    input  wire                mac_rx_axis_tvalid,
    output wire                mac_rx_axis_tready,
    input  wire [1:0]          mac_rx_fcs_err,
    input  wire                mac_rx_axis_restart,  // the frame under way is given up without a last beat

    `NONR_PORTS(md_m_axi, 256),
    `NONR_PORTS(data_m_axi, 512),

    input  wire                mac_credit_valid,
    input  wire                mac_credit_rst_valid,
    input  wire                cbfc_load_valid,
    input  wire [7:0]          cbfc_load_bits,
    input  wire [11:0]         cbfc_load_size,
    input  wire [19:0]         cbfc_load_limit,
    input  wire [9:0]          cbfc_load_ovhd,
    input  wire                cbfc_return_valid,
    input  wire [7:0]          cbfc_return_bits,
    input  wire [14:0]         cbfc_return_num,
    input  wire                cbfc_reset_valid,
    input  wire                type2_crd_valid,
    input  wire [11:0]         type2_crd_num,
    input  wire                type2_crd_rst_valid,
    input  wire                set_cc_rate_valid,
    input  wire [21:0]         set_cc_rate_dat,
    input  wire [QP_AW-1:0]    set_cc_rate_qpid,
    input  wire                set_type2_rate_valid,
    input  wire [21:0]         set_type2_rate_dat,

    output wire                tx_s_crd_valid,
    output wire [3:0]          tx_s_crd_bits,
    output wire [QP_AW-1:0]    tx_s_crd_qpid,
    output wire                tx_s_crd_qpid_vld,
    output wire                cc_qp_en_valid,
    output wire                cc_qp_en_set,
    output wire                cc_qp_en_clr,
    output wire [QP_AW-1:0]    cc_qp_en_qpid,
    output wire                recv_cnp_valid,
    output wire [QP_AW-1:0]    recv_cnp_qpid,
    output wire                recv_ack_valid,
    output wire [QP_AW-1:0]    recv_ack_qpid,
    output wire [31:0]         recv_ack_rtt,
    output wire [9:0]          recv_ack_num,
    output wire                recv_ack_nak,
    output wire                retry_tmo_valid,
    output wire [QP_AW-1:0]    retry_tmo_qpid,
    output wire                nocnp_valid,
    output wire [QP_AW-1:0]    nocnp_qpid,
    output wire [31:0]         nocnp_bytes,
    output wire                msi_valid,
    output wire [63:0]         msi_info,

    input  wire [7:0]          rx_pfc_req,
    input  wire [3:0]          flow_stop,
    input  wire                type2_pfc_req,
    output wire [165:0]        levels  // all levels, inputs included, the first of the list lowest
);
    localparam CHECKERS = 11;
    localparam MAC_BE = $clog2(MAC_DW / 8);

    wire [CHECKERS-1:0]    protocol_alive;
    wire [CHECKERS*16-1:0] protocol_count;
    wire [CHECKERS*32-1:0] protocol_code;

    reg msb_first, per_frame;  // MAC_FIRST_BYTE_MSB, UNIT = PKT
    integer value;

    initial begin
        msb_first = 1'b1;
        per_frame = 1'b0;
        if ($value$plusargs("MAC_FIRST_BYTE_MSB=%d", value)) msb_first = value != 0;
        if ($value$plusargs("UNIT=%d", value)) per_frame = value != 0;
    end

    wire rx_m_valid, mac_tx_valid;
    wire tx_s_first, tx_s_last, rx_m_first, rx_m_last, mac_tx_first, mac_tx_last, mac_rx_first, mac_rx_last;
    wire [511:0] tx_s_data, rx_m_data;
    wire [63:0] tx_s_keep, rx_m_keep;
    wire [MAC_DW-1:0] mac_tx_data, mac_rx_data;
    wire [MAC_BE-1:0] mac_tx_be, mac_rx_be;
    wire [7:0] tx_pfc_req;
    wire [15:0] rc_intr;
    wire nonr_intr, nonr_fault_intr, tx_wait_mac_crd, tx_mac_free, md_busy;
    wire [9:0] ost_free;
    wire [111:0] cbfc_cf;
    wire [1:0] idle;

    assign tx_s_crd_valid = tx_s_crd_bits != 4'd0;
    assign cc_qp_en_valid = cc_qp_en_set || cc_qp_en_clr;
    assign levels = {
        md_busy, tx_mac_free, tx_wait_mac_crd, idle, cbfc_cf, ost_free, tx_pfc_req, nonr_fault_intr, nonr_intr, rc_intr,
        type2_pfc_req, flow_stop, rx_pfc_req
    };

    framed_input #(.DATA_WIDTH(512)) frame_tx_s (
        .clk(clk), .resetn(rst_n), .restart(1'b0), .msb_first(1'b1),
        .tdata(tx_s_axis_tdata), .tkeep(tx_s_axis_tkeep), .tlast(tx_s_axis_tlast), .tvalid(tx_s_axis_tvalid),
        .tready(1'b1),
        .first(tx_s_first), .last(tx_s_last), .data(tx_s_data), .keep(tx_s_keep), .count()
    );
    framed_input #(.DATA_WIDTH(MAC_DW)) frame_mac_rx (
        .clk(clk), .resetn(rst_n), .restart(mac_rx_axis_restart), .msb_first(msb_first),
        .tdata(mac_rx_axis_tdata), .tkeep(mac_rx_axis_tkeep), .tlast(mac_rx_axis_tlast), .tvalid(mac_rx_axis_tvalid),
        .tready(mac_rx_axis_tready),
        .first(mac_rx_first), .last(mac_rx_last), .data(mac_rx_data), .keep(), .count(mac_rx_be)
    );
    framed_output #(.DATA_WIDTH(512)) frame_rx_m (
        .msb_first(1'b1), .valid(rx_m_valid), .last(rx_m_last), .data(rx_m_data), .keep(rx_m_keep), .count(6'd0),
        .tdata(rx_m_axis_tdata), .tkeep(rx_m_axis_tkeep), .tlast(rx_m_axis_tlast), .tvalid(rx_m_axis_tvalid)
    );
    framed_output #(.DATA_WIDTH(MAC_DW), .COUNTED(1)) frame_mac_tx (
        .msb_first(msb_first), .valid(mac_tx_valid), .last(mac_tx_last), .data(mac_tx_data),
        .keep({MAC_DW / 8{1'b1}}), .count(mac_tx_be),
        .tdata(mac_tx_axis_tdata), .tkeep(mac_tx_axis_tkeep), .tlast(mac_tx_axis_tlast), .tvalid(mac_tx_axis_tvalid)
    );

    rclink #(
        .QP_NUM(QP_NUM),
        .MAC_DW(MAC_DW),
        .TYPE1_OST_N(TYPE1_OST_N),
        .TYPE2_OST_N(TYPE2_OST_N),
        .TYPE1_PKT_LEN(TYPE1_PKT_LEN),
        .TYPE2_PKT_LEN(TYPE2_PKT_LEN),
        .TYPE1_VC_NUM(TYPE1_VC_NUM),
        .TYPE1_RX_BUF_AW(TYPE1_RX_BUF_AW),
        .TYPE2_CRD_RST_NUM(TYPE2_CRD_RST_NUM)
`ifndef RCLINK_DIRECT
        , .MAC_TX_CRD_INIT(MAC_TX_CRD_INIT)
        , .TYPE2_RX_BUF_DEPTH(TYPE2_RX_BUF_DEPTH)
        , .TS_TICK(TS_TICK)
`endif
    ) dut (
        .CLK_I(clk),
        .RST_N_I(rst_n),
        .CFG_S_AXI_AWADDR_I(s_axi_lite_awaddr),
        .CFG_S_AXI_AWVALID_I(s_axi_lite_awvalid),
        .CFG_S_AXI_AWREADY_O(s_axi_lite_awready),
        .CFG_S_AXI_WDATA_I(s_axi_lite_wdata),
        .CFG_S_AXI_WSTRB_I(s_axi_lite_wstrb),
        .CFG_S_AXI_WVALID_I(s_axi_lite_wvalid),
        .CFG_S_AXI_WREADY_O(s_axi_lite_wready),
        .CFG_S_AXI_BRESP_O(s_axi_lite_bresp),
        .CFG_S_AXI_BVALID_O(s_axi_lite_bvalid),
        .CFG_S_AXI_BREADY_I(s_axi_lite_bready),
        .CFG_S_AXI_ARADDR_I(s_axi_lite_araddr),
        .CFG_S_AXI_ARVALID_I(s_axi_lite_arvalid),
        .CFG_S_AXI_ARREADY_O(s_axi_lite_arready),
        .CFG_S_AXI_RDATA_O(s_axi_lite_rdata),
        .CFG_S_AXI_RRESP_O(s_axi_lite_rresp),
        .CFG_S_AXI_RVALID_O(s_axi_lite_rvalid),
        .CFG_S_AXI_RREADY_I(s_axi_lite_rready),
        .IS_400G_I(MAC_DW == 1024),
        .TX_WAIT_MAC_CRD_O(tx_wait_mac_crd),
        .TX_MAC_FREE_O(tx_mac_free),
        .TX_S_VLD_I(tx_s_axis_tvalid),
        .TX_S_FS_I(tx_s_first),
        .TX_S_FE_I(tx_s_last),
        .TX_S_DAT_I(tx_s_data),
        .TX_S_KEEP_I(tx_s_keep),
        .TX_S_QPID_I(tx_s_qpid),
        .TX_S_FACK_I(tx_s_fack),
        .TX_S_ETYPE_I(tx_s_etype),
        .TX_S_TYPE2_GROUP_INDEX_I(tx_s_group),
        .TX_S_CRD_O(tx_s_crd_bits),
        .TX_S_CRD_QPID_O(tx_s_crd_qpid),
        .TX_S_CRD_QPID_VLD_O(tx_s_crd_qpid_vld),
        .TYPE1_2_RX_M_VLD_O(rx_m_valid),
        .TYPE1_2_RX_M_RDY_I(rx_m_axis_tready),
        .TYPE1_2_RX_M_FS_O(rx_m_first),
        .TYPE1_2_RX_M_FE_O(rx_m_last),
        .TYPE1_2_RX_M_DAT_O(rx_m_data),
        .TYPE1_2_RX_M_KEEP_O(rx_m_keep),
        .TYPE1_2_RX_M_QPID_O(rx_m_qpid),
        .TYPE1_2_RX_M_ETYPE_O(rx_m_etype),
        .TYPE1_2_RX_M_LEN_O(rx_m_len),
        .TYPE1_2_RX_M_SA_O(rx_m_sa),
        `NONR_PINS(md_m_axi, NONR_MD_AXI),
        `NONR_PINS(data_m_axi, NONR_DATA_AXI),
        .NONR_MD_AXI_BUSY_O(md_busy),
        .MAC2TX_CREDIT_I(mac_credit_valid),
        .MAC2TX_CREDIT_RST_I(mac_credit_rst_valid),
        .TX2MAC_DATA_O(mac_tx_data),
        .TX2MAC_DATA_BE_O(mac_tx_be),
        .TX2MAC_VLD_O(mac_tx_valid),
        .TX2MAC_FS_O(mac_tx_first),
        .TX2MAC_FE_O(mac_tx_last),
        .TX2MAC_VCID_O(mac_tx_vcid),
        .TX2MAC_CBFC_VCID_O(mac_tx_cbfc_vcid),
        .TX2MAC_FCS_O(mac_tx_fcs),
        .TX2MAC_ERR_O(mac_tx_err),
        .TX2MAC_MAC_HDR_TYPE_O(mac_tx_hdr_type),
        .TX2MAC_MULTICAST_EN_O(mac_tx_multicast),
        .TX2MAC_VLAN_EN_O(mac_tx_vlan_en),
        .MAC2TX_CBFC_RST_I({24'd0, cbfc_load_bits & {8{cbfc_load_valid}}}),
        .MAC2TX_CBFC_CREDITSIZE_I(cbfc_load_size),
        .MAC2TX_CBFC_CREDITLIMIT_I(cbfc_load_limit),
        .MAC2TX_CBFC_PKTOVHD_LEN_I(cbfc_load_ovhd),
        .MAC2TX_CBFC_VLD_I({24'd0, cbfc_return_bits & {8{cbfc_return_valid}}}),
        .MAC2TX_CBFC_NUM_I(cbfc_return_num),
        .MAC2TX_CBFC_RESET_I(cbfc_reset_valid),
        .MAC2TX_TYPE2_CRD_VLD_I(type2_crd_valid),
        .MAC2TX_TYPE2_CRD_NUM_I(type2_crd_num),
        .MAC2TX_TYPE2_CREDIT_RST_I(type2_crd_rst_valid),
        .RX2MAC_RDY_O(mac_rx_axis_tready),
        .MAC2RX_VLD_I(mac_rx_axis_tvalid),
        .MAC2RX_FS_I(mac_rx_first),
        .MAC2RX_FE_I(mac_rx_last),
        .MAC2RX_DATA_I(mac_rx_data),
        .MAC2RX_DATA_BE_I(mac_rx_be),
        .MAC2RX_FCS_ERR_I(mac_rx_fcs_err & {2{mac_rx_last}}),
        .TX_PFC_REQ_O(tx_pfc_req),
        .RX_PFC_REQ_I(rx_pfc_req),
        .TYPE1_FLOW_STOP_I(flow_stop),
        .TYPE2_PFC_REQ_I(type2_pfc_req),
        .SET_CC_RATE_VLD_I(set_cc_rate_valid),
        .SET_CC_RATE_DAT_I(set_cc_rate_dat),
        .SET_CC_RATE_QPID_I(set_cc_rate_qpid),
        .SET_TYPE2_RATE_VLD_I(set_type2_rate_valid),
        .SET_TYPE2_RATE_DAT_I(set_type2_rate_dat),
        .CC_TYPE1_QP_EN_SET_O(cc_qp_en_set),
        .CC_TYPE1_QP_EN_CLR_O(cc_qp_en_clr),
        .CC_TYPE1_QP_ID_O(cc_qp_en_qpid),
        .RECV_CNP_VLD_O(recv_cnp_valid),
        .RECV_CNP_QPID_O(recv_cnp_qpid),
        .RECV_ACK_VLD_O(recv_ack_valid),
        .RECV_ACK_QPID_O(recv_ack_qpid),
        .RECV_ACK_RTT_O(recv_ack_rtt),
        .RECV_NAK_FLG_O(recv_ack_nak),
        .RECV_NUM_ACKED_O(recv_ack_num),
        .RETRY_TMO_VLD_O(retry_tmo_valid),
        .RETRY_TMO_QPID_O(retry_tmo_qpid),
        .NOCNP_TIMER_VLD_O(nocnp_valid),
        .NOCNP_TIMER_QPID_O(nocnp_qpid),
        .NOCNP_TIMER_BYTE_CNT_O(nocnp_bytes),
        .IRQ_VLD_O(msi_valid),
        .IRQ_INFO_O(msi_info),
        .RC_INTR_O(rc_intr),
        .NONR_INTR_O(nonr_intr),
        .NONR_FAULT_INTR_O(nonr_fault_intr),
        .DFX_TYPE1_OST_FREE_LVL_O(ost_free),
        .DFX_CBFC_CF_O(cbfc_cf),
        .RCLINK_IDLE_O(idle)
    );

    // Longest bursts (beats - 1) of writes and reads, and their sizes (bit n: 2^n bytes).
    `NONR_CHECKERS(md_m_axi, 256, 0, 8'd0, 8'd0, 8'b0001_0000, 8'b0011_0000)
    `NONR_CHECKERS(data_m_axi, 512, 2, 8'd7, 8'd3, 8'b0100_0000, 8'b0100_0000)

    axi4lite_checker #(.DATA_WIDTH(64), .RESET_OUT(RESET_OUT)) check_s_axi_lite (
        .clk(clk), .resetn(rst_n),
        .awaddr(s_axi_lite_awaddr),
        .awvalid(s_axi_lite_awvalid),
        .awready(s_axi_lite_awready),
        .wdata(s_axi_lite_wdata),
        .wstrb(s_axi_lite_wstrb),
        .wvalid(s_axi_lite_wvalid),
        .wready(s_axi_lite_wready),
        .bresp(s_axi_lite_bresp),
        .bvalid(s_axi_lite_bvalid),
        .bready(s_axi_lite_bready),
        .araddr(s_axi_lite_araddr),
        .arvalid(s_axi_lite_arvalid),
        .arready(s_axi_lite_arready),
        .rdata(s_axi_lite_rdata),
        .rresp(s_axi_lite_rresp),
        .rvalid(s_axi_lite_rvalid),
        .rready(s_axi_lite_rready),
        `CHECKER_RESULT(4)
    );
    framed_checker #(.WORDS(QP_AW + 25), .RESET_OUT(RESET_OUT)) check_rx_m (
        .clk(clk), .resetn(rst_n), .valid(rx_m_valid), .ready(rx_m_axis_tready), .first(rx_m_first), .last(rx_m_last),
        .data(rx_m_data), .tail(rx_m_keep), .words({rx_m_qpid, rx_m_etype, rx_m_len, rx_m_sa}),
        `CHECKER_RESULT(5)
    );
    framed_checker #(
        .DATA_WIDTH(MAC_DW), .TAIL_WIDTH(MAC_BE), .WORDS(17), .COUNTED(1), .RESET_OUT(RESET_OUT)
    ) check_mac_tx (
        .clk(clk), .resetn(rst_n), .valid(mac_tx_valid), .ready(1'b1), .first(mac_tx_first), .last(mac_tx_last),
        .data(mac_tx_data), .tail(mac_tx_be),
        .words({
            mac_tx_vcid, mac_tx_cbfc_vcid, mac_tx_hdr_type, mac_tx_multicast, mac_tx_vlan_en, mac_tx_fcs, mac_tx_err
        }),
        `CHECKER_RESULT(6)
    );
    credit_checker #(.INITIAL(MAC_TX_CRD_INIT)) check_mac_credit (
        .clk(clk), .resetn(rst_n), .per_frame(per_frame), .valid(mac_tx_valid), .first(mac_tx_first),
        .credit(mac_credit_valid), .restore(mac_credit_rst_valid),
        `CHECKER_RESULT(7)
    );
    exclusive_checker check_cc_qp_en (
        .clk(clk), .resetn(rst_n), .one(cc_qp_en_set), .other(cc_qp_en_clr),
        `CHECKER_RESULT(8)
    );
    pin_checker #(.WIDTH(31), .RESET_OUT(RESET_OUT)) check_pulses (
        .clk(clk), .resetn(rst_n),
        .pin({
            tx_s_crd_bits, cc_qp_en_set, cc_qp_en_clr, recv_cnp_valid, recv_ack_valid, retry_tmo_valid, nocnp_valid,
            msi_valid, rc_intr, nonr_intr, nonr_fault_intr, tx_wait_mac_crd, md_busy
        }),
        `CHECKER_RESULT(9)
    );
    pin_checker #(.WIDTH(134), .ZERO_IN_RESET(134'd0), .RESET_OUT(RESET_OUT)) check_levels (
        .clk(clk), .resetn(rst_n),
        .pin({tx_pfc_req, ost_free, cbfc_cf, idle, tx_mac_free, mac_rx_axis_tready}),
        `CHECKER_RESULT(10)
    );
endmodule

`default_nettype wire
