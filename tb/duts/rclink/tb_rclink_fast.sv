// The RCLINK top with the transactors of the C engine on its streams and memory ports: Python sees frames and bursts.
//
// The pins that remain are those of tb_rclink, which is inside with its checkers. Port numbers, hold and wake bits:
// tb/fast/rclink.py. Words beside a frame: one in each 32 bits, the first lowest.
`timescale 1ns / 1ps
`default_nettype none
`include "axi4_macros.svh"
`include "fast_calls.svh"

module tb_rclink_fast #(
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
    parameter RESET_OUT          = 2,
    parameter ADDR_WIDTH         = 64
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
    output wire [165:0]        levels,

    input  wire [6:0]          fast_hold,  // READY low: memory ports 3 bits each (AW, W, AR), then rx_m
    output wire [5:0]          fast_wake   // a bit changes when Python has something to fetch
);
    localparam CHECKERS = 11;
    wire [CHECKERS-1:0]    protocol_alive = inner.protocol_alive;
    wire [CHECKERS*16-1:0] protocol_count = inner.protocol_count;
    wire [CHECKERS*32-1:0] protocol_code = inner.protocol_code;

    `AXI4_WIRES(md_m_axi, 256, 7)
    `AXI4_WIRES(data_m_axi, 512, 7)

    wire [511:0] tx_s_axis_tdata, rx_m_axis_tdata;
    wire [63:0] tx_s_axis_tkeep, rx_m_axis_tkeep;
    wire [MAC_DW-1:0] mac_tx_axis_tdata, mac_rx_axis_tdata;
    wire [MAC_DW/8-1:0] mac_tx_axis_tkeep, mac_rx_axis_tkeep;
    wire tx_s_axis_tlast, rx_m_axis_tlast, mac_tx_axis_tlast, mac_rx_axis_tlast;
    wire tx_s_axis_tvalid, rx_m_axis_tvalid, mac_tx_axis_tvalid, mac_rx_axis_tvalid;
    wire rx_m_axis_tready, mac_rx_axis_tready;

    wire [QP_AW-1:0] tx_s_qpid, rx_m_qpid;
    wire tx_s_fack, mac_tx_multicast, mac_tx_vlan_en, mac_tx_fcs, mac_tx_err, mac_rx_axis_restart;
    wire [1:0] tx_s_etype, rx_m_etype, mac_tx_hdr_type, mac_rx_fcs_err;
    wire [2:0] tx_s_group, mac_tx_vcid;
    wire [12:0] rx_m_len;
    wire [9:0] rx_m_sa;
    wire [7:0] mac_tx_cbfc_vcid;

    wire [`FAST_WORDS-1:0] tx_s_words, rx_m_words, mac_tx_words, mac_rx_words;
    assign tx_s_qpid = tx_s_words[0+:QP_AW];
    assign tx_s_fack = tx_s_words[32];
    assign tx_s_etype = tx_s_words[64+:2];
    assign tx_s_group = tx_s_words[96+:3];
    assign mac_rx_fcs_err = mac_rx_words[0+:2];
    /* verilator lint_off WIDTH */
    assign rx_m_words[0+:32] = rx_m_qpid;
    assign rx_m_words[32+:32] = rx_m_etype;
    assign rx_m_words[64+:32] = rx_m_len;
    assign rx_m_words[96+:32] = rx_m_sa;
    assign rx_m_words[`FAST_WORDS-1:128] = 0;
    assign mac_tx_words[0+:32] = mac_tx_vcid;
    assign mac_tx_words[32+:32] = mac_tx_cbfc_vcid;
    assign mac_tx_words[64+:32] = mac_tx_hdr_type;
    assign mac_tx_words[96+:32] = mac_tx_multicast;
    assign mac_tx_words[128+:32] = mac_tx_vlan_en;
    assign mac_tx_words[160+:32] = mac_tx_fcs;
    assign mac_tx_words[192+:32] = mac_tx_err;
    assign mac_tx_words[`FAST_WORDS-1:224] = 0;
    /* verilator lint_on WIDTH */

    tb_rclink #(
        .QP_NUM(QP_NUM),
        .QP_AW(QP_AW),
        .MAC_DW(MAC_DW),
        .TYPE1_OST_N(TYPE1_OST_N),
        .TYPE2_OST_N(TYPE2_OST_N),
        .TYPE1_PKT_LEN(TYPE1_PKT_LEN),
        .TYPE2_PKT_LEN(TYPE2_PKT_LEN),
        .TYPE1_VC_NUM(TYPE1_VC_NUM),
        .TYPE1_RX_BUF_AW(TYPE1_RX_BUF_AW),
        .TYPE2_CRD_RST_NUM(TYPE2_CRD_RST_NUM),
        .MAC_TX_CRD_INIT(MAC_TX_CRD_INIT),
        .TYPE2_RX_BUF_DEPTH(TYPE2_RX_BUF_DEPTH),
        .TS_TICK(TS_TICK),
        .RESET_OUT(RESET_OUT)
    ) inner (
        .*
    );

    `FAST_MEMORY(md_m_axi, 256, 7, 0, 0, 0, clk, rst_n)
    `FAST_MEMORY(data_m_axi, 512, 7, 1, 1, 1, clk, rst_n)

    fast_source #(.PORT(2), .DATA_WIDTH(512), .WORDS(4)) fast_tx_s (
        .clk(clk), .rst(!rst_n),
        .tdata(tx_s_axis_tdata), .tkeep(tx_s_axis_tkeep), .tlast(tx_s_axis_tlast), .tuser(),
        .tvalid(tx_s_axis_tvalid), .tready(1'b1), .words(tx_s_words), .restart()
    );
    fast_sink #(.PORT(3), .DATA_WIDTH(512), .WORDS(4)) watch_tx_s (
        .clk(clk), .rst(!rst_n),
        .tdata(tx_s_axis_tdata), .tkeep(tx_s_axis_tkeep), .tlast(tx_s_axis_tlast), .tuser(1'b1),
        .tvalid(tx_s_axis_tvalid), .tready(1'b1), .words(tx_s_words), .restart(1'b0),
        .hold(1'b0), .ready(), .wake(fast_wake[2])
    );
    fast_source #(.PORT(4), .DATA_WIDTH(MAC_DW), .HAS_READY(1), .WORDS(1)) fast_mac_rx (
        .clk(clk), .rst(!rst_n),
        .tdata(mac_rx_axis_tdata), .tkeep(mac_rx_axis_tkeep), .tlast(mac_rx_axis_tlast), .tuser(),
        .tvalid(mac_rx_axis_tvalid), .tready(mac_rx_axis_tready), .words(mac_rx_words), .restart(mac_rx_axis_restart)
    );
    fast_sink #(.PORT(5), .DATA_WIDTH(MAC_DW), .WORDS(1), .WORDS_AT_LAST(1)) watch_mac_rx (
        .clk(clk), .rst(!rst_n),
        .tdata(mac_rx_axis_tdata), .tkeep(mac_rx_axis_tkeep), .tlast(mac_rx_axis_tlast), .tuser(1'b1),
        .tvalid(mac_rx_axis_tvalid), .tready(mac_rx_axis_tready), .words(mac_rx_words), .restart(mac_rx_axis_restart),
        .hold(1'b0), .ready(), .wake(fast_wake[3])
    );
    fast_sink #(.PORT(6), .DATA_WIDTH(512), .ACTIVE(1), .WORDS(4)) fast_rx_m (
        .clk(clk), .rst(!rst_n),
        .tdata(rx_m_axis_tdata), .tkeep(rx_m_axis_tkeep), .tlast(rx_m_axis_tlast), .tuser(1'b1),
        .tvalid(rx_m_axis_tvalid), .tready(rx_m_axis_tready), .words(rx_m_words), .restart(1'b0),
        .hold(fast_hold[6]), .ready(rx_m_axis_tready), .wake(fast_wake[4])
    );
    fast_sink #(.PORT(7), .DATA_WIDTH(MAC_DW), .WORDS(7)) fast_mac_tx (
        .clk(clk), .rst(!rst_n),
        .tdata(mac_tx_axis_tdata), .tkeep(mac_tx_axis_tkeep), .tlast(mac_tx_axis_tlast), .tuser(1'b1),
        .tvalid(mac_tx_axis_tvalid), .tready(1'b1), .words(mac_tx_words), .restart(1'b0),
        .hold(1'b0), .ready(), .wake(fast_wake[5])
    );
endmodule

`default_nettype wire
