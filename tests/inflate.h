/* Decompresses zlib data (RFC 1950, 1951), as some files of the age kit come. */
#ifndef TAHR_TESTS_INFLATE_H
#define TAHR_TESTS_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* out (max bytes) = the plain form of the len bytes at in; returns its length, or -1. */
long inflate_zlib(uint8_t *out, size_t max, const uint8_t *in, size_t len);

#endif
