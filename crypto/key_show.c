/* A key described for people, in the words and the layout of `openssl pkey -text`, and for
 * programs, in JSON. */
#include "keyfile.h"

#include <stdarg.h>
#include <stdio.h>

/* An RSA private key of 16384 bits has 10 KiB of numbers, three characters a byte and five more for
 * each line of fifteen; its ssh-rsa line and the words around stay below 8 KiB. */
#define TEXT_MAX (48 * 1024)
#define COLUMNS  15 /* bytes a line */

static const struct tahr_error no_room = {TAHR_SYSTEM, "the key's description is too long", NULL};

/* A text that grows in guarded memory. */
struct text {
    char *p;
    size_t len;
    int full;
};

/* For what is public: formatted printing may keep copies. */
__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    size_t room = TEXT_MAX - text->len;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text->p + text->len, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room)
        text->full = 1;
    else
        text->len += (size_t)n;
}

/* '0' + v, and 39 more to reach 'a' when v > 9; no table is indexed by the digit. */
static char hex_digit(unsigned v)
{
    return (char)('0' + v + (((9 - v) >> 8) & 39));
}

static void put_hex(struct text *text, uint8_t v, const char *after)
{
    char *p = text->p + text->len;

    if (TEXT_MAX - text->len < 4) {
        text->full = 1;
        return;
    }
    p[0] = hex_digit(v >> 4);
    p[1] = hex_digit(v & 15);
    p[2] = *after;
    p[3] = '\0';
    text->len += *after != '\0' ? 3 : 2;
}

/* name, and the bytes in lines of hexadecimal. */
static void put_bytes(struct text *text, const char *name, struct bytes bytes)
{
    put(text, "%s:", name);
    for (size_t i = 0; i < bytes.len; i++) {
        if (i % COLUMNS == 0)
            put(text, "\n    ");
        put_hex(text, ((const uint8_t *)bytes.p)[i], i + 1 < bytes.len ? ":" : "\n");
    }
}

/* The same of a as an INTEGER. */
static void put_number(struct text *text, const char *name, const limb_t *a, int n)
{
    uint8_t buf[DER_INTEGER_MAX + 8];
    struct der_out out;
    struct bytes in, body;

    der_out_init(&out, buf, sizeof buf);
    der_put_nat(&out, a, n);
    if (der_out_end(&in, &out) || der_enter(&body, &in, DER_INTEGER)) {
        text->full = 1;
        goto done;
    }
    put_bytes(text, name, body);
done:
    secret_wipe(buf, sizeof buf);
}

static void put_fingerprint(struct text *text, struct bytes key)
{
    uint8_t digest[32];
    char base64[64];

    secret_sha256(digest, &key, 1);
    base64_encode(base64, digest, sizeof digest, 0);
    put(text, "SHA256:%s", base64);
}

/* What age takes to encrypt to the key. */
static void put_recipient(struct text *text, const tahr_key *key)
{
    tahr_key *public_key;
    char *line = NULL;
    size_t len;
    tahr_err err = tahr_key_public(&public_key, key);

    if (err == NULL)
        err = tahr_key_write(&line, &len, public_key, key->type == TAHR_RSA ? TAHR_SSH : TAHR_AGE);
    if (err == NULL)
        put(text, "recipient: %s", line);
    else
        text->full = 1;
    tahr_text_free(line);
    tahr_key_free(public_key);
}

static void put_rsa(struct text *text, const tahr_key *key, int secret)
{
    const struct rsa_public *pub = key_rsa_public(key);
    const struct rsa_private *rsa = &key->u.rsa;

    put_number(text, "modulus", pub->n.m, pub->n.n);
    put(text, "publicExponent: %lu (0x%lx)\n", (unsigned long)pub->e, (unsigned long)pub->e);
    if (!key->is_private || !secret)
        return;
    put_number(text, "privateExponent", rsa->d, pub->n.n);
    put_number(text, "prime1", rsa->p.m, rsa->p.n);
    put_number(text, "prime2", rsa->q.m, rsa->q.n);
    put_number(text, "exponent1", rsa->dp, rsa->p.n);
    put_number(text, "exponent2", rsa->dq, rsa->q.n);
    put_number(text, "coefficient", rsa->qinv, rsa->p.n);
}

static void put_elgamal(struct text *text, const tahr_key *key, int secret)
{
    const struct elgamal_public *pub = key_elgamal_public(key);
    const struct group *group = &pub->group;

    if (key->is_private && secret)
        put_number(text, "private-key", key->u.elgamal.x, group->p.n);
    put_number(text, "public-key", pub->y, group->p.n);
    if (group->name != NULL) {
        put(text, "GROUP: %s\n", group->name);
        return;
    }
    put_number(text, "prime P", group->p.m, group->p.n);
    put_number(text, "generator G", group->g, group->p.n);
}

static void put_x25519(struct text *text, const tahr_key *key, int secret)
{
    if (key->is_private && secret)
        put_bytes(text, "priv", (struct bytes){key->u.x25519.k, X25519_LEN});
    put_bytes(text, "pub", (struct bytes){key_x25519_public(key)->u, X25519_LEN});
}

/* , "name": "hexadecimal" */
static void put_json_bytes(struct text *text, const char *name, struct bytes b)
{
    put(text, ", \"%s\": \"", name);
    for (size_t i = 0; i < b.len; i++)
        put_hex(text, ((const uint8_t *)b.p)[i], "");
    put(text, "\"");
}

static void put_json_number(struct text *text, const char *name, const limb_t *a, int n)
{
    uint8_t bytes[DER_INTEGER_MAX];
    size_t len = (size_t)n * LIMB_BYTES;

    nat_to_bytes(bytes, len, a, n);
    put_json_bytes(text, name, bytes_trim((struct bytes){bytes, len}));
}

static void json_rsa(struct text *text, const tahr_key *key)
{
    const struct rsa_public *pub = key_rsa_public(key);

    put_json_number(text, "n", pub->n.m, pub->n.n);
    put(text, ", \"e\": %lu", (unsigned long)pub->e);
}

static void json_elgamal(struct text *text, const tahr_key *key)
{
    const struct elgamal_public *pub = key_elgamal_public(key);

    put_json_number(text, "p", pub->group.p.m, pub->group.p.n);
    put_json_number(text, "g", pub->group.g, pub->group.p.n);
    put_json_number(text, "y", pub->y, pub->group.p.n);
}

static void json_x25519(struct text *text, const tahr_key *key)
{
    put_json_bytes(text, "u", (struct bytes){key_x25519_public(key)->u, X25519_LEN});
}

/* How a type of key is shown, and what its fingerprint is of. */
struct look {
    const char *name;
    size_t (*wire)(uint8_t *out, const tahr_key *key);
    void (*put)(struct text *text, const tahr_key *key, int secret);
    void (*json)(struct text *text, const tahr_key *key); /* public numbers */
};

static size_t rsa_wire(uint8_t *out, const tahr_key *key)
{
    return key_rsa_wire(out, key_rsa_public(key));
}

static size_t elgamal_wire(uint8_t *out, const tahr_key *key)
{
    return key_elgamal_payload(out, key_elgamal_public(key));
}

static size_t x25519_wire(uint8_t *out, const tahr_key *key)
{
    memcpy(out, key_x25519_public(key)->u, X25519_LEN);
    return X25519_LEN;
}

static const struct look looks[] = {
    [TAHR_RSA] = {"RSA", rsa_wire, put_rsa, json_rsa},
    [TAHR_ELGAMAL] = {"ElGamal", elgamal_wire, put_elgamal, json_elgamal},
    [TAHR_X25519] = {"X25519", x25519_wire, put_x25519, json_x25519},
};

static void put_key(struct text *text, const tahr_key *key, int secret)
{
    const struct look *look = &looks[key->type];
    uint8_t wire[KEY_PAYLOAD_MAX > KEY_WIRE_MAX ? KEY_PAYLOAD_MAX : KEY_WIRE_MAX];
    size_t len = look->wire(wire, key);

    put(text, "%s %s: (%d bit)\n", look->name, key->is_private ? "Private-Key" : "Public-Key",
        tahr_key_bits(key));
    put(text, "fingerprint: ");
    put_fingerprint(text, (struct bytes){wire, len});
    put(text, "\n");
    if (key->comment[0] != '\0')
        put(text, "comment: %s\n", key->comment);
    look->put(text, key, secret);
    put_recipient(text, key);
}

/* A comment has printable ASCII characters only. */
static void put_json_comment(struct text *text, const char *comment)
{
    put(text, ", \"comment\": \"");
    for (; *comment != '\0'; comment++)
        put(text, *comment == '"' || *comment == '\\' ? "\\%c" : "%c", *comment);
    put(text, "\"");
}

static void put_json(struct text *text, const tahr_key *key, int secret)
{
    const struct look *look = &looks[key->type];
    uint8_t wire[KEY_PAYLOAD_MAX > KEY_WIRE_MAX ? KEY_PAYLOAD_MAX : KEY_WIRE_MAX];
    size_t len = look->wire(wire, key);

    (void)secret; /* is never shown to programs */
    put(text, "{\"type\": \"%s\", \"private\": %s, \"bits\": %d", look->name,
        key->is_private ? "true" : "false", tahr_key_bits(key));
    if (tahr_key_group(key) != NULL)
        put(text, ", \"group\": \"%s\"", tahr_key_group(key));
    put(text, ", \"fingerprint\": \"");
    put_fingerprint(text, (struct bytes){wire, len});
    put(text, "\"");
    if (key->comment[0] != '\0')
        put_json_comment(text, key->comment);
    look->json(text, key);
    put(text, "}\n");
}

static tahr_err describe(char **out, size_t *len, const tahr_key *key, int secret,
                         void (*write)(struct text *text, const tahr_key *key, int secret))
{
    struct text text;

    *out = NULL;
    if (key->type == TAHR_PASSPHRASE)
        return &keyfile_passphrase;
    text = (struct text){secret_alloc(TEXT_MAX), 0, 0};
    if (text.p == NULL)
        return &keyfile_no_memory;
    write(&text, key, secret);
    if (text.full) {
        secret_free(text.p);
        return &no_room;
    }
    *out = text.p;
    *len = text.len;
    return NULL;
}

tahr_err tahr_key_show(char **out, size_t *len, const tahr_key *key, int secret)
{
    return describe(out, len, key, secret, put_key);
}

tahr_err tahr_key_show_json(char **out, size_t *len, const tahr_key *key)
{
    return describe(out, len, key, 0, put_json);
}
