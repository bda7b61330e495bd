/* The benchmark of the secret world and of messages: powers, RSA, ElGamal, inverses, bulk. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "bench.h"

#include <gmp.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bn.h"
#include "edges.h"
#include "elgamal.h"
#include "engine.h"
#include "rsa.h"

/* --- Operands, as ours and as theirs; inverses and symbols take the next of FRESH each time --- */

#define FRESH 128

static struct mod m;
static limb_t r[NAT_MAX], e[NAT_MAX], fresh[FRESH][NAT_MAX];
static BIGNUM *bm, *be, *br, *bfresh[FRESH];
static BN_MONT_CTX *mont;
static mpz_t zm, zr, zfresh[FRESH];
static int turn;
static volatile int symbol_sink; /* GMP's symbols are pure: unused, they are not computed */

static void operands(int bits)
{
    int n = LIMBS_OF_BITS(bits);
    random_modulus(r, bits);
    bench_must(mod_init(&m, r, bits) == 0, "mod_init");
    random_nat(e, n, bits);
    bn_set_nat(bm, m.m, n);
    bn_set_nat(be, e, n);
    bench_must(BN_MONT_CTX_set(mont, bm, bn_ctx()), "BN_MONT_CTX_set");
    mpz_import(zm, (size_t)n, -1, sizeof *r, 0, 0, m.m);
    for (int i = 0; i < FRESH; i++) {
        random_residue(fresh[i], m.m, bits);
        bn_set_nat(bfresh[i], fresh[i], n);
        mpz_import(zfresh[i], (size_t)n, -1, sizeof *r, 0, 0, fresh[i]);
    }
}

static void allocate(void)
{
    if (bm != NULL)
        return;
    bm = BN_new(), be = BN_new(), br = BN_new(), mont = BN_MONT_CTX_new();
    mpz_inits(zm, zr, NULL);
    for (int i = 0; i < FRESH; i++) {
        bfresh[i] = BN_new();
        mpz_init(zfresh[i]);
    }
}

static int next(void)
{
    return turn = (turn + 1) % FRESH;
}

/* --- Constant-time powers --- */

static void our_power(void)
{
    mod_exp(r, fresh[next()], e, m.bits, &m);
}

static void openssl_power(void)
{
    bench_must(BN_mod_exp_mont_consttime(br, bfresh[next()], be, bm, bn_ctx(), mont), "BN power");
}

static void gmp_power(void)
{
    static mpz_t ze;
    if (ze->_mp_alloc == 0)
        mpz_init(ze);
    mpz_import(ze, (size_t)m.n, -1, sizeof *e, 0, 0, e);
    mpz_powm_sec(zr, zfresh[next()], ze, zm);
}

static void powers(void)
{
    static const struct contender c[] = {
        {"tahr mod_exp", our_power},
        {"OpenSSL BN_mod_exp_mont_consttime", openssl_power},
        {"GMP mpz_powm_sec", gmp_power},
    };
    allocate();
    for (int bits = 1024; bits <= 4096; bits += 1024) {
        operands(bits);
        bench_compare("power, constant time", bits, c, 3, 1);
    }
}

/* --- Inverses and Jacobi symbols --- */

static void our_inverse(void)
{
    (void)mod_inv(r, fresh[next()], &m);
}

static void our_inverse_vartime(void)
{
    (void)mod_inv_vartime(r, fresh[next()], &m);
}

/* An inverse need not exist; that costs as much. */
static void openssl_inverse(void)
{
    BN_set_flags(bm, BN_FLG_CONSTTIME);
    (void)BN_mod_inverse(br, bfresh[next()], bm, bn_ctx());
}

static void gmp_inverse(void)
{
    (void)mpz_invert(zr, zfresh[next()], zm);
}

static void our_jacobi(void)
{
    symbol_sink = mod_jacobi(fresh[next()], &m);
}

static void our_jacobi_vartime(void)
{
    symbol_sink = mod_jacobi_vartime(fresh[next()], &m);
}

static void openssl_jacobi(void)
{
    symbol_sink = BN_kronecker(bfresh[next()], bm, bn_ctx());
}

static void gmp_jacobi(void)
{
    symbol_sink = mpz_jacobi(zfresh[next()], zm);
}

static void inverses(void)
{
    static const struct contender constant[] = {{"tahr mod_inv", our_inverse},
                                                {"OpenSSL BN_mod_inverse", openssl_inverse}};
    static const struct contender variable[] = {{"tahr mod_inv_vartime", our_inverse_vartime},
                                                {"GMP mpz_invert", gmp_inverse}};
    static const struct contender symbol[] = {{"tahr mod_jacobi_vartime", our_jacobi_vartime},
                                              {"tahr mod_jacobi (constant time)", our_jacobi},
                                              {"OpenSSL BN_kronecker", openssl_jacobi},
                                              {"GMP mpz_jacobi", gmp_jacobi}};
    allocate();
    for (int bits = 1024; bits <= 4096; bits += 1024) {
        operands(bits);
        bench_compare("inverse, constant time", bits, constant, 2, 0.5);
        bench_compare("inverse, variable time", bits, variable, 2, 0.5);
        bench_compare("Jacobi symbol", bits, symbol, 4, 0.5);
    }
}

/* --- RSA --- */

static int rsa_bits;
static struct rsa_private *key;
static EVP_PKEY *pkey;
static uint8_t text[RSA_MAX_LEN], sealed[RSA_MAX_LEN];

static void our_key(void)
{
    bench_must(rsa_generate(key, rsa_bits, NULL) == NULL, "rsa_generate");
}

static void openssl_key(void)
{
    EVP_PKEY_free(pkey);
    pkey = EVP_RSA_gen((unsigned)rsa_bits);
    bench_must(pkey != NULL, "EVP_RSA_gen");
}

static void our_private(void)
{
    bench_must(rsa_private_op(text, sealed, key) == NULL, "rsa_private_op");
}

static void our_public(void)
{
    bench_must(rsa_public_op(sealed, text, &key->pub) == NULL, "rsa_public_op");
}

static EVP_PKEY_CTX *raw(int (*init)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
    bench_must(init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0, "EVP");
    return ctx;
}

static EVP_PKEY_CTX *private_ctx, *public_ctx;

static void openssl_private(void)
{
    size_t len = sizeof text;
    bench_must(EVP_PKEY_decrypt(private_ctx, text, &len, sealed, (size_t)rsa_bits / 8) > 0, "EVP");
}

static void openssl_public(void)
{
    size_t len = sizeof sealed;
    bench_must(EVP_PKEY_encrypt(public_ctx, sealed, &len, text, (size_t)rsa_bits / 8) > 0, "EVP");
}

static void rsa(void)
{
    static const struct contender generate[] = {{"tahr", our_key}, {"OpenSSL", openssl_key}};
    static const struct contender decrypt[] = {{"tahr", our_private}, {"OpenSSL", openssl_private}};
    static const struct contender encrypt[] = {{"tahr", our_public}, {"OpenSSL", openssl_public}};
    key = secret_alloc(sizeof *key);
    bench_must(key != NULL, "memory");
    for (rsa_bits = 2048; rsa_bits <= 4096; rsa_bits += 1024) {
        bench_mean("RSA key", rsa_bits, generate, 2, 24 * 2048 / rsa_bits / (rsa_bits / 1024 - 1));
        private_ctx = raw(EVP_PKEY_decrypt_init);
        public_ctx = raw(EVP_PKEY_encrypt_init);
        memset(sealed, 0, sizeof sealed);
        randombytes_buf(sealed + 1, (size_t)rsa_bits / 8 - 1);
        memset(text, 0, sizeof text);
        randombytes_buf(text + 1, (size_t)rsa_bits / 8 - 1);
        bench_compare("RSA public operation", rsa_bits, encrypt, 2, 0.5);
        sealed[0] = 0;
        bench_compare("RSA private operation", rsa_bits, decrypt, 2, 1);
        EVP_PKEY_CTX_free(private_ctx);
        EVP_PKEY_CTX_free(public_ctx);
    }
    secret_free(key);
}

/* --- ElGamal --- */

static struct elgamal_private *identity;
static EVP_PKEY *peer, *own;
static uint8_t c1[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN];

static void our_encapsulate(void)
{
    bench_must(elgamal_encapsulate(c1, z, &identity->pub) == NULL, "elgamal_encapsulate");
}

static void our_decapsulate(void)
{
    size_t len = (size_t)identity->pub.group.p.bits / 8;
    bench_must(elgamal_decapsulate(z, c1, len, identity) == NULL, "elgamal_decapsulate");
}

static EVP_PKEY *openssl_dh_key(int bits)
{
    char name[16];
    snprintf(name, sizeof name, "ffdhe%d", bits);
    OSSL_PARAM p[] = {OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, 0), OSSL_PARAM_END};
    EVP_PKEY *k = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
    bench_must(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, p) > 0 &&
                   EVP_PKEY_generate(ctx, &k) > 0,
               "EVP_PKEY_generate");
    EVP_PKEY_CTX_free(ctx);
    return k;
}

static void derive(EVP_PKEY *ours, EVP_PKEY *theirs)
{
    size_t len = sizeof z;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(ours, NULL);
    bench_must(EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, theirs) > 0 &&
                   EVP_PKEY_derive(ctx, z, &len) > 0,
               "EVP_PKEY_derive");
    EVP_PKEY_CTX_free(ctx);
}

static void openssl_encapsulate(void)
{
    EVP_PKEY *k = openssl_dh_key(identity->pub.group.p.bits);
    derive(k, peer);
    EVP_PKEY_free(k);
}

static void openssl_decapsulate(void)
{
    derive(own, peer);
}

static void elgamal(void)
{
    static const struct contender encrypt[] = {{"tahr", our_encapsulate},
                                               {"OpenSSL DH key + derive", openssl_encapsulate}};
    static const struct contender decrypt[] = {{"tahr", our_decapsulate},
                                               {"OpenSSL derive", openssl_decapsulate}};
    identity = secret_alloc(sizeof *identity);
    bench_must(identity != NULL, "memory");
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        char name[16];
        snprintf(name, sizeof name, "ffdhe%d", bits);
        bench_must(group_named(&identity->pub.group, name) == 0, name);
        bench_must(elgamal_generate(identity) == NULL, "elgamal_generate");
        peer = openssl_dh_key(bits);
        own = openssl_dh_key(bits);
        bench_compare("ElGamal encapsulation", bits, encrypt, 2, 1);
        bench_compare("ElGamal decapsulation", bits, decrypt, 2, 1);
        EVP_PKEY_free(peer);
        EVP_PKEY_free(own);
    }
    secret_free(identity);
}

/* --- Bulk: a message of 1 GiB from memory to nowhere, and libsodium alone on chunks of 64 KiB ---
 */

#define BULK  ((size_t)1 << 30)
#define CHUNK ((size_t)1 << 16)

static uint8_t chunk[CHUNK + crypto_aead_chacha20poly1305_ietf_ABYTES];
static tahr_key *bulk_key;
static size_t bulk_left;

static int read_bulk(void *context, void *buf, size_t len, size_t *got)
{
    (void)context;
    *got = len < bulk_left ? len : bulk_left;
    memset(buf, 'x', *got);
    bulk_left -= *got;
    return 0;
}

static int write_bulk(void *context, const void *buf, size_t len)
{
    (void)context, (void)buf, (void)len;
    return 0;
}

static void our_bulk(void)
{
    static const struct tahr_io io = {read_bulk, write_bulk, NULL, 1};
    const tahr_key *recipient = bulk_key;
    bulk_left = BULK;
    bench_must(tahr_encrypt(&io, &recipient, 1, 0) == NULL, "tahr_encrypt");
}

static void sodium_bulk(void)
{
    static const uint8_t k[32], nonce[12];
    for (size_t i = 0; i < BULK / CHUNK; i++)
        crypto_aead_chacha20poly1305_ietf_encrypt(chunk, NULL, chunk, CHUNK, NULL, 0, NULL, nonce,
                                                  k);
}

static void bulk(void)
{
    static const struct contender c[] = {{"tahr_encrypt, 1 GiB", our_bulk},
                                         {"libsodium ChaCha20-Poly1305, 1 GiB", sodium_bulk}};
    bench_must(tahr_key_new_elgamal(&bulk_key, "ffdhe3072", NULL) == NULL, "tahr_key_new_elgamal");
    bench_compare("bulk encryption", 3072, c, 2, 10);
    tahr_key_free(bulk_key);
}

/* --- A whole process: 1 KiB to a key in a file --- */

static const char *program, *recipient_file;

static void encrypt_file(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execl(program, program, "-R", recipient_file, "-o", "small.age", "small", (char *)NULL);
        _exit(127);
    }
    bench_must(waitpid(pid, &status, 0) == pid && status == 0, program);
}

static void shell(const char *line)
{
    bench_must(system(line) == 0, line);
}

static void small_file(void)
{
    static const struct contender c[] = {{"tahr -R KEY -o OUT IN", encrypt_file}};
    char folder[] = "/tmp/bench.XXXXXX", path[4096], line[9000];
    const char *build = getenv("BUILD");
    bench_must(realpath(build != NULL ? build : "build", path) != NULL, "the BUILD folder");
    bench_must(mkdtemp(folder) != NULL && chdir(folder) == 0, "mkdtemp");
    snprintf(line, sizeof line,
             "head -c 1024 /dev/urandom >small; %s/tahr-key new -o key 2>pub.txt"
             " && %s/tahr-key pub key >elgamal.pub",
             path, path);
    shell(line);
    strcat(path, "/tahr");
    program = path;
    recipient_file = "elgamal.pub";
    bench_wall("1 KiB file to ElGamal", 3072, c, 1, 50);
    shell("rm -f small small.age key pub.txt elgamal.pub");
    bench_must(chdir("/") == 0 && rmdir(folder) == 0, "rmdir");
}

const struct table bench_secret[] = {
    {"power", "Constant-time exponentiation", powers},
    {"inverse", "Inverses and Jacobi symbols, fresh inputs", inverses},
    {"rsa", "RSA keys and raw operations, blinding and check included", rsa},
    {"elgamal", "ElGamal KEM, validation included", elgamal},
    {"bulk", "A message of 1 GiB, one core", bulk},
    {"file", "A small file, whole process, with its fsync", small_file},
    {NULL, NULL, NULL},
};
