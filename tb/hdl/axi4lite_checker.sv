// Passive AXI4-Lite protocol checker for a slave port of a DUT.
// Interface of the results as in axi4_checker.sv; bits in tb/agents/protocol.py (CheckerKind.AXI4LITE).
`timescale 1ns / 1ps
`default_nettype none

module axi4lite_checker #(
    parameter ADDR_WIDTH = 32,
    parameter DATA_WIDTH = 32,
    parameter RESET_OUT  = 2
) (
    input  wire                    clk,
    input  wire                    resetn,
    input  wire [ADDR_WIDTH-1:0]   awaddr,
    input  wire                    awvalid,
    input  wire                    awready,
    input  wire [DATA_WIDTH-1:0]   wdata,
    input  wire [DATA_WIDTH/8-1:0] wstrb,
    input  wire                    wvalid,
    input  wire                    wready,
    input  wire [1:0]              bresp,
    input  wire                    bvalid,
    input  wire                    bready,
    input  wire [ADDR_WIDTH-1:0]   araddr,
    input  wire                    arvalid,
    input  wire                    arready,
    input  wire [DATA_WIDTH-1:0]   rdata,
    input  wire [1:0]              rresp,
    input  wire                    rvalid,
    input  wire                    rready,
    output reg                     alive,
    output reg  [15:0]             viol,
    output reg  [31:0]             viol_code
);
    localparam W_WIDTH = DATA_WIDTH + DATA_WIDTH / 8;

    /* verilator lint_off BLKSEQ */
    reg [31:0] hit;
    reg [7:0] reset_edges;
    reg told_reset, told_x;
    reg aw_waits, w_waits, b_waits, ar_waits, r_waits;
    reg [ADDR_WIDTH-1:0] aw_before, ar_before;
    reg [W_WIDTH-1:0] w_before;
    reg [1:0] b_before;
    reg [DATA_WIDTH+1:0] r_before;
    reg [7:0] addresses, words, reads;  // accepted and not answered

    task clear;
        begin
            aw_waits = 1'b0;
            w_waits = 1'b0;
            b_waits = 1'b0;
            ar_waits = 1'b0;
            r_waits = 1'b0;
            addresses = 8'd0;
            words = 8'd0;
            reads = 8'd0;
            told_x = 1'b0;
        end
    endtask

    task slave_side;
        begin
            if (b_waits && bvalid !== 1'b1) hit[0] = 1'b1;
            else if (b_waits && bresp !== b_before) hit[1] = 1'b1;
            if (r_waits && rvalid !== 1'b1) hit[2] = 1'b1;
            else if (r_waits && {rdata, rresp} !== r_before) hit[3] = 1'b1;
            if (bvalid === 1'b1 && !b_waits && (addresses == 8'd0 || words == 8'd0)) hit[4] = 1'b1;
            if (rvalid === 1'b1 && !r_waits && reads == 8'd0) hit[5] = 1'b1;
            if ((^{bvalid, rvalid, awready, wready, arready}) === 1'bx) begin
                if (!told_x) hit[7] = 1'b1;
                told_x = 1'b1;
            end else told_x = 1'b0;
            if (bvalid === 1'b1 && (^bresp) === 1'bx) hit[8] = 1'b1;
            if (rvalid === 1'b1 && (^rresp) === 1'bx) hit[8] = 1'b1;
            if (rvalid === 1'b1 && (^rdata) === 1'bx) hit[10] = 1'b1;
        end
    endtask

    task master_side;
        begin
            if (aw_waits && (awvalid !== 1'b1 || awaddr !== aw_before)) hit[9] = 1'b1;
            if (w_waits && (wvalid !== 1'b1 || {wdata, wstrb} !== w_before)) hit[9] = 1'b1;
            if (ar_waits && (arvalid !== 1'b1 || araddr !== ar_before)) hit[9] = 1'b1;
        end
    endtask

    task count;
        begin
            if (bvalid === 1'b1 && bready === 1'b1) begin
                if (addresses != 8'd0) addresses = addresses - 8'd1;
                if (words != 8'd0) words = words - 8'd1;
            end
            if (rvalid === 1'b1 && rready === 1'b1 && reads != 8'd0) reads = reads - 8'd1;
            if (awvalid === 1'b1 && awready === 1'b1) addresses = addresses + 8'd1;
            if (wvalid === 1'b1 && wready === 1'b1) words = words + 8'd1;
            if (arvalid === 1'b1 && arready === 1'b1) reads = reads + 8'd1;
        end
    endtask

    task remember;
        begin
            aw_waits = awvalid === 1'b1 && awready !== 1'b1;
            w_waits = wvalid === 1'b1 && wready !== 1'b1;
            b_waits = bvalid === 1'b1 && bready !== 1'b1;
            ar_waits = arvalid === 1'b1 && arready !== 1'b1;
            r_waits = rvalid === 1'b1 && rready !== 1'b1;
            aw_before = awaddr;
            w_before = {wdata, wstrb};
            b_before = bresp;
            ar_before = araddr;
            r_before = {rdata, rresp};
        end
    endtask

    initial begin
        viol = 16'd0;
        viol_code = 32'd0;
        hit = 32'd0;
        reset_edges = 8'd0;
        told_reset = 1'b0;
        clear;
        alive = 1'b1;
    end

    // True when every channel is at rest and known: then there is nothing to judge (speed on Icarus).
    wire rest = {awvalid, wvalid, arvalid, bvalid, rvalid} === 5'b0
                && (awready ^ wready ^ arready) !== 1'bx;

    always @(posedge clk) begin
        hit = 32'd0;
        if (resetn !== 1'b1) begin
            if (reset_edges != 8'hFF) reset_edges = reset_edges + 8'd1;
            if (reset_edges >= RESET_OUT && !told_reset && (bvalid === 1'b1 || rvalid === 1'b1)) begin
                hit[6] = 1'b1;
                told_reset = 1'b1;
            end
            clear;
        end else if (!rest || {aw_waits, w_waits, b_waits, ar_waits, r_waits, told_x} != 6'b0
                     || reset_edges != 8'd0) begin
            reset_edges = 8'd0;
            told_reset = 1'b0;
            slave_side;
            master_side;
            count;
            remember;
        end
        if (hit != 32'd0) begin
            viol_code <= hit;
            viol <= viol + 16'd1;
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
