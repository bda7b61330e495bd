/* Recipient types: how a file key is wrapped into a stanza and unwrapped again.  One row, one file
 * each. */
#ifndef TAHR_RECIPIENT_H
#define TAHR_RECIPIENT_H

#include "key.h"

#define FILE_KEY_LEN    16

/* A stanza of an age header: its arguments, the first being the type, and its decoded body.  It
 * owns nothing. */
#define STANZA_MAX_ARGS 128
struct stanza {
    const char *const *arg; /* NUL-ended, printable ASCII */
    size_t args;
    const uint8_t *body;
    size_t len;
};

/* What a wrap function calls, once, with its stanza; what it points to is copied. */
struct header;
tahr_err header_add(struct header *header, const struct stanza *stanza);

struct recipient_type {
    const char *name; /* the stanza's first argument */
    enum tahr_key_type key_type;
    /* Adds a stanza with the file key wrapped to the key's public half.  Secret: file_key. */
    tahr_err (*wrap)(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                     const tahr_key *key);
    /* The file key from a stanza of this type.  Returns NULL; or a TAHR_NO_MATCH error (the stanza
     * is for somebody else); or a TAHR_BAD_MESSAGE error: malformed, or ours but corrupt. Secret:
     * the key, file_key. */
    tahr_err (*unwrap)(uint8_t file_key[FILE_KEY_LEN], const struct stanza *stanza,
                       const tahr_key *key);
};

extern const struct recipient_type recipient_rsa;     /* ssh-rsa */
extern const struct recipient_type recipient_elgamal; /* tahr/elgamal */
extern const struct recipient_type recipient_x25519;  /* X25519 */
extern const struct recipient_type recipient_scrypt;  /* scrypt */

/* u = X25519(k, 9).  Secret: k. */
void recipient_x25519_public(uint8_t u[X25519_LEN], const uint8_t k[X25519_LEN]);

/* NULL if secrets can be kept with u: it is not one of the points of small order, for which every k
 * gives zero.  Otherwise TAHR_BAD_KEY. */
tahr_err recipient_x25519_check(const uint8_t u[X25519_LEN]);

/* recipient_elgamal's wrap for a given k of L/8 big-endian bytes, for published answers. */
tahr_err recipient_elgamal_wrap_with(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                                     const tahr_key *key, const uint8_t *k);

/* body = the file key sealed under a wrap key that is used once, and the way back: 0, or -1 if body
 * is not of that wrap key.  Secret: file_key, wrap. */
#define WRAP_LEN   32
#define SEALED_LEN (FILE_KEY_LEN + 16)
void recipient_seal(uint8_t body[SEALED_LEN], const uint8_t file_key[FILE_KEY_LEN],
                    const uint8_t wrap[WRAP_LEN]);
int recipient_open(uint8_t file_key[FILE_KEY_LEN], const uint8_t body[SEALED_LEN],
                   const uint8_t wrap[WRAP_LEN]);

/* The table, ended by NULL. */
extern const struct recipient_type *const recipient_types[];

/* The row that serves a key. */
const struct recipient_type *recipient_for(const tahr_key *key);

/* Not for this key: go on with the next. */
extern const struct tahr_error recipient_no_match;

/* scrypt's work factor is above the limit. */
extern const struct tahr_error recipient_too_much;

/* How many stanzas are tried with a key that fit its tag.  A message has one for each key, and a
 * tag of 32 bits hardly ever fits another; a hostile message may have 1024 that fit, each of which
 * costs a private operation. */
#define RECIPIENT_TRIES 8

/* The errors that all recipient types share: a stanza out of shape, and one that is ours but does
 * not open. */
extern const struct tahr_error recipient_malformed;
extern const struct tahr_error recipient_corrupt;

#endif
