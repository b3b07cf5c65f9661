// Tiny stand-in with the ports of the ERNIC, to test the agents against: frame loop-backs, a register RAM, and on
// every AXI4 master an engine that does the bursts the registers ask for.
//
// Registers: 0x000..0x3FC RAM. 0x400 + 0x20*p: engine p (order of MEMORY_PORTS): +0 address low, +4 address high,
// +8 {size[10:8], len[7:0]}, +C go (bit 0 write, bit 1 read, bit 2 the read twice, ids 0 and 1, bits 7:4 W beats ahead
// of AW), +10 {last lanes used [6:0]}, +14 status {read data xor fold is in +18; bits 1:0 busy, bits 3:2 last resp, bit 4
// id of the read that ended last}. 0x600: bit 0 interrupt.
// 0x604 write: one beat on each side-band output, payload from the data. 0x700: data X xor pattern base.
`timescale 1ns / 1ps
`default_nettype none
`include "axi4_macros.svh"

module loopback_engine (
    input  wire         clk,
    input  wire         rstn,
    input  wire [63:0]  addr,
    input  wire [31:0]  shape,
    input  wire [31:0]  go,
    input  wire         go_strobe,
    input  wire [31:0]  tail,
    output wire [31:0]  status,
    output reg  [31:0]  fold,
    output wire         awid,
    output reg  [63:0]  awaddr,
    output reg  [7:0]   awlen,
    output reg  [2:0]   awsize,
    output wire [1:0]   awburst,
    output wire         awlock,
    output wire [3:0]   awcache,
    output wire [2:0]   awprot,
    output reg          awvalid,
    input  wire         awready,
    output wire [511:0] wdata,
    output wire [63:0]  wstrb,
    output wire         wlast,
    output reg          wvalid,
    input  wire         wready,
    input  wire         bid,
    input  wire [1:0]   bresp,
    input  wire         bvalid,
    output reg          bready,
    output reg          arid,
    output reg  [63:0]  araddr,
    output reg  [7:0]   arlen,
    output reg  [2:0]   arsize,
    output wire [1:0]   arburst,
    output wire         arlock,
    output wire [3:0]   arcache,
    output wire [2:0]   arprot,
    output reg          arvalid,
    input  wire         arready,
    input  wire         rid,
    input  wire [511:0] rdata,
    input  wire [1:0]   rresp,
    input  wire         rlast,
    input  wire         rvalid,
    output reg          rready
);
    reg [7:0] beat;
    reg [3:0] lead;
    reg aw_pending;
    reg [1:0] resp;
    reg busy_w, busy_r, twice, last_rid;
    reg [1:0] reads;
    integer i;

    assign {awid, awlock, arlock} = 3'b0;
    assign {awcache, arcache} = 8'h33;
    assign {awprot, arprot} = 6'b0;
    assign {awburst, arburst} = 4'b0101;
    assign status = {27'b0, last_rid, resp, busy_r, busy_w};

    // Byte at address a of the pattern is a[7:0] ^ a[15:8], whatever the shape of the burst.
    wire [63:0] beat_at = ((awaddr >> awsize) << awsize) + ({56'b0, beat} << awsize);
    wire [63:0] bus_at = beat_at & ~64'h3F;
    wire [63:0] from = (beat == 0) ? awaddr : beat_at;
    reg [511:0] pattern;
    reg [63:0] strobes;
    always @* begin
        for (i = 0; i < 64; i = i + 1) begin
            pattern[i*8+:8] = (bus_at[7:0] + i[7:0]) ^ bus_at[15:8];
            strobes[i] = (bus_at + i >= from) && (bus_at + i < beat_at + (64'd1 << awsize))
                         && !(wlast && tail[6:0] != 0 && bus_at + i >= beat_at + {57'b0, tail[6:0]});
        end
    end
    assign wdata = pattern;
    assign wstrb = strobes;
    assign wlast = beat == awlen;

    always @(posedge clk)
        if (!rstn) begin
            awvalid <= 0;
            wvalid <= 0;
            bready <= 0;
            arvalid <= 0;
            rready <= 0;
            busy_w <= 0;
            busy_r <= 0;
            resp <= 0;
            fold <= 0;
            beat <= 0;
            awaddr <= 0;
            awlen <= 0;
            awsize <= 0;
            araddr <= 0;
            arlen <= 0;
            arsize <= 0;
            lead <= 0;
            aw_pending <= 0;
            {arid, twice, last_rid, reads} <= 0;
        end else begin
            if (go_strobe && go[0]) begin
                awaddr <= addr;
                awlen <= shape[7:0];
                awsize <= shape[10:8];
                awvalid <= go[7:4] == 0;
                aw_pending <= go[7:4] != 0;
                lead <= go[7:4];
                wvalid <= 1;
                beat <= 0;
                bready <= 1;
                busy_w <= 1;
            end
            if (go_strobe && go[1]) begin
                araddr <= addr;
                arlen <= shape[7:0];
                arsize <= shape[10:8];
                arvalid <= 1;
                rready <= 1;
                fold <= 0;
                busy_r <= 1;
                arid <= 0;
                twice <= go[2];
                reads <= go[2] ? 2 : 1;
            end
            if (awvalid && awready) awvalid <= 0;
            if (wvalid && wready) begin
                if (wlast) wvalid <= 0;
                else beat <= beat + 1;
                if (aw_pending && (lead == 1 || wlast)) begin
                    awvalid <= 1;
                    aw_pending <= 0;
                end
                if (lead != 0) lead <= lead - 1;
            end
            if (bvalid && bready) begin
                bready <= 0;
                busy_w <= 0;
                resp <= bresp;
            end
            if (arvalid && arready) begin
                arvalid <= twice && !arid;
                arid <= twice;
            end
            if (rvalid && rready) begin
                fold <= fold ^ rdata[31:0] ^ rdata[511:480];
                resp <= rresp;
                if (rlast) begin
                    last_rid <= rid;
                    reads <= reads - 1;
                    if (reads == 1) {rready, busy_r} <= 0;
                end
            end
        end
endmodule

// Store and forward of whole beats; never full in these tests (1024 beats).
module loopback_stream (
    input  wire         clk,
    input  wire         rst,
    input  wire [511:0] s_tdata,
    input  wire [63:0]  s_tkeep,
    input  wire         s_tlast,
    input  wire         s_tvalid,
    output wire [511:0] m_tdata,
    output wire [63:0]  m_tkeep,
    output wire         m_tlast,
    output wire         m_tvalid,
    input  wire         m_tready
);
    reg [576:0] fifo[0:1023];
    reg [10:0] in, out;
    assign m_tvalid = in != out;
    assign {m_tlast, m_tkeep, m_tdata} = fifo[out[9:0]];
    always @(posedge clk)
        if (rst) begin
            in <= 0;
            out <= 0;
        end else begin
            if (s_tvalid) begin
                fifo[in[9:0]] <= {s_tlast, s_tkeep, s_tdata};
                in <= in + 1;
            end
            if (m_tvalid && m_tready) out <= out + 1;
        end
endmodule

`define ENGINE(p, n) \
    loopback_engine engine_``p ( \
        .clk(m_axi_aclk), .rstn(m_axi_aresetn), .addr({word[(n)*8+257], word[(n)*8+256]}), \
        .shape(word[(n)*8+258]), .go(word[(n)*8+259]), .go_strobe(written && where == (n)*8+259), \
        .tail(word[(n)*8+260]), .status(status[n]), .fold(fold[n]), \
        .awid(p``_awid), .awaddr(p``_awaddr), .awlen(p``_awlen), .awsize(p``_awsize), .awburst(p``_awburst), \
        .awlock(p``_awlock), .awcache(p``_awcache), .awprot(p``_awprot), \
        .awvalid(p``_awvalid), .awready(p``_awready), \
        .wdata(p``_wdata), .wstrb(p``_wstrb), .wlast(p``_wlast), .wvalid(p``_wvalid), .wready(p``_wready), \
        .bid(p``_bid), .bresp(p``_bresp), .bvalid(p``_bvalid), .bready(p``_bready), \
        .arid(p``_arid), .araddr(p``_araddr), .arlen(p``_arlen), .arsize(p``_arsize), .arburst(p``_arburst), \
        .arlock(p``_arlock), .arcache(p``_arcache), .arprot(p``_arprot), \
        .arvalid(p``_arvalid), .arready(p``_arready), \
        .rid(p``_rid), .rdata(p``_rdata), .rresp(p``_rresp), .rlast(p``_rlast), \
        .rvalid(p``_rvalid), .rready(p``_rready) \
    );

module ernic #(
    parameter C_NUM_QP           = 8,
    parameter C_MR_ROWS          = 16,
    parameter QP_BASE_RAW        = 0,
    parameter C_M_AXI_ADDR_WIDTH = 64,
    parameter C_RESP_RESOURCES   = 16,
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
    reg [31:0] word[0:511];
    wire [31:0] status[0:5];
    wire [31:0] fold[0:5];
    reg [31:0] awaddr, wdata;
    reg [3:0] wstrb;
    reg have_aw, have_w, bvalid, rvalid, written;
    reg [31:0] rdata;
    reg [8:0] where;
    reg [2:0] offered;
    integer i;

    assign system_resetn = m_axi_aresetn;
    assign s_axi_lite_awready = !have_aw;
    assign s_axi_lite_wready = !have_w;
    assign s_axi_lite_bvalid = bvalid;
    assign s_axi_lite_bresp = 2'b0;
    assign s_axi_lite_arready = !rvalid;
    assign s_axi_lite_rvalid = rvalid;
    assign s_axi_lite_rdata = rdata;
    assign s_axi_lite_rresp = 2'b0;

    always @(posedge s_axi_lite_aclk)
        if (!s_axi_lite_aresetn) begin
            have_aw <= 0;
            have_w <= 0;
            bvalid <= 0;
            rvalid <= 0;
            written <= 0;
            where <= 0;
            rdata <= 0;
            for (i = 0; i < 512; i = i + 1) word[i] <= 0;
        end else begin
            written <= 0;
            if (s_axi_lite_awvalid && s_axi_lite_awready) begin
                awaddr <= s_axi_lite_awaddr;
                have_aw <= 1;
            end
            if (s_axi_lite_wvalid && s_axi_lite_wready) begin
                wdata <= s_axi_lite_wdata;
                wstrb <= s_axi_lite_wstrb;
                have_w <= 1;
            end
            if (have_aw && have_w && !bvalid) begin
                for (i = 0; i < 4; i = i + 1) if (wstrb[i]) word[awaddr[10:2]][i*8+:8] <= wdata[i*8+:8];
                written <= 1;
                where <= awaddr[10:2];
                bvalid <= 1;
            end
            if (bvalid && s_axi_lite_bready) begin
                bvalid <= 0;
                have_aw <= 0;
                have_w <= 0;
            end
            if (s_axi_lite_arvalid && s_axi_lite_arready) begin
                rvalid <= 1;
                rdata <= word[s_axi_lite_araddr[10:2]];
                for (i = 0; i < 6; i = i + 1) begin
                    if (s_axi_lite_araddr[10:2] == 261 + i * 8) rdata <= status[i];
                    if (s_axi_lite_araddr[10:2] == 262 + i * 8) rdata <= fold[i];
                end
            end
            if (rvalid && s_axi_lite_rready) rvalid <= 0;
        end

    assign rnic_intr = word[384][0];
    assign {ctl_tx_pause_req, ctl_tx_resend_pause} = {stat_rx_pause_req, 1'b0};
    assign rx_pkt_hndler_ddr_m_axi_awuser = 32'd0;

    // One beat on each side-band output per write of 0x604, another beat each time an input doorbell is taken.
    always @(posedge m_axi_aclk)
        if (!m_axi_aresetn) offered <= 3'b0;
        else begin
            if (ieth_immdt_axis_trdy) offered[0] <= 0;
            if (resp_hndler_i_send_cq_db_rdy) offered[1] <= 0;
            if (rx_pkt_hndler_i_rq_db_rdy) offered[2] <= 0;
            if (written && where == 385) offered <= 3'b111;
        end
    assign ieth_immdt_axis_tvalid = offered[0];
    assign ieth_immdt_axis_tdata = {32'h1111_0000, word[385]};
    assign ieth_immdt_axis_tlast = 1'b1;
    assign resp_hndler_o_send_cq_db_cnt_valid = offered[1];
    assign resp_hndler_o_send_cq_db_addr = 13'h0222;
    assign resp_hndler_o_send_cq_db_cnt = word[385];
    assign rx_pkt_hndler_o_rq_db_data_valid = offered[2];
    assign rx_pkt_hndler_o_rq_db_addr = 13'h0333;
    assign rx_pkt_hndler_o_rq_db_data = word[385];
    assign o_qp_sq_pidb_wr_rdy = 1'b1;
    assign o_qp_rq_cidb_wr_rdy = 1'b1;
    assign non_roce_dma_s_axis_tready = 1'b1;

    loopback_stream roce (
        .clk(cmac_rx_clk), .rst(cmac_rx_rst),
        .s_tdata(roce_cmac_s_axis_tdata), .s_tkeep(roce_cmac_s_axis_tkeep), .s_tlast(roce_cmac_s_axis_tlast),
        .s_tvalid(roce_cmac_s_axis_tvalid),
        .m_tdata(cmac_m_axis_tdata), .m_tkeep(cmac_m_axis_tkeep), .m_tlast(cmac_m_axis_tlast),
        .m_tvalid(cmac_m_axis_tvalid), .m_tready(cmac_m_axis_tready)
    );
    loopback_stream non_roce (
        .clk(cmac_rx_clk), .rst(cmac_rx_rst),
        .s_tdata(non_roce_cmac_s_axis_tdata), .s_tkeep(non_roce_cmac_s_axis_tkeep),
        .s_tlast(non_roce_cmac_s_axis_tlast), .s_tvalid(non_roce_cmac_s_axis_tvalid),
        .m_tdata(non_roce_dma_m_axis_tdata), .m_tkeep(non_roce_dma_m_axis_tkeep),
        .m_tlast(non_roce_dma_m_axis_tlast), .m_tvalid(non_roce_dma_m_axis_tvalid),
        .m_tready(non_roce_dma_m_axis_tready)
    );

    `ENGINE(qp_mgr_m_axi, 0)
    `ENGINE(wqe_proc_top_m_axi, 1)
    `ENGINE(wqe_proc_wr_ddr_m_axi, 2)
    `ENGINE(rx_pkt_hndler_ddr_m_axi, 3)
    `ENGINE(rx_pkt_hndler_rdrsp_m_axi, 4)
    `ENGINE(resp_hndler_m_axi, 5)
endmodule

`default_nettype wire
