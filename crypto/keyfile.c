/* Reading key files: what each line, PEM block or DER file is, and what to say of what is no key.
 *
 * Text is read in one pass, line by line; a table tells by a line's first characters, or a PEM
 * block's label, which reader takes it or why none does. */
#include "keyfile.h"
#include "pem.h"

#include <stdlib.h>

#define USE_RSA_OR_ELGAMAL "use an RSA or ElGamal key"

static const struct tahr_error empty = {TAHR_BAD_KEY, "there is no key in the file", NULL};
static const struct tahr_error not_text = {
    TAHR_BAD_KEY, "the key file has NUL bytes: it is neither text nor a DER key", NULL};
static const struct tahr_error utf16 = {TAHR_BAD_KEY, "the key file is UTF-16 text",
                                        "save it as UTF-8 or ASCII"};
static const struct tahr_error too_many = {TAHR_BAD_KEY,
                                           "there are more than 1024 keys in the file", NULL};
static const struct tahr_error no_key = {TAHR_BAD_KEY, "this line is neither a key nor a comment",
                                         NULL};
static const struct tahr_error bad_begin = {TAHR_BAD_KEY, "the PEM block's BEGIN line is malformed",
                                            NULL};
static const struct tahr_error no_label = {
    TAHR_BAD_KEY, "the PEM block is of a kind that is not read here", NULL};
static const struct tahr_error no_der = {TAHR_BAD_KEY, "the DER is not that of a key", NULL};
static const struct tahr_error ssh2 = {TAHR_BAD_KEY, "this is an SSH2 public key file",
                                       "convert it: ssh-keygen -i -f FILE"};
static const struct tahr_error putty = {
    TAHR_BAD_KEY, "this is a PuTTY key file",
    "an RSA key in it can be converted: puttygen FILE -O private-openssh -o NEW"};
static const struct tahr_error gnupg = {
    TAHR_BAD_KEY, "this is a GnuPG file, which is not read here", USE_RSA_OR_ELGAMAL};
static const struct tahr_error certificate = {
    TAHR_BAD_KEY, "this is a certificate, not a key",
    "take its public key: openssl x509 -in FILE -noout -pubkey"};
static const struct tahr_error request = {
    TAHR_BAD_KEY, "this is a certificate request, not a key",
    "take its public key: openssl req -in FILE -noout -pubkey"};
static const struct tahr_error parameters = {TAHR_BAD_KEY, "these are parameters without a key",
                                             NULL};
const struct tahr_error keyfile_elliptic = {
    TAHR_BAD_KEY, "this is an elliptic-curve key, which is not read here", USE_RSA_OR_ELGAMAL};
const struct tahr_error keyfile_dsa = {TAHR_BAD_KEY, "this is a DSA key, which can only sign",
                                       USE_RSA_OR_ELGAMAL};
const struct tahr_error keyfile_ed25519 = {
    TAHR_BAD_KEY, "this is an Ed25519 SSH key, which is not read here", USE_RSA_OR_ELGAMAL};
const struct tahr_error keyfile_ecdsa = {
    TAHR_BAD_KEY, "this is an ECDSA or security-key SSH key, which can only sign",
    USE_RSA_OR_ELGAMAL};
static const struct tahr_error age_message = {
    TAHR_BAD_KEY, "this is an encrypted age file, not a key",
    "if a key is in it, decrypt it first: age -d -o NEW FILE"};
static const struct tahr_error age_identity = {
    TAHR_BAD_KEY, "this is an age identity of a type that is not known here",
    "AGE-SECRET-KEY-1... and AGE-PLUGIN-TAHR-1... strings, and keys in PEM are read"};
static const struct tahr_error hybrid = {
    TAHR_BAD_KEY, "this is a hybrid post-quantum age key, which is not read here",
    "it needs age 1.3 or later"};
static const struct tahr_error not_lower = {TAHR_BAD_KEY, "an age1... string is in lower case",
                                            NULL};
static const struct tahr_error not_upper = {
    TAHR_BAD_KEY, "an AGE-SECRET-KEY-1... or AGE-PLUGIN-TAHR-1... string is in upper case", NULL};

typedef tahr_err reader(struct key_fields *f, struct bytes text);

/* What begins so is read, or refused. */
struct kind {
    const char *begin;
    reader *read;
    tahr_err refusal;
};

/* The first row that fits counts, so longer beginnings stand before shorter ones. */
static const struct kind lines[] = {
    {"ssh-rsa ", keyfile_ssh, NULL},
    {"ssh-rsa\t", keyfile_ssh, NULL},
    {"age1tahr1", keyfile_age_recipient, NULL},
    {"AGE-PLUGIN-TAHR-1", keyfile_age_identity, NULL},
    {"AGE-SECRET-KEY-1", keyfile_x25519_identity, NULL},
    {"age1pq1", NULL, &hybrid},
    {"AGE-SECRET-KEY-PQ-", NULL, &hybrid},
    {"age1", keyfile_x25519_recipient, NULL},
    {"AGE1", NULL, &not_lower},
    {"age-plugin-tahr-1", NULL, &not_upper},
    {"age-secret-key-", NULL, &not_upper},
    {"AGE-SECRET-KEY-", NULL, &age_identity},
    {"AGE-PLUGIN-", NULL, &age_identity},
    {"age-encryption.org/", NULL, &age_message},
    {"ssh-ed25519", NULL, &keyfile_ed25519},
    {"sk-", NULL, &keyfile_ecdsa},
    {"ecdsa-", NULL, &keyfile_ecdsa},
    {"ssh-dss", NULL, &keyfile_dsa},
    {"---- BEGIN SSH2 ", NULL, &ssh2},
    {"PuTTY-User-Key-File-", NULL, &putty},
    {"-----BEGIN", NULL, &bad_begin},
    {"", NULL, &no_key},
};

static const struct kind labels[] = {
    {"PRIVATE KEY", keyfile_pkcs8, NULL},
    {"PUBLIC KEY", keyfile_spki, NULL},
    {"RSA PRIVATE KEY", keyfile_rsa_private, NULL},
    {"RSA PUBLIC KEY", keyfile_rsa_public, NULL},
    {"ENCRYPTED PRIVATE KEY", NULL, &pem_encrypted},
    {"OPENSSH PRIVATE KEY", keyfile_openssh, NULL},
    {"CERTIFICATE REQUEST", NULL, &request},
    {"NEW CERTIFICATE REQUEST", NULL, &request},
    {"CERTIFICATE", NULL, &certificate},
    {"TRUSTED CERTIFICATE", NULL, &certificate},
    {"X509 CERTIFICATE", NULL, &certificate},
    {"PGP ", NULL, &gnupg},
    {"EC P", NULL, &keyfile_elliptic}, /* PRIVATE KEY, PARAMETERS */
    {"DSA P", NULL, &keyfile_dsa},
    {"DH PARAMETERS", NULL, &parameters},
    {"X9.42 DH PARAMETERS", NULL, &parameters},
    {"AGE ENCRYPTED FILE", NULL, &age_message},
    {"", NULL, &no_label},
};

/* The table ends in a row that fits everything. */
static const struct kind *find(const struct kind *row, struct bytes text)
{
    while (!bytes_begin(text, row->begin))
        row++;
    return row;
}

/* What is being read. */
struct reading {
    const struct keyfile_visitor *visitor;
    struct key_fields *f; /* wiped after each key */
    size_t line;          /* where the last key, or what should be one, began */
};

/* Tells the visitor of the numbers in f, or why there are none. */
static tahr_err tell(const struct reading *in, tahr_err fault)
{
    const struct keyfile_visitor *visitor = in->visitor;
    tahr_err err = visitor->visit(visitor->context, fault ? NULL : in->f, fault, in->line);

    secret_wipe(in->f, sizeof *in->f);
    return err;
}

static tahr_err read_one(const struct reading *in, reader *read, struct bytes text)
{
    return tell(in, read(in->f, text));
}

static tahr_err read_pem(const struct reading *in, struct lines *rest, struct bytes label)
{
    const struct kind *row = find(labels, label);
    struct lines block = *rest;
    struct bytes der;
    tahr_err err;

    pem_skip(rest); /* the next block can be read, whatever this one is */
    if (row->refusal != NULL)
        return tell(in, row->refusal);
    if (label.len != strlen(row->begin)) /* only refusals go by a beginning */
        return tell(in, &no_label);
    if ((err = pem_read(in->f->room, sizeof in->f->room, &der, &block, label)))
        return tell(in, err);
    return read_one(in, row->read, der);
}

static tahr_err read_text(struct reading *in, struct bytes text)
{
    struct lines rest = {text, 0};
    struct bytes line, label;
    tahr_err err = NULL;

    while (err == NULL && line_next(&line, &rest)) {
        const struct kind *row = find(lines, line);
        in->line = rest.number;
        if (line.len == 0 || bytes_begin(line, "#"))
            continue;
        if (pem_begins(&label, line))
            err = read_pem(in, &rest, label);
        else
            err = row->refusal ? tell(in, row->refusal) : read_one(in, row->read, line);
    }
    return err;
}

/* A key in DER is known by the tags it begins with:
 *
 *     PKCS #8           INTEGER SEQUENCE         PKCS #1 private   INTEGER INTEGER INTEGER
 *     SPKI              SEQUENCE BIT STRING      PKCS #1 public    INTEGER INTEGER
 *     encrypted PKCS #8 SEQUENCE OCTET STRING    certificate       SEQUENCE SEQUENCE
 *     EC private        INTEGER OCTET STRING */
static tahr_err read_der(struct key_fields *f, struct bytes der)
{
    struct bytes in, rest = der, element;
    uint8_t first, second;
    tahr_err err;

    if ((err = der_enter(&in, &rest, DER_SEQUENCE)))
        return err;
    first = der_tag(in);
    if (first != DER_INTEGER && first != DER_SEQUENCE)
        return &no_der;
    if ((err = der_enter(&element, &in, first)))
        return err;
    second = der_tag(in);
    if (first == DER_SEQUENCE && second == DER_BIT_STRING)
        return keyfile_spki(f, der);
    if (first == DER_SEQUENCE)
        return second == DER_OCTET_STRING ? &pem_encrypted
               : second == DER_SEQUENCE   ? &certificate
                                          : &no_der;
    if (second == DER_SEQUENCE)
        return keyfile_pkcs8(f, der);
    if (second != DER_INTEGER)
        return second == DER_OCTET_STRING ? &keyfile_elliptic : &no_der;
    if ((err = der_enter(&element, &in, DER_INTEGER)))
        return err;
    return in.len > 0 ? keyfile_rsa_private(f, der) : keyfile_rsa_public(f, der);
}

/* A GnuPG key begins with a packet of tag 5 or 6, in the old form or the new (RFC 4880 4.2). */
static int is_gnupg(uint8_t first)
{
    return (first >= 0x94 && first <= 0x9b) || first == 0xc5 || first == 0xc6;
}

static tahr_err read_file(struct reading *in, struct bytes file)
{
    struct bytes mark;

    if (bytes_begin(file, "\xef\xbb\xbf")) /* a byte order mark */
        (void)bytes_take(&mark, &file, 3);
    if (file.len == 0)
        return tell(in, &empty);
    if (der_tag(file) == DER_SEQUENCE)
        return read_one(in, read_der, file);
    if (is_gnupg(der_tag(file)))
        return tell(in, &gnupg);
    if (bytes_begin(file, "\xff\xfe") || bytes_begin(file, "\xfe\xff"))
        return tell(in, &utf16);
    if (memchr(file.p, 0, file.len) != NULL)
        return tell(in, &not_text);
    return read_text(in, file);
}

tahr_err keyfile_visit(const struct keyfile_visitor *visitor, struct bytes file)
{
    struct reading in = {visitor, secret_alloc(sizeof *in.f), 0};
    tahr_err err = in.f != NULL ? read_file(&in, file) : &keyfile_no_memory;

    secret_free(in.f);
    return err;
}

tahr_err keyfile_key(tahr_key *key, const struct key_fields *f)
{
    key->type = f->type;
    key->is_private = f->is_private;
    if (f->comment.len > 0)
        key_set_comment(key, f->comment);
    if (f->type == TAHR_X25519)
        return keyfile_x25519_key(key, f);
    return f->type == TAHR_RSA ? keyfile_rsa_key(key, f) : keyfile_elgamal_key(key, f);
}

/* A list of keys in the making, and the line that is being read. */
struct list {
    struct tahr_keys *keys;
    size_t line;
};

/* Appends a key; the list's room is the power of two at or above its count. */
static tahr_err append(struct tahr_keys *keys, tahr_key *key)
{
    size_t count = keys->count;
    tahr_key **list;

    if ((count & (count - 1)) == 0) {
        list = realloc(keys->key, (count > 0 ? 2 * count : 1) * sizeof *list);
        if (list == NULL)
            return &keyfile_no_memory;
        keys->key = list;
    }
    keys->key[keys->count++] = key;
    return NULL;
}

static tahr_err add_key(void *context, const struct key_fields *f, tahr_err fault, size_t line)
{
    struct list *list = context;
    tahr_key *key;
    tahr_err err;

    list->line = line;
    if (fault != NULL)
        return fault;
    if (list->keys->count == TAHR_KEYS_MAX)
        return &too_many;
    if ((key = key_alloc(f->type, f->is_private)) == NULL)
        return &keyfile_no_memory;
    if ((err = keyfile_key(key, f)) || (err = append(list->keys, key)))
        tahr_key_free(key);
    return err;
}

tahr_err tahr_keys_read(struct tahr_keys *keys, const void *data, size_t len, size_t *line)
{
    struct list list = {keys, 0};
    struct keyfile_visitor visitor = {add_key, &list};
    tahr_err err;

    *keys = (struct tahr_keys){NULL, 0};
    err = keyfile_visit(&visitor, (struct bytes){data, len});
    if (err == NULL && keys->count == 0) {
        err = &empty;
        list.line = 0;
    }
    if (err != NULL)
        tahr_keys_free(keys);
    if (line != NULL)
        *line = err != NULL ? list.line : 0;
    return err;
}

void tahr_keys_free(struct tahr_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        tahr_key_free(keys->key[i]);
    free(keys->key);
    *keys = (struct tahr_keys){NULL, 0};
}
