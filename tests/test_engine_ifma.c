/* The AVX-512 engine beside the portable one: exact carries on the lanes that random products never
 * meet, the bound of its product, every width, every alias. */
#include "engine.h"

#include "bn.h"
#include "edges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#if LIMB_BITS == 64

#include "cpu.h"
#include "ifma.h"

#define LANES     8
#define WORDS_MAX (LANES * IFMA_S_MAX)
#define LIMBS_MAX (WORDS_MAX * 52 / LIMB_BITS + 2)
#define BITS_MAX  (WORDS_MAX * 52 - 3)

/* Where the processor has the instructions, a kernel that refuses to work is a failure. */
static void need_ifma(void)
{
#ifdef TAHR_IFMA_MODEL
    int has_instructions = 1;
#else
    int has_instructions = cpu_has_ifma();
#endif
    if (!ifma_kernels[0] || !has_instructions) {
        print_message("this compiler or machine has no AVX-512 IFMA: skipped\n");
        skip();
    }
    assert_true(engine_ifma.usable(64, 1));
}

/* The word of limb i of number h of a pair, or of the one number. */
static int place(int i, int s, int numbers, int h)
{
    return LANES * (i % s) + numbers * (i / s) + h;
}

/* Runs of ones and zeros, of random lengths about as long as a word. */
static void random_runs(limb_t *r, int n, int bits)
{
    limb_t bit = test_random() & 1;
    nat_zero(r, n);
    for (int i = 0; i < bits; i++) {
        r[i / LIMB_BITS] |= bit << i % LIMB_BITS;
        if (test_random() % 64 == 0)
            bit ^= 1;
    }
}

/* One carry after the other, limb by limb: what norm must give in the low 52 bits. */
static void carry_slowly(uint64_t *r, int s, int numbers)
{
    for (int h = 0; h < numbers; h++) {
        uint64_t carry = 0;
        for (int i = 0; i < s * LANES / numbers; i++) {
            uint64_t *w = &r[place(i, s, numbers, h)];
            carry += *w;
            *w = carry & IFMA_MASK;
            carry >>= IFMA_LIMB_BITS;
        }
    }
}

static void check_norm(const struct ifma_kernel *kernel, const uint64_t *lanes, int numbers)
{
    _Alignas(64) uint64_t r[WORDS_MAX], want[WORDS_MAX];
    int words = LANES * kernel->s;
    memcpy(r, lanes, sizeof r);
    memcpy(want, lanes, sizeof want);
    (numbers == 1 ? kernel->norm : kernel->norm_pair)(r);
    carry_slowly(want, kernel->s, numbers);
    for (int i = 0; i < words; i++)
        if ((r[i] & IFMA_MASK) != want[i])
            fail_msg("S = %d, %d numbers, word %d", kernel->s, numbers, i);
}

static void exact_carries(void **state)
{
    static const uint64_t hard[] = {IFMA_MASK, IFMA_MASK,         IFMA_MASK,    IFMA_MASK + 1,
                                    0,         (uint64_t)1 << 60, 2 * IFMA_MASK};
    uint64_t lanes[WORDS_MAX] = {0};
    (void)state;
    need_ifma();
    for (int k = 0; ifma_kernels[k]; k++) {
        int words = LANES * ifma_kernels[k]->s;
        for (int round = 0; round < 4000; round++) {
            unsigned kinds = round % 2 == 0 ? 7 : 3 + (unsigned)round % 5;
            int kind = (int)(test_random() % 3); /* only ones in most lanes, so that carries run */
            for (int i = 0; i < words; i++)
                lanes[i] =
                    kind == 0 || test_random() % 32 == 0 ? hard[test_random() % kinds] : IFMA_MASK;
            check_norm(ifma_kernels[k], lanes, 1);
            check_norm(ifma_kernels[k], lanes, 2);
        }
    }
}

/* The number in a, as a BIGNUM. */
static void bn_set_lanes(BIGNUM *b, const uint64_t *a, int s)
{
    uint64_t x[WORDS_MAX];
    memcpy(x, a, (size_t)(LANES * s) * sizeof *x);
    for (int i = 0; i < LANES * s; i++)
        x[i] &= IFMA_MASK;
    assert_ssl(BN_set_word(b, 0) + 1);
    for (int i = LANES * s - 1; i >= 0; i--) {
        assert_ssl(BN_lshift(b, b, IFMA_LIMB_BITS));
        assert_ssl(BN_add_word(b, x[place(i, s, 1, 0)]));
    }
}

/* Any value below R, with junk above its limbs. */
static void random_lanes(uint64_t *a, int s)
{
    static const uint64_t hard[] = {IFMA_MASK, 0, 1, IFMA_MASK - 1};
    int kind = (int)(test_random() % 4);
    for (int i = 0; i < LANES * s; i++) {
        uint64_t w = test_random();
        a[i] = kind == 0   ? w
               : kind == 1 ? hard[w % 4] | w << 60
               : kind == 2 ? hard[0]
                           : (w % 8 == 0 ? w : hard[0]);
    }
}

/* r R = a b mod m and r < a b / R + 2m, for a < R/2 and b < R, in every alias. */
static void check_product(const struct mod *m)
{
    const struct ifma *c = &m->u.ifma;
    int s = c->kernel->s, log_r = LANES * s * IFMA_LIMB_BITS;
    size_t size = (size_t)(LANES * s) * sizeof(uint64_t);
    _Alignas(64) uint64_t a[WORDS_MAX], b[WORDS_MAX], r[WORDS_MAX], t[WORDS_MAX];
    BIGNUM *x = BN_new(), *y = BN_new(), *z = BN_new(), *n = bn_of_nat(m->m, m->n);
    random_lanes(a, s);
    random_lanes(b, s);
    a[place(LANES * s - 1, s, 1, 0)] &= IFMA_MASK >> 1;
    c->kernel->mul(r, a, b, c);
    bn_set_lanes(x, a, s);
    bn_set_lanes(y, b, s);
    bn_set_lanes(z, r, s);
    assert_ssl(BN_mul(x, x, y, bn_ctx()) && BN_lshift(z, z, log_r) && BN_lshift(y, n, log_r + 1));
    assert_ssl(BN_add(y, y, x));
    assert_true(BN_cmp(z, y) < 0);
    assert_ssl(BN_sub(z, z, x) && BN_nnmod(z, z, n, bn_ctx()));
    assert_true(BN_is_zero(z));
    memcpy(t, a, size);
    c->kernel->mul(t, t, b, c);
    assert_memory_equal(t, r, size);
    memcpy(t, b, size);
    c->kernel->mul(t, a, t, c);
    assert_memory_equal(t, r, size);
    c->kernel->mul(r, a, a, c);
    bn_set_lanes(x, r, s);
    memcpy(t, a, size);
    c->kernel->mul(t, t, t, c);
    assert_memory_equal(t, r, size);
    c->kernel->sqr(a, a, c);
    bn_set_lanes(y, a, s);
    assert_ssl(BN_mod_sub(z, x, y, n, bn_ctx()));
    assert_true(BN_is_zero(z));
    BN_free(x), BN_free(y), BN_free(z), BN_free(n);
}

static void products_below_their_bound(void **state)
{
    limb_t p[NAT_MAX];
    (void)state;
    need_ifma();
    for (int k = 0; ifma_kernels[k]; k++) {
        int top = LANES * 52 * ifma_kernels[k]->s - 3;
        for (int i = 0; i < 40; i++) {
            struct mod m;
            int bits = top / LIMB_BITS * LIMB_BITS - (int)(test_random() % 8);
            if (i % 2 == 0)
                random_modulus(p, bits);
            else
                edge_modulus(p, bits, i % EDGES);
            assert_int_equal(mod_init_engine(&m, p, bits, "ifma"), 0);
            assert_int_equal(m.u.ifma.kernel->s, ifma_kernels[k]->s);
            for (int j = 0; j < 10; j++)
                check_product(&m);
        }
    }
}

/* The same sums, differences and products in both engines, from a and b. */
static void check_walk(const struct mod *ours, const struct mod *theirs, const limb_t *a,
                       const limb_t *b, int steps)
{
    limb_t r[NAT_MAX], want[NAT_MAX];
    elem x, y, u, v;
    int n = ours->n;
    mod_enter(&x, a, ours);
    mod_enter(&y, b, ours);
    mod_enter(&u, a, theirs);
    mod_enter(&v, b, theirs);
    for (int i = 0; i < steps; i++) {
        switch (test_random() % 8) {
        case 0:
            mod_mul(&x, &x, &y, ours), mod_mul(&u, &u, &v, theirs);
            break;
        case 1:
            mod_mul(&x, &y, &x, ours), mod_mul(&u, &v, &u, theirs);
            break;
        case 2:
            mod_sqr(&y, &y, ours), mod_sqr(&v, &v, theirs);
            break;
        case 3:
            mod_add(&x, &x, &y, ours), mod_add(&u, &u, &v, theirs);
            break;
        case 4:
            mod_add(&y, &y, &y, ours), mod_add(&v, &v, &v, theirs);
            break;
        case 5:
            mod_sub(&x, &x, &y, ours), mod_sub(&u, &u, &v, theirs);
            break;
        case 6:
            mod_sub(&y, &x, &y, ours), mod_sub(&v, &u, &v, theirs);
            break;
        default:
            mod_mul(&y, &y, &y, ours), mod_sqr(&v, &v, theirs);
        }
    }
    mod_leave(r, &x, ours);
    mod_leave(want, &u, theirs);
    assert_memory_equal(r, want, (size_t)n * LIMB_BYTES);
    ours->eng->mul_leave(r, &y, a, ours);
    theirs->eng->mul_leave(want, &v, a, theirs);
    assert_memory_equal(r, want, (size_t)n * LIMB_BYTES);
}

static void check_modulus(const limb_t *p, int bits)
{
    struct mod ours, theirs;
    limb_t a[NAT_MAX], b[NAT_MAX];
    int n = LIMBS_OF_BITS(bits), edges = bits > 1100 ? 3 : EDGES;
    assert_int_equal(mod_init_engine(&ours, p, bits, "ifma"), 0);
    assert_int_equal(mod_init_engine(&theirs, p, bits, "mont"), 0);
    for (int i = 0; i < edges; i++) {
        edge_residue(a, p, bits, edges == EDGES ? i : (int)(test_random() % EDGES));
        if (i % 2 == 0) {
            edge_residue(b, p, bits, (int)(test_random() % EDGES));
        } else {
            random_runs(b, n, bits);
            nat_sub_if(b, b, p, choice_not(nat_lt(b, p, n)), n);
        }
        check_walk(&ours, &theirs, a, b, bits > 1100 ? 8 : 16);
    }
}

/* Every width in limbs; 2^bits - c and 2^(bits-1) + c for small odd c, and runs of ones. */
static void every_width(void **state)
{
    limb_t p[NAT_MAX];
    (void)state;
    need_ifma();
    for (int n = 1; n * LIMB_BITS <= BITS_MAX + 3; n++) {
        int longest = n * LIMB_BITS < BITS_MAX ? n * LIMB_BITS : BITS_MAX;
        int lengths[] = {longest, (n - 1) * LIMB_BITS + 2, longest - (int)(test_random() % 62)};
        for (int i = 0; i < 3; i++) {
            int bits = lengths[i];
            edge_modulus(p, bits, n < 20 ? 4 : 4 + (int)(test_random() % 4));
            p[0] -= 2 * (limb_t)(test_random() % 100) & (bits > 8 ? LIMB_MAX : 0);
            check_modulus(p, bits);
            random_runs(p, n, bits - 1);
            p[0] |= 1;
            p[n - 1] |= (limb_t)1 << (bits - 1) % LIMB_BITS;
            check_modulus(p, bits);
        }
    }
}

/* 2^(52k) +- c. */
static void near_powers_of_the_radix(void **state)
{
    limb_t p[NAT_MAX];
    (void)state;
    need_ifma();
    for (int bits = 52; bits <= BITS_MAX; bits += bits < 1100 ? 52 : 520) {
        for (limb_t c = 1; c < 4; c += 2) {
            int n = LIMBS_OF_BITS(bits + 1);
            nat_set(p, n, 1);
            nat_shl(p, p, bits, n);
            p[0] += c;
            check_modulus(p, bits + 1);
            nat_sub_limb(p, p, 2 * c, n);
            check_modulus(p, bits);
        }
    }
}

static void not_beyond_the_largest(void **state)
{
    (void)state;
    need_ifma();
    assert_true(engine_ifma.usable(BITS_MAX, 1));
    assert_false(engine_ifma.usable(BITS_MAX + 1, 1));
    assert_false(engine_ifma.usable(NAT_MAX_BITS, 1));
    assert_false(engine_ifma.usable(2048, 0));
}

/* The products of a pair beside those of each number alone. */
static void check_pair(int bits)
{
    struct mod m[2], theirs[2], both;
    const struct mod *const pointers[] = {&m[0], &m[1]};
    limb_t p[NAT_MAX], a[NAT_MAX], b[NAT_MAX], r[NAT_MAX], want[NAT_MAX];
    elem x, y, u, v;
    int n = LIMBS_OF_BITS(bits);
    for (int h = 0; h < 2; h++) {
        edge_modulus(p, bits, (int)(test_random() % EDGES));
        assert_int_equal(mod_init_engine(&m[h], p, bits, "ifma"), 0);
        assert_int_equal(mod_init_engine(&theirs[h], p, bits, "mont"), 0);
        edge_residue(a + h * n, p, bits, (int)(test_random() % EDGES));
        random_residue(b + h * n, p, bits);
    }
    assert_int_equal(engine_ifma.pair(&both, pointers), 0);
    mod_enter(&x, a, &both);
    mod_enter(&y, b, &both);
    for (int i = 0; i < 3; i++) {
        mod_mul(&y, &x, &y, &both);
        mod_sqr(&y, &y, &both);
    }
    mod_leave(r, &y, &both);
    for (int h = 0; h < 2; h++) {
        mod_enter(&u, a + h * n, &theirs[h]);
        mod_enter(&v, b + h * n, &theirs[h]);
        for (int i = 0; i < 3; i++) {
            mod_mul(&v, &u, &v, &theirs[h]);
            mod_sqr(&v, &v, &theirs[h]);
        }
        mod_leave(want + h * n, &v, &theirs[h]);
    }
    assert_memory_equal(r, want, (size_t)(2 * n) * LIMB_BYTES);
}

/* The longest modulus that a pair of S vectors serves: R is at least 8m, and B^n. */
static int longest_of_pair(int s)
{
    int log_r = LANES / 2 * 52 * s, natural = log_r / LIMB_BITS * LIMB_BITS;
    return natural < log_r - 3 ? natural : log_r - 3;
}

static void pairs(void **state)
{
    struct mod m, both;
    const struct mod *const pointers[] = {&m, &m};
    limb_t p[NAT_MAX];
    int shortest = 2, longest = 0;
    (void)state;
    need_ifma();
    for (int k = 0; ifma_kernels[k] && ifma_kernels[k]->mul_pair; k++, shortest = longest + 1) {
        longest = longest_of_pair(ifma_kernels[k]->s);
        for (int i = 0; i < 12; i++) {
            check_pair(shortest + i);
            check_pair(longest - i * 5);
        }
    }
    random_modulus(p, longest + 1);
    assert_int_equal(mod_init_engine(&m, p, longest + 1, "ifma"), 0);
    assert_int_equal(engine_ifma.pair(&both, pointers), -1);
}

static void gathers(void **state)
{
    _Alignas(64) uint64_t table[16 * WORDS_MAX], r[WORDS_MAX];
    (void)state;
    need_ifma();
    for (int k = 0; ifma_kernels[k]; k++) {
        int words = LANES * ifma_kernels[k]->s;
        for (int i = 0; i < 16 * words; i++)
            table[i] = test_random();
        for (unsigned i = 0; i < 16; i++) {
            unsigned index[2] = {i, (unsigned)(test_random() % 16)};
            ifma_kernels[k]->gather(r, table, index, 16);
            assert_memory_equal(r, table + i * (unsigned)words, (size_t)words * sizeof *r);
            ifma_kernels[k]->gather_pair(r, table, index, 16);
            for (int j = 0; j < words; j++)
                assert_true(r[j] == table[(int)index[j % 2] * words + j]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_carries),
        cmocka_unit_test(products_below_their_bound),
        cmocka_unit_test(every_width),
        cmocka_unit_test(near_powers_of_the_radix),
        cmocka_unit_test(not_beyond_the_largest),
        cmocka_unit_test(gathers),
        cmocka_unit_test(pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    print_message(
        "skip: the AVX-512 engine works on 64-bit limbs\n0 passed, 0 failed, 1 skipped\n");
    return 0;
}

#endif
