/* scrypt stanzas, for passphrases (C2SP age specification, "The scrypt recipient type"):
 *
 *     salt   16 random bytes
 *     wrap = scrypt(passphrase, "age-encryption.org/v1/scrypt" || salt, N = 2^n, r = 8, p = 1)
 *     body = ChaCha20-Poly1305(wrap, nonce 0, file key)
 *     -> scrypt base64(salt) n
 *
 * with scrypt of RFC 7914.  It stands alone in its header, which message.c sees to. */
#include "recipient.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define LABEL       "age-encryption.org/v1/scrypt"
#define LABEL_LEN   (sizeof LABEL - 1)
#define SALT_LEN    16
#define SALT_BASE64 22

static const struct tahr_error no_memory = {
    TAHR_SYSTEM, "out of memory for scrypt",
    "2^(work factor + 10) bytes are needed: 256 MiB for the usual 18"};
static const struct tahr_error no_answer = {TAHR_SYSTEM, "no passphrase was given", NULL};
static const struct tahr_error empty = {TAHR_BAD_CALL, "the passphrase is empty", NULL};
static const struct tahr_error wrong = {TAHR_NO_MATCH, "the passphrase is wrong", NULL};
const struct tahr_error recipient_too_much = {
    TAHR_BAD_MESSAGE, "malformed header: its scrypt work factor is above the limit",
    "a higher limit can be set, and each step doubles time and memory"};

/* wrap from the passphrase, which is asked for now if it is not known. */
static tahr_err derive(uint8_t wrap[WRAP_LEN], const struct passphrase *p,
                       const uint8_t salt[SALT_LEN], int log_n, int fresh)
{
    struct passphrase *asked = NULL;
    uint8_t labelled[LABEL_LEN + SALT_LEN];
    tahr_err err = &no_memory;

    memcpy(labelled, LABEL, LABEL_LEN);
    memcpy(labelled + LABEL_LEN, salt, SALT_LEN);
    if (p->prompt.ask != NULL) {
        asked = secret_alloc(sizeof *asked);
        if (asked == NULL)
            return err;
        if (p->prompt.ask(p->prompt.context, asked->text, sizeof asked->text, &asked->len) != 0 ||
            asked->len > sizeof asked->text) {
            err = &no_answer;
            goto done;
        }
        p = asked;
    }
    if (fresh && p->len == 0)
        err = &empty;
    else if (crypto_pwhash_scryptsalsa208sha256_ll((const uint8_t *)p->text, p->len, labelled,
                                                   sizeof labelled, (uint64_t)1 << log_n, 8, 1,
                                                   wrap, WRAP_LEN) == 0)
        err = NULL;
done:
    secret_free(asked);
    return err;
}

static tahr_err wrap(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                     const tahr_key *key)
{
    const struct passphrase *p = &key->u.passphrase;
    uint8_t salt[SALT_LEN], seal[WRAP_LEN], body[SEALED_LEN];
    char salt_text[SALT_BASE64 + 1], factor[8];
    tahr_err err;

    secret_random(salt, sizeof salt);
    err = derive(seal, p, salt, p->log_n, 1);
    if (err == NULL) {
        recipient_seal(body, file_key, seal);
        base64_encode(salt_text, salt, sizeof salt, 0);
        snprintf(factor, sizeof factor, "%d", p->log_n);
        err = header_add(header, &(struct stanza){(const char *const[]){recipient_scrypt.name,
                                                                        salt_text, factor},
                                                  3, body, sizeof body});
    }
    secret_wipe(seal, sizeof seal);
    return err;
}

/* A decimal number from 1 without leading zeros; what has more than three digits is as good as 999.
 * Returns 0 for anything else. */
static int parse_factor(const char *text)
{
    int n = 0;

    if (*text == '0')
        return 0;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        n = n < 100 ? 10 * n + (*text - '0') : 999;
    }
    return n;
}

static tahr_err unwrap(uint8_t file_key[FILE_KEY_LEN], const struct stanza *stanza,
                       const tahr_key *key)
{
    const struct passphrase *p = &key->u.passphrase;
    uint8_t salt[SALT_LEN], seal[WRAP_LEN];
    size_t len;
    int log_n;
    tahr_err err;

    if (stanza->args != 3 || stanza->len != SEALED_LEN ||
        base64_decode(salt, sizeof salt, &len, stanza->arg[1], strlen(stanza->arg[1]), 0) != 0 ||
        len != sizeof salt || (log_n = parse_factor(stanza->arg[2])) == 0)
        return &recipient_malformed;
    if (log_n > p->max_log_n)
        return &recipient_too_much;
    err = derive(seal, p, salt, log_n, 0);
    if (err == NULL && recipient_open(file_key, stanza->body, seal) != 0)
        err = &wrong;
    secret_wipe(seal, sizeof seal);
    return err;
}

const struct recipient_type recipient_scrypt = {"scrypt", TAHR_PASSPHRASE, wrap, unwrap};
