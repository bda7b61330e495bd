/* Random safe primes p = 2 q + 1 for public groups: one sieve for q and p together.
 *
 *   q0 = random, q0 = 11 mod 12;  candidates q = q0 + 12 i, 0 <= i < window
 *   for every prime v, 5 <= v < limit: strike out the i with v | q or v | 2 q + 1
 *   q passes prime_filter, then p prime_safe_check_vartime: done
 *   window exhausted: a new q0
 *
 * q = 11 mod 12 makes q odd, q = 2 mod 3 (else 3 | q or 3 | p) and p = 23 mod 24, so p = 7 mod 8.
 * Where q is prime to all v < limit, and p too, a test of q succeeds with probability about
 * 3.2 ln(limit)^2 / (bits ln 2)^2. */
#include "prime.h"
#include "prime_search.h"

#include <stdlib.h>
#include <string.h>

/* The candidates are not drawn uniformly, so that only the worst case 4^-rounds = 2^-128 of a
 * composite q counts. */
#define ROUNDS 64

/* Sieving must cost less than the tests it saves: a prime more costs `bits`, and the bits^2 tests
 * cost bits^3 each, so that the best limit grows as bits^4.  Measured: 2^19 at 1024 bits, 2^23 at
 * 2048.  Always limit < q, lest q strike itself out: q > 2^14 where limit is 256, else q > 2^150.
 */
static uint32_t sieve_limit(int bits)
{
    uint64_t limit = ((uint64_t)bits * (uint64_t)bits * (uint64_t)bits * (uint64_t)bits) >> 21;

    return limit < 256 ? 256 : limit > 1 << 24 ? 1 << 24 : (uint32_t)limit & ~UINT32_C(1);
}

/* Twice the bits^2/16 candidates that a safe prime takes on average: one is likely in a window. */
static uint32_t window_size(int bits)
{
    return (uint32_t)bits * (uint32_t)bits / 8;
}

/* What is searched: q0 + 12 i for 0 <= i < window, struck[i] = 1 iff a small prime divides q or p.
 */
struct search {
    int bits, n; /* of q */
    uint32_t window, limit;
    uint8_t *struck, *composite;
    limb_t q0[NAT_MAX];
};

/* r = q0 mod v by Horner's rule on 32-bit words.  Requires v < 2^32. */
static uint32_t horner(const uint8_t *byte, size_t len, uint32_t v)
{
    uint64_t r = 0;

    for (size_t i = 0; i < len; i += 4) {
        uint32_t w = (uint32_t)byte[i] << 24 | (uint32_t)byte[i + 1] << 16 |
                     (uint32_t)byte[i + 2] << 8 | byte[i + 3];
        r = (r << 32 | w) % v;
    }
    return (uint32_t)r;
}

/* Strikes out the i with q0 + 12 i = a mod v, where r = q0 mod v, a < v.
 * 1/12 = (1 + v (12 - v mod 12))/12 mod v: exact, since v^2 = 1 mod 12 for every prime v > 3. */
static void strike(struct search *s, uint32_t v, uint32_t r, uint32_t a)
{
    uint64_t twelfth = (1 + (uint64_t)v * (12 - v % 12)) / 12;

    for (uint64_t i = (a + v - r) % v * twelfth % v; i < s->window; i += v)
        s->struck[i] = 1;
}

/* A new q0, and its window. */
static void start(struct search *s)
{
    uint8_t byte[NAT_MAX_BITS / 8];
    size_t len = ((size_t)s->bits + 31) / 32 * 4;

    prime_start(s->q0, s->bits, 1);
    uint32_t r = nat_div_word(NULL, s->q0, 12, s->n);
    nat_add_limb(s->q0, s->q0, (limb_t)(11 - r), s->n);
    nat_to_bytes(byte, len, s->q0, s->n);
    memset(s->struck, 0, s->window);
    for (uint32_t v = 5; v < s->limit; v += 2)
        if (!s->composite[v / 2]) {
            r = horner(byte, len, v);
            strike(s, v, r, 0);
            strike(s, v, r, (v - 1) / 2); /* -1/2 mod v: v | 2 q + 1 */
        }
}

/* p = 2 q + 1 for q = q0 + 12 i: are both prime, and not too long? */
static int test(limb_t *p, const struct search *s, uint32_t i)
{
    limb_t q[NAT_MAX], t[NAT_MAX];
    int pn = LIMBS_OF_BITS(s->bits + 1);
    struct mod m;

    nat_set_word(t, s->n, 12 * i);
    nat_add(q, s->q0, t, s->n);
    if (mod_init(&m, q, s->bits) != 0 || /* past 2^bits */
        !declassify(prime_filter(&m)))   /* public, as the group is */
        return 0;
    nat_resize(p, pn, q, s->n);
    nat_shl(p, p, 1, pn);
    nat_add_limb(p, p, 1, pn);
    return prime_safe_check_vartime(p, pn, ROUNDS);
}

static tahr_err search(limb_t *p, struct search *s, const struct tahr_watch *watch)
{
    unsigned long tried = 0;

    for (;;) {
        start(s);
        for (uint32_t i = 0; i < s->window; i++) {
            if (s->struck[i])
                continue;
            if (test(p, s, i))
                return NULL;
            tahr_err err = prime_tick(watch, ++tried);
            if (err != NULL)
                return err;
        }
    }
}

tahr_err prime_safe_vartime(limb_t *p, int bits, const struct tahr_watch *watch)
{
    struct search s = {.bits = bits - 1,
                       .n = LIMBS_OF_BITS(bits - 1),
                       .window = window_size(bits),
                       .limit = sieve_limit(bits)};
    tahr_err err = &prime_no_memory;

    s.struck = malloc(s.window);
    s.composite = malloc(s.limit / 2);
    if (s.struck != NULL && s.composite != NULL) {
        prime_small(s.composite, s.limit);
        err = search(p, &s, watch);
    }
    free(s.struck);
    free(s.composite);
    return err;
}
