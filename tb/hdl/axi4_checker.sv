// Passive AXI4 protocol checker for one master port of a DUT (plain Verilog style: both simulators).
//
// Bits of viol_code are listed in tb/agents/protocol.py (CheckerKind.AXI4). viol counts the edges with at
// least one violation; viol_code is the set found at the last of them. It is written first, so that whoever
// wakes on viol reads the code that belongs to it. alive becomes 1 at time 0.
//
// Strobes of data beats that go ahead of their address are not judged here: their lanes are not yet known.
`timescale 1ns / 1ps
`default_nettype none

module axi4_checker #(
    parameter ADDR_WIDTH = 64,
    parameter DATA_WIDTH = 512,
    parameter ID_WIDTH   = 1,
    parameter DEPTH      = 64,  // bursts under way that can be followed, a power of two
    parameter RESET_OUT  = 2    // first edge in reset at which VALID must be 0
) (
    input  wire                    clk,
    input  wire                    resetn,
    input  wire [ID_WIDTH-1:0]     awid,
    input  wire [ADDR_WIDTH-1:0]   awaddr,
    input  wire [7:0]              awlen,
    input  wire [2:0]              awsize,
    input  wire [1:0]              awburst,
    input  wire                    awlock,
    input  wire [3:0]              awcache,
    input  wire [2:0]              awprot,
    input  wire                    awvalid,
    input  wire                    awready,
    input  wire [DATA_WIDTH-1:0]   wdata,
    input  wire [DATA_WIDTH/8-1:0] wstrb,
    input  wire                    wlast,
    input  wire                    wvalid,
    input  wire                    wready,
    input  wire                    bvalid,
    input  wire                    bready,
    input  wire [ID_WIDTH-1:0]     arid,
    input  wire [ADDR_WIDTH-1:0]   araddr,
    input  wire [7:0]              arlen,
    input  wire [2:0]              arsize,
    input  wire [1:0]              arburst,
    input  wire                    arlock,
    input  wire [3:0]              arcache,
    input  wire [2:0]              arprot,
    input  wire                    arvalid,
    input  wire                    arready,
    input  wire [ID_WIDTH-1:0]     rid,
    input  wire                    rlast,
    input  wire                    rvalid,
    input  wire                    rready,
    output reg                     alive,
    output reg  [15:0]             viol,
    output reg  [31:0]             viol_code
);
    localparam BYTES = DATA_WIDTH / 8;
    localparam LANE_BITS = $clog2(BYTES);
    localparam PTR = $clog2(DEPTH);
    localparam IDS = 1 << ID_WIDTH;
    localparam AX_WIDTH = ID_WIDTH + ADDR_WIDTH + 8 + 3 + 2 + 1 + 4 + 3;
    localparam [1:0] INCR = 2'b01;

    wire [AX_WIDTH-1:0] aw = {awid, awaddr, awlen, awsize, awburst, awlock, awcache, awprot};
    wire [AX_WIDTH-1:0] ar = {arid, araddr, arlen, arsize, arburst, arlock, arcache, arprot};
    wire [DATA_WIDTH+BYTES:0] w = {wdata, wstrb, wlast};

    // The variables below are used in this one block only, so blocking assignments are safe.
    /* verilator lint_off BLKSEQ */
    /* verilator lint_off WIDTH */
    reg [31:0] hit;
    reg [7:0] reset_edges;
    reg told_reset, told_x;
    reg aw_waits, w_waits, ar_waits;
    reg [AX_WIDTH-1:0] aw_before, ar_before;
    reg [DATA_WIDTH+BYTES:0] w_before;

    reg [11:0] q_addr[0:DEPTH-1];  // accepted addresses whose data is not complete
    reg [7:0] q_len[0:DEPTH-1];
    reg [2:0] q_size[0:DEPTH-1];
    reg [PTR:0] q_in, q_out;
    reg [8:0] ahead[0:DEPTH-1];    // beats of complete data bursts that went ahead of their address
    reg [PTR:0] ahead_in, ahead_out;
    reg [8:0] beat;
    reg [15:0] answerable;         // complete write bursts without response

    reg [7:0] r_len[0:IDS*DEPTH-1];
    reg [PTR:0] r_in[0:IDS-1];
    reg [PTR:0] r_out[0:IDS-1];
    reg [8:0] r_beat[0:IDS-1];
    integer i;

    function automatic crosses(input [11:0] addr, input [7:0] len, input [2:0] size);
        reg [12:0] aligned;
        reg [15:0] stop;
        begin
            aligned = {1'b0, (addr >> size) << size};
            stop = {3'b0, aligned} + (({8'b0, len} + 16'd1) << size);
            crosses = stop > 16'd4096;
        end
    endfunction

    // Lanes a beat may strobe: from its address (first beat) or the aligned one to the end of the transfer.
    function automatic [BYTES-1:0] lanes(input [11:0] addr, input [2:0] size, input [8:0] index);
        reg [11:0] at;
        reg [11:0] from;
        reg [BYTES-1:0] ones;
        begin
            at = ((addr >> size) << size) + ({3'b0, index} << size);
            from = (index == 0) ? addr : at;
            ones = {BYTES{1'b1}};
            lanes = (ones >> (BYTES - (1 << size))) << at[LANE_BITS-1:0];
            lanes = lanes & (ones << from[LANE_BITS-1:0]);
        end
    endfunction

    task clear;
        begin
            aw_waits = 1'b0;
            w_waits = 1'b0;
            ar_waits = 1'b0;
            q_in = 0;
            q_out = 0;
            ahead_in = 0;
            ahead_out = 0;
            beat = 0;
            answerable = 0;
            told_x = 1'b0;
            for (i = 0; i < IDS; i = i + 1) begin
                r_in[i] = 0;
                r_out[i] = 0;
                r_beat[i] = 0;
            end
        end
    endtask

    task stability;
        begin
            if (aw_waits && awvalid !== 1'b1) hit[0] = 1'b1;
            else if (aw_waits && aw !== aw_before) hit[1] = 1'b1;
            if (w_waits && wvalid !== 1'b1) hit[2] = 1'b1;
            else if (w_waits && w !== w_before) hit[3] = 1'b1;
            if (ar_waits && arvalid !== 1'b1) hit[4] = 1'b1;
            else if (ar_waits && ar !== ar_before) hit[5] = 1'b1;
            aw_waits = awvalid === 1'b1 && awready !== 1'b1;
            w_waits = wvalid === 1'b1 && wready !== 1'b1;
            ar_waits = arvalid === 1'b1 && arready !== 1'b1;
            aw_before = aw;
            w_before = w;
            ar_before = ar;
        end
    endtask

    task unknowns;
        begin
            if ((^{awvalid, wvalid, arvalid, bready, rready}) === 1'bx) begin
                if (!told_x) hit[17] = 1'b1;
                told_x = 1'b1;
            end else told_x = 1'b0;
            if (awvalid === 1'b1 && (^{awid, awaddr, awlen, awsize, awburst}) === 1'bx) hit[18] = 1'b1;
            if (wvalid === 1'b1 && (^{wstrb, wlast}) === 1'bx) hit[18] = 1'b1;
            if (arvalid === 1'b1 && (^{arid, araddr, arlen, arsize, arburst}) === 1'bx) hit[18] = 1'b1;
        end
    endtask

    task response_side;
        begin
            if (bvalid === 1'b1) begin
                if (answerable == 0) hit[19] = 1'b1;
                else if (bready === 1'b1) answerable = answerable - 1;
            end
            if (rvalid === 1'b1) begin
                if (r_in[rid] == r_out[rid]) hit[20] = 1'b1;
                else if (rready === 1'b1) begin
                    if (rlast !== (r_beat[rid] == {1'b0, r_len[{rid, r_out[rid][PTR-1:0]}]})) hit[21] = 1'b1;
                    r_beat[rid] = r_beat[rid] + 1;
                    if (rlast === 1'b1) begin
                        r_beat[rid] = 0;
                        r_out[rid] = r_out[rid] + 1;
                    end
                end
            end
        end
    endtask

    task write_address;
        begin
            if (awburst != INCR) hit[8] = 1'b1;
            else if (crosses(awaddr[11:0], awlen, awsize)) hit[6] = 1'b1;
            if (awsize > LANE_BITS) hit[10] = 1'b1;
            if (ahead_in != ahead_out) begin
                if (ahead[ahead_out[PTR-1:0]] != {1'b0, awlen} + 1) hit[15] = 1'b1;
                ahead_out = ahead_out + 1;
                answerable = answerable + 1;
            end else if (q_in - q_out == DEPTH) hit[22] = 1'b1;
            else begin
                q_addr[q_in[PTR-1:0]] = awaddr[11:0];
                q_len[q_in[PTR-1:0]] = awlen;
                q_size[q_in[PTR-1:0]] = awsize;
                q_in = q_in + 1;
            end
        end
    endtask

    task write_data;
        reg known, ends;
        begin
            known = q_in != q_out;
            ends = wlast === 1'b1;
            if (known) begin
                if (beat > {1'b0, q_len[q_out[PTR-1:0]]}) hit[15] = 1'b1;
                else begin
                    if (wlast === 1'b1 && beat != {1'b0, q_len[q_out[PTR-1:0]]}) hit[12] = 1'b1;
                    if (wlast === 1'b0 && beat == {1'b0, q_len[q_out[PTR-1:0]]}) begin
                        hit[13] = 1'b1;
                        ends = 1'b1;
                    end
                end
                if ((wstrb & ~lanes(q_addr[q_out[PTR-1:0]], q_size[q_out[PTR-1:0]], beat)) != 0) hit[14] = 1'b1;
            end
            beat = beat + 1;
            if (ends) begin
                if (known) begin
                    q_out = q_out + 1;
                    answerable = answerable + 1;
                end else if (ahead_in - ahead_out == DEPTH) hit[22] = 1'b1;
                else begin
                    ahead[ahead_in[PTR-1:0]] = beat;
                    ahead_in = ahead_in + 1;
                end
                beat = 0;
            end
        end
    endtask

    task read_address;
        begin
            if (arburst != INCR) hit[9] = 1'b1;
            else if (crosses(araddr[11:0], arlen, arsize)) hit[7] = 1'b1;
            if (arsize > LANE_BITS) hit[11] = 1'b1;
            if (r_in[arid] - r_out[arid] == DEPTH) hit[22] = 1'b1;
            else begin
                r_len[{arid, r_in[arid][PTR-1:0]}] = arlen;
                r_in[arid] = r_in[arid] + 1;
            end
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
    wire rest = {awvalid, wvalid, arvalid, bvalid, rvalid} === 5'b0 && (bready ^ rready) !== 1'bx;

    always @(posedge clk) begin
        hit = 32'd0;
        if (resetn !== 1'b1) begin
            if (reset_edges != 8'hFF) reset_edges = reset_edges + 1;
            if (reset_edges >= RESET_OUT && !told_reset
                && (awvalid === 1'b1 || wvalid === 1'b1 || arvalid === 1'b1)) begin
                hit[16] = 1'b1;
                told_reset = 1'b1;
            end
            clear;
        end else if (!rest || {aw_waits, w_waits, ar_waits, told_x} != 4'b0 || reset_edges != 8'd0) begin
            reset_edges = 8'd0;
            told_reset = 1'b0;
            stability;
            unknowns;
            response_side;  // first: a response must not come at the edge that completes its request
            if (awvalid === 1'b1 && awready === 1'b1) write_address;
            if (wvalid === 1'b1 && wready === 1'b1) write_data;
            if (arvalid === 1'b1 && arready === 1'b1) read_address;
        end
        if (hit != 32'd0) begin
            viol_code <= hit;
            viol <= viol + 16'd1;
        end
    end
    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */
endmodule

`default_nettype wire
