/* What is wrong with a key, beyond what reading it has to know: the auditor. */
#include "keyfile.h"
#include "prime.h"

static const struct tahr_error bad_key = {TAHR_BAD_KEY, "the key did not pass its check", NULL};

/* Where findings go, and how many there were. */
struct audit {
    void (*found)(void *context, const char *line);
    void *context;
    int findings;
};

static void report(struct audit *audit, const char *line)
{
    audit->findings++;
    if (audit->found != NULL)
        audit->found(audit->context, line);
}

/* *copy = the key written and read again: reading checks structure, sizes, and that the numbers fit
 * each other, validates an explicit group, and computes y anew. */
static tahr_err reread(tahr_key *copy, const tahr_key *key)
{
    uint8_t *buf = secret_alloc(KEYFILE_DER_MAX);
    struct der_out out;
    struct bytes der;
    tahr_err err;

    struct key_fields *f = secret_alloc(sizeof *f);

    if (buf == NULL || f == NULL) {
        secret_free(buf);
        secret_free(f);
        return &keyfile_no_memory;
    }
    der_out_init(&out, buf, KEYFILE_DER_MAX);
    if (key->is_private)
        keyfile_put_pkcs8(&out, key, TAHR_PEM);
    else
        keyfile_put_spki(&out, key, TAHR_PEM);
    err = der_out_end(&der, &out);
    if (err == NULL)
        err = key->is_private ? keyfile_pkcs8(f, der) : keyfile_spki(f, der);
    if (err == NULL)
        err = keyfile_key(copy, f);
    secret_free(f);
    secret_free(buf);
    return err;
}

static void check_rsa(struct audit *audit, const tahr_key *key)
{
    const struct mod *n = &key_rsa_public(key)->n;
    const struct rsa_private *rsa = &key->u.rsa;
    int smaller;

    if (!key->is_private) {
        if (prime_check_vartime(n->m, n->n, 1))
            report(audit, "n is prime, so that anybody can decrypt");
        return;
    }
    smaller = rsa->p.bits < rsa->q.bits ? rsa->p.bits : rsa->q.bits;
    if (smaller < n->bits / 4)
        report(audit, "p and q are of so different sizes that the smaller one can be found");
    if (!rsa_primes_check(rsa))
        report(audit, "p or q is not prime");
}

static void check_elgamal(struct audit *audit, const tahr_key *key, const tahr_key *copy)
{
    const struct elgamal_public *pub = key_elgamal_public(key), *again = key_elgamal_public(copy);

    if (!declassify(nat_eq(pub->y, again->y, pub->group.p.n))) /* y is public */
        report(audit, "y is not g^x");
}

tahr_err tahr_key_check(const tahr_key *key, void (*found)(void *context, const char *line),
                        void *context)
{
    struct audit audit = {found, context, 0};
    tahr_key *copy;
    tahr_err err;

    /* any k is good, and reading refuses any u that is not; a passphrase is what it is */
    if (key->type == TAHR_X25519 || key->type == TAHR_PASSPHRASE)
        return NULL;
    copy = key_alloc(key->type, key->is_private);
    err = copy ? reread(copy, key) : &keyfile_no_memory;
    if (err != NULL && err->code != TAHR_BAD_KEY)
        goto done;
    if (err != NULL)
        report(&audit, err->text);
    else if (key->type == TAHR_RSA)
        check_rsa(&audit, key);
    else
        check_elgamal(&audit, key, copy);
    err = audit.findings > 0 ? &bad_key : NULL;
done:
    tahr_key_free(copy);
    return err;
}
