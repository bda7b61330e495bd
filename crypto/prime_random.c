/* Random primes for private keys: incremental search with a sieve whose pattern is constant.
 *
 *   x = random, two top bits set, odd;   residue[p] = x mod p for the first odd primes p
 *   x += 2, residue[p] += 2 mod p;       discard x if some residue is zero
 *   x passes prime_filter, then prime_check: done
 *   after SPAN steps: a new x
 *
 * Every residue is computed and looked at whatever it is, since a sieve that marks places tells the
 * residues of the prime by its addresses (Aldaya et al., TCHES 2019).
 *
 * FIPS 186-5 A.1.3 draws each candidate afresh.  Incremental search prefers primes after long gaps,
 * which costs little entropy (Brandt and Damgard, CRYPTO '92).  Its error: let C be the composites
 * among the M = 2^(bits-2) odd numbers of k = `bits` bits, and L(n) the probability that n passes t
 * rounds.  Since about 2 M/(k ln 2) of these numbers are prime, the sum of L over C is about
 * p(k,t) 2 M/(k ln 2), p(k,t) as in prime_rounds.  Each of the SPAN = 8 k candidates is uniform on
 * M/2 numbers, so that a composite is returned with probability at most
 *   8 k (2/M) p(k,t) 2 M/(k ln 2) < 2^5.6 p(k,t). */
#include "prime.h"
#include "prime_search.h"
#include "secret.h"

#define PRIMES     8192  /* measured at 1536 bits, where a step takes 1/2000 of a test */
#define LIMIT      84048 /* above the last of them, 84047 */
#define SPAN(bits) (8 * (bits))

/* Columns, so that one pass over them is a few vector operations. */
struct sieve {
    uint32_t prime[PRIMES], reciprocal[PRIMES]; /* floor(2^32 / prime) */
    uint32_t residue[PRIMES];
    uint8_t composite[LIMIT / 2];
};

static void sieve_init(struct sieve *s)
{
    prime_small(s->composite, LIMIT);
    for (uint32_t i = 0, j = 0; i < LIMIT / 2 && j < PRIMES; i++)
        if (!s->composite[i]) {
            s->prime[j] = 2 * i + 1;
            s->reciprocal[j++] = (uint32_t)(UINT64_C(0x100000000) / (2 * i + 1));
        }
}

/* r mod p for p < 2^30, r < 2^31, without a division.  With q = floor(r reciprocal / 2^32):
 * r/p - r reciprocal/2^32 < r/2^32 < 1, so q is floor(r/p) or one less and r - q p < 2 p. */
static uint32_t reduce(uint32_t r, uint32_t p, uint32_t reciprocal)
{
    r -= (uint32_t)((uint64_t)r * reciprocal >> 32) * p + p; /* -p <= r < p; top bit says r < 0 */
    return r + (p & (0 - (r >> 31)));
}

/* residue = x mod prime for all primes, a byte of x at a time: (p - 1) 2^8 + 2^8 - 1 < 2^25. */
static void sieve_start(struct sieve *s, const limb_t *x, int bits)
{
    uint8_t byte[NAT_MAX_BITS / 8];
    int len = (bits + 7) / 8;

    nat_to_bytes(byte, (size_t)len, x, LIMBS_OF_BITS(bits));
    for (int j = 0; j < PRIMES; j++)
        s->residue[j] = 0;
    for (int i = 0; i < len; i++)
        for (int j = 0; j < PRIMES; j++)
            s->residue[j] = reduce(s->residue[j] << 8 | byte[i], s->prime[j], s->reciprocal[j]);
    nat_wipe_bytes(byte, sizeof byte);
}

/* x += 2 in the residues; yes iff none of them is zero then. */
static choice sieve_step(struct sieve *s)
{
    uint32_t hit = 0;

    for (int j = 0; j < PRIMES; j++) {
        uint32_t r = s->residue[j] + 2 - s->prime[j]; /* -p < r < p; top bit says r < 0 */
        r += s->prime[j] & (0 - (r >> 31));
        s->residue[j] = r;
        hit |= r - 1; /* top bit set iff r = 0 */
    }
    return choice_not(choice_of_bit((limb_t)(hit >> 31)));
}

/* gcd(p - 1, e) = 1, by ((p - 1) mod e, e); e = 0 asks for nothing. */
static choice coprime(const limb_t *p, int n, uint32_t e)
{
    enum { W = LIMBS_OF_BITS(32) };
    limb_t a[NAT_MAX], r[W], m[W];

    if (e == 0)
        return choice_of_bit(1);
    nat_sub_limb(a, p, 1, n);
    nat_set_word(r, W, nat_div_word(NULL, a, e, n));
    nat_set_word(m, W, e);
    nat_gcd(r, r, m, W);
    choice yes = nat_eq_limb(r, 1, W);
    nat_wipe(a, n);
    nat_wipe(r, W);
    return yes;
}

static int passes(const limb_t *p, int bits)
{
    struct mod m;
    int prime = mod_init(&m, p, bits) == 0 &&
                declassify(prime_filter(&m)); /* public: p is discarded, or goes on */

    mod_wipe(&m);
    return prime && prime_check(p, bits, prime_rounds(bits));
}

static tahr_err search(limb_t *p, int bits, uint32_t e, struct sieve *s,
                       const struct tahr_watch *watch)
{
    int n = LIMBS_OF_BITS(bits), left = 0;
    unsigned long tried = 0;

    for (;;) {
        if (left-- == 0) {
            prime_start(p, bits, 2);
            p[0] |= 1;
            sieve_start(s, p, bits);
            left = SPAN(bits);
        }
        nat_add_limb(p, p, 2, n);
        if (!declassify(sieve_step(s))) /* public: this one is discarded */
            continue;
        if (!declassify(choice_eq((limb_t)nat_window(p, n, bits - 2, 2), 3))) { /* likewise */
            left = 0;                                                           /* past 2^bits */
            continue;
        }
        if (!declassify(coprime(p, n, e))) /* likewise */
            continue;
        if (passes(p, bits))
            return NULL;
        tahr_err err = prime_tick(watch, ++tried);
        if (err != NULL) {
            nat_wipe(p, n);
            return err;
        }
    }
}

tahr_err prime_random(limb_t *p, int bits, uint32_t e, const struct tahr_watch *watch)
{
    struct sieve *s = secret_alloc(sizeof *s);

    if (s == NULL)
        return &prime_no_memory;
    sieve_init(s);
    tahr_err err = search(p, bits, e, s, watch);
    secret_free(s);
    return err;
}
