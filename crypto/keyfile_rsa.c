/* RSA keys in DER (RFC 8017 A.1). */
#include "keyfile.h"

static const struct tahr_error multi_prime = {
    TAHR_BAD_KEY, "this RSA key is not of version 0: one with more than two primes is not read",
    NULL};

void keyfile_set_exponent(struct key_fields *f, struct bytes e)
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
    keyfile_set_exponent(f, e);
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
    keyfile_set_exponent(f, e);
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
