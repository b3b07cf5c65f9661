// SPDX-License-Identifier: BSD-3-Clause
#include "store.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define PAGE_SIZE ((size_t)1 << PAGE_BITS)

typedef struct {
  uint64_t number;
  uint8_t *bytes;  // NULL: slot is free
} page_t;

static page_t *table;  // open addressing, size a power of two, at most half full
static size_t table_size, table_used;
static page_t *last;  // bursts stay on one page

static size_t slot_of(uint64_t number) { return (size_t)((number * 0x9E3779B97F4A7C15u) >> 20) & (table_size - 1); }

static page_t *place(uint64_t number) {
  size_t slot = slot_of(number);
  while (table[slot].bytes != NULL && table[slot].number != number) slot = (slot + 1) & (table_size - 1);
  return &table[slot];
}

static void grow(void) {
  page_t *old = table;
  size_t old_size = table_size;
  table_size = old_size ? 2 * old_size : 256;
  table = calloc(table_size, sizeof *table);
  for (size_t i = 0; i < old_size; i++)
    if (old[i].bytes != NULL) *place(old[i].number) = old[i];
  free(old);
  last = NULL;
}

static uint8_t *page(uint64_t number, int create) {
  if (last != NULL && last->number == number) return last->bytes;
  if (2 * table_used >= table_size) grow();
  page_t *found = place(number);
  if (found->bytes == NULL) {
    if (!create) return NULL;
    found->number = number;
    found->bytes = calloc(1, PAGE_SIZE);
    table_used++;
  }
  last = found;
  return found->bytes;
}

void store_write(uint64_t addr, const uint8_t *data, size_t length) {
  while (length) {
    size_t offset = addr & (PAGE_SIZE - 1), chunk = PAGE_SIZE - offset;
    if (chunk > length) chunk = length;
    memcpy(page(addr >> PAGE_BITS, 1) + offset, data, chunk);
    addr += chunk;
    data += chunk;
    length -= chunk;
  }
}

void store_read(uint64_t addr, uint8_t *data, size_t length) {
  while (length) {
    size_t offset = addr & (PAGE_SIZE - 1), chunk = PAGE_SIZE - offset;
    if (chunk > length) chunk = length;
    const uint8_t *bytes = page(addr >> PAGE_BITS, 0);
    if (bytes != NULL) memcpy(data, bytes + offset, chunk);
    else memset(data, 0, chunk);
    addr += chunk;
    data += chunk;
    length -= chunk;
  }
}

void store_write_masked(uint64_t addr, const uint8_t *data, const uint8_t *mask, size_t length) {
  size_t start = 0;
  while (start < length) {
    const uint8_t *from = memchr(mask + start, 1, length - start);
    if (from == NULL) return;
    const uint8_t *to = memchr(from, 0, (size_t)(mask + length - from));
    size_t stop = to == NULL ? length : (size_t)(to - mask);
    start = (size_t)(from - mask);
    store_write(addr + start, data + start, stop - start);
    start = stop;
  }
}

void store_clear(void) {
  for (size_t i = 0; i < table_size; i++) free(table[i].bytes);
  free(table);
  table = NULL;
  table_size = table_used = 0;
  last = NULL;
}
