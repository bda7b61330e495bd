/* Printable integers: memory, assignment, and conversion from and to C's integer types. */
#include "mp.h"

#include "limb.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(DIGIT_BIT == LIMB_BITS, "a digit is a limb");
_Static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "the wide setters take 64 bits");

/* No mp_int has less room than 64 bits, so that mp_set_u64 and its kin cannot fail. */
#define MIN_ALLOC (64 / DIGIT_BIT)

int mp_init_size(mp_int *a, int size)
{
    if (size < 0)
        return MP_VAL;
    if (size < MIN_ALLOC)
        size = MIN_ALLOC;
    mp_digit *dp = calloc((size_t)size, sizeof *dp);
    if (dp == NULL)
        return MP_MEM;
    *a = (mp_int){.used = 0, .alloc = size, .sign = MP_ZPOS, .dp = dp};
    return MP_OKAY;
}

int mp_init(mp_int *a)
{
    return mp_init_size(a, MP_PREC);
}

void mp_clear(mp_int *a)
{
    free(a->dp);
    *a = (mp_int){.used = 0, .alloc = 0, .sign = MP_ZPOS, .dp = NULL};
}

int mp_init_multi(mp_int *a, ...)
{
    va_list all, done;
    int err = MP_OKAY;
    va_start(all, a);
    va_copy(done, all);
    mp_int *failed = NULL;
    for (mp_int *x = a; x != NULL; x = va_arg(all, mp_int *)) {
        err = mp_init(x);
        if (err != MP_OKAY) {
            failed = x;
            break;
        }
    }
    if (failed != NULL)
        for (mp_int *x = a; x != failed; x = va_arg(done, mp_int *))
            mp_clear(x);
    va_end(done);
    va_end(all);
    return err;
}

void mp_clear_multi(mp_int *a, ...)
{
    va_list all;
    va_start(all, a);
    for (mp_int *x = a; x != NULL; x = va_arg(all, mp_int *))
        mp_clear(x);
    va_end(all);
}

void mp_exch(mp_int *a, mp_int *b)
{
    mp_int t = *a;
    *a = *b;
    *b = t;
}

static int resize(mp_int *a, int size)
{
    mp_digit *dp = realloc(a->dp, (size_t)size * sizeof *dp);
    if (dp == NULL)
        return MP_MEM;
    if (size > a->alloc)
        memset(dp + a->alloc, 0, (size_t)(size - a->alloc) * sizeof *dp);
    a->dp = dp;
    a->alloc = size;
    return MP_OKAY;
}

int mp_shrink(mp_int *a)
{
    int size = a->used < MIN_ALLOC ? MIN_ALLOC : a->used;
    return size < a->alloc ? resize(a, size) : MP_OKAY;
}

int mp_grow(mp_int *a, int size)
{
    if (size < 0)
        return MP_VAL;
    return size > a->alloc ? resize(a, size) : MP_OKAY;
}

void mp_clamp(mp_int *a)
{
    while (a->used > 0 && a->dp[a->used - 1] == 0)
        a->used--;
    if (a->used == 0)
        a->sign = MP_ZPOS;
}

int mp_copy(const mp_int *a, mp_int *b)
{
    if (a == b)
        return MP_OKAY;
    int err = mp_grow(b, a->used);
    if (err != MP_OKAY)
        return err;
    memcpy(b->dp, a->dp, (size_t)a->used * sizeof *b->dp);
    b->used = a->used;
    b->sign = a->sign;
    return MP_OKAY;
}

int mp_init_copy(mp_int *a, const mp_int *b)
{
    int err = mp_init_size(a, b->used);
    return err != MP_OKAY ? err : mp_copy(b, a);
}

void mp_zero(mp_int *a)
{
    a->used = 0;
    a->sign = MP_ZPOS;
}

void mp_set_u64(mp_int *a, uint64_t b)
{
    mp_zero(a);
    for (; b != 0; b = DIGIT_BIT < 64 ? b >> (DIGIT_BIT % 64) : 0)
        a->dp[a->used++] = (mp_digit)b;
}

void mp_set_i64(mp_int *a, int64_t b)
{
    mp_set_u64(a, b < 0 ? 0 - (uint64_t)b : (uint64_t)b);
    a->sign = b < 0 ? MP_NEG : MP_ZPOS;
}

uint64_t mp_get_mag_u64(const mp_int *a)
{
    uint64_t r = 0;
    for (int i = 0; i < a->used && i < MIN_ALLOC; i++)
        r |= (uint64_t)a->dp[i] << (i * DIGIT_BIT);
    return r;
}

uint64_t mp_get_u64(const mp_int *a)
{
    uint64_t r = mp_get_mag_u64(a);
    return a->sign == MP_NEG ? 0 - r : r;
}

/* r as the two's complement number that it spells, without an overflowing conversion. */
static int64_t signed_of(uint64_t r)
{
    return r <= INT64_MAX ? (int64_t)r : -1 - (int64_t)~r;
}

int64_t mp_get_i64(const mp_int *a)
{
    return signed_of(mp_get_u64(a));
}

void mp_set(mp_int *a, mp_digit b)
{
    mp_set_u64(a, b);
}

void mp_set_i32(mp_int *a, int32_t b)
{
    mp_set_i64(a, b);
}

void mp_set_u32(mp_int *a, uint32_t b)
{
    mp_set_u64(a, b);
}

void mp_set_l(mp_int *a, long b)
{
    mp_set_i64(a, b);
}

void mp_set_ul(mp_int *a, unsigned long b)
{
    mp_set_u64(a, b);
}

void mp_set_ll(mp_int *a, long long b)
{
    mp_set_i64(a, b);
}

void mp_set_ull(mp_int *a, unsigned long long b)
{
    mp_set_u64(a, b);
}

int mp_set_int(mp_int *a, unsigned long b)
{
    mp_set_u64(a, b);
    return MP_OKAY;
}

int mp_set_long(mp_int *a, unsigned long b)
{
    return mp_set_int(a, b);
}

int mp_set_long_long(mp_int *a, unsigned long long b)
{
    mp_set_u64(a, b);
    return MP_OKAY;
}

int mp_init_u64(mp_int *a, uint64_t b)
{
    int err = mp_init(a);
    if (err == MP_OKAY)
        mp_set_u64(a, b);
    return err;
}

int mp_init_i64(mp_int *a, int64_t b)
{
    int err = mp_init(a);
    if (err == MP_OKAY)
        mp_set_i64(a, b);
    return err;
}

int mp_init_set(mp_int *a, mp_digit b)
{
    return mp_init_u64(a, b);
}

int mp_init_set_int(mp_int *a, unsigned long b)
{
    return mp_init_u64(a, b);
}

int mp_init_i32(mp_int *a, int32_t b)
{
    return mp_init_i64(a, b);
}

int mp_init_u32(mp_int *a, uint32_t b)
{
    return mp_init_u64(a, b);
}

int mp_init_l(mp_int *a, long b)
{
    return mp_init_i64(a, b);
}

int mp_init_ul(mp_int *a, unsigned long b)
{
    return mp_init_u64(a, b);
}

int mp_init_ll(mp_int *a, long long b)
{
    return mp_init_i64(a, b);
}

int mp_init_ull(mp_int *a, unsigned long long b)
{
    return mp_init_u64(a, b);
}

uint32_t mp_get_u32(const mp_int *a)
{
    return (uint32_t)mp_get_u64(a);
}

int32_t mp_get_i32(const mp_int *a)
{
    uint32_t r = mp_get_u32(a);
    return r <= INT32_MAX ? (int32_t)r : -1 - (int32_t)~r;
}

unsigned long mp_get_ul(const mp_int *a)
{
    return (unsigned long)mp_get_u64(a);
}

long mp_get_l(const mp_int *a)
{
    unsigned long r = mp_get_ul(a);
    return r <= LONG_MAX ? (long)r : -1 - (long)~r;
}

unsigned long long mp_get_ull(const mp_int *a)
{
    return mp_get_u64(a);
}

long long mp_get_ll(const mp_int *a)
{
    return mp_get_i64(a);
}

uint32_t mp_get_mag_u32(const mp_int *a)
{
    return (uint32_t)mp_get_mag_u64(a);
}

unsigned long mp_get_mag_ul(const mp_int *a)
{
    return (unsigned long)mp_get_mag_u64(a);
}

unsigned long long mp_get_mag_ull(const mp_int *a)
{
    return mp_get_mag_u64(a);
}

unsigned long mp_get_int(const mp_int *a)
{
    return mp_get_mag_ul(a);
}

unsigned long mp_get_long(const mp_int *a)
{
    return mp_get_mag_ul(a);
}

unsigned long long mp_get_long_long(const mp_int *a)
{
    return mp_get_mag_ull(a);
}

const char *mp_error_to_string(int code)
{
    switch (code) {
    case MP_OKAY:
        return "no error";
    case MP_MEM:
        return "out of memory";
    case MP_VAL:
        return "argument outside the function's domain";
    case MP_ITER:
        return "too many iterations";
    case MP_BUF:
        return "buffer too small";
    case MP_ERR:
        return "the system refused";
    default:
        return "unknown error code";
    }
}
