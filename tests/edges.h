/* The operands that every arithmetic test tries first, and reproducible random ones. */
#ifndef TAHR_TESTS_EDGES_H
#define TAHR_TESTS_EDGES_H

#include "nat.h"

/* How many edges there are of each kind; i below lies in [0, EDGES). */
#define EDGES 24

/* Bit lengths to try, at limb and kernel boundaries and beside them, increasing, ended by 0. */
extern const int edge_lengths[];

/* r (n limbs) = edge i of at most bits bits: 0, 1, 2, 3, all ones, one top bit, 2^k and 2^k +- 1 in
 * the middle and at the top limb, limbs of all ones and of zeros.  1 <= bits <= n LIMB_BITS. */
void edge_nat(limb_t *r, int n, int bits, int i);

/* r = edge i below m: m-1, m-2, (m-1)/2, (m+1)/2, then edges of bits bits, less m if they are not
 * below it.  m has exactly bits >= 2 bits, in LIMBS_OF_BITS(bits) limbs; it may be even. */
void edge_residue(limb_t *r, const limb_t *m, int bits, int i);

/* r = odd edge i of exactly bits >= 2 bits, in LIMBS_OF_BITS(bits) limbs. */
void edge_modulus(limb_t *r, int bits, int i);

/* xorshift64* (Vigna, ACM TOMS 42, 2016) from a fixed seed, or from TEST_SEED in the environment.
 */
uint64_t test_random(void);

/* r (n limbs) random below 2^bits; below m; odd and of exactly bits bits. Sizes as above. */
void random_nat(limb_t *r, int n, int bits);
void random_residue(limb_t *r, const limb_t *m, int bits);
void random_modulus(limb_t *r, int bits);

#endif
