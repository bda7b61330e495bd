/* Edge operands and random ones; see edges.h. */
#include "edges.h"

#include <stdlib.h>

const int edge_lengths[] = {2,   3,   5,   7,   8,   9,   15,  16,  17,  31,   32,   33,   63,
                            64,  65,  66,  127, 128, 129, 191, 192, 193, 255,  256,  257,  320,
                            384, 511, 512, 513, 521, 767, 768, 769, 960, 1023, 1024, 1025, 0};

/* r = r mod 2^bits. */
static void cut(limb_t *r, int n, int bits)
{
    for (int i = 0; i < n; i++) {
        int keep = bits - i * LIMB_BITS;
        if (keep < LIMB_BITS)
            r[i] &= (limb_t)(keep <= 0 ? 0 : ((limb_t)1 << keep) - 1);
    }
}

/* r = 2^k mod B^n. */
static void set_power(limb_t *r, int n, int k)
{
    nat_set(r, n, 1);
    nat_shl(r, r, k < n * LIMB_BITS ? k : n * LIMB_BITS, n);
}

/* The edges of the form 2^k + add (or just add), k depending on the length. */
enum power { NONE, LENGTH, TOP_BIT, MIDDLE, TOP_LIMB };
static const struct {
    enum power k;
    int add;
} near_power[] = {
    {NONE, 0},    {NONE, 1},     {NONE, 2},      {NONE, 3},     {LENGTH, -1},
    {LENGTH, -2}, {TOP_BIT, -1}, {TOP_BIT, 0},   {TOP_BIT, 1},  {MIDDLE, -1},
    {MIDDLE, 0},  {MIDDLE, 1},   {TOP_LIMB, -1}, {TOP_LIMB, 0}, {TOP_LIMB, 1},
};
#define NEAR_POWERS ((int)(sizeof near_power / sizeof *near_power))

void edge_nat(limb_t *r, int n, int bits, int i)
{
    int k[] = {n * LIMB_BITS, bits, bits - 1, bits / 2, (bits - 1) / LIMB_BITS * LIMB_BITS};
    if (i < NEAR_POWERS) {
        limb_t add = (limb_t)near_power[i].add; /* -1 is B-1 with a borrow from above */
        set_power(r, n, k[near_power[i].k]);
        if (near_power[i].add < 0)
            nat_sub_limb(r, r, (limb_t)(0 - add), n);
        else
            nat_add_limb(r, r, add, n);
    } else {
        for (int j = 0; j < n; j++) {
            int ones[] = {j % 2 == 0, j % 2 == 1, j >= n / 2, j < n / 2, j != n / 2,
                          j != 0,     j % 3 != 0, j != n - 1, 1};
            r[j] = ones[i - NEAR_POWERS] ? LIMB_MAX : 0;
        }
        r[0] = i == EDGES - 1 ? LIMB_MAX - 1 : r[0];
    }
    cut(r, n, bits);
}

void edge_residue(limb_t *r, const limb_t *m, int bits, int i)
{
    int n = LIMBS_OF_BITS(bits);
    if (i < 2) {
        nat_sub_limb(r, m, (limb_t)(i + 1), n);
    } else if (i < 4) {
        nat_shr(r, m, 1, n);
        nat_add_limb(r, r, (limb_t)(i - 2), n);
    } else {
        edge_nat(r, n, bits, i - 4);
    }
    nat_sub_if(r, r, m, choice_not(nat_lt(r, m, n)), n);
}

void edge_modulus(limb_t *r, int bits, int i)
{
    int n = LIMBS_OF_BITS(bits);
    limb_t top[NAT_MAX];
    set_power(top, n, bits - 1);
    edge_nat(r, n, bits, i);
    r[0] |= 1;
    r[n - 1] |= top[n - 1];
}

uint64_t test_random(void)
{
    static uint64_t x;
    if (x == 0) {
        const char *seed = getenv("TEST_SEED");
        x = seed ? strtoull(seed, NULL, 0) : 0;
        x = x ? x : 0x9e3779b97f4a7c15;
    }
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return x * 0x2545f4914f6cdd1d;
}

void random_nat(limb_t *r, int n, int bits)
{
    for (int i = 0; i < n; i++)
        r[i] = (limb_t)(test_random() >> (64 - LIMB_BITS));
    cut(r, n, bits);
}

void random_residue(limb_t *r, const limb_t *m, int bits)
{
    int n = LIMBS_OF_BITS(bits);
    random_nat(r, n, bits);
    nat_sub_if(r, r, m, choice_not(nat_lt(r, m, n)), n); /* r < 2^bits <= 2m */
}

void random_modulus(limb_t *r, int bits)
{
    int n = LIMBS_OF_BITS(bits);
    random_nat(r, n, bits);
    r[0] |= 1;
    r[n - 1] |= (limb_t)((limb_t)1 << (bits - 1) % LIMB_BITS);
}
