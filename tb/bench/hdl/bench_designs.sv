// Designs of the simulator benchmarks: a stream loop-back, an AXI4 master that writes and reads 4 KB bursts for ever,
// an AXI4-Lite RAM; each bare for Python transactors, and with the transactors of the C engine around it.
`timescale 1ns / 1ps
`default_nettype none

module bench_loop (
    input  wire         clk,
    input  wire         rst,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tlast,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output reg  [511:0] m_axis_tdata,
    output reg  [63:0]  m_axis_tkeep,
    output reg          m_axis_tlast,
    output reg          m_axis_tvalid,
    input  wire         m_axis_tready
);
    assign s_axis_tready = !rst && (!m_axis_tvalid || m_axis_tready);
    initial m_axis_tvalid = 1'b0;
    always @(posedge clk)
        if (rst) m_axis_tvalid <= 1'b0;
        else if (s_axis_tready) begin
            m_axis_tvalid <= s_axis_tvalid;
            m_axis_tdata <= s_axis_tdata;
            m_axis_tkeep <= s_axis_tkeep;
            m_axis_tlast <= s_axis_tlast;
        end
endmodule

module bench_loop_fast (
    input  wire clk,
    input  wire rst,
    output wire fast_wake
);
    wire [511:0] i_data, o_data;
    wire [63:0] i_keep, o_keep;
    wire i_last, o_last, i_valid, o_valid, i_ready, o_ready;

    fast_source #(.PORT(0), .DATA_WIDTH(512), .HAS_READY(1)) source (
        .clk(clk), .rst(rst), .tdata(i_data), .tkeep(i_keep), .tlast(i_last), .tuser(), .tvalid(i_valid),
        .tready(i_ready), .words(), .restart()
    );
    bench_loop loop (
        .clk(clk), .rst(rst),
        .s_axis_tdata(i_data), .s_axis_tkeep(i_keep), .s_axis_tlast(i_last), .s_axis_tvalid(i_valid),
        .s_axis_tready(i_ready),
        .m_axis_tdata(o_data), .m_axis_tkeep(o_keep), .m_axis_tlast(o_last), .m_axis_tvalid(o_valid),
        .m_axis_tready(o_ready)
    );
    fast_sink #(.PORT(1), .DATA_WIDTH(512), .ACTIVE(1)) sink (
        .clk(clk), .rst(rst), .tdata(o_data), .tkeep(o_keep), .tlast(o_last), .tuser(1'b1), .tvalid(o_valid),
        .tready(o_ready), .words(256'd0), .restart(1'b0), .hold(1'b0), .ready(o_ready), .wake(fast_wake)
    );
endmodule

module bench_axi (
    input  wire         clk,
    input  wire         rst,
    output reg  [31:0]  bursts,        // finished, both directions
    output wire         m_axi_awid,
    output reg  [63:0]  m_axi_awaddr,
    output wire [7:0]   m_axi_awlen,
    output wire [2:0]   m_axi_awsize,
    output wire [1:0]   m_axi_awburst,
    output reg          m_axi_awvalid,
    input  wire         m_axi_awready,
    output wire [511:0] m_axi_wdata,
    output wire [63:0]  m_axi_wstrb,
    output wire         m_axi_wlast,
    output reg          m_axi_wvalid,
    input  wire         m_axi_wready,
    input  wire         m_axi_bid,
    input  wire [1:0]   m_axi_bresp,
    input  wire         m_axi_bvalid,
    output wire         m_axi_bready,
    output wire         m_axi_arid,
    output reg  [63:0]  m_axi_araddr,
    output wire [7:0]   m_axi_arlen,
    output wire [2:0]   m_axi_arsize,
    output wire [1:0]   m_axi_arburst,
    output reg          m_axi_arvalid,
    input  wire         m_axi_arready,
    input  wire         m_axi_rid,
    input  wire [511:0] m_axi_rdata,
    input  wire [1:0]   m_axi_rresp,
    input  wire         m_axi_rlast,
    input  wire         m_axi_rvalid,
    output wire         m_axi_rready
);
    reg [7:0] beat;
    reg writing, started;

    assign m_axi_awid = 1'b0;
    assign m_axi_arid = 1'b0;
    assign {m_axi_awlen, m_axi_arlen} = {8'd63, 8'd63};
    assign {m_axi_awsize, m_axi_arsize} = {3'd6, 3'd6};
    assign {m_axi_awburst, m_axi_arburst} = {2'd1, 2'd1};
    assign m_axi_wdata = {8{bursts, 24'd0, beat}};
    assign m_axi_wstrb = {64{1'b1}};
    assign m_axi_wlast = beat == 8'd63;
    assign m_axi_bready = 1'b1;
    assign m_axi_rready = 1'b1;

    initial begin
        bursts = 32'd0;
        {m_axi_awvalid, m_axi_wvalid, m_axi_arvalid, writing, started} = 5'd0;
        {m_axi_awaddr, m_axi_araddr} = 128'd0;
        beat = 8'd0;
    end

    always @(posedge clk)
        if (rst) begin
            {m_axi_awvalid, m_axi_wvalid, m_axi_arvalid, started} <= 4'd0;
            writing <= 1'b1;
            beat <= 8'd0;
        end else begin
            if (!started) begin
                started <= 1'b1;
                if (writing) begin
                    m_axi_awvalid <= 1'b1;
                    m_axi_wvalid <= 1'b1;
                end else m_axi_arvalid <= 1'b1;
            end
            if (m_axi_awvalid && m_axi_awready) m_axi_awvalid <= 1'b0;
            if (m_axi_arvalid && m_axi_arready) m_axi_arvalid <= 1'b0;
            if (m_axi_wvalid && m_axi_wready) begin
                beat <= m_axi_wlast ? 8'd0 : beat + 8'd1;
                if (m_axi_wlast) m_axi_wvalid <= 1'b0;
            end
            if (m_axi_bvalid || (m_axi_rvalid && m_axi_rlast)) begin
                bursts <= bursts + 32'd1;
                writing <= !writing;
                started <= 1'b0;
            end
        end
endmodule

module bench_axi_fast (
    input  wire clk,
    input  wire rst,
    output wire [31:0] bursts,
    output wire fast_wake
);
    wire awid, arid, awvalid, awready, wlast, wvalid, wready, bid, bvalid, bready, arvalid, arready, rid, rlast, rvalid;
    wire rready;
    wire [63:0] awaddr, araddr, wstrb;
    wire [7:0] awlen, arlen;
    wire [2:0] awsize, arsize;
    wire [1:0] awburst, arburst, bresp, rresp;
    wire [511:0] wdata, rdata;

    bench_axi master (
        .clk(clk), .rst(rst), .bursts(bursts),
        .m_axi_awid(awid), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize),
        .m_axi_awburst(awburst), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
        .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_bid(bid), .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
        .m_axi_arid(arid), .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize),
        .m_axi_arburst(arburst), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
        .m_axi_rid(rid), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid),
        .m_axi_rready(rready)
    );
    fast_memory #(.PORT(2), .DATA_WIDTH(512), .ADDR_WIDTH(64), .ID_WIDTH(1)) memory (
        .clk(clk), .rst(rst), .hold(3'b000), .wake(fast_wake), .*
    );
endmodule

module bench_lite (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axil_awaddr,
    input  wire [2:0]  s_axil_awprot,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output reg         s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [31:0] s_axil_araddr,
    input  wire [2:0]  s_axil_arprot,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output reg  [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output reg         s_axil_rvalid,
    input  wire        s_axil_rready
);
    assign s_axil_bresp = 2'd0;
    assign s_axil_rresp = 2'd0;
    assign s_axil_awready = !rst && s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
    assign s_axil_wready = s_axil_awready;
    assign s_axil_arready = !rst && !s_axil_rvalid;
    initial {s_axil_bvalid, s_axil_rvalid, s_axil_rdata} = 34'd0;
    always @(posedge clk)
        if (rst) {s_axil_bvalid, s_axil_rvalid} <= 2'd0;
        else begin
            if (s_axil_awready) s_axil_bvalid <= 1'b1;
            else if (s_axil_bready) s_axil_bvalid <= 1'b0;
            if (s_axil_arvalid && s_axil_arready) begin
                s_axil_rvalid <= 1'b1;
                s_axil_rdata <= s_axil_araddr;
            end else if (s_axil_rready) s_axil_rvalid <= 1'b0;
        end
endmodule

`default_nettype wire
