// Port lists, connections and checkers of AXI4 masters, so that a DUT top with many of them stays readable.
// `p` is the prefix of the pins. Directions are those of the DUT (master).
`ifndef AXI4_MACROS_SVH
`define AXI4_MACROS_SVH

`define AXI4_MASTER_PORTS(p) \
    output wire                  p``_awid, \
    output wire [ADDR_WIDTH-1:0] p``_awaddr, \
    output wire [7:0]            p``_awlen, \
    output wire [2:0]            p``_awsize, \
    output wire [1:0]            p``_awburst, \
    output wire                  p``_awlock, \
    output wire [3:0]            p``_awcache, \
    output wire [2:0]            p``_awprot, \
    output wire                  p``_awvalid, \
    input  wire                  p``_awready, \
    output wire [511:0]          p``_wdata, \
    output wire [63:0]           p``_wstrb, \
    output wire                  p``_wlast, \
    output wire                  p``_wvalid, \
    input  wire                  p``_wready, \
    input  wire                  p``_bid, \
    input  wire [1:0]            p``_bresp, \
    input  wire                  p``_bvalid, \
    output wire                  p``_bready, \
    output wire                  p``_arid, \
    output wire [ADDR_WIDTH-1:0] p``_araddr, \
    output wire [7:0]            p``_arlen, \
    output wire [2:0]            p``_arsize, \
    output wire [1:0]            p``_arburst, \
    output wire                  p``_arlock, \
    output wire [3:0]            p``_arcache, \
    output wire [2:0]            p``_arprot, \
    output wire                  p``_arvalid, \
    input  wire                  p``_arready, \
    input  wire                  p``_rid, \
    input  wire [511:0]          p``_rdata, \
    input  wire [1:0]            p``_rresp, \
    input  wire                  p``_rlast, \
    input  wire                  p``_rvalid, \
    output wire                  p``_rready

// Checker number n of the vectors protocol_alive, protocol_count and protocol_code.
`define CHECKER_RESULT(n) \
    .alive(protocol_alive[n]), .viol(protocol_count[(n)*16+:16]), .viol_code(protocol_code[(n)*32+:32])

`define AXI4_MASTER_CHECKER(p, n, clock, reset_n) \
    axi4_checker #( \
        .ADDR_WIDTH(ADDR_WIDTH), .DATA_WIDTH(512), .ID_WIDTH(1), .RESET_OUT(RESET_OUT) \
    ) check_``p ( \
        .clk(clock), .resetn(reset_n), \
        .awid(p``_awid), .awaddr(p``_awaddr), .awlen(p``_awlen), .awsize(p``_awsize), .awburst(p``_awburst), \
        .awlock(p``_awlock), .awcache(p``_awcache), .awprot(p``_awprot), \
        .awvalid(p``_awvalid), .awready(p``_awready), \
        .wdata(p``_wdata), .wstrb(p``_wstrb), .wlast(p``_wlast), .wvalid(p``_wvalid), .wready(p``_wready), \
        .bvalid(p``_bvalid), .bready(p``_bready), \
        .arid(p``_arid), .araddr(p``_araddr), .arlen(p``_arlen), .arsize(p``_arsize), .arburst(p``_arburst), \
        .arlock(p``_arlock), .arcache(p``_arcache), .arprot(p``_arprot), \
        .arvalid(p``_arvalid), .arready(p``_arready), \
        .rid(p``_rid), .rlast(p``_rlast), .rvalid(p``_rvalid), .rready(p``_rready), \
        `CHECKER_RESULT(n) \
    );

// Port list of an AXI4-Lite slave.
`define LITE_PORTS(p, address, data) \
    input  wire [(address)-1:0] p``_awaddr, \
    input  wire                 p``_awvalid, \
    output wire                 p``_awready, \
    input  wire [(data)-1:0]    p``_wdata, \
    input  wire [(data)/8-1:0]  p``_wstrb, \
    input  wire                 p``_wvalid, \
    output wire                 p``_wready, \
    output wire [1:0]           p``_bresp, \
    output wire                 p``_bvalid, \
    input  wire                 p``_bready, \
    input  wire [(address)-1:0] p``_araddr, \
    input  wire                 p``_arvalid, \
    output wire                 p``_arready, \
    output wire [(data)-1:0]    p``_rdata, \
    output wire [1:0]           p``_rresp, \
    output wire                 p``_rvalid, \
    input  wire                 p``_rready

// Wires of an AXI4 master; below the memory of the C engine behind it (port number n of the engine, hold bits from
// 3 * m on, wake bit w).
`define AXI4_WIRES(p, bits, id_bits) \
    wire [(id_bits)-1:0]  p``_awid; \
    wire [ADDR_WIDTH-1:0] p``_awaddr; \
    wire [7:0]            p``_awlen; \
    wire [2:0]            p``_awsize; \
    wire [1:0]            p``_awburst; \
    wire                  p``_awvalid; \
    wire                  p``_awready; \
    wire [(bits)-1:0]     p``_wdata; \
    wire [(bits)/8-1:0]   p``_wstrb; \
    wire                  p``_wlast; \
    wire                  p``_wvalid; \
    wire                  p``_wready; \
    wire [(id_bits)-1:0]  p``_bid; \
    wire [1:0]            p``_bresp; \
    wire                  p``_bvalid; \
    wire                  p``_bready; \
    wire [(id_bits)-1:0]  p``_arid; \
    wire [ADDR_WIDTH-1:0] p``_araddr; \
    wire [7:0]            p``_arlen; \
    wire [2:0]            p``_arsize; \
    wire [1:0]            p``_arburst; \
    wire                  p``_arvalid; \
    wire                  p``_arready; \
    wire [(id_bits)-1:0]  p``_rid; \
    wire [(bits)-1:0]     p``_rdata; \
    wire [1:0]            p``_rresp; \
    wire                  p``_rlast; \
    wire                  p``_rvalid; \
    wire                  p``_rready;

`define AXI4_MASTER_WIRES(p) \
    `AXI4_WIRES(p, 512, 1) \
    wire       p``_awlock, p``_arlock; \
    wire [3:0] p``_awcache, p``_arcache; \
    wire [2:0] p``_awprot, p``_arprot;

`define FAST_MEMORY(p, bits, id_bits, n, m, w, clock, reset_n) \
    fast_memory #( \
        .PORT(n), .DATA_WIDTH(bits), .ADDR_WIDTH(ADDR_WIDTH), .ID_WIDTH(id_bits) \
    ) fast_``p ( \
        .clk(clock), .rst(!(reset_n)), \
        .awid(p``_awid), .awaddr(p``_awaddr), .awlen(p``_awlen), .awsize(p``_awsize), .awburst(p``_awburst), \
        .awvalid(p``_awvalid), .awready(p``_awready), \
        .wdata(p``_wdata), .wstrb(p``_wstrb), .wlast(p``_wlast), .wvalid(p``_wvalid), .wready(p``_wready), \
        .bid(p``_bid), .bresp(p``_bresp), .bvalid(p``_bvalid), .bready(p``_bready), \
        .arid(p``_arid), .araddr(p``_araddr), .arlen(p``_arlen), .arsize(p``_arsize), .arburst(p``_arburst), \
        .arvalid(p``_arvalid), .arready(p``_arready), \
        .rid(p``_rid), .rdata(p``_rdata), .rresp(p``_rresp), .rlast(p``_rlast), .rvalid(p``_rvalid), \
        .rready(p``_rready), \
        .hold(fast_hold[3*(m)+:3]), .wake(fast_wake[w]) \
    );

// Streams of the C engine: source n (with its monitor n + 1), sink n; no words beside the frames.
`define NO_WORDS {`FAST_WORDS{1'b0}}
`define STREAM_WIRES(p) \
    wire [511:0] p``_tdata; \
    wire [63:0]  p``_tkeep; \
    wire         p``_tlast; \
    wire         p``_tuser; \
    wire         p``_tvalid; \
    wire         p``_tready;

`define FAST_INPUT(p, n, monitor, has_ready, w, clock, reset) \
    fast_source #(.PORT(n), .DATA_WIDTH(512), .HAS_READY(has_ready)) fast_``p ( \
        .clk(clock), .rst(reset), \
        .tdata(p``_tdata), .tkeep(p``_tkeep), .tlast(p``_tlast), .tuser(p``_tuser), \
        .tvalid(p``_tvalid), .tready(p``_tready), .words(), .restart() \
    ); \
    fast_sink #(.PORT(monitor), .DATA_WIDTH(512), .ACTIVE(0)) watch_``p ( \
        .clk(clock), .rst(reset), \
        .tdata(p``_tdata), .tkeep(p``_tkeep), .tlast(p``_tlast), .tuser(p``_tuser), \
        .tvalid(p``_tvalid), .tready(p``_tready), .words(`NO_WORDS), .restart(1'b0), \
        .hold(1'b0), .ready(), .wake(fast_wake[w]) \
    );

`define FAST_OUTPUT(p, n, h, w, clock, reset) \
    assign p``_tuser = 1'b1; \
    fast_sink #(.PORT(n), .DATA_WIDTH(512), .ACTIVE(1)) fast_``p ( \
        .clk(clock), .rst(reset), \
        .tdata(p``_tdata), .tkeep(p``_tkeep), .tlast(p``_tlast), .tuser(p``_tuser), \
        .tvalid(p``_tvalid), .tready(p``_tready), .words(`NO_WORDS), .restart(1'b0), \
        .hold(fast_hold[h]), .ready(p``_tready), .wake(fast_wake[w]) \
    );

`endif
