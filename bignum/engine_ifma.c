/* Montgomery's multiplication with AVX-512 IFMA, for odd moduli of up to 8317 bits.
 *
 * An element is a R mod m in S vectors (ifma.h), below 4m, not m:  a, b < 4m and R >= 8m give
 * a b / R + 2m <= 4m, so products need no comparison, and sums one.  The kernel is the smallest
 * with R = 2^(416 S) at least 8m and B^n, so that it multiplies any natural of n limbs.
 *
 * A kernel is used only if the processor has the instructions and the kernel, tried once with known
 * answers, computes with them as it should. */
#include "engine.h"

#if LIMB_BITS == 64

#include "cpu.h"
#include "ifma.h"

#include <stdatomic.h>

#define SINGLE 8 /* digits of a number */
#define PAIR   4

/* The limbs of 52 bits of R. */
static int limbs_of(const struct ifma_kernel *kernel, int digits)
{
    return kernel->s * digits;
}

static const struct ifma_kernel *kernel_for(int bits, int digits)
{
    int natural = LIMBS_OF_BITS(bits) * LIMB_BITS, need = bits + 3 > natural ? bits + 3 : natural;
    for (int i = 0; ifma_kernels[i]; i++)
        if (limbs_of(ifma_kernels[i], digits) * IFMA_LIMB_BITS >= need)
            return ifma_kernels[i];
    return NULL;
}

/* Limb i of 52 bits of the n limbs of a. */
static uint64_t limb_of(const limb_t *a, int n, int i)
{
    int k = IFMA_LIMB_BITS * i / LIMB_BITS, shift = IFMA_LIMB_BITS * i % LIMB_BITS;
    uint64_t w = k < n ? a[k] >> shift : 0;
    if (shift > LIMB_BITS - IFMA_LIMB_BITS && k + 1 < n)
        w |= a[k + 1] << (LIMB_BITS - shift);
    return w & IFMA_MASK;
}

/* The word of S vectors that holds limb i of number h. */
static int place(int i, int s, int digits, int h)
{
    return 8 * (i % s) + 8 / digits * (i / s) + h;
}

/* Number h of r = the n limbs of a.  Requires a < R. */
static void pack(uint64_t *r, const limb_t *a, int n, int s, int digits, int h)
{
    for (int i = 0; i < s * digits; i++)
        r[place(i, s, digits, h)] = limb_of(a, n, i);
}

/* The n limbs of r = number h of a.  Requires that it fits. */
static void unpack(limb_t *r, int n, const uint64_t *a, int s, int digits, int h)
{
    nat_zero(r, n);
    for (int i = 0; i < s * digits; i++) {
        int k = IFMA_LIMB_BITS * i / LIMB_BITS, shift = IFMA_LIMB_BITS * i % LIMB_BITS;
        uint64_t w = a[place(i, s, digits, h)] & IFMA_MASK;
        if (k < n)
            r[k] |= w << shift;
        if (shift > LIMB_BITS - IFMA_LIMB_BITS && k + 1 < n)
            r[k + 1] |= w >> (LIMB_BITS - shift);
    }
}

/* x (n + 1 limbs) = x - 2^k m, unless that is negative.  Requires k <= 2. */
static void subtract_multiple(limb_t *x, const limb_t *m, int k, int n)
{
    limb_t t[NAT_MAX + 1], borrow = 0, below = 0;
    for (int i = 0; i <= n; i++) {
        limb_t w = i < n ? m[i] : 0;
        t[i] = limb_sub(x[i], w << k | below >> 1 >> (LIMB_BITS - 1 - k), &borrow);
        below = w;
    }
    nat_select(x, choice_of_bit(borrow), x, t, n + 1);
    nat_wipe(t, n + 1);
}

/* r (n limbs) = number h of a mod m, for a < 2^(k+1) m. */
static void reduce(limb_t *r, const uint64_t *a, const limb_t *m, int k, const struct mod *mod,
                   int digits, int h)
{
    limb_t x[NAT_MAX + 1];
    int n = mod->n;
    unpack(x, n + 1, a, mod->u.ifma.kernel->s, digits, h);
    for (; k >= 0; k--)
        subtract_multiple(x, m, k, n);
    verify(nat_lt(x, m, n).mask && x[n] == 0);
    nat_copy(r, x, n);
    nat_wipe(x, n + 1);
}

/* Limbs of X, at most. */
#define X_MAX LIMBS_OF_BITS(IFMA_LIMB_BITS *IFMA_S_MAX)

#ifdef VERIFY
/* Is a < 4m? */
static int is_elem(const elem *a, const struct mod *m)
{
    limb_t x[NAT_MAX + 1];
    unpack(x, m->n + 1, a->d, m->u.ifma.kernel->s, SINGLE, 0);
    subtract_multiple(x, m->m, 1, m->n);
    subtract_multiple(x, m->m, 0, m->n);
    return x[m->n] == 0 && nat_lt(x, m->m, m->n).mask;
}
#endif

/* k0 (size limbs) = -m^-1 mod 2^bits, by Newton's doubling x = x (2 - m x) from one limb. */
static void negative_inverse(limb_t *k0, const limb_t *m, int n, int bits)
{
    limb_t x[X_MAX], y[X_MAX], low[X_MAX], t[2 * X_MAX];
    int size = LIMBS_OF_BITS(bits);
    nat_resize(low, size, m, n);
    nat_set(x, size, limb_inverse(m[0]));
    for (int len = 1; len < size;) {
        len = 2 * len < size ? 2 * len : size;
        nat_mul(t, low, len, x, len);
        nat_set(y, len, 2);
        nat_sub(y, y, t, len);
        nat_mul(t, x, len, y, len);
        nat_copy(x, t, len);
    }
    nat_zero(k0, size);
    nat_sub(k0, k0, x, size);
    k0[size - 1] &= LIMB_MAX >> (size * LIMB_BITS - bits);
    nat_wipe(x, size);
    nat_wipe(y, size);
    nat_wipe(low, size);
    nat_wipe(t, 2 * size);
}

/* The constants of number h but for rr.  K = (m k0 + 1) / X is X^-1 mod m without an inversion:
 * m k0 = -1 mod X makes the division exact, K X = 1 mod m, and k0 < X gives K < m. */
static void set_constants(struct ifma *c, const limb_t *m, int n, int digits, int h)
{
    limb_t k0[X_MAX], t[NAT_MAX + X_MAX];
    int s = c->kernel->s, bits = IFMA_LIMB_BITS * s, size = LIMBS_OF_BITS(bits);
    negative_inverse(k0, m, n, bits);
    nat_mul(t, m, n, k0, size);
    nat_add_limb(t, t, 1, n + size);
    nat_shr(t, t, bits, n + size);
    verify(nat_lt(t, m, n).mask && nat_is_zero(t + n, size).mask);
    pack(c->m, m, n, s, digits, h);
    pack(c->k, t, n, s, digits, h);
    for (int i = 0; i < s; i++)
        c->k0[2 * i + h] = limb_of(k0, size, i);
    nat_wipe(k0, size);
    nat_wipe(t, n + size);
}

/* rr = R^2 mod m:  from 2^bits by doubling to R 2^i, 8 <= i < 16, then a square and perhaps a
 * doubling for each further bit of log2 R, since R 2^i squared is R 2^(2i). */
static void set_rr(struct ifma *c, const struct mod *m)
{
    limb_t t[NAT_MAX];
    int s = c->kernel->s, log_r = limbs_of(c->kernel, SINGLE) * IFMA_LIMB_BITS, low = 0;
    while (log_r >> low >= 16)
        low++;
    mod_power_of_two(t, m->bits, m);
    pack(c->rr, t, m->n, s, SINGLE, 0);
    for (int i = m->bits; i < log_r + (log_r >> low); i++)
        c->kernel->add(c->rr, c->rr, c->rr, c);
    while (low-- > 0) {
        c->kernel->sqr(c->rr, c->rr, c);
        if (log_r >> low & 1)
            c->kernel->add(c->rr, c->rr, c->rr, c);
    }
    nat_wipe(t, m->n);
}

static void setup(struct mod *m)
{
    struct ifma *c = &m->u.ifma;
    c->kernel = kernel_for(m->bits, SINGLE);
    m->width = 8 * c->kernel->s;
    nat_zero(c->k0, 2 * c->kernel->s);
    set_constants(c, m->m, m->n, SINGLE, 0);
    set_rr(c, m);
}

static void enter(elem *r, const limb_t *a, const struct mod *m)
{
    const struct ifma *c = &m->u.ifma;
    pack(r->d, a, m->n, c->kernel->s, SINGLE, 0);
    c->kernel->mul(r->d, r->d, c->rr, c);
}

/* a b / R < 4m b / R + 2m, which is at most 2m for b = 1, and below 6m for b < R. */
static void mul_leave(limb_t *r, const elem *a, const limb_t *b, const struct mod *m)
{
    const struct ifma *c = &m->u.ifma;
    elem t;
    pack(t.d, b, m->n, c->kernel->s, SINGLE, 0);
    c->kernel->mul(t.d, t.d, a->d, c);
    reduce(r, t.d, m->m, 2, m, SINGLE, 0);
    nat_wipe(t.d, m->width);
}

static void leave(limb_t *r, const elem *a, const struct mod *m)
{
    const struct ifma *c = &m->u.ifma;
    elem t;
    nat_set(t.d, m->width, 1);
    c->kernel->mul(t.d, t.d, a->d, c);
    reduce(r, t.d, m->m, 1, m, SINGLE, 0);
    nat_wipe(t.d, m->width);
}

static void mul(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    m->u.ifma.kernel->mul(r->d, a->d, b->d, &m->u.ifma);
    verify(is_elem(r, m));
}

static void sqr(elem *r, const elem *a, const struct mod *m)
{
    m->u.ifma.kernel->sqr(r->d, a->d, &m->u.ifma);
    verify(is_elem(r, m));
}

static void add(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    m->u.ifma.kernel->add(r->d, a->d, b->d, &m->u.ifma);
    verify(is_elem(r, m));
}

static void sub(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    m->u.ifma.kernel->sub(r->d, a->d, b->d, &m->u.ifma);
    verify(is_elem(r, m));
}

static void gather(elem *r, const limb_t *table, const unsigned *index, int count,
                   const struct mod *m)
{
    m->u.ifma.kernel->gather(r->d, table, index, count);
}

/* rr = (2^log_r)^2 mod m, by the kernel for one. */
static void set_rr_of_pair(struct ifma *c, const struct mod *m, int h)
{
    limb_t t[NAT_MAX];
    elem x;
    mod_power_of_two(t, m->bits, m);
    enter(&x, t, m);
    for (int i = m->bits; i < limbs_of(c->kernel, PAIR) * IFMA_LIMB_BITS; i++)
        add(&x, &x, &x, m);
    sqr(&x, &x, m);
    leave(t, &x, m);
    pack(c->rr, t, m->n, c->kernel->s, PAIR, h);
    nat_wipe(t, m->n);
    nat_wipe(x.d, m->width);
}

static void pair_enter(elem *r, const limb_t *a, const struct mod *m)
{
    const struct ifma *c = &m->u.ifma;
    for (int h = 0; h < 2; h++)
        pack(r->d, a + h * m->n, m->n, c->kernel->s, PAIR, h);
    c->kernel->mul_pair(r->d, r->d, c->rr, c);
}

static void pair_leave(limb_t *r, const elem *a, const struct mod *m)
{
    const struct ifma *c = &m->u.ifma;
    elem t;
    nat_zero(t.d, m->width);
    t.d[0] = t.d[1] = 1;
    c->kernel->mul_pair(t.d, t.d, a->d, c);
    for (int h = 0; h < 2; h++)
        reduce(r + h * m->n, t.d, m->m + h * m->n, 1, m, PAIR, h);
    nat_wipe(t.d, m->width);
}

static void pair_mul(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    m->u.ifma.kernel->mul_pair(r->d, a->d, b->d, &m->u.ifma);
}

static void pair_sqr(elem *r, const elem *a, const struct mod *m)
{
    m->u.ifma.kernel->sqr_pair(r->d, a->d, &m->u.ifma);
}

static void pair_gather(elem *r, const limb_t *table, const unsigned *index, int count,
                        const struct mod *m)
{
    m->u.ifma.kernel->gather_pair(r->d, table, index, count);
}

/* What exponentiation needs. */
static const struct engine engine_pair = {
    .name = "ifma pair",
    .enter = pair_enter,
    .leave = pair_leave,
    .mul = pair_mul,
    .sqr = pair_sqr,
    .gather = pair_gather,
};

/* Both moduli as one, for the kernel that is set. */
static void setup_pair(struct mod *r, const struct mod *const m[2])
{
    struct ifma *c = &r->u.ifma;
    r->eng = &engine_pair;
    r->n = m[0]->n;
    r->bits = m[0]->bits;
    r->width = 8 * c->kernel->s;
    for (int h = 0; h < 2; h++) {
        nat_copy(r->m + h * r->n, m[h]->m, r->n);
        set_constants(c, m[h]->m, r->n, PAIR, h);
        set_rr_of_pair(c, m[h], h);
    }
}

/* m = the longest modulus for so many digits, its limbs multiples of the golden ratio. */
static void set_test_modulus(struct mod *m, const struct ifma_kernel *kernel, int digits, limb_t w)
{
    int log_r = limbs_of(kernel, digits) * IFMA_LIMB_BITS;
    m->n = log_r / LIMB_BITS;
    m->bits = m->n * LIMB_BITS < log_r - 3 ? m->n * LIMB_BITS : log_r - 3;
    for (int i = 0; i < m->n; i++)
        m->m[i] = 0x9e3779b97f4a7c15 * (w + 2 * (limb_t)i);
    m->m[m->n - 1] |= (limb_t)1 << (LIMB_BITS - 1);
    m->m[m->n - 1] >>= m->n * LIMB_BITS - m->bits;
    m->eng = &engine_ifma;
    setup(m);
}

/* (m - 2)(m - 3) = 6, (m - 2)^2 = 4: dense operands, known answers. */
static choice single_computes(const struct ifma_kernel *kernel)
{
    struct mod m;
    limb_t a[NAT_MAX], b[NAT_MAX];
    elem x, y;
    set_test_modulus(&m, kernel, SINGLE, 1);
    nat_sub_limb(a, m.m, 2, m.n);
    nat_sub_limb(b, m.m, 3, m.n);
    enter(&x, a, &m);
    enter(&y, b, &m);
    mul(&y, &y, &x, &m);
    leave(b, &y, &m);
    sqr(&x, &x, &m);
    leave(a, &x, &m);
    return choice_and(nat_eq_limb(a, 4, m.n), nat_eq_limb(b, 6, m.n));
}

/* (m - 2)^2 (m - 2) = -8 for both. */
static choice pair_computes(const struct ifma_kernel *kernel)
{
    struct mod m[2], both;
    limb_t a[NAT_MAX];
    elem x, y;
    for (int h = 0; h < 2; h++) {
        set_test_modulus(&m[h], kernel, PAIR, 1 + 2 * (limb_t)h);
        nat_sub_limb(a + h * m[h].n, m[h].m, 2, m[h].n);
    }
    both.u.ifma.kernel = kernel;
    setup_pair(&both, (const struct mod *const[]){&m[0], &m[1]});
    pair_enter(&x, a, &both);
    pair_sqr(&y, &x, &both);
    pair_mul(&x, &y, &x, &both);
    pair_leave(a, &x, &both);
    for (int h = 0; h < 2; h++)
        nat_sub(a + h * both.n, m[h].m, a + h * both.n, both.n);
    return choice_and(nat_eq_limb(a, 8, both.n), nat_eq_limb(a + both.n, 8, both.n));
}

static int computes(const struct ifma_kernel *kernel)
{
    choice right = single_computes(kernel);
    if (kernel->mul_pair)
        right = choice_and(right, pair_computes(kernel));
    return declassify(right); /* public numbers */
}

static int has_instructions(void)
{
#ifdef TAHR_IFMA_MODEL
    return 1;
#else
    return cpu_has_ifma();
#endif
}

/* Asked once for each kernel; threads that ask at the same time get the same answer. */
static int trusted(const struct ifma_kernel *kernel)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int answers[IFMA_S_MAX + 1];
    int answer = atomic_load(&answers[kernel->s]);
    if (answer == UNKNOWN) {
        answer = has_instructions() && computes(kernel) ? YES : NO;
        atomic_store(&answers[kernel->s], answer);
    }
    return answer == YES;
}

static int pair(struct mod *r, const struct mod *const m[2])
{
    const struct ifma_kernel *kernel = kernel_for(m[0]->bits, PAIR);
    if (!kernel || !kernel->mul_pair || !trusted(kernel))
        return -1;
    r->u.ifma.kernel = kernel;
    setup_pair(r, m);
    return 0;
}

static int usable(int bits, int odd)
{
    const struct ifma_kernel *kernel = kernel_for(bits, SINGLE);
    return odd && bits >= 2 && kernel && trusted(kernel);
}

const struct engine engine_ifma = {
    .name = "ifma",
    .usable = usable,
    .setup = setup,
    .enter = enter,
    .leave = leave,
    .mul = mul,
    .sqr = sqr,
    .add = add,
    .sub = sub,
    .mul_leave = mul_leave,
    .gather = gather,
    .pair = pair,
};

#else

static int usable(int bits, int odd)
{
    (void)bits;
    (void)odd;
    return 0;
}

const struct engine engine_ifma = {.name = "ifma", .usable = usable};

#endif
