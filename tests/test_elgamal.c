/* ElGamal: published answers, OpenSSL's Diffie-Hellman as the second opinion, bad keys and
 * elements, the raw operation. */
#include "bn.h"
#include "elgamal.h"
#include "stanzas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

static struct elgamal_private key;
static const struct group *const group = &key.pub.group;

/* The bytes of a field of the stanza; out has room for ELGAMAL_MAX_LEN. */
static size_t field(uint8_t *out, const struct stanzas *s, const char *name)
{
    const char *text = stanzas_get(s, name);
    assert_non_null(text);
    long len = value_bytes(out, ELGAMAL_MAX_LEN, text);
    assert_true(len > 0);
    return (size_t)len;
}

static void assert_field(const uint8_t *got, size_t len, const struct stanzas *s, const char *name)
{
    uint8_t want[ELGAMAL_MAX_LEN];
    assert_int_equal(field(want, s, name), len);
    assert_memory_equal(got, want, len);
}

static void load_group(struct group *g, const struct stanzas *s)
{
    uint8_t p[ELGAMAL_MAX_LEN], generator[ELGAMAL_MAX_LEN];
    if (stanzas_get(s, "P")) {
        size_t plen = field(p, s, "P"), glen = field(generator, s, "G");
        assert_null(group_explicit(g, p, plen, generator, glen));
    } else {
        assert_int_equal(group_named(g, stanzas_get(s, "Group")), 0);
    }
}

static void load_key(const struct stanzas *s)
{
    uint8_t x[ELGAMAL_MAX_LEN], y[ELGAMAL_MAX_LEN];
    size_t len = field(x, s, "X"), ylen = field(y, s, "Y");
    load_group(&key.pub.group, s);
    assert_null(elgamal_private_init(&key, x, len, y, ylen));
    assert_int_equal(key.xbits, len == (size_t)group->xbits / 8 ? group->xbits : group->p.bits - 1);
}

static void published_answers(void **state)
{
    (void)state;
    struct stanzas s;
    int ran = 0, more;
    assert_int_equal(stanzas_open(&s, "vectors/elgamal.txt"), 0);
    while ((more = stanzas_next(&s)) == 1) {
        uint8_t c1[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN], k[ELGAMAL_MAX_LEN];
        load_key(&s);
        assert_int_equal(field(k, &s, "K"), group->xbits / 8);
        assert_null(elgamal_encapsulate_with(c1, z, k, &key.pub));
        assert_field(c1, group_len(group), &s, "C1");
        assert_field(z, group_len(group), &s, "Z");

        memset(z, 0xa5, sizeof z);
        assert_null(elgamal_decapsulate(z, c1, group_len(group), &key));
        assert_field(z, group_len(group), &s, "Z");
        ran++;
    }
    assert_int_equal(more, 0);
    stanzas_close(&s);
    assert_true(ran >= 17);
}

/* The vectors are what the model says today. */
static void the_model_agrees(void **state)
{
    (void)state;
    if (system("python3 -c '' 2>/dev/null") != 0) {
        print_message("skipped: there is no python3 to run tests/elgamal_model.py\n");
        skip();
    }
    assert_int_equal(system("python3 tests/elgamal_model.py vectors | cmp - vectors/elgamal.txt"),
                     0);
}

static void push(OSSL_PARAM_BLD *build, const char *name, BIGNUM **b, const limb_t *a)
{
    *b = bn_of_nat(a, group->p.n);
    assert_ssl(OSSL_PARAM_BLD_push_BN(build, name, *b));
}

/* OpenSSL's X9.42 key of our group from x (if not NULL) and y. */
static EVP_PKEY *peer_key(const limb_t *x, const limb_t *y)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *b[5] = {NULL};
    limb_t q[NAT_MAX];
    nat_shr(q, group->p.m, 1, group->p.n);
    push(build, "p", &b[0], group->p.m);
    push(build, "q", &b[1], q);
    push(build, "g", &b[2], group->g);
    push(build, "pub", &b[3], y);
    if (x)
        push(build, "priv", &b[4], x);
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DHX", NULL);
    EVP_PKEY *peer = NULL;
    assert_ssl(EVP_PKEY_fromdata_init(ctx));
    assert_ssl(EVP_PKEY_fromdata(ctx, &peer, x ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params));
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    for (int i = 0; i < 5; i++)
        BN_free(b[i]);
    return peer;
}

/* z = the secret that OpenSSL derives from its key and a public one, in len bytes. */
static void peer_derive(uint8_t *z, size_t len, EVP_PKEY *own, EVP_PKEY *other)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
    size_t got = len;
    assert_ssl(EVP_PKEY_derive_init(ctx));
    assert_ssl(EVP_PKEY_derive_set_peer(ctx, other));
    assert_ssl(EVP_PKEY_derive(ctx, z, &got));
    memmove(z + len - got, z, got); /* it drops leading zeros */
    memset(z, 0, len - got);
    EVP_PKEY_CTX_free(ctx);
}

/* Our key and c1 give OpenSSL the same z, both ways. */
static void assert_peer_agrees(void)
{
    uint8_t c1[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN], theirs[ELGAMAL_MAX_LEN];
    size_t len = group_len(group);
    limb_t y[NAT_MAX];
    assert_null(elgamal_generate(&key));
    EVP_PKEY *own = peer_key(key.x, key.pub.y);
    for (int i = 0; i < 3; i++) {
        assert_null(elgamal_encapsulate(c1, z, &key.pub));
        nat_from_bytes(y, group->p.n, c1, len);
        EVP_PKEY *other = peer_key(NULL, y);
        peer_derive(theirs, len, own, other);
        assert_memory_equal(z, theirs, len);
        assert_null(elgamal_decapsulate(z, c1, len, &key));
        assert_memory_equal(z, theirs, len);
        EVP_PKEY_free(other);
    }
    EVP_PKEY_free(own);
}

static void openssl_derives_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"ffdhe2048", "ffdhe3072", "modp2048", "modp3072"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(group_named(&key.pub.group, names[i]), 0);
        assert_peer_agrees();
    }
    /* an explicit group: p = 2^2048 - 1942289 */
    uint8_t p[256];
    memset(p, 0xff, sizeof p);
    p[253] -= 1942288 >> 16;
    p[254] -= 1942288 >> 8 & 0xff;
    p[255] -= 1942288 & 0xff;
    assert_null(group_explicit(&key.pub.group, p, sizeof p, (const uint8_t *)"\11", 1));
    assert_peer_agrees();
}

static void every_group_round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; group_names[i]; i++) {
        uint8_t c1[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN], back[ELGAMAL_MAX_LEN];
        assert_int_equal(group_named(&key.pub.group, group_names[i]), 0);
        assert_null(elgamal_generate(&key));
        assert_int_equal(key.xbits, group->xbits);
        assert_in_range(nat_bits_vartime(key.x, group->p.n), group->xbits - 64, group->xbits);
        assert_null(elgamal_encapsulate(c1, z, &key.pub));
        assert_null(elgamal_decapsulate(back, c1, group_len(group), &key));
        assert_memory_equal(z, back, group_len(group));
    }
}

static void new_key(const char *name)
{
    assert_int_equal(group_named(&key.pub.group, name), 0);
    assert_null(elgamal_generate(&key));
}

/* Is no function willing to take the len bytes at a as an element? */
static void assert_no_element(const uint8_t *a, size_t len)
{
    static struct elgamal_public pub;
    uint8_t z[ELGAMAL_MAX_LEN];
    pub.group = *group;
    assert_int_equal(elgamal_element_valid(a, len, group), 0);
    assert_int_equal(elgamal_public_init(&pub, a, len)->code, TAHR_BAD_KEY);
    assert_int_equal(elgamal_decapsulate(z, a, len, &key)->code, TAHR_BAD_MESSAGE);
}

/* a (p.n limbs) in as many bytes as p. */
static void element_bytes(uint8_t *bytes, const limb_t *a)
{
    nat_to_bytes(bytes, group_len(group), a, group->p.n);
}

static void bad_elements(void **state)
{
    (void)state;
    uint8_t bytes[ELGAMAL_MAX_LEN + 1] = {0};
    limb_t a[NAT_MAX];
    new_key("ffdhe2048");
    size_t len = group_len(group);
    const limb_t *p = group->p.m;
    int n = group->p.n;

    for (limb_t i = 0; i < 2; i++) {
        nat_set(a, n, i); /* 0, 1 */
        element_bytes(bytes, a);
        assert_no_element(bytes, len);
        nat_sub_limb(a, p, i, n); /* p, p - 1 */
        element_bytes(bytes, a);
        assert_no_element(bytes, len);
        nat_add_limb(a, p, (limb_t)(i + 1), n); /* p + 1, p + 2 */
        element_bytes(bytes, a);
        assert_no_element(bytes, len);
    }
    nat_sub_limb(a, p, 2, n); /* -2, the largest in range */
    element_bytes(bytes, a);
    assert_no_element(bytes, len);
    nat_sub(a, p, key.pub.y, n); /* -y is no residue as y is one */
    element_bytes(bytes, a);
    assert_no_element(bytes, len);
    memset(bytes, 0xff, len); /* 2^(8 len) - 1 */
    assert_no_element(bytes, len);

    element_bytes(bytes + 1, key.pub.y); /* good, but for its length */
    bytes[0] = 0;
    assert_int_equal(elgamal_element_valid(bytes + 1, len, group), 1);
    assert_no_element(bytes, len + 1);
    assert_no_element(bytes + 1, 0);
    bytes[0] = 1; /* at least 2^(8 len) */
    assert_no_element(bytes, len + 1);
    nat_set(a, n, 2); /* the smallest element */
    element_bytes(bytes, a);
    assert_int_equal(elgamal_element_valid(bytes, len, group), 1);
    assert_no_element(bytes + 1, len - 1); /* but in its full length only */
    assert_no_element(bytes + len - 1, 1);
}

static void bad_private_keys(void **state)
{
    (void)state;
    uint8_t x[ELGAMAL_MAX_LEN + 8] = {0}, y[ELGAMAL_MAX_LEN];
    limb_t q[NAT_MAX];
    new_key("ffdhe2048");
    size_t len = group_len(group);
    int n = group->p.n;

    assert_int_equal(elgamal_private_init(&key, x, 0, NULL, 0)->code, TAHR_BAD_KEY);
    assert_int_equal(elgamal_private_init(&key, x, 32, NULL, 0)->code, TAHR_BAD_KEY);
    assert_int_equal(elgamal_private_init(&key, x, len + 8, NULL, 0)->code, TAHR_BAD_KEY);
    nat_shr(q, group->p.m, 1, n);
    element_bytes(x, q);
    assert_int_equal(elgamal_private_init(&key, x, len, NULL, 0)->code, TAHR_BAD_KEY);
    element_bytes(x, group->p.m);
    assert_int_equal(elgamal_private_init(&key, x, len, NULL, 0)->code, TAHR_BAD_KEY);
    memset(x, 0, sizeof x);
    x[0] = 1; /* 2^(8 len): 1 more than fits */
    x[len] = 1;
    assert_int_equal(elgamal_private_init(&key, x, len + 1, NULL, 0)->code, TAHR_BAD_KEY);

    x[0] = 0;
    x[len] = 3;
    assert_null(elgamal_private_init(&key, x, len + 1, NULL, 0));
    assert_true(declassify(nat_eq_limb(key.pub.y, 8, n)));
    element_bytes(y, key.pub.y);
    assert_null(elgamal_private_init(&key, x, len + 1, y, len));
    assert_null(elgamal_private_init(&key, x, len + 1, (const uint8_t *)"\10", 1));
    y[len - 1] ^= 1;
    assert_int_equal(elgamal_private_init(&key, x, len + 1, y, len)->code, TAHR_BAD_KEY);
    y[len - 1] ^= 1;
    assert_int_equal(elgamal_private_init(&key, x, len + 1, y, len - 1)->code, TAHR_BAD_KEY);
    assert_int_equal(elgamal_private_init(&key, x, len + 1, y, 0)->code, TAHR_BAD_KEY);
}

/* q - 1 is the largest x: y = g^(q-1) = 1/g.  Its loop is as long as q, that of a short x is L. */
static void long_exponents(void **state)
{
    (void)state;
    uint8_t x[ELGAMAL_MAX_LEN], one[64] = {0};
    limb_t a[NAT_MAX];
    new_key("modp2048");
    nat_shr(a, group->p.m, 1, group->p.n);
    nat_sub_limb(a, a, 1, group->p.n);
    element_bytes(x, a);
    assert_null(elgamal_private_init(&key, x, group_len(group), NULL, 0));
    assert_int_equal(key.xbits, 2047);
    mod_product(a, key.pub.y, group->g, &group->p);
    assert_true(declassify(nat_eq_limb(a, 1, group->p.n)));

    one[32] = 1;
    assert_null(elgamal_private_init(&key, one + 1, 32, NULL, 0));
    assert_int_equal(key.xbits, 256);
    assert_null(elgamal_private_init(&key, one, 33, NULL, 0));
    assert_int_equal(key.xbits, 2047);
}

static void k_is_not_0(void **state)
{
    (void)state;
    uint8_t k[ELGAMAL_MAX_KLEN] = {0}, c1[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN];
    new_key("ffdhe2048");
    assert_int_equal(elgamal_encapsulate_with(c1, z, k, &key.pub)->code, TAHR_BAD_CALL);
}

static void raw_operation(void **state)
{
    (void)state;
    uint8_t m[ELGAMAL_MAX_LEN], c1[ELGAMAL_MAX_LEN], c2[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN];
    uint8_t back[ELGAMAL_MAX_LEN];
    limb_t a[NAT_MAX], b[NAT_MAX];
    new_key("ffdhe2048");
    size_t len = group_len(group);
    int n = group->p.n;
    assert_null(elgamal_encapsulate(m, z, &key.pub)); /* a random element */
    assert_null(elgamal_encrypt(c1, c2, m, &key.pub));
    assert_null(elgamal_decrypt(back, c1, c2, &key));
    assert_memory_equal(m, back, len);

    assert_null(elgamal_decapsulate(z, c1, len, &key)); /* c2 = m z */
    nat_from_bytes(a, n, m, len);
    nat_from_bytes(b, n, z, len);
    mod_product(a, a, b, &group->p);
    nat_from_bytes(b, n, c2, len);
    assert_true(declassify(nat_eq(a, b, n)));

    nat_sub(a, group->p.m, a, n); /* no residue */
    element_bytes(back, a);
    assert_int_equal(elgamal_encrypt(c1, c2, back, &key.pub)->code, TAHR_BAD_MESSAGE);
    assert_int_equal(elgamal_decrypt(m, c1, back, &key)->code, TAHR_BAD_MESSAGE);
    assert_int_equal(elgamal_decrypt(m, back, c2, &key)->code, TAHR_BAD_MESSAGE);
    nat_set(a, n, 1); /* a residue, but out of range */
    element_bytes(back, a);
    assert_int_equal(elgamal_encrypt(c1, c2, back, &key.pub)->code, TAHR_BAD_MESSAGE);
    memset(back, 0xff, len);
    assert_int_equal(elgamal_encrypt(c1, c2, back, &key.pub)->code, TAHR_BAD_MESSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_answers),
        cmocka_unit_test(the_model_agrees),
        cmocka_unit_test(openssl_derives_the_same),
        cmocka_unit_test(every_group_round_trip),
        cmocka_unit_test(bad_elements),
        cmocka_unit_test(bad_private_keys),
        cmocka_unit_test(long_exponents),
        cmocka_unit_test(k_is_not_0),
        cmocka_unit_test(raw_operation),
    };
    if (secret_init())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
