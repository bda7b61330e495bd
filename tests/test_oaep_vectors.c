/* Published RSA answers, read in place: OpenSSL's evppkey_rsa_common.txt (its OAEP and its raw
 * operations), RSA Laboratories' OAEP vectors and pyca's sets with other hashes. */
#include "bn.h"
#include "rsa_ssl.h"
#include "stanzas.h"

#include <ctype.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/pem.h>

#define OPENSSL "../shared/vectors/openssl/evppkey_rsa_common.txt"
#define PYCA    "/usr/lib/python3/dist-packages/cryptography_vectors/asymmetric/RSA/"

/* What a file gave; one of which nothing ran is a failure. */
static int passed, skipped;

static void report(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    print_message("%s: %d answers right, %d of other schemes left out\n", name, passed, skipped);
    assert_true(passed > 0);
    passed = skipped = 0;
}

static void skip_absent(const char *path, const char *where)
{
    print_message("skipped: %s is not there; %s\n", path, where);
    skip();
}

/* m is what c decrypts to; or, if m is NULL, c is refused. */
static void check_oaep(const struct rsa_private *key, const struct oaep *oaep, const uint8_t *c,
                       size_t clen, const uint8_t *m, size_t mlen)
{
    uint8_t out[RSA_MAX_LEN];
    size_t len = 0;
    tahr_err err = rsa_oaep_decrypt(out, &len, c, clen, oaep, key);
    assert_int_equal(err == NULL, m != NULL);
    if (m != NULL) {
        assert_int_equal(len, mlen);
        assert_memory_equal(out, m, mlen);
    }
    passed++;
    if (passed % 8 != 1) /* the other way now and then: time is short */
        return;
    memset(out, 0, sizeof out);
    err = rsa_oaep_decrypt_fixed(out, mlen, c, clen, oaep, key);
    assert_int_equal(err == NULL, m != NULL);
    if (m != NULL)
        assert_memory_equal(out, m, mlen);
}

/* --- OpenSSL --- */

#define KEYS 40
static struct {
    char name[64];
    struct rsa_private *key;
} keys[KEYS];
static int key_count;

/* Keeps the RSA private key of a stanza "PrivateKey = name" with its PEM block. */
static void keep_key(const char *value)
{
    const char *pem = strchr(value, '\n');
    assert_non_null(pem);
    BIO *bio = BIO_new_mem_buf(pem + 1, -1);
    EVP_PKEY *pkey = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    if (pkey != NULL && EVP_PKEY_is_a(pkey, "RSA") && EVP_PKEY_get_bits(pkey) >= 512) {
        assert_true(key_count < KEYS);
        int len = (int)(pem - value);
        snprintf(keys[key_count].name, sizeof keys[key_count].name, "%.*s", len, value);
        keys[key_count++].key = rsa_of_evp(pkey);
    }
    EVP_PKEY_free(pkey);
}

/* The key of that name, public names included. */
static const struct rsa_private *key_named(const char *name)
{
    size_t len = strlen(name);
    if (len > 7 && strcmp(name + len - 7, "-PUBLIC") == 0)
        len -= 7;
    for (int i = 0; i < key_count; i++)
        if (strlen(keys[i].name) == len && memcmp(keys[i].name, name, len) == 0)
            return keys[i].key;
    return NULL;
}

/* The value of "Ctrl = name:value"; NULL if there is none. */
static const char *control(const struct stanzas *s, const char *name)
{
    size_t len = strlen(name);
    for (int i = 0; i < s->count; i++) {
        const char *value = s->field[i].value;
        if (strcmp(s->field[i].name, "Ctrl") == 0 && strncmp(value, name, len) == 0 &&
            value[len] == ':')
            return value + len + 1;
    }
    return NULL;
}

/* The bytes of a field, 0 of them if there is none. */
static size_t field(uint8_t *out, size_t max, const struct stanzas *s, const char *name)
{
    const char *value = stanzas_get(s, name);
    long len = value != NULL ? value_bytes(out, max, value) : 0;
    assert_true(len >= 0);
    return (size_t)len;
}

static void decrypt_stanza(const struct stanzas *s, const struct rsa_private *key)
{
    uint8_t in[RSA_MAX_LEN], m[RSA_MAX_LEN], raw[RSA_MAX_LEN];
    size_t len = field(in, sizeof in, s, "Input"), mlen = field(m, sizeof m, s, "Output");
    const char *padding = control(s, "rsa_padding_mode");
    int good = stanzas_get(s, "Result") == NULL;

    if (padding == NULL) { /* PKCS #1 v1.5: raw, 00 02 PS 00 M if it is good */
        size_t k = rsa_len(&key->pub);
        assert_int_equal(len, k);
        assert_null(rsa_private_op(raw, in, key));
        int ok = raw[0] == 0 && raw[1] == 2 && raw[k - mlen - 1] == 0 &&
                 memcmp(raw + k - mlen, m, mlen) == 0;
        assert_int_equal(ok, good);
        passed++;
        return;
    }
    assert_string_equal(padding, "oaep");
    const char *hash = control(s, "rsa_oaep_md"), *mgf1 = control(s, "rsa_mgf1_md");
    uint8_t label[64];
    const char *hex = control(s, "rsa_oaep_label");
    long label_len = hex != NULL ? value_bytes(label, sizeof label, hex) : 0;
    assert_true(label_len >= 0);
    struct oaep oaep = {ssl_hash(hash != NULL ? hash : "sha1"),
                        mgf1 != NULL ? ssl_hash(mgf1) : NULL,
                        {label, (size_t)label_len}};
    check_oaep(key, &oaep, in, len, good ? m : NULL, mlen);
}

/* Sign and Verify without padding: the private operation, and the public one. */
static void raw_stanza(const struct stanzas *s, const struct rsa_private *key, int sign)
{
    uint8_t in[RSA_MAX_LEN], out[RSA_MAX_LEN], got[RSA_MAX_LEN];
    size_t len = field(in, sizeof in, s, "Input"), k = rsa_len(&key->pub);
    const char *result = stanzas_get(s, "Result");
    assert_int_equal(field(out, sizeof out, s, "Output"), k);
    if (result != NULL && strcmp(result, "VERIFY_ERROR") != 0) {
        skipped++; /* refused by OpenSSL's layer above: a short input, a digest */
        return;
    }
    assert_int_equal(len, k);
    assert_null(sign ? rsa_private_op(got, in, key) : rsa_public_op(got, in, &key->pub));
    assert_int_equal(memcmp(got, out, k) == 0, result == NULL);
    passed++;
}

static void stanza(const struct stanzas *s)
{
    static const char *const verbs[] = {"PrivateKey", "Decrypt", "Sign", "VerifyRecover"};
    const char *name = NULL, *padding = control(s, "rsa_padding_mode");
    int verb = -1;
    while (name == NULL && ++verb < 4) /* the verb need not come first */
        name = stanzas_get(s, verbs[verb]);
    const struct rsa_private *key = name != NULL ? key_named(name) : NULL;

    if (verb == 0)
        keep_key(name);
    else if (verb == 1) {
        assert_non_null(key);
        decrypt_stanza(s, key);
    } else if (key != NULL && padding != NULL && strcmp(padding, "none") == 0)
        raw_stanza(s, key, verb == 2);
    else
        skipped++;
}

static void openssl_file(void **state)
{
    (void)state;
    struct stanzas s;
    int more;
    if (stanzas_open(&s, OPENSSL) != 0)
        skip_absent(OPENSSL, "it comes with OpenSSL's source");
    while ((more = stanzas_next(&s)) == 1)
        stanza(&s);
    assert_int_equal(more, 0);
    stanzas_close(&s);
    for (int i = 0; i < key_count; i++)
        secret_free(keys[i].key);
    report(OPENSSL);
}

/* --- RSA Laboratories' form: "# Name:" lines, each before its lines of hex --- */

enum { MODULUS, PUBLIC, PRIVATE, P, Q, DP, DQ, COEFFICIENT, MESSAGE, ENCRYPTION, VALUES };

static const struct {
    const char *name;
    int value;
} labels[] = {{"Modulus", MODULUS},
              {"Public exponent", PUBLIC},
              {"Exponent", PRIVATE}, /* first the public one again */
              {"Private exponent", PRIVATE},
              {"Prime 1", P},
              {"Prime 2", Q},
              {"Prime exponent 1", DP},
              {"Prime exponent 2", DQ},
              {"Coefficient", COEFFICIENT},
              {"Message", MESSAGE},
              {"Message to be encrypted", MESSAGE},
              {"Encryption", ENCRYPTION},
              {"Ciphertext, the RSA encryption of EM", ENCRYPTION}};

struct labs {
    struct {
        uint8_t byte[RSA_MAX_LEN];
        size_t len;
    } value[VALUES];
    struct rsa_private *key;
    struct oaep oaep;
};

/* Which value a comment announces, or -1. */
static int announced(const char *name)
{
    size_t len = strcspn(name, ":");
    for (size_t i = 0; name[len] && i < sizeof labels / sizeof *labels; i++)
        if (strlen(labels[i].name) == len && strncmp(labels[i].name, name, len) == 0)
            return labels[i].value;
    return -1;
}

static struct bytes value_of(const struct labs *l, int which)
{
    return (struct bytes){l->value[which].byte, l->value[which].len};
}

/* What the file was waiting for: a whole key, or a whole answer. */
static void value_ended(struct labs *l, int which)
{
    if (which == COEFFICIENT) {
        struct rsa_fields f = {.n = value_of(l, MODULUS),
                               .d = value_of(l, PRIVATE),
                               .p = value_of(l, P),
                               .q = value_of(l, Q),
                               .dp = value_of(l, DP),
                               .dq = value_of(l, DQ),
                               .qinv = value_of(l, COEFFICIENT)};
        for (size_t i = 0; i < l->value[PUBLIC].len; i++)
            f.e = f.e << 8 | l->value[PUBLIC].byte[i];
        assert_null(rsa_private_init(l->key, &f, 1024));
    }
    if (which == ENCRYPTION)
        check_oaep(l->key, &l->oaep, l->value[ENCRYPTION].byte, l->value[ENCRYPTION].len,
                   l->value[MESSAGE].byte, l->value[MESSAGE].len);
}

static void comment(struct labs *l, const char *text)
{
    const char *alg = strstr(text, "alg="), *mgf1 = strstr(text, "mgf1=");
    if (alg != NULL && mgf1 != NULL)
        l->oaep = (struct oaep){ssl_hash(alg + 4), ssl_hash(mgf1 + 5), {"", 0}};
}

/* Appends a line of hex: pairs of digits with or without blanks; "10001" has an odd number. */
static void append(struct labs *l, int which, const char *line)
{
    char digits[2 * RSA_MAX_LEN + 2] = "";
    size_t len = 0;
    for (; *line; line++)
        if (isxdigit((unsigned char)*line) && len < sizeof digits - 2)
            digits[++len] = *line;
    digits[0] = '0';
    long got = value_bytes(l->value[which].byte + l->value[which].len,
                           RSA_MAX_LEN - l->value[which].len, digits + (len % 2 == 0));
    assert_true(got >= 0);
    l->value[which].len += (size_t)got;
}

static void labs_file(const char *path)
{
    static struct labs l;
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    int now = -1;
    assert_non_null(file);
    l.key = secret_alloc(sizeof *l.key);
    l.oaep = (struct oaep){ssl_hash("sha1"), NULL, {"", 0}};
    while (getline(&line, &size, file) >= 0) {
        if (line[0] != '#' && isxdigit((unsigned char)line[0])) {
            if (now >= 0)
                append(&l, now, line);
            continue;
        }
        if (now >= 0 && l.value[now].len > 0) {
            value_ended(&l, now);
            now = -1;
        }
        if (line[0] == '#' && line[1] == ' ') {
            comment(&l, line + 2);
            if ((now = announced(line + 2)) >= 0)
                l.value[now].len = 0;
        }
    }
    if (now >= 0)
        value_ended(&l, now);
    free(line);
    fclose(file);
    secret_free(l.key);
    report(path);
}

/* Every file of that pattern. */
static void labs_files(const char *pattern, size_t count)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        skip_absent(pattern, "Debian's python3-cryptography-vectors has it");
    assert_true(found.gl_pathc >= count);
    for (size_t i = 0; i < found.gl_pathc; i++)
        labs_file(found.gl_pathv[i]);
    globfree(&found);
}

static void rsa_laboratories(void **state)
{
    (void)state;
    labs_files(PYCA "pkcs-1v2-1d2-vec/oaep-*.txt", 2);
}

static void other_hashes(void **state)
{
    (void)state;
    labs_files(PYCA "oaep-custom/*.txt", 24);
}

/* A key in hex DER, a label. */
static void with_a_label(void **state)
{
    (void)state;
    static const char path[] = PYCA "oaep-label.txt";
    uint8_t der[4096], label[64], in[RSA_MAX_LEN], m[RSA_MAX_LEN];
    struct stanzas s;
    if (stanzas_open(&s, path) != 0)
        skip_absent(path, "Debian's python3-cryptography-vectors has it");
    while (stanzas_next(&s) == 1) {
        const uint8_t *p = der;
        EVP_PKEY *pkey = d2i_AutoPrivateKey(NULL, &p, (long)field(der, sizeof der, &s, "KEY"));
        assert_non_null(pkey);
        struct rsa_private *key = rsa_of_evp(pkey);
        struct oaep oaep = {ssl_hash(stanzas_get(&s, "OAEPDigest")),
                            NULL,
                            {label, field(label, sizeof label, &s, "OAEPLabel")}};
        size_t len = field(in, sizeof in, &s, "Input"), mlen = field(m, sizeof m, &s, "Output");
        check_oaep(key, &oaep, in, len, m, mlen);
        label[0] ^= 1;
        check_oaep(key, &oaep, in, len, NULL, mlen);
        secret_free(key);
        EVP_PKEY_free(pkey);
    }
    stanzas_close(&s);
    report(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openssl_file),
        cmocka_unit_test(rsa_laboratories),
        cmocka_unit_test(other_hashes),
        cmocka_unit_test(with_a_label),
    };
    return secret_init() != 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
