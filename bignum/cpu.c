/* Feature bits (Intel SDM 2A, CPUID) and the register state that the system saves (XCR0). */
#include "cpu.h"

#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>
#include <stdatomic.h>
#include <stdint.h>

#define OSXSAVE     (1u << 27)                                            /* leaf 1, ecx */
#define LEAF7_NEEDS (1u << 8 | 1u << 16 | 1u << 17 | 1u << 21 | 1u << 31) /* BMI2 F DQ IFMA VL */
#ifdef TAHR_CT /* Valgrind runs adcx and adox but does not tell */
#define BMI2_ADX (1u << 8)
#else
#define BMI2_ADX (1u << 8 | 1u << 19) /* the same leaf, ebx */
#endif
#define XCR0_NEEDS 0xe6u /* xmm, ymm; opmask, upper halves of zmm0-15, zmm16-31 */

static uint32_t xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

int cpu_has_ifma(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
        return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & LEAF7_NEEDS) != LEAF7_NEEDS)
        return 0;
    return (xcr0() & XCR0_NEEDS) == XCR0_NEEDS;
}

int cpu_has_adx(void)
{
    static atomic_int known; /* 1: no, 2: yes; whoever asks first finds the same */
    int k = atomic_load_explicit(&known, memory_order_relaxed);
    if (k == 0) {
        unsigned a, b, c, d;
        k = 1 + (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & BMI2_ADX) == BMI2_ADX);
        atomic_store_explicit(&known, k, memory_order_relaxed);
    }
    return k == 2;
}

#else

int cpu_has_ifma(void)
{
    return 0;
}

int cpu_has_adx(void)
{
    return 0;
}

#endif
