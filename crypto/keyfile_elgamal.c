/* ElGamal keys in DER and in the payloads of age strings (formats 1.2). */
#include "keyfile.h"

static const struct tahr_error not_safe = {
    TAHR_BAD_KEY, "this key's group is not that of a safe prime: q is not (p - 1)/2",
    "ElGamal keys in DSA-type or Lim-Lee groups are not safe for encryption (CCS 2021); make a new "
    "key"};
static const struct tahr_error y_too_large = {
    TAHR_BAD_KEY, "the ElGamal public key is not valid: y is larger than p", NULL};
static const struct tahr_error bad_payload = {TAHR_BAD_KEY,
                                              "the age string does not hold a whole key", NULL};
static const struct tahr_error unknown_group = {
    TAHR_BAD_KEY, "the age string names a group that is not known here", NULL};
static const struct tahr_error not_canonical = {
    TAHR_BAD_KEY, "the age string is not in the one form that its key has", NULL};

/* Is q = (p - 1)/2, for odd p?  Both without leading zeros. */
static int is_half(struct bytes q, struct bytes p)
{
    uint8_t half[DER_INTEGER_MAX];
    const uint8_t *in = p.p;
    unsigned carry = 0;

    for (size_t i = 0; i < p.len; i++) {
        half[i] = (uint8_t)(carry << 7 | in[i] >> 1);
        carry = in[i] & 1;
    }
    return carry == 1 && bytes_equal(q, bytes_trim((struct bytes){half, p.len}));
}

/* What may follow p, g, q in X9.42: j, then the seed and counter that p came from.  They prove
 * nothing that is not checked here. */
static tahr_err skip_validation(struct bytes *in)
{
    struct bytes body;
    tahr_err err = NULL;

    if (der_tag(*in) == DER_INTEGER)
        err = der_integer(&body, in);
    if (err == NULL && der_tag(*in) == DER_SEQUENCE)
        err = der_enter(&body, in, DER_SEQUENCE);
    return err;
}

static tahr_err read_params(struct elgamal_fields *f, struct bytes params, int pkcs3)
{
    struct bytes in, third;
    tahr_err err;

    f->id = -1;
    if ((err = der_enter(&in, &params, DER_SEQUENCE)) || (err = der_end(params)) ||
        (err = der_integer(&f->p, &in)) || (err = der_integer(&f->g, &in)))
        return err;
    if (in.len > 0) {
        if ((err = der_integer(&third, &in)) || (!pkcs3 && (err = skip_validation(&in))))
            return err;
        if (!pkcs3 && is_half(f->g, f->p))
            f->g = third; /* it was q */
        else if (!pkcs3 && !is_half(third, f->p))
            f->q = third;
    }
    return der_end(in);
}

tahr_err keyfile_elgamal_private(struct key_fields *f, struct bytes params, int pkcs3,
                                 struct bytes der)
{
    tahr_err err;

    f->type = TAHR_ELGAMAL;
    f->is_private = 1;
    if ((err = der_integer(&f->elgamal.x, &der)) || (err = der_end(der)))
        return err;
    return read_params(&f->elgamal, params, pkcs3);
}

tahr_err keyfile_elgamal_public(struct key_fields *f, struct bytes params, int pkcs3,
                                struct bytes der)
{
    tahr_err err;

    f->type = TAHR_ELGAMAL;
    f->is_private = 0;
    if ((err = der_integer(&f->elgamal.y, &der)) || (err = der_end(der)))
        return err;
    return read_params(&f->elgamal, params, pkcs3);
}

/* q = (p - 1)/2, from p = 2 q + 1. */
static void put_order(struct der_out *out, const struct mod *p)
{
    limb_t q[NAT_MAX];

    nat_shr(q, p->m, 1, p->n);
    der_put_nat(out, q, p->n);
}

void keyfile_put_group(struct der_out *out, const struct group *group, int with_q)
{
    const uint8_t *end = out->p;

    if (with_q)
        put_order(out, &group->p);
    der_put_nat(out, group->g, group->p.n);
    der_put_nat(out, group->p.m, group->p.n);
    der_wrap(out, DER_SEQUENCE, end);
}

static uint8_t *put_u16(uint8_t *at, size_t v)
{
    *at++ = (uint8_t)(v >> 8);
    *at++ = (uint8_t)v;
    return at;
}

/* u16 length and the n bytes of a without leading zeros; a is public. */
static uint8_t *put_number(uint8_t *at, const limb_t *a, const struct group *group)
{
    uint8_t buf[ELGAMAL_MAX_LEN];
    struct bytes b = {buf, group_len(group)};

    nat_to_bytes(buf, b.len, a, group->p.n);
    b = bytes_trim(b);
    at = put_u16(at, b.len);
    memcpy(at, b.p, b.len);
    return at + b.len;
}

/* The id, and p and g of an explicit group. */
static uint8_t *put_block(uint8_t *at, const struct group *group)
{
    *at++ = group->id;
    if (group->id != 0)
        return at;
    at = put_number(at, group->p.m, group);
    return put_number(at, group->g, group);
}

/* *b = u16 length and so many bytes, the first of them not zero. */
static tahr_err take_number(struct bytes *b, struct bytes *in)
{
    uint32_t len;

    if (bytes_uint(&len, in, 2) || bytes_take(b, in, len))
        return &bad_payload;
    return b->len > 0 && bytes_trim(*b).len == b->len ? NULL : &not_canonical;
}

static tahr_err read_block(struct elgamal_fields *f, struct bytes *in)
{
    uint32_t id;
    tahr_err err = NULL;

    if (bytes_uint(&id, in, 1))
        return &bad_payload;
    f->id = (int)id;
    if (id == 0 && (err = take_number(&f->p, in)) == NULL)
        err = take_number(&f->g, in);
    return err;
}

size_t key_elgamal_payload(uint8_t *out, const struct elgamal_public *pub)
{
    uint8_t *at = put_block(out, &pub->group);
    size_t n = group_len(&pub->group);

    nat_to_bytes(at, n, pub->y, pub->group.p.n);
    return (size_t)(at - out) + n;
}

tahr_err keyfile_recipient(struct key_fields *f, struct bytes payload)
{
    tahr_err err;

    f->type = TAHR_ELGAMAL;
    f->is_private = 0;
    if ((err = read_block(&f->elgamal, &payload)))
        return err;
    f->elgamal.y = payload;
    return NULL;
}

/* Bytes of x in its two forms: L/8, or those of q for an imported one that is longer. */
static size_t short_len(const struct group *group)
{
    return (size_t)group->xbits / 8;
}

static size_t long_len(const struct group *group)
{
    return (size_t)(group->p.bits - 1 + 7) / 8;
}

/* Does x, of long_len bytes, need more than short_len? */
static int needs_long(const uint8_t *x, const struct group *group)
{
    uint8_t high = 0;

    for (size_t i = 0; i < long_len(group) - short_len(group); i++)
        high |= x[i];
    high = high != 0;
    declassify_bytes(&high, 1); /* which of the two forms is right is public: it is its length */
    return high;
}

size_t keyfile_put_identity(uint8_t *payload, const struct elgamal_private *elgamal)
{
    const struct group *group = &elgamal->pub.group;
    size_t len = elgamal->xbits == group->xbits ? short_len(group) : long_len(group);
    uint8_t *at = put_u16(put_block(payload, group), len);

    nat_to_bytes(at, len, elgamal->x, group->p.n);
    return (size_t)(at - payload) + len;
}

tahr_err keyfile_identity(struct key_fields *f, struct bytes payload)
{
    uint32_t len;
    tahr_err err;

    f->type = TAHR_ELGAMAL;
    f->is_private = 1;
    if ((err = read_block(&f->elgamal, &payload)))
        return err;
    if (bytes_uint(&len, &payload, 2) || payload.len != len)
        return &bad_payload;
    f->elgamal.x = payload;
    return NULL;
}

static tahr_err make_group(struct group *group, const struct elgamal_fields *f)
{
    tahr_err err;

    if (f->q.p != NULL)
        return &not_safe;
    if (f->id > 0)
        return group_by_id(group, (uint8_t)f->id) ? &unknown_group : NULL;
    if ((err = group_explicit(group, f->p.p, f->p.len, f->g.p, f->g.len)))
        return err;
    return f->id < 0 || group->id == 0 ? NULL : &not_canonical; /* a named group goes by its id */
}

static tahr_err make_private(struct elgamal_private *key, const struct elgamal_fields *f)
{
    const struct group *group = &key->pub.group;
    size_t len = f->x.len;

    if (f->id >= 0 && len != short_len(group) &&
        (len != long_len(group) || !needs_long(f->x.p, group)))
        return &not_canonical;
    return elgamal_private_init(key, f->x.p, len, NULL, 0);
}

/* An INTEGER y has lost its leading zeros. */
static tahr_err make_public(struct elgamal_public *pub, const struct elgamal_fields *f)
{
    uint8_t element[ELGAMAL_MAX_LEN] = {0};
    size_t n = group_len(&pub->group), len = f->y.len;

    if (f->id >= 0)
        return len == n ? elgamal_public_init(pub, f->y.p, n) : &bad_payload;
    if (len > n)
        return &y_too_large;
    memcpy(element + n - len, f->y.p, len);
    return elgamal_public_init(pub, element, n);
}

tahr_err keyfile_elgamal_key(tahr_key *key, const struct key_fields *f)
{
    const struct elgamal_fields *e = &f->elgamal;
    tahr_err err;

    if (f->is_private)
        return (err = make_group(&key->u.elgamal.pub.group, e)) ? err
                                                                : make_private(&key->u.elgamal, e);
    return (err = make_group(&key->u.elgamal_public.group, e))
               ? err
               : make_public(&key->u.elgamal_public, e);
}
