// SPDX-License-Identifier: BSD-3-Clause
// Response error buffer: a ring of entries with the headers of responses that are malformed, not asked for, or fatal
// NAKs. A zero half of RESPERRSZ counts as 64 bytes or one entry; with the whole register 0 nothing is written.

reg [15:0] resp_slot = 16'd0;         // next entry; software may write anything into RESPERRWRPTR

task automatic write_response_entry;
  reg [15:0] entries;
  reg [15:0] size;
  reg [15:0] n;
  begin
    entries = (greg[G_RESPSZ][15:0] != 0) ? greg[G_RESPSZ][15:0] : 16'd1;
    entries = `MUT(318, entries, entries + 16'd1);
    size = (greg[G_RESPSZ][31:16] != 0) ? greg[G_RESPSZ][31:16] : 16'd64;
    n = ((rx_bytes < 16'd96) ? rx_bytes : 16'd96) + 16'd8;
    if (size < n && `MUT(319, 1'b1, 1'b0)) n = size;
    if (greg[G_RESPSZ] != 0) begin
      if (resp_slot >= entries) resp_slot = 16'd0;
      rxw_valid <= 1'b1;
      rxw_imm <= 1'b1;
      rxw_off <= 6'd0;
      rxw_len <= n[12:0];
      rxw_data <= {rx_hdr[959:0], 8'd0, f_qpn, 24'd0, f_syndrome};
      rxw_addr <= {`MUT(320, greg[G_RESPBAH], 32'd0), greg[G_RESPBA]} + {48'd0, resp_slot} * {48'd0, size};
      resp_slot = ring_inc(resp_slot, entries);
      greg[G_RESPWPTR] = {16'd0, resp_slot};
      r_state = R_ERROR;
    end
  end
endtask

// An AETH no responder sends, or an acknowledgement that carries data.
function automatic malformed_ack(input [7:0] syndrome);
  malformed_ack = (f_n != 0) || (syndrome[6:5] == 2'b10) || (syndrome[6:5] == 2'b11 && syndrome[4:0] > 5'd3);
endfunction
