/* Private to the printable integers: products of any length. */
#ifndef TAHR_MP_LONG_H
#define TAHR_MP_LONG_H

#include "nat.h"

/* From this many limbs on in both factors mp_long_mul is meant; nat_mul has no heap, and so no rule
 * for numbers that the stack has no room for. */
#define MP_LONG (2 * NAT_MAX)

/* r (an + bn limbs) = a b by Karatsuba's rule, variable time.  Requires an, bn >= 1; r overlaps
 * neither a nor b.  Returns 0, or -1 when memory runs out. */
int mp_long_mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn);

#endif
