// Simulation top of the HERMON CQ target: the DUT with all its ports, the elastic shell, the protocol checkers.
//
// cocotb drives the ports of this module. With +ELASTIC=<seed> (not 0) every handshake is held back by a random number
// of clocks (register ports and streams up to 12, memory channels up to 4) and irq by a fixed one up to 15: nothing in
// the environment may rely on the timing of the plain stand-in. +ELASTIC=0 or no plusarg: transparent.
// Order of the checkers in protocol_*: tb/agents/hermon_pins.py (CHECKERS).
`timescale 1ns / 1ps
`default_nettype none
`include "axi4_macros.svh"

// Channel `p` of the bench through a gate into the DUT (IN) or out of it (OUT); the DUT has d_`p`valid, d_`p`ready.
`define GATE_IN(p, longest, number) \
    wire d_``p``valid, d_``p``ready; \
    elastic_gate #(.MAX(longest), .NUMBER(number)) gate_``p ( \
        .clk(clk), .rst(!rst_n), .seed(elastic), .s_valid(p``valid), .s_ready(p``ready), .s_last(1'b1), \
        .m_valid(d_``p``valid), .m_ready(d_``p``ready) \
    );
`define GATE_OUT(p, longest, number) \
    wire d_``p``valid, d_``p``ready; \
    elastic_gate #(.MAX(longest), .NUMBER(number)) gate_``p ( \
        .clk(clk), .rst(!rst_n), .seed(elastic), .s_valid(d_``p``valid), .s_ready(d_``p``ready), .s_last(1'b1), \
        .m_valid(p``valid), .m_ready(p``ready) \
    );
`define GATE_REGISTERS(p, number) \
    `GATE_IN(p``_aw, 12, number) \
    `GATE_IN(p``_w, 12, number + 1) \
    `GATE_OUT(p``_b, 12, number + 2) \
    `GATE_IN(p``_ar, 12, number + 3) \
    `GATE_OUT(p``_r, 12, number + 4)

`define LITE_PINS(p) \
        .p``_awaddr(p``_awaddr), .p``_awprot(3'd0), .p``_awvalid(d_``p``_awvalid), .p``_awready(d_``p``_awready), \
        .p``_wdata(p``_wdata), .p``_wstrb(p``_wstrb), .p``_wvalid(d_``p``_wvalid), .p``_wready(d_``p``_wready), \
        .p``_bresp(p``_bresp), .p``_bvalid(d_``p``_bvalid), .p``_bready(d_``p``_bready), \
        .p``_araddr(p``_araddr), .p``_arprot(3'd0), .p``_arvalid(d_``p``_arvalid), .p``_arready(d_``p``_arready), \
        .p``_rdata(p``_rdata), .p``_rresp(p``_rresp), .p``_rvalid(d_``p``_rvalid), .p``_rready(d_``p``_rready)

`define LITE_CHECKER(p, address, data, n) \
    axi4lite_checker #(.ADDR_WIDTH(address), .DATA_WIDTH(data), .RESET_OUT(RESET_OUT)) check_``p ( \
        .clk(clk), .resetn(rst_n), \
        .awaddr(p``_awaddr), .awvalid(p``_awvalid), .awready(p``_awready), \
        .wdata(p``_wdata), .wstrb(p``_wstrb), .wvalid(p``_wvalid), .wready(p``_wready), \
        .bresp(p``_bresp), .bvalid(p``_bvalid), .bready(p``_bready), \
        .araddr(p``_araddr), .arvalid(p``_arvalid), .arready(p``_arready), \
        .rdata(p``_rdata), .rresp(p``_rresp), .rvalid(p``_rvalid), .rready(p``_rready), \
        `CHECKER_RESULT(n) \
    );

module tb_hermon_cq #(
    parameter NUM_CQ_LOG  = 6,
    parameter NUM_EQ      = 4,
    parameter NUM_UAR_LOG = 4,
    parameter TEST_HOOKS  = 1,
    parameter AXI_DATA_W  = 64,
    parameter AXI_ID_W    = 4,
    parameter RESET_OUT   = 2,  // first edge in reset at which VALID and irq must be 0
    parameter UAR_W       = NUM_UAR_LOG + 12
) (
    input  wire                    clk,
    input  wire                    rst_n,
    input  wire [15:0]             tick_clks,  // clocks between pulses of tick_us, 0: none
    output reg                     tick_us,
    output wire [NUM_EQ-1:0]       irq,

    `LITE_PORTS(s_axil_cmd, 12, 32),
    `LITE_PORTS(s_axil_uar, UAR_W, 64),

    input  wire [511:0]            s_axis_cpl_tdata,
    input  wire                    s_axis_cpl_tvalid,
    output wire                    s_axis_cpl_tready,
    output wire [63:0]             m_axis_sts_tdata,
    output wire                    m_axis_sts_tvalid,
    input  wire                    m_axis_sts_tready,

    output wire [AXI_ID_W-1:0]     m_axi_awid,
    output wire [63:0]             m_axi_awaddr,
    output wire [7:0]              m_axi_awlen,
    output wire [2:0]              m_axi_awsize,
    output wire [1:0]              m_axi_awburst,
    output wire                    m_axi_awvalid,
    input  wire                    m_axi_awready,
    output wire [AXI_DATA_W-1:0]   m_axi_wdata,
    output wire [AXI_DATA_W/8-1:0] m_axi_wstrb,
    output wire                    m_axi_wlast,
    output wire                    m_axi_wvalid,
    input  wire                    m_axi_wready,
    input  wire [AXI_ID_W-1:0]     m_axi_bid,
    input  wire [1:0]              m_axi_bresp,
    input  wire                    m_axi_bvalid,
    output wire                    m_axi_bready,
    output wire [AXI_ID_W-1:0]     m_axi_arid,
    output wire [63:0]             m_axi_araddr,
    output wire [7:0]              m_axi_arlen,
    output wire [2:0]              m_axi_arsize,
    output wire [1:0]              m_axi_arburst,
    output wire                    m_axi_arvalid,
    input  wire                    m_axi_arready,
    input  wire [AXI_ID_W-1:0]     m_axi_rid,
    input  wire [AXI_DATA_W-1:0]   m_axi_rdata,
    input  wire [1:0]              m_axi_rresp,
    input  wire                    m_axi_rlast,
    input  wire                    m_axi_rvalid,
    output wire                    m_axi_rready
);
    localparam CHECKERS = 7;
    localparam [7:0] SIZES = 8'd1 << $clog2(AXI_DATA_W / 8);  // full width; reads of 8 bytes, too

    wire [CHECKERS-1:0]    protocol_alive;
    wire [CHECKERS*16-1:0] protocol_count;
    wire [CHECKERS*32-1:0] protocol_code;

    reg [31:0] elastic;
    initial if (!$value$plusargs("ELASTIC=%d", elastic)) elastic = 32'd0;

    `GATE_REGISTERS(s_axil_cmd, 1)
    `GATE_REGISTERS(s_axil_uar, 6)
    `GATE_IN(s_axis_cpl_t, 12, 11)
    `GATE_OUT(m_axis_sts_t, 12, 12)
    `GATE_OUT(m_axi_aw, 4, 13)
    `GATE_OUT(m_axi_w, 4, 14)
    `GATE_IN(m_axi_b, 4, 15)
    `GATE_OUT(m_axi_ar, 4, 16)
    `GATE_IN(m_axi_r, 4, 17)

    reg [15:0] until_tick;
    always @(posedge clk) begin
        tick_us <= tick_clks != 16'd0 && until_tick == 16'd0;
        until_tick <= tick_clks == 16'd0 ? 16'd0 : until_tick == 16'd0 ? tick_clks - 16'd1 : until_tick - 16'd1;
    end
    initial begin
        tick_us = 1'b0;
        until_tick = 16'd0;
    end

    wire [NUM_EQ-1:0] d_irq;
    reg [NUM_EQ*16-1:0] late_irq;  // the last 16 clocks of irq, newest lowest
    wire [3:0] lag = elastic[3:0] ^ elastic[7:4];
    always @(posedge clk) late_irq <= rst_n ? {late_irq[NUM_EQ*15-1:0], d_irq} : {NUM_EQ * 16{1'b0}};
    assign irq = (elastic == 32'd0 || lag == 4'd0) ? d_irq : late_irq[(lag-1)*NUM_EQ+:NUM_EQ];

    hermon_cq #(
        .NUM_CQ_LOG(NUM_CQ_LOG),
        .NUM_EQ(NUM_EQ),
        .NUM_UAR_LOG(NUM_UAR_LOG),
        .TEST_HOOKS(TEST_HOOKS),
        .AXI_DATA_W(AXI_DATA_W),
        .AXI_ID_W(AXI_ID_W)
    ) dut (
        .clk(clk),
        .rst_n(rst_n),
        .tick_us(tick_us),
        .irq(d_irq),
        `LITE_PINS(s_axil_cmd),
        `LITE_PINS(s_axil_uar),
        .s_axis_cpl_tdata(s_axis_cpl_tdata),
        .s_axis_cpl_tkeep({64{1'b1}}),
        .s_axis_cpl_tlast(1'b1),
        .s_axis_cpl_tvalid(d_s_axis_cpl_tvalid),
        .s_axis_cpl_tready(d_s_axis_cpl_tready),
        .m_axis_sts_tdata(m_axis_sts_tdata),
        .m_axis_sts_tlast(),
        .m_axis_sts_tvalid(d_m_axis_sts_tvalid),
        .m_axis_sts_tready(d_m_axis_sts_tready),
        .m_axi_awid(m_axi_awid),
        .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awlen(m_axi_awlen),
        .m_axi_awsize(m_axi_awsize),
        .m_axi_awburst(m_axi_awburst),
        .m_axi_awcache(),
        .m_axi_awprot(),
        .m_axi_awqos(),
        .m_axi_awvalid(d_m_axi_awvalid),
        .m_axi_awready(d_m_axi_awready),
        .m_axi_wdata(m_axi_wdata),
        .m_axi_wstrb(m_axi_wstrb),
        .m_axi_wlast(m_axi_wlast),
        .m_axi_wvalid(d_m_axi_wvalid),
        .m_axi_wready(d_m_axi_wready),
        .m_axi_bid(m_axi_bid),
        .m_axi_bresp(m_axi_bresp),
        .m_axi_bvalid(d_m_axi_bvalid),
        .m_axi_bready(d_m_axi_bready),
        .m_axi_arid(m_axi_arid),
        .m_axi_araddr(m_axi_araddr),
        .m_axi_arlen(m_axi_arlen),
        .m_axi_arsize(m_axi_arsize),
        .m_axi_arburst(m_axi_arburst),
        .m_axi_arcache(),
        .m_axi_arprot(),
        .m_axi_arqos(),
        .m_axi_arvalid(d_m_axi_arvalid),
        .m_axi_arready(d_m_axi_arready),
        .m_axi_rid(m_axi_rid),
        .m_axi_rdata(m_axi_rdata),
        .m_axi_rresp(m_axi_rresp),
        .m_axi_rlast(m_axi_rlast),
        .m_axi_rvalid(d_m_axi_rvalid),
        .m_axi_rready(d_m_axi_rready)
    );

    axi4_checker #(
        .ADDR_WIDTH(64), .DATA_WIDTH(AXI_DATA_W), .ID_WIDTH(AXI_ID_W), .RESET_OUT(RESET_OUT)
    ) check_m_axi (
        .clk(clk), .resetn(rst_n),
        .awid(m_axi_awid), .awaddr(m_axi_awaddr), .awlen(m_axi_awlen), .awsize(m_axi_awsize),
        .awburst(m_axi_awburst), .awlock(1'b0), .awcache(4'd0), .awprot(3'd0),
        .awvalid(m_axi_awvalid), .awready(m_axi_awready),
        .wdata(m_axi_wdata), .wstrb(m_axi_wstrb), .wlast(m_axi_wlast), .wvalid(m_axi_wvalid), .wready(m_axi_wready),
        .bvalid(m_axi_bvalid), .bready(m_axi_bready),
        .arid(m_axi_arid), .araddr(m_axi_araddr), .arlen(m_axi_arlen), .arsize(m_axi_arsize),
        .arburst(m_axi_arburst), .arlock(1'b0), .arcache(4'd0), .arprot(3'd0),
        .arvalid(m_axi_arvalid), .arready(m_axi_arready),
        .rid(m_axi_rid), .rlast(m_axi_rlast), .rvalid(m_axi_rvalid), .rready(m_axi_rready),
        `CHECKER_RESULT(0)
    );
    axi4_limits #(
        .ID_WIDTH(AXI_ID_W), .MAX_AWLEN(8'd7), .MAX_ARLEN(8'd7), .AWSIZES(SIZES), .ARSIZES(SIZES | 8'b0000_1000),
        .UNIQUE_IDS(0)
    ) limit_m_axi (
        .clk(clk), .resetn(rst_n),
        .awid(m_axi_awid), .awlen(m_axi_awlen), .awsize(m_axi_awsize), .awvalid(m_axi_awvalid),
        .awready(m_axi_awready), .bid(m_axi_bid), .bvalid(m_axi_bvalid), .bready(m_axi_bready),
        .arid(m_axi_arid), .arlen(m_axi_arlen), .arsize(m_axi_arsize), .arvalid(m_axi_arvalid),
        .arready(m_axi_arready), .rid(m_axi_rid), .rlast(m_axi_rlast), .rvalid(m_axi_rvalid), .rready(m_axi_rready),
        `CHECKER_RESULT(1)
    );
    `LITE_CHECKER(s_axil_cmd, 12, 32, 2)
    `LITE_CHECKER(s_axil_uar, UAR_W, 64, 3)
    axis_checker #(.DATA_WIDTH(64), .HAS_KEEP(0), .RESET_OUT(RESET_OUT)) check_m_axis_sts (
        .clk(clk), .resetn(rst_n),
        .tdata(m_axis_sts_tdata), .tkeep(8'hFF), .tlast(1'b1), .tvalid(m_axis_sts_tvalid), .tready(m_axis_sts_tready),
        `CHECKER_RESULT(4)
    );
    pin_checker #(.WIDTH(NUM_EQ), .RESET_OUT(RESET_OUT)) check_irq (
        .clk(clk), .resetn(rst_n), .pin(irq), `CHECKER_RESULT(5)
    );
    pin_checker #(.WIDTH(1), .ZERO_IN_RESET(1'b0), .RESET_OUT(RESET_OUT)) check_s_axis_cpl (
        .clk(clk), .resetn(rst_n), .pin(s_axis_cpl_tready), `CHECKER_RESULT(6)
    );
endmodule

`default_nettype wire
