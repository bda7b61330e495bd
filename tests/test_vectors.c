/* test_vectors FOLDER...: computes every stanza of the bn*.txt files in the folders.
 *
 * Prints "file: N passed, N failed, N skipped" for each file, and fails when something is skipped:
 * a stanza whose kind nothing computes.  Each goes through printable integers (vectors_mp.c), and
 * here through naturals, every multiplier and every engine; numbers are signed in the files, so
 * signs are worked out beside the naturals. */
#include "engine.h"
#include "nat_mul.h"
#include "stanzas.h"
#include "vectors_mp.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BITS  (2 * NAT_MAX_BITS)
#define MAX_LIMBS (MAX_BITS / LIMB_BITS + 1)

struct number {
    int negative;
    int n; /* limbs, at least 1 */
    limb_t d[MAX_LIMBS];
};

/* r = the signed hexadecimal number of that name; -1 if it is missing or malformed. */
static int get(struct number *r, const struct stanzas *s, const char *name)
{
    const char *value = stanzas_get(s, name);
    char even[MAX_BITS / 4 + 2];
    uint8_t bytes[MAX_BITS / 8];

    if (!value)
        return -1;
    r->negative = value[0] == '-';
    value += r->negative;
    if (strlen(value) > sizeof even - 2)
        return -1;
    sprintf(even, "%s%s", strlen(value) % 2 ? "0" : "", value);
    long len = value_bytes(bytes, sizeof bytes, even);
    if (len <= 0)
        return -1;
    r->n = LIMBS_OF_BYTES((int)len);
    nat_from_bytes(r->d, r->n, bytes, (size_t)len);
    return 0;
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

static int is_zero(const limb_t *a, int n)
{
    return nat_bits_vartime(a, n) == 0;
}

/* Is the natural a of n limbs the magnitude of b? */
static int equals(const limb_t *a, int n, const struct number *b)
{
    limb_t x[MAX_LIMBS], y[MAX_LIMBS];
    int w = max(n, b->n);
    nat_resize(x, w, a, n);
    nat_resize(y, w, b->d, b->n);
    return declassify(nat_eq(x, y, w)); /* test data */
}

/* The same with a sign, which does not matter for 0. */
static int equals_signed(const limb_t *a, int n, int negative, const struct number *b)
{
    return equals(a, n, b) && (negative == b->negative || is_zero(a, n));
}

/* a + b = Sum, by magnitudes: one addition, or the larger less the smaller. */
static enum verdict sum(const struct stanzas *s)
{
    struct number a, b, want;
    if (get(&a, s, "A") || get(&b, s, "B") || get(&want, s, "Sum"))
        return FAIL;

    int n = max(a.n, b.n) + 1, negative = a.negative;
    nat_resize(a.d, n, a.d, a.n);
    nat_resize(b.d, n, b.d, b.n);
    limb_t r[MAX_LIMBS];
    if (a.negative == b.negative) {
        nat_add(r, a.d, b.d, n);
    } else if (nat_sub(r, a.d, b.d, n)) {
        nat_sub(r, b.d, a.d, n);
        negative = b.negative;
    }
    return equals_signed(r, n, negative, &want) ? PASS : FAIL;
}

static enum verdict shift_left(const struct number *a, int k, const struct number *want)
{
    limb_t r[MAX_LIMBS], t[MAX_LIMBS];
    int n = a->n + LIMBS_OF_BITS(k);
    nat_resize(r, n, a->d, a->n);
    nat_shl_secret(t, r, (unsigned)k, 16, n);
    nat_shl(r, r, k, n);
    return equals_signed(r, n, a->negative, want) && equals(t, n, want) ? PASS : FAIL;
}

/* a 2 = LShift1. */
static enum verdict lshift1(const struct stanzas *s)
{
    struct number a, want;
    if (get(&a, s, "A") || get(&want, s, "LShift1"))
        return FAIL;
    return shift_left(&a, 1, &want);
}

/* a 2^N = LShift. */
static enum verdict lshift(const struct stanzas *s)
{
    struct number a, k, want;
    if (get(&a, s, "A") || get(&k, s, "N") || get(&want, s, "LShift"))
        return FAIL;
    return shift_left(&a, (int)strtol(stanzas_get(s, "N"), NULL, 16), &want);
}

/* a / 2^N = RShift, toward zero: the magnitude's shift. */
static enum verdict rshift(const struct stanzas *s)
{
    struct number a, want;
    if (get(&a, s, "A") || (get(&want, s, "RShift") && get(&want, s, "Rshift")))
        return FAIL;
    limb_t r[MAX_LIMBS];
    int k = (int)strtol(stanzas_get(s, "N"), NULL, 16), n = a.n;
    nat_shr(r, a.d, k < n * LIMB_BITS ? k : n * LIMB_BITS, n);
    return equals_signed(r, n, a.negative, &want) ? PASS : FAIL;
}

/* Do all multipliers, whole and by halves, agree that a b (a^2 for no b) is what is wanted? */
static int all_multipliers(const struct number *a, const struct number *b,
                           const struct number *want)
{
    limb_t r[2 * MAX_LIMBS], scratch[NAT_HALVES_SCRATCH(MAX_LIMBS)];
    int n = a->n + (b ? b->n : a->n), ok = 1;
    for (int i = 0; nat_multipliers[i]; i++) {
        struct multiplier way = *nat_multipliers[i];
        if (!way.usable())
            continue;
        if (b)
            way.mul(r, a->d, a->n, b->d, b->n);
        else
            way.sqr(r, a->d, a->n);
        ok &= equals(r, n, want);
        way.halve_mul = way.halve_sqr = 4;
        if (b)
            nat_mul_halves(r, a->d, a->n, b->d, b->n, scratch, &way);
        else
            nat_sqr_halves(r, a->d, a->n, scratch, &way);
        ok &= equals(r, n, want);
    }
    return ok;
}

/* a^2 = Square. */
static enum verdict square(const struct stanzas *s)
{
    struct number a, want;
    if (get(&a, s, "A") || get(&want, s, "Square"))
        return FAIL;
    limb_t r[2 * MAX_LIMBS];
    nat_sqr(r, a.d, a.n);
    return equals_signed(r, 2 * a.n, 0, &want) && all_multipliers(&a, NULL, &want) &&
                   all_multipliers(&a, &a, &want)
               ? PASS
               : FAIL;
}

/* a b = Product. */
static enum verdict product(const struct stanzas *s)
{
    struct number a, b, want;
    if (get(&a, s, "A") || get(&b, s, "B") || get(&want, s, "Product"))
        return FAIL;
    limb_t r[2 * MAX_LIMBS];
    nat_mul(r, a.d, a.n, b.d, b.n);
    return equals_signed(r, a.n + b.n, a.negative != b.negative, &want) &&
                   all_multipliers(&a, &b, &want) && all_multipliers(&b, &a, &want)
               ? PASS
               : FAIL;
}

/* a = Quotient b + Remainder, toward zero, so that Remainder has a's sign. */
static enum verdict quotient(const struct stanzas *s)
{
    struct number a, b, q, r;
    if (get(&a, s, "A") || get(&b, s, "B") || get(&q, s, "Quotient") || get(&r, s, "Remainder"))
        return FAIL;
    limb_t x[MAX_LIMBS], y[MAX_LIMBS], scratch[2 * MAX_LIMBS + 1];
    int negative = a.negative != b.negative;

    nat_div_vartime(x, y, a.d, a.n, b.d, b.n, scratch);
    if (!equals_signed(x, a.n, negative, &q) || !equals_signed(y, b.n, a.negative, &r))
        return FAIL;
    nat_div(x, y, a.d, a.n, b.d, b.n);
    return equals(x, a.n, &q) && equals(y, b.n, &r) ? PASS : FAIL;
}

/* a^E = Exp, by repeated multiplication. */
static enum verdict power(const struct stanzas *s)
{
    struct number a, want;
    if (get(&a, s, "A") || get(&want, s, "Exp") || !stanzas_get(s, "E"))
        return FAIL;
    limb_t r[MAX_LIMBS] = {1}, t[MAX_LIMBS];
    int n = 1;
    for (long e = strtol(stanzas_get(s, "E"), NULL, 16); e > 0; e--, n += a.n) {
        if (n + a.n > MAX_LIMBS)
            return FAIL;
        nat_mul(t, r, n, a.d, a.n);
        nat_copy(r, t, n + a.n);
    }
    return equals(r, n, &want) ? PASS : FAIL;
}

/* r = a mod m, in [0, m) for negative a too. */
static void residue(limb_t *r, const struct number *a, const struct mod *m)
{
    limb_t zero[NAT_MAX] = {0};
    mod_reduce(r, a->d, a->n, m);
    if (a->negative)
        nat_sub_mod(r, zero, r, m->m, m->n);
}

/* Runs the check with the stanza's modulus in every engine that takes it. */
static enum verdict each_engine(const struct stanzas *s, const char *modulus,
                                enum verdict (*check)(const struct stanzas *, const struct mod *))
{
    struct number n;
    struct mod m;
    enum verdict all = SKIP;
    if (get(&n, s, modulus))
        return FAIL;

    int bits = nat_bits_vartime(n.d, n.n);
    for (int i = 0; engines[i] && bits >= 2; i++) {
        if (mod_init_engine(&m, n.d, bits, engines[i]->name))
            continue;
        all = check(s, &m);
        if (all == FAIL) {
            printf("engine %s:\n", engines[i]->name);
            break;
        }
    }
    return all;
}

/* a b = want mod m; every output alias. */
static enum verdict check_product(const limb_t *a, const limb_t *b, const struct number *want,
                                  const struct mod *m)
{
    elem x, y, r;
    limb_t t[NAT_MAX];
    int ok;

    mod_enter(&x, a, m);
    mod_enter(&y, b, m);
    mod_mul(&r, &x, &y, m);
    mod_leave(t, &r, m);
    ok = equals(t, m->n, want);
    mod_mul(&y, &x, &y, m);
    mod_leave(t, &y, m);
    ok &= equals(t, m->n, want);
    mod_product(t, a, b, m);
    ok &= equals(t, m->n, want);
    if (declassify(nat_eq(a, b, m->n))) { /* test data */
        mod_sqr(&x, &x, m);
        mod_leave(t, &x, m);
        ok &= equals(t, m->n, want);
    }
    return ok ? PASS : FAIL;
}

/* A B = ModMul mod M, and A^2 = ModSqr mod M. */
static enum verdict modmul_with(const struct stanzas *s, const struct mod *m)
{
    int sqr = stanzas_get(s, "ModSqr") != NULL;
    struct number a, b, want;
    if (get(&a, s, "A") || get(&b, s, sqr ? "A" : "B") || get(&want, s, sqr ? "ModSqr" : "ModMul"))
        return FAIL;
    limb_t x[NAT_MAX], y[NAT_MAX];
    residue(x, &a, m);
    residue(y, &b, m);
    return check_product(x, y, &want, m);
}

static enum verdict modmul(const struct stanzas *s)
{
    return each_engine(s, "M", modmul_with);
}

/* A^E = ModExp mod M.  Small limbs are slow, so their long powers are for the first engine alone.
 */
static enum verdict modexp_with(const struct stanzas *s, const struct mod *m)
{
    struct number a, e, want;
    if (get(&a, s, "A") || get(&e, s, "E") || get(&want, s, "ModExp"))
        return FAIL;
    limb_t x[NAT_MAX], r[NAT_MAX];
    if (LIMB_BITS < 32 && e.n * LIMB_BITS > 512 &&
        m->eng != engine_find(NULL, m->bits, m->m[0] & 1))
        return PASS;
    residue(x, &a, m);
    mod_exp(r, x, e.d, e.n * LIMB_BITS, m);
    if (!equals(r, m->n, &want))
        return FAIL;
    mod_exp_vartime(x, x, e.d, nat_bits_vartime(e.d, e.n), m);
    return equals(x, m->n, &want) ? PASS : FAIL;
}

static enum verdict modexp(const struct stanzas *s)
{
    return each_engine(s, "M", modexp_with);
}

/* Has a an inverse mod m, as invertible says, and is it one?  In constant and variable time. */
static enum verdict check_inverse(const limb_t *a, int invertible, const struct mod *m)
{
    limb_t r[NAT_MAX], t[NAT_MAX];
    int found = declassify(mod_inv(r, a, m)); /* test data */
    int found_vartime = mod_inv_vartime(t, a, m) == 0;
    if (found != invertible || found_vartime != invertible ||
        !declassify(nat_eq(r, t, m->n))) /* test data */
        return FAIL;
    mod_product(t, r, a, m);
    return declassify(nat_eq_limb(t, (limb_t)invertible, m->n)) ? PASS : FAIL; /* test data */
}

/* Inverse A = 1 mod M; "none" if there is none. */
static enum verdict inverse_with(const struct stanzas *s, const struct mod *m)
{
    struct number a, want;
    int none = strcmp(stanzas_get(s, "Inverse"), "none") == 0;
    if (get(&a, s, "A") || (!none && get(&want, s, "Inverse")))
        return FAIL;
    limb_t x[NAT_MAX], r[NAT_MAX];
    residue(x, &a, m);
    if (!none && (mod_inv_vartime(r, x, m) || !equals(r, m->n, &want)))
        return FAIL;
    return check_inverse(x, !none, m);
}

static enum verdict inverse(const struct stanzas *s)
{
    return each_engine(s, "M", inverse_with);
}

/* (A | M) = Jacobi. */
static enum verdict jacobi_with(const struct stanzas *s, const struct mod *m)
{
    struct number a;
    if (get(&a, s, "A"))
        return FAIL;
    limb_t x[NAT_MAX];
    int want = (int)strtol(stanzas_get(s, "Jacobi"), NULL, 10);
    residue(x, &a, m);
    return mod_jacobi(x, m) == want && mod_jacobi_vartime(x, m) == want ? PASS : FAIL;
}

static enum verdict jacobi(const struct stanzas *s)
{
    return each_engine(s, "M", jacobi_with);
}

/* gcd(A, B) = GCD; and the inverse of A modulo an odd B that it implies. */
static enum verdict gcd(const struct stanzas *s)
{
    struct number a, b, want;
    struct mod m;
    limb_t x[NAT_MAX], y[NAT_MAX], r[NAT_MAX];
    if (get(&a, s, "A") || get(&b, s, "B") || get(&want, s, "GCD"))
        return FAIL;

    int n = max(a.n, b.n), bits = nat_bits_vartime(b.d, b.n);
    nat_resize(x, n, a.d, a.n);
    nat_resize(y, n, b.d, b.n);
    nat_gcd_vartime(r, x, y, n);
    if (!equals(r, n, &want))
        return FAIL;
    nat_gcd(y, x, y, n);
    if (!equals(y, n, &want))
        return FAIL;
    if (bits < 2 || b.d[0] % 2 == 0)
        return PASS;
    if (mod_init(&m, b.d, bits))
        return FAIL;
    residue(r, &a, &m);
    return check_inverse(r, nat_bits_vartime(want.d, want.n) == 1, &m);
}

static const struct {
    const char *name;
    enum verdict (*compute)(const struct stanzas *);
} kinds[] = {
    {"Sum", sum},         {"LShift1", lshift1}, {"LShift", lshift},   {"RShift", rshift},
    {"Rshift", rshift},   {"Square", square},   {"Product", product}, {"Quotient", quotient},
    {"ModMul", modmul},   {"ModSqr", modmul},   {"ModExp", modexp},   {"Exp", power},
    {"Inverse", inverse}, {"Jacobi", jacobi},   {"GCD", gcd},
};

/* By naturals and by printable integers: both must not fail, one must compute it. */
static enum verdict compute(const struct stanzas *s)
{
    enum verdict v = vectors_mp(s);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && v != FAIL; i++) {
        if (stanzas_get(s, kinds[i].name)) {
            enum verdict w = kinds[i].compute(s);
            v = w == SKIP ? v : w;
        }
    }
    return v;
}

/* Prints the file's line; returns 0 iff all passed, and there was something. */
static int run_file(const char *folder, const char *name)
{
    char path[4096];
    struct stanzas s;
    int count[3] = {0, 0, 0}, more;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stanzas_open(&s, path)) {
        printf("%s: 0 passed, 1 failed, 0 skipped\n", name);
        return -1;
    }
    while ((more = stanzas_next(&s)) > 0) {
        if (s.count == 1 && stanzas_get(&s, "Title"))
            continue;
        enum verdict v = compute(&s);
        count[v]++;
        if (v == FAIL)
            printf("%s:%d: wrong\n", path, s.first);
    }
    if (more < 0) {
        printf("%s:%d: not a stanza\n", path, s.line);
        count[FAIL]++;
    }
    stanzas_close(&s);
    printf("%s: %d passed, %d failed, %d skipped\n", name, count[PASS], count[FAIL], count[SKIP]);
    return count[PASS] > 0 && count[FAIL] == 0 && count[SKIP] == 0 ? 0 : -1;
}

static int is_bn(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return strncmp(entry->d_name, "bn", 2) == 0 && len > 4 &&
           strcmp(entry->d_name + len - 4, ".txt") == 0;
}

static int run_folder(const char *folder)
{
    struct dirent **entry;
    int bad = 0, n = scandir(folder, &entry, is_bn, alphasort);
    if (n <= 0) {
        printf("%s: no bn*.txt there\n%s: 0 passed, 1 failed, 0 skipped\n", folder, folder);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        bad |= run_file(folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return bad;
}

/* Without arguments: our own vectors, and OpenSSL's where they are: beside the checkout, or where
 * `make vectors-openssl` brings them. */
int main(int argc, char **argv)
{
    static const char *const openssl[] = {"../shared/vectors/openssl", "vectors/openssl"};
    int bad = 0, found = 0;
    for (int i = 1; i < argc; i++)
        bad |= run_folder(argv[i]);
    if (argc >= 2)
        return bad ? 1 : 0;
    bad = run_folder("vectors");
    for (size_t i = 0; i < sizeof openssl / sizeof *openssl && !found; i++) {
        found = access(openssl[i], R_OK) == 0;
        if (found)
            bad |= run_folder(openssl[i]);
    }
    if (!found)
        printf("skipped: OpenSSL's vectors are not here (make vectors-openssl)\n"
               "0 passed, 0 failed, 1 skipped\n");
    return bad ? 1 : 0;
}
