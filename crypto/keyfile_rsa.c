/* RSA keys in DER (RFC 8017 A.1) and on OpenSSH's public key lines (RFC 4253 6.6). */
#include "keyfile.h"

static const struct tahr_error multi_prime = {
    TAHR_BAD_KEY, "this RSA key is not of version 0: one with more than two primes is not read",
    NULL};
static const struct tahr_error bad_line = {
    TAHR_BAD_KEY, "the ssh-rsa line is not a whole, well-formed RSA key", NULL};

/* An exponent that does not fit becomes 2^32 - 1, which rsa_public_init refuses. */
static void set_exponent(struct key_fields *f, struct bytes e)
{
    f->e = e;
    if (e.len > 4 || bytes_uint(&f->rsa.e, &e, e.len))
        f->rsa.e = UINT32_MAX;
}

tahr_err keyfile_rsa_key(tahr_key *key, const struct key_fields *f)
{
    if (f->is_private)
        return rsa_private_init(&key->u.rsa, &f->rsa, RSA_MIN_BITS);
    return rsa_public_init(&key->u.rsa_public, f->rsa.n.p, f->rsa.n.len, f->rsa.e, RSA_MIN_BITS);
}

tahr_err keyfile_rsa_private(struct key_fields *f, struct bytes der)
{
    struct rsa_fields *r = &f->rsa;
    struct bytes *const numbers[] = {&r->d, &r->p, &r->q, &r->dp, &r->dq, &r->qinv};
    struct bytes in, e;
    tahr_err err;

    f->type = TAHR_RSA;
    f->is_private = 1;
    if ((err = der_enter(&in, &der, DER_SEQUENCE)) || (err = der_end(der)) ||
        (err = der_version(&in, 0, &multi_prime)) || (err = der_integer(&r->n, &in)) ||
        (err = der_integer(&e, &in)))
        return err;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if ((err = der_integer(numbers[i], &in)))
            return err;
    set_exponent(f, e);
    return der_end(in);
}

tahr_err keyfile_rsa_public(struct key_fields *f, struct bytes der)
{
    struct bytes in, e;
    tahr_err err;

    f->type = TAHR_RSA;
    f->is_private = 0;
    if ((err = der_enter(&in, &der, DER_SEQUENCE)) || (err = der_end(der)) ||
        (err = der_integer(&f->rsa.n, &in)) || (err = der_integer(&e, &in)))
        return err;
    set_exponent(f, e);
    return der_end(in);
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

static tahr_err from_wire(struct key_fields *f, struct bytes in)
{
    struct bytes type, e, n;
    tahr_err err;

    if ((err = wire_string(&type, &in)) || (err = wire_string(&e, &in)) ||
        (err = wire_string(&n, &in)))
        return err;
    if (in.len > 0 || !bytes_equal(type, (struct bytes){"ssh-rsa", 7}))
        return &bad_line;
    if ((err = der_integer_body(&e, e)) || (err = der_integer_body(&f->rsa.n, n)))
        return err;
    set_exponent(f, e);
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
    if (!bytes_equal(type, (struct bytes){"ssh-rsa", 7}) ||
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
