/* Primes that moduli share, all at once: gcd(n_i, product of the others) for every i.
 *
 * A product tree has P = P_left P_right at its nodes, from the n_i up, and beside it
 *
 *     S = S_left P_right + S_right P_left,   1 at a leaf:   S mod n_i = product of the others mod
 * n_i
 *
 * since all other terms of S are multiples of n_i.  The remainders go down the tree as fractions
 * (D. J. Bernstein, "Scaled remainder trees", 2004): with F = S/P mod 1 at a node,
 *
 *     F_left = F P_right mod 1,   F_right = F P_left mod 1,   S mod n_i = F n_i at the leaf,
 *
 * so that the only division is that at the root, by Newton's reciprocal.  Moduli need not be
 * squared, as they are where P mod n_i^2 is computed.
 *
 * Precision.  A node keeps bits(P) + GUARD bits of its F.  An error of u units in the last place is
 * at most 2u + 1 units in a child: P_right is below 2^(bits(P) - bits(P_left) + 1), and what is cut
 * off is below one unit.  After 30 levels, from 2^4 units at the root, it is below 2^36 units, that
 * is 2^(36 - GUARD) of n_i when F n_i is rounded. */
#include "audit.h"
#include "parallel.h"

#include <stdlib.h>

#define GUARD      64
#define LEVELS_MAX 32

struct row {
    mp_int *a;
    size_t count;
};

static void row_free(struct row *row)
{
    for (size_t i = 0; i < row->count; i++)
        mp_clear(&row->a[i]);
    free(row->a);
    *row = (struct row){NULL, 0};
}

/* Zeros.  Returns 0 or -1. */
static int row_init(struct row *row, size_t count)
{
    *row = (struct row){calloc(count, sizeof *row->a), 0};
    while (row->a != NULL && row->count < count && mp_init_size(&row->a[row->count], 0) == 0)
        row->count++;
    if (row->count == count)
        return 0;
    row_free(row);
    return -1;
}

/* Level 0 is the moduli; level k + 1 has half of level k's nodes, rounded up.  An odd one out is
 * its own parent. */
struct tree {
    int levels;
    struct row product[LEVELS_MAX];
};

/* The step from one level to the next, shared by the threads. */
struct step {
    const struct row *lower, *upper; /* P */
    const struct row *from, *to;     /* S, or F */
};

/* P, S of node i of the upper level from those of its children. */
static int join(void *context, size_t i)
{
    const struct step *step = context;
    const mp_int *left = &step->lower->a[2 * i], *right = left + 1;
    const mp_int *s_left = &step->from->a[2 * i], *s_right = s_left + 1;
    mp_int *p = &step->upper->a[i], *s = &step->to->a[i], t;
    int err;

    if (2 * i + 1 == step->lower->count)
        return mp_copy(left, p) || mp_copy(s_left, s) ? -1 : 0;
    if (mp_init(&t))
        return -1;
    err = mp_mul(left, right, p) || mp_mul(s_left, right, s) || mp_mul(s_right, left, &t) ||
          mp_add(s, &t, s);
    mp_clear(&t);
    return err ? -1 : 0;
}

/* F of node i of the lower level from that of its parent. */
static int part(void *context, size_t i)
{
    const struct step *step = context;
    const mp_int *f = &step->from->a[i / 2];
    int bits = mp_count_bits(&step->upper->a[i / 2]),
        cut = bits - mp_count_bits(&step->lower->a[i]);
    mp_int *r = &step->to->a[i];

    if ((i ^ 1) == step->lower->count)
        return mp_copy(f, r) ? -1 : 0;
    return mp_mul(f, &step->lower->a[i ^ 1], r) || mp_mod_2d(r, bits + GUARD, r) ||
                   mp_div_2d(r, cut, r, NULL)
               ? -1
               : 0;
}

/* shared_i = gcd(n_i, F n_i rounded); a remainder of 0 gives n_i. */
static int finish(void *context, size_t i)
{
    const struct step *step = context;
    const mp_int *n = &step->lower->a[i];
    mp_int *r = &step->to->a[i];

    return mp_mul(&step->from->a[i], n, r) || mp_div_2d(r, mp_count_bits(n) + GUARD - 1, r, NULL) ||
                   mp_incr(r) || mp_div_2(r, r) || mp_gcd(r, n, r)
               ? -1
               : 0;
}

/* r = 2^(bits(p) + k)/p, but for some units: from r' of half the precision h, by Newton
 *
 *     r = (r' + r' (2^(b + h) - p r')/2^(b + h)) 2^(k - h)
 *
 * with p cut to k + 8 bits, b its length: that changes r by less than a unit.  The error of r' is
 * some 2^-h, and its square below a unit too, since 2 (h - 4) >= k. */
static int reciprocal(mp_int *r, const mp_int *p, int k)
{
    int cut = mp_count_bits(p) - k - 8, h = k / 2 + 4, b, err = -1;
    mp_int t, e;

    if (mp_init_multi(&t, &e, NULL))
        return -1;
    if (mp_div_2d(p, cut, &t, NULL)) /* a cut below 0 is none */
        goto done;
    b = mp_count_bits(&t);
    if (k < 1024) {
        err = mp_2expt(&e, b + k) || mp_div(&e, &t, r, NULL) ? -1 : 0;
        goto done;
    }
    if (reciprocal(r, &t, h) || mp_mul(&t, r, &t) || mp_2expt(&e, b + h) || mp_sub(&e, &t, &e) ||
        mp_mul(&e, r, &e) || mp_div_2d(&e, b + h - (k - h), &e, NULL) || mp_mul_2d(r, k - h, r) ||
        mp_add(r, &e, r))
        goto done;
    err = 0;
done:
    mp_clear_multi(&t, &e, NULL);
    return err;
}

/* f = S/P mod 1 in bits(P) + GUARD bits; S/P, the sum of the 1/n_i, is small. */
static int divide(mp_int *f, const mp_int *s, const mp_int *p)
{
    int b = mp_count_bits(p), k = b + GUARD, err;
    mp_int r;

    if (mp_init(&r))
        return -1;
    err = reciprocal(&r, p, k) || mp_mul(s, &r, f) || mp_div_2d(f, b, f, NULL) || mp_mod_2d(f, k, f)
              ? -1
              : 0;
    mp_clear(&r);
    return err;
}

/* Takes one step with all threads; its end replaces its beginning in *row. */
static tahr_err take(struct row *row, size_t count, int (*work)(void *context, size_t i),
                     const struct row *lower, const struct row *upper,
                     const struct tahr_watch *watch, unsigned long *done)
{
    struct row next;
    struct step step = {lower, upper, row, &next};
    tahr_err err;

    if (row_init(&next, count))
        return &keyfile_no_memory;
    err = parallel_for(count, work, &step, watch, *done);
    row_free(row);
    *row = next;
    *done += count;
    return err;
}

/* Builds the tree above level 0; the S of the leaves become that of the root. */
static tahr_err climb(struct tree *tree, struct row *s, const struct tahr_watch *watch,
                      unsigned long *done)
{
    tahr_err err = NULL;

    while (err == NULL && tree->product[tree->levels - 1].count > 1) {
        struct row *lower = &tree->product[tree->levels - 1], *upper = lower + 1;
        if (row_init(upper, (lower->count + 1) / 2))
            return &keyfile_no_memory;
        tree->levels++;
        err = take(s, upper->count, join, lower, upper, watch, done);
    }
    return err;
}

/* F of the root becomes those of the leaves, and these the answers. */
static tahr_err descend(const struct tree *tree, struct row *f, const struct tahr_watch *watch,
                        unsigned long *done)
{
    const struct row *leaves = tree->product;
    tahr_err err = NULL;

    for (int k = tree->levels - 2; k >= 0 && err == NULL; k--)
        err = take(f, leaves[k].count, part, &leaves[k], &leaves[k + 1], watch, done);
    return err ? err : take(f, leaves->count, finish, leaves, NULL, watch, done);
}

tahr_err audit_batch_gcd(mp_int *shared, const mp_int *const *n, size_t count,
                         const struct tahr_watch *watch)
{
    struct tree tree = {.levels = 0};
    struct row s = {NULL, 0}, f = {NULL, 0};
    unsigned long done = 0;
    tahr_err err = &keyfile_no_memory;

    if (row_init(&tree.product[0], count))
        return err;
    tree.levels = 1;
    if (row_init(&s, count) || row_init(&f, 1))
        goto done;
    for (size_t i = 0; i < count; i++) {
        if (mp_copy(n[i], &tree.product[0].a[i]))
            goto done;
        mp_set(&s.a[i], 1);
    }
    if ((err = climb(&tree, &s, watch, &done)))
        goto done;
    err = &keyfile_no_memory;
    if (divide(&f.a[0], &s.a[0], &tree.product[tree.levels - 1].a[0]))
        goto done;
    if ((err = descend(&tree, &f, watch, &done)))
        goto done;
    for (size_t i = 0; i < count; i++)
        mp_exch(&shared[i], &f.a[i]);
done:
    for (int k = 0; k < tree.levels; k++)
        row_free(&tree.product[k]);
    row_free(&s);
    row_free(&f);
    return err;
}
