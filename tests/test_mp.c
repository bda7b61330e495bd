/* Printable integers against GMP: each function is a row, run on edges and random signed operands,
 * with every alias of output and input, every error, and memory running out at every point. */
#include "mp_rows.h"

#include "edges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- Memory that runs out: malloc and its kin come here (the Makefile wraps them) --- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

static long allowed = -1; /* calls that still succeed; -1: all */

static int refused(void)
{
    if (allowed > 0)
        allowed--;
    else if (allowed == 0)
        return 1;
    return 0;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return refused() ? NULL : __real_realloc(p, size);
}

/* --- The checks --- */

enum { A, B, C, R, S, SLOTS };

static mp_int num[SLOTS]; /* inputs, and outputs that begin as 7 and 8 */
static mpz_t ref[SLOTS];  /* the same by GMP */

static int call(const struct row *row, const mp_int *a, const mp_int *b, const mp_int *c, mp_int *r,
                mp_int *s)
{
    return row->f1    ? row->f1(a, r)
           : row->f2  ? row->f2(a, b, r)
           : row->f22 ? row->f22(a, b, r, s)
                      : row->f3(a, b, c, r);
}

static void set_from_ref(mp_int *a, const mpz_t z)
{
    size_t n = 0;
    uint8_t bytes[8192];
    mpz_export(bytes, &n, 1, 1, 1, 0, z);
    assert_int_equal(mp_from_ubin(a, bytes, n), MP_OKAY);
    a->sign = mpz_sgn(z) < 0 ? MP_NEG : MP_ZPOS;
}

/* a is the number z, in the one form an mp_int has for it. */
static void assert_is(const struct row *row, const mp_int *a, const mpz_t z)
{
    mp_int t;
    assert_int_equal(mp_init(&t), MP_OKAY);
    set_from_ref(&t, z);
    int clean = a->used <= a->alloc && (a->used > 0 ? a->dp[a->used - 1] != 0 : a->sign == MP_ZPOS);
    if (!clean || mp_cmp(a, &t) != MP_EQ) {
        gmp_printf("%s: %Zd, %Zd, %Zd: not %Zd\n", row->name, ref[A], ref[B], ref[C], z);
        fail();
    }
    mp_clear(&t);
}

static void load(void)
{
    mpz_set_ui(ref[R], 7);
    mpz_set_ui(ref[S], 8);
    for (int i = 0; i < SLOTS; i++)
        set_from_ref(&num[i], ref[i]);
}

/* The row with its outputs in the places r and s, which may be inputs. */
static void check_at(const struct row *row, int r, int s)
{
    mpz_t want_r, want_s;
    mpz_init_set(want_r, ref[r]);
    mpz_init_set(want_s, ref[s]);
    load();
    int want = row->want != NULL ? row->want(want_r, want_s, ref[A], ref[B], ref[C]) : MP_OKAY;
    if (row->want == NULL)
        mpz_set(want_r, ref[A]);
    int err = call(row, &num[A], &num[B], &num[C], &num[r], &num[s]);
    if (err != want) {
        gmp_printf("%s: %Zd, %Zd, %Zd: code %d\n", row->name, ref[A], ref[B], ref[C], err);
        fail();
    }
    assert_is(row, &num[r], err == MP_OKAY ? want_r : ref[r]);
    assert_is(row, &num[s], err == MP_OKAY && row->f22 != NULL ? want_s : ref[s]);
    for (int i = 0; i < SLOTS; i++)
        if (i != r && i != s)
            assert_is(row, &num[i], ref[i]);
    mpz_clears(want_r, want_s, NULL);
}

static void check(const struct row *row)
{
    int inputs = row->f1 != NULL ? 1 : row->f3 != NULL ? 3 : 2;
    check_at(row, R, S);
    for (int i = A; i < A + inputs; i++) {
        check_at(row, i, S);
        if (row->f22 != NULL) {
            check_at(row, R, i);
            check_at(row, i, i == A ? B : A);
        }
    }
}

static void random_ref(mpz_t z, int max_digits)
{
    static limb_t t[300];
    int n = 1 + (int)(test_random() % (uint64_t)max_digits), bits = n * DIGIT_BIT;
    if (test_random() % 2 == 0)
        edge_nat(t, n, bits, (int)(test_random() % EDGES));
    else
        random_nat(t, n, bits);
    mpz_import(z, (size_t)n, -1, sizeof *t, 0, 0, t);
    if (test_random() % 3 == 0)
        mpz_neg(z, z);
}

static void random_operands(void **state)
{
    (void)state;
    for (const struct row *row = mp_rows; row->name != NULL; row++) {
        for (int k = 0; k < 150; k++) {
            int max = k % 50 == 49 ? 300 : k % 10 == 9 ? 40 : 6;
            random_ref(ref[A], max);
            random_ref(ref[B], max);
            random_ref(ref[C], max);
            check(row);
        }
    }
}

/* Small numbers of both signs; at 8-bit digits every pair of one digit, for functions of two. */
static void small_operands(void **state)
{
    (void)state;
    for (const struct row *row = mp_rows; row->name != NULL; row++) {
        int top = DIGIT_BIT == 8 && row->f2 != NULL ? 255 : 9;
        for (int a = -top; a <= top; a++) {
            for (int b = row->f1 != NULL ? 0 : -top; b <= (row->f1 != NULL ? 0 : top); b++) {
                int c = a + b;
                mpz_set_si(ref[A], a);
                mpz_set_si(ref[B], b);
                mpz_set_si(ref[C], c);
                check_at(row, R, S);
                if (top < 10)
                    check(row);
            }
        }
    }
}

/* With n allocations allowed, for each n from 0 until all succeeds: MP_MEM, or the code that is
 * right anyhow; nothing changed, nothing lost (a leak fails under the sanitizer). */
static void memory_runs_out(void **state)
{
    (void)state;
    for (const struct row *row = mp_rows; row->name != NULL; row++) {
        for (int k = 0; k < 6; k++) {
            random_ref(ref[A], 40);
            random_ref(ref[B], 20);
            random_ref(ref[C], 20);
            mpz_abs(ref[C], ref[C]);
            for (long n = 0, done = 0; !done; n++) {
                load();
                for (int j = 0; j < SLOTS; j++)
                    assert_int_equal(mp_shrink(&num[j]), MP_OKAY);
                allowed = n;
                int err = call(row, &num[A], &num[B], &num[C], &num[R], &num[S]);
                done = allowed != 0;
                allowed = -1;
                if (err == MP_MEM)
                    for (int j = 0; j < SLOTS; j++)
                        assert_is(row, &num[j], ref[j]);
                else
                    done = 1;
                assert_true(n < 100000);
            }
        }
    }
}

static void comparisons(void **state)
{
    (void)state;
    for (int k = 0; k < 3000; k++) {
        random_ref(ref[A], 4);
        random_ref(ref[B], 4);
        if (k % 5 == 0)
            mpz_set(ref[B], ref[A]);
        load();
        int want = mpz_cmp(ref[A], ref[B]), mag = mpz_cmpabs(ref[A], ref[B]);
        assert_int_equal(mp_cmp(&num[A], &num[B]), (want > 0) - (want < 0));
        assert_int_equal(mp_cmp_mag(&num[A], &num[B]), (mag > 0) - (mag < 0));
        want = mpz_cmp_ui(ref[A], mp_row_small_z(ref[B]));
        assert_int_equal(mp_cmp_d(&num[A], (mp_digit)mp_row_small(&num[B])),
                         (want > 0) - (want < 0));
        assert_int_equal(mp_count_bits(&num[A]),
                         mpz_sgn(ref[A]) == 0 ? 0 : mpz_sizeinbase(ref[A], 2));
        assert_int_equal(mp_cnt_lsb(&num[A]), mpz_sgn(ref[A]) == 0 ? 0 : mpz_scan1(ref[A], 0));
        assert_int_equal(mp_iszero(&num[A]), mpz_sgn(ref[A]) == 0);
        assert_int_equal(mp_isodd(&num[A]), mpz_odd_p(ref[A]) ? MP_YES : MP_NO);
        assert_int_equal(mp_iseven(&num[A]), mpz_even_p(ref[A]) ? MP_YES : MP_NO);
    }
}

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < SLOTS; i++) {
        mpz_init(ref[i]);
        assert_int_equal(mp_init(&num[i]), MP_OKAY);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < SLOTS; i++) {
        mpz_clear(ref[i]);
        mp_clear(&num[i]);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operands),
        cmocka_unit_test(small_operands),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(comparisons),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
