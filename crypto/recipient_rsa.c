/* ssh-rsa, age's stanza for RSA keys:
 *
 *     -> ssh-rsa base64(SHA-256(wire)[:4])
 *     base64(RSAES-OAEP(n, e, file key))
 *
 * wire is the key's SSH encoding; OAEP and MGF1 are of SHA-256, with a label of their own. */
#include "recipient.h"

#include <string.h>

#define TAG_LEN    4
#define TAG_BASE64 6
#define LABEL      "age-encryption.org/v1/ssh-rsa"

static const struct oaep oaep = {&hash_sha256, NULL, {LABEL, sizeof LABEL - 1}};

static void key_tag(uint8_t tag[TAG_LEN], const struct rsa_public *pub)
{
    uint8_t wire[KEY_WIRE_MAX], sum[32];

    secret_sha256(sum, &(struct bytes){wire, key_rsa_wire(wire, pub)}, 1);
    memcpy(tag, sum, TAG_LEN);
}

static tahr_err wrap(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                     const tahr_key *key)
{
    const struct rsa_public *pub = key_rsa_public(key);
    uint8_t tag[TAG_LEN], body[RSA_MAX_LEN];
    char tag_text[TAG_BASE64 + 1];
    tahr_err err = rsa_oaep_encrypt(body, file_key, FILE_KEY_LEN, &oaep, pub);

    if (err != NULL)
        return err;
    key_tag(tag, pub);
    base64_encode(tag_text, tag, sizeof tag, 0);
    return header_add(header, &(struct stanza){(const char *const[]){recipient_rsa.name, tag_text},
                                               2, body, rsa_len(pub)});
}

static tahr_err unwrap(uint8_t file_key[FILE_KEY_LEN], const struct stanza *stanza,
                       const tahr_key *key)
{
    const struct rsa_public *pub = key_rsa_public(key);
    uint8_t tag[TAG_LEN], ours[TAG_LEN];
    size_t len;

    if (stanza->args != 2 ||
        base64_decode(tag, sizeof tag, &len, stanza->arg[1], strlen(stanza->arg[1]), 0) != 0 ||
        len != sizeof tag)
        return &recipient_malformed;
    key_tag(ours, pub);
    if (memcmp(tag, ours, sizeof tag) != 0)
        return &recipient_no_match;
    if (rsa_oaep_decrypt_fixed(file_key, FILE_KEY_LEN, stanza->body, stanza->len, &oaep,
                               &key->u.rsa) != NULL)
        return &recipient_corrupt;
    return NULL;
}

const struct recipient_type recipient_rsa = {"ssh-rsa", TAHR_RSA, wrap, unwrap};
