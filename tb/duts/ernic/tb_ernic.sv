// Simulation top of the ERNIC target: the DUT with all its ports, and the protocol checkers.
//
// cocotb drives the ports of this module. The DUT sits in ernic_elastic, which is transparent unless the run has
// +ELASTIC=<seed> with a seed other than 0; a build with ERNIC_DIRECT instantiates ernic itself (foreign RTL).
// Order of the checkers in protocol_*: tb/agents/ernic_pins.py (CHECKERS).
`timescale 1ns / 1ps
`default_nettype none
`include "axi4_macros.svh"

`ifdef ERNIC_DIRECT
`define ERNIC_MODULE ernic
`else
`define ERNIC_MODULE ernic_elastic
`endif

module tb_ernic #(
    parameter C_NUM_QP           = 8,
    parameter C_MR_ROWS          = 16,
    parameter QP_BASE_RAW        = 0,
    parameter C_M_AXI_ADDR_WIDTH = 64,
    parameter C_RESP_RESOURCES   = 16,
    parameter C_RETRY_BUFFERS    = 0,  // choices of the stand-in, see rtl_stubs/ernic/ernic_core.sv
    parameter C_CNP_CLEAR_TX     = 0,
    parameter C_HNDSHK_DB_MEM    = 1,
    parameter C_RQ_SB_DELTA      = 0,
    parameter C_SB_ADDR_W        = 13,
    parameter RESET_OUT          = 2,  // first edge in reset at which VALID and the interrupt must be 0
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

    `AXI4_MASTER_PORTS(qp_mgr_m_axi),
    `AXI4_MASTER_PORTS(wqe_proc_top_m_axi),
    `AXI4_MASTER_PORTS(wqe_proc_wr_ddr_m_axi),
    `AXI4_MASTER_PORTS(rx_pkt_hndler_ddr_m_axi),
    output wire [31:0]  rx_pkt_hndler_ddr_m_axi_awuser,
    `AXI4_MASTER_PORTS(rx_pkt_hndler_rdrsp_m_axi),
    `AXI4_MASTER_PORTS(resp_hndler_m_axi),

    input  wire [511:0] roce_cmac_s_axis_tdata,
    input  wire [63:0]  roce_cmac_s_axis_tkeep,
    input  wire         roce_cmac_s_axis_tlast,
    input  wire         roce_cmac_s_axis_tuser,
    input  wire         roce_cmac_s_axis_tvalid,
    input  wire [511:0] non_roce_cmac_s_axis_tdata,
    input  wire [63:0]  non_roce_cmac_s_axis_tkeep,
    input  wire         non_roce_cmac_s_axis_tlast,
    input  wire         non_roce_cmac_s_axis_tuser,
    input  wire         non_roce_cmac_s_axis_tvalid,
    output wire [511:0] non_roce_dma_m_axis_tdata,
    output wire [63:0]  non_roce_dma_m_axis_tkeep,
    output wire         non_roce_dma_m_axis_tlast,
    output wire         non_roce_dma_m_axis_tvalid,
    input  wire         non_roce_dma_m_axis_tready,
    output wire [511:0] cmac_m_axis_tdata,
    output wire [63:0]  cmac_m_axis_tkeep,
    output wire         cmac_m_axis_tlast,
    output wire         cmac_m_axis_tvalid,
    input  wire         cmac_m_axis_tready,
    input  wire [511:0] non_roce_dma_s_axis_tdata,
    input  wire [63:0]  non_roce_dma_s_axis_tkeep,
    input  wire         non_roce_dma_s_axis_tlast,
    input  wire         non_roce_dma_s_axis_tvalid,
    output wire         non_roce_dma_s_axis_tready,
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
    output wire         ctl_tx_resend_pause
);
    localparam CHECKERS = 13;

    wire [CHECKERS-1:0]    protocol_alive;
    wire [CHECKERS*16-1:0] protocol_count;
    wire [CHECKERS*32-1:0] protocol_code;

    `ERNIC_MODULE #(
        .C_NUM_QP(C_NUM_QP),
        .C_MR_ROWS(C_MR_ROWS),
        .QP_BASE_RAW(QP_BASE_RAW),
`ifndef ERNIC_DIRECT
        .C_RETRY_BUFFERS(C_RETRY_BUFFERS),
        .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX),
`endif
        .C_M_AXI_ADDR_WIDTH(C_M_AXI_ADDR_WIDTH),
`ifndef ERNIC_DIRECT
        .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM),
        .C_RQ_SB_DELTA(C_RQ_SB_DELTA),
        .C_SB_ADDR_W(C_SB_ADDR_W),
`endif
        .C_RESP_RESOURCES(C_RESP_RESOURCES)
    ) dut (
        .*
    );

    `AXI4_MASTER_CHECKER(qp_mgr_m_axi, 0, m_axi_aclk, m_axi_aresetn)
    `AXI4_MASTER_CHECKER(wqe_proc_top_m_axi, 1, m_axi_aclk, m_axi_aresetn)
    `AXI4_MASTER_CHECKER(wqe_proc_wr_ddr_m_axi, 2, m_axi_aclk, m_axi_aresetn)
    `AXI4_MASTER_CHECKER(rx_pkt_hndler_ddr_m_axi, 3, m_axi_aclk, m_axi_aresetn)
    `AXI4_MASTER_CHECKER(rx_pkt_hndler_rdrsp_m_axi, 4, m_axi_aclk, m_axi_aresetn)
    `AXI4_MASTER_CHECKER(resp_hndler_m_axi, 5, m_axi_aclk, m_axi_aresetn)

    axi4lite_checker #(.RESET_OUT(RESET_OUT)) check_s_axi_lite (
        .clk(s_axi_lite_aclk),
        .resetn(s_axi_lite_aresetn),
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
        `CHECKER_RESULT(6)
    );

    axis_checker #(.RESET_OUT(RESET_OUT)) check_cmac_m_axis (
        .clk(cmac_tx_clk),
        .resetn(~cmac_tx_rst),
        .tdata(cmac_m_axis_tdata),
        .tkeep(cmac_m_axis_tkeep),
        .tlast(cmac_m_axis_tlast),
        .tvalid(cmac_m_axis_tvalid),
        .tready(cmac_m_axis_tready),
        `CHECKER_RESULT(7)
    );

    axis_checker #(.RESET_OUT(RESET_OUT)) check_non_roce_dma_m_axis (
        .clk(m_axi_aclk),
        .resetn(m_axi_aresetn),
        .tdata(non_roce_dma_m_axis_tdata),
        .tkeep(non_roce_dma_m_axis_tkeep),
        .tlast(non_roce_dma_m_axis_tlast),
        .tvalid(non_roce_dma_m_axis_tvalid),
        .tready(non_roce_dma_m_axis_tready),
        `CHECKER_RESULT(8)
    );

    axis_checker #(.DATA_WIDTH(64), .HAS_KEEP(0), .RESET_OUT(RESET_OUT)) check_ieth_immdt_axis (
        .clk(m_axi_aclk),
        .resetn(m_axi_aresetn),
        .tdata(ieth_immdt_axis_tdata),
        .tkeep(8'hFF),
        .tlast(ieth_immdt_axis_tlast),
        .tvalid(ieth_immdt_axis_tvalid),
        .tready(ieth_immdt_axis_trdy),
        `CHECKER_RESULT(9)
    );

    axis_checker #(.DATA_WIDTH(45), .KEEP_WIDTH(1), .HAS_KEEP(0), .RESET_OUT(RESET_OUT)) check_send_cq_db (
        .clk(m_axi_aclk),
        .resetn(m_axi_aresetn),
        .tdata({resp_hndler_o_send_cq_db_addr, resp_hndler_o_send_cq_db_cnt}),
        .tkeep(1'b1),
        .tlast(1'b1),
        .tvalid(resp_hndler_o_send_cq_db_cnt_valid),
        .tready(resp_hndler_i_send_cq_db_rdy),
        `CHECKER_RESULT(10)
    );

    axis_checker #(.DATA_WIDTH(45), .KEEP_WIDTH(1), .HAS_KEEP(0), .RESET_OUT(RESET_OUT)) check_rq_db (
        .clk(m_axi_aclk),
        .resetn(m_axi_aresetn),
        .tdata({rx_pkt_hndler_o_rq_db_addr, rx_pkt_hndler_o_rq_db_data}),
        .tkeep(1'b1),
        .tlast(1'b1),
        .tvalid(rx_pkt_hndler_o_rq_db_data_valid),
        .tready(rx_pkt_hndler_i_rq_db_rdy),
        `CHECKER_RESULT(11)
    );

    pin_checker #(.RESET_OUT(RESET_OUT)) check_rnic_intr (
        .clk(m_axi_aclk),
        .resetn(m_axi_aresetn),
        .pin(rnic_intr),
        `CHECKER_RESULT(12)
    );
endmodule

`default_nettype wire
