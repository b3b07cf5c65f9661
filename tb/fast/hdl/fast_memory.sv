// AXI4 memory behind one master of a DUT, served by the C engine: one call per accepted address or data beat and
// one per clock while responses wait. `hold` keeps READY of AW [0], W [1], AR [2] low.
`timescale 1ps / 1ps
`default_nettype none
`include "fast_calls.svh"

module fast_memory #(
    parameter PORT       = 0,
    parameter DATA_WIDTH = 512,
    parameter ADDR_WIDTH = 64,
    parameter ID_WIDTH   = 1
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [ID_WIDTH-1:0]     awid,
    input  wire [ADDR_WIDTH-1:0]   awaddr,
    input  wire [7:0]              awlen,
    input  wire [2:0]              awsize,
    input  wire [1:0]              awburst,
    input  wire                    awvalid,
    output wire                    awready,
    input  wire [DATA_WIDTH-1:0]   wdata,
    input  wire [DATA_WIDTH/8-1:0] wstrb,
    input  wire                    wlast,
    input  wire                    wvalid,
    output wire                    wready,
    output wire [ID_WIDTH-1:0]     bid,
    output wire [1:0]              bresp,
    output wire                    bvalid,
    input  wire                    bready,
    input  wire [ID_WIDTH-1:0]     arid,
    input  wire [ADDR_WIDTH-1:0]   araddr,
    input  wire [7:0]              arlen,
    input  wire [2:0]              arsize,
    input  wire [1:0]              arburst,
    input  wire                    arvalid,
    output wire                    arready,
    output wire [ID_WIDTH-1:0]     rid,
    output wire [DATA_WIDTH-1:0]   rdata,
    output wire [1:0]              rresp,
    output wire                    rlast,
    output wire                    rvalid,
    input  wire                    rready,
    input  wire [2:0]              hold,
    output reg                     wake
);
    localparam AW = 0, W = 1, AR = 2;

    /* verilator lint_off BLKSEQ */
    /* verilator lint_off WIDTH */
    reg [2:0] open = 3'b000, waits = 3'b000;
    reg drawn = 1'b0, told = 1'b0;
    integer rest = 0;  // edges until the engine has to be asked for responses
    integer aw_stall = 0, w_stall = 0, ar_stall = 0;
    reg b_on = 1'b0, r_on = 1'b0;
    reg b_free, r_free, b_next = 1'b0, r_next = 1'b0, r_end = 1'b0;
    integer b_gap = 0, r_gap = 0, b_more = 0, r_more = 0, b_id = 0, b_code = 0, r_id = 0, r_code = 0;
    reg [ID_WIDTH-1:0] bid_q, rid_q;
    reg [1:0] bresp_q, rresp_q;
    reg [DATA_WIDTH-1:0] rdata_q;
    reg rlast_q;
    reg [`FAST_BITS-1:0] data, r_word = {`FAST_BITS{1'b0}};
    reg [`FAST_BITS/8-1:0] strobe;

    initial if (DATA_WIDTH > `FAST_BITS) $fatal(1, "DATA_WIDTH %0d is above FAST_BITS", DATA_WIDTH);

    initial begin
        wake = 1'b0;
        bid_q = {ID_WIDTH{1'b0}};
        bresp_q = 2'd0;
        rid_q = {ID_WIDTH{1'b0}};
        rdata_q = {DATA_WIDTH{1'b0}};
        rresp_q = 2'd0;
        rlast_q = 1'b0;
    end

`ifdef VERILATOR
    assign {bid, bresp} = {bid_q, bresp_q};
    assign {rid, rdata, rresp, rlast} = {rid_q, rdata_q, rresp_q, rlast_q};
`else
    // Between responses the payload is X: a DUT that looks at it without VALID shows.
    assign {bid, bresp} = bvalid ? {bid_q, bresp_q} : {ID_WIDTH + 2{1'bx}};
    assign {rid, rdata, rresp, rlast} =
        rvalid ? {rid_q, rdata_q, rresp_q, rlast_q} : {ID_WIDTH + DATA_WIDTH + 3{1'bx}};
`endif

    assign awready = open[AW] && !rst && !hold[AW];
    assign wready = open[W] && !rst && !hold[W];
    assign arready = open[AR] && !rst && !hold[AR];
    assign bvalid = b_on && !rst;
    assign rvalid = r_on && !rst;

    // A beat that is offered and not accepted: its first edge is told, its stall runs down.
    task waiting(input integer channel, inout integer stall);
        begin
            if (!waits[channel]) `FAST(offered)(PORT, channel, $time);
            waits[channel] = 1'b1;
            if (stall != 0) begin
                stall = stall - 1;
                open[channel] <= stall == 0;
            end
        end
    endtask

    task accepted(input integer channel, input integer stall, input complete);
        begin
            waits[channel] = 1'b0;
            open[channel] <= stall == 0;
            if (complete) rest = 1;
        end
    endtask

    task answer;
        begin
            b_free = !b_on || bready === 1'b1;
            r_free = !r_on || rready === 1'b1;
            if (b_free && b_gap != 0) b_gap = b_gap - 1;
            if (r_free && r_gap != 0) r_gap = r_gap - 1;
            if (b_free && b_gap != 0) b_on <= 1'b0;
            if (r_free && r_gap != 0) r_on <= 1'b0;
            b_free = b_free && b_gap == 0;
            r_free = r_free && r_gap == 0;
            `FAST(memory_step)(PORT, $time, b_free, r_free, b_next, b_more, b_id, b_code, r_next, r_more,
                               r_id, r_code, r_end, r_word, rest, told);
            if (b_free) b_gap = b_more;
            if (r_free) r_gap = r_more;
            if (told) wake <= !wake;
            if (b_free) begin
                b_on <= b_next;
                if (b_next) begin
                    bid_q <= b_id;
                    bresp_q <= b_code;
                end
            end
            if (r_free) begin
                r_on <= r_next;
                if (r_next) begin
                    rid_q <= r_id;
                    rdata_q <= r_word[DATA_WIDTH-1:0];
                    rresp_q <= r_code;
                    rlast_q <= r_end;
                end
            end
        end
    endtask

    always @(posedge clk) begin
        if (rst !== 1'b0) begin
            if (!drawn) begin
                `FAST(first_stall)(PORT, AW, $time, aw_stall);
                `FAST(first_stall)(PORT, W, $time, w_stall);
                `FAST(first_stall)(PORT, AR, $time, ar_stall);
                open <= {ar_stall == 0, w_stall == 0, aw_stall == 0};
                drawn = 1'b1;
            end
            waits = 3'b000;
            rest = 32'h4000_0000;
            b_gap = 0;
            r_gap = 0;
            b_on <= 1'b0;
            r_on <= 1'b0;
        end else begin
            drawn = 1'b0;
            if (awvalid === 1'b1) begin
                if (awready) begin
                    `FAST(memory_address)(PORT, AW, $time, awid, awaddr, awlen, awsize, awburst, aw_stall);
                    accepted(AW, aw_stall, 1'b1);
                end else waiting(AW, aw_stall);
            end
            if (wvalid === 1'b1) begin
                if (wready) begin
                    data = wdata;
                    strobe = wstrb;
                    `FAST(memory_data)(PORT, $time, data, strobe, wlast, w_stall);
                    accepted(W, w_stall, wlast !== 1'b0);
                end else waiting(W, w_stall);
            end
            if (arvalid === 1'b1) begin
                if (arready) begin
                    `FAST(memory_address)(PORT, AR, $time, arid, araddr, arlen, arsize, arburst, ar_stall);
                    accepted(AR, ar_stall, 1'b1);
                end else waiting(AR, ar_stall);
            end
            if (rest <= 1) answer;
            else if (rest != 32'h4000_0000) rest = rest - 1;
        end
    end
    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
