/* DER (X.690 clause 10): a strict, bounded reader, and a writer that works backwards.
 *
 * The reader takes elements off the front of a byte string.  Lengths must be definite, in their
 * shortest form and inside what is left; nothing recurses, so depth is bounded by the caller's
 * grammar.  Errors are TAHR_BAD_KEY.
 * Private keys pass through here.  Secret: the values.  Leaks: tags, lengths, and of an INTEGER
 * what its length says (how many leading zero bits, in bytes). */
#ifndef TAHR_DER_H
#define TAHR_DER_H

#include "bytes.h"
#include "nat.h"
#include "tahr.h"

#define DER_INTEGER      0x02
#define DER_BIT_STRING   0x03
#define DER_OCTET_STRING 0x04
#define DER_NULL         0x05
#define DER_OID          0x06
#define DER_SEQUENCE     0x30
#define DER_SET          0x31
#define DER_ATTRIBUTES   0xa0 /* [0], as PKCS#8 uses it */

/* Bytes of the largest INTEGER, without its sign byte. */
#define DER_INTEGER_MAX  (NAT_MAX_BITS / 8)

/* The tag of the next element, or 0 at the end. */
uint8_t der_tag(struct bytes in);

/* body = the contents of the next element, which must have that tag. */
tahr_err der_enter(struct bytes *body, struct bytes *in, uint8_t tag);

/* n = the next INTEGER, which must not be negative, without leading zero bytes: empty for zero. */
tahr_err der_integer(struct bytes *n, struct bytes *in);

/* The same for the contents alone, which are also an SSH mpint (RFC 4251 section 5). */
tahr_err der_integer_body(struct bytes *n, struct bytes body);

/* The next INTEGER must be v, a version number; otherwise the error is `other`. */
tahr_err der_version(struct bytes *in, uint8_t v, tahr_err other);

/* body = the bytes of the next BIT STRING, of which no bit may be unused. */
tahr_err der_bit_string(struct bytes *body, struct bytes *in);

/* Nothing may follow. */
tahr_err der_end(struct bytes in);

/* b without its leading zero bytes.  Leaks: their number. */
struct bytes bytes_trim(struct bytes b);

/* What is written lies at [p, end); when it did not fit, full is 1. */
struct der_out {
    uint8_t *start, *p, *end;
    int full;
};

/* An empty output in the max bytes at buf. */
void der_out_init(struct der_out *out, uint8_t *buf, size_t max);

/* Each of these puts its element before what has been written. */
void der_put_bytes(struct der_out *out, const void *p, size_t len);
void der_put_integer(struct der_out *out, struct bytes n);
void der_put_nat(struct der_out *out, const limb_t *a, int n);
void der_put_uint(struct der_out *out, uint32_t v);

/* Makes all that was put since p was `end` the contents of an element with that tag. */
void der_wrap(struct der_out *out, uint8_t tag, const uint8_t *end);

/* What has been written: der; TAHR_SYSTEM if it did not fit. */
tahr_err der_out_end(struct bytes *der, const struct der_out *out);

#endif
