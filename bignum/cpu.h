/* What this processor can do: CPUID feature bits, never model numbers. */
#ifndef TAHR_CPU_H
#define TAHR_CPU_H

/* May AVX-512 F, DQ, VL and IFMA and BMI2 be used: has the processor them, and does the system save
 * their registers?  0 or 1; slow, so ask once. */
int cpu_has_ifma(void);

/* Has the processor BMI2 and ADX?  0 or 1; remembered, so that it may be asked for each product. */
int cpu_has_adx(void);

#endif
