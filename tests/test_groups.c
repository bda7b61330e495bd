/* Groups: the named ones are OpenSSL's, and only sound explicit ones get in. */
#include "bn.h"
#include "elgamal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

/* A parameter of OpenSSL's named group. */
static BIGNUM *peer_parameter(const char *group, const char *name)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, strstr(group, "dh_") ? "DHX" : "DH", NULL);
    EVP_PKEY *parameters = NULL;
    BIGNUM *b = NULL;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("group", (char *)(uintptr_t)group, 0),
                           OSSL_PARAM_construct_end()};
    assert_ssl(EVP_PKEY_fromdata_init(ctx));
    assert_ssl(EVP_PKEY_fromdata(ctx, &parameters, EVP_PKEY_KEY_PARAMETERS, params));
    assert_ssl(EVP_PKEY_get_bn_param(parameters, name, &b));
    EVP_PKEY_free(parameters);
    EVP_PKEY_CTX_free(ctx);
    return b;
}

static const struct {
    const char *name, *peer;
    uint8_t id;
    int bits, xbits;
} named[] = {
    {"ffdhe2048", "ffdhe2048", 0x01, 2048, 256}, {"ffdhe3072", "ffdhe3072", 0x02, 3072, 320},
    {"ffdhe4096", "ffdhe4096", 0x03, 4096, 384}, {"ffdhe6144", "ffdhe6144", 0x04, 6144, 448},
    {"ffdhe8192", "ffdhe8192", 0x05, 8192, 512}, {"modp2048", "modp_2048", 0x11, 2048, 256},
    {"modp3072", "modp_3072", 0x12, 3072, 320},  {"modp4096", "modp_4096", 0x13, 4096, 384},
    {"modp6144", "modp_6144", 0x14, 6144, 448},  {"modp8192", "modp_8192", 0x15, 8192, 512},
};
#define NAMED (sizeof named / sizeof named[0])

static tahr_err load(struct group *g, const BIGNUM *p, const BIGNUM *generator)
{
    uint8_t pbytes[2048], gbytes[2048];
    int plen = BN_bn2bin(p, pbytes), glen = BN_bn2bin(generator, gbytes);
    return group_explicit(g, pbytes, (size_t)plen, gbytes, (size_t)glen);
}

static void assert_group(const struct group *g, size_t i, const BIGNUM *p)
{
    assert_int_equal(g->id, named[i].id);
    assert_string_equal(g->name, named[i].name);
    assert_int_equal(g->p.bits, named[i].bits);
    assert_int_equal(g->xbits, named[i].xbits);
    assert_int_equal(group_len(g), named[i].bits / 8);
    assert_nat_bn(g->p.m, g->p.n, p);
    assert_true(declassify(nat_eq_limb(g->g, 2, g->p.n)));
}

static void named_groups(void **state)
{
    (void)state;
    struct group g;
    BIGNUM *two = BN_new();
    BN_set_word(two, 2);
    for (size_t i = 0; i < NAMED; i++) {
        BIGNUM *p = peer_parameter(named[i].peer, "p");
        assert_string_equal(group_names[i], named[i].name);
        assert_int_equal(group_named(&g, named[i].name), 0);
        assert_group(&g, i, p);
        assert_int_equal(group_by_id(&g, named[i].id), 0);
        assert_group(&g, i, p);
        assert_null(load(&g, p, two));
        assert_group(&g, i, p);
        BN_free(p);
    }
    assert_null(group_names[NAMED]);
    BN_free(two);
}

static void unknown_names(void **state)
{
    (void)state;
    struct group g;
    static const char *const none[] = {"", "ffdhe", "ffdhe1024", "FFDHE2048", "ffdhe20480"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(group_named(&g, none[i]), -1);
    for (int id = 0; id < 256; id++) {
        int known = (1 <= id && id <= 5) || (0x11 <= id && id <= 0x15);
        assert_int_equal(group_by_id(&g, (uint8_t)id), known ? 0 : -1);
    }
}

/* 2^e + c */
static BIGNUM *near_power(int e, long c)
{
    BIGNUM *b = BN_new();
    assert_ssl(BN_set_bit(b, e));
    assert_ssl(c < 0 ? BN_sub_word(b, (BN_ULONG)-c) : BN_add_word(b, (BN_ULONG)c));
    return b;
}

/* The largest safe prime below 2^2048 and the smallest above 2^2049. */
static BIGNUM *safe_below(void)
{
    return near_power(2048, -1942289);
}

static BIGNUM *safe_above(void)
{
    return near_power(2049, 4507791);
}

static void sound_explicit_groups(void **state)
{
    (void)state;
    const struct {
        BIGNUM *p;
        unsigned generator;
        int bits, xbits;
    } sound[] = {
        {safe_below(), 2, 2048, 256},
        {safe_above(), 512, 2050, 320},
        {peer_parameter("ffdhe2048", "p"), 4, 2048, 256},
    };
    for (size_t i = 0; i < sizeof sound / sizeof sound[0]; i++) {
        struct group g;
        BIGNUM *generator = BN_new();
        BN_set_word(generator, sound[i].generator);
        assert_null(load(&g, sound[i].p, generator));
        assert_int_equal(g.id, 0);
        assert_null(g.name);
        assert_int_equal(g.p.bits, sound[i].bits);
        assert_int_equal(g.xbits, sound[i].xbits);
        assert_nat_bn(g.p.m, g.p.n, sound[i].p);
        assert_nat_bn(g.g, g.p.n, generator);
        BN_free(generator);
        BN_free(sound[i].p);
    }
}

static void leading_zeros_do_not_count(void **state)
{
    (void)state;
    struct group g;
    uint8_t p[3 + 256] = {0}, generator[300] = {0};
    BIGNUM *b = peer_parameter("modp_2048", "p");
    BN_bn2bin(b, p + 3);
    generator[299] = 2;
    assert_null(group_explicit(&g, p, sizeof p, generator, sizeof generator));
    assert_string_equal(g.name, "modp2048");
    BN_free(b);
}

static void assert_refused(const BIGNUM *p, const BIGNUM *generator, const char *text)
{
    struct group g;
    tahr_err err = load(&g, p, generator);
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    if (!strstr(err->text, text))
        fail_msg("\"%s\" instead of \"%s\"", err->text, text);
}

static void bad_primes(void **state)
{
    (void)state;
    BIGNUM *two = near_power(1, 0);
    const struct {
        BIGNUM *p;
        const char *text;
    } bad[] = {
        {BN_new(), "too small"},
        {near_power(0, 0), "too small"},
        {near_power(2047, -1), "too small"},
        {near_power(8192, 1), "too large"},
        {near_power(16000, 1), "too large"},
        {near_power(2048, -1942288), "not prime"},        /* even */
        {near_power(4096, -1), "not prime"},              /* 3 mod 4 */
        {near_power(2048, -1409), "not prime"},           /* although (p - 1)/2 is */
        {near_power(2048, -9509), "not safe"},            /* prime, 11 mod 12 */
        {near_power(2048, -2543), "not safe"},            /* prime, 1 mod 4 */
        {peer_parameter("dh_2048_256", "p"), "not safe"}, /* RFC 5114, as in DSA */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(bad[i].p, two, bad[i].text);
        BN_free(bad[i].p);
    }
    BN_free(two);
}

/* What a hostile file may claim: refused by its length, before any arithmetic. */
static void huge_numbers(void **state)
{
    (void)state;
    static uint8_t huge[1 << 20];
    struct group g;
    memset(huge, 0xff, sizeof huge);
    assert_string_equal(group_explicit(&g, huge, sizeof huge, huge, 1)->text,
                        "the ElGamal group is too large: p has more than 8192 bits");
    assert_non_null(strstr(group_explicit(&g, huge, 256, huge, sizeof huge)->text, "generator"));
    assert_non_null(strstr(group_explicit(&g, huge, 0, huge, 0)->text, "too small"));
}

static void bad_generators(void **state)
{
    (void)state;
    BIGNUM *p = safe_below(), *composite = BN_dup(p), *beyond = near_power(2048, 0);
    const struct {
        BIGNUM *base;
        int add;
        const char *text;
    } bad[] = {
        {NULL, 0, "not between"},   {NULL, 1, "not between"}, {p, -1, "not between"},
        {p, 0, "not between"},      {p, 1, "not between"},    {NULL, 5, "no residue"},
        {beyond, 4, "not between"}, {p, -2, "no residue"}, /* (-1 | p) = -1 */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        BIGNUM *g = bad[i].base ? BN_dup(bad[i].base) : BN_new();
        assert_ssl(bad[i].add < 0 ? BN_sub_word(g, (BN_ULONG)-bad[i].add)
                                  : BN_add_word(g, (BN_ULONG)bad[i].add));
        assert_refused(p, g, bad[i].text);
        BN_free(g);
    }

    /* The generator is looked at before the primes: (-2 | composite) = -1, as it is 7 mod 8. */
    BIGNUM *g = BN_dup(p);
    assert_ssl(BN_add_word(composite, 8) && BN_add_word(g, 6));
    assert_refused(composite, g, "no residue");
    BN_free(g);
    BN_free(composite);
    BN_free(p);
    BN_free(beyond);
}

static int stop(void *context, unsigned long tried)
{
    *(unsigned long *)context = tried;
    return 1;
}

static void generation_can_be_stopped(void **state)
{
    (void)state;
    static struct group g;
    unsigned long tried = 0;
    struct tahr_watch watch = {stop, &tried};
    tahr_err err = group_generate(&g, 2048, &watch);
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_STOPPED);
    assert_int_equal(tried, 1);
    assert_int_equal(group_generate(&g, 2047, NULL)->code, TAHR_BAD_CALL);
    assert_int_equal(group_generate(&g, 8193, NULL)->code, TAHR_BAD_CALL);
}

static void range(void **state)
{
    (void)state;
    struct group g;
    limb_t a[NAT_MAX];
    assert_int_equal(group_named(&g, "ffdhe2048"), 0);
    for (limb_t i = 0; i < 4; i++) {
        nat_set(a, g.p.n, i);
        assert_int_equal(declassify(group_in_range(a, &g)), i >= 2);
        nat_sub_limb(a, g.p.m, i, g.p.n);
        assert_int_equal(declassify(group_in_range(a, &g)), i >= 2);
    }
    nat_add_limb(a, g.p.m, 1, g.p.n);
    assert_false(declassify(group_in_range(a, &g)));
    memset(a, 0xff, sizeof a);
    assert_false(declassify(group_in_range(a, &g)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_groups),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(sound_explicit_groups),
        cmocka_unit_test(leading_zeros_do_not_count),
        cmocka_unit_test(bad_primes),
        cmocka_unit_test(huge_numbers),
        cmocka_unit_test(bad_generators),
        cmocka_unit_test(generation_can_be_stopped),
        cmocka_unit_test(range),
    };
    if (secret_init())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
