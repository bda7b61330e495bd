/* What the two prime searches share: the small primes, the random start, the first test, the
 * caller's watch.
 */
#include "prime_search.h"

#include "secret.h"

#include <string.h>

/* Each prime v strikes out v^2, v^2 + 2 v, ...; place i stands for 2 i + 1. */
void prime_small(uint8_t *composite, uint32_t limit)
{
    uint32_t half = limit / 2;

    memset(composite, 0, half);
    composite[0] = 1;
    for (uint32_t v = 3; (uint64_t)v * v < limit; v += 2)
        if (!composite[v / 2])
            for (uint32_t i = v * v / 2; i < half; i += v)
                composite[i] = 1;
}

void prime_start(limb_t *x, int bits, int ones)
{
    int n = LIMBS_OF_BITS(bits);

    secret_random(x, (size_t)n * LIMB_BYTES);
    nat_shr(x, x, n * LIMB_BITS - bits, n);
    for (int i = bits - ones; i < bits; i++)
        x[i / LIMB_BITS] |= (limb_t)((limb_t)1 << i % LIMB_BITS);
}

choice prime_filter(const struct mod *n)
{
    limb_t r[NAT_MAX], s[NAT_MAX];
    elem x, y;

    nat_set(r, n->n, 2);
    mod_enter(&x, r, n); /* x = 2^(floor(n / 2^i)), from i = bits - 1; (n - 1)/2 is i = 1 */
    for (int i = n->bits - 2; i > 0; i--) {
        mod_sqr(&x, &x, n);
        mod_add(&y, &x, &x, n);
        nat_select(x.d, choice_of_bit((limb_t)nat_window(n->m, n->n, i, 1)), y.d, x.d, n->width);
    }
    mod_leave(r, &x, n);
    nat_add_limb(s, r, 1, n->n); /* n iff r = -1 */
    choice yes = choice_or(nat_eq_limb(r, 1, n->n), nat_eq(s, n->m, n->n));
    nat_wipe(r, n->n);
    nat_wipe(s, n->n);
    nat_wipe_bytes(&x, sizeof x);
    nat_wipe_bytes(&y, sizeof y);
    return yes;
}

const struct tahr_error prime_no_memory = {TAHR_SYSTEM, "out of memory", NULL};

static const struct tahr_error stopped = {TAHR_STOPPED, "the search for a prime was stopped", NULL};

tahr_err prime_tick(const struct tahr_watch *watch, unsigned long tried)
{
    return watch != NULL && watch->tick(watch->context, tried) != 0 ? &stopped : NULL;
}
