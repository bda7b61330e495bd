/* RSA (RFC 8017): keys, the raw operations, OAEP.  Numbers are naturals; messages are bytes. */
#ifndef TAHR_RSA_H
#define TAHR_RSA_H

#include "mod.h"
#include "secret.h"
#include "tahr.h"

#define RSA_MIN_BITS 2048  /* smallest key that the apps make or accept */
#define RSA_MAX_BITS 16384 /* largest that is read */
#define RSA_MAX_LEN  (RSA_MAX_BITS / 8)

struct rsa_public {
    struct mod n;
    uint32_t e; /* odd, 3 <= e < 2^24 */
};

/* k, the bytes of the modulus and of everything that the operations below take and give. */
static inline size_t rsa_len(const struct rsa_public *pub)
{
    return ((size_t)pub->n.bits + 7) / 8;
}

/* Lives in secret_alloc memory.  d has pub.n.n limbs, dp and qinv p.n limbs, dq q.n limbs. */
struct rsa_private {
    struct rsa_public pub;
    struct mod p, q; /* n = p q; any order, any two sizes */
    limb_t d[NAT_MAX];
    limb_t dp[NAT_MAX], dq[NAT_MAX]; /* e^-1 mod p - 1, and mod q - 1 */
    limb_t qinv[NAT_MAX];            /* q^-1 mod p */
};

/* pub = (n, e) from big-endian n, leading zeros allowed.  Refuses n even or outside min_bits to
 * RSA_MAX_BITS (min_bits is RSA_MIN_BITS for the apps; tests read smaller keys) and e even or
 * outside 3 to 2^24 - 1.  Variable time: public. */
tahr_err rsa_public_init(struct rsa_public *pub, const uint8_t *n, size_t len, uint32_t e,
                         int min_bits);

/* The fields of RSAPrivateKey (RFC 8017 A.1.2), big-endian, without leading zeros.  Where dp.p or
 * dq.p is NULL, a format that leaves them out, d mod p - 1 or d mod q - 1 stands for it. */
struct rsa_fields {
    struct bytes n, d, p, q, dp, dq, qinv;
    uint32_t e;
};

/* key from its fields; p < q and d modulo lambda or phi are accepted, all else must be consistent:
 * odd p != q, n = p q, d < n, and rsa_consistent.  Primality is not tested here.  On failure key is
 * wiped.  Secret: all but n, e.  Leaks: the lengths of p and q in bits and of the others in bytes,
 * whether p and q are odd, and whether the key is consistent. */
tahr_err rsa_private_init(struct rsa_private *key, const struct rsa_fields *fields, int min_bits);

/* Do the numbers of a key belong together: n = p q, e d = e dp = 1 mod p - 1,
 * e d = e dq = 1 mod q - 1, q qinv = 1 mod p (so p != q), dp, dq, qinv
 * reduced?
 * Secret: all but n, e, and the answer.  Leaks: the bits of n, p, q. */
choice rsa_consistent(const struct rsa_private *key);

/* A fresh key of 2048, 3072 or 4096 bits, e = 65537: FIPS 186-5 A.1.3 with incremental search,
 * |p - q| > 2^(bits/2 - 100), d = e^-1 mod lcm(p - 1, q - 1) > 2^(bits/2), and a pairwise test.
 * p > q.  Secret: all but n, e.  Leaks: what prime_random leaks, gcd(p - 1, q - 1).
 * Errors: another size, the watch asked to stop. */
tahr_err rsa_generate(struct rsa_private *key, int bits, const struct tahr_watch *watch);

/* Are p and q prime (prime_check)?  Returns 1 or 0. */
int rsa_primes_check(const struct rsa_private *key);

/* c = m^e mod n (RSAEP, RFC 8017 5.1.1) on k bytes each.  An m >= n is refused.
 * Secret: m.  Leaks: n, e. */
tahr_err rsa_public_op(uint8_t *c, const uint8_t *m, const struct rsa_public *pub);

/* m = c^d mod n (RSADP, RFC 8017 5.1.2) by CRT: blinded, in constant time, and released only if m^e
 * = c, so that a fault gives nothing away (Boneh, DeMillo, Lipton).  A c >= n is refused.  On
 * failure m is untouched.  Secret: the key, m.  Leaks: the bits of p and q, n, e, c >= n, success.
 */
tahr_err rsa_private_op(uint8_t *m, const uint8_t *c, const struct rsa_private *key);

/* OAEP parameters: the hash of label and MGF1 (RFC 8017 7.1), and the label. */
struct oaep {
    const struct hash *hash;      /* of the label */
    const struct hash *mgf1_hash; /* NULL: the same */
    struct bytes label;
};

/* c (k bytes) = RSAES-OAEP-ENCRYPT(m) with a random seed.  Refuses mlen > k - 2 hLen - 2. */
tahr_err rsa_oaep_encrypt(uint8_t *c, const uint8_t *m, size_t mlen, const struct oaep *oaep,
                          const struct rsa_public *pub);

/* m = RSAES-OAEP-DECRYPT(c), *mlen its length; m has room for k bytes.  clen must be k.  One error
 * for every failure (Manger, CRYPTO 2001), and the same steps.  Secret: the key, m.  Leaks:
 * success, and then mlen. */
tahr_err rsa_oaep_decrypt(uint8_t *m, size_t *mlen, const uint8_t *c, size_t clen,
                          const struct oaep *oaep, const struct rsa_private *key);

/* The same for a message whose length mlen is known beforehand: the 01 separator has one place, and
 * the whole prefix lHash 00..00 01 is checked in one compare.  m has mlen bytes, untouched on
 * failure. */
tahr_err rsa_oaep_decrypt_fixed(uint8_t *m, size_t mlen, const uint8_t *c, size_t clen,
                                const struct oaep *oaep, const struct rsa_private *key);

#endif
