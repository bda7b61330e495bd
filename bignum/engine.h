/* Private to bignum: how residues are multiplied, one row of a table for each way.
 *
 * Adding an engine is one file and one row in engine.c; tests, benchmark and the constant-time
 * check walk the table. */
#ifndef TAHR_ENGINE_H
#define TAHR_ENGINE_H

#include "mod.h"

struct engine {
    const char *name;
    /* May this engine serve a modulus of so many bits, odd or even, on this machine? */
    int (*usable)(int bits, int odd);
    /* Fills width and the constants in m->u, from m->m, m->n and m->bits. */
    void (*setup)(struct mod *m);
    void (*enter)(elem *r, const limb_t *a, const struct mod *m);
    void (*leave)(limb_t *r, const elem *a, const struct mod *m);
    void (*mul)(elem *r, const elem *a, const elem *b, const struct mod *m);
    void (*sqr)(elem *r, const elem *a, const struct mod *m);
    void (*add)(elem *r, const elem *a, const elem *b, const struct mod *m);
    void (*sub)(elem *r, const elem *a, const elem *b, const struct mod *m);
    /* r = a b mod m for an element a and a natural b of m->n limbs, b < B^n; r < m as a natural. */
    void (*mul_leave)(limb_t *r, const elem *a, const limb_t *b, const struct mod *m);
    /* r = entry *index of a table of count elements, m->width limbs apart, reading all of them.
     * Secret: table, index.  Leaks: m->bits, count.  NULL: as mod_exp.c does it. */
    void (*gather)(elem *r, const limb_t *table, const unsigned *index, int count,
                   const struct mod *m);
    /* r = both moduli, of one length and this engine, as one whose elements and naturals are pairs:
     * naturals n limbs apart, gather with two indices.  Returns 0, or -1 if there is no kernel for
     * that length.  NULL: there is none at all. */
    int (*pair)(struct mod *r, const struct mod *const m[2]);
};

/* r = 2^k mod m by doubling, for setup: m->m, m->n and m->bits are known.
 * Requires k >= m->bits.  Secret: m.  Leaks: m->bits, k. */
void mod_power_of_two(limb_t *r, int k, const struct mod *m);

/* Slots for engines whose elements are naturals below m: in a form that a fixed factor makes, or
 * the residues themselves. */
void engine_add(elem *r, const elem *a, const elem *b, const struct mod *m);
void engine_sub(elem *r, const elem *a, const elem *b, const struct mod *m);
void engine_enter_plain(elem *r, const limb_t *a, const struct mod *m);
void engine_leave_plain(limb_t *r, const elem *a, const struct mod *m);

extern const struct engine engine_ifma, engine_adx, engine_mont, engine_redc, engine_barrett,
    engine_hardy;

/* The table, fastest first, ended by NULL. */
extern const struct engine *const engines[];

/* The first usable row, or the row of that name if name is not NULL; NULL if there is none. */
const struct engine *engine_find(const char *name, int bits, int odd);

#endif
