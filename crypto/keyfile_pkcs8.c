/* PKCS #8 private keys (RFC 5208) and SubjectPublicKeyInfo (RFC 5280 4.1): both name an algorithm,
 * give its parameters, and wrap the key itself.
 *
 *     PrivateKeyInfo        SEQUENCE { INTEGER 0, algorithm, OCTET STRING, [0] OPTIONAL }
 *     SubjectPublicKeyInfo  SEQUENCE { algorithm, BIT STRING }
 *     algorithm             SEQUENCE { OID, parameters }
 */
#include "keyfile.h"

static const struct tahr_error bad_version = {
    TAHR_BAD_KEY, "the PKCS #8 key is of a version that is not read", NULL};
static const struct tahr_error bad_parameters = {
    TAHR_BAD_KEY, "the RSA key's algorithm has parameters other than NULL, or none", NULL};
static const struct tahr_error unknown = {
    TAHR_BAD_KEY, "this key is of an algorithm that is not read here", "use an RSA or ElGamal key"};
static const struct tahr_error signing = {
    TAHR_BAD_KEY, "this RSA key is bound to PSS or OAEP parameters, which is not read here",
    "use an RSA key without such a bond"};

static tahr_err rsa_parameters(struct bytes params)
{
    struct bytes body;

    if (der_enter(&body, &params, DER_NULL) || body.len > 0 || params.len > 0)
        return &bad_parameters;
    return NULL;
}

static tahr_err rsa_private(struct key_fields *f, struct bytes params, struct bytes body)
{
    tahr_err err = rsa_parameters(params);

    return err ? err : keyfile_rsa_private(f, body);
}

static tahr_err rsa_public(struct key_fields *f, struct bytes params, struct bytes body)
{
    tahr_err err = rsa_parameters(params);

    return err ? err : keyfile_rsa_public(f, body);
}

static tahr_err elgamal_private(struct key_fields *f, struct bytes params, struct bytes body)
{
    return keyfile_elgamal_private(f, params, 0, body);
}

static tahr_err elgamal_public(struct key_fields *f, struct bytes params, struct bytes body)
{
    return keyfile_elgamal_public(f, params, 0, body);
}

static tahr_err pkcs3_private(struct key_fields *f, struct bytes params, struct bytes body)
{
    return keyfile_elgamal_private(f, params, 1, body);
}

static tahr_err pkcs3_public(struct key_fields *f, struct bytes params, struct bytes body)
{
    return keyfile_elgamal_public(f, params, 1, body);
}

typedef tahr_err reader(struct key_fields *f, struct bytes params, struct bytes body);

struct algorithm {
    struct bytes oid;
    reader *private, *public;
    tahr_err refusal; /* instead of readers */
};

#define OID(text)                                                                                  \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

/* The rows that are written. */
enum { RSA, X942, PKCS3, OIW, BOTAN };

static const struct algorithm algorithms[] = {
    /* 1.2.840.113549.1.1.1, rsaEncryption */
    [RSA] = {OID("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"), rsa_private, rsa_public, NULL},
    /* 1.2.840.10046.2.1, X9.42 dhpublicnumber */
    [X942] = {OID("\x2a\x86\x48\xce\x3e\x02\x01"), elgamal_private, elgamal_public, NULL},
    /* 1.2.840.113549.1.3.1, PKCS #3 dhKeyAgreement */
    [PKCS3] = {OID("\x2a\x86\x48\x86\xf7\x0d\x01\x03\x01"), pkcs3_private, pkcs3_public, NULL},
    /* 1.3.14.7.2.1.1, OIW elGamal */
    [OIW] = {OID("\x2b\x0e\x07\x02\x01\x01"), elgamal_private, elgamal_public, NULL},
    /* 1.3.6.1.4.1.3029.1.2.1, Cryptlib's elGamal, which Botan uses */
    [BOTAN] = {OID("\x2b\x06\x01\x04\x01\x97\x55\x01\x02\x01"), elgamal_private, elgamal_public,
               NULL},
    /* 1.2.840.113549.1.1.10 and .7, RSASSA-PSS and RSAES-OAEP */
    {OID("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a"), NULL, NULL, &signing},
    {OID("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x07"), NULL, NULL, &signing},
    /* 1.2.840.10045.2.1, ecPublicKey; 1.3.101.110 to 113, X25519, X448, Ed25519, Ed448 */
    {OID("\x2a\x86\x48\xce\x3d\x02\x01"), NULL, NULL, &keyfile_elliptic},
    {OID("\x2b\x65\x6e"), NULL, NULL, &keyfile_elliptic},
    {OID("\x2b\x65\x6f"), NULL, NULL, &keyfile_elliptic},
    {OID("\x2b\x65\x70"), NULL, NULL, &keyfile_elliptic},
    {OID("\x2b\x65\x71"), NULL, NULL, &keyfile_elliptic},
    /* 1.2.840.10040.4.1, id-dsa */
    {OID("\x2a\x86\x48\xce\x38\x04\x01"), NULL, NULL, &keyfile_dsa},
};

/* *row = the algorithm and params = its parameters. */
static tahr_err read_algorithm(const struct algorithm **row, struct bytes *params, struct bytes *in)
{
    struct bytes oid;
    tahr_err err;

    if ((err = der_enter(params, in, DER_SEQUENCE)) || (err = der_enter(&oid, params, DER_OID)))
        return err;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        *row = &algorithms[i];
        if (bytes_equal(oid, (*row)->oid))
            return (*row)->refusal;
    }
    return &unknown;
}

/* SEQUENCE { OID, SET OF value } each (RFC 5208 section 5, RFC 5652 5.3); none is used. */
static tahr_err skip_attributes(struct bytes in)
{
    struct bytes attribute, oid, values, value;
    tahr_err err = NULL;

    while (err == NULL && in.len > 0)
        if (!(err = der_enter(&attribute, &in, DER_SEQUENCE)) &&
            !(err = der_enter(&oid, &attribute, DER_OID)) &&
            !(err = der_enter(&values, &attribute, DER_SET)) && !(err = der_end(attribute)))
            while (err == NULL && values.len > 0)
                err = der_enter(&value, &values, der_tag(values));
    return err;
}

tahr_err keyfile_pkcs8(struct key_fields *f, struct bytes der)
{
    const struct algorithm *row;
    struct bytes in, params, body, attributes;
    tahr_err err;

    if ((err = der_enter(&in, &der, DER_SEQUENCE)) || (err = der_end(der)) ||
        (err = der_version(&in, 0, &bad_version)) || (err = read_algorithm(&row, &params, &in)) ||
        (err = der_enter(&body, &in, DER_OCTET_STRING)))
        return err;
    if (der_tag(in) == DER_ATTRIBUTES && ((err = der_enter(&attributes, &in, DER_ATTRIBUTES)) ||
                                          (err = skip_attributes(attributes))))
        return err;
    if ((err = der_end(in)))
        return err;
    return row->private(f, params, body);
}

tahr_err keyfile_spki(struct key_fields *f, struct bytes der)
{
    const struct algorithm *row;
    struct bytes in, params, body;
    tahr_err err;

    if ((err = der_enter(&in, &der, DER_SEQUENCE)) || (err = der_end(der)) ||
        (err = read_algorithm(&row, &params, &in)) || (err = der_bit_string(&body, &in)) ||
        (err = der_end(in)))
        return err;
    return row->public(f, params, body);
}

static int row_of(const tahr_key *key, enum tahr_format format)
{
    if (key->type == TAHR_RSA)
        return RSA;
    switch (format) {
    case TAHR_PKCS3:
        return PKCS3;
    case TAHR_OIW:
        return OIW;
    case TAHR_BOTAN:
        return BOTAN;
    default:
        return X942;
    }
}

/* PKCS #3 has no q; under OIW's name there are readers who take three numbers for p, q, g. */
static void put_algorithm(struct der_out *out, const tahr_key *key, enum tahr_format format)
{
    int row = row_of(key, format);
    const uint8_t *end = out->p, *oid_end;

    if (row == RSA)
        der_wrap(out, DER_NULL, out->p);
    else
        keyfile_put_group(out, &key_elgamal_public(key)->group, row == X942 || row == BOTAN);
    oid_end = out->p;
    der_put_bytes(out, algorithms[row].oid.p, algorithms[row].oid.len);
    der_wrap(out, DER_OID, oid_end);
    der_wrap(out, DER_SEQUENCE, end);
}

void keyfile_put_pkcs8(struct der_out *out, const tahr_key *key, enum tahr_format format)
{
    const uint8_t *end = out->p;

    if (key->type == TAHR_RSA)
        keyfile_put_rsa_private(out, &key->u.rsa);
    else
        der_put_nat(out, key->u.elgamal.x, key->u.elgamal.pub.group.p.n);
    der_wrap(out, DER_OCTET_STRING, end);
    put_algorithm(out, key, format);
    der_put_uint(out, 0); /* version */
    der_wrap(out, DER_SEQUENCE, end);
}

void keyfile_put_spki(struct der_out *out, const tahr_key *key, enum tahr_format format)
{
    const uint8_t *end = out->p;

    if (key->type == TAHR_RSA)
        keyfile_put_rsa_public(out, key_rsa_public(key));
    else
        der_put_nat(out, key_elgamal_public(key)->y, key_elgamal_public(key)->group.p.n);
    der_put_bytes(out, "\0", 1); /* no bit is unused */
    der_wrap(out, DER_BIT_STRING, end);
    put_algorithm(out, key, format);
    der_wrap(out, DER_SEQUENCE, end);
}
