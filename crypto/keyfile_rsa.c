/* RSA keys in DER (RFC 8017 A.1) and on OpenSSH's public key lines (RFC 4253 6.6). */
#include "keyfile.h"

static const struct tahr_error multi_prime = {
    TAHR_BAD_KEY, "this RSA key is not of version 0: one with more than two primes is not read",
    NULL};
static const struct tahr_error bad_line = {
    TAHR_BAD_KEY, "the ssh-rsa line is not a whole, well-formed RSA key", NULL};

/* *e = the exponent; one that does not fit becomes 2^32 - 1, which rsa_public_init refuses. */
static void exponent(uint32_t *e, struct bytes n)
{
    if (n.len > 4 || bytes_uint(e, &n, n.len))
        *e = UINT32_MAX;
}

tahr_err keyfile_rsa_private(tahr_key *key, struct bytes der)
{
    struct rsa_fields f;
    struct bytes *const numbers[] = {&f.d, &f.p, &f.q, &f.dp, &f.dq, &f.qinv};
    struct bytes in, e;
    tahr_err err;

    key->type = TAHR_RSA;
    key->is_private = 1;
    if ((err = der_enter(&in, &der, DER_SEQUENCE)) || (err = der_end(der)) ||
        (err = der_version(&in, 0, &multi_prime)) || (err = der_integer(&f.n, &in)) ||
        (err = der_integer(&e, &in)))
        return err;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if ((err = der_integer(numbers[i], &in)))
            return err;
    if ((err = der_end(in)))
        return err;
    exponent(&f.e, e);
    return rsa_private_init(&key->u.rsa, &f, RSA_MIN_BITS);
}

tahr_err keyfile_rsa_public(tahr_key *key, struct bytes der)
{
    struct bytes in, n, e;
    uint32_t v;
    tahr_err err;

    key->type = TAHR_RSA;
    key->is_private = 0;
    if ((err = der_enter(&in, &der, DER_SEQUENCE)) || (err = der_end(der)) ||
        (err = der_integer(&n, &in)) || (err = der_integer(&e, &in)) || (err = der_end(in)))
        return err;
    exponent(&v, e);
    return rsa_public_init(&key->u.rsa_public, n.p, n.len, v, RSA_MIN_BITS);
}

void keyfile_put_rsa_private(struct der_out *out, const struct rsa_private *rsa)
{
    const uint8_t *end = out->p;

    der_put_nat(out, rsa->qinv, rsa->p.n);
    der_put_nat(out, rsa->dq, rsa->q.n);
    der_put_nat(out, rsa->dp, rsa->p.n);
    der_put_nat(out, rsa->q.m, rsa->q.n);
    der_put_nat(out, rsa->p.m, rsa->p.n);
    der_put_nat(out, rsa->d, rsa->pub.n.n);
    der_put_uint(out, rsa->pub.e);
    der_put_nat(out, rsa->pub.n.m, rsa->pub.n.n);
    der_put_uint(out, 0); /* the version of a key of two primes */
    der_wrap(out, DER_SEQUENCE, end);
}

void keyfile_put_rsa_public(struct der_out *out, const struct rsa_public *rsa)
{
    const uint8_t *end = out->p;

    der_put_uint(out, rsa->e);
    der_put_nat(out, rsa->n.m, rsa->n.n);
    der_wrap(out, DER_SEQUENCE, end);
}

/* out = u32 length, b. */
static tahr_err wire_string(struct bytes *out, struct bytes *in)
{
    uint32_t len;

    return bytes_uint(&len, in, 4) || bytes_take(out, in, len) ? &bad_line : NULL;
}

static tahr_err from_wire(tahr_key *key, struct bytes in)
{
    struct bytes type, e, n;
    uint32_t v;
    tahr_err err;

    if ((err = wire_string(&type, &in)) || (err = wire_string(&e, &in)) ||
        (err = wire_string(&n, &in)))
        return err;
    if (in.len > 0 || !bytes_equal(type, (struct bytes){"ssh-rsa", 7}))
        return &bad_line;
    if ((err = der_integer_body(&e, e)) || (err = der_integer_body(&n, n)))
        return err;
    exponent(&v, e);
    return rsa_public_init(&key->u.rsa_public, n.p, n.len, v, RSA_MIN_BITS);
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

tahr_err keyfile_ssh(tahr_key *key, struct bytes line)
{
    uint8_t wire[KEY_WIRE_MAX];
    struct bytes type = next_word(&line), text = next_word(&line);
    size_t len;

    key->type = TAHR_RSA;
    key->is_private = 0;
    if (!bytes_equal(type, (struct bytes){"ssh-rsa", 7}) ||
        base64_decode(wire, sizeof wire, &len, text.p, text.len, 1))
        return &bad_line;
    key_set_comment(key, line);
    return from_wire(key, (struct bytes){wire, len});
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
