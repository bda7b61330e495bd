/* Products, squares and Montgomery's reduction for x86-64 with BMI2 and ADX, in blocks of eight
 * limbs.
 *
 * mulx leaves the flags alone, adcx carries in CF alone and adox in OF alone, so two chains of
 * carries run side by side (Ozturk, Guilford, Gopal, Feghali, "New instructions supporting large
 * integer arithmetic", Intel, 2012).  A block of eight limbs of one factor is multiplied by the
 * other, limb by limb, over a window of eight limbs that stays in r8 ... r15: each row adds a b_j,
 * stores the lowest limb and moves the window up by one, since the high half of a product is
 * written where the limb that it joins next has just been used up. */
#include "cpu.h"
#include "nat_mul.h"

#if LIMB_BITS == 64 && defined __x86_64__ && defined __GNUC__
#define HAVE_ADX 1
#endif
#if defined __has_feature
#if __has_feature(memory_sanitizer) /* it cannot see what assembly writes */
#undef HAVE_ADX
#endif
#endif

#ifdef HAVE_ADX

#define BLOCK NAT_ADX_MIN

static const limb_t zero = 0;

/* AddressSanitizer would take one of the registers that the blocks need. */
#define NO_ASAN __attribute__((no_sanitize_address))

static int usable(void)
{
    return cpu_has_adx();
}

/* below += mine, then += the low half of rdx times the limb at `at`, whose high half is mine. */
#define STEP(at, mine, below)                                                                      \
    "adoxq %%" mine ", %%" below "\n\t"                                                            \
    "mulxq " at "(%[a]), %%rax, %%" mine "\n\t"                                                    \
    "adcxq %%rax, %%" below "\n\t"
#define STEPS                                                                                      \
    STEP("8", "r9", "r8")                                                                          \
    STEP("16", "r10", "r9")                                                                        \
    STEP("24", "r11", "r10")                                                                       \
    STEP("32", "r12", "r11")                                                                       \
    STEP("40", "r13", "r12")                                                                       \
    STEP("48", "r14", "r13")                                                                       \
    STEP("56", "r15", "r14")                                                                       \
    "adcxq %[zero], %%r15\n\t"                                                                     \
    "adoxq %[zero], %%r15\n\t"
/* Row at r and b: test clears both carries. */
#define ROW(at)                                                                                    \
    "testb %%al, %%al\n\t"                                                                         \
    "movq " at "(%[b]), %%rdx\n\t"                                                                 \
    "movq " at "(%[r]), %%rbx\n\t" STEP("", "r8", "rbx") "movq %%rbx, " at "(%[r])\n\t" STEPS
#define LOAD_WINDOW(w)                                                                             \
    "movq " w ", %%rdx\n\t"                                                                        \
    "movq (%%rdx), %%r8\n\t"                                                                       \
    "movq 8(%%rdx), %%r9\n\t"                                                                      \
    "movq 16(%%rdx), %%r10\n\t"                                                                    \
    "movq 24(%%rdx), %%r11\n\t"                                                                    \
    "movq 32(%%rdx), %%r12\n\t"                                                                    \
    "movq 40(%%rdx), %%r13\n\t"                                                                    \
    "movq 48(%%rdx), %%r14\n\t"                                                                    \
    "movq 56(%%rdx), %%r15\n\t"
#define STORE_WINDOW(w)                                                                            \
    "movq " w ", %%rdx\n\t"                                                                        \
    "movq %%r8, (%%rdx)\n\t"                                                                       \
    "movq %%r9, 8(%%rdx)\n\t"                                                                      \
    "movq %%r10, 16(%%rdx)\n\t"                                                                    \
    "movq %%r11, 24(%%rdx)\n\t"                                                                    \
    "movq %%r12, 32(%%rdx)\n\t"                                                                    \
    "movq %%r13, 40(%%rdx)\n\t"                                                                    \
    "movq %%r14, 48(%%rdx)\n\t"                                                                    \
    "movq %%r15, 56(%%rdx)\n\t"
#define WINDOW "rax", "rbx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"

/* (w, r) = w + r + a b for 8 limbs of a and w and n >= 1 of b and r; w then counts from B^n.
 * A row fits: (B^8 - 1) + (B - 1) + (B^8 - 1)(B - 1) = B^9 - 1. */
NO_ASAN static void mul_add_block(limb_t *r, limb_t *w, const limb_t *a, const limb_t *b, int n)
{
    const limb_t *end = b + n;
    b -= n & 1, r -= n & 1; /* an odd n begins with the second row of a pair */
    __asm__ volatile(
        LOAD_WINDOW("%[w]") "testb $1, %[n]\n\t"
                            "jnz 2f\n\t"
                            "1:\n\t" ROW("") "2:\n\t" ROW("8") "leaq 16(%[b]), %[b]\n\t"
                                                               "leaq 16(%[r]), %[r]\n\t"
                                                               "cmpq %[end], %[b]\n\t"
                                                               "jne 1b\n\t" STORE_WINDOW("%[w]")
        : [b] "+&r"(b), [r] "+&r"(r)
        : [a] "r"(a), [w] "m"(w), [end] "m"(end), [n] "m"(n), [zero] "m"(zero)
        : WINDOW, "cc", "memory");
}

/* Digits q of 8 limbs with w + q m = 0 mod B^8; w = (w + q m) / B^8.  m has 8 limbs, k0 =
 * -m^-1 mod B. */
NO_ASAN static void clear_block(limb_t *q, limb_t *w, const limb_t *m, limb_t k0)
{
    const limb_t *end = q + BLOCK;
    __asm__ volatile(LOAD_WINDOW("%[w]") "1:\n\t"
                                         "movq %[k0], %%rdx\n\t"
                                         "imulq %%r8, %%rdx\n\t"
                                         "movq %%rdx, (%[q])\n\t"
                                         "xorl %%ebx, %%ebx\n\t" STEP("", "r8", "rbx") STEPS
                     "leaq 8(%[q]), %[q]\n\t"
                     "cmpq %[end], %[q]\n\t"
                     "jne 1b\n\t" STORE_WINDOW("%[w]")
                     : [q] "+&r"(q)
                     : [a] "r"(m), [w] "m"(w), [k0] "m"(k0), [end] "m"(end), [zero] "m"(zero)
                     : WINDOW, "cc", "memory");
}

/* Row i of a triangle: a_i (rdx) times the limbs above it, from column 2i + 1 on. */
#define BEGIN(at) "movq " at "(%[a]), %%rdx\n\ttestb %%al, %%al\n\t"
#define TERM(at, low, high)                                                                        \
    "mulxq " at "(%[a]), %%rax, %%rbx\n\t"                                                         \
    "adcxq %%rax, %%" low "\n\t"                                                                   \
    "adoxq %%rbx, %%" high "\n\t"
#define LAST(low, high)                                                                            \
    "mulxq 56(%[a]), %%rax, %%" high "\n\t"                                                        \
    "adcxq %%rax, %%" low "\n\t"                                                                   \
    "adcxq %[zero], %%" high "\n\t"                                                                \
    "adoxq %[zero], %%" high "\n\t"
#define KEEP(low, at_low, high, at_high)                                                           \
    "movq %%" low ", " at_low "(%[r])\n\t"                                                         \
    "movq %%" high ", " at_high "(%[r])\n\t"
#define FIRST(at, low, high)                                                                       \
    "mulxq " at "(%[a]), %%rax, %%" high "\n\t"                                                    \
    "adcxq %%rax, %%" low "\n\t"

/* r (16 limbs) = the sum of a[i] a[j] B^(i+j) over i < j < 8.  Column k is in r8 + (k - 1) mod 8:
 * row i begins with column i + 8, when column i has been kept. */
NO_ASAN static void triangle(limb_t *r, const limb_t *a)
{
    r[0] = r[15] = 0;
    __asm__ volatile(
        BEGIN("") "mulxq 8(%[a]), %%r8, %%r9\n\t" FIRST("16", "r9", "r10") FIRST("24", "r10", "r11")
            FIRST("32", "r11", "r12") FIRST("40", "r12", "r13") FIRST("48", "r13", "r14")
                LAST("r14", "r15") KEEP("r8", "8", "r9", "16") BEGIN("8") TERM("16", "r10", "r11")
                    TERM("24", "r11", "r12") TERM("32", "r12", "r13") TERM("40", "r13", "r14")
                        TERM("48", "r14", "r15") LAST("r15", "r8") KEEP("r10", "24", "r11", "32")
                            BEGIN("16") TERM("24", "r12", "r13") TERM("32", "r13", "r14") TERM(
                                "40", "r14", "r15") TERM("48", "r15", "r8") LAST("r8", "r9")
                                KEEP("r12", "40", "r13", "48") BEGIN("24") TERM("32", "r14", "r15")
                                    TERM("40", "r15", "r8") TERM("48", "r8", "r9") LAST("r9", "r10")
                                        KEEP("r14", "56", "r15", "64") BEGIN("32")
                                            TERM("40", "r8", "r9") TERM("48", "r9", "r10")
                                                LAST("r10", "r11") KEEP("r8", "72", "r9", "80")
                                                    BEGIN("40") TERM("48", "r10", "r11")
                                                        LAST("r11", "r12")
                                                            KEEP("r10", "88", "r11", "96")
                                                                BEGIN("48") LAST("r12", "r13")
                                                                    KEEP("r12", "104", "r13", "112")
        :
        : [r] "r"(r), [a] "r"(a), [zero] "m"(zero)
        : WINDOW, "cc", "memory");
}

#define SQUARE(at, at_low, at_high)                                                                \
    "movq " at "(%[a]), %%rdx\n\t"                                                                 \
    "mulxq %%rdx, %%r8, %%r9\n\t"                                                                  \
    "movq " at_low "(%[r]), %%r10\n\t"                                                             \
    "movq " at_high "(%[r]), %%r11\n\t"                                                            \
    "adcxq %%r10, %%r10\n\t"                                                                       \
    "adoxq %%r8, %%r10\n\t"                                                                        \
    "adcxq %%r11, %%r11\n\t"                                                                       \
    "adoxq %%r9, %%r11\n\t"                                                                        \
    "movq %%r10, " at_low "(%[r])\n\t"                                                             \
    "movq %%r11, " at_high "(%[r])\n\t"

/* r (16 limbs) = 2 r + the sum of a[i]^2 B^2i + out + carry: the bit that doubling moves up, and
 * the carry of adding the squares.  -1 + 1 gives a flag back. */
static void double_and_add_squares(limb_t *r, const limb_t *a, limb_t *out, limb_t *carry)
{
    limb_t c = *out, d = *carry;
    __asm__ volatile("xorl %%eax, %%eax\n\t"
                     "movq $-1, %%rax\n\t"
                     "adcxq %%rax, %[c]\n\t"
                     "adoxq %%rax, %[d]\n\t" SQUARE("", "", "8") SQUARE("8", "16", "24")
                         SQUARE("16", "32", "40") SQUARE("24", "48", "56") SQUARE("32", "64", "72")
                             SQUARE("40", "80", "88") SQUARE("48", "96", "104")
                                 SQUARE("56", "112", "120") "movl $0, %%eax\n\t"
                                                            "movq %%rax, %[c]\n\t"
                                                            "movq %%rax, %[d]\n\t"
                                                            "adcxq %%rax, %[c]\n\t"
                                                            "adoxq %%rax, %[d]\n\t"
                     : [c] "+&r"(c), [d] "+&r"(d)
                     : [r] "r"(r), [a] "r"(a)
                     : "rax", "rdx", "r8", "r9", "r10", "r11", "cc", "memory");
    *out = c;
    *carry = d;
}

#define ADD(at)                                                                                    \
    "movq " at "(%[w]), %%rax\n\t"                                                                 \
    "adcq %%rax, " at "(%[t])\n\t"

/* t (8 limbs) += w + carry; returns the carry out. */
static limb_t add_window(limb_t *t, const limb_t *w, limb_t carry)
{
    __asm__ volatile("negq %[c]\n\t" /* the flag */
                     ADD("") ADD("8") ADD("16") ADD("24") ADD("32") ADD("40") ADD("48")
                         ADD("56") "sbbq %[c], %[c]\n\t"
                                   "negq %[c]\n\t"
                     : [c] "+&r"(carry)
                     : [t] "r"(t), [w] "r"(w)
                     : "rax", "cc", "memory");
    return carry;
}

/* The blocks of a, then its last limbs one by one. */
static void mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    if (an % BLOCK != 0 && (bn % BLOCK == 0 || an < BLOCK)) {
        const limb_t *t = a;
        int tn = an;
        a = b, an = bn;
        b = t, bn = tn;
    }
    if (an < BLOCK) {
        nat_comba.mul(r, a, an, b, bn);
        return;
    }
    int i = 0;
    nat_zero(r, bn + BLOCK);
    for (; i + BLOCK <= an; i += BLOCK) {
        nat_zero(r + i + bn, BLOCK);
        mul_add_block(r + i, r + i + bn, a + i, b, bn);
    }
    for (; i < an; i++)
        r[i + bn] = nat_mul_add_limb(r + i, b, a[i], bn);
}

/* The same as triangle for fewer limbs. */
static void small_triangle(limb_t *r, const limb_t *a, int n)
{
    nat_zero(r, 2 * n);
    for (int i = 0; i + 1 < n; i++)
        r[n + i] = nat_mul_add_limb(r + 2 * i + 1, a + i + 1, a[i], n - i - 1);
}

/* The a[i] a[j] with i < j: triangles for i, j in the same block, which lie apart, then each block
 * by all limbs above it.  Twice their sum and the squares are less than B^2n. */
static void sqr(limb_t *r, const limb_t *a, int n)
{
    if (n < BLOCK) {
        nat_comba.sqr(r, a, n);
        return;
    }
    int i, whole = n - n % BLOCK;
    for (i = 0; i < whole; i += BLOCK)
        triangle(r + 2 * i, a + i);
    if (whole < n)
        small_triangle(r + 2 * whole, a + whole, n - whole);
    limb_t w[BLOCK], carry = 0;
    for (i = 0; i + BLOCK < n; i += BLOCK) {
        nat_zero(w, BLOCK);
        mul_add_block(r + 2 * i + BLOCK, w, a + i, a + i + BLOCK, n - i - BLOCK);
        carry = add_window(r + n + i, w, carry);
    }
    nat_add_limb(r + n + i, r + n + i, carry, n - i);
    nat_wipe(w, BLOCK);
    limb_t out = carry = 0;
    for (i = 0; i < whole; i += BLOCK)
        double_and_add_squares(r + 2 * i, a + i, &out, &carry);
    for (; i < n; i++) {
        dlimb_t square = (dlimb_t)a[i] * a[i];
        limb_t low = r[2 * i], high = r[2 * i + 1];
        r[2 * i] = limb_add(low << 1 | out, (limb_t)square, &carry);
        r[2 * i + 1] = limb_add(high << 1 | low >> 63, (limb_t)(square >> 64), &carry);
        out = high >> 63;
    }
    verify(out == 0 && carry == 0);
}

limb_t nat_clear_adx(limb_t *t, const limb_t *m, limb_t k0, int n)
{
    limb_t q[BLOCK], w[BLOCK], top = 0;
    int i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        nat_copy(w, t + i, BLOCK);
        clear_block(q, w, m, k0);
        if (n > BLOCK)
            mul_add_block(t + i + BLOCK, w, q, m + BLOCK, n - BLOCK);
        top = add_window(t + i + n, w, top);
    }
    for (; i < n; i++) {
        limb_t carry = nat_mul_add_limb(t + i, m, limb_mul(t[i], k0), n);
        t[i + n] = limb_add(t[i + n], carry, &top);
    }
    nat_wipe(q, BLOCK);
    nat_wipe(w, BLOCK);
    return top;
}

#else

static int usable(void)
{
    return 0;
}

static void mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    nat_comba.mul(r, a, an, b, bn);
}

static void sqr(limb_t *r, const limb_t *a, int n)
{
    nat_comba.sqr(r, a, n);
}

limb_t nat_clear_adx(limb_t *t, const limb_t *m, limb_t k0, int n)
{
    (void)t, (void)m, (void)k0, (void)n;
    return 0;
}

#endif

const struct multiplier nat_adx = {
    .name = "adx",
    .usable = usable,
    .mul = mul,
    .sqr = sqr,
    .halve_mul = 44,
    .halve_sqr = 72,
};
