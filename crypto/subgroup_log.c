/* Small discrete logarithms, for the results of exponential ElGamal: Shanks' baby steps and giant
 * steps (HAC 3.56).
 *
 *     m = i s + j,  s = ceil(sqrt(max + 1)):   g^j for all j < s in a table,  a (g^-s)^i for i < s
 *
 * The table has 64 bits of each power, and a hit is tried out.  Variable time throughout: what is
 * found here is about to be published. */
#include "subgroup.h"

#include <stdlib.h>

#define MAX_MAX ((uint64_t)1 << 40) /* a table of 16 MiB */

static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};
static const struct tahr_error too_large = {TAHR_BAD_CALL,
                                            "exponents are searched for up to 2^40 - 1 only", NULL};
static const struct tahr_error not_found = {TAHR_BAD_MESSAGE,
                                            "the exponent is not in the range given", NULL};

struct entry {
    uint64_t print;
    uint32_t j;
};

/* 64 bits of an element, or all if it has fewer. */
static uint64_t fingerprint(const elem *a, const struct mod *p)
{
    limb_t r[NAT_MAX];
    uint64_t print = 0;

    mod_leave(r, a, p);
    for (int i = 0; i < p->n && i * LIMB_BITS < 64; i++)
        print |= (uint64_t)r[i] << i * LIMB_BITS;
    return print;
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->print > y->print) - (x->print < y->print);
}

/* r = g^m. */
static void power(limb_t *r, uint64_t m, const struct tahr_group *group)
{
    limb_t e[LIMBS_OF_BITS(64)];

    for (int i = 0; i < LIMBS_OF_BITS(64); i++)
        e[i] = (limb_t)(m >> i * LIMB_BITS);
    mod_exp_vartime(r, group->g, e, 64, &group->p);
}

static struct entry *baby_steps(uint32_t s, const struct tahr_group *group)
{
    struct entry *table = malloc(s * sizeof *table);
    limb_t one[NAT_MAX];
    elem g, a;

    if (table == NULL)
        return NULL;
    nat_set(one, group->p.n, 1);
    mod_enter(&g, group->g, &group->p);
    mod_enter(&a, one, &group->p);
    for (uint32_t j = 0; j < s; j++) {
        table[j] = (struct entry){fingerprint(&a, &group->p), j};
        mod_mul(&a, &a, &g, &group->p);
    }
    qsort(table, s, sizeof *table, compare);
    return table;
}

/* Is a = g^m? */
static int is_log(const limb_t *a, uint64_t m, const struct tahr_group *group)
{
    limb_t r[NAT_MAX];

    power(r, m, group);
    return declassify(nat_eq(r, a, group->p.n)); /* public */
}

static tahr_err giant_steps(uint64_t *m, const limb_t *a, uint64_t max, uint32_t s,
                            const struct entry *table, const struct tahr_group *group)
{
    limb_t r[NAT_MAX];
    elem step, b;

    power(r, s, group);
    if (mod_inv_vartime(r, r, &group->p) != 0)
        return &not_found; /* p is prime: never */
    mod_enter(&step, r, &group->p);
    mod_enter(&b, a, &group->p);
    for (uint32_t i = 0; i < s; i++) {
        struct entry key = {fingerprint(&b, &group->p), 0};
        const struct entry *hit = bsearch(&key, table, s, sizeof *table, compare);

        if (hit != NULL) {
            *m = (uint64_t)i * s + hit->j;
            if (*m <= max && is_log(a, *m, group))
                return NULL;
        }
        mod_mul(&b, &b, &step, &group->p);
    }
    return &not_found;
}

tahr_err subgroup_log_vartime(uint64_t *m, const limb_t *a, uint64_t max,
                              const struct tahr_group *group)
{
    struct entry *table;
    uint32_t s = 1;
    tahr_err err;

    if (max >= MAX_MAX)
        return &too_large;
    while ((uint64_t)s * s <= max)
        s += s < 1024 ? 1 : s / 1024; /* at most 0.1 % above the root */
    table = baby_steps(s, group);
    if (table == NULL)
        return &no_memory;
    err = giant_steps(m, a, max, s, table, group);
    free(table);
    return err;
}
