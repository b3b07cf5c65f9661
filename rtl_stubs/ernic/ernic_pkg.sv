// SPDX-License-Identifier: BSD-3-Clause
// Register offsets (in 32-bit words), codes and small tables of the ERNIC stand-in.
package ernic_pkg;

  // Global block, word offsets from 0x10_0000.
  // log2 of the beats (64 bytes) of the receive buffer.
  localparam RX_AW = 11;

  localparam [5:0] G_CONF = 6'h00, G_ADCONF = 6'h01, G_THR_ROCE = 6'h02, G_PAUSE = 6'h03;
  localparam [5:0] G_MACL = 6'h04, G_MACH = 6'h05, G_THR_NON = 6'h06, G_IP6 = 6'h08, G_QP_EN = 6'h11;
  localparam [5:0] G_ERRBUFBA = 6'h18, G_ERRBUFBAH = 6'h19, G_ERRBUFSZ = 6'h1A, G_ERRBUFWPTR = 6'h1B;
  localparam [5:0] G_IP4 = 6'h1C, G_IPKTBA = 6'h22, G_IPKTBAH = 6'h23, G_IPKTSZ = 6'h24, G_IPKTWPTR = 6'h25;
  localparam [5:0] G_CONIO = 6'h2B, G_DATBUFBA = 6'h28, G_DATBUFBAH = 6'h29, G_DATBUFSZ = 6'h2A;
  localparam [5:0] G_OUTERRBA = 6'h1E, G_OUTERRBAH = 6'h1F, G_OUTERRSZ = 6'h20, G_OUTERRPTR = 6'h21;
  localparam [5:0] G_RESPBA = 6'h2C, G_RESPBAH = 6'h2D, G_RESPSZ = 6'h2E, G_RESPWPTR = 6'h2F;

  // Per-QP block, word offsets.
  localparam [5:0] Q_CONF = 6'h00, Q_ADV = 6'h01, Q_RQBA = 6'h02, Q_SQBA = 6'h04, Q_CQBA = 6'h06;
  localparam [5:0] Q_RQDB = 6'h08, Q_RQDBH = 6'h09, Q_CQDB = 6'h0A, Q_CQDBH = 6'h0B, Q_CQHEAD = 6'h0C;
  localparam [5:0] Q_RQCI = 6'h0D, Q_SQPI = 6'h0E, Q_DEPTH = 6'h0F, Q_SQPSN = 6'h10, Q_LSTRQ = 6'h11;
  localparam [5:0] Q_DESTQP = 6'h12, Q_TIMEOUT = 6'h13, Q_MACL = 6'h14, Q_MACH = 6'h15, Q_IP = 6'h18;
  localparam [5:0] Q_SSN = 6'h20, Q_MSN = 6'h21, Q_STAT = 6'h22, Q_CURSQ = 6'h23, Q_RESPSN = 6'h24;
  localparam [5:0] Q_RQCA = 6'h25, Q_STATWQE = 6'h26, Q_RQPI = 6'h27, Q_PD = 6'h2C;
  localparam [5:0] Q_RQBAH = 6'h30, Q_SQBAH = 6'h32, Q_CQBAH = 6'h34, Q_RQCAH = 6'h36;

  // WQE opcodes.
  localparam [7:0] W_WRITE = 8'h00, W_WRITE_IMM = 8'h01, W_SEND = 8'h02, W_SEND_IMM = 8'h03;
  localparam [7:0] W_SEND_INV = 8'h0C, W_READ = 8'h04;

  // BTH opcodes.
  localparam [7:0] OP_SEND_FIRST = 8'h00, OP_SEND_MIDDLE = 8'h01, OP_SEND_LAST = 8'h02, OP_SEND_LAST_IMM = 8'h03;
  localparam [7:0] OP_SEND_ONLY = 8'h04, OP_SEND_ONLY_IMM = 8'h05, OP_WRITE_FIRST = 8'h06, OP_WRITE_MIDDLE = 8'h07;
  localparam [7:0] OP_WRITE_LAST = 8'h08, OP_WRITE_LAST_IMM = 8'h09, OP_WRITE_ONLY = 8'h0A;
  localparam [7:0] OP_WRITE_ONLY_IMM = 8'h0B, OP_ACK = 8'h11, OP_SEND_LAST_INV = 8'h16, OP_SEND_ONLY_INV = 8'h17;
  localparam [7:0] OP_UD_SEND_ONLY = 8'h64, OP_CNP = 8'h81;
  localparam [7:0] OP_READ_REQ = 8'h0C, OP_READ_FIRST = 8'h0D, OP_READ_MIDDLE = 8'h0E, OP_READ_LAST = 8'h0F;
  localparam [7:0] OP_READ_ONLY = 8'h10;

  // Bits of the error syndrome. 0, 2, 3 are documented, 15, 20, 21, 46 known from the field, the rest own choice.
  localparam [5:0] S_MAC = 6'd0, S_IPVER = 6'd2, S_IHL = 6'd3, S_DSTIP = 6'd4, S_UDP = 6'd5, S_TVER = 6'd6;
  localparam [5:0] S_PKEY = 6'd7, S_ICRC = 6'd8, S_TUSER = 6'd9, S_LENGTH = 6'd10, S_QP = 6'd15, S_OPCODE = 6'd16;
  localparam [5:0] S_SEQUENCE = 6'd17, S_PAYLOAD = 6'd18, S_ELEMENT = 6'd19, S_RANGE = 6'd20, S_PSN = 6'd21;
  localparam [5:0] S_RKEY = 6'd46;
  localparam [5:0] S_READS = 6'd22;      // more READs than the queue holds

  // Fatal codes. 1, 2, 5, 6 are documented, the rest own choice (0x17 was seen for a region failure).
  localparam [15:0] F_SEQUENCE = 16'd1, F_OPCODE = 16'd2, F_PAYLOAD = 16'd3, F_WQE = 16'd5, F_RESPONSE = 16'd6;
  localparam [15:0] F_RETRY = 16'd7, F_RNR = 16'd8, F_REGION = 16'h17;
  localparam [15:0] F_READS = 16'd9, F_MEMORY = 16'd10;

  // Writable bits of the global registers.
  function automatic [31:0] global_mask(input [5:0] word);
    case (word)
      G_CONF: global_mask = 32'h00FF_FF39;
      G_ADCONF: global_mask = 32'h7FFF_0005;
      G_PAUSE: global_mask = 32'h0000_2FF3;
      G_MACH, G_OUTERRSZ, G_IPKTSZ, 6'h2F: global_mask = 32'h0000_FFFF;
      G_QP_EN: global_mask = 32'h0000_07FF;
      G_CONIO: global_mask = 32'h07FF_0000;
      G_THR_ROCE, G_MACL, G_THR_NON, 6'h08, 6'h09, 6'h0A, 6'h0B, G_ERRBUFBA, G_ERRBUFBAH, G_ERRBUFSZ, G_IP4,
      G_OUTERRBA, G_OUTERRBAH, G_OUTERRPTR, G_IPKTBA, G_IPKTBAH, 6'h28, 6'h29, 6'h2A, 6'h2C, 6'h2D, 6'h2E:
        global_mask = 32'hFFFF_FFFF;
      default: global_mask = 32'd0;
    endcase
  endfunction

  // Writable bits of the per-QP registers; ovr: software override (XRNICADCONF[0]).
  function automatic [31:0] qp_mask(input [5:0] word, input ovr);
    case (word)
      Q_CONF: qp_mask = 32'hFFFF_07FD;
      Q_ADV: qp_mask = 32'hFFFF_FF3F;
      Q_RQBA: qp_mask = 32'hFFFF_FF00;
      Q_SQBA, Q_CQBA: qp_mask = 32'hFFFF_FFE0;
      Q_RQCI, Q_SQPI, Q_MACH: qp_mask = 32'h0000_FFFF;
      Q_SQPSN, Q_DESTQP, Q_PD: qp_mask = 32'h00FF_FFFF;
      Q_TIMEOUT: qp_mask = 32'h001F_3F3F;
      Q_STAT: qp_mask = 32'h777F_0000;
      Q_CQHEAD, Q_CURSQ, Q_RQPI: qp_mask = ovr ? 32'h0000_FFFF : 32'd0;
      Q_MSN: qp_mask = ovr ? 32'h00FF_FFFF : 32'd0;
      Q_RQCA: qp_mask = ovr ? 32'hFFFF_FF00 : 32'd0;
      Q_RQCAH: qp_mask = ovr ? 32'hFFFF_FFFF : 32'd0;
      Q_RQDB, Q_RQDBH, Q_CQDB, Q_CQDBH, Q_DEPTH, Q_LSTRQ, Q_MACL, 6'h18, 6'h19, 6'h1A, 6'h1B, Q_RQBAH, Q_SQBAH,
      Q_CQBAH:
        qp_mask = 32'hFFFF_FFFF;
      default: qp_mask = 32'd0;
    endcase
  endfunction

  // Writable bits of word k of a memory region row.
  function automatic [31:0] row_mask(input [2:0] k);
    case (k)
      3'd0: row_mask = 32'h00FF_FFFF;
      3'd5: row_mask = 32'h0000_00FF;
      3'd7: row_mask = 32'hFFFF_000F;
      default: row_mask = 32'hFFFF_FFFF;
    endcase
  endfunction

  // Wait behind an RNR timer code, in units of 10 us (IBTA table).
  function automatic [16:0] rnr_units(input [4:0] code);
    case (code)
      5'd0: rnr_units = 17'd65536;
      5'd1: rnr_units = 17'd1;
      5'd2: rnr_units = 17'd2;
      5'd3: rnr_units = 17'd3;
      default: begin
        // From code 4 on the value doubles every two codes: 4, 6, 8, 12, 16, 24, ...
        if (code[0]) rnr_units = 17'd6 << (code[4:1] - 4'd2);
        else rnr_units = 17'd4 << (code[4:1] - 4'd2);
      end
    endcase
  endfunction

  // Bytes of extension headers behind the BTH.
  function automatic [4:0] ext_bytes(input [7:0] op);
    case (op)
      8'h03, 8'h05, 8'h09, 8'h0D, 8'h0F, 8'h10, 8'h11, 8'h16, 8'h17: ext_bytes = 5'd4;
      8'h06, 8'h0A, 8'h0C, 8'h81: ext_bytes = 5'd16;
      8'h0B: ext_bytes = 5'd20;
      8'h12: ext_bytes = 5'd12;
      8'h13, 8'h14: ext_bytes = 5'd28;
      8'h64: ext_bytes = 5'd8;
      8'h65: ext_bytes = 5'd12;
      default: ext_bytes = 5'd0;
    endcase
  endfunction

  function automatic is_send(input [7:0] op);
    is_send = (op <= 8'h05) || (op == OP_SEND_LAST_INV) || (op == OP_SEND_ONLY_INV);
  endfunction

  function automatic is_write(input [7:0] op);
    is_write = (op >= 8'h06) && (op <= 8'h0B);
  endfunction

  // First or only packet of a message.
  function automatic is_start(input [7:0] op);
    is_start = (op == 8'h00) || (op == 8'h04) || (op == 8'h05) || (op == 8'h17) || (op == 8'h06) || (op == 8'h0A)
               || (op == 8'h0B);
  endfunction

  // Last or only packet of a message.
  function automatic is_end(input [7:0] op);
    is_end = !((op == 8'h00) || (op == 8'h01) || (op == 8'h06) || (op == 8'h07));
  endfunction

  // Carries a value for the immediate/invalidate stream.
  function automatic has_imm(input [7:0] op);
    has_imm = (op == 8'h03) || (op == 8'h05) || (op == 8'h09) || (op == 8'h0B) || (op == 8'h16) || (op == 8'h17);
  endfunction

endpackage
