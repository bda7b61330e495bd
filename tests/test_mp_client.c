/* A program as one writes it from the LibTomMath v0.12 manual alone: RSA with mp_* calls. */
#include "tommath.h"

static int checks;

static int expect(int ok, const char *what)
{
    checks++;
    if (!ok)
        printf("not ok: %s\n", what);
    return ok;
}

/* p = the next prime after a random number of so many digits that is 1 mod neither 3 nor 5. */
static int find_prime(mp_int *p, int digits)
{
    mp_digit r3, r5;
    int err = mp_rand(p, digits);
    do {
        if (err != MP_OKAY || (err = mp_prime_next_prime(p, 8, 0)) != MP_OKAY ||
            (err = mp_mod_d(p, 3, &r3)) != MP_OKAY || (err = mp_mod_d(p, 5, &r5)) != MP_OKAY)
            return err;
    } while (r3 == 1 || r5 == 1);
    return MP_OKAY;
}

/* n = p q, d = e^-1 mod lcm(p - 1, q - 1). */
static int make_key(mp_int *n, mp_int *e, mp_int *d)
{
    mp_int p, q;
    int err;
    if ((err = mp_init_multi(&p, &q, NULL)) != MP_OKAY)
        return err;
    if ((err = find_prime(&p, 256 / DIGIT_BIT)) == MP_OKAY &&
        (err = find_prime(&q, 256 / DIGIT_BIT)) == MP_OKAY &&
        (err = mp_mul(&p, &q, n)) == MP_OKAY && (err = mp_sub_d(&p, 1, &p)) == MP_OKAY &&
        (err = mp_sub_d(&q, 1, &q)) == MP_OKAY && (err = mp_lcm(&p, &q, d)) == MP_OKAY &&
        (err = mp_set_int(e, 15)) == MP_OKAY)
        err = mp_invmod(e, d, d);
    mp_clear(&p);
    mp_clear(&q);
    return err;
}

/* The manual's square of a number modulo n in Montgomery's form. */
static int montgomery_square(mp_int *a, mp_int *n)
{
    mp_int r;
    mp_digit mp;
    int err;
    if ((err = mp_montgomery_setup(n, &mp)) != MP_OKAY || (err = mp_init(&r)) != MP_OKAY)
        return err;
    if ((err = mp_2expt(&r, n->used * DIGIT_BIT)) == MP_OKAY &&
        (err = mp_mulmod(a, &r, n, a)) == MP_OKAY && (err = mp_sqr(a, a)) == MP_OKAY &&
        (err = mp_montgomery_reduce(a, n, mp)) == MP_OKAY)
        err = mp_montgomery_reduce(a, n, mp);
    mp_clear(&r);
    return err;
}

static int run(void)
{
    mp_int n, e, d, m, c, t, mu;
    char text[1024];
    unsigned char bytes[256];
    int size, ok = 1;
    if (mp_init_multi(&n, &e, &d, &m, &c, &t, &mu, NULL) != MP_OKAY)
        return 0;
    ok &= expect(make_key(&n, &e, &d) == MP_OKAY, "a key");
    ok &= expect(mp_read_radix(&m, "123456789012345678901234567890", 10) == MP_OKAY, "read");
    ok &= expect(mp_exptmod(&m, &e, &n, &c) == MP_OKAY, "encrypt");
    ok &= expect(mp_exptmod(&c, &d, &n, &t) == MP_OKAY, "decrypt");
    ok &= expect(mp_cmp(&m, &t) == MP_EQ, "the message comes back");

    size = mp_unsigned_bin_size(&c);
    ok &= expect(mp_to_unsigned_bin(&c, bytes) == MP_OKAY, "write bytes");
    ok &= expect(mp_read_unsigned_bin(&t, bytes, size) == MP_OKAY, "read bytes");
    ok &= expect(mp_cmp_mag(&c, &t) == MP_EQ, "the bytes come back");
    ok &= expect(mp_toradix(&c, text, 64) == MP_OKAY, "write text");
    ok &= expect(mp_read_radix(&t, text, 64) == MP_OKAY, "read text");
    ok &= expect(mp_cmp(&c, &t) == MP_EQ, "the text comes back");

    ok &= expect(mp_sqrmod(&m, &n, &t) == MP_OKAY, "square");
    ok &= expect(mp_reduce_setup(&mu, &n) == MP_OKAY, "Barrett's constant");
    ok &= expect(mp_sqr(&m, &c) == MP_OKAY && mp_reduce(&c, &n, &mu) == MP_OKAY, "Barrett");
    ok &= expect(mp_cmp(&c, &t) == MP_EQ, "Barrett agrees");
    ok &= expect(montgomery_square(&m, &n) == MP_OKAY, "Montgomery");
    ok &= expect(mp_cmp(&m, &t) == MP_EQ, "Montgomery agrees");
    mp_clear_multi(&n, &e, &d, &m, &c, &t, &mu, NULL);
    return ok;
}

int main(void)
{
    int ok = run();
    printf("%d passed, %d failed\n", ok ? checks : 0, ok ? 0 : 1);
    return ok ? 0 : 1;
}
