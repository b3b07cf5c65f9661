// The ERNIC top with the transactors of the C engine on its streams and memory ports: Python sees frames and bursts.
//
// The pins that remain are those of tb_ernic, which is inside with its checkers. Port numbers, hold and wake bits:
// tb/fast/ernic.py.
`timescale 1ns / 1ps
`default_nettype none
`include "axi4_macros.svh"
`include "fast_calls.svh"

module tb_ernic_fast #(
    parameter C_NUM_QP           = 8,
    parameter C_MR_ROWS          = 16,
    parameter QP_BASE_RAW        = 0,
    parameter C_M_AXI_ADDR_WIDTH = 64,
    parameter C_RESP_RESOURCES   = 16,
    parameter C_RETRY_BUFFERS    = 0,
    parameter C_CNP_CLEAR_TX     = 0,
    parameter C_HNDSHK_DB_MEM    = 1,
    parameter C_RQ_SB_DELTA      = 0,
    parameter C_SB_ADDR_W        = 13,
    parameter RESET_OUT          = 2,
    parameter ADDR_WIDTH         = C_M_AXI_ADDR_WIDTH
) (
    input  wire         m_axi_aclk,
    input  wire         m_axi_aresetn,
    input  wire         s_axi_lite_aclk,
    input  wire         s_axi_lite_aresetn,
    input  wire         cmac_rx_clk,
    input  wire         cmac_rx_rst,
    input  wire         cmac_tx_clk,
    input  wire         cmac_tx_rst,
    output wire         system_resetn,

    input  wire [31:0]  s_axi_lite_awaddr,
    input  wire         s_axi_lite_awvalid,
    output wire         s_axi_lite_awready,
    input  wire [31:0]  s_axi_lite_wdata,
    input  wire [3:0]   s_axi_lite_wstrb,
    input  wire         s_axi_lite_wvalid,
    output wire         s_axi_lite_wready,
    output wire [1:0]   s_axi_lite_bresp,
    output wire         s_axi_lite_bvalid,
    input  wire         s_axi_lite_bready,
    input  wire [31:0]  s_axi_lite_araddr,
    input  wire         s_axi_lite_arvalid,
    output wire         s_axi_lite_arready,
    output wire [31:0]  s_axi_lite_rdata,
    output wire [1:0]   s_axi_lite_rresp,
    output wire         s_axi_lite_rvalid,
    input  wire         s_axi_lite_rready,

    output wire [63:0]  ieth_immdt_axis_tdata,
    output wire         ieth_immdt_axis_tlast,
    output wire         ieth_immdt_axis_tvalid,
    input  wire         ieth_immdt_axis_trdy,

    output wire         resp_hndler_o_send_cq_db_cnt_valid,
    output wire [12:0]  resp_hndler_o_send_cq_db_addr,
    output wire [31:0]  resp_hndler_o_send_cq_db_cnt,
    input  wire         resp_hndler_i_send_cq_db_rdy,
    input  wire [15:0]  i_qp_sq_pidb_hndshk,
    input  wire [31:0]  i_qp_sq_pidb_wr_addr_hndshk,
    input  wire         i_qp_sq_pidb_wr_valid_hndshk,
    output wire         o_qp_sq_pidb_wr_rdy,
    input  wire [15:0]  i_qp_rq_cidb_hndshk,
    input  wire [31:0]  i_qp_rq_cidb_wr_addr_hndshk,
    input  wire         i_qp_rq_cidb_wr_valid_hndshk,
    output wire         o_qp_rq_cidb_wr_rdy,
    output wire [31:0]  rx_pkt_hndler_o_rq_db_data,
    output wire [12:0]  rx_pkt_hndler_o_rq_db_addr,
    output wire         rx_pkt_hndler_o_rq_db_data_valid,
    input  wire         rx_pkt_hndler_i_rq_db_rdy,

    output wire         rnic_intr,
    input  wire [8:0]   stat_rx_pause_req,
    output wire [8:0]   ctl_tx_pause_req,
    output wire         ctl_tx_resend_pause,

    input  wire [19:0]  fast_hold,  // READY low: memory ports 3 bits each (AW, W, AR), then cmac_m, non_roce_dma_m
    output wire [10:0]  fast_wake   // a bit changes when Python has something to fetch
);
    localparam CHECKERS = 13;
    wire [CHECKERS-1:0]    protocol_alive = inner.protocol_alive;
    wire [CHECKERS*16-1:0] protocol_count = inner.protocol_count;
    wire [CHECKERS*32-1:0] protocol_code = inner.protocol_code;

    `AXI4_MASTER_WIRES(qp_mgr_m_axi)
    `AXI4_MASTER_WIRES(wqe_proc_top_m_axi)
    `AXI4_MASTER_WIRES(wqe_proc_wr_ddr_m_axi)
    `AXI4_MASTER_WIRES(rx_pkt_hndler_ddr_m_axi)
    wire [31:0] rx_pkt_hndler_ddr_m_axi_awuser;
    `AXI4_MASTER_WIRES(rx_pkt_hndler_rdrsp_m_axi)
    `AXI4_MASTER_WIRES(resp_hndler_m_axi)
    `STREAM_WIRES(roce_cmac_s_axis)
    `STREAM_WIRES(non_roce_cmac_s_axis)
    `STREAM_WIRES(non_roce_dma_m_axis)
    `STREAM_WIRES(cmac_m_axis)
    `STREAM_WIRES(non_roce_dma_s_axis)

    tb_ernic #(
        .C_NUM_QP(C_NUM_QP),
        .C_MR_ROWS(C_MR_ROWS),
        .QP_BASE_RAW(QP_BASE_RAW),
        .C_M_AXI_ADDR_WIDTH(C_M_AXI_ADDR_WIDTH),
        .C_RESP_RESOURCES(C_RESP_RESOURCES),
        .C_RETRY_BUFFERS(C_RETRY_BUFFERS),
        .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX),
        .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM),
        .C_RQ_SB_DELTA(C_RQ_SB_DELTA),
        .C_SB_ADDR_W(C_SB_ADDR_W),
        .RESET_OUT(RESET_OUT)
    ) inner (
        .*
    );

    `FAST_MEMORY(qp_mgr_m_axi, 512, 1, 0, 0, 0, m_axi_aclk, m_axi_aresetn)
    `FAST_MEMORY(wqe_proc_top_m_axi, 512, 1, 1, 1, 1, m_axi_aclk, m_axi_aresetn)
    `FAST_MEMORY(wqe_proc_wr_ddr_m_axi, 512, 1, 2, 2, 2, m_axi_aclk, m_axi_aresetn)
    `FAST_MEMORY(rx_pkt_hndler_ddr_m_axi, 512, 1, 3, 3, 3, m_axi_aclk, m_axi_aresetn)
    `FAST_MEMORY(rx_pkt_hndler_rdrsp_m_axi, 512, 1, 4, 4, 4, m_axi_aclk, m_axi_aresetn)
    `FAST_MEMORY(resp_hndler_m_axi, 512, 1, 5, 5, 5, m_axi_aclk, m_axi_aresetn)
    `FAST_INPUT(roce_cmac_s_axis, 6, 7, 0, 6, cmac_rx_clk, cmac_rx_rst)
    `FAST_INPUT(non_roce_cmac_s_axis, 8, 9, 0, 7, cmac_rx_clk, cmac_rx_rst)
    `FAST_INPUT(non_roce_dma_s_axis, 10, 11, 1, 8, m_axi_aclk, !m_axi_aresetn)
    `FAST_OUTPUT(cmac_m_axis, 12, 18, 9, cmac_tx_clk, cmac_tx_rst)
    `FAST_OUTPUT(non_roce_dma_m_axis, 13, 19, 10, m_axi_aclk, !m_axi_aresetn)

    assign roce_cmac_s_axis_tready = 1'b1;
    assign non_roce_cmac_s_axis_tready = 1'b1;
endmodule

`default_nettype wire
