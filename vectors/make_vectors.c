/* make_vectors FOLDER: writes our own files of test vectors, with every answer from OpenSSL.
 *
 * The grammar is that of OpenSSL's tests.  Its random generator is replaced by a fixed sequence, so
 * that the same OpenSSL writes the same files again. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static BN_CTX *ctx;
static FILE *out;

static void need(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "make_vectors: %s\n", what);
        exit(1);
    }
}

/* --- The fixed sequence: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) --- */

static int fixed_bytes(unsigned char *p, int n)
{
    static uint64_t state;
    for (int i = 0; i < n; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        p[i] = (unsigned char)((z ^ (z >> 31)) >> 56);
    }
    return 1;
}

static int fixed_status(void)
{
    return 1;
}

static const RAND_METHOD fixed = {
    .bytes = fixed_bytes, .pseudorand = fixed_bytes, .status = fixed_status};

/* --- Files and fields --- */

static void open_file(const char *folder, const char *name, const char *what)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    need(out != NULL, path);
    fprintf(out, "# Made by make_vectors.c: the answers are OpenSSL's (libcrypto %s).\n#\n%s\n",
            OPENSSL_VERSION_STR, what);
}

static void close_file(void)
{
    need(fclose(out) == 0, "cannot write");
}

static void end(void)
{
    fputc('\n', out);
}

static void field(const char *name, const BIGNUM *a)
{
    char *hex = BN_bn2hex(a), *p = hex;
    int negative = *p == '-';
    p += negative;
    while (*p == '0' && p[1])
        p++;
    fprintf(out, "%s = %s", name, negative ? "-" : "");
    for (; *p; p++)
        fputc(tolower((unsigned char)*p), out);
    fputc('\n', out);
    OPENSSL_free(hex);
}

/* start, the bytes in hex (or "" for none), and the end of the line. */
static void bytes_field(const char *start, const unsigned char *p, size_t n)
{
    fputs(start, out);
    if (n == 0)
        fputs("\"\"", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", p[i]);
    fputc('\n', out);
}

/* --- Numbers where arithmetic goes wrong --- */

/* One of the odd numbers of exactly `bits` bits, bits >= 2, that are hard to be a modulus. */
#define MODULI 5
static void edge_modulus(BIGNUM *m, int bits, int shape)
{
    BN_zero(m);
    BN_set_bit(m, bits - 1);
    switch (shape) {
    case 0: /* all ones */
        BN_lshift1(m, m);
        BN_sub_word(m, 1);
        break;
    case 1: /* 2^(bits-1) + 1 */
        break;
    case 2: /* one top bit, ones in the lower half */
        for (int i = 0; i < bits / 2; i++)
            BN_set_bit(m, i);
        break;
    case 3: /* ones above, zeros below */
        for (int i = bits / 2; i < bits; i++)
            BN_set_bit(m, i);
        break;
    default:
        BN_rand(m, bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
    }
    BN_set_bit(m, 0);
}

/* A number below m that is hard to multiply. */
#define OPERANDS 8
static void edge_operand(BIGNUM *a, const BIGNUM *m, int shape)
{
    int bits = BN_num_bits(m);
    BN_zero(a);
    switch (shape) {
    case 0: /* m - 1 */
        BN_sub(a, m, BN_value_one());
        break;
    case 1: /* a random one */
        BN_rand_range(a, m);
        break;
    case 2: /* the largest power of two */
        BN_set_bit(a, bits - 1);
        BN_sub(a, BN_cmp(a, m) < 0 ? a : m, BN_value_one());
        break;
    case 3: /* half of m */
        BN_rshift1(a, m);
        break;
    case 4: /* ones in the lower half */
        BN_set_bit(a, bits / 2);
        BN_sub_word(a, 1);
        break;
    case 5: /* a word boundary */
        BN_set_bit(a, bits / 2 / 32 * 32);
        break;
    case 6:
        BN_one(a);
        break;
    default: /* 0 */
        break;
    }
}

static const int sizes[] = {2,  3,  7,   8,   9,   15,  16,  17,  31,  32,  33,  63,
                            64, 65, 127, 128, 129, 192, 255, 256, 257, 521, 1024};
#define SIZES ((int)(sizeof sizes / sizeof *sizes))

/* Calls f with every size, every shape of modulus, and count operands, which take turns. */
static void each_case(int max_bits, int count,
                      void (*f)(const BIGNUM *a, const BIGNUM *b, const BIGNUM *m))
{
    BIGNUM *a = BN_new(), *b = BN_new(), *m = BN_new();
    int turn = 0;
    for (int s = 0; s < SIZES && sizes[s] <= max_bits; s++)
        for (int shape = 0; shape < MODULI; shape++) {
            edge_modulus(m, sizes[s], shape);
            for (int i = 0; i < count; i++, turn++) {
                edge_operand(a, m, turn % OPERANDS);
                edge_operand(b, m, turn / OPERANDS % OPERANDS);
                f(a, b, m);
            }
        }
    BN_free(a);
    BN_free(b);
    BN_free(m);
}

/* --- bnmod.txt, bnmul.txt, bngcd.txt --- */

static void modmul(const BIGNUM *a, const BIGNUM *b, const BIGNUM *m)
{
    BIGNUM *r = BN_new();
    need(BN_mod_mul(r, a, b, m, ctx), "BN_mod_mul");
    field("ModMul", r);
    field("A", a);
    field("B", b);
    field("M", m);
    end();
    BN_free(r);
}

/* Exponents: b, and where b is small a few short ones, 0 among them. */
static void modexp(const BIGNUM *a, const BIGNUM *b, const BIGNUM *m)
{
    static const BN_ULONG shorts[] = {0, 1, 2, 3, 16, 65537};
    static unsigned turn;
    BIGNUM *r = BN_new(), *e = BN_dup(b);
    if (BN_num_bits(b) < 2)
        BN_set_word(e, shorts[turn++ % 6]);
    need(BN_mod_exp_simple(r, a, e, m, ctx), "BN_mod_exp_simple");
    field("ModExp", r);
    field("A", a);
    field("E", e);
    field("M", m);
    end();
    BN_free(r);
    BN_free(e);
}

static void inverse_and_jacobi(const BIGNUM *a, const BIGNUM *b, const BIGNUM *m)
{
    BIGNUM *r = BN_new();
    (void)b;
    if (BN_mod_inverse(r, a, m, ctx))
        field("Inverse", r);
    else
        fputs("Inverse = none\n", out);
    field("A", a);
    field("M", m);
    end();
    fprintf(out, "Jacobi = %d\n", BN_kronecker(a, m, ctx));
    field("A", a);
    field("M", m);
    end();
    BN_free(r);
}

/* a b, a^2, and (a m + b) divided by m and by a. */
static void product_and_quotient(const BIGNUM *a, const BIGNUM *b, const BIGNUM *m)
{
    BIGNUM *r = BN_new(), *t = BN_new(), *q = BN_new();
    BN_mul(r, a, m, ctx);
    field("Product", r);
    field("A", a);
    field("B", m);
    end();
    BN_add(t, r, b);
    const BIGNUM *divisor = BN_is_zero(a) || BN_num_bits(b) % 2 ? m : a;
    need(BN_div(q, r, t, divisor, ctx), "BN_div");
    field("Quotient", q);
    field("Remainder", r);
    field("A", t);
    field("B", divisor);
    end();
    BN_sqr(r, a, ctx);
    field("Square", r);
    field("A", a);
    end();
    BN_free(r);
    BN_free(t);
    BN_free(q);
}

/* gcd(a c, m c) for a small c, powers of two among them. */
static void gcd(const BIGNUM *a, const BIGNUM *b, const BIGNUM *m)
{
    static const BN_ULONG common[] = {1, 2, 3, 64, 0x10001, 0xffffffff};
    static unsigned turn;
    BIGNUM *r = BN_new(), *x = BN_dup(a), *y = BN_dup(turn % 2 ? b : m);
    BN_mul_word(x, common[turn % 6]);
    BN_mul_word(y, common[turn / 2 % 6]);
    turn++;
    need(BN_gcd(r, x, y, ctx), "BN_gcd");
    field("A", x);
    field("B", y);
    field("GCD", r);
    end();
    BN_free(r);
    BN_free(x);
    BN_free(y);
}

/* --- rsa.txt --- */

struct rsa_shape {
    const char *name;
    int p_bits, q_bits;
    BN_ULONG e;
    int swap;    /* p < q */
    int use_phi; /* d = e^-1 mod (p-1)(q-1), not mod their lcm */
};

static const struct rsa_shape shapes[] = {
    {"RSA-512", 256, 256, 65537, 0, 0},          {"RSA-1024-e3", 512, 512, 3, 0, 0},
    {"RSA-1025", 520, 505, 65537, 0, 0},         {"RSA-1031-swapped", 500, 531, 17, 1, 1},
    {"RSA-2048", 1024, 1024, 65537, 0, 0},       {"RSA-2048-e24", 1024, 1024, 0xffffff, 1, 1},
    {"RSA-2048-uneven", 1248, 800, 65537, 0, 0},
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

/* A prime of that size with its two top bits set and gcd(p - 1, e) = 1. */
static BIGNUM *prime_for(int bits, const BIGNUM *e)
{
    BIGNUM *p = BN_new(), *t = BN_new();
    BN_rand(p, bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ODD);
    for (;; BN_add_word(p, 2)) {
        BN_sub(t, p, BN_value_one());
        BN_gcd(t, t, e, ctx);
        if (BN_is_one(t) && BN_check_prime(p, ctx, NULL) == 1)
            break;
    }
    BN_free(t);
    return p;
}

static RSA *make_key(const struct rsa_shape *s)
{
    BIGNUM *e = BN_new(), *n = BN_new(), *d = BN_new(), *dp = BN_new(), *dq = BN_new();
    BIGNUM *p1 = BN_new(), *q1 = BN_new(), *lambda = BN_new(), *g = BN_new();
    BN_set_word(e, s->e);
    BIGNUM *p = prime_for(s->p_bits, e), *q = prime_for(s->q_bits, e);
    if ((BN_cmp(p, q) < 0) != s->swap)
        BN_swap(p, q);

    BN_mul(n, p, q, ctx);
    BN_sub(p1, p, BN_value_one());
    BN_sub(q1, q, BN_value_one());
    BN_mul(lambda, p1, q1, ctx);
    BN_gcd(g, p1, q1, ctx);
    if (!s->use_phi)
        BN_div(lambda, NULL, lambda, g, ctx);
    BN_mod_inverse(d, e, lambda, ctx);
    BN_mod(dp, d, p1, ctx);
    BN_mod(dq, d, q1, ctx);
    BIGNUM *qinv = BN_mod_inverse(NULL, q, p, ctx);

    RSA *key = RSA_new();
    need(RSA_set0_key(key, n, e, d) && RSA_set0_factors(key, p, q) &&
             RSA_set0_crt_params(key, dp, dq, qinv),
         "RSA_set0");
    BN_free(p1);
    BN_free(q1);
    BN_free(lambda);
    BN_free(g);
    return key;
}

/* What may be wrong with an encoded message, after RFC 8017 7.1.2 step 3g. */
enum flaw { NONE, TOP_OCTET, LABEL_HASH, PADDING, NO_ONE, FLAWS };
static const char *const flaw_names[] = {"", "the first octet is 1", "a wrong label hash",
                                         "an octet of the padding is 2", "no 01"};

/* em (k bytes) = EME-OAEP encoding (RFC 8017 7.1.1) of m, with the flaw. */
static void oaep_encode(unsigned char *em, int k, const unsigned char *m, int mlen,
                        const EVP_MD *md, const EVP_MD *mgf1, const unsigned char *label,
                        size_t label_len, enum flaw flaw)
{
    int h = EVP_MD_get_size(md), db_len = k - h - 1;
    unsigned char *seed = em + 1, *db = em + 1 + h, mask[1024];

    memset(em, 0, (size_t)k);
    fixed_bytes(seed, h);
    EVP_Digest(label, label_len, db, NULL, md, NULL);
    db[db_len - mlen - 1] = flaw == NO_ONE ? 0 : 1;
    memcpy(db + db_len - mlen, m, (size_t)mlen);
    em[0] = flaw == TOP_OCTET;
    if (flaw == LABEL_HASH)
        db[h - 1] ^= 1;
    if (flaw == PADDING)
        db[h] = 2;
    PKCS1_MGF1(mask, db_len, seed, h, mgf1);
    for (int i = 0; i < db_len; i++)
        db[i] ^= mask[i];
    PKCS1_MGF1(mask, h, db, db_len, mgf1);
    for (int i = 0; i < h; i++)
        seed[i] ^= mask[i];
}

/* Does OpenSSL decrypt c to m? */
static int decrypts(EVP_PKEY *key, const unsigned char *c, int k, const EVP_MD *md,
                    const EVP_MD *mgf1, const unsigned char *label, int label_len,
                    const unsigned char *m, int mlen)
{
    EVP_PKEY_CTX *op = EVP_PKEY_CTX_new(key, NULL);
    unsigned char got[1024];
    size_t len = sizeof got;
    void *copy = OPENSSL_memdup(label, (size_t)label_len + 1);

    need(EVP_PKEY_decrypt_init(op) > 0 &&
             EVP_PKEY_CTX_set_rsa_padding(op, RSA_PKCS1_OAEP_PADDING) > 0 &&
             EVP_PKEY_CTX_set_rsa_oaep_md(op, md) > 0 &&
             EVP_PKEY_CTX_set_rsa_mgf1_md(op, mgf1) > 0 &&
             (label_len == 0 || EVP_PKEY_CTX_set0_rsa_oaep_label(op, copy, label_len) > 0),
         "EVP_PKEY_decrypt_init");
    int ok = EVP_PKEY_decrypt(op, got, &len, c, (size_t)k) > 0 && len == (size_t)mlen &&
             memcmp(got, m, len) == 0;
    EVP_PKEY_CTX_free(op);
    if (label_len == 0)
        OPENSSL_free(copy);
    return ok;
}

static void oaep(const char *name, RSA *rsa, EVP_PKEY *key, const char *md_name,
                 const char *mgf1_name, int label_len, int mlen, enum flaw flaw)
{
    unsigned char label[64], m[512], em[512], c[512];
    const EVP_MD *md = EVP_get_digestbyname(md_name), *mgf1 = EVP_get_digestbyname(mgf1_name);
    int k = RSA_size(rsa), room = k - 2 * EVP_MD_get_size(md) - 2;
    if (room < 0 || mlen > room || (mlen == room && flaw == PADDING))
        return;

    fixed_bytes(label, label_len);
    label[label_len] = 0;
    fixed_bytes(m, mlen);
    oaep_encode(em, k, m, mlen, md, mgf1, label, (size_t)label_len, flaw);
    need(RSA_public_encrypt(k, em, c, rsa, RSA_NO_PADDING) == k, "RSA_public_encrypt");
    need(decrypts(key, c, k, md, mgf1, label, label_len, m, mlen) == (flaw == NONE),
         "EVP_PKEY_decrypt");

    if (flaw != NONE)
        fprintf(out, "# %s\n", flaw_names[flaw]);
    fprintf(out, "Decrypt = %s\nCtrl = rsa_padding_mode:oaep\nCtrl = rsa_oaep_md:%s\n", name,
            md_name);
    fprintf(out, "Ctrl = rsa_mgf1_md:%s\n", mgf1_name);
    if (label_len)
        bytes_field("Ctrl = rsa_oaep_label:", label, (size_t)label_len);
    bytes_field("Input = ", c, (size_t)k);
    if (flaw == NONE)
        bytes_field("Output = ", m, (size_t)mlen);
    else
        fputs("Result = KEYOP_ERROR\n", out);
    end();
}

/* c = m^e, raw, for m = 0, 1, n - 1 and a random one; then m = n, which is refused. */
static void raw(const char *name, RSA *rsa)
{
    unsigned char m[512], c[512];
    BIGNUM *a = BN_new();
    int k = RSA_size(rsa);
    for (int i = 0; i < 4; i++) {
        BN_set_word(a, (BN_ULONG)(i & 1));
        if (i == 2)
            BN_sub(a, RSA_get0_n(rsa), BN_value_one());
        if (i == 3)
            BN_rand_range(a, RSA_get0_n(rsa));
        BN_bn2binpad(a, m, k);
        need(RSA_public_encrypt(k, m, c, rsa, RSA_NO_PADDING) == k, "RSA_public_encrypt");
        fprintf(out, "Decrypt = %s\nCtrl = rsa_padding_mode:none\n", name);
        bytes_field("Input = ", c, (size_t)k);
        bytes_field("Output = ", m, (size_t)k);
        end();
    }
    BN_bn2binpad(RSA_get0_n(rsa), c, k);
    fprintf(out, "Decrypt = %s\nCtrl = rsa_padding_mode:none\n", name);
    bytes_field("Input = ", c, (size_t)k);
    fputs("Result = KEYOP_ERROR\n\n", out);
    BN_free(a);
}

static void rsa_stanzas(const struct rsa_shape *s)
{
    RSA *rsa = make_key(s);
    EVP_PKEY *key = EVP_PKEY_new();
    need(EVP_PKEY_set1_RSA(key, rsa), "EVP_PKEY_set1_RSA");
    fprintf(out, "PrivateKey = %s\n", s->name);
    PEM_write_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL);
    end();

    raw(s->name, rsa);
    int k = RSA_size(rsa);
    oaep(s->name, rsa, key, "sha1", "sha1", 0, k - 2 * 20 - 2, NONE);
    oaep(s->name, rsa, key, "sha256", "sha256", 29, 16, NONE);
    oaep(s->name, rsa, key, "sha256", "sha256", 0, 0, NONE);
    oaep(s->name, rsa, key, "sha256", "sha1", 1, k - 2 * 32 - 2, NONE);
    oaep(s->name, rsa, key, "sha512", "sha512", 20, 16, NONE);
    oaep(s->name, rsa, key, "sha512", "sha256", 0, 1, NONE);
    for (enum flaw flaw = TOP_OCTET; flaw < FLAWS; flaw++)
        oaep(s->name, rsa, key, "sha256", "sha256", 29, 16, flaw);
    EVP_PKEY_free(key);
    RSA_free(rsa);
}

int main(int argc, char **argv)
{
    need(argc == 2, "make_vectors FOLDER");
    const char *folder = argv[1];
    need(RAND_set_rand_method(&fixed), "RAND_set_rand_method");
    ctx = BN_CTX_new();

    open_file(
        folder, "bnmod.txt",
        "# A B = ModMul mod M;  A^E = ModExp mod M;  Inverse A = 1 mod M;  Jacobi = (A | M).\n");
    each_case(1024, 3, modmul);
    each_case(521, 2, modexp);
    each_case(1024, 2, inverse_and_jacobi);
    close_file();

    open_file(folder, "bnmul.txt",
              "# A B = Product;  A = Quotient B + Remainder;  A^2 = Square.\n");
    each_case(1024, 2, product_and_quotient);
    close_file();

    open_file(folder, "bngcd.txt", "# gcd(A, B) = GCD.\n");
    each_case(1024, 3, gcd);
    close_file();

    open_file(folder, "rsa.txt",
              "# RSA keys of many shapes, OAEP good and bad, and raw decryptions.\n");
    for (int i = 0; i < SHAPES; i++)
        rsa_stanzas(&shapes[i]);
    close_file();

    BN_CTX_free(ctx);
    return 0;
}
