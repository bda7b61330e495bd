/* Groups for protocols: checked when they are made, and elements checked when they arrive.
 *
 * An element outside the subgroup would give away a private exponent modulo its order (Lim and Lee,
 * CRYPTO '97), so each is raised to the q-th power.  Where p is a safe prime a Jacobi symbol would
 * do; these groups mostly have a short q, where it would not. */
#include "subgroup.h"

#include "elgamal.h"
#include "prime.h"

#define ROUNDS 8 /* of Miller-Rabin, besides Baillie-PSW: whoever made the group may be hostile */

static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};
static const struct tahr_error bad_size = {
    TAHR_BAD_KEY, "the group's size is not accepted: p has 2048 to 8192 bits, q 224 or more", NULL};
static const struct tahr_error not_prime = {
    TAHR_BAD_KEY, "the group is broken: p and q are not both odd primes", NULL};
static const struct tahr_error bad_generator = {TAHR_BAD_KEY,
                                                "the group is broken: g is not of order q", NULL};
static const struct tahr_error bad_element = {TAHR_BAD_MESSAGE,
                                              "a number is not an element of the group", NULL};
static const struct tahr_error no_group = {
    TAHR_BAD_CALL, "there is no group of that name",
    "ffdhe or modp with 2048, 3072, 4096, 6144 or 8192, for example ffdhe3072"};

/* m = the odd number in bytes.  Returns its length in bits, or 0 if it is not of min to max bits.
 */
static int read_modulus(struct mod *m, struct bytes bytes, int min, int max)
{
    limb_t a[NAT_MAX];
    int bits;

    if (!declassify(nat_from_bytes(a, NAT_MAX, bytes.p, bytes.len))) /* public */
        return 0;
    bits = nat_bits_vartime(a, NAT_MAX);
    return bits >= min && bits <= max && mod_init(m, a, bits) == 0 ? bits : 0;
}

/* Is a^q = 1 mod p?  Requires a < p. */
static choice has_order_q(const limb_t *a, const struct tahr_group *group)
{
    limb_t r[NAT_MAX];
    choice one;

    mod_exp_vartime(r, a, group->q.m, group->q.bits, &group->p);
    one = nat_eq_limb(r, 1, group->p.n);
    nat_wipe(r, group->p.n);
    return one;
}

tahr_err subgroup_init(struct tahr_group *group, struct bytes p, struct bytes q, struct bytes g,
                       int min_bits, int min_q_bits)
{
    const struct mod *m = &group->p;
    choice good;

    if (!read_modulus(&group->p, p, min_bits, SUBGROUP_MAX_BITS) ||
        !read_modulus(&group->q, q, min_q_bits, m->bits - 1))
        return &bad_size;
    if (!prime_check_vartime(group->q.m, group->q.n, ROUNDS) ||
        !prime_check_vartime(m->m, m->n, ROUNDS))
        return &not_prime;
    good = nat_from_bytes(group->g, m->n, g.p, g.len);
    good = choice_and(good, nat_lt(group->g, m->m, m->n));
    good = choice_and(good, choice_not(nat_is_zero(group->g, m->n)));
    good = choice_and(good, choice_not(nat_eq_limb(group->g, 1, m->n)));
    if (!declassify(good) || !declassify(has_order_q(group->g, group))) /* public */
        return &bad_generator;
    return NULL;
}

int subgroup_element(limb_t *a, const uint8_t *bytes, const struct tahr_group *group)
{
    const struct mod *p = &group->p;
    choice good = nat_from_bytes(a, p->n, bytes, tahr_group_element_len(group));

    good = choice_and(good, nat_lt(a, p->m, p->n));
    good = choice_and(good, choice_not(nat_is_zero(a, p->n)));
    return declassify(good) &&                /* the caller is told */
           declassify(has_order_q(a, group)); /* likewise */
}

/* --- tahr.h --- */

/* *out = group if err is NULL; otherwise group is freed and err returned. */
static tahr_err deliver(tahr_group **out, tahr_group *group, tahr_err err)
{
    *out = err == NULL ? group : NULL;
    if (err != NULL)
        tahr_group_free(group);
    return err;
}

tahr_err tahr_group_new(tahr_group **group, const void *p, size_t p_len, const void *q,
                        size_t q_len, const void *g, size_t g_len)
{
    tahr_group *made = secret_alloc(sizeof *made);

    if (made == NULL)
        return deliver(group, made, &no_memory);
    return deliver(group, made,
                   subgroup_init(made, (struct bytes){p, p_len}, (struct bytes){q, q_len},
                                 (struct bytes){g, g_len}, SUBGROUP_MIN_BITS, SUBGROUP_MIN_Q_BITS));
}

tahr_err tahr_group_named(tahr_group **group, const char *name)
{
    tahr_group *made = secret_alloc(sizeof *made);
    struct group named;
    limb_t q[NAT_MAX];

    if (made == NULL)
        return deliver(group, made, &no_memory);
    if (group_named(&named, name) != 0)
        return deliver(group, made, &no_group);
    made->p = named.p;
    nat_copy(made->g, named.g, named.p.n);
    nat_shr(q, named.p.m, 1, named.p.n); /* p is a safe prime */
    return deliver(group, made, mod_init(&made->q, q, named.p.bits - 1) == 0 ? NULL : &bad_size);
}

void tahr_group_free(tahr_group *group)
{
    secret_free(group);
}

size_t tahr_group_element_len(const tahr_group *group)
{
    return ((size_t)group->p.bits + 7) / 8;
}

size_t tahr_group_exponent_len(const tahr_group *group)
{
    return ((size_t)group->q.bits + 7) / 8;
}

tahr_err tahr_group_check(const unsigned char *a, const tahr_group *group)
{
    limb_t element[NAT_MAX];
    int good = subgroup_element(element, a, group);

    nat_wipe(element, group->p.n);
    return good ? NULL : &bad_element;
}
