/* The functions of mp.h on numbers, each as a row with what it computes by GMP. */
#ifndef TAHR_TESTS_MP_ROWS_H
#define TAHR_TESTS_MP_ROWS_H

#include "mp.h"

#include <gmp.h>

typedef int unary(const mp_int *a, mp_int *r);
typedef int binary(const mp_int *a, const mp_int *b, mp_int *r);
typedef int ternary(const mp_int *a, const mp_int *b, const mp_int *c, mp_int *r);
typedef int divides(const mp_int *a, const mp_int *b, mp_int *q, mp_int *r);
typedef int oracle(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c);

struct row {
    const char *name;
    unary *f1;
    binary *f2;
    ternary *f3;
    divides *f22; /* two inputs, two outputs */
    oracle *want; /* sets r and s and returns the code; NULL: r = a */
};

/* Ended by a row without a name. */
extern const struct row mp_rows[];

/* A number in [0, 150) from b, for shifts, exponents and digits; the same by GMP. */
int mp_row_small(const mp_int *b);
unsigned long mp_row_small_z(const mpz_t b);

#endif
