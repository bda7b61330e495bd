/* RSA private keys: reading one from its fields, and whether its numbers belong together. */
#include "prime.h"
#include "rsa.h"

static const struct tahr_error inconsistent = {
    TAHR_BAD_KEY, "the numbers of the RSA private key do not belong together",
    "the key is damaged, or has more than two primes; ask who made it"};

/* Random Miller-Rabin rounds for a prime of unknown origin: 4^-32 = 2^-64 at worst. */
#define CHECK_ROUNDS 32

int rsa_primes_check(const struct rsa_private *key)
{
    return prime_check(key->p.m, key->p.bits, CHECK_ROUNDS) &&
           prime_check(key->q.m, key->q.bits, CHECK_ROUNDS);
}

/* n = p q? */
static choice product_fits(const struct rsa_private *key)
{
    const struct mod *n = &key->pub.n, *p = &key->p, *q = &key->q;
    limb_t a[NAT_MAX + 1], b[NAT_MAX + 1];
    int len = p->n + q->n;

    if (p->bits + q->bits < n->bits || p->bits + q->bits > n->bits + 1)
        return choice_of_bit(0); /* and else n->n <= len <= n->n + 1 */
    nat_mul(a, p->m, p->n, q->m, q->n);
    nat_resize(b, len, n->m, n->n);
    choice yes = nat_eq(a, b, len);
    nat_wipe(a, len);
    return yes;
}

/* r = d mod m, m = p - 1. */
static void reduce_exponent(limb_t *r, limb_t *m, const struct rsa_private *key,
                            const struct mod *p)
{
    nat_sub_limb(m, p->m, 1, p->n);
    nat_div(NULL, r, key->d, key->pub.n.n, m, p->n);
}

/* e d = 1 mod p - 1, and dp = d mod p - 1? */
static choice exponent_fits(const struct rsa_private *key, const struct mod *p, const limb_t *dp)
{
    limb_t a[NAT_MAX + LIMBS_OF_BITS(32)], r[NAT_MAX], m[NAT_MAX];
    int n = key->pub.n.n, an = n + LIMBS_OF_BITS(32);

    reduce_exponent(r, m, key, p);
    choice yes = nat_eq(r, dp, p->n);
    nat_resize(a, an, key->d, n);
    nat_mul_word(a, a, key->pub.e, 0, an);
    nat_div(NULL, r, a, an, m, p->n);
    yes = choice_and(yes, nat_eq_limb(r, 1, p->n));
    nat_wipe(a, an);
    nat_wipe(r, p->n);
    nat_wipe(m, p->n);
    return yes;
}

/* q qinv = 1 mod p, so p != q, and qinv < p? */
static choice coefficient_fits(const struct rsa_private *key)
{
    const struct mod *p = &key->p;
    limb_t a[NAT_MAX], b[NAT_MAX];

    mod_reduce(a, key->q.m, key->q.n, p);
    mod_reduce(b, key->qinv, p->n, p);
    choice yes = nat_eq(b, key->qinv, p->n);
    mod_product(a, a, b, p);
    yes = choice_and(yes, nat_eq_limb(a, 1, p->n));
    nat_wipe(a, p->n);
    nat_wipe(b, p->n);
    return yes;
}

choice rsa_consistent(const struct rsa_private *key)
{
    choice yes = product_fits(key);
    yes = choice_and(yes, exponent_fits(key, &key->p, key->dp));
    yes = choice_and(yes, exponent_fits(key, &key->q, key->dq));
    return choice_and(yes, coefficient_fits(key));
}

/* m = the odd secret number of those bytes; its length in bits becomes public.  Returns 0 or -1. */
static int read_prime(struct mod *m, struct bytes field)
{
    const uint8_t *byte = field.p;
    limb_t a[NAT_MAX];

    if (field.len == 0 || field.len > RSA_MAX_LEN)
        return -1;
    int bits = 8 * (int)(field.len - 1);
    for (int i = 0; i < 8; i++)
        bits += declassify(choice_nonzero((limb_t)(byte[0] >> i))); /* public: the length */
    nat_from_bytes(a, NAT_MAX, byte, field.len);
    int result = mod_init(m, a, bits);
    nat_wipe(a, NAT_MAX);
    return result;
}

static choice read_number(limb_t *r, int n, struct bytes field)
{
    return nat_from_bytes(r, n, field.p, field.len);
}

static choice read_exponent(limb_t *dp, struct bytes field, const struct rsa_private *key,
                            const struct mod *p)
{
    limb_t m[NAT_MAX];

    if (field.p != NULL)
        return read_number(dp, p->n, field);
    reduce_exponent(dp, m, key, p);
    nat_wipe(m, p->n);
    return choice_of_bit(1);
}

tahr_err rsa_private_init(struct rsa_private *key, const struct rsa_fields *f, int min_bits)
{
    tahr_err err = rsa_public_init(&key->pub, f->n.p, f->n.len, f->e, min_bits);
    if (err != NULL)
        goto done;
    int n = key->pub.n.n;
    err = &inconsistent;
    if (read_prime(&key->p, f->p) != 0 || read_prime(&key->q, f->q) != 0)
        goto done;
    choice yes = read_number(key->d, n, f->d);
    yes = choice_and(yes, nat_lt(key->d, key->pub.n.m, n));
    yes = choice_and(yes, read_exponent(key->dp, f->dp, key, &key->p));
    yes = choice_and(yes, read_exponent(key->dq, f->dq, key, &key->q));
    yes = choice_and(yes, read_number(key->qinv, key->p.n, f->qinv));
    yes = choice_and(yes, rsa_consistent(key));
    if (declassify(yes)) /* public: whether there is a key */
        err = NULL;
done:
    if (err != NULL)
        secret_wipe(key, sizeof *key);
    return err;
}
