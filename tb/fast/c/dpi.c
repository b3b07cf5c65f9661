// SPDX-License-Identifier: BSD-3-Clause
// The engine for SystemVerilog by DPI (Verilator). Vectors are two-state, least significant word first, which on
// a little-endian host is byte 0 first.
#include <string.h>
#include <svdpi.h>

#include "engine.h"

void dpi_source_step(int port, long long now, svBit *valid, int *wait, svBitVecVal *data, svBitVecVal *keep,
                     svBit *last, svBit *user) {
  int is_last = 0, is_user = 0;
  *valid = (svBit)rdv_source_step(port, now, (uint8_t *)data, (uint8_t *)keep, &is_last, &is_user, wait);
  *last = (svBit)is_last;
  *user = (svBit)is_user;
}

void dpi_source_words(int port, svBitVecVal *words) { rdv_source_words(port, words); }

void dpi_sink_words(int port, const svBitVecVal *words) { rdv_sink_words(port, words); }

void dpi_sink_cut(int port, long long now, svBit *wake) { *wake = (svBit)rdv_sink_cut(port, now); }

void dpi_offered(int port, int channel, long long now) { rdv_offered(port, channel, now); }

void dpi_first_stall(int port, int channel, long long now, int *stall) { *stall = rdv_first_stall(port, channel, now); }

void dpi_sink_beat(int port, long long now, const svBitVecVal *data, const svBitVecVal *keep, svBit last, svBit user,
                   int *stall, svBit *wake) {
  int woken;
  *stall = rdv_sink_beat(port, now, (const uint8_t *)data, (const uint8_t *)keep, last, user, &woken);
  *wake = (svBit)woken;
}

void dpi_memory_address(int port, int channel, long long now, int id, long long addr, int length, int size, int burst,
                        int *stall) {
  *stall = rdv_memory_address(port, channel, now, id, (uint64_t)addr, length, size, burst);
}

void dpi_memory_data(int port, long long now, const svBitVecVal *data, const svBitVecVal *strobe, svBit last,
                     int *stall) {
  *stall = rdv_memory_data(port, now, (const uint8_t *)data, (const uint8_t *)strobe, last);
}

void dpi_memory_step(int port, long long now, svBit b_free, svBit r_free, svBit *b_valid, int *b_wait, int *b_id,
                     int *b_resp, svBit *r_valid, int *r_wait, int *r_id, int *r_resp, svBit *r_last,
                     svBitVecVal *r_data, int *rest, svBit *wake) {
  static rdv_answer a;
  int woken;
  *rest = rdv_memory_step(port, now, b_free, r_free, &a, &woken);
  *wake = (svBit)woken;
  *b_valid = (svBit)a.b_valid;
  *b_wait = a.b_wait;
  *b_id = a.b_id;
  *b_resp = a.b_resp;
  *r_valid = (svBit)a.r_valid;
  *r_wait = a.r_wait;
  *r_id = a.r_id;
  *r_resp = a.r_resp;
  *r_last = (svBit)a.r_last;
  if (a.r_valid) memcpy(r_data, a.r_data, a.r_width);
}
