/* The headers' "Secret: ... Leaks: ..." lines, executed (make ct).
 *
 * What a header calls secret is marked undefined for Valgrind's memcheck, which then reports every
 * branch and every address that depends on it; a library built with TAHR_CT marks defined what it
 * declassifies.  Each call below stands beside the name it is reported under.  Not seen here: the
 * latency of an instruction that depends on its operands (division: make ct looks for it in the
 * object code). */
#ifndef TAHR_CT
#define TAHR_CT
#endif
#include "engine.h"
#include "message.h"
#include "prime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

static int passed, failed;
static unsigned reports; /* Valgrind's, up to here */

static void secret(const void *p, size_t len)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, len);
}

static void public(const void *p, size_t len)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(p, len);
}

void ct_declassify(const void *p, size_t len)
{
    public(p, len);
}

static void verdict(const char *name, int ok)
{
    ok ? passed++ : failed++;
    if (!ok)
        printf("ct: %s: see above\n", name);
    reports = VALGRIND_COUNT_ERRORS;
}

/* What ran since the last verdict was the function of that name: was it silent? */
static void silent(const char *name)
{
    verdict(name, VALGRIND_COUNT_ERRORS == reports);
}

/* Is what stands there still secret, not declassified on the way? */
static void hidden(const char *name, const void *p, size_t len)
{
    uint8_t bits[64] = {0};
    int undefined = 0;
    (void)VALGRIND_GET_VBITS(p, bits, len);
    for (size_t i = 0; i < len; i++)
        undefined |= bits[i];
    verdict(name, undefined);
}

/* The library's random bytes come from here (the linker's --wrap): a fixed sequence, SplitMix64, so
 * that every run takes the same path, and secret. */
void __wrap_secret_random(void *p, size_t len);
void __wrap_secret_random(void *p, size_t len)
{
    static uint64_t state;
    for (size_t i = 0; i < len; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        ((uint8_t *)p)[i] = (uint8_t)(z >> 56);
    }
    secret(p, len);
}

/* --- The check itself: a branch on a secret and an index by one are reported --- */

static void leaks(void)
{
    static volatile unsigned char table[256];
    volatile unsigned char sink = 0;
    unsigned char byte;

    printf("ct: the next two reports are wanted\n");
    secret_random(&byte, 1);
    if (byte & 1)
        sink = 1;
    verdict("a branch goes unnoticed", VALGRIND_COUNT_ERRORS > reports);
    sink = table[byte];
    verdict("an index goes unnoticed", VALGRIND_COUNT_ERRORS > reports);
    public(&byte, 1);
    sink = table[sink + byte];
    silent("ct_declassify");
}

/* --- nat.h --- */

#define BITS 2560 /* long enough for every way to multiply */
#define N    LIMBS_OF_BITS(BITS)

static limb_t a[N], b[N], m[N], r[2 * N], t[2 * N];
static uint8_t bytes[BITS / 8];

static limb_t secret_limb(void)
{
    limb_t w;
    secret_random(&w, sizeof w);
    return w;
}

static choice secret_choice(void)
{
    return choice_of_bit(secret_limb() & 1);
}

static void nat_values(void)
{
    nat_copy(r, a, N);
    silent("nat_copy");
    nat_set(r, N, secret_limb());
    silent("nat_set");
    nat_resize(r, N, a, N / 2);
    nat_resize(r, N / 2, a, N);
    silent("nat_resize");
    nat_select(r, secret_choice(), a, b, N);
    silent("nat_select");
    nat_swap_if(a, b, secret_choice(), N);
    silent("nat_swap_if");
    nat_is_zero(a, N);
    silent("nat_is_zero");
    nat_eq_limb(a, secret_limb(), N);
    silent("nat_eq_limb");
    nat_eq(a, b, N);
    silent("nat_eq");
    nat_lt(a, b, N);
    silent("nat_lt");
    nat_shl(r, a, 77, N);
    silent("nat_shl");
    nat_shr(r, a, 77, N);
    silent("nat_shr");
    nat_shl_secret(r, a, (unsigned)secret_limb() & 1023, 10, N);
    silent("nat_shl_secret");
    nat_shr_secret(r, a, (unsigned)secret_limb() & 1023, 10, N);
    silent("nat_shr_secret");
    nat_trailing_zeros(a, N);
    silent("nat_trailing_zeros");
    nat_window(a, N, 61, 5);
    silent("nat_window");
    nat_to_bytes(bytes, sizeof bytes, a, N);
    nat_to_bytes(bytes, sizeof bytes / 2, a, N);
    silent("nat_to_bytes");
    nat_from_bytes(r, N, bytes, sizeof bytes);
    nat_from_bytes(r, N / 2, bytes, sizeof bytes);
    silent("nat_from_bytes");
    nat_wipe(r, N);
    silent("nat_wipe");
    nat_wipe_bytes(r, sizeof r);
    silent("nat_wipe_bytes");
    nat_zero(r, N);
    silent("nat_zero");
}

static void nat_arithmetic(void)
{
    nat_add(r, a, b, N);
    silent("nat_add");
    nat_sub(r, a, b, N);
    silent("nat_sub");
    nat_add_limb(r, a, secret_limb(), N);
    silent("nat_add_limb");
    nat_sub_limb(r, a, secret_limb(), N);
    silent("nat_sub_limb");
    nat_add_if(r, a, b, secret_choice(), N);
    silent("nat_add_if");
    nat_sub_if(r, a, b, secret_choice(), N);
    silent("nat_sub_if");
    nat_add_mod(r, a, b, m, N);
    silent("nat_add_mod");
    nat_sub_mod(r, a, b, m, N);
    silent("nat_sub_mod");
    nat_mul_add_limb(r, a, secret_limb(), N);
    silent("nat_mul_add_limb");
    nat_mul_limb(r, a, secret_limb(), N);
    silent("nat_mul_limb");
    nat_mul_word(r, a, (uint32_t)secret_limb(), (uint32_t)secret_limb(), N);
    silent("nat_mul_word");
    nat_mul(r, a, N, b, N);
    nat_mul(r, a, N, b, N / 3);
    silent("nat_mul");
    nat_sqr(r, a, N);
    silent("nat_sqr");
    nat_div_word(r, a, 65537, N);
    silent("nat_div_word");
    nat_div(r, t, a, N, b, N / 2);
    silent("nat_div");
    nat_gcd(r, a, b, N / 4);
    silent("nat_gcd");
}

static void naturals(void)
{
    secret_random(a, sizeof a);
    secret_random(b, sizeof b);
    secret_random(m, sizeof m);
    m[N - 1] |= (limb_t)1 << (LIMB_BITS - 1);
    a[N - 1] = b[N - 1] = 0; /* a, b < m */
    secret(a, sizeof a);
    secret(b, sizeof b);
    nat_values();
    nat_arithmetic();
}

/* --- mod.h, with every engine --- */

static void residues(const struct engine *eng, int bits)
{
    static const limb_t e[] = {0x5b};
    int n = LIMBS_OF_BITS(bits);
    struct mod mod;
    elem x, y, z;

    m[0] |= 1;
    m[n - 1] |= (limb_t)1 << (LIMB_BITS - 1); /* bits is a multiple of LIMB_BITS */
    if (mod_init_engine(&mod, m, bits, eng->name)) {
        printf("ct: engine %s does not take %d bits\n", eng->name, bits);
        return;
    }
    silent("mod_init_engine");
    mod_reduce(r, a, n + 3, &mod);
    mod_reduce(t, b, n, &mod);
    silent("mod_reduce");
    mod_enter(&x, r, &mod);
    mod_enter(&y, t, &mod);
    silent("mod_enter");
    mod_mul(&z, &x, &y, &mod);
    silent("mod_mul");
    mod_sqr(&z, &z, &mod);
    silent("mod_sqr");
    mod_add(&z, &z, &x, &mod);
    silent("mod_add");
    mod_sub(&z, &z, &y, &mod);
    silent("mod_sub");
    mod_leave(r, &z, &mod);
    silent("mod_leave");
    mod_product(r, r, t, &mod);
    silent("mod_product");
    mod_exp(r, r, b, 130, &mod);
    silent("mod_exp");
    hidden("mod_exp's r", r, sizeof *r);
    mod_exp_vartime(r, r, e, 7, &mod); /* the exponent is public, the base is not */
    silent("mod_exp_vartime");
    mod_inv(t, r, &mod);
    silent("mod_inv");
    mod_jacobi(r, &mod);
    silent("mod_jacobi");
    mod_wipe(&mod);
    silent("mod_wipe");
}

/* --- secret.h --- */

static void bytes_and_hashes(void)
{
    uint8_t key[32], digest[64];
    char text[128];

    uint8_t *p = secret_alloc(64);
    silent("secret_alloc");
    secret_random(p, 64);
    secret_random(key, sizeof key);
    silent("secret_random");
    (void)secret_equal(p, p + 32, 32);
    silent("secret_equal");
    base64_encode(text, p, 50, 1);
    silent("base64_encode");
    hash_sha256.digest(digest, p, 64);
    silent("hash_sha256");
    hash_sha512.digest(digest, p, 64);
    silent("hash_sha512");
    struct bytes part = {p, 64}, ikm = {key, sizeof key};
    secret_sha256(digest, &part, 1);
    silent("secret_sha256");
    secret_hmac(digest, ikm, &part, 1);
    silent("secret_hmac");
    secret_hkdf(digest, sizeof digest, ikm, &part, 1, "ct");
    silent("secret_hkdf");
    secret_wipe(key, sizeof key);
    silent("secret_wipe");
    secret_free(p);
    silent("secret_free");
}

/* --- prime.h, rsa.h, elgamal.h --- */

/* The call succeeded, as it must for what follows to mean anything, and was silent. */
static void fine(const char *name, tahr_err err)
{
    if (err)
        printf("ct: %s: %s\n", name, err->text);
    verdict(name, !err && VALGRIND_COUNT_ERRORS == reports);
}

/* The call was refused, and was silent. */
static void refused(const char *name, tahr_err err)
{
    verdict(name, err && VALGRIND_COUNT_ERRORS == reports);
}

static void primes(void)
{
    enum { bits = 384, n = LIMBS_OF_BITS(bits) };
    struct mod mod;

    fine("prime_random", prime_random(m, bits, 65537, NULL));
    secret(m, sizeof m);
    int is_prime = prime_check(m, bits, prime_rounds(bits));
    verdict("prime_check", is_prime && VALGRIND_COUNT_ERRORS == reports);
    if (mod_init(&mod, m, bits))
        return;
    silent("mod_init");
    mod_reduce(r, a, n, &mod);
    prime_miller_rabin(r, &mod);
    silent("prime_miller_rabin");
    prime_solovay_strassen(r, &mod);
    silent("prime_solovay_strassen");
}

/* The secret big-endian bytes of a, without leading zeros: lengths are public. */
static struct bytes field(uint8_t *out, const limb_t *number, int n)
{
    size_t len = (size_t)n * LIMB_BYTES;
    nat_to_bytes(out, len, number, n);
    public(out, len);
    while (len && *out == 0) {
        out++;
        len--;
    }
    secret(out, len);
    return (struct bytes){out, len};
}

static void rsa_again(const struct rsa_private *key)
{
    static uint8_t out[7][RSA_MAX_LEN];
    int n = key->pub.n.n, pn = key->p.n, qn = key->q.n;
    struct rsa_fields f = {
        .n = field(out[0], key->pub.n.m, n),
        .d = field(out[1], key->d, n),
        .p = field(out[2], key->p.m, pn),
        .q = field(out[3], key->q.m, qn),
        .dp = field(out[4], key->dp, pn),
        .dq = field(out[5], key->dq, qn),
        .qinv = field(out[6], key->qinv, pn),
        .e = key->pub.e,
    };
    struct rsa_private *again = secret_alloc(sizeof *again);
    public(f.n.p, f.n.len);
    reports = VALGRIND_COUNT_ERRORS;
    fine("rsa_private_init", rsa_private_init(again, &f, RSA_MIN_BITS));
    fine("rsa_public_init", rsa_public_init(&again->pub, f.n.p, f.n.len, f.e, RSA_MIN_BITS));
    secret_free(again);
}

static void rsa(void)
{
    enum { len = 2048 / 8 };
    static const char label[] = "label";
    const struct oaep oaep = {.hash = &hash_sha256, .label = {label, sizeof label - 1}};
    uint8_t clear[len], c[len];
    size_t clear_len;

    struct rsa_private *key = secret_alloc(sizeof *key);
    fine("rsa_generate", rsa_generate(key, 8 * len, NULL));
    hidden("rsa_generate's p", key->p.m, sizeof(limb_t));
    hidden("rsa_generate's q", key->q.m, sizeof(limb_t));
    hidden("rsa_generate's d", key->d, sizeof(limb_t));
    hidden("rsa_generate's dp", key->dp, sizeof(limb_t));
    hidden("rsa_generate's dq", key->dq, sizeof(limb_t));
    hidden("rsa_generate's qinv", key->qinv, sizeof(limb_t));
    rsa_consistent(key);
    silent("rsa_consistent");
    int prime = rsa_primes_check(key);
    verdict("rsa_primes_check", prime && VALGRIND_COUNT_ERRORS == reports);
    rsa_again(key);

    secret_random(clear, sizeof clear);
    clear[0] = 0; /* below n */
    fine("rsa_public_op", rsa_public_op(c, clear, &key->pub));
    public(c, sizeof c);
    fine("rsa_private_op", rsa_private_op(clear, c, key));
    hidden("rsa_private_op's m", clear, 16);

    refused("rsa_oaep_decrypt, bad", rsa_oaep_decrypt(clear, &clear_len, c, len, &oaep, key));
    refused("rsa_oaep_decrypt_fixed, bad", rsa_oaep_decrypt_fixed(clear, 16, c, len, &oaep, key));
    fine("rsa_oaep_encrypt", rsa_oaep_encrypt(c, clear, 16, &oaep, &key->pub));
    public(c, sizeof c);
    fine("rsa_oaep_decrypt", rsa_oaep_decrypt(clear, &clear_len, c, len, &oaep, key));
    fine("rsa_oaep_decrypt_fixed", rsa_oaep_decrypt_fixed(clear, 16, c, len, &oaep, key));
    hidden("rsa_oaep_decrypt_fixed's m", clear, 16);
    secret_free(key);
}

static void elgamal(void)
{
    enum { len = 2048 / 8, klen = 256 / 8 };
    uint8_t c1[len], c2[len], z[len], k[klen], y[len];

    struct elgamal_private *key = secret_alloc(sizeof *key);
    group_named(&key->pub.group, "ffdhe2048");
    silent("group_named");
    fine("elgamal_generate", elgamal_generate(key));
    hidden("elgamal_generate's x", key->x, sizeof(limb_t));
    public(key->pub.y, sizeof key->pub.y);
    fine("elgamal_encapsulate", elgamal_encapsulate(c1, z, &key->pub));
    secret_random(k, sizeof k);
    fine("elgamal_encapsulate_with", elgamal_encapsulate_with(c1, z, k, &key->pub));
    public(c1, sizeof c1);
    elgamal_element_valid(c1, len, &key->pub.group);
    silent("elgamal_element_valid");
    fine("elgamal_decapsulate", elgamal_decapsulate(z, c1, len, key));
    hidden("elgamal_decapsulate's z", z, 16);

    secret(c1, sizeof c1); /* an element like any other, now as a secret message */
    fine("elgamal_encrypt", elgamal_encrypt(y, c2, c1, &key->pub));
    public(y, sizeof y);
    public(c2, sizeof c2);
    fine("elgamal_decrypt", elgamal_decrypt(z, y, c2, key));
    fine("elgamal_private_init", elgamal_private_init(key, k, sizeof k, NULL, 0));
    secret_free(key);
}

/* --- recipient.h --- */

/* What opens a sealed file key branches, inside libsodium, on whether the tag is right, which is
 * the answer; and where scrypt reads depends on the passphrase, by its design. */
static void recipients(void)
{
    static struct header h;
    uint8_t file_key[FILE_KEY_LEN];
    tahr_key *key;

    secret_random(file_key, sizeof file_key);
    header_init(&h);
    fine("tahr_key_new_x25519", tahr_key_new_x25519(&key));
    hidden("tahr_key_new_x25519's k", key->u.x25519.k, X25519_LEN);
    fine("recipient_x25519_check", recipient_x25519_check(key->u.x25519.pub.u));
    fine("recipient_x25519.wrap", recipient_x25519.wrap(&h, file_key, key));
    tahr_key_free(key);
}

/* Without secrets: secret_init group_len group_by_id group_explicit group_generate base64_len
 * elgamal_public_init.  base64_decode tells where a character is none of base64. */

int main(int argc, char **argv)
{
    (void)argc;
    if (!RUNNING_ON_VALGRIND) {
        execlp("valgrind", "valgrind", "--quiet", "--error-limit=no", argv[0], (char *)NULL);
        puts("skipped: valgrind is not installed\n0 passed, 0 failed, 1 skipped");
        return 0;
    }
    setbuf(stdout, NULL);
    secret_init();
    leaks();
    naturals();
    bytes_and_hashes();
    recipients();
    for (int i = 0; engines[i]; i++)
        residues(engines[i], 512);
    for (int i = 0; engines[i]; i++) {
        setenv("TAHR_ENGINE", engines[i]->name, 1); /* the default of the moduli to come */
        primes();
        rsa();
        elgamal();
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
