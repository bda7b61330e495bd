/* Is a number prime?  Miller-Rabin and Solovay-Strassen rounds for secret numbers, and the whole
 * answer for secret and for public ones.
 *
 * Error bounds.  A round with a random base passes at most a quarter of the bases of an odd
 * composite (Miller-Rabin) or half of them (Solovay-Strassen), however the number was chosen.  For
 * numbers that were themselves chosen at random the average is far smaller: Damgard, Landrock and
 * Pomerance (Math. Comp. 1993; HAC 4.48), see prime_rounds. */
#include "prime.h"

#include "secret.h"

/* A random prime has s >= PUBLIC_TWOS with probability 2^(1 - PUBLIC_TWOS). */
#define PUBLIC_TWOS 64

/* The squarings that a power of two s, 1 <= s < bits, may need, without telling which s it is. */
static int squarings(uint32_t s, int bits)
{
    choice few = choice_of_bit((limb_t)((s - PUBLIC_TWOS) >> 31)); /* s < PUBLIC_TWOS */
    if (bits <= PUBLIC_TWOS)
        return bits;
    if (declassify(few)) /* public: true of all primes that were drawn at random */
        return PUBLIC_TWOS;
    return bits;
}

/* It does no harm to look at i >= s: if a^(2^i t) = -1 mod n, then 2^(i+1) divides the order of a
 * modulo each prime factor of n, so these factors are 1 mod 2^(i+1), so is n, and i < s. */
choice prime_miller_rabin(const limb_t *a, const struct mod *n)
{
    limb_t t[NAT_MAX], x[NAT_MAX], minus1[NAT_MAX];
    elem y;

    nat_sub_limb(minus1, n->m, 1, n->n);
    uint32_t s = nat_trailing_zeros(minus1, n->n); /* s < 2^14, as n has at most 2^14 bits */
    nat_shr_secret(t, minus1, s, 14, n->n);
    mod_exp(x, a, t, n->bits, n);
    choice yes = choice_or(nat_eq_limb(x, 1, n->n), nat_eq(x, minus1, n->n));
    mod_enter(&y, x, n);
    int count = squarings(s, n->bits);
    for (int i = 1; i < count; i++) {
        mod_sqr(&y, &y, n);
        mod_leave(x, &y, n); /* x = a^(2^i t) */
        yes = choice_or(yes, nat_eq(x, minus1, n->n));
    }
    nat_wipe(t, n->n);
    nat_wipe(x, n->n);
    nat_wipe(minus1, n->n);
    nat_wipe_bytes(&y, sizeof y);
    return yes;
}

choice prime_solovay_strassen(const limb_t *a, const struct mod *n)
{
    limb_t e[NAT_MAX], x[NAT_MAX];

    nat_shr(e, n->m, 1, n->n); /* (n - 1)/2, n odd */
    mod_exp(x, a, e, n->bits, n);
    limb_t j = (limb_t)mod_jacobi(a, n); /* -1 is LIMB_MAX */
    nat_add_limb(e, x, 1, n->n);         /* n iff x = -1 */
    choice plus = choice_and(nat_eq_limb(x, 1, n->n), choice_eq(j, 1));
    choice minus = choice_and(nat_eq(e, n->m, n->n), choice_eq(j, LIMB_MAX));
    nat_wipe(e, n->n);
    nat_wipe(x, n->n);
    return choice_or(plus, minus);
}

/* a = random in [1, n - 1]: 64 bits more than n has, mod n, so that no value is more than 2^-64
 * likelier than another; 0 becomes 1. */
static void random_base(limb_t *a, const struct mod *n)
{
    limb_t wide[NAT_MAX + 64 / LIMB_BITS];
    int len = n->n + 64 / LIMB_BITS;

    secret_random(wide, (size_t)len * LIMB_BYTES);
    mod_reduce(a, wide, len, n);
    a[0] |= (limb_t)(nat_is_zero(a, n->n).mask & 1);
    nat_wipe(wide, len);
}

static int miller_rabin_rounds(const struct mod *n, int rounds)
{
    limb_t a[NAT_MAX];
    int prime = 1;

    for (int i = 0; i < rounds && prime; i++) {
        random_base(a, n);
        prime = declassify(prime_miller_rabin(a, n)); /* public: n is composite, or goes on */
    }
    nat_wipe(a, n->n);
    return prime;
}

int prime_check(const limb_t *p, int bits, int rounds)
{
    limb_t a[NAT_MAX];
    struct mod n;
    int prime = 0;

    if (bits <= 2)
        return bits == 2; /* 2 and 3 are prime, 0 and 1 are not */
    if (mod_init(&n, p, bits) != 0)
        goto done; /* even */
    if (!miller_rabin_rounds(&n, rounds))
        goto done;
    random_base(a, &n);
    prime = declassify(prime_solovay_strassen(a, &n)); /* public: the answer */
    nat_wipe(a, n.n);
done:
    mod_wipe(&n);
    return prime;
}

/* The odd primes below 30, and their product, which fits a word. */
static const uint32_t tiny[] = {3, 5, 7, 11, 13, 17, 19, 23, 29};
#define TINY_PRODUCT 3234846615u

int prime_check_vartime(const limb_t *n, int nlimbs, int rounds)
{
    int bits = nat_bits_vartime(n, nlimbs);
    struct mod m;

    if (bits <= 2)
        return bits == 2; /* 2 and 3 are prime, 0 and 1 are not */
    if (mod_init(&m, n, bits) != 0)
        return 0; /* even, or too long */
    uint32_t r = nat_div_word(NULL, n, TINY_PRODUCT, m.n);
    for (size_t i = 0; i < sizeof tiny / sizeof tiny[0]; i++)
        if (r % tiny[i] == 0)
            return bits <= 5 && n[0] == tiny[i];
    return prime_baillie_psw_vartime(&m) && miller_rabin_rounds(&m, rounds);
}

/* p is prime if a prime q > sqrt(p) - 1 divides p - 1 and for some a a^(p-1) = 1 mod p and
 * gcd(a^((p-1)/q) - 1, p) = 1.  Here a = 2, (p - 1)/q = 2, and gcd(2^2 - 1, p) = 1 is p mod 3. */
static int pocklington_vartime(const struct mod *p)
{
    limb_t x[NAT_MAX], e[NAT_MAX];

    nat_set(x, p->n, 2);
    nat_sub_limb(e, p->m, 1, p->n);
    mod_exp_vartime(x, x, e, p->bits, p);
    return declassify(nat_eq_limb(x, 1, p->n)) && /* public, like p */
           nat_div_word(NULL, p->m, 3, p->n) != 0;
}

int prime_safe_check_vartime(const limb_t *p, int nlimbs, int rounds)
{
    int bits = nat_bits_vartime(p, nlimbs);
    limb_t q[NAT_MAX];
    struct mod m;

    if (bits < 3 || mod_init(&m, p, bits) != 0)
        return 0;
    nat_shr(q, p, 1, m.n);
    return pocklington_vartime(&m) && prime_check_vartime(q, m.n, rounds);
}

/* Let p(k,t) be the probability that a random odd k-bit number is composite given that it passed t
 * rounds; for 3 <= t <= k/9
 *   p(k,t) < k^(3/2) 2^t t^(-1/2) 4^(2 - sqrt(t k)).
 * The search of prime_random adds at most 6 bits (see there), so that log2 p(k,t) <= -118 is asked
 * for at the shortest k of each row: -119 at 256, -123 at 512, -122 at 768, -120 at 1024, -133 at
 * 1536.  Table B.1 of FIPS 186-5 asks for 5, 4, 4 rounds at 1024, 1536, 2048 bits.  Below 256 bits
 * the worst case of 4^-t counts. */
int prime_rounds(int bits)
{
    static const struct {
        int bits, rounds;
    } row[] = {{1536, 4}, {1024, 5}, {768, 7}, {512, 11}, {256, 24}};

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (bits >= row[i].bits)
            return row[i].rounds;
    return 64;
}
