// SPDX-License-Identifier: BSD-3-Clause
// Transactors of streams and AXI4 memory ports: what the HDL side asks once per beat, and what Python asks once
// per frame or burst. Times are picoseconds. Data and masks are little-endian: byte 0 first.
//
// The behaviour is that of the Python transactors (tb/agents/channels.py, axi.py, axis_mac.py), clock for clock.
#ifndef RDV_ENGINE_H
#define RDV_ENGINE_H
#include <stdint.h>

#define RDV_PORTS 64
#define RDV_LANES 128  // bytes of the widest bus (1024 bits)
#define RDV_WORDS 8    // words of 32 bits beside a frame

// ---- called by HDL, at the rising clock edge ----

// Next beat of a source, asked when VALID is low or accepted. Returns 1: drive the beat; 0: drive VALID 0 and ask
// again after *wait edges (0: at the next one, RDV_GIVE_UP: the frame under way ends here without a last beat).
#define RDV_GIVE_UP (-1)
int rdv_source_step(int port, int64_t now, uint8_t *data, uint8_t *keep, int *last, int *user, int *wait);

// Words beside the frame whose beat rdv_source_step gave last.
void rdv_source_words(int port, uint32_t *words);

// First edge with VALID of a beat that is not accepted at that edge. `channel`: 0 for streams, RDV_AW.. else.
void rdv_offered(int port, int channel, int64_t now);

// Clocks READY stays low before the first beat of a life (asked in reset).
int rdv_first_stall(int port, int channel, int64_t now);

// Accepted beat of a stream. Returns the clocks of VALID without READY before the next one; *wake: tell Python.
int rdv_sink_beat(int port, int64_t now, const uint8_t *data, const uint8_t *keep, int last, int user, int *wake);

// Words beside the frame under way, before one of its beats is accepted; the last ones count.
void rdv_sink_words(int port, const uint32_t *words);

// The frame under way was given up. Returns whether to tell Python.
int rdv_sink_cut(int port, int64_t now);

enum { RDV_AW = 0, RDV_W = 1, RDV_AR = 2 };
int rdv_memory_address(int port, int channel, int64_t now, int id, uint64_t addr, int length, int size, int burst);
int rdv_memory_data(int port, int64_t now, const uint8_t *data, const uint8_t *strobe, int last);

typedef struct {
  int b_valid, b_wait, b_id, b_resp;
  int r_valid, r_wait, r_id, r_resp, r_last;
  const uint8_t *r_data;  // r_width bytes, valid until the next call
  uint32_t r_width;
} rdv_answer;

// One edge of the response side; `b_free`/`r_free`: the channel may take its next item at this edge. Returns the edges
// until it has to be asked again: 1 while responses wait, more while a latency runs, RDV_NEVER when only a new
// address or data beat can change anything. *wake: tell Python (the event buffer is getting full).
#define RDV_NEVER (1 << 30)
int rdv_memory_step(int port, int64_t now, int b_free, int r_free, rdv_answer *answer, int *wake);

// ---- called by Python ----

void rdv_reset_all(void);
void rdv_abort(int port);  // the reset of the port was asserted
int64_t rdv_open_begin(int port);  // begin of the oldest unfinished item, -1: none

// kind: 0 none, 1 by chance, 2 bursts; `chance` = probability * 2^64. Purposes: see RDV_GEN_*.
enum { RDV_GEN_MAIN, RDV_GEN_W, RDV_GEN_AR, RDV_GEN_B, RDV_GEN_R, RDV_GEN_COUNT };
void rdv_generator(int port, int purpose, int kind, uint64_t chance, uint32_t low, uint32_t high, uint32_t run_low,
                   uint32_t run_high, uint64_t seed);
void rdv_generator_on(int port, int purpose, int on);

// `words` of a stream: how many of 32 bits go beside each of its frames.
void rdv_source_open(int port, int width, int words, int64_t speed, int ifg, int64_t period);
// good: 1, 0 (errored), RDV_CUT (whole beats of a frame that is then given up).
#define RDV_CUT 2
void rdv_source_put(int port, int64_t now, const uint8_t *data, uint32_t length, const uint32_t *words, int good);
uint32_t rdv_source_pending(int port);

void rdv_sink_open(int port, int width, int words, int64_t speed, int ifg, int fifo, int64_t period);
void rdv_sink_wake(int port, int on);
void rdv_sink_await(int port);  // the next beat tells Python by a finished item of kind 3
uint64_t rdv_sink_taken(int port, int64_t before, int frames);  // beats (frames) accepted before that time

void rdv_memory_open(int port, int width, int64_t period, int reorder);
// write: 0 read latency, 1 write latency; uniform over low..high clocks.
void rdv_memory_latency(int port, int write, uint32_t low, uint32_t high);
void rdv_memory_draws(int port, int write, uint64_t seed);  // the stream of its latencies
void rdv_memory_regions(int port, int count, const uint64_t *start_stop, const int *resp_reads_writes);
// The bench's own accesses at `now`: what the DUT's bursts have done by then is done.
void rdv_memory_write(int64_t now, uint64_t addr, const uint8_t *data, uint64_t length);
void rdv_memory_read(int64_t now, uint64_t addr, uint8_t *data, uint64_t length);
uint32_t rdv_memory_outstanding_max(int port);

// Record and replay of what Python gives: frames of sources and memory writes, with their times. A replayed run
// keeps no finished items; rdv_ended counts them.
void rdv_recording(int on);
int rdv_record_save(const char *path);  // 0: done
int rdv_replay(const char *path);       // after the ports are open; 0: done
uint64_t rdv_ended(void);

// Takes the finished items, in the order in which they ended; valid until the next call. Layout: rdv_record, then
// `length` data bytes, then (masked = 1; 2: all of them are 1) `length` mask bytes, then (frames) `id` words of 4
// bytes, padded to 8.
typedef struct {
  int32_t port, kind;  // kind 0 frame, 1 write burst, 2 read burst, 3 a beat that was awaited, 4 a frame given up
  int64_t begin, settled;
  uint64_t addr;
  uint32_t length;
  uint8_t flag;  // frame: tuser of the last beat; bursts: response
  uint8_t masked;
  uint16_t id;  // burst: its id; frame: number of words
} rdv_record;
const uint8_t *rdv_drain(uint64_t *size);

#endif
