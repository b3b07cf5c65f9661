// SPDX-License-Identifier: BSD-3-Clause
// Behavioural stand-in for the ERNIC: ports of the core and the wiring of its blocks. See README.md for what it
// does and what is not there. Everything runs on m_axi_aclk; the other clock inputs must be the same clock.
// Plusargs: +MUTANT=<n> (only with `define MUTATION), +VARIANT=<n>.
module ernic #(
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
  wire clk = m_axi_aclk;
  wire rst = !m_axi_aresetn || !s_axi_lite_aresetn || cmac_rx_rst || cmac_tx_rst;
  wire idle = rst || !system_resetn;   // streams are ignored until the registers are clear

  integer variant = 0;
  initial if (!$value$plusargs("VARIANT=%d", variant)) variant = 0;
  reg w_first = 1'b0;
  always @(posedge clk) w_first <= (variant == 6);

  // Between the blocks.
  wire rxf_seen, rxf_lost, rx_valid, rx_good, rx_icrc_ok, rx_pop;
  wire [1023:0] rx_hdr;
  wire [ernic_pkg::RX_AW-1:0] rx_beat, rx_idx;
  wire [15:0] rx_bytes;
  wire [511:0] rx_lo, rx_hi;
  wire rxw_valid, rxw_imm, rxw_done;
  wire [63:0] rxw_addr;
  wire [12:0] rxw_len;
  wire [1023:0] rxw_data;
  wire [ernic_pkg::RX_AW-1:0] rxw_beat;
  wire [5:0] rxw_off;
  wire [31:0] rxw_user;
  // READ data; the receive buffer has one read port, and the two writers never run at the same time.
  wire rdw_valid, rdw_done;
  wire [63:0] rdw_addr;
  wire [12:0] rdw_len;
  wire [ernic_pkg::RX_AW-1:0] rdw_beat, rxw_idx, rdw_idx;
  wire [5:0] rdw_off;
  reg rdw_busy = 1'b0;
  always @(posedge clk) rdw_busy <= !rst && (rdw_valid || (rdw_busy && !rdw_done));
  assign rx_idx = rdw_busy ? rdw_idx : rxw_idx;
  wire cqw_valid, cqw_done;
  wire rxw_failed, rdw_failed, cqw_failed, sqr_failed, plr_failed, rtb_failed;  // memory answered with an error
  wire [63:0] cqw_addr;
  wire [31:0] cqw_data;
  wire sqr_valid, sqr_d_valid, sqr_d_last;
  wire [63:0] sqr_addr;
  wire [511:0] sqr_d_data;
  wire [6:0] sqr_d_bytes;
  wire plr_valid, plr_d_valid, plr_d_last, small_bursts;
  wire [63:0] plr_addr;
  wire [23:0] plr_len;
  wire [511:0] plr_d_data;
  wire [6:0] plr_d_bytes;
  wire bld_valid, bld_v6, bld_inline, bld_done, tx_sent;
  wire [767:0] bld_hdr;
  wire [6:0] bld_hdr_len;
  wire [12:0] bld_payload;
  wire [1:0] bld_pad;
  wire [127:0] bld_sdata, bld_raw_ip;
  wire bld_raw, bld_raw_v6, rtb_valid, rtb_done;
  wire [7:0] bld_raw_op;
  wire [23:0] bld_raw_psn, bld_raw_dest;
  wire [63:0] rtb_addr;
  wire [12:0] rtb_len;
  wire f_valid, f_last, a_valid, a_ready, a_last, b_valid, b_ready, b_last;
  wire [511:0] f_data, a_data, b_data;
  wire [63:0] f_keep, a_keep, b_keep;
  wire [31:0] pause_conf, thr_roce, thr_non;
  wire [15:0] space_roce, space_non;
  wire hold_roce, hold_non;

  wire s_bslverr, s_rslverr;
  assign s_axi_lite_bresp = {s_bslverr, 1'b0};
  assign s_axi_lite_rresp = {s_rslverr, 1'b0};
  assign ieth_immdt_axis_tlast = 1'b1;
  assign rx_pkt_hndler_ddr_m_axi_awuser = rxw_user;

  ernic_core #(
      .C_NUM_QP(C_NUM_QP), .C_MR_ROWS(C_MR_ROWS), .QP_BASE_RAW(QP_BASE_RAW), .C_RESP_RESOURCES(C_RESP_RESOURCES),
      .C_RNR_UNIT_CLKS(C_RNR_UNIT_CLKS), .C_ACK_TIMEOUT_CLKS(C_ACK_TIMEOUT_CLKS),
      .C_RETRY_BUFFERS(C_RETRY_BUFFERS), .C_CNP_CLEAR_TX(C_CNP_CLEAR_TX),
      .C_HNDSHK_DB_MEM(C_HNDSHK_DB_MEM), .C_RQ_SB_DELTA(C_RQ_SB_DELTA), .C_SB_ADDR_W(C_SB_ADDR_W)
  ) core (
      .s_awaddr(s_axi_lite_awaddr), .s_awvalid(s_axi_lite_awvalid), .s_awready(s_axi_lite_awready),
      .s_wdata(s_axi_lite_wdata), .s_wstrb(s_axi_lite_wstrb), .s_wvalid(s_axi_lite_wvalid),
      .s_wready(s_axi_lite_wready), .s_bvalid(s_axi_lite_bvalid), .s_bready(s_axi_lite_bready),
      .s_araddr(s_axi_lite_araddr), .s_arvalid(s_axi_lite_arvalid), .s_arready(s_axi_lite_arready),
      .s_rdata(s_axi_lite_rdata), .s_rvalid(s_axi_lite_rvalid), .s_rready(s_axi_lite_rready),
      .imm_tdata(ieth_immdt_axis_tdata), .imm_tvalid(ieth_immdt_axis_tvalid), .imm_tready(ieth_immdt_axis_trdy),
      .cq_sb_valid(resp_hndler_o_send_cq_db_cnt_valid), .cq_sb_addr(resp_hndler_o_send_cq_db_addr),
      .cq_sb_cnt(resp_hndler_o_send_cq_db_cnt), .cq_sb_rdy(resp_hndler_i_send_cq_db_rdy),
      .rq_sb_valid(rx_pkt_hndler_o_rq_db_data_valid), .rq_sb_addr(rx_pkt_hndler_o_rq_db_addr),
      .rq_sb_data(rx_pkt_hndler_o_rq_db_data), .rq_sb_rdy(rx_pkt_hndler_i_rq_db_rdy),
      .sqpi_valid(i_qp_sq_pidb_wr_valid_hndshk), .sqpi_data(i_qp_sq_pidb_hndshk),
      .sqpi_addr(i_qp_sq_pidb_wr_addr_hndshk), .sqpi_rdy(o_qp_sq_pidb_wr_rdy),
      .rqci_valid(i_qp_rq_cidb_wr_valid_hndshk), .rqci_data(i_qp_rq_cidb_hndshk),
      .rqci_addr(i_qp_rq_cidb_wr_addr_hndshk), .rqci_rdy(o_qp_rq_cidb_wr_rdy),
      .irq(rnic_intr),
      .*
  );

  ernic_rx_buffer #(.AW(ernic_pkg::RX_AW)) rx_buffer (
      .clk(clk), .rst(idle),
      .s_valid(roce_cmac_s_axis_tvalid), .s_data(roce_cmac_s_axis_tdata), .s_keep(roce_cmac_s_axis_tkeep),
      .s_last(roce_cmac_s_axis_tlast), .s_user(roce_cmac_s_axis_tuser),
      .frame_seen(rxf_seen), .frame_lost(rxf_lost), .space(space_roce), .d_valid(rx_valid), .d_hdr(rx_hdr), .d_beat(rx_beat),
      .d_bytes(rx_bytes), .d_good(rx_good), .d_icrc_ok(rx_icrc_ok), .pop(rx_pop),
      .mem_idx(rx_idx), .mem_lo(rx_lo), .mem_hi(rx_hi)
  );

  // Received data, RQ doorbells, error entries.
  axi_write_mover #(.AW(ernic_pkg::RX_AW)) rx_writer (
      .clk(clk), .rst(rst), .w_first(w_first),
      .cmd_valid(rxw_valid), .cmd_ready(), .cmd_addr(rxw_addr), .cmd_len(rxw_len), .cmd_imm(rxw_imm),
      .cmd_data(rxw_data), .cmd_beat(rxw_beat), .cmd_off(rxw_off), .done(rxw_done), .failed(rxw_failed),
      .mem_idx(rxw_idx), .mem_lo(rx_lo), .mem_hi(rx_hi),
      .awaddr(rx_pkt_hndler_ddr_m_axi_awaddr), .awlen(rx_pkt_hndler_ddr_m_axi_awlen), .awvalid(rx_pkt_hndler_ddr_m_axi_awvalid), .awready(rx_pkt_hndler_ddr_m_axi_awready),
      .wdata(rx_pkt_hndler_ddr_m_axi_wdata), .wstrb(rx_pkt_hndler_ddr_m_axi_wstrb), .wlast(rx_pkt_hndler_ddr_m_axi_wlast), .wvalid(rx_pkt_hndler_ddr_m_axi_wvalid), .wready(rx_pkt_hndler_ddr_m_axi_wready),
      .bresp(rx_pkt_hndler_ddr_m_axi_bresp), .bvalid(rx_pkt_hndler_ddr_m_axi_bvalid), .bready(rx_pkt_hndler_ddr_m_axi_bready)
  );

  // Data of READ responses.
  axi_write_mover #(.AW(ernic_pkg::RX_AW), .ROLE(2)) read_data_writer (
      .clk(clk), .rst(rst), .w_first(w_first),
      .cmd_valid(rdw_valid), .cmd_ready(), .cmd_addr(rdw_addr), .cmd_len(rdw_len), .cmd_imm(1'b0),
      .cmd_data(1024'd0), .cmd_beat(rdw_beat), .cmd_off(rdw_off), .done(rdw_done), .failed(rdw_failed),
      .mem_idx(rdw_idx), .mem_lo(rx_lo), .mem_hi(rx_hi),
      .awaddr(rx_pkt_hndler_rdrsp_m_axi_awaddr), .awlen(rx_pkt_hndler_rdrsp_m_axi_awlen), .awvalid(rx_pkt_hndler_rdrsp_m_axi_awvalid), .awready(rx_pkt_hndler_rdrsp_m_axi_awready),
      .wdata(rx_pkt_hndler_rdrsp_m_axi_wdata), .wstrb(rx_pkt_hndler_rdrsp_m_axi_wstrb), .wlast(rx_pkt_hndler_rdrsp_m_axi_wlast), .wvalid(rx_pkt_hndler_rdrsp_m_axi_wvalid), .wready(rx_pkt_hndler_rdrsp_m_axi_wready),
      .bresp(rx_pkt_hndler_rdrsp_m_axi_bresp), .bvalid(rx_pkt_hndler_rdrsp_m_axi_bvalid), .bready(rx_pkt_hndler_rdrsp_m_axi_bready)
  );

  // CQEs and CQ doorbells.
  axi_write_mover #(.AW(1), .ROLE(1)) cq_writer (
      .clk(clk), .rst(rst), .w_first(w_first),
      .cmd_valid(cqw_valid), .cmd_ready(), .cmd_addr(cqw_addr), .cmd_len(13'd4), .cmd_imm(1'b1),
      .cmd_data({992'd0, cqw_data}), .cmd_beat(1'b0), .cmd_off(6'd0), .done(cqw_done), .failed(cqw_failed),
      .mem_idx(), .mem_lo(512'd0), .mem_hi(512'd0),
      .awaddr(resp_hndler_m_axi_awaddr), .awlen(resp_hndler_m_axi_awlen), .awvalid(resp_hndler_m_axi_awvalid), .awready(resp_hndler_m_axi_awready),
      .wdata(resp_hndler_m_axi_wdata), .wstrb(resp_hndler_m_axi_wstrb), .wlast(resp_hndler_m_axi_wlast), .wvalid(resp_hndler_m_axi_wvalid), .wready(resp_hndler_m_axi_wready),
      .bresp(resp_hndler_m_axi_bresp), .bvalid(resp_hndler_m_axi_bvalid), .bready(resp_hndler_m_axi_bready)
  );

  // WQEs.
  axi_read_mover wqe_reader (
      .clk(clk), .rst(rst),
      .cmd_valid(sqr_valid), .cmd_ready(), .cmd_addr(sqr_addr), .cmd_len(24'd64), .max_beats(7'd64),
      .d_valid(sqr_d_valid), .d_data(sqr_d_data), .d_bytes(sqr_d_bytes), .d_last(sqr_d_last), .failed(sqr_failed),
      .araddr(qp_mgr_m_axi_araddr), .arlen(qp_mgr_m_axi_arlen), .arvalid(qp_mgr_m_axi_arvalid), .arready(qp_mgr_m_axi_arready),
      .rdata(qp_mgr_m_axi_rdata), .rresp(qp_mgr_m_axi_rresp), .rlast(qp_mgr_m_axi_rlast), .rvalid(qp_mgr_m_axi_rvalid), .rready(qp_mgr_m_axi_rready)
  );

  // Payload.
  axi_read_mover payload_reader (
      .clk(clk), .rst(rst),
      .cmd_valid(plr_valid), .cmd_ready(), .cmd_addr(plr_addr), .cmd_len(plr_len), .max_beats(small_bursts ? 7'd2 : 7'd64),
      .d_valid(plr_d_valid), .d_data(plr_d_data), .d_bytes(plr_d_bytes), .d_last(plr_d_last), .failed(plr_failed),
      .araddr(wqe_proc_top_m_axi_araddr), .arlen(wqe_proc_top_m_axi_arlen), .arvalid(wqe_proc_top_m_axi_arvalid), .arready(wqe_proc_top_m_axi_arready),
      .rdata(wqe_proc_top_m_axi_rdata), .rresp(wqe_proc_top_m_axi_rresp), .rlast(wqe_proc_top_m_axi_rlast), .rvalid(wqe_proc_top_m_axi_rvalid), .rready(wqe_proc_top_m_axi_rready)
  );

  ernic_tx_builder builder (
      .clk(clk), .rst(rst),
      .cmd_valid(bld_valid), .cmd_ready(), .cmd_hdr(bld_hdr), .cmd_hdr_len(bld_hdr_len), .cmd_v6(bld_v6),
      .cmd_payload(bld_payload), .cmd_pad(bld_pad), .cmd_inline(bld_inline), .cmd_sdata(bld_sdata),
      .cmd_raw(bld_raw), .raw_op(bld_raw_op), .raw_psn(bld_raw_psn), .raw_dest(bld_raw_dest), .raw_ip(bld_raw_ip),
      .raw_v6(bld_raw_v6),
      .done(bld_done), .d_valid(plr_d_valid), .d_data(plr_d_data), .d_bytes(plr_d_bytes), .d_last(plr_d_last),
      .f_valid(f_valid), .f_data(f_data), .f_keep(f_keep), .f_last(f_last)
  );

  // Copies of WRITE payload.
  ernic_retry_writer retry_writer (
      .clk(clk), .rst(rst), .w_first(w_first), .cmd_valid(rtb_valid), .cmd_addr(rtb_addr), .cmd_len(rtb_len), .done(rtb_done), .failed(rtb_failed),
      .d_valid(plr_d_valid), .d_data(plr_d_data), .d_bytes(plr_d_bytes), .d_last(plr_d_last),
      .awaddr(wqe_proc_wr_ddr_m_axi_awaddr), .awlen(wqe_proc_wr_ddr_m_axi_awlen), .awvalid(wqe_proc_wr_ddr_m_axi_awvalid), .awready(wqe_proc_wr_ddr_m_axi_awready),
      .wdata(wqe_proc_wr_ddr_m_axi_wdata), .wstrb(wqe_proc_wr_ddr_m_axi_wstrb), .wlast(wqe_proc_wr_ddr_m_axi_wlast), .wvalid(wqe_proc_wr_ddr_m_axi_wvalid), .wready(wqe_proc_wr_ddr_m_axi_wready),
      .bresp(wqe_proc_wr_ddr_m_axi_bresp), .bvalid(wqe_proc_wr_ddr_m_axi_bvalid), .bready(wqe_proc_wr_ddr_m_axi_bready)
  );

  frame_fifo #(.DEPTH(256)) roce_tx (
      .clk(clk), .rst(rst), .s_valid(f_valid), .s_ready(), .space(), .s_data(f_data), .s_keep(f_keep), .s_last(f_last),
      .m_valid(a_valid), .m_ready(a_ready), .m_data(a_data), .m_keep(a_keep), .m_last(a_last)
  );

  frame_fifo #(.DEPTH(512), .ROLE(2)) host_tx (
      .clk(clk), .rst(idle), .s_valid(non_roce_dma_s_axis_tvalid && non_roce_dma_s_axis_tready),
      .s_ready(non_roce_dma_s_axis_tready), .s_data(non_roce_dma_s_axis_tdata), .s_keep(non_roce_dma_s_axis_tkeep),
      .s_last(non_roce_dma_s_axis_tlast), .space(),
      .m_valid(b_valid), .m_ready(b_ready), .m_data(b_data), .m_keep(b_keep), .m_last(b_last)
  );

  ernic_tx_mux tx_mux (
      .clk(clk), .rst(rst),
      .a_valid(a_valid), .a_ready(a_ready), .a_data(a_data), .a_keep(a_keep), .a_last(a_last), .a_hold(hold_roce),
      .b_valid(b_valid), .b_ready(b_ready), .b_data(b_data), .b_keep(b_keep), .b_last(b_last), .b_hold(hold_non),
      .m_valid(cmac_m_axis_tvalid), .m_ready(cmac_m_axis_tready), .m_data(cmac_m_axis_tdata),
      .m_keep(cmac_m_axis_tkeep), .m_last(cmac_m_axis_tlast), .a_sent(tx_sent)
  );

  frame_fifo #(.DEPTH(1024), .ROLE(1)) host_rx (
      .clk(clk), .rst(idle), .s_valid(non_roce_cmac_s_axis_tvalid), .s_ready(),
      .s_data(non_roce_cmac_s_axis_tdata), .s_keep(non_roce_cmac_s_axis_tkeep), .s_last(non_roce_cmac_s_axis_tlast), .space(space_non),
      .m_valid(non_roce_dma_m_axis_tvalid), .m_ready(non_roce_dma_m_axis_tready), .m_data(non_roce_dma_m_axis_tdata),
      .m_keep(non_roce_dma_m_axis_tkeep), .m_last(non_roce_dma_m_axis_tlast)
  );

  ernic_pause pause (
      .clk(clk), .rst(idle), .conf(pause_conf), .thr_roce(thr_roce), .thr_non(thr_non),
      .space_roce(space_roce), .space_non(space_non), .rx_req(stat_rx_pause_req),
      .tx_req(ctl_tx_pause_req), .tx_resend(ctl_tx_resend_pause), .hold_roce(hold_roce), .hold_non(hold_non)
  );

  // Constant AXI4 attributes and the channels without a function.
  assign qp_mgr_m_axi_arid = 1'b0;
  assign qp_mgr_m_axi_arsize = 3'd6;
  assign qp_mgr_m_axi_arburst = 2'b01;
  assign qp_mgr_m_axi_arlock = 1'b0;
  assign qp_mgr_m_axi_arcache = 4'b0011;
  assign qp_mgr_m_axi_arprot = 3'd0;
  assign qp_mgr_m_axi_awid = 1'b0;
  assign qp_mgr_m_axi_awaddr = 64'd0;
  assign qp_mgr_m_axi_awlen = 8'd0;
  assign qp_mgr_m_axi_awsize = 3'd6;
  assign qp_mgr_m_axi_awburst = 2'b01;
  assign qp_mgr_m_axi_awlock = 1'b0;
  assign qp_mgr_m_axi_awcache = 4'b0011;
  assign qp_mgr_m_axi_awprot = 3'd0;
  assign qp_mgr_m_axi_awvalid = 1'b0;
  assign qp_mgr_m_axi_wdata = 512'd0;
  assign qp_mgr_m_axi_wstrb = 64'd0;
  assign qp_mgr_m_axi_wlast = 1'b0;
  assign qp_mgr_m_axi_wvalid = 1'b0;
  assign qp_mgr_m_axi_bready = 1'b0;
  assign wqe_proc_top_m_axi_arid = 1'b0;
  assign wqe_proc_top_m_axi_arsize = 3'd6;
  assign wqe_proc_top_m_axi_arburst = 2'b01;
  assign wqe_proc_top_m_axi_arlock = 1'b0;
  assign wqe_proc_top_m_axi_arcache = 4'b0011;
  assign wqe_proc_top_m_axi_arprot = 3'd0;
  assign wqe_proc_top_m_axi_awid = 1'b0;
  assign wqe_proc_top_m_axi_awaddr = 64'd0;
  assign wqe_proc_top_m_axi_awlen = 8'd0;
  assign wqe_proc_top_m_axi_awsize = 3'd6;
  assign wqe_proc_top_m_axi_awburst = 2'b01;
  assign wqe_proc_top_m_axi_awlock = 1'b0;
  assign wqe_proc_top_m_axi_awcache = 4'b0011;
  assign wqe_proc_top_m_axi_awprot = 3'd0;
  assign wqe_proc_top_m_axi_awvalid = 1'b0;
  assign wqe_proc_top_m_axi_wdata = 512'd0;
  assign wqe_proc_top_m_axi_wstrb = 64'd0;
  assign wqe_proc_top_m_axi_wlast = 1'b0;
  assign wqe_proc_top_m_axi_wvalid = 1'b0;
  assign wqe_proc_top_m_axi_bready = 1'b0;
  assign wqe_proc_wr_ddr_m_axi_awid = 1'b0;
  assign wqe_proc_wr_ddr_m_axi_awsize = 3'd6;
  assign wqe_proc_wr_ddr_m_axi_awburst = 2'b01;
  assign wqe_proc_wr_ddr_m_axi_awlock = 1'b0;
  assign wqe_proc_wr_ddr_m_axi_awcache = 4'b0011;
  assign wqe_proc_wr_ddr_m_axi_awprot = 3'd0;
  assign wqe_proc_wr_ddr_m_axi_arid = 1'b0;
  assign wqe_proc_wr_ddr_m_axi_araddr = 64'd0;
  assign wqe_proc_wr_ddr_m_axi_arlen = 8'd0;
  assign wqe_proc_wr_ddr_m_axi_arsize = 3'd6;
  assign wqe_proc_wr_ddr_m_axi_arburst = 2'b01;
  assign wqe_proc_wr_ddr_m_axi_arlock = 1'b0;
  assign wqe_proc_wr_ddr_m_axi_arcache = 4'b0011;
  assign wqe_proc_wr_ddr_m_axi_arprot = 3'd0;
  assign wqe_proc_wr_ddr_m_axi_arvalid = 1'b0;
  assign wqe_proc_wr_ddr_m_axi_rready = 1'b0;
  assign rx_pkt_hndler_ddr_m_axi_awid = 1'b0;
  assign rx_pkt_hndler_ddr_m_axi_awsize = 3'd6;
  assign rx_pkt_hndler_ddr_m_axi_awburst = 2'b01;
  assign rx_pkt_hndler_ddr_m_axi_awlock = 1'b0;
  assign rx_pkt_hndler_ddr_m_axi_awcache = 4'b0011;
  assign rx_pkt_hndler_ddr_m_axi_awprot = 3'd0;
  assign rx_pkt_hndler_ddr_m_axi_arid = 1'b0;
  assign rx_pkt_hndler_ddr_m_axi_araddr = 64'd0;
  assign rx_pkt_hndler_ddr_m_axi_arlen = 8'd0;
  assign rx_pkt_hndler_ddr_m_axi_arsize = 3'd6;
  assign rx_pkt_hndler_ddr_m_axi_arburst = 2'b01;
  assign rx_pkt_hndler_ddr_m_axi_arlock = 1'b0;
  assign rx_pkt_hndler_ddr_m_axi_arcache = 4'b0011;
  assign rx_pkt_hndler_ddr_m_axi_arprot = 3'd0;
  assign rx_pkt_hndler_ddr_m_axi_arvalid = 1'b0;
  assign rx_pkt_hndler_ddr_m_axi_rready = 1'b0;
  assign rx_pkt_hndler_rdrsp_m_axi_awid = 1'b0;
  assign rx_pkt_hndler_rdrsp_m_axi_awsize = 3'd6;
  assign rx_pkt_hndler_rdrsp_m_axi_awburst = 2'b01;
  assign rx_pkt_hndler_rdrsp_m_axi_awlock = 1'b0;
  assign rx_pkt_hndler_rdrsp_m_axi_awcache = 4'b0011;
  assign rx_pkt_hndler_rdrsp_m_axi_awprot = 3'd0;
  assign rx_pkt_hndler_rdrsp_m_axi_arid = 1'b0;
  assign rx_pkt_hndler_rdrsp_m_axi_araddr = 64'd0;
  assign rx_pkt_hndler_rdrsp_m_axi_arlen = 8'd0;
  assign rx_pkt_hndler_rdrsp_m_axi_arsize = 3'd6;
  assign rx_pkt_hndler_rdrsp_m_axi_arburst = 2'b01;
  assign rx_pkt_hndler_rdrsp_m_axi_arlock = 1'b0;
  assign rx_pkt_hndler_rdrsp_m_axi_arcache = 4'b0011;
  assign rx_pkt_hndler_rdrsp_m_axi_arprot = 3'd0;
  assign rx_pkt_hndler_rdrsp_m_axi_arvalid = 1'b0;
  assign rx_pkt_hndler_rdrsp_m_axi_rready = 1'b0;
  assign resp_hndler_m_axi_awid = 1'b0;
  assign resp_hndler_m_axi_awsize = 3'd6;
  assign resp_hndler_m_axi_awburst = 2'b01;
  assign resp_hndler_m_axi_awlock = 1'b0;
  assign resp_hndler_m_axi_awcache = 4'b0011;
  assign resp_hndler_m_axi_awprot = 3'd0;
  assign resp_hndler_m_axi_arid = 1'b0;
  assign resp_hndler_m_axi_araddr = 64'd0;
  assign resp_hndler_m_axi_arlen = 8'd0;
  assign resp_hndler_m_axi_arsize = 3'd6;
  assign resp_hndler_m_axi_arburst = 2'b01;
  assign resp_hndler_m_axi_arlock = 1'b0;
  assign resp_hndler_m_axi_arcache = 4'b0011;
  assign resp_hndler_m_axi_arprot = 3'd0;
  assign resp_hndler_m_axi_arvalid = 1'b0;
  assign resp_hndler_m_axi_rready = 1'b0;
endmodule
