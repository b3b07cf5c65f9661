// SPDX-License-Identifier: BSD-3-Clause
// Sparse byte memory in 4 KiB pages; bytes never written read as zero.
#ifndef RDV_STORE_H
#define RDV_STORE_H
#include <stddef.h>
#include <stdint.h>

void store_write(uint64_t addr, const uint8_t *data, size_t length);
void store_read(uint64_t addr, uint8_t *data, size_t length);
// Writes the bytes whose mask byte is 1; the others are 0.
void store_write_masked(uint64_t addr, const uint8_t *data, const uint8_t *mask, size_t length);
void store_clear(void);

#endif
