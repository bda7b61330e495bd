/* One key type for the layers above: an RSA, ElGamal or X25519 key, public or private, or
 * a passphrase. */
#ifndef TAHR_KEY_H
#define TAHR_KEY_H

#include "elgamal.h"
#include "rsa.h"
#include "tahr.h"

#define KEY_COMMENT_MAX 256

/* X25519 (RFC 7748): u = X25519(k, 9), as 32 bytes each. */
#define X25519_LEN      32
struct x25519_public {
    uint8_t u[X25519_LEN];
};
struct x25519_private {
    struct x25519_public pub;
    uint8_t k[X25519_LEN];
};

/* A passphrase, or where it is to be asked for. */
struct passphrase {
    int log_n;                 /* of scrypt's work factor, when wrapping */
    int max_log_n;             /* when unwrapping */
    struct tahr_prompt prompt; /* ask is NULL: text is the passphrase */
    size_t len;
    char text[TAHR_PASSPHRASE_MAX];
};

struct tahr_key {
    enum tahr_key_type type;
    int is_private;
    char comment[KEY_COMMENT_MAX];
    union {
        struct rsa_public rsa_public;
        struct rsa_private rsa; /* begins with its public half */
        struct elgamal_public elgamal_public;
        struct elgamal_private elgamal;
        struct x25519_public x25519_public;
        struct x25519_private x25519;
        struct passphrase passphrase;
    } u;
};

/* A zeroed key in guarded memory, or NULL. */
tahr_key *key_alloc(enum tahr_key_type type, int is_private);

/* key->comment = the text without control characters and what is not ASCII, cut to fit. */
void key_set_comment(tahr_key *key, struct bytes text);

/* The public halves, of public and private keys alike. */
const struct rsa_public *key_rsa_public(const tahr_key *key);
const struct elgamal_public *key_elgamal_public(const tahr_key *key);
const struct x25519_public *key_x25519_public(const tahr_key *key);

/* The SSH wire encoding of an RSA public key, string "ssh-rsa", mpint e, mpint n (RFC 4253 6.6),
 * for fingerprints and stanza tags: out has room for KEY_WIRE_MAX bytes. */
#define KEY_WIRE_MAX (RSA_MAX_LEN + 64)
size_t key_rsa_wire(uint8_t *out, const struct rsa_public *pub);

/* The recipient payload of formats 1.2 (id, explicit group, y), whose SHA-256 is pkh: out has room
 * for KEY_PAYLOAD_MAX bytes. */
#define KEY_PAYLOAD_MAX (3 * ELGAMAL_MAX_LEN + 8)
size_t key_elgamal_payload(uint8_t *out, const struct elgamal_public *pub);

#endif
