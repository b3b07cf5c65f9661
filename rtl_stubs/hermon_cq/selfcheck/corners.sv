// SPDX-License-Identifier: BSD-3-Clause
// Self-check: what a first ring does not reach. Counters across 2^24 with a stride of 64, Arm-N, moderation by time,
// collapsed ring, overrun ignored, absent page, error response, halves on two pages, refused resize, reset.
`timescale 1ns / 1ps
`ifndef AXI_W
`define AXI_W 64
`endif
module corners;
  `include "bench.svh"

  localparam [17:0] TOP = PAGES + 15 * 4096;            // page of MTT entry 0
  localparam [23:0] FIRST = 24'hFFFFFB;                 // lands in slot 3 of 8, odd lap

  // A context with flags oi and cc.
  task create(input [4:0] log_size, input [31:0] mtt, input oi, input cc, input [15:0] period);
    begin
      fill_mailbox(log_size, 7'd0, mtt, 16'd0, RECORDS);
      put_dword(MAILBOX, {13'd0, cc, oi, 17'd0});
      put_dword(MAILBOX + 16, {period, 16'd0});
      publish(RECORDS, 24'd0);
      command(12'h016, 4'd0, 24'd9);
      `CHECK(status == 8'h00);
    end
  endtask

  task destroy;
    begin
      command(12'h017, 4'd0, 24'd9);
      `CHECK(status == 8'h00);
    end
  endtask

  initial begin
    start_up(2'd1);

    // Stride 64: CQE in the second half. The fill of slots 0 to 2 is for the even lap after the wrap.
    write_reg(12'h040, {8'd0, FIRST});
    publish(RECORDS, FIRST);
    fill_mailbox(5'd3, 7'd0, 32'd0, 16'd0, RECORDS);
    command(12'h016, 4'd0, 24'd9);
    `CHECK(status == 8'h00 && mem[TOP + 63][7] && mem[TOP + 2*64 + 63][7] && !mem[TOP + 3*64 + 63][7]);
    ring_doorbell(1'b0, 24'd9, 3'd2, 2'd1, 24'd0);      // fires with the CQE of index 0
    for (k = 0; k < 5; k = k + 1) begin
      report(24'd9, 1'b0, 1'b0);
      check_cqe(TOP + ((k + 3) & 7) * 64 + 32, 1'b1, 5'h01, tag);
    end
    expect_events(0);
    report(24'd9, 1'b0, 1'b0);
    check_cqe(TOP + 32, 1'b0, 5'h01, tag);
    expect_events(1);
    report(24'd9, 1'b0, 1'b0);
    `CHECK(code == 8'd0);                               // seven outstanding
    publish(RECORDS, FIRST + 24'd1);
    report(24'd9, 1'b0, 1'b0);
    `CHECK(code == 8'd0);
    report(24'd9, 1'b0, 1'b0);
    `CHECK(code == 8'd1);
    expect_events(1);
    command(12'h018, 4'd0, 24'd9);
    `CHECK(dword(MAILBOX + 64 + 44) == 32'd3 && dword(MAILBOX + 64 + 40) == {8'd0, FIRST + 24'd1});
    destroy;
    write_reg(12'h040, 32'd0);
    eq_doorbell(24'd2, 1'b0);

    // Arm-N: the CQE of index 2.
    create(5'd3, 32'd0, 1'b0, 1'b0, 16'd0);
    ring_doorbell(1'b0, 24'd9, 3'd3, 2'd1, 24'd2);
    report(24'd9, 1'b0, 1'b0);
    report(24'd9, 1'b0, 1'b0);
    expect_events(0);
    report(24'd9, 1'b0, 1'b0);
    expect_events(1);

    // Halves on two pages: page 3 owns the CQ, page 4 is in between.
    write_half(4'd3, 1'b0, {2'd0, 2'd2, 1'b0, 3'd2, 24'd9});
    write_half(4'd4, 1'b0, {2'd0, 2'd2, 1'b0, 3'd2, 24'd9});
    write_half(4'd4, 1'b1, 32'd3);
    write_half(4'd3, 1'b1, 32'd3);
    write_half(4'd3, 1'b1, 32'd0);
    expect_events(0);
    report(24'd9, 1'b0, 1'b0);
    expect_events(1);
    eq_doorbell(24'd4, 1'b0);

    // A resize to two entries with four outstanding.
    fill_mailbox(5'd1, 7'd0, 32'd32, 16'd0, RECORDS);
    command(12'h02C, 4'd0, 24'd9);
    `CHECK(status == 8'h40);
    report(24'd9, 1'b0, 1'b0);
    check_cqe(TOP + 4 * 64 + 32, 1'b0, 5'h01, tag);
    destroy;

    // Moderation by time.
    create(5'd3, 32'd0, 1'b0, 1'b0, 16'd5);
    ring_doorbell(1'b0, 24'd9, 3'd2, 2'd1, 24'd0);
    report(24'd9, 1'b0, 1'b0);
    ticks(4);
    expect_events(0);
    ticks(1);
    expect_events(1);
    destroy;

    // Collapsed, then overrun ignored: twelve CQEs into four entries.
    create(5'd2, 32'd0, 1'b0, 1'b1, 16'd0);
    for (k = 0; k < 3; k = k + 1) report(24'd9, 1'b0, 1'b0);
    check_cqe(TOP + 32, 1'b0, 5'h01, tag);
    destroy;
    create(5'd2, 32'd0, 1'b1, 1'b0, 16'd0);
    for (k = 0; k < 12; k = k + 1) report(24'd9, 1'b0, 1'b0);
    `CHECK(code == 8'd0);
    check_cqe(TOP + 3 * 64 + 32, 1'b0, 5'h01, tag);
    destroy;

    // Error response to a CQE write, absent page (at creation, and with opmod 1 at the first report).
    create(5'd3, 32'd0, 1'b0, 1'b0, 16'd0);
    bresp = 2'd2;
    report(24'd9, 1'b0, 1'b0);
    bresp = 2'd0;
    `CHECK(code == 8'd4);
    expect_events(1);
    `CHECK(dword(EQS + 32 + 12) == 32'd2);
    destroy;
    fill_mailbox(5'd3, 7'd0, 32'd128, 16'd0, RECORDS);
    command(12'h016, 4'd0, 24'd9);
    `CHECK(status == 8'h0C);
    command(12'h016, 4'd1, 24'd9);
    `CHECK(status == 8'h00);
    report(24'd9, 1'b0, 1'b0);
    `CHECK(code == 8'd4);
    expect_events(1);

    // Reset in the middle of a pre-fill.
    fill_mailbox(5'd10, 7'd0, 32'd0, 16'd0, RECORDS);
    write_reg(12'h008, 32'd10);
    write_reg(12'h018, 32'h0080_0016);
    clocks(300);
    start_up(2'd3);
    create(5'd3, 32'd0, 1'b0, 1'b0, 16'd0);
    report(24'd9, 1'b0, 1'b0);
    report(24'd9, 1'b0, 1'b0);
    check_cqe(TOP + 256, 1'b0, 5'h01, tag);
    read_reg(12'h048);
    `CHECK(value == 32'd2);
    read_reg(12'h044);
    `CHECK(value == 32'd1);
    finish("corners");
  end

  // The memory forgets what was under way when the engine is reset.
  always @(negedge rst_n) begin
    aw_open = 1'b0;
    bvalid = 1'b0;
    rvalid = 1'b0;
    r_left = 0;
  end
endmodule
