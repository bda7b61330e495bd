/* The primes just under and over a power of two. */
#ifndef TAHR_TESTS_NEAR_POWER_H
#define TAHR_TESTS_NEAR_POWER_H

/* Tries the odd numbers from 2^k down to the first prime, and from 2^k up, with prime_check_vartime
 * and prime_check; fails the test unless they agree with BN.  3 <= k <= 2048. */
void check_near_power(int k);

#endif
