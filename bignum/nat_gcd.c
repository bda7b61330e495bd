/* Greatest common divisors: take out the common twos, make one number odd, safegcd, put them back.
 */
#include "nat.h"
#include "safegcd.h"

/* f + 2 g < 3 B^n (nat_gcd) takes two bits more than a number. */
#define BITS_OF(n) ((n)*LIMB_BITS + 2)
#define DIGITS_MAX DIGITS_OF_BITS(BITS_OF(NAT_MAX))

/* f += 2 g for digits in [0, 2^W): at most 3 (2^W - 1) + 2 < B at a time. */
static void add_double(slimb_t *f, const slimb_t *g, int len)
{
    limb_t sum = 0;
    for (int i = 0; i < len; i++) {
        sum = (limb_t)(sum + (limb_t)f[i] + (limb_t)((limb_t)g[i] << 1));
        f[i] = (slimb_t)(sum & DIGIT_MASK);
        sum = (limb_t)(sum >> DIGIT_BITS);
    }
}

/* x 2^z = a, y 2^z = b with x or y odd, or both 0; then exchanged so that x is odd.  Returns z. */
static unsigned take_out_twos(limb_t *x, limb_t *y, const limb_t *a, const limb_t *b, int zbits,
                              int n)
{
    for (int i = 0; i < n; i++)
        x[i] = a[i] | b[i];
    unsigned z = nat_trailing_zeros(x, n);
    nat_shr_secret(x, a, z, zbits, n);
    nat_shr_secret(y, b, z, zbits, n);
    nat_swap_if(x, y, choice_not(choice_of_bit(x[0] & 1)), n);
    return z;
}

void nat_gcd(limb_t *r, const limb_t *a, const limb_t *b, int n)
{
    limb_t x[NAT_MAX], y[NAT_MAX];
    slimb_t f[DIGITS_MAX], g[DIGITS_MAX];
    int len = DIGITS_OF_BITS(BITS_OF(n)), zbits = 1;
    while (n * LIMB_BITS >> zbits)
        zbits++;
    unsigned z = take_out_twos(x, y, a, b, zbits, n);
    safegcd_load(f, len, x, n);
    safegcd_load(g, len, y, n);
    /* The bound on the steps asks for g <= f: f + 2 g is odd like f and leaves the gcd alone.  For
     * f = g = 0 every step halves g, and the answer is 0. */
    add_double(f, g, len);
    safegcd_gcd(f, g, len, BATCHES_OF_BITS(BITS_OF(n)));
    safegcd_store(x, n, f, len);
    nat_shl_secret(r, x, z, zbits, n);
    nat_wipe(x, n);
    nat_wipe(y, n);
    nat_wipe_bytes(f, (size_t)len * sizeof *f);
    nat_wipe_bytes(g, (size_t)len * sizeof *g);
    nat_wipe_bytes(&z, sizeof z);
}

void nat_gcd_vartime(limb_t *r, const limb_t *a, const limb_t *b, int n)
{
    limb_t x[NAT_MAX], y[NAT_MAX];
    slimb_t f[DIGITS_MAX], g[DIGITS_MAX];
    int len = DIGITS_OF_BITS(n * LIMB_BITS);
    for (int i = 0; i < n; i++)
        x[i] = a[i] | b[i];
    int z = (int)nat_trailing_zeros(x, n);
    nat_shr(x, a, z, n);
    nat_shr(y, b, z, n);
    int swap = !(x[0] & 1);
    safegcd_load(f, len, swap ? y : x, n);
    safegcd_load(g, len, swap ? x : y, n);
    len = safegcd_gcd_vartime(f, g, len);
    safegcd_store(x, n, f, len);
    nat_shl(r, x, z, n);
}
