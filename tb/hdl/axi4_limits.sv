// Passive checker for what a target allows an AXI4 master beyond the rules of the bus: burst lengths, sizes, and ids
// that are not used again before their answer. Rules of the bus itself: axi4_checker.sv.
// Interface of the results as in axi4_checker.sv; bits in tb/agents/protocol.py (CheckerKind.AXI4_LIMITS).
`timescale 1ns / 1ps
`default_nettype none

module axi4_limits #(
    parameter ID_WIDTH = 7,
    parameter [7:0] MAX_AWLEN = 8'd0,
    parameter [7:0] MAX_ARLEN = 8'd0,
    parameter [7:0] AWSIZES   = 8'hFF,  // bit n: AxSIZE n is allowed
    parameter [7:0] ARSIZES   = 8'hFF,
    parameter UNIQUE_IDS = 1            // 0: an id may be used again before its answer
) (
    input  wire                clk,
    input  wire                resetn,
    input  wire [ID_WIDTH-1:0] awid,
    input  wire [7:0]          awlen,
    input  wire [2:0]          awsize,
    input  wire                awvalid,
    input  wire                awready,
    input  wire [ID_WIDTH-1:0] bid,
    input  wire                bvalid,
    input  wire                bready,
    input  wire [ID_WIDTH-1:0] arid,
    input  wire [7:0]          arlen,
    input  wire [2:0]          arsize,
    input  wire                arvalid,
    input  wire                arready,
    input  wire [ID_WIDTH-1:0] rid,
    input  wire                rlast,
    input  wire                rvalid,
    input  wire                rready,
    output reg                 alive,
    output reg  [15:0]         viol,
    output reg  [31:0]         viol_code
);
    localparam IDS = 1 << ID_WIDTH;

    /* verilator lint_off BLKSEQ */
    reg [31:0] hit;
    reg [IDS-1:0] writing, reading;

    // True when nothing moves that counts here (speed on Icarus).
    wire rest = {awvalid, bvalid, arvalid, rvalid} === 4'b0;

    initial begin
        viol = 16'd0;
        viol_code = 32'd0;
        writing = {IDS{1'b0}};
        reading = {IDS{1'b0}};
        alive = 1'b1;
    end

    always @(posedge clk) begin
        hit = 32'd0;
        if (resetn !== 1'b1) begin
            writing = {IDS{1'b0}};
            reading = {IDS{1'b0}};
        end else if (!rest) begin
            if (bvalid === 1'b1 && bready === 1'b1) writing[bid] = 1'b0;  // first: the id is free at this edge
            if (rvalid === 1'b1 && rready === 1'b1 && rlast === 1'b1) reading[rid] = 1'b0;
            if (awvalid === 1'b1 && awready === 1'b1) begin
                if (awlen > MAX_AWLEN) hit[0] = 1'b1;
                if (!AWSIZES[awsize]) hit[2] = 1'b1;
                if (UNIQUE_IDS != 0 && writing[awid]) hit[4] = 1'b1;
                writing[awid] = 1'b1;
            end
            if (arvalid === 1'b1 && arready === 1'b1) begin
                if (arlen > MAX_ARLEN) hit[1] = 1'b1;
                if (!ARSIZES[arsize]) hit[3] = 1'b1;
                if (UNIQUE_IDS != 0 && reading[arid]) hit[5] = 1'b1;
                reading[arid] = 1'b1;
            end
        end
        if (hit != 32'd0) begin
            viol_code <= hit;
            viol <= viol + 16'd1;
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
