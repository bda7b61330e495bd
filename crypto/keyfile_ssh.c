/* RSA keys as OpenSSH writes them: public key lines (RFC 4253 6.6), and private key files without a
 * passphrase (PROTOCOL.key of OpenSSH):
 *
 *     "openssh-key-v1" NUL, strings cipher, KDF, KDF options, u32 1, string public key, string:
 *         u32 check twice, strings "ssh-rsa", n, e, d, qinv, p, q (mpints), comment, 01 02 03 ...
 *
 * An mpint is what a DER INTEGER contains, but for zero. */
#include "keyfile.h"

static const struct bytes ssh_rsa = {"ssh-rsa", 7};

static const struct tahr_error bad_line = {
    TAHR_BAD_KEY, "the ssh-rsa line is not a whole, well-formed RSA key", NULL};
static const struct tahr_error bad_private = {
    TAHR_BAD_KEY, "the OpenSSH private key file is not whole and well-formed", NULL};
static const struct tahr_error encrypted = {
    TAHR_BAD_KEY, "this OpenSSH private key is protected by a passphrase, which is not read here",
    "take the passphrase off in a copy: ssh-keygen -p -N '' -f COPY"};

/* out = the bytes after a u32 length (RFC 4251 section 5).  Returns 0 or -1. */
static int take_string(struct bytes *out, struct bytes *in)
{
    uint32_t len;

    return bytes_uint(&len, in, 4) || bytes_take(out, in, len) ? -1 : 0;
}

static tahr_err from_wire(struct key_fields *f, struct bytes in)
{
    struct bytes type, e, n;
    tahr_err err;

    if (take_string(&type, &in) || take_string(&e, &in) || take_string(&n, &in) || in.len > 0 ||
        !bytes_equal(type, ssh_rsa))
        return &bad_line;
    if ((err = der_integer_body(&e, e)) || (err = der_integer_body(&f->rsa.n, n)))
        return err;
    keyfile_set_exponent(f, e);
    return NULL;
}

/* The text up to the next blank, which is skipped with those that follow it. */
static struct bytes next_word(struct bytes *line)
{
    const char *p = line->p;
    struct bytes word, blank;
    size_t len = 0;

    while (len < line->len && p[len] != ' ' && p[len] != '\t')
        len++;
    (void)bytes_take(&word, line, len); /* len <= line->len */
    while (bytes_begin(*line, " ") || bytes_begin(*line, "\t"))
        (void)bytes_take(&blank, line, 1); /* it is there */
    return word;
}

tahr_err keyfile_ssh(struct key_fields *f, struct bytes line)
{
    struct bytes type = next_word(&line), text = next_word(&line);
    size_t len;

    f->type = TAHR_RSA;
    f->is_private = 0;
    f->comment = line;
    if (!bytes_equal(type, ssh_rsa) ||
        base64_decode(f->room, KEY_WIRE_MAX, &len, text.p, text.len, 1))
        return &bad_line;
    return from_wire(f, (struct bytes){f->room, len});
}

/* Writes u32 length and the mpint of n: positive, so 00 stands before a top bit. */
static uint8_t *put_mpint(uint8_t *at, struct bytes n)
{
    size_t sign;

    n = bytes_trim(n);
    sign = n.len > 0 && *(const uint8_t *)n.p >= 0x80;
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)((n.len + sign) >> shift);
    if (sign)
        *at++ = 0;
    memcpy(at, n.p, n.len);
    return at + n.len;
}

size_t key_rsa_wire(uint8_t *out, const struct rsa_public *pub)
{
    uint8_t n[RSA_MAX_LEN], e[4];
    size_t len = (size_t)pub->n.n * LIMB_BYTES; /* at most RSA_MAX_LEN */
    uint8_t *at = out;

    for (int i = 0; i < 4; i++)
        e[i] = (uint8_t)(pub->e >> (24 - 8 * i));
    nat_to_bytes(n, len, pub->n.m, pub->n.n);
    memcpy(at, "\0\0\0\7ssh-rsa", 11);
    at = put_mpint(at + 11, (struct bytes){e, sizeof e});
    at = put_mpint(at, (struct bytes){n, len});
    return (size_t)(at - out);
}

void keyfile_put_ssh(char *text, const tahr_key *key)
{
    uint8_t wire[KEY_WIRE_MAX];
    size_t len = key_rsa_wire(wire, key_rsa_public(key));

    text += strlen(strcpy(text, "ssh-rsa "));
    base64_encode(text, wire, len, 1);
    if (key->comment[0] != '\0')
        strcat(strcat(text, " "), key->comment);
}

static const char magic[] = "openssh-key-v1"; /* its NUL counts */
static const struct bytes none = {"none", 4};
#define BLOCK 8 /* of the cipher "none" */

/* Why a private key of another type is not read. */
static tahr_err other_type(struct bytes type)
{
    if (bytes_begin(type, "ssh-ed25519"))
        return &keyfile_ed25519;
    if (bytes_begin(type, "ssh-dss"))
        return &keyfile_dsa;
    return bytes_begin(type, "ecdsa-") || bytes_begin(type, "sk-") ? &keyfile_ecdsa : &bad_private;
}

/* in = the strings public and secret of a file. */
static tahr_err open_file(struct bytes *public, struct bytes *secret, struct bytes in)
{
    struct bytes start, cipher, kdf, options;
    uint32_t count;

    if (bytes_take(&start, &in, sizeof magic) ||
        !bytes_equal(start, (struct bytes){magic, sizeof magic}) || take_string(&cipher, &in) ||
        take_string(&kdf, &in) || take_string(&options, &in) || bytes_uint(&count, &in, 4))
        return &bad_private;
    if (!bytes_equal(cipher, none))
        return &encrypted;
    if (!bytes_equal(kdf, none) || options.len > 0 || count != 1 || take_string(public, &in) ||
        take_string(secret, &in) || in.len > 0)
        return &bad_private;
    return NULL;
}

static int take_mpint(struct bytes *n, struct bytes *in)
{
    struct bytes body;

    return take_string(&body, in) || der_integer_body(n, body) ? -1 : 0;
}

/* Up to a whole block, and 01 02 03 ... */
static int padding_fits(struct bytes rest, size_t total)
{
    const uint8_t *p = rest.p;

    for (size_t i = 0; i < rest.len; i++)
        if (p[i] != i + 1)
            return 0;
    return rest.len < BLOCK && total % BLOCK == 0;
}

static tahr_err read_secret(struct key_fields *f, struct bytes in)
{
    struct rsa_fields *r = &f->rsa;
    struct bytes *const numbers[] = {&r->d, &r->qinv, &r->p, &r->q};
    struct bytes type, e;
    size_t total = in.len;
    uint32_t check[2];

    if (bytes_uint(&check[0], &in, 4) || bytes_uint(&check[1], &in, 4) || check[0] != check[1] ||
        take_string(&type, &in))
        return &bad_private;
    if (!bytes_equal(type, ssh_rsa))
        return other_type(type);
    if (take_mpint(&r->n, &in) || take_mpint(&e, &in))
        return &bad_private;
    keyfile_set_exponent(f, e);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (take_mpint(numbers[i], &in))
            return &bad_private;
    if (take_string(&f->comment, &in) || !padding_fits(in, total))
        return &bad_private;
    return NULL;
}

tahr_err keyfile_openssh(struct key_fields *f, struct bytes file)
{
    struct bytes public, secret, n, e;
    tahr_err err;

    if ((err = open_file(&public, &secret, file)))
        return err;
    if ((err = read_secret(f, secret)))
        return err;
    n = f->rsa.n;
    e = f->e;
    if (from_wire(f, public) || !bytes_equal(n, f->rsa.n) || !bytes_equal(e, f->e))
        return &bad_private;
    f->type = TAHR_RSA;
    f->is_private = 1;
    return NULL;
}

/* Puts the length of all that was put since p was `end` before it. */
static void wrap_string(struct der_out *out, const uint8_t *end)
{
    size_t len = (size_t)(end - out->p);
    const uint8_t u32[4] = {0, 0, (uint8_t)(len >> 8), (uint8_t)len}; /* < KEYFILE_DER_MAX */

    der_put_bytes(out, u32, 4);
}

static void put_string(struct der_out *out, struct bytes text)
{
    const uint8_t *end = out->p;

    der_put_bytes(out, text.p, text.len);
    wrap_string(out, end);
}

static void put_secret_mpint(struct der_out *out, const limb_t *a, int n)
{
    uint8_t buf[DER_INTEGER_MAX + 8]; /* tag, length, sign: 5 bytes at most */
    struct der_out integer;
    struct bytes in, body = {NULL, 0};

    der_out_init(&integer, buf, sizeof buf);
    der_put_nat(&integer, a, n);
    if (der_out_end(&in, &integer) || der_enter(&body, &in, DER_INTEGER))
        out->full = 1;
    put_string(out, body);
    secret_wipe(buf, sizeof buf);
}

static void put_secret(struct der_out *out, const tahr_key *key, size_t padding)
{
    static const uint8_t pad[BLOCK] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t check[8]; /* only a passphrase could be wrong */
    const struct rsa_private *rsa = &key->u.rsa;
    limb_t e[LIMBS_OF_BITS(32)];

    nat_set_word(e, LIMBS_OF_BITS(32), rsa->pub.e);
    der_put_bytes(out, pad, padding);
    put_string(out, (struct bytes){key->comment, strlen(key->comment)});
    put_secret_mpint(out, rsa->q.m, rsa->q.n);
    put_secret_mpint(out, rsa->p.m, rsa->p.n);
    put_secret_mpint(out, rsa->qinv, rsa->p.n);
    put_secret_mpint(out, rsa->d, rsa->pub.n.n);
    put_secret_mpint(out, e, LIMBS_OF_BITS(32));
    put_secret_mpint(out, rsa->pub.n.m, rsa->pub.n.n);
    put_string(out, ssh_rsa);
    der_put_bytes(out, check, sizeof check);
}

void keyfile_put_openssh(struct der_out *out, const tahr_key *key)
{
    uint8_t wire[KEY_WIRE_MAX];
    struct bytes public = {wire, key_rsa_wire(wire, &key->u.rsa.pub)};
    uint8_t *end = out->p;

    put_secret(out, key, 0); /* to know its length */
    size_t len = (size_t)(end - out->p);
    out->p = end;
    put_secret(out, key, (BLOCK - len % BLOCK) % BLOCK);
    wrap_string(out, end);
    put_string(out, public);
    der_put_bytes(out, "\0\0\0\1", 4);
    put_string(out, (struct bytes){NULL, 0});
    put_string(out, none);
    put_string(out, none);
    der_put_bytes(out, magic, sizeof magic);
}
