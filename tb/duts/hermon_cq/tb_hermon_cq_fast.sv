// The HERMON CQ top with the transactor of the C engine on its memory port: Python sees bursts.
//
// The pins that remain are those of tb_hermon_cq, which is inside with its checkers. Port number, hold and wake bits:
// tb/fast/hermon_cq.py.
`timescale 1ns / 1ps
`default_nettype none
`include "axi4_macros.svh"
`include "fast_calls.svh"

module tb_hermon_cq_fast #(
    parameter NUM_CQ_LOG  = 6,
    parameter NUM_EQ      = 4,
    parameter NUM_UAR_LOG = 4,
    parameter TEST_HOOKS  = 1,
    parameter AXI_DATA_W  = 64,
    parameter AXI_ID_W    = 4,
    parameter RESET_OUT   = 2,
    parameter UAR_W       = NUM_UAR_LOG + 12,
    parameter ADDR_WIDTH  = 64
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire [15:0]       tick_clks,
    output wire              tick_us,
    output wire [NUM_EQ-1:0] irq,

    `LITE_PORTS(s_axil_cmd, 12, 32),
    `LITE_PORTS(s_axil_uar, UAR_W, 64),

    input  wire [511:0]      s_axis_cpl_tdata,
    input  wire              s_axis_cpl_tvalid,
    output wire              s_axis_cpl_tready,
    output wire [63:0]       m_axis_sts_tdata,
    output wire              m_axis_sts_tvalid,
    input  wire              m_axis_sts_tready,

    input  wire [2:0]        fast_hold,  // READY low: AW, W, AR
    output wire [0:0]        fast_wake   // changes when Python has something to fetch
);
    localparam CHECKERS = 7;
    wire [CHECKERS-1:0]    protocol_alive = inner.protocol_alive;
    wire [CHECKERS*16-1:0] protocol_count = inner.protocol_count;
    wire [CHECKERS*32-1:0] protocol_code = inner.protocol_code;

    `AXI4_WIRES(m_axi, AXI_DATA_W, AXI_ID_W)

    tb_hermon_cq #(
        .NUM_CQ_LOG(NUM_CQ_LOG),
        .NUM_EQ(NUM_EQ),
        .NUM_UAR_LOG(NUM_UAR_LOG),
        .TEST_HOOKS(TEST_HOOKS),
        .AXI_DATA_W(AXI_DATA_W),
        .AXI_ID_W(AXI_ID_W),
        .RESET_OUT(RESET_OUT)
    ) inner (
        .*
    );

    `FAST_MEMORY(m_axi, AXI_DATA_W, AXI_ID_W, 0, 0, 0, clk, rst_n)
endmodule

`default_nettype wire
