/* Printable integers: shifts by digits and bits, bitwise operations, random numbers. */
#define _DEFAULT_SOURCE /* getentropy */
#include "mp.h"

#include "nat.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

void mp_rshd(mp_int *a, int b)
{
    if (b <= 0)
        return;
    if (b >= a->used) {
        mp_zero(a);
        return;
    }
    a->used -= b;
    memmove(a->dp, a->dp + b, (size_t)a->used * sizeof *a->dp);
}

int mp_lshd(mp_int *a, int b)
{
    if (b <= 0 || a->used == 0)
        return MP_OKAY;
    if (b > INT_MAX - a->used)
        return MP_MEM;
    int err = mp_grow(a, a->used + b);
    if (err != MP_OKAY)
        return err;
    memmove(a->dp + b, a->dp, (size_t)a->used * sizeof *a->dp);
    memset(a->dp, 0, (size_t)b * sizeof *a->dp);
    a->used += b;
    return MP_OKAY;
}

int mp_count_bits(const mp_int *a)
{
    return nat_bits_vartime(a->dp, a->used);
}

int mp_cnt_lsb(const mp_int *a)
{
    return a->used == 0 ? 0 : (int)nat_trailing_zeros(a->dp, a->used);
}

/* c = sign(a) floor(|a| / 2^b), b >= 0.  c has room for a. */
static void shift_right(const mp_int *a, int b, mp_int *c)
{
    int digits = b / DIGIT_BIT;
    int n = a->used - digits;
    if (n <= 0) {
        mp_zero(c);
        return;
    }
    memmove(c->dp, a->dp + digits, (size_t)n * sizeof *c->dp);
    nat_shr(c->dp, c->dp, b % DIGIT_BIT, n);
    c->used = n;
    c->sign = a->sign;
    mp_clamp(c);
}

/* c = sign(a) (|a| mod 2^b), b >= 0.  c has room for a. */
static void keep_low(const mp_int *a, int b, mp_int *c)
{
    int n = b / DIGIT_BIT < a->used ? b / DIGIT_BIT + 1 : a->used;
    memmove(c->dp, a->dp, (size_t)n * sizeof *c->dp);
    if (b / DIGIT_BIT < n)
        c->dp[n - 1] &= (mp_digit)(((mp_word)1 << (b % DIGIT_BIT)) - 1);
    c->used = n;
    c->sign = a->sign;
    mp_clamp(c);
}

int mp_div_2d(const mp_int *a, int b, mp_int *c, mp_int *d)
{
    int err = MP_OKAY;
    b = b < 0 ? 0 : b;
    if (c != NULL)
        err = mp_grow(c, a->used);
    if (err == MP_OKAY && d != NULL)
        err = mp_grow(d, a->used);
    if (err != MP_OKAY)
        return err;
    if (c == a) {
        if (d != NULL && d != a)
            keep_low(a, b, d);
        shift_right(a, b, c);
    } else {
        if (c != NULL)
            shift_right(a, b, c);
        if (d != NULL)
            keep_low(a, b, d);
    }
    return MP_OKAY;
}

int mp_div_2(const mp_int *a, mp_int *b)
{
    return mp_div_2d(a, 1, b, NULL);
}

int mp_mod_2d(const mp_int *a, int b, mp_int *c)
{
    return mp_div_2d(a, b, NULL, c);
}

int mp_mul_2d(const mp_int *a, int b, mp_int *c)
{
    if (b <= 0 || a->used == 0)
        return mp_copy(a, c);
    int digits = b / DIGIT_BIT, n = a->used;
    if (digits > INT_MAX - n - 1)
        return MP_MEM;
    int err = mp_grow(c, n + digits + 1);
    if (err != MP_OKAY)
        return err;
    memmove(c->dp + digits, a->dp, (size_t)n * sizeof *c->dp);
    memset(c->dp, 0, (size_t)digits * sizeof *c->dp);
    c->dp[n + digits] = 0;
    nat_shl(c->dp + digits, c->dp + digits, b % DIGIT_BIT, n + 1);
    c->used = n + digits + 1;
    c->sign = a->sign;
    mp_clamp(c);
    return MP_OKAY;
}

int mp_mul_2(const mp_int *a, mp_int *b)
{
    return mp_mul_2d(a, 1, b);
}

int mp_2expt(mp_int *a, int b)
{
    if (b < 0)
        return MP_VAL;
    int n = b / DIGIT_BIT + 1;
    int err = mp_grow(a, n);
    if (err != MP_OKAY)
        return err;
    memset(a->dp, 0, (size_t)n * sizeof *a->dp);
    a->dp[n - 1] = (mp_digit)((mp_digit)1 << (b % DIGIT_BIT));
    a->used = n;
    a->sign = MP_ZPOS;
    return MP_OKAY;
}

/* getentropy gives at most 256 bytes a call. */
static int fill_random(uint8_t *p, size_t len)
{
    while (len > 0) {
        size_t part = len < 256 ? len : 256;
        if (getentropy(p, part) != 0)
            return MP_ERR;
        p += part;
        len -= part;
    }
    return MP_OKAY;
}

int mp_rand(mp_int *a, int digits)
{
    if (digits <= 0) {
        mp_zero(a);
        return MP_OKAY;
    }
    mp_int r;
    int err = mp_init_size(&r, digits);
    if (err != MP_OKAY)
        return err;
    err = fill_random((uint8_t *)r.dp, (size_t)digits * sizeof *r.dp);
    while (err == MP_OKAY && r.dp[digits - 1] == 0)
        err = fill_random((uint8_t *)&r.dp[digits - 1], sizeof *r.dp);
    if (err == MP_OKAY) {
        r.used = digits;
        mp_exch(&r, a);
    }
    mp_clear(&r);
    return err;
}

/* Digit i of a in infinite two's complement, which is ~(|a| - 1) for a < 0; *borrow starts at 1. */
static mp_digit complement_digit(const mp_int *a, int i, mp_digit *borrow)
{
    mp_digit d = i < a->used ? a->dp[i] : 0;
    if (a->sign != MP_NEG)
        return d;
    return (mp_digit)~limb_sub(d, 0, borrow);
}

enum bitwise { AND, OR, XOR };

static mp_digit combine(enum bitwise op, mp_digit a, mp_digit b)
{
    return (mp_digit)(op == AND ? a & b : op == OR ? a | b : a ^ b);
}

/* c = a op b: one digit more than the longer operand holds the sign digit of the result. */
static int bitwise(enum bitwise op, const mp_int *a, const mp_int *b, mp_int *c)
{
    int n = (a->used > b->used ? a->used : b->used) + 1;
    int err = mp_grow(c, n);
    if (err != MP_OKAY)
        return err;
    int negative = combine(op, a->sign == MP_NEG, b->sign == MP_NEG) & 1;
    mp_digit borrow_a = 1, borrow_b = 1, carry = (mp_digit)negative;
    for (int i = 0; i < n; i++) {
        mp_digit d =
            combine(op, complement_digit(a, i, &borrow_a), complement_digit(b, i, &borrow_b));
        c->dp[i] = negative ? limb_add((mp_digit)~d, 0, &carry) : d;
    }
    c->used = n;
    c->sign = negative ? MP_NEG : MP_ZPOS;
    mp_clamp(c);
    return MP_OKAY;
}

int mp_and(const mp_int *a, const mp_int *b, mp_int *c)
{
    return bitwise(AND, a, b, c);
}

int mp_or(const mp_int *a, const mp_int *b, mp_int *c)
{
    return bitwise(OR, a, b, c);
}

int mp_xor(const mp_int *a, const mp_int *b, mp_int *c)
{
    return bitwise(XOR, a, b, c);
}

int mp_complement(const mp_int *a, mp_int *b)
{
    int err = mp_add_d(a, 1, b);
    if (err == MP_OKAY)
        b->sign = b->used == 0 || b->sign == MP_NEG ? MP_ZPOS : MP_NEG;
    return err;
}

/* floor(a / 2^b) = ~((~a) >> b) for a < 0, where ~a = |a| - 1 >= 0. */
int mp_signed_rsh(const mp_int *a, int b, mp_int *c)
{
    if (a->sign != MP_NEG)
        return mp_div_2d(a, b, c, NULL);
    mp_int t;
    int err = mp_init_size(&t, a->used + 1);
    if (err != MP_OKAY)
        return err;
    err = mp_complement(a, &t);
    if (err == MP_OKAY)
        err = mp_div_2d(&t, b, &t, NULL);
    if (err == MP_OKAY)
        err = mp_complement(&t, c);
    mp_clear(&t);
    return err;
}
