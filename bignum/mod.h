/* Residues: a modulus, numbers modulo it, powers and inverses.
 *
 * A residue lives in one of two forms.  As a natural (limb_t[m->n], below m) it can be read,
 * written and compared.  As an `elem` it is in the form its engine multiplies in, and opaque.
 * mod_enter and mod_leave go between them.
 *
 * A modulus is a struct by value: no heap, and no failure after mod_init.  Its width and bit length
 * are public, are given and never discovered from the value; the modulus itself may be secret (a
 * prime of an RSA key).  Whoever holds a secret modulus wipes it with mod_wipe. */
#ifndef TAHR_MOD_H
#define TAHR_MOD_H

#include "nat.h"

/* Room for the widest element of any engine, in limbs. */
#define ELEM_MAX NAT_MAX

typedef struct {
    _Alignas(64) limb_t d[ELEM_MAX];
} elem;

/* What engine_ifma keeps of a modulus (ifma.h). */
#define IFMA_S_MAX 20
struct ifma {
    _Alignas(64) uint64_t m[8 * IFMA_S_MAX], k[8 * IFMA_S_MAX]; /* m, X^-1 mod m */
    uint64_t rr[8 * IFMA_S_MAX];                                /* R^2 mod m */
    _Alignas(16) uint64_t k0[2 * IFMA_S_MAX];                   /* -m^-1 mod X */
    const struct ifma_kernel *kernel;
};

struct engine;

struct mod {
    int n;     /* limbs of a residue */
    int bits;  /* bit length of m: 2^(bits-1) <= m < 2^bits */
    int width; /* limbs of an elem that its engine uses */
    const struct engine
        *eng; /* chosen at mod_init; nothing global, so two engines run side by side */
    _Alignas(64) limb_t m[NAT_MAX];
    union {
        struct {
            limb_t k0;          /* -m^-1 mod B */
            limb_t rr[NAT_MAX]; /* R^2 mod m, R = B^n */
        } mont;
        struct {
            limb_t mu[NAT_MAX + 1]; /* floor((B^2n - 1) / m) */
        } barrett;
        struct {
            limb_t v[3]; /* the reciprocal of engine_hardy.c */
        } hardy;
        struct ifma ifma;
    } u;
};

/* Makes the modulus m of the LIMBS_OF_BITS(bits) limbs at n, with the fastest engine that takes it.
 * Requires 2 <= bits <= NAT_MAX_BITS.  Returns 0, or -1 if bits is out of range, bit bits-1 of n is
 * not its highest, n is even (in public-key work always a mistake; mod_init_engine takes it), or no
 * engine takes it; m is then unusable.  The environment variable TAHR_ENGINE, when it names an
 * engine that takes the modulus, decides.  Secret: n.  Leaks: bits, and whether n is well formed.
 */
int mod_init(struct mod *m, const limb_t *n, int bits);

/* The same with the engine of that name, or the fastest if name is NULL, and for even n too; -1 if
 * no engine takes it. */
int mod_init_engine(struct mod *m, const limb_t *n, int bits, const char *name);

/* Overwrites the modulus and its constants. */
void mod_wipe(struct mod *m);

/* r (m->n limbs) = a mod m for a of any width.  Requires an >= 1.  r may be a.
 * Secret: a, m.  Leaks: m->bits, an. */
void mod_reduce(limb_t *r, const limb_t *a, int an, const struct mod *m);

/* r = a as an element, and back.  mod_enter requires a < m.
 * Secret: a, m.  Leaks: m->bits. */
void mod_enter(elem *r, const limb_t *a, const struct mod *m);
void mod_leave(limb_t *r, const elem *a, const struct mod *m);

/* r = a b, r = a^2, r = a + b, r = a - b modulo m.  Any output may be any input.
 * Secret: a, b, m.  Leaks: m->bits. */
void mod_mul(elem *r, const elem *a, const elem *b, const struct mod *m);
void mod_sqr(elem *r, const elem *a, const struct mod *m);
void mod_add(elem *r, const elem *a, const elem *b, const struct mod *m);
void mod_sub(elem *r, const elem *a, const elem *b, const struct mod *m);

/* r = a b mod m on naturals below m: enter one, multiply.  r may be a or b.
 * Secret: a, b, m.  Leaks: m->bits. */
void mod_product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m);

/* r = a^e mod m by fixed windows; a^0 = 1 mod m.  Requires a < m, ebits >= 0; e has
 * LIMBS_OF_BITS(ebits) limbs, of which the low ebits bits count.  r may be a.
 * Every table entry is read for every window (HAC 14.82 without skipping).
 * Secret: a, e, m.  Leaks: m->bits, ebits. */
void mod_exp(limb_t *r, const limb_t *a, const limb_t *e, int ebits, const struct mod *m);

/* r[h] = a[h]^e[h] mod m[h] for h = 0, 1, as mod_exp: a CRT pair, in little more than the time of
 * one where both moduli have one length and engine and the engine can.  r[h] may be a[h], and no
 * other. Secret: a, e, m.  Leaks: the bits of each m, ebits. */
void mod_exp2(limb_t *const r[2], const limb_t *const a[2], const limb_t *const e[2], int ebits,
              const struct mod *const m[2]);

/* r = a^e mod m for a public exponent: left to right, sliding window.  Variable time in e alone.
 * Secret: a, m.  Leaks: m->bits, e. */
void mod_exp_vartime(limb_t *r, const limb_t *a, const limb_t *e, int ebits, const struct mod *m);

/* r = a^-1 mod m by safegcd (Bernstein and Yang, TCHES 2019) with a fixed number of steps; returns
 * yes iff gcd(a, m) = 1, otherwise r = 0.  Requires a < m.  r may be a. Secret: a, m, the answer.
 * Leaks: m->bits. */
choice mod_inv(limb_t *r, const limb_t *a, const struct mod *m);

/* The same in variable time, for public a and m.  Returns 0, or -1 (and r = 0) without an inverse.
 */
int mod_inv_vartime(limb_t *r, const limb_t *a, const struct mod *m);

/* The Jacobi symbol (a | m): -1, 0 or 1, by signed divsteps with a fixed number of steps.
 * Requires a < m.  Secret: a, m, and the answer: compare it without a branch.  Leaks: m->bits. */
int mod_jacobi(const limb_t *a, const struct mod *m);

/* The same in variable time, for public a and m. */
int mod_jacobi_vartime(const limb_t *a, const struct mod *m);

#endif
