// SPDX-License-Identifier: BSD-3-Clause
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

#define IDS 128         // ids told apart when responses may overtake each other
#define WAKE_BYTES (1u << 20)
#define PREAMBLE_BYTES 8
#define LAG_CLOCKS 4    // clocks the pins may lag the line and still be caught up
#define INCR 1
#define SLVERR 2
#define BEAT 3          // kinds of finished items beside frames and bursts
#define CUT 4

// ---------------------------------------------------------------- growing arrays and queues

typedef struct {
  uint8_t *bytes;
  size_t used, room;
} buffer;

static uint8_t *extend(buffer *b, size_t n) {
  if (b->used + n > b->room) {
    b->room = 2 * (b->used + n) + 256;
    b->bytes = realloc(b->bytes, b->room);
  }
  b->used += n;
  return b->bytes + b->used - n;
}

static void append(buffer *b, const void *data, size_t n) { memcpy(extend(b, n), data, n); }

typedef struct item {
  struct item *next;
  int64_t begin;     // first VALID
  int64_t at;        // queued, accepted or due
  int id, kind, resp, good;
  uint64_t addr;
  uint32_t beats, size;
  uint32_t position;  // of the beat that is next
  int partial;        // write: some byte has no strobe
  uint32_t words[RDV_WORDS];  // beside a frame
  buffer data, mask;  // whole bus words
} item;

typedef struct {
  item *head, *tail;
  uint32_t count;
} queue;

static void push(queue *q, item *i) {
  i->next = NULL;
  if (q->tail) q->tail->next = i;
  else q->head = i;
  q->tail = i;
  q->count++;
}

static item *pop(queue *q) {
  item *i = q->head;
  if (i) {
    q->head = i->next;
    if (!q->head) q->tail = NULL;
    q->count--;
  }
  return i;
}

static item *take_id(queue *q, int id) {
  for (item **link = &q->head, *before = NULL; *link; before = *link, link = &(*link)->next) {
    item *i = *link;
    if (i->id != id) continue;
    *link = i->next;
    if (q->tail == i) q->tail = before;
    q->count--;
    return i;
  }
  return NULL;
}

static item *new_item(void) { return calloc(1, sizeof(item)); }

static void drop(item *i) {
  if (!i) return;
  free(i->data.bytes);
  free(i->mask.bytes);
  free(i);
}

static void clear(queue *q) {
  while (q->head) drop(pop(q));
}

// ---------------------------------------------------------------- random draws (the same as ref_model/streams.py)

static uint64_t draw64(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static uint32_t draw_range(uint64_t *state, uint32_t low, uint32_t high) {
  return low + (uint32_t)((unsigned __int128)draw64(state) * ((uint64_t)high - low + 1) >> 64);
}

typedef struct {
  int kind, on;
  uint64_t chance, state;
  uint32_t low, high, run_low, run_high, run;
} generator;

static int draw(generator *g) {
  if (!g->on || g->kind == 0) return 0;
  if (g->kind == 1) return draw64(&g->state) < g->chance ? (int)draw_range(&g->state, g->low, g->high) : 0;
  if (g->run) {
    g->run--;
    return 0;
  }
  g->run = draw_range(&g->state, g->run_low, g->run_high);
  return (int)draw_range(&g->state, g->low, g->high);
}

// ---------------------------------------------------------------- ports

typedef struct {
  int kind;  // of the port: 0 none, 1 source, 2 sink, 3 memory
  uint32_t width;  // bytes of the bus
  int64_t period;
  generator gen[RDV_GEN_COUNT];
  // source and sink: line rate
  int64_t speed, line_at, room;
  int overhead;  // bytes of gap and preamble
  queue frames;
  item *frame;   // under way
  int idle, armed, wake;
  uint32_t beside[RDV_WORDS], word_count;  // words of the frame under way
  uint64_t taken[2];  // sink: beats, frames since it was opened
  int64_t taken_at[2];  // when the last one was
  int awaited;  // the next beat is told
  // offered beats not yet accepted, by channel (streams: 0)
  int64_t offered[3];
  // memory
  queue addresses, words;                  // write phases that wait for each other
  queue open_writes, open_reads;           // accepted, without their last response handshake
  queue delay[2][IDS];                     // [write], by id when responses may overtake
  int64_t available[2][IDS];
  queue answers[2];                        // on their way to the bus: [1] B, [0] R
  int armed_b, armed_r, on_b, on_r;        // item counted down, item on the pins
  uint32_t latency_low[2], latency_high[2];
  uint64_t latency_state[2];
  int reorder;
  int regions;
  uint64_t *region_span;
  int *region_flags;
  uint32_t outstanding_max;
} port_t;

static port_t ports[RDV_PORTS];
static buffer finished[2];  // filled by HDL, read by Python
static int filling;

static int discarding;  // replay: nobody takes the finished items
static uint64_t ended;

// `mask` NULL: a write burst (kind 1) has all its strobes, others have none.
static void finish(const item *i, int port, int kind, int64_t settled, const uint8_t *data, const uint8_t *mask,
                   uint32_t length, int flag) {
  static const uint8_t zeros[8];
  ended++;
  if (discarding) return;
  buffer *out = &finished[filling];
  int masked = mask ? length && memchr(mask, 0, length) == NULL ? 2 : 1 : kind == 1 ? 2 : 0;
  rdv_record r = {port, kind, i->begin, settled, i->addr, length, (uint8_t)flag, (uint8_t)masked, (uint16_t)i->id};
  uint32_t words = kind == 0 ? 4 * (uint32_t)i->id : 0, total = length * (masked == 1 ? 2 : 1) + words;
  append(out, &r, sizeof r);
  append(out, data, length);
  if (masked == 1) append(out, mask, length);
  append(out, i->words, words);
  append(out, zeros, -total & 7);
}

// Something Python waits for, without data.
static void tell(int port, int kind, int64_t now) {
  rdv_record r = {port, kind, now, now, 0, 0, 0, 0, 0};
  if (!discarding) append(&finished[filling], &r, sizeof r);
}

static int64_t begin_of(port_t *p, int channel, int64_t now) {
  int64_t begin = p->offered[channel] >= 0 ? p->offered[channel] : now;
  p->offered[channel] = -1;
  return begin;
}

void rdv_offered(int port, int channel, int64_t now) { ports[port].offered[channel] = now; }

// ---------------------------------------------------------------- streams

static int64_t line_time(const port_t *p, int64_t count) { return p->speed ? count * 8000000000000 / p->speed : 0; }

int rdv_source_step(int port, int64_t now, uint8_t *data, uint8_t *keep, int *last, int *user, int *wait) {
  port_t *p = &ports[port];
  *wait = 0;
  if (p->kind != 1) return 0;
  if (p->frame && p->frame->position >= p->frame->data.used) {
    int cut = p->frame->good == RDV_CUT;
    drop(p->frame);
    p->frame = NULL;
    p->line_at += line_time(p, p->overhead - PREAMBLE_BYTES);
    if (cut) {
      *wait = RDV_GIVE_UP;
      return 0;
    }
  }
  if (!p->frame) {
    // A frame counts from the first edge after it was queued.
    if (!p->frames.head || p->frames.head->at >= now) {
      p->idle = 1;
      return 0;
    }
    int64_t least = p->idle ? now : now - LAG_CLOCKS * p->period;
    if (p->line_at < least) p->line_at = least;
    p->idle = 0;
    p->frame = pop(&p->frames);
    p->line_at += line_time(p, PREAMBLE_BYTES);
  }
  item *f = p->frame;
  uint32_t left = (uint32_t)f->data.used - f->position, n = left < p->width ? left : p->width;
  if (!p->armed) {
    p->line_at += line_time(p, n);
    int clocks = draw(&p->gen[RDV_GEN_MAIN]);
    int64_t late = p->line_at - now;
    if (late > 0 && (late + p->period - 1) / p->period > clocks) clocks = (int)((late + p->period - 1) / p->period);
    if (clocks > 0) {
      p->armed = 1;
      *wait = clocks;
      return 0;
    }
  }
  p->armed = 0;
  memcpy(data, f->data.bytes + f->position, n);
  memset(data + n, 0, p->width - n);
  memset(keep, 0, p->width / 8);
  memset(keep, 0xFF, n / 8);
  if (n % 8) keep[n / 8] = (uint8_t)((1 << n % 8) - 1);
  *last = n == left && f->good != RDV_CUT;
  *user = *last && f->good;
  f->position += n;
  return 1;
}

void rdv_source_words(int port, uint32_t *words) {
  const item *f = ports[port].frame;
  memset(words, 0, RDV_WORDS * sizeof *words);
  if (f) memcpy(words, f->words, sizeof f->words);
}

static int sink_stall(port_t *p, int64_t now) {
  int clocks = draw(&p->gen[RDV_GEN_MAIN]);
  int64_t excess = p->line_at - now - p->room;
  if (p->speed && excess > 0 && (excess + p->period - 1) / p->period > clocks)
    clocks = (int)((excess + p->period - 1) / p->period);
  return clocks;
}

int rdv_first_stall(int port, int channel, int64_t now) {
  port_t *p = &ports[port];
  if (p->kind == 2) return sink_stall(p, now);
  return p->kind == 3 ? draw(&p->gen[RDV_GEN_MAIN + channel]) : 0;
}

static uint32_t take_lanes(buffer *out, const uint8_t *data, const uint8_t *keep, uint32_t width) {
  uint32_t n = 0, whole = width / 8;
  while (n < whole && keep[n] == 0xFF) n++;
  uint32_t rest = 0;
  for (uint32_t i = n; i < whole; i++) rest |= keep[i];
  if (!rest) {
    append(out, data, 8 * n);
    return 8 * n;
  }
  // the tail of a frame, or holes: those are the checker's finding, the marked bytes stay
  size_t before = out->used;
  append(out, data, 8 * n);
  for (uint32_t i = 8 * n; i < width; i++)
    if (keep[i / 8] >> (i % 8) & 1) append(out, data + i, 1);
  return (uint32_t)(out->used - before);
}

void rdv_sink_words(int port, const uint32_t *words) { memcpy(ports[port].beside, words, sizeof ports[port].beside); }

static void count_taken(port_t *p, int kind, int64_t now) {
  p->taken[kind]++;
  p->taken_at[kind] = now;
}

int rdv_sink_cut(int port, int64_t now) {
  port_t *p = &ports[port];
  drop(p->frame);
  p->frame = NULL;
  if (p->kind == 2) tell(port, CUT, now);
  return p->kind == 2;
}

int rdv_sink_beat(int port, int64_t now, const uint8_t *data, const uint8_t *keep, int last, int user, int *wake) {
  port_t *p = &ports[port];
  int64_t begin = begin_of(p, 0, now);
  *wake = 0;
  if (p->kind != 2) return 0;
  if (!p->frame) {
    p->frame = new_item();
    p->frame->begin = begin;
  }
  uint32_t count = take_lanes(&p->frame->data, data, keep, p->width);
  count_taken(p, 0, now);
  if (p->speed) {
    if (p->line_at < now) p->line_at = now;
    p->line_at += line_time(p, count + (last ? p->overhead : 0));
  }
  if (p->awaited) {
    p->awaited = 0;
    tell(port, BEAT, now);
    *wake = 1;
  }
  if (last) {
    count_taken(p, 1, now);
    p->frame->id = (int)p->word_count;
    memcpy(p->frame->words, p->beside, sizeof p->beside);
    finish(p->frame, port, 0, now, p->frame->data.bytes, NULL, (uint32_t)p->frame->data.used, user);
    drop(p->frame);
    p->frame = NULL;
    *wake |= p->wake || finished[filling].used > WAKE_BYTES;
  }
  return sink_stall(p, now);
}

// ---------------------------------------------------------------- AXI4 memory

static int64_t waiting_bursts;    // accepted, their latency not over
static int64_t earliest_due;      // none of them is due before
static uint64_t accepted_bursts;  // over all ports: the order in which bursts with the same due edge are served

static uint32_t outstanding(const port_t *p) {
  return p->addresses.count + p->open_writes.count + p->open_reads.count;
}

static void accept(port_t *p, int write, item *i, int64_t now) {
  uint32_t clocks = draw_range(&p->latency_state[write], p->latency_low[write], p->latency_high[write]);
  int lane = p->reorder ? i->id & (IDS - 1) : 0;
  int64_t due = now + ((int64_t)clocks - 1) * p->period;
  if (due < p->available[write][lane]) due = p->available[write][lane];
  p->available[write][lane] = due;
  // The bursts themselves stay in the list of open ones; what waits is a note of which one is due when.
  item *note = new_item();
  note->at = due;
  note->id = i->id;
  note->addr = accepted_bursts++;
  push(&p->delay[write][lane], note);
  if (!waiting_bursts++ || due < earliest_due) earliest_due = due;
  push(write ? &p->open_writes : &p->open_reads, i);
  if (outstanding(p) > p->outstanding_max) p->outstanding_max = outstanding(p);
}

static void pair(port_t *p, int64_t now) {
  while (p->addresses.head && p->words.head) {
    item *address = pop(&p->addresses), *phase = pop(&p->words);
    address->data = phase->data;
    address->mask = phase->mask;
    address->partial = phase->partial;
    if (phase->begin < address->begin) address->begin = phase->begin;
    free(phase);
    accept(p, 1, address, now);
  }
}

int rdv_memory_address(int port, int channel, int64_t now, int id, uint64_t addr, int length, int size, int burst) {
  port_t *p = &ports[port];
  item *i = new_item();
  i->begin = begin_of(p, channel, now);
  i->id = id;
  i->addr = addr;
  i->beats = (uint32_t)length + 1;
  i->size = (uint32_t)size;
  i->kind = burst;
  if (p->kind != 3) {
    drop(i);
    return 0;
  }
  if (channel == RDV_AW) {
    push(&p->addresses, i);
    pair(p, now);
  } else {
    accept(p, 0, i, now);
  }
  return draw(&p->gen[RDV_GEN_MAIN + channel]);
}

int rdv_memory_data(int port, int64_t now, const uint8_t *data, const uint8_t *strobe, int last) {
  port_t *p = &ports[port];
  int64_t begin = begin_of(p, RDV_W, now);
  if (p->kind != 3) return 0;
  if (!p->frame) {
    p->frame = new_item();
    p->frame->begin = begin;
  }
  append(&p->frame->data, data, p->width);
  append(&p->frame->mask, strobe, p->width / 8);
  for (uint32_t n = 0; n < p->width / 8; n++) p->frame->partial |= strobe[n] != 0xFF;
  if (last) {
    push(&p->words, p->frame);
    p->frame = NULL;
    pair(p, now);
  }
  return draw(&p->gen[RDV_GEN_W]);
}

static uint64_t beat_address(const item *i, uint32_t beat) {
  uint64_t step = (uint64_t)1 << i->size;
  return beat ? (i->addr & ~(step - 1)) + beat * step : i->addr;
}

// Bytes beat number `beat` carries: [first, stop) of its bus word.
static void beat_lanes(const item *i, uint32_t width, uint32_t beat, uint32_t *first, uint32_t *stop) {
  uint32_t step = 1u << i->size;
  *first = (uint32_t)(beat_address(i, beat) & (width - 1));
  *stop = (*first & ~(step - 1)) + step;
  if (*stop > width) *stop = width;
}

static int response(const port_t *p, uint64_t start, uint64_t stop, int write) {
  for (int n = 0; n < p->regions; n++)
    if (start < p->region_span[2 * n + 1] && p->region_span[2 * n] < stop && p->region_flags[3 * n + 1 + write])
      return p->region_flags[3 * n];
  return 0;
}

// One byte (0 or 1) per strobe bit, for every strobe byte.
static const uint8_t *spread(uint8_t strobes) {
  static uint8_t table[256][8];
  if (!table[255][7])
    for (int value = 0; value < 256; value++)
      for (int bit = 0; bit < 8; bit++) table[value][bit] = value >> bit & 1;
  return table[strobes];
}

static buffer scratch_data, scratch_mask;

// Bytes and mask (NULL: all strobes, or a read) of a burst from its first address on, valid until the next call.
static uint32_t burst_bytes(const item *i, uint32_t width, const uint8_t **bytes, const uint8_t **strobed) {
  *bytes = i->data.bytes;
  *strobed = NULL;
  int whole_words = i->data.used == (size_t)i->beats * width && 1u << i->size == width && !(i->addr & (width - 1));
  if (whole_words && !i->partial) return (uint32_t)i->data.used;
  buffer *data = &scratch_data, *mask = &scratch_mask;
  data->used = mask->used = 0;
  for (uint32_t beat = 0; beat < i->beats && beat * width < i->data.used; beat++) {
    uint32_t first, stop;
    beat_lanes(i, width, beat, &first, &stop);
    append(data, i->data.bytes + beat * width + first, stop - first);
    if (i->mask.bytes == NULL) continue;
    const uint8_t *strobes = i->mask.bytes + beat * (width / 8);
    uint8_t *out = extend(mask, stop - first);
    for (uint32_t lane = first; lane < stop;) {
      if (lane % 8 || stop - lane < 8) {
        *out++ = strobes[lane / 8] >> (lane % 8) & 1;
        lane++;
      } else {
        memcpy(out, spread(strobes[lane / 8]), 8);
        out += 8;
        lane += 8;
      }
    }
  }
  *bytes = data->bytes;
  if (i->mask.bytes != NULL) *strobed = mask->bytes;
  return (uint32_t)data->used;
}

static item *find_unserved(queue *q, int id) {
  for (item *i = q->head; i; i = i->next)
    if (i->id == id && !i->good) return i;
  return NULL;
}

// The latency of a burst is over: a write reaches the memory, a read takes its bytes.
static void serve(port_t *p, int write, int id) {
  item *burst = find_unserved(write ? &p->open_writes : &p->open_reads, id);
  if (!burst) return;
  burst->good = 1;
  item *answer = new_item();
  answer->id = id;
  if (write) {
    const uint8_t *data, *mask;
    uint32_t length = burst_bytes(burst, p->width, &data, &mask);
    answer->resp = burst->kind != INCR ? SLVERR : response(p, burst->addr, burst->addr + length, 1);
    burst->resp = answer->resp;
    if (!answer->resp && mask) store_write_masked(burst->addr, data, mask, length);
    else if (!answer->resp) store_write(burst->addr, data, length);
    answer->beats = 1;
  } else {
    answer->beats = burst->beats;
    for (uint32_t beat = 0; beat < burst->beats; beat++) {
      uint64_t at = beat_address(burst, beat), step = (uint64_t)1 << burst->size;
      int resp = burst->kind != INCR ? SLVERR : response(p, at, (at & ~(step - 1)) + step, 0);
      uint8_t code = (uint8_t)resp, *word = extend(&burst->data, p->width);
      if (resp) memset(word, 0, p->width);
      else store_read(at & ~(uint64_t)(p->width - 1), word, p->width);
      append(&answer->mask, &code, 1);
      if (resp > burst->resp) burst->resp = resp;
    }
    append(&answer->data, burst->data.bytes, burst->data.used);
  }
  push(&p->answers[write], answer);
}

// What Python gave, for a run that repeats it without Python: header and data after each other.
typedef struct {
  int64_t time;
  uint64_t addr;
  int32_t port, good;  // port -1: a write to memory
  uint64_t length;
  uint32_t words[RDV_WORDS];
} given;

static buffer record;
static int recording;
static uint64_t replay_at;  // of the next memory write in `record`

static void note_given(int64_t time, int port, uint64_t addr, const uint8_t *data, uint64_t length,
                       const uint32_t *words, int good) {
  given g = {time, addr, port, good, length, {0}};
  if (port >= 0) memcpy(g.words, words, ports[port].word_count * sizeof *words);
  append(&record, &g, sizeof g);
  append(&record, data, length);
}

static void replay_writes(int64_t time) {
  while (replay_at < record.used) {
    given g;
    memcpy(&g, record.bytes + replay_at, sizeof g);
    if (g.time > time) return;
    if (g.port < 0) store_write(g.addr, record.bytes + replay_at + sizeof g, g.length);
    replay_at += sizeof g + g.length;
  }
}

// Serves what is due until `time`, on all ports, in the order of due edges. A latency is over a quarter clock before
// the edge at which the response is driven; `early` is that quarter when Python looks between two edges.
static void serve_until(int64_t time, int early) {
  if (discarding) replay_writes(time);
  while (waiting_bursts && (early || time >= earliest_due)) {
    queue *best = NULL;
    port_t *owner = NULL;
    int direction = 0;
    int64_t later = INT64_MAX;
    for (port_t *p = ports; p < ports + RDV_PORTS; p++) {
      if (p->kind != 3) continue;
      for (int write = 0; write < 2; write++)
        for (int lane = 0; lane < (p->reorder ? IDS : 1); lane++) {
          queue *q = &p->delay[write][lane];
          if (q->head && q->head->at < later) later = q->head->at;
          if (!q->head || q->head->at > time + (early ? p->period / 4 : 0)) continue;
          if (best && (best->head->at < q->head->at || (best->head->at == q->head->at && best->head->addr < q->head->addr)))
            continue;
          best = q;
          owner = p;
          direction = write;
        }
    }
    if (!best) {
      earliest_due = later;
      return;
    }
    item *note = pop(best);
    waiting_bursts--;
    serve(owner, direction, note->id);
    drop(note);
  }
}

// The response on the pins was accepted at `now`.
static void responded(port_t *p, int port, int write, int64_t now) {
  item *answer = p->answers[write].head;
  if (++answer->position < answer->beats) return;
  item *burst = take_id(write ? &p->open_writes : &p->open_reads, answer->id);
  if (burst) {
    const uint8_t *data, *mask;
    uint32_t length = burst_bytes(burst, p->width, &data, &mask);
    finish(burst, port, write ? 1 : 2, now, data, mask, length, burst->resp);
    drop(burst);
  }
  drop(pop(&p->answers[write]));
}

// Whether the next item of a response channel goes on the pins now; *wait: edges to leave out first.
static int next_response(port_t *p, int write, int *armed, generator *gaps, int *wait) {
  *wait = 0;
  if (!p->answers[write].head) return 0;
  if (!*armed) {
    int clocks = draw(gaps);
    if (clocks) {
      *armed = 1;
      *wait = clocks;
      return 0;
    }
  }
  *armed = 0;
  return 1;
}

int rdv_memory_step(int port, int64_t now, int b_free, int r_free, rdv_answer *answer, int *wake) {
  port_t *p = &ports[port];
  *wake = 0;
  answer->b_valid = answer->b_wait = answer->r_valid = answer->r_wait = 0;
  if (p->kind != 3) return RDV_NEVER;
  serve_until(now, 0);
  if (b_free) {
    if (p->on_b) responded(p, port, 1, now);
    p->on_b = answer->b_valid = next_response(p, 1, &p->armed_b, &p->gen[RDV_GEN_B], &answer->b_wait);
    if (p->on_b) {
      answer->b_id = p->answers[1].head->id;
      answer->b_resp = p->answers[1].head->resp;
    }
  }
  if (r_free) {
    if (p->on_r) responded(p, port, 0, now);
    p->on_r = answer->r_valid = next_response(p, 0, &p->armed_r, &p->gen[RDV_GEN_R], &answer->r_wait);
    if (p->on_r) {
      item *i = p->answers[0].head;
      answer->r_id = i->id;
      answer->r_resp = i->mask.bytes[i->position];
      answer->r_last = i->position + 1 == i->beats;
      answer->r_data = i->data.bytes + (size_t)i->position * p->width;
      answer->r_width = p->width;
    }
  }
  *wake = finished[filling].used > WAKE_BYTES;
  if (p->answers[0].head || p->answers[1].head) return 1;
  int64_t rest = RDV_NEVER;
  for (int write = 0; write < 2; write++)
    for (int lane = 0; lane < (p->reorder ? IDS : 1); lane++) {
      const item *note = p->delay[write][lane].head;
      int64_t edges = note ? (note->at - now + p->period - 1) / p->period : RDV_NEVER;
      if (edges < rest) rest = edges;
    }
  return rest < 1 ? 1 : (int)rest;
}

// ---------------------------------------------------------------- Python side

static void port_clear(port_t *p) {
  queue *queues[] = {&p->frames, &p->addresses, &p->words, &p->open_writes, &p->open_reads, &p->answers[0], &p->answers[1]};
  for (unsigned n = 0; n < sizeof queues / sizeof *queues; n++) clear(queues[n]);
  for (int write = 0; write < 2; write++)
    for (int lane = 0; lane < IDS; lane++) {
      waiting_bursts -= p->delay[write][lane].count;
      clear(&p->delay[write][lane]);
      p->available[write][lane] = 0;
    }
  drop(p->frame);
  p->frame = NULL;
  p->armed = p->armed_b = p->armed_r = p->on_b = p->on_r = 0;
  p->idle = 1;
  p->offered[0] = p->offered[1] = p->offered[2] = -1;
}

void rdv_abort(int port) {
  port_clear(&ports[port]);
  if (ports[port].kind == 1) ports[port].line_at = 0;
}

void rdv_reset_all(void) {
  for (int n = 0; n < RDV_PORTS; n++) {
    port_clear(&ports[n]);
    free(ports[n].region_span);
    free(ports[n].region_flags);
    memset(&ports[n], 0, sizeof ports[n]);
  }
  finished[0].used = finished[1].used = 0;
  discarding = 0;
  ended = 0;
  store_clear();
}

static void earliest(int64_t *least, const queue *q) {
  for (const item *i = q->head; i; i = i->next)
    if (*least < 0 || i->begin < *least) *least = i->begin;
}

int64_t rdv_open_begin(int port) {
  port_t *p = &ports[port];
  int64_t least = -1;
  if (p->kind == 1) return -1;
  for (int channel = 0; channel < 3; channel++)
    if (p->offered[channel] >= 0 && (least < 0 || p->offered[channel] < least)) least = p->offered[channel];
  if (p->frame && (least < 0 || p->frame->begin < least)) least = p->frame->begin;
  earliest(&least, &p->addresses);
  earliest(&least, &p->words);
  earliest(&least, &p->open_writes);
  earliest(&least, &p->open_reads);
  return least;
}

void rdv_generator(int port, int purpose, int kind, uint64_t chance, uint32_t low, uint32_t high, uint32_t run_low,
                   uint32_t run_high, uint64_t seed) {
  generator *g = &ports[port].gen[purpose];
  *g = (generator){kind, 1, chance, seed, low, high, run_low, run_high, 0};
  if (kind == 2) g->run = draw_range(&g->state, run_low, run_high);
}

void rdv_generator_on(int port, int purpose, int on) { ports[port].gen[purpose].on = on; }

static port_t *open_port(int port, int kind, int width, int words, int64_t period) {
  port_t *p = &ports[port];
  port_clear(p);
  p->kind = kind;
  p->width = (uint32_t)width;
  p->word_count = (uint32_t)words;
  p->period = period;
  return p;
}

void rdv_source_open(int port, int width, int words, int64_t speed, int ifg, int64_t period) {
  port_t *p = open_port(port, 1, width, words, period);
  p->speed = speed;
  p->overhead = ifg + PREAMBLE_BYTES;
}

void rdv_source_put(int port, int64_t now, const uint8_t *data, uint32_t length, const uint32_t *words, int good) {
  if (recording) note_given(now, port, 0, data, length, words, good);
  item *i = new_item();
  i->at = now;
  i->good = good;
  memcpy(i->words, words, ports[port].word_count * sizeof *words);
  append(&i->data, data, length);
  push(&ports[port].frames, i);
}

void rdv_recording(int on) {
  recording = on;
  record.used = 0;
}

int rdv_record_save(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) return 1;
  int bad = fwrite(record.bytes, 1, record.used, file) != record.used;
  return fclose(file) || bad;
}

int rdv_replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return 1;
  uint8_t block[65536];
  size_t n;
  recording = 0;
  record.used = 0;
  while ((n = fread(block, 1, sizeof block, file)) > 0) append(&record, block, n);
  fclose(file);
  for (uint64_t at = 0; at < record.used;) {
    given g;
    memcpy(&g, record.bytes + at, sizeof g);
    if (g.port >= 0) rdv_source_put(g.port, g.time, record.bytes + at + sizeof g, (uint32_t)g.length, g.words, g.good);
    at += sizeof g + g.length;
  }
  replay_at = 0;
  discarding = 1;
  return 0;
}

uint64_t rdv_ended(void) { return ended; }

uint32_t rdv_source_pending(int port) {
  const port_t *p = &ports[port];
  return p->frames.count + (p->frame != NULL);
}

void rdv_sink_open(int port, int width, int words, int64_t speed, int ifg, int fifo, int64_t period) {
  port_t *p = open_port(port, 2, width, words, period);
  p->speed = speed;
  p->overhead = ifg + PREAMBLE_BYTES;
  p->room = line_time(p, fifo);
}

void rdv_sink_wake(int port, int on) { ports[port].wake = on; }

void rdv_sink_await(int port) { ports[port].awaited = 1; }

uint64_t rdv_sink_taken(int port, int64_t before, int frames) {
  const port_t *p = &ports[port];
  return p->taken[frames] - (p->taken[frames] && p->taken_at[frames] >= before);
}

void rdv_memory_open(int port, int width, int64_t period, int reorder) {
  open_port(port, 3, width, 0, period)->reorder = reorder;
}

void rdv_memory_latency(int port, int write, uint32_t low, uint32_t high) {
  port_t *p = &ports[port];
  p->latency_low[write] = low;
  p->latency_high[write] = high;
}

void rdv_memory_draws(int port, int write, uint64_t seed) { ports[port].latency_state[write] = seed; }

void rdv_memory_regions(int port, int count, const uint64_t *start_stop, const int *resp_reads_writes) {
  port_t *p = &ports[port];
  p->regions = count;
  p->region_span = realloc(p->region_span, 2 * (size_t)count * sizeof *start_stop + 1);
  p->region_flags = realloc(p->region_flags, 3 * (size_t)count * sizeof *resp_reads_writes + 1);
  memcpy(p->region_span, start_stop, 2 * (size_t)count * sizeof *start_stop);
  memcpy(p->region_flags, resp_reads_writes, 3 * (size_t)count * sizeof *resp_reads_writes);
}

void rdv_memory_write(int64_t now, uint64_t addr, const uint8_t *data, uint64_t length) {
  if (recording) note_given(now, -1, addr, data, length, NULL, 0);
  serve_until(now, 1);
  store_write(addr, data, length);
}

void rdv_memory_read(int64_t now, uint64_t addr, uint8_t *data, uint64_t length) {
  serve_until(now, 1);
  store_read(addr, data, length);
}

uint32_t rdv_memory_outstanding_max(int port) { return ports[port].outstanding_max; }

const uint8_t *rdv_drain(uint64_t *size) {
  buffer *out = &finished[filling];
  filling ^= 1;
  finished[filling].used = 0;
  *size = out->used;
  return out->bytes;
}
