// SPDX-License-Identifier: BSD-3-Clause
// Self-check: two lives of one CQ. Create with pre-fill, reports over three laps,
// error CQE, arm any and solicited, moderation, resize up with a waiting request, overflow, destroy and create again.
`timescale 1ns / 1ps
`ifndef AXI_W
`define AXI_W 64
`endif
module rings;
  `include "bench.svh"

  initial begin
    start_up(2'd0);
    fill_mailbox(5'd3, 7'd127, 32'd0, 16'd0, RECORDS);
    command(12'h016, 4'd0, 24'd5);
    `CHECK(status == 8'h00 && ring_writes == 8);
    `CHECK(mem[PAGES + 15 * 4096 + 4064 + 31][7] && mem[PAGES + 14 * 4096 + 6 * 32 + 31][7]);
    command(12'h016, 4'd0, 24'd5);
    `CHECK(status == 8'h09);

    // Three laps, the consumer follows.
    for (k = 0; k < 24; k = k + 1) begin
      report(24'd5, 1'b0, k == 9);
      `CHECK(code == 8'd0);
      if (k % 8 == 0) check_cqe(PAGES + 15 * 4096 + 4064, k >= 8 && k < 16, 5'h01, tag);
      else check_cqe(PAGES + 14 * 4096 + (k % 8 - 1) * 32, k >= 8 && k < 16, (k == 9) ? 5'h1E : 5'h01, tag);
      publish(RECORDS, k + 1);
    end
    expect_events(0);

    // Any: waits, fires once; solicited: not by a plain CQE.
    ring_doorbell(1'b0, 24'd5, 3'd2, 2'd1, 24'd24);
    expect_events(0);
    report(24'd5, 1'b0, 1'b0);
    expect_events(1);
    `CHECK(irq == 4'b0010);
    `CHECK(dword(EQS) == 32'd0 && dword(EQS + 4) == 32'd5 && mem[EQS + 31] == 8'h00);
    eq_doorbell(24'd1, 1'b1);
    clocks(20);
    `CHECK(irq == 4'b0000);
    ring_doorbell(1'b1, 24'd5, 3'd1, 2'd1, 24'd0);      // used sequence number
    ring_doorbell(1'b1, 24'd5, 3'd1, 2'd2, 24'd25);
    report(24'd5, 1'b0, 1'b0);
    expect_events(0);
    report(24'd5, 1'b1, 1'b0);
    expect_events(1);
    eq_doorbell(24'd2, 1'b0);
    publish(RECORDS, 24'd27);

    // Resize to 16 entries with a waiting request; the special CQE fires it.
    ring_doorbell(1'b0, 24'd5, 3'd2, 2'd3, 24'd27);
    fill_mailbox(5'd4, 7'd0, 32'd32, 16'd0, 18'd0);
    command(12'h02C, 4'd0, 24'd5);
    `CHECK(status == 8'h00);
    check_cqe(PAGES + 14 * 4096 + 2 * 32, 1'b1, 5'h16, 0);
    expect_events(1);
    report(24'd5, 1'b0, 1'b0);                          // index 28
    check_cqe(PAGES + 11 * 4096 + 12 * 32, 1'b1, 5'h01, tag);
    `CHECK(!mem[PAGES + 11 * 4096 + 13 * 32 + 31][7] && mem[PAGES + 11 * 4096 + 31][7]);

    // Fill to 15 outstanding, then overflow; the error goes to EQ 1 as well.
    for (k = 0; k < 13; k = k + 1) report(24'd5, 1'b0, 1'b0);
    `CHECK(code == 8'd0);
    report(24'd5, 1'b0, 1'b0);
    `CHECK(code == 8'd1);
    report(24'd5, 1'b0, 1'b0);
    `CHECK(code == 8'd2);
    expect_events(1);
    `CHECK(dword(EQS + 3 * 32) == 32'h0004_0000 && dword(EQS + 3 * 32 + 12) == 32'd1);
    command(12'h018, 4'd0, 24'd5);
    `CHECK(status == 8'h00 && dword(MAILBOX + 64) == 32'h9000_0A00 && dword(MAILBOX + 64 + 44) == 32'd42);
    command(12'h017, 4'd0, 24'd5);
    `CHECK(status == 8'h00);
    report(24'd5, 1'b0, 1'b0);
    `CHECK(code == 8'd3);

    // A second life with moderation by count; the EQ is full until its index moves.
    fill_mailbox(5'd3, 7'd0, 32'd64, 16'd3, RECORDS + 18'd8);
    command(12'h016, 4'd0, 24'd5);
    `CHECK(status == 8'h00);
    ring_doorbell(1'b0, 24'd5, 3'd2, 2'd1, 24'd0);
    report(24'd5, 1'b0, 1'b0);
    report(24'd5, 1'b0, 1'b0);
    expect_events(0);
    eq_doorbell(24'd0, 1'b0);                           // four unread entries: full
    report(24'd5, 1'b0, 1'b0);
    expect_events(0);
    read_reg(12'h044);
    `CHECK(value == 32'd2);
    eq_doorbell(24'd4, 1'b0);
    expect_events(1);
    `CHECK(mem[EQS + 31] == 8'h80);
    command(12'h017, 4'd1, 24'd5);
    `CHECK(status == 8'h00);
    read_reg(12'h044);
    `CHECK(value == 32'd1);
    read_reg(12'h054);
    `CHECK(value == 32'd3);
    finish("rings");
  end
endmodule
