/* RSA's raw operations (RFC 8017 5.1).
 *
 * The private one is blinded (Kocher, CRYPTO '96), goes by the Chinese remainder theorem with
 * Garner's recombination, and is verified before anything is released, since a single faulty half
 * gives away a factor of n (Boneh, DeMillo, Lipton, EUROCRYPT '97). */
#include "rsa.h"

static const struct tahr_error too_short = {
    TAHR_BAD_KEY, "the RSA key is too short to be safe",
    "RSA keys must have 2048 bits or more; make a new one with tahr-key new -t rsa"};
static const struct tahr_error too_long = {TAHR_BAD_KEY, "the RSA key is longer than 16384 bits",
                                           NULL};
static const struct tahr_error bad_exponent = {
    TAHR_BAD_KEY, "the RSA public exponent is not an odd number from 3 to 16777215", NULL};
static const struct tahr_error even_modulus = {TAHR_BAD_KEY, "the RSA modulus is even", NULL};
static const struct tahr_error out_of_range = {
    TAHR_BAD_CALL, "the number to encrypt is not below the RSA modulus", NULL};
static const struct tahr_error bad_ciphertext = {
    TAHR_BAD_MESSAGE, "the number to decrypt is not below the RSA modulus", NULL};
static const struct tahr_error fault = {
    TAHR_BAD_KEY, "the result of an RSA private operation is wrong and was not used",
    "the key is damaged, or the machine computes wrongly"};

tahr_err rsa_public_init(struct rsa_public *pub, const uint8_t *n, size_t len, uint32_t e,
                         int min_bits)
{
    limb_t a[NAT_MAX];

    for (; len > 0 && *n == 0; n++)
        len--;
    if (len > RSA_MAX_LEN)
        return &too_long;
    nat_from_bytes(a, NAT_MAX, n, len);
    int bits = nat_bits_vartime(a, NAT_MAX);
    if (bits < min_bits)
        return &too_short;
    if (e % 2 == 0 || e < 3 || e >= 1 << 24)
        return &bad_exponent;
    pub->e = e;
    return mod_init(&pub->n, a, bits) == 0 ? NULL : &even_modulus;
}

/* r = a^e mod n, 0 <= a < n.  Leaks: n, e. */
static void public_power(limb_t *r, const limb_t *a, const struct rsa_public *pub)
{
    limb_t e[LIMBS_OF_BITS(32)];

    nat_set_word(e, LIMBS_OF_BITS(32), pub->e);
    mod_exp_vartime(r, a, e, 32, &pub->n);
}

tahr_err rsa_public_op(uint8_t *c, const uint8_t *m, const struct rsa_public *pub)
{
    limb_t a[NAT_MAX];
    const struct mod *n = &pub->n;
    size_t k = rsa_len(pub);
    tahr_err err = NULL;

    choice fits = nat_from_bytes(a, n->n, m, k);
    fits = choice_and(fits, nat_lt(a, n->m, n->n));
    if (!declassify(fits)) { /* public: the caller is told */
        err = &out_of_range;
        goto done;
    }
    public_power(a, a, pub);
    nat_to_bytes(c, k, a, n->n);
done:
    nat_wipe(a, n->n);
    return err;
}

/* r random, s = r^-1 mod n.  r is 64 bits longer than n before it is reduced, so that its
 * distribution is uniform to 2^-64. */
static void blinding(limb_t *r, limb_t *s, const struct mod *n)
{
    limb_t wide[NAT_MAX + 64 / LIMB_BITS];
    int len = n->n + 64 / LIMB_BITS;

    do {
        secret_random(wide, (size_t)len * LIMB_BYTES);
        mod_reduce(r, wide, len, n);
    } while (!declassify(mod_inv(s, r, n))); /* public: r is thrown away; else it would factor n */
    nat_wipe(wide, len);
}

/* mp = mp^dp mod p, mq = mq^dq mod q: at once if p and q have one length, as they have in all keys
 * but strange ones. */
static void crt_powers(limb_t *mp, limb_t *mq, const struct rsa_private *key)
{
    const struct mod *p = &key->p, *q = &key->q;

    if (p->bits == q->bits) {
        mod_exp2((limb_t *const[]){mp, mq}, (const limb_t *const[]){mp, mq},
                 (const limb_t *const[]){key->dp, key->dq}, p->bits,
                 (const struct mod *const[]){p, q});
    } else {
        mod_exp(mp, mp, key->dp, p->bits, p);
        mod_exp(mq, mq, key->dq, q->bits, q);
    }
}

/* m (p.n + q.n limbs) = the number with m = c^dp mod p and m = c^dq mod q:
 *   mp = c^dp mod p,  mq = c^dq mod q,  h = (mp - mq) qinv mod p,  m = mq + h q <= p q - 1. */
static void crt_power(limb_t *m, const limb_t *c, const struct rsa_private *key)
{
    const struct mod *p = &key->p, *q = &key->q;
    limb_t mp[NAT_MAX], mq[NAT_MAX], h[NAT_MAX + 1];
    int n = p->n + q->n;

    mod_reduce(mp, c, key->pub.n.n, p);
    mod_reduce(mq, c, key->pub.n.n, q);
    crt_powers(mp, mq, key);

    mod_reduce(h, mq, q->n, p);
    nat_sub_mod(h, mp, h, p->m, p->n);
    mod_product(h, h, key->qinv, p);
    nat_mul(m, h, p->n, q->m, q->n);
    nat_resize(h, n, mq, q->n);
    nat_add(m, m, h, n);

    nat_wipe(mp, p->n);
    nat_wipe(mq, q->n);
    nat_wipe(h, n);
}

tahr_err rsa_private_op(uint8_t *m, const uint8_t *c, const struct rsa_private *key)
{
    limb_t a[NAT_MAX], r[NAT_MAX], s[NAT_MAX], x[NAT_MAX + 1];
    const struct mod *n = &key->pub.n;
    size_t k = rsa_len(&key->pub);
    tahr_err err = NULL;

    choice fits = nat_from_bytes(a, n->n, c, k);
    fits = choice_and(fits, nat_lt(a, n->m, n->n));
    if (!declassify(fits)) /* public, as c is */
        return &bad_ciphertext;
    blinding(r, s, n);
    public_power(r, r, &key->pub);
    mod_product(r, r, a, n); /* c r^e */
    crt_power(x, r, key);
    mod_reduce(x, x, key->p.n + key->q.n, n); /* m r; no change but after a fault */
    mod_product(s, s, x, n);
    public_power(x, s, &key->pub);
    if (declassify(nat_eq(x, a, n->n))) /* public: whether there is a result */
        nat_to_bytes(m, k, s, n->n);
    else
        err = &fault;
    nat_wipe(r, n->n);
    nat_wipe(s, n->n);
    nat_wipe(x, NAT_MAX + 1);
    return err;
}
