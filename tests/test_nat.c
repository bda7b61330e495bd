/* Naturals: add, subtract, compare, select, shift, windows, bytes.  Every operand of one limb at 8
 * bits; edges and random operands against BN at several widths, with every alias. */
#include "bn.h"
#include "edges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WIDTH 33
static const int widths[] = {1, 2, 3, 4, 8, 17, WIDTH, 0};

static limb_t a[WIDTH], b[WIDTH], m[WIDTH], r[WIDTH];
static const choice yes = {LIMB_MAX}, no = {0};

static void assert_choice(choice c, int want)
{
    assert_int_equal(c.mask, want ? LIMB_MAX : 0);
}

/* Every a and b of one limb where that is feasible, else the edges of one limb. */
static void one_limb(void **state)
{
    (void)state;
    int count = LIMB_BITS == 8 ? 256 : EDGES;
    for (int i = 0; i < count * count; i++) {
        limb_t x = (limb_t)(i / count), y = (limb_t)(i % count), z;
        if (LIMB_BITS > 8) {
            edge_nat(&x, 1, LIMB_BITS, i / count);
            edge_nat(&y, 1, LIMB_BITS, i % count);
        }
        dlimb_t sum = (dlimb_t)((dlimb_t)x + y);
        assert_int_equal(nat_add(&z, &x, &y, 1), sum >> LIMB_BITS);
        assert_int_equal(z, (limb_t)sum);
        assert_int_equal(nat_sub(&z, &x, &y, 1), x < y);
        assert_int_equal(z, (limb_t)(x - y));
        assert_choice(nat_lt(&x, &y, 1), x < y);
        assert_choice(nat_eq(&x, &y, 1), x == y);
        assert_choice(nat_eq_limb(&x, y, 1), x == y);
        assert_choice(choice_lt(x, y), x < y);
        assert_choice(choice_eq(x, y), x == y);
        assert_choice(choice_nonzero(x), x != 0);
    }
}

/* Every a, b < m of one limb at 8 bits, every m. */
static void one_limb_modulus(void **state)
{
    (void)state;
    if (LIMB_BITS != 8)
        skip();
    for (unsigned z = 1; z < 256; z++) {
        for (unsigned x = 0; x < z; x++) {
            for (unsigned y = 0; y < z; y++) {
                limb_t lx = (limb_t)x, ly = (limb_t)y, lz = (limb_t)z, s, d;
                nat_add_mod(&s, &lx, &ly, &lz, 1);
                nat_sub_mod(&d, &lx, &ly, &lz, 1);
                if (s != (x + y) % z || d != (x + z - y) % z)
                    fail_msg("%u, %u mod %u: sum %u, difference %u", x, y, z, (unsigned)s,
                             (unsigned)d);
            }
        }
    }
}

/* Runs check on every pair of edges of every width, and on random pairs. */
static void for_pairs(void (*check)(int n))
{
    for (const int *n = widths; *n; n++) {
        for (int i = 0; i < EDGES * EDGES; i++) {
            edge_nat(a, *n, *n * LIMB_BITS, i / EDGES);
            edge_nat(b, *n, *n * LIMB_BITS, i % EDGES);
            check(*n);
        }
        for (int i = 0; i < 100; i++) {
            random_nat(a, *n, *n * LIMB_BITS);
            random_nat(b, *n, *n * LIMB_BITS);
            check(*n);
        }
    }
}

static BIGNUM *ba, *bb, *bm, *br, *power; /* power = B^n */

static void load(int n)
{
    bn_set_nat(ba, a, n);
    bn_set_nat(bb, b, n);
    assert_ssl(BN_set_word(power, 1));
    assert_ssl(BN_lshift(power, power, n * LIMB_BITS));
}

/* x op b in every alias of output and inputs, and the carry, against br mod B^n. */
static void check_binary(limb_t (*op)(limb_t *, const limb_t *, const limb_t *, int), int n,
                         limb_t carry)
{
    assert_int_equal(op(r, a, b, n), carry);
    assert_nat_bn(r, n, br);
    nat_copy(r, a, n);
    assert_int_equal(op(r, r, b, n), carry);
    assert_nat_bn(r, n, br);
    nat_copy(r, b, n);
    assert_int_equal(op(r, a, r, n), carry);
    assert_nat_bn(r, n, br);
}

static void check_sum(int n)
{
    load(n);
    assert_ssl(BN_add(br, ba, bb));
    limb_t carry = BN_cmp(br, power) >= 0;
    assert_ssl(BN_nnmod(br, br, power, bn_ctx()));
    check_binary(nat_add, n, carry);
    assert_int_equal(nat_add_if(r, a, b, yes, n), carry);
    assert_nat_bn(r, n, br);
    assert_int_equal(nat_add_if(r, a, b, no, n), 0);
    assert_nat_bn(r, n, ba);
    nat_resize(r, n, b, 1);
    limb_t w_carry = nat_add(r, a, r, n);
    bn_set_nat(br, r, n);
    assert_int_equal(nat_add_limb(r, a, b[0], n), w_carry);
    assert_nat_bn(r, n, br);
}

static void check_difference(int n)
{
    load(n);
    limb_t borrow = BN_cmp(ba, bb) < 0;
    assert_ssl(BN_mod_sub(br, ba, bb, power, bn_ctx()));
    check_binary(nat_sub, n, borrow);
    assert_int_equal(nat_sub_if(r, a, b, yes, n), borrow);
    assert_nat_bn(r, n, br);
    assert_int_equal(nat_sub_if(r, a, b, no, n), 0);
    assert_nat_bn(r, n, ba);
    nat_resize(r, n, b, 1);
    limb_t w_borrow = nat_sub(r, a, r, n);
    bn_set_nat(br, r, n);
    assert_int_equal(nat_sub_limb(r, a, b[0], n), w_borrow);
    assert_nat_bn(r, n, br);
}

static void check_order(int n)
{
    load(n);
    assert_choice(nat_lt(a, b, n), BN_cmp(ba, bb) < 0);
    assert_choice(nat_eq(a, b, n), BN_cmp(ba, bb) == 0);
    assert_choice(nat_is_zero(a, n), BN_is_zero(ba));
    assert_choice(nat_eq_limb(a, 1, n), BN_is_one(ba));
    nat_select(r, yes, a, b, n);
    assert_nat_bn(r, n, ba);
    nat_select(r, no, a, b, n);
    assert_nat_bn(r, n, bb);
    nat_copy(r, a, n);
    nat_swap_if(r, b, no, n);
    assert_nat_bn(r, n, ba);
    nat_swap_if(r, b, yes, n);
    assert_nat_bn(r, n, bb);
    assert_nat_bn(b, n, ba);
}

static void sums(void **state)
{
    (void)state;
    for_pairs(check_sum);
}

static void differences(void **state)
{
    (void)state;
    for_pairs(check_difference);
}

static void order_and_choice(void **state)
{
    (void)state;
    for_pairs(check_order);
}

static void (*const mod_op[])(limb_t *, const limb_t *, const limb_t *, const limb_t *,
                              int) = {nat_add_mod, nat_sub_mod};
static int (*const bn_mod_op[])(BIGNUM *, const BIGNUM *, const BIGNUM *, const BIGNUM *,
                                BN_CTX *) = {BN_mod_add, BN_mod_sub};

/* a op b mod m in every alias. */
static void check_modular(int n)
{
    load(n);
    for (int op = 0; op < 2; op++) {
        assert_ssl(bn_mod_op[op](br, ba, bb, bm, bn_ctx()));
        mod_op[op](r, a, b, m, n);
        assert_nat_bn(r, n, br);
        nat_copy(r, a, n);
        mod_op[op](r, r, b, m, n);
        assert_nat_bn(r, n, br);
        nat_copy(r, b, n);
        mod_op[op](r, a, r, m, n);
        assert_nat_bn(r, n, br);
    }
}

static void modular_sums(void **state)
{
    (void)state;
    for (const int *bits = edge_lengths; *bits && *bits <= WIDTH * LIMB_BITS; bits++) {
        for (int i = 0; i < EDGES; i++) {
            int n = LIMBS_OF_BITS(*bits);
            edge_modulus(m, *bits, i);
            m[0] = (limb_t)(m[0] & (i % 2 ? LIMB_MAX : LIMB_MAX - 1)); /* even moduli too */
            bn_set_nat(bm, m, n);
            for (int j = 0; j < EDGES; j++) {
                edge_residue(a, m, *bits, j);
                edge_residue(b, m, *bits, (int)(test_random() % EDGES));
                check_modular(n);
                random_residue(b, m, *bits);
                check_modular(n);
            }
        }
    }
}

static void check_shifts(int n)
{
    static const int some[] = {0, 1, LIMB_BITS - 1, LIMB_BITS, LIMB_BITS + 1};
    load(n);
    for (int i = 0; i < 7; i++) {
        int all = n * LIMB_BITS;
        int k = i == 6 ? all : i == 5 ? (int)(test_random() % (unsigned)all) : some[i];
        k = k > all ? all : k;
        assert_ssl(BN_lshift(br, ba, k));
        assert_ssl(BN_nnmod(br, br, power, bn_ctx()));
        nat_shl(r, a, k, n);
        assert_nat_bn(r, n, br);
        nat_shl_secret(r, a, (unsigned)k, 12, n);
        assert_nat_bn(r, n, br);
        nat_copy(r, a, n);
        nat_shl(r, r, k, n);
        assert_nat_bn(r, n, br);
        assert_ssl(BN_rshift(br, ba, k));
        nat_shr(r, a, k, n);
        assert_nat_bn(r, n, br);
        nat_shr_secret(r, a, (unsigned)k, 12, n);
        assert_nat_bn(r, n, br);
        nat_copy(r, a, n);
        nat_shr_secret(r, r, (unsigned)k, 12, n);
        assert_nat_bn(r, n, br);
    }
}

/* Bits read one at a time by BN are what windows, lengths and zero counts must agree with. */
static void check_bits(int n)
{
    load(n);
    int zeros = 0;
    while (zeros < n * LIMB_BITS && !BN_is_bit_set(ba, zeros))
        zeros++;
    assert_int_equal(nat_trailing_zeros(a, n), zeros);
    assert_int_equal(nat_bits_vartime(a, n), BN_num_bits(ba));
    for (int w = 1; w <= 8; w++) {
        int pos = (int)(test_random() % (unsigned)(n * LIMB_BITS + 9));
        unsigned want = 0;
        for (int i = 0; i < w; i++)
            want |= (unsigned)BN_is_bit_set(ba, pos + i) << i;
        assert_int_equal(nat_window(a, n, pos, w), want);
    }
}

/* A few operands of each width. */
static void for_some(void (*check)(int n))
{
    for (const int *n = widths; *n; n++) {
        for (int i = 0; i < 2 * EDGES; i++) {
            if (i < EDGES)
                edge_nat(a, *n, *n * LIMB_BITS, i);
            else
                random_nat(a, *n, (int)(test_random() % (unsigned)(*n * LIMB_BITS)) + 1);
            check(*n);
        }
    }
}

static void shifts(void **state)
{
    (void)state;
    for_some(check_shifts);
}

static void bits_and_windows(void **state)
{
    (void)state;
    for_some(check_bits);
}

static void known_bytes(void **state)
{
    (void)state;
    static const uint8_t in[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    uint8_t out[10];
    memset(r, 0x55, sizeof r);
    assert_choice(nat_from_bytes(r, WIDTH, in, sizeof in), 1);
    uint64_t low = 0;
    for (int i = 8 / LIMB_BYTES; i-- > 0;)
        low = (LIMB_BITS == 64 ? 0 : low << LIMB_BITS % 64) | r[i];
    assert_true(low == 0x0123456789abcdef);
    for (int i = 8 / LIMB_BYTES; i < WIDTH; i++)
        assert_int_equal(r[i], 0);
    assert_choice(nat_to_bytes(out, sizeof out, r, WIDTH), 1);
    assert_memory_equal(out, "\0\0", 2);
    assert_memory_equal(out + 2, in, sizeof in);
    assert_choice(nat_to_bytes(out, 7, r, WIDTH), 0);
    assert_memory_equal(out, in + 1, 7);
    assert_choice(nat_from_bytes(r, WIDTH, in, 0), 1);
    assert_choice(nat_is_zero(r, WIDTH), 1);
}

/* Two bytes more than fit are accepted iff both are zero. */
static void bytes_that_do_not_fit(void **state)
{
    (void)state;
    uint8_t in[2 * LIMB_BYTES + 2], out[sizeof in];
    memset(in, 0xa5, sizeof in);
    for (int i = 0; i < 512; i++) {
        in[0] = in[1] = 0;
        in[i % 2] = (uint8_t)(i / 2);
        assert_choice(nat_from_bytes(r, 2, in, sizeof in), i / 2 == 0);
        assert_choice(nat_to_bytes(out, sizeof out, r, 2), 1);
        assert_memory_equal(out, "\0\0", 2);
        assert_memory_equal(out + 2, in + 2, sizeof in - 2);
        nat_from_bytes(r, 4, in, sizeof in);
        assert_choice(nat_to_bytes(out, 2 * LIMB_BYTES, r, 3),
                      LIMB_BYTES == 1 ? in[1] == 0 : i < 2);
    }
}

static void resize_and_wipe(void **state)
{
    (void)state;
    for (int i = 0; i < WIDTH; i++)
        a[i] = (limb_t)(i + 1);
    memset(r, 0x55, sizeof r);
    nat_resize(r, 5, a, 3);
    for (int i = 0; i < 5; i++)
        assert_int_equal(r[i], i < 3 ? i + 1 : 0);
    nat_resize(r, 2, a, 3);
    assert_int_equal(r[1], 2);
    assert_int_equal(r[2], 3); /* from before: cut, not touched */
    nat_set(r, 3, 7);
    assert_choice(nat_eq_limb(r, 7, 3), 1);
    nat_wipe(a, WIDTH - 1);
    assert_choice(nat_is_zero(a, WIDTH - 1), 1);
    assert_int_equal(a[WIDTH - 1], WIDTH);
}

int main(void)
{
    ba = BN_new(), bb = BN_new(), bm = BN_new(), br = BN_new(), power = BN_new();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_limb),
        cmocka_unit_test(one_limb_modulus),
        cmocka_unit_test(sums),
        cmocka_unit_test(differences),
        cmocka_unit_test(order_and_choice),
        cmocka_unit_test(modular_sums),
        cmocka_unit_test(shifts),
        cmocka_unit_test(bits_and_windows),
        cmocka_unit_test(known_bytes),
        cmocka_unit_test(bytes_that_do_not_fit),
        cmocka_unit_test(resize_and_wipe),
    };
    int failed = cmocka_run_group_tests_name("nat", tests, NULL, NULL);
    BN_free(ba), BN_free(bb), BN_free(bm), BN_free(br), BN_free(power);
    return failed;
}
