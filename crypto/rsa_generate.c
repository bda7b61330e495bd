/* A fresh RSA key: FIPS 186-5 A.1.3, but for the incremental search of prime_random.
 *
 *   p, q random primes of bits/2 bits above 2^(bits/2 - 1/2), gcd(p - 1, e) = gcd(q - 1, e) = 1
 *   |p - q| > 2^(bits/2 - 100), p > q
 *   g = gcd(p - 1, q - 1), l = (p - 1)(q - 1)/g;  d = e^-1 mod l > 2^(bits/2)
 *   dp = e^-1 mod p - 1,  dq = e^-1 mod q - 1,  qinv = q^-1 mod p
 *   a random number is encrypted, and decrypted both ways */
#include "prime.h"
#include "rsa.h"

#define EXPONENT 65537
#define WORD     LIMBS_OF_BITS(32)

static const struct tahr_error bad_size = {TAHR_BAD_CALL,
                                           "an RSA key is made with 2048, 3072 or 4096 bits", NULL};
static const struct tahr_error test_failed = {
    TAHR_SYSTEM, "a fresh RSA key failed its test: the machine computes wrongly", NULL};

/* d = e^-1 mod l for e = EXPONENT, without dividing by a secret, nor modulo an even number: with
 * k = -l^-1 mod e,  d = (1 + l k)/e is exact, e d = 1 mod l, and 0 < d < l since 0 < k < e.
 * Requires gcd(l, e) = 1. */
static void exponent_inverse(limb_t *d, const limb_t *l, int n)
{
    limb_t k[WORD], r[WORD], t[NAT_MAX + WORD];
    struct mod e;

    nat_set_word(k, WORD, EXPONENT);
    mod_init(&e, k, 17);
    nat_set_word(r, WORD, nat_div_word(NULL, l, EXPONENT, n));
    mod_inv(r, r, &e);
    nat_sub(k, e.m, r, e.n); /* the limbs of k above e.n stay zero */
    nat_mul(t, l, n, k, WORD);
    nat_add_limb(t, t, 1, n + WORD);
    nat_div_word(t, t, EXPONENT, n + WORD);
    nat_resize(d, n, t, n + WORD);
    nat_wipe(k, WORD);
    nat_wipe(r, WORD);
    nat_wipe(t, n + WORD);
}

/* |p - q| > 2^(bits - 100) for p, q of n limbs and `bits` bits; also makes p >= q. */
static choice order(limb_t *p, limb_t *q, int bits, int n)
{
    limb_t d[NAT_MAX], bound[NAT_MAX];

    nat_swap_if(p, q, nat_lt(p, q, n), n);
    nat_sub(d, p, q, n);
    nat_set(bound, n, 1);
    nat_shl(bound, bound, bits - 100, n);
    choice far = nat_lt(bound, d, n);
    nat_wipe(d, n);
    return far;
}

/* d = e^-1 mod lcm(p1, q1) (2 n limbs) for p1 = p - 1, q1 = q - 1 of n limbs.  Returns yes iff
 * gcd(p1, q1) fits a word, as it does but with probability about 2^-32, and d > 2^bits. */
static choice private_exponent(limb_t *d, const limb_t *p1, const limb_t *q1, int bits, int n)
{
    limb_t g[NAT_MAX], l[NAT_MAX];
    uint8_t byte[4]; /* g */

    nat_gcd(g, p1, q1, n);
    choice fits = nat_to_bytes(byte, 4, g, n);
    if (!declassify(fits)) /* public: p and q are thrown away */
        goto done;
    declassify_bytes(byte, 4); /* g says little of p and q, and nothing of d that n does not */
    uint32_t word =
        (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
    nat_mul(l, p1, n, q1, n);
    nat_div_word(l, l, word, 2 * n);
    exponent_inverse(d, l, 2 * n);
    nat_shr(l, d, bits, 2 * n);
    fits = choice_not(nat_is_zero(l, 2 * n)); /* d >= 2^bits; d is odd */
done:
    nat_wipe(g, n);
    nat_wipe(l, 2 * n);
    return fits;
}

/* The key of p and q, of `bits` bits and n limbs each; p1 = p - 1, q1 = q - 1; d is set. */
static void assemble(struct rsa_private *key, const limb_t *p, const limb_t *q, const limb_t *p1,
                     const limb_t *q1, int bits, int n)
{
    limb_t product[NAT_MAX];

    nat_mul(product, p, n, q, n);
    declassify_bytes(product, 2 * (size_t)n * LIMB_BYTES); /* n = p q is public */
    mod_init(&key->pub.n, product, 2 * bits);
    key->pub.e = EXPONENT;
    mod_init(&key->p, p, bits);
    mod_init(&key->q, q, bits);
    exponent_inverse(key->dp, p1, n);
    exponent_inverse(key->dq, q1, n);
    mod_reduce(key->qinv, q, n, &key->p);
    mod_inv(key->qinv, key->qinv, &key->p);
}

/* Do the numbers belong together, and is a random m = (m^e)^d? */
static tahr_err pairwise_test(const struct rsa_private *key)
{
    uint8_t m[RSA_MAX_LEN], c[RSA_MAX_LEN], x[RSA_MAX_LEN];
    size_t k = rsa_len(&key->pub);

    secret_random(m, k);
    m[0] = 0; /* below n */
    tahr_err err = rsa_public_op(c, m, &key->pub);
    if (err == NULL)
        err = rsa_private_op(x, c, key);
    if (err == NULL) {
        choice good = choice_of_bit((limb_t)secret_equal(m, x, k));
        good = choice_and(good, rsa_consistent(key));
        if (!declassify(good)) /* public: whether there is a key */
            err = &test_failed;
    }
    secret_wipe(m, sizeof m);
    secret_wipe(x, sizeof x);
    return err;
}

/* The caller's watch sees one search where there are several. */
struct count {
    const struct tahr_watch *watch;
    unsigned long tried;
};

static int count_tick(void *context, unsigned long tried)
{
    struct count *count = context;

    (void)tried;
    return count->watch->tick(count->watch->context, ++count->tried);
}

tahr_err rsa_generate(struct rsa_private *key, int bits, const struct tahr_watch *watch)
{
    limb_t p[NAT_MAX], q[NAT_MAX], p1[NAT_MAX], q1[NAT_MAX];
    struct count count = {watch, 0};
    struct tahr_watch each = {count_tick, &count};
    const struct tahr_watch *counting = watch != NULL ? &each : NULL;
    int half = bits / 2, n = LIMBS_OF_BITS(half);
    tahr_err err;
    choice good;

    if (bits != 2048 && bits != 3072 && bits != 4096)
        return &bad_size;
    do {
        err = prime_random(p, half, EXPONENT, counting);
        if (err == NULL)
            err = prime_random(q, half, EXPONENT, counting);
        if (err != NULL)
            goto done;
        good = order(p, q, half, n);
        nat_sub_limb(p1, p, 1, n);
        nat_sub_limb(q1, q, 1, n);
        good = choice_and(good, private_exponent(key->d, p1, q1, half, n));
    } while (!declassify(good)); /* public: p and q are thrown away */
    assemble(key, p, q, p1, q1, half, n);
    err = pairwise_test(key);
done:
    if (err != NULL)
        secret_wipe(key, sizeof *key);
    nat_wipe(p, n);
    nat_wipe(q, n);
    nat_wipe(p1, n);
    nat_wipe(q1, n);
    return err;
}
