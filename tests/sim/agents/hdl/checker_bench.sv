// One checker of each kind on wires that Python drives (both sides), for tests with broken protocols.
`timescale 1ns / 1ps
`default_nettype none

module checker_bench (
    input wire clk,
    input wire resetn,
    input wire [0:0] m_awid,
    input wire [0:0] m_arid,
    input wire [0:0] m_bid,
    input wire [0:0] m_rid,
    input wire [31:0] m_awaddr,
    input wire [31:0] m_araddr,
    input wire [7:0] m_awlen,
    input wire [7:0] m_arlen,
    input wire [2:0] m_awsize,
    input wire [2:0] m_arsize,
    input wire [2:0] m_awprot,
    input wire [2:0] m_arprot,
    input wire [1:0] m_awburst,
    input wire [1:0] m_arburst,
    input wire [1:0] m_bresp,
    input wire [1:0] m_rresp,
    input wire m_awlock,
    input wire m_arlock,
    input wire m_awvalid,
    input wire m_awready,
    input wire m_arvalid,
    input wire m_arready,
    input wire [3:0] m_awcache,
    input wire [3:0] m_arcache,
    input wire [63:0] m_wdata,
    input wire [63:0] m_rdata,
    input wire [7:0] m_wstrb,
    input wire m_wlast,
    input wire m_wvalid,
    input wire m_wready,
    input wire m_bvalid,
    input wire m_bready,
    input wire m_rlast,
    input wire m_rvalid,
    input wire m_rready,
    input wire [31:0] s_awaddr,
    input wire [31:0] s_araddr,
    input wire [31:0] s_wdata,
    input wire [31:0] s_rdata,
    input wire [3:0] s_wstrb,
    input wire [1:0] s_bresp,
    input wire [1:0] s_rresp,
    input wire s_awvalid,
    input wire s_awready,
    input wire s_wvalid,
    input wire s_wready,
    input wire s_bvalid,
    input wire s_bready,
    input wire s_arvalid,
    input wire s_arready,
    input wire s_rvalid,
    input wire s_rready,
    input wire [63:0] t_tdata,
    input wire [7:0] t_tkeep,
    input wire t_tlast,
    input wire t_tvalid,
    input wire t_tready,
    input wire pin,
    input wire f_valid,
    input wire f_ready,
    input wire f_first,
    input wire f_last,
    input wire [63:0] f_data,
    input wire [7:0] f_tail,
    input wire [3:0] f_words,
    input wire c_valid,
    input wire c_credit,
    input wire c_restore,
    input wire e_one,
    input wire e_other,
    input wire [1:0] l_awid,
    input wire [1:0] l_bid,
    input wire [1:0] l_arid,
    input wire [1:0] l_rid,
    input wire [7:0] l_awlen,
    input wire [7:0] l_arlen,
    input wire [2:0] l_awsize,
    input wire [2:0] l_arsize,
    input wire l_awvalid,
    input wire l_awready,
    input wire l_bvalid,
    input wire l_bready,
    input wire l_arvalid,
    input wire l_arready,
    input wire l_rlast,
    input wire l_rvalid,
    input wire l_rready
);
    wire [7:0] protocol_alive;
    wire [127:0] protocol_count;
    wire [255:0] protocol_code;

    axi4_checker #(.ADDR_WIDTH(32), .DATA_WIDTH(64), .ID_WIDTH(1), .DEPTH(4)) check_m (
        .clk(clk), .resetn(resetn),
        .awid(m_awid), .awaddr(m_awaddr), .awlen(m_awlen), .awsize(m_awsize), .awburst(m_awburst),
        .awlock(m_awlock), .awcache(m_awcache), .awprot(m_awprot), .awvalid(m_awvalid), .awready(m_awready),
        .wdata(m_wdata), .wstrb(m_wstrb), .wlast(m_wlast), .wvalid(m_wvalid), .wready(m_wready),
        .bvalid(m_bvalid), .bready(m_bready),
        .arid(m_arid), .araddr(m_araddr), .arlen(m_arlen), .arsize(m_arsize), .arburst(m_arburst),
        .arlock(m_arlock), .arcache(m_arcache), .arprot(m_arprot), .arvalid(m_arvalid), .arready(m_arready),
        .rid(m_rid), .rlast(m_rlast), .rvalid(m_rvalid), .rready(m_rready),
        .alive(protocol_alive[0]), .viol(protocol_count[15:0]), .viol_code(protocol_code[31:0])
    );
    axi4lite_checker check_s (
        .clk(clk), .resetn(resetn),
        .awaddr(s_awaddr), .awvalid(s_awvalid), .awready(s_awready),
        .wdata(s_wdata), .wstrb(s_wstrb), .wvalid(s_wvalid), .wready(s_wready),
        .bresp(s_bresp), .bvalid(s_bvalid), .bready(s_bready),
        .araddr(s_araddr), .arvalid(s_arvalid), .arready(s_arready),
        .rdata(s_rdata), .rresp(s_rresp), .rvalid(s_rvalid), .rready(s_rready),
        .alive(protocol_alive[1]), .viol(protocol_count[31:16]), .viol_code(protocol_code[63:32])
    );
    axis_checker #(.DATA_WIDTH(64)) check_t (
        .clk(clk), .resetn(resetn),
        .tdata(t_tdata), .tkeep(t_tkeep), .tlast(t_tlast), .tvalid(t_tvalid), .tready(t_tready),
        .alive(protocol_alive[2]), .viol(protocol_count[47:32]), .viol_code(protocol_code[95:64])
    );
    pin_checker check_pin (
        .clk(clk), .resetn(resetn), .pin(pin),
        .alive(protocol_alive[3]), .viol(protocol_count[63:48]), .viol_code(protocol_code[127:96])
    );
    framed_checker #(.DATA_WIDTH(64), .WORDS(4)) check_f (
        .clk(clk), .resetn(resetn), .valid(f_valid), .ready(f_ready), .first(f_first), .last(f_last),
        .data(f_data), .tail(f_tail), .words(f_words),
        .alive(protocol_alive[4]), .viol(protocol_count[79:64]), .viol_code(protocol_code[159:128])
    );
    credit_checker #(.INITIAL(2)) check_c (
        .clk(clk), .resetn(resetn), .per_frame(1'b0), .valid(c_valid), .first(1'b1),
        .credit(c_credit), .restore(c_restore),
        .alive(protocol_alive[5]), .viol(protocol_count[95:80]), .viol_code(protocol_code[191:160])
    );
    exclusive_checker check_e (
        .clk(clk), .resetn(resetn), .one(e_one), .other(e_other),
        .alive(protocol_alive[6]), .viol(protocol_count[111:96]), .viol_code(protocol_code[223:192])
    );
    axi4_limits #(
        .ID_WIDTH(2), .MAX_AWLEN(8'd3), .MAX_ARLEN(8'd1), .AWSIZES(8'b1000), .ARSIZES(8'b1000)
    ) check_l (
        .clk(clk), .resetn(resetn),
        .awid(l_awid), .awlen(l_awlen), .awsize(l_awsize), .awvalid(l_awvalid), .awready(l_awready),
        .bid(l_bid), .bvalid(l_bvalid), .bready(l_bready),
        .arid(l_arid), .arlen(l_arlen), .arsize(l_arsize), .arvalid(l_arvalid), .arready(l_arready),
        .rid(l_rid), .rlast(l_rlast), .rvalid(l_rvalid), .rready(l_rready),
        .alive(protocol_alive[7]), .viol(protocol_count[127:112]), .viol_code(protocol_code[255:224])
    );
endmodule

`default_nettype wire
