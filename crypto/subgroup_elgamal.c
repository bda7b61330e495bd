/* Raw ElGamal on the elements of a group (HAC 8.26): a ciphertext is (c1, c2) = (g^k, m y^k).
 *
 * Encrypting is re-randomising the ciphertext (1, m), and the exponential form puts g^m for m, so
 * one function does all three.  There is no padding and no check: ciphertexts can be multiplied,
 * which is the point, and by anybody. */
#include "subgroup.h"

static const struct tahr_error bad_element = {TAHR_BAD_MESSAGE,
                                              "a number is not an element of the group", NULL};
static const struct tahr_error bad_public = {
    TAHR_BAD_KEY, "the public key is not an element of the group, or is 1", NULL};
static const struct tahr_error bad_private = {TAHR_BAD_KEY,
                                              "the private key is not between 1 and q - 1", NULL};

/* x from bytes; returns 1 iff 1 <= x < q. */
static int read_exponent(limb_t *x, const uint8_t *bytes, const struct mod *q)
{
    choice good = nat_from_bytes(x, q->n, bytes, ((size_t)q->bits + 7) / 8);

    good = choice_and(good, nat_lt(x, q->m, q->n));
    good = choice_and(good, choice_not(nat_is_zero(x, q->n)));
    return declassify(good); /* the caller is told */
}

/* k (q.n limbs) uniform in [1, q - 1]: what is out of range is thrown away, fewer than half. */
static void random_exponent(limb_t *k, const struct mod *q)
{
    uint8_t bytes[SUBGROUP_MAX_BITS / 8];
    size_t len = ((size_t)q->bits + 7) / 8;

    do {
        secret_random(bytes, len);
        bytes[0] &= (uint8_t)(0xff >> (8 * len - (size_t)q->bits));
    } while (!read_exponent(k, bytes, q));
    secret_wipe(bytes, len);
}

static void write_element(unsigned char *bytes, const limb_t *a, const struct tahr_group *group)
{
    nat_to_bytes(bytes, tahr_group_element_len(group), a, group->p.n);
}

/* c = (c1 g^k, c2 y^k) for a fresh k.  Secret: c2, k. */
static tahr_err blind(unsigned char *c, const limb_t *c1, const limb_t *c2, const unsigned char *y,
                      const struct tahr_group *group)
{
    limb_t k[NAT_MAX], a[NAT_MAX], b[NAT_MAX];
    const struct mod *p = &group->p, *q = &group->q;

    if (!subgroup_element(b, y, group) || declassify(nat_eq_limb(b, 1, p->n))) /* public */
        return &bad_public;
    random_exponent(k, q);
    mod_exp(a, group->g, k, q->bits, p);
    mod_product(a, a, c1, p);
    write_element(c, a, group);
    mod_exp(b, b, k, q->bits, p);
    mod_product(b, b, c2, p);
    write_element(c + tahr_group_element_len(group), b, group);
    declassify_bytes(c, 2 * tahr_group_element_len(group)); /* the ciphertext */
    nat_wipe(k, q->n);
    nat_wipe(b, p->n);
    return NULL;
}

static int read_pair(limb_t *c1, limb_t *c2, const unsigned char *c, const struct tahr_group *group)
{
    return subgroup_element(c1, c, group) &&
           subgroup_element(c2, c + tahr_group_element_len(group), group);
}

tahr_err tahr_elgamal_public(unsigned char *y, const unsigned char *x, const tahr_group *group)
{
    limb_t e[NAT_MAX], a[NAT_MAX];
    tahr_err err = &bad_private;

    if (read_exponent(e, x, &group->q)) {
        mod_exp(a, group->g, e, group->q.bits, &group->p);
        write_element(y, a, group);
        declassify_bytes(y, tahr_group_element_len(group)); /* the public key */
        err = NULL;
    }
    nat_wipe(e, group->q.n);
    return err;
}

tahr_err tahr_elgamal_new(unsigned char *x, unsigned char *y, const tahr_group *group)
{
    limb_t e[NAT_MAX];

    random_exponent(e, &group->q);
    nat_to_bytes(x, tahr_group_exponent_len(group), e, group->q.n);
    nat_wipe(e, group->q.n);
    return tahr_elgamal_public(y, x, group);
}

tahr_err tahr_elgamal_encrypt(unsigned char *c, const unsigned char *m, const unsigned char *y,
                              const tahr_group *group)
{
    limb_t one[NAT_MAX], a[NAT_MAX];
    tahr_err err = &bad_element;

    nat_set(one, group->p.n, 1);
    if (subgroup_element(a, m, group))
        err = blind(c, one, a, y, group);
    nat_wipe(a, group->p.n);
    return err;
}

tahr_err tahr_elgamal_encrypt_exponent(unsigned char *c, uint64_t m, const unsigned char *y,
                                       const tahr_group *group)
{
    limb_t one[NAT_MAX], a[NAT_MAX], e[LIMBS_OF_BITS(64)];
    tahr_err err;

    nat_set(one, group->p.n, 1);
    for (int i = 0; i < LIMBS_OF_BITS(64); i++)
        e[i] = (limb_t)(m >> i * LIMB_BITS);
    mod_exp(a, group->g, e, 64, &group->p);
    err = blind(c, one, a, y, group);
    nat_wipe(e, LIMBS_OF_BITS(64));
    nat_wipe(a, group->p.n);
    return err;
}

tahr_err tahr_elgamal_rerandomize(unsigned char *c, const unsigned char *a, const unsigned char *y,
                                  const tahr_group *group)
{
    limb_t a1[NAT_MAX], a2[NAT_MAX];

    return read_pair(a1, a2, a, group) ? blind(c, a1, a2, y, group) : &bad_element;
}

tahr_err tahr_elgamal_multiply(unsigned char *c, const unsigned char *a, const unsigned char *b,
                               const tahr_group *group)
{
    limb_t a1[NAT_MAX], a2[NAT_MAX], b1[NAT_MAX], b2[NAT_MAX];

    if (!read_pair(a1, a2, a, group) || !read_pair(b1, b2, b, group))
        return &bad_element;
    mod_product(a1, a1, b1, &group->p);
    mod_product(a2, a2, b2, &group->p);
    write_element(c, a1, group);
    write_element(c + tahr_group_element_len(group), a2, group);
    return NULL;
}

/* m = c2 / c1^x.  Secret: m, x. */
static tahr_err open_pair(limb_t *m, const unsigned char *c, const unsigned char *x,
                          const struct tahr_group *group)
{
    limb_t c2[NAT_MAX], e[NAT_MAX];
    const struct mod *p = &group->p;
    tahr_err err = &bad_element;

    if (!read_pair(m, c2, c, group))
        return err;
    if (mod_inv_vartime(m, m, p) != 0) /* c1 is public, and invertible: p is prime */
        return err;
    err = &bad_private;
    if (read_exponent(e, x, &group->q)) {
        mod_exp(m, m, e, group->q.bits, p);
        mod_product(m, m, c2, p);
        err = NULL;
    }
    nat_wipe(e, group->q.n);
    return err;
}

tahr_err tahr_elgamal_decrypt(unsigned char *m, const unsigned char *c, const unsigned char *x,
                              const tahr_group *group)
{
    limb_t a[NAT_MAX];
    tahr_err err = open_pair(a, c, x, group);

    if (err == NULL)
        write_element(m, a, group);
    nat_wipe(a, group->p.n);
    return err;
}

tahr_err tahr_elgamal_decrypt_exponent(uint64_t *m, const unsigned char *c, const unsigned char *x,
                                       uint64_t max, const tahr_group *group)
{
    limb_t a[NAT_MAX];
    tahr_err err = open_pair(a, c, x, group);

    if (err == NULL) {
        declassify_bytes(a, (size_t)group->p.n * LIMB_BYTES); /* m is wanted in the open */
        err = subgroup_log_vartime(m, a, max, group);
    }
    nat_wipe(a, group->p.n);
    return err;
}
