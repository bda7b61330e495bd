/* The AVX-512 kernels of every size, and nothing else: compiled with flags that not every processor
 * obeys, so nothing here may be called before cpu_has_ifma.  The template is ifma_kernel.h. */
#include "ifma.h"

#if LIMB_BITS == 64 && (defined __AVX512IFMA__ || defined TAHR_IFMA_MODEL)

#include "ifma_vec.h"

/* p, of which the compiler knows nothing: it loads again instead of keeping (and spilling) what it
 * loaded before.  Only for vectors that do not fit the registers beside the accumulators. */
IFMA_INLINE const uint64_t *opaque(const uint64_t *p, int hide)
{
    if (hide)
        __asm__("" : "+r"(p));
    return p;
}

/* Memory is what it seems: keeps the compiler from moving words between the register files. */
IFMA_INLINE void memory_fence(uint64_t *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

IFMA_INLINE void memory_wipe(uint64_t *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = 0;
    memory_fence(p);
}

/* The lanes that a carry enters: from made[l] into the next lane of the same number, and on through
 * lanes in pass.  made and pass are disjoint. */
IFMA_INLINE unsigned carry_lanes(unsigned made, unsigned pass, int pair)
{
    if (!pair)
        return (((made << 1) + pass) ^ pass) & 0xff;
    unsigned even = (pass & 0x55) | 0xaa, odd = (pass & 0xaa) | 0x55;
    return (((((made & 0x55) << 2) + even) ^ even) & 0x55) |
           (((((made & 0xaa) << 2) + odd) ^ odd) & 0xaa);
}

/* A^2 = sum of A_x A_y X^(x+y) needs 36 digit products of the 64 (Drucker and Gueron, ePrint
 * 2018/335).  After J folds lane l has the weight X^(l+J), so a set of products run then may hold
 * any pair x + y = l + J in lane l; five sets hold all.  Each is cut in rows of low and of high
 * words of A_x, run at different J, so that every fold has some to hide behind. Set J, lane l: x in
 * the high half of the byte, y in the low half, plus 8 where y > x and the factor is that digit of
 * 2A; 0xff: none. */
static const uint8_t square_low[8][8] = {
    [0] = {0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f},
    [2] = {0x11, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x2f},
    [4] = {0x22, 0x2b, 0x2c, 0x2d, 0x2e, 0x3e, 0x3f, 0x4f},
    [6] = {0x33, 0x3c, 0x3d, 0x4d, 0x4e, 0x5e, 0x5f, 0x6f},
    [7] = {0xff, 0x44, 0xff, 0x55, 0xff, 0x66, 0xff, 0x77},
};
static const uint8_t square_high[8][8] = {
    [0] = {0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f},
    [1] = {0xff, 0x11, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f},
    [3] = {0xff, 0x22, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x3f},
    [5] = {0xff, 0x33, 0x3c, 0x3d, 0x3e, 0x4e, 0x4f, 0x5f},
    [7] = {0xff, 0x44, 0x4d, 0x55, 0x5e, 0x66, 0x6f, 0x77},
};

#ifdef VERIFY
/* All lanes below terms 2^52. */
static int lanes_below(const vec *v, int n, unsigned terms)
{
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++)
            if (v[i][l] >> 52 >= terms)
                return 0;
    return 1;
}

/* Is the lowest digit of each number, with cs, a multiple of X? */
static int digit_is_zero(const vec *acc, low cs, int s, int pair)
{
    low bits = {0, 0};
    for (int t = 0; t < s; t++) {
        cs += low_of(acc[t]);
        bits |= cs & (low){Q, Q};
        cs = cs >> 52;
    }
    return bits[0] == 0 && (!pair || bits[1] == 0);
}
#endif

#define S 2
#include "ifma_kernel.h"
#define S 3
#include "ifma_kernel.h"
#define S 4
#include "ifma_kernel.h"
#define S 5
#include "ifma_kernel.h"
#define S 6
#include "ifma_kernel.h"
#define S 8
#include "ifma_kernel.h"
#define S 10
#include "ifma_kernel.h"
#define S 12
#include "ifma_kernel.h"
#define S 15
#include "ifma_kernel.h"
#define S 20
#include "ifma_kernel.h"

const struct ifma_kernel *const ifma_kernels[] = {
    &kernel_2,  &kernel_3,  &kernel_4,  &kernel_5,  &kernel_6, &kernel_8,
    &kernel_10, &kernel_12, &kernel_15, &kernel_20, NULL,
};

#else

const struct ifma_kernel *const ifma_kernels[] = {NULL};

#endif
