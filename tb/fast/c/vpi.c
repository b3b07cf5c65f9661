// SPDX-License-Identifier: BSD-3-Clause
// The engine as system tasks by VPI (Icarus). X and Z read as 0: the HDL checkers report them.
#include <stdlib.h>
#include <string.h>
#include <vpi_user.h>

#include "engine.h"

#define MOST_ARGS 16

typedef struct {
  vpiHandle handle[MOST_ARGS];
  int bits[MOST_ARGS];
} arguments;

static int64_t scale;  // picoseconds per unit of simulation time

static arguments *arguments_of_call(void) {
  vpiHandle call = vpi_handle(vpiSysTfCall, NULL);
  arguments *known = vpi_get_userdata(call);
  if (known) return known;
  known = calloc(1, sizeof *known);
  vpiHandle walk = vpi_iterate(vpiArgument, call), argument;
  for (int n = 0; walk && n < MOST_ARGS && (argument = vpi_scan(walk)); n++) {
    known->handle[n] = argument;
    known->bits[n] = vpi_get(vpiSize, argument);
  }
  vpi_put_userdata(call, known);
  return known;
}

static int64_t now_ps(void) {
  s_vpi_time t = {vpiSimTime, 0, 0, 0};
  if (!scale) {
    scale = 1;
    for (int unit = vpi_get(vpiTimePrecision, NULL); unit > -12; unit--) scale *= 10;
  }
  vpi_get_time(NULL, &t);
  return ((int64_t)t.high << 32 | t.low) * scale;
}

// Value of argument n as bytes, least significant first; zero up to `room`.
static void get_bytes(const arguments *a, int n, uint8_t *bytes, size_t room) {
  s_vpi_value v = {vpiVectorVal, {0}};
  vpi_get_value(a->handle[n], &v);
  int words = (a->bits[n] + 31) / 32;
  memset(bytes, 0, room);
  for (int i = 0; i < words && 4 * (size_t)i < room; i++) {
    uint32_t word = (uint32_t)v.value.vector[i].aval & ~(uint32_t)v.value.vector[i].bval;
    memcpy(bytes + 4 * i, &word, 4);
  }
}

static int64_t get_int(const arguments *a, int n) {
  uint8_t bytes[8];
  int64_t value;
  get_bytes(a, n, bytes, sizeof bytes);
  memcpy(&value, bytes, sizeof value);
  return value;
}

// Sets argument n to `size` bytes, and zeros above them.
static void put_bytes(const arguments *a, int n, const uint8_t *bytes, size_t size) {
  s_vpi_vecval vector[RDV_LANES / 4];
  s_vpi_value v = {vpiVectorVal, {0}};
  int words = (a->bits[n] + 31) / 32;
  for (int i = 0; i < words; i++) {
    vector[i].aval = 0;
    if (4 * (size_t)i < size) memcpy(&vector[i].aval, bytes + 4 * i, size - 4 * i < 4 ? size - 4 * i : 4);
    vector[i].bval = 0;
  }
  v.value.vector = vector;
  vpi_put_value(a->handle[n], &v, NULL, vpiNoDelay);
}

static void put_int(const arguments *a, int n, int value) {
  s_vpi_value v = {vpiIntVal, {0}};
  v.value.integer = value;
  vpi_put_value(a->handle[n], &v, NULL, vpiNoDelay);
}

static PLI_INT32 source_step(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  uint8_t data[RDV_LANES] = {0}, keep[RDV_LANES / 8] = {0};
  int last = 0, user = 0, wait;
  int valid = rdv_source_step((int)get_int(a, 0), now_ps(), data, keep, &last, &user, &wait);
  put_int(a, 2, valid);
  put_int(a, 3, wait);
  if (valid) {
    put_bytes(a, 4, data, sizeof data);
    put_bytes(a, 5, keep, sizeof keep);
    put_int(a, 6, last);
    put_int(a, 7, user);
  }
  return 0;
}

static PLI_INT32 source_words(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  uint32_t words[RDV_WORDS];
  rdv_source_words((int)get_int(a, 0), words);
  put_bytes(a, 1, (uint8_t *)words, sizeof words);
  return 0;
}

static PLI_INT32 sink_words(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  uint32_t words[RDV_WORDS];
  get_bytes(a, 1, (uint8_t *)words, sizeof words);
  rdv_sink_words((int)get_int(a, 0), words);
  return 0;
}

static PLI_INT32 sink_cut(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  put_int(a, 2, rdv_sink_cut((int)get_int(a, 0), now_ps()));
  return 0;
}

static PLI_INT32 offered(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  rdv_offered((int)get_int(a, 0), (int)get_int(a, 1), now_ps());
  return 0;
}

static PLI_INT32 first_stall(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  put_int(a, 3, rdv_first_stall((int)get_int(a, 0), (int)get_int(a, 1), now_ps()));
  return 0;
}

static PLI_INT32 sink_beat(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  uint8_t data[RDV_LANES], keep[RDV_LANES / 8];
  int wake;
  get_bytes(a, 2, data, sizeof data);
  get_bytes(a, 3, keep, sizeof keep);
  put_int(a, 6, rdv_sink_beat((int)get_int(a, 0), now_ps(), data, keep, (int)get_int(a, 4), (int)get_int(a, 5), &wake));
  put_int(a, 7, wake);
  return 0;
}

static PLI_INT32 memory_address(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  put_int(a, 8, rdv_memory_address((int)get_int(a, 0), (int)get_int(a, 1), now_ps(), (int)get_int(a, 3),
                                   (uint64_t)get_int(a, 4), (int)get_int(a, 5), (int)get_int(a, 6),
                                   (int)get_int(a, 7)));
  return 0;
}

static PLI_INT32 memory_data(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  uint8_t data[RDV_LANES], strobe[RDV_LANES / 8];
  get_bytes(a, 2, data, sizeof data);
  get_bytes(a, 3, strobe, sizeof strobe);
  put_int(a, 5, rdv_memory_data((int)get_int(a, 0), now_ps(), data, strobe, (int)get_int(a, 4)));
  return 0;
}

static PLI_INT32 memory_step(PLI_BYTE8 *unused) {
  (void)unused;
  const arguments *a = arguments_of_call();
  static rdv_answer answer;
  int wake;
  int b_free = (int)get_int(a, 2), r_free = (int)get_int(a, 3);
  int rest = rdv_memory_step((int)get_int(a, 0), now_ps(), b_free, r_free, &answer, &wake);
  if (b_free) {
    put_int(a, 4, answer.b_valid);
    put_int(a, 5, answer.b_wait);
  }
  if (answer.b_valid) {
    put_int(a, 6, answer.b_id);
    put_int(a, 7, answer.b_resp);
  }
  if (r_free) {
    put_int(a, 8, answer.r_valid);
    put_int(a, 9, answer.r_wait);
  }
  if (answer.r_valid) {
    put_int(a, 10, answer.r_id);
    put_int(a, 11, answer.r_resp);
    put_int(a, 12, answer.r_last);
    put_bytes(a, 13, answer.r_data, answer.r_width);
  }
  put_int(a, 14, rest);
  put_int(a, 15, wake);
  return 0;
}

static void registration(void) {
  static const struct {
    const char *name;
    PLI_INT32 (*call)(PLI_BYTE8 *);
  } tasks[] = {
      {"$fast_source_step", source_step}, {"$fast_offered", offered},
      {"$fast_first_stall", first_stall}, {"$fast_sink_beat", sink_beat},
      {"$fast_memory_address", memory_address}, {"$fast_memory_data", memory_data},
      {"$fast_memory_step", memory_step}, {"$fast_source_words", source_words},
      {"$fast_sink_words", sink_words}, {"$fast_sink_cut", sink_cut},
  };
  for (unsigned n = 0; n < sizeof tasks / sizeof *tasks; n++) {
    s_vpi_systf_data task = {.type = vpiSysTask, .tfname = (PLI_BYTE8 *)tasks[n].name, .calltf = tasks[n].call};
    vpi_register_systf(&task);
  }
}

void (*vlog_startup_routines[])(void) = {registration, NULL};
