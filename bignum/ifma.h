/* Private to engine_ifma: the AVX-512 kernels, one row of a table for each size.
 *
 * Radix 2^52.  A number of L digits to base X = 2^(52S) is S vectors: vector m, lane l holds limb
 * S l + m, so that a lane is a digit, and R = X^L.  Single: L = 8.  Pair: two numbers with moduli
 * of their own, L = 4, digit l of number h in lane 2l + h.
 *
 * Limbs count in their low 52 bits only: the multiplier ignores the others, and kernels leave
 * carries there that belong to the limb above and have been added to it.  Whoever reads limbs in
 * another way masks first. */
#ifndef TAHR_IFMA_H
#define TAHR_IFMA_H

#include "mod.h"

#define IFMA_LIMB_BITS 52
#define IFMA_MASK      (((uint64_t)1 << IFMA_LIMB_BITS) - 1)

/* Above this S (2048 bits) two singles, which have a square, beat a pair: those slots are NULL. */
#define PAIR_S_MAX     10

struct ifma_kernel {
    int s; /* S */
    /* r = a b / R mod m, not fully reduced:  r < a b / R + 2m.  Requires that to be at most R, and
     * a, b < R. r may be a or b. Secret: a, b, m.  Leaks: nothing. */
    void (*mul)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m);
    void (*mul_pair)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m);
    /* r = a^2 / R mod m, as mul; sqr also requires 2a < R. */
    void (*sqr)(uint64_t *r, const uint64_t *a, const struct ifma *m);
    void (*sqr_pair)(uint64_t *r, const uint64_t *a, const struct ifma *m);
    /* r = a + b - (0 or 4m), r = a - b + (0 or 4m), single: r < 4m.  Require a, b < 4m, 8m <= R. */
    void (*add)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m);
    void (*sub)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m);
    /* r = the entry index of a table of count entries of S vectors, reading all of them; of a pair,
     * number h has index[h].  Secret: table, index.  Leaks: count. */
    void (*gather)(uint64_t *r, const uint64_t *table, const unsigned *index, int count);
    void (*gather_pair)(uint64_t *r, const uint64_t *table, const unsigned *index, int count);
    /* r = the same value mod R with exact carries, for lanes < 2^61. */
    void (*norm)(uint64_t *r);
    void (*norm_pair)(uint64_t *r);
};

/* In increasing order of S, ended by NULL: empty where the compiler has no AVX-512. */
extern const struct ifma_kernel *const ifma_kernels[];

#endif
