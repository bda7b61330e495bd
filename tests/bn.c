/* Naturals as BIGNUMs; see bn.h. */
#include "bn.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <openssl/crypto.h>

BN_CTX *bn_ctx(void)
{
    static BN_CTX *ctx;
    if (!ctx)
        ctx = BN_CTX_new();
    assert_non_null(ctx);
    return ctx;
}

void bn_set_nat(BIGNUM *b, const limb_t *a, int n)
{
    uint8_t bytes[4 * NAT_MAX * LIMB_BYTES];
    size_t len = (size_t)n * LIMB_BYTES;
    assert_true(len <= sizeof bytes);
    nat_to_bytes(bytes, len, a, n);
    assert_non_null(BN_bin2bn(bytes, (int)len, b));
}

BIGNUM *bn_of_nat(const limb_t *a, int n)
{
    BIGNUM *b = BN_new();
    assert_non_null(b);
    bn_set_nat(b, a, n);
    return b;
}

void nat_of_bn(limb_t *r, int n, const BIGNUM *b)
{
    uint8_t bytes[4 * NAT_MAX * LIMB_BYTES];
    int len = n * LIMB_BYTES;
    assert_false(BN_is_negative(b));
    assert_true(len <= (int)sizeof bytes);
    assert_int_equal(BN_bn2binpad(b, bytes, len), len);
    nat_from_bytes(r, n, bytes, (size_t)len);
}

void check_nat_bn(const limb_t *a, int n, const BIGNUM *b, const char *file, int line)
{
    BIGNUM *ours = bn_of_nat(a, n);
    if (BN_cmp(ours, b) != 0) {
        char *got = BN_bn2hex(ours), *want = BN_bn2hex(b);
        print_error("got  %s\nwant %s\n", got, want);
        _fail(file, line);
    }
    BN_free(ours);
}

void check_ssl(int ok, const char *call, const char *file, int line)
{
    if (!ok) {
        print_error("failed: %s\n", call);
        _fail(file, line);
    }
}
