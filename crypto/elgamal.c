/* ElGamal (HAC 8.18) over the groups of groups.c: keys, the KEM, and the raw operation.
 *
 * Everything that arrives (y, c1, c2, m) is shown to be a residue before a secret meets it: for p =
 * 2q + 1 the residues are the subgroup of order q, and the Jacobi symbol tells them from the rest
 * at a fraction of the cost of a^q.  Without that check a chosen element gives away x modulo the
 * small factors of p - 1 (Lim and Lee, CRYPTO '97).  Exponent loops have a public length: L bits,
 * or those of q for a longer imported x. */
#include "elgamal.h"

static const struct tahr_error bad_public = {
    TAHR_BAD_KEY, "the ElGamal public key is not valid: y is no residue between 2 and p - 2", NULL};
static const struct tahr_error bad_private = {
    TAHR_BAD_KEY, "the ElGamal private key is not valid: x is not between 1 and q - 1", NULL};
static const struct tahr_error unlike = {
    TAHR_BAD_KEY, "the ElGamal private key is inconsistent: y is not g^x", NULL};
static const struct tahr_error bad_element = {
    TAHR_BAD_MESSAGE, "an ElGamal value is not an element of the key's group", NULL};
static const struct tahr_error bad_k = {TAHR_BAD_CALL, "k must not be 0", NULL};

/* r = the public element in len bytes; returns 1, or 0 if it is none. */
static int element_from_bytes(limb_t *r, const uint8_t *a, size_t len, const struct group *g)
{
    if (len != group_len(g))
        return 0;
    nat_from_bytes(r, g->p.n, a, len); /* fits: p.n limbs hold the bytes of p */
    return declassify(group_in_range(r, g)) && mod_jacobi_vartime(r, &g->p) == 1; /* a is public */
}

int elgamal_element_valid(const uint8_t *a, size_t len, const struct group *g)
{
    limb_t r[NAT_MAX];
    return element_from_bytes(r, a, len, g);
}

tahr_err elgamal_public_init(struct elgamal_public *pub, const uint8_t *y, size_t len)
{
    return element_from_bytes(pub->y, y, len, &pub->group) ? NULL : &bad_public;
}

tahr_err elgamal_private_init(struct elgamal_private *key, const uint8_t *x, size_t len,
                              const uint8_t *y, size_t ylen)
{
    const struct group *g = &key->pub.group;
    const struct mod *p = &g->p;
    limb_t q[NAT_MAX], given[NAT_MAX];
    nat_shr(q, p->m, 1, p->n);
    choice good = nat_from_bytes(key->x, p->n, x, len);
    good = choice_and(good, nat_lt(key->x, q, p->n));
    good = choice_and(good, choice_not(nat_is_zero(key->x, p->n)));
    if (!declassify(good)) /* the key is refused, whatever it is */
        return &bad_private;
    key->xbits = len <= (size_t)g->xbits / 8 ? g->xbits : p->bits - 1;
    mod_exp(key->pub.y, g->g, key->x, key->xbits, p);
    declassify_bytes(key->pub.y, (size_t)p->n * LIMB_BYTES); /* the public key */
    if (y == NULL)
        return NULL;
    good = nat_from_bytes(given, p->n, y, ylen);
    good = choice_and(good, nat_eq(given, key->pub.y, p->n));
    return declassify(good) ? NULL : &unlike; /* y is public */
}

/* k = L/8 random bytes that are not all zero: uniform in [1, 2^L - 1]. */
static void random_exponent(uint8_t *k, const struct group *g)
{
    limb_t any;
    do {
        any = 0;
        secret_random(k, (size_t)g->xbits / 8);
        for (int i = 0; i < g->xbits / 8; i++)
            any |= k[i];
    } while (!declassify(choice_nonzero(any))); /* a 0 is thrown away */
}

tahr_err elgamal_generate(struct elgamal_private *key)
{
    uint8_t x[ELGAMAL_MAX_KLEN];
    random_exponent(x, &key->pub.group);
    tahr_err err = elgamal_private_init(key, x, (size_t)key->pub.group.xbits / 8, NULL, 0);
    secret_wipe(x, sizeof x);
    return err;
}

/* (c1, z) = (g^k, y^k), c1 in bytes, for k of L/8 bytes. */
static tahr_err powers(uint8_t *c1, limb_t *z, const uint8_t *k, const struct elgamal_public *pub)
{
    const struct group *g = &pub->group;
    limb_t e[NAT_MAX];
    tahr_err err = &bad_k;
    nat_from_bytes(e, g->p.n, k, (size_t)g->xbits / 8);
    if (declassify(nat_is_zero(e, g->p.n))) /* refused, so no secret */
        goto done;
    mod_exp(z, g->g, e, g->xbits, &g->p);
    nat_to_bytes(c1, group_len(g), z, g->p.n);
    declassify_bytes(c1, group_len(g)); /* it is sent */
    mod_exp(z, pub->y, e, g->xbits, &g->p);
    err = NULL;
done:
    nat_wipe(e, g->p.n);
    return err;
}

tahr_err elgamal_encapsulate_with(uint8_t *c1, uint8_t *z, const uint8_t *k,
                                  const struct elgamal_public *pub)
{
    const struct group *g = &pub->group;
    limb_t power[NAT_MAX];
    tahr_err err = powers(c1, power, k, pub);
    if (!err)
        nat_to_bytes(z, group_len(g), power, g->p.n);
    nat_wipe(power, g->p.n);
    return err;
}

tahr_err elgamal_encapsulate(uint8_t *c1, uint8_t *z, const struct elgamal_public *pub)
{
    uint8_t k[ELGAMAL_MAX_KLEN];
    random_exponent(k, &pub->group);
    tahr_err err = elgamal_encapsulate_with(c1, z, k, pub);
    secret_wipe(k, sizeof k);
    return err;
}

tahr_err elgamal_decapsulate(uint8_t *z, const uint8_t *c1, size_t len,
                             const struct elgamal_private *key)
{
    const struct group *g = &key->pub.group;
    limb_t a[NAT_MAX];
    if (!element_from_bytes(a, c1, len, g))
        return &bad_element;
    mod_exp(a, a, key->x, key->xbits, &g->p);
    nat_to_bytes(z, len, a, g->p.n);
    nat_wipe(a, g->p.n);
    return NULL;
}

tahr_err elgamal_encrypt(uint8_t *c1, uint8_t *c2, const uint8_t *m,
                         const struct elgamal_public *pub)
{
    const struct group *g = &pub->group;
    limb_t a[NAT_MAX], z[NAT_MAX];
    uint8_t k[ELGAMAL_MAX_KLEN];
    tahr_err err = &bad_element;
    nat_from_bytes(a, g->p.n, m, group_len(g));
    if (!declassify(group_in_range(a, g))) /* refused, and said so */
        goto done;
    if (!declassify(choice_eq((limb_t)mod_jacobi(a, &g->p), 1))) /* refused, and said so */
        goto done;
    random_exponent(k, g);
    err = powers(c1, z, k, pub);
    if (err)
        goto done;
    mod_product(z, z, a, &g->p);
    nat_to_bytes(c2, group_len(g), z, g->p.n);
done:
    nat_wipe(a, g->p.n);
    nat_wipe(z, g->p.n);
    secret_wipe(k, sizeof k);
    return err;
}

tahr_err elgamal_decrypt(uint8_t *m, const uint8_t *c1, const uint8_t *c2,
                         const struct elgamal_private *key)
{
    const struct group *g = &key->pub.group;
    size_t len = group_len(g);
    limb_t a[NAT_MAX], b[NAT_MAX];
    if (!element_from_bytes(a, c1, len, g) || !element_from_bytes(b, c2, len, g))
        return &bad_element;
    if (mod_inv_vartime(a, a, &g->p)) /* c1 is public, and invertible: p is prime */
        return &bad_element;
    mod_exp(a, a, key->x, key->xbits, &g->p);
    mod_product(a, a, b, &g->p);
    nat_to_bytes(m, len, a, g->p.n);
    nat_wipe(a, g->p.n);
    return NULL;
}
