/* Private to the key files: what one file of them offers the others.
 *
 *     keyfile.c          a file's bytes: which format each key is in, and what is no key
 *     keyfile_pkcs8.c    PrivateKeyInfo and SubjectPublicKeyInfo: which algorithm
 *     keyfile_age.c      age1..., AGE-PLUGIN-TAHR-1... and AGE-SECRET-KEY-1... strings
 *     keyfile_rsa.c      RSA keys in DER
 *     keyfile_ssh.c      RSA keys as OpenSSH writes them
 *     keyfile_elgamal.c  ElGamal keys in DER and in the blocks of age strings
 *     keyfile_locked.c   files under a passphrase
 *     keyfile_write.c    a key as text
 *
 * A reader finds the numbers of a key in the whole of its input; whether they are any good is
 * asked when a key is made of them (keyfile_key), so that an auditor sees the bad ones too.  Its
 * errors are TAHR_BAD_KEY.  A writer puts its element before what is in out.
 * Secret: the private numbers.  Leaks: their lengths, and whether the key is good. */
#ifndef TAHR_KEYFILE_H
#define TAHR_KEYFILE_H

#include "der.h"
#include "key.h"

/* Bytes of the largest key in DER: an RSA key of 16384 bits has n and d of 2048 bytes and p, dp and
 * qinv below that: 10 KiB and what stands around them. */
#define KEYFILE_DER_MAX 12288

/* A key as it stands in a file: numbers in big-endian bytes, of which nothing is known.  They lie
 * in the text that was read or in room, and are as secret as the key. */
struct key_fields {
    enum tahr_key_type type;
    int is_private;
    struct bytes comment;
    struct rsa_fields rsa;
    struct bytes e; /* of an RSA key; rsa.e is UINT32_MAX if it does not fit, and then refused */
    struct elgamal_fields {
        int id; /* the group's where the format names groups (00: p, g), else -1 */
        struct bytes p, g;
        struct bytes
            q; /* the third parameter, if there is one that is not (p - 1)/2; else q.p is NULL */
        struct bytes y; /* of a public key */
        struct bytes x; /* of a private key */
    } elgamal;
    struct bytes x25519; /* u of a public key, k of a private one */
    uint8_t room[KEYFILE_DER_MAX];
};

/* key (zeroed) = the key of those numbers, if it may be used. */
tahr_err keyfile_key(tahr_key *key, const struct key_fields *f);

/* The same for each type, which f has. */
tahr_err keyfile_rsa_key(tahr_key *key, const struct key_fields *f);
tahr_err keyfile_elgamal_key(tahr_key *key, const struct key_fields *f);
tahr_err keyfile_x25519_key(tahr_key *key, const struct key_fields *f);

/* A caller who takes what is in a file one by one: the numbers of a key, or why something at that
 * line is none (f is then NULL).  Any return but NULL ends the reading. */
struct keyfile_visitor {
    tahr_err (*visit)(void *context, const struct key_fields *f, tahr_err fault, size_t line);
    void *context;
};

/* Shows the visitor all that is in a file.  Returns what the visitor returned, or TAHR_SYSTEM. */
tahr_err keyfile_visit(const struct keyfile_visitor *visitor, struct bytes file);

/* f->e and f->rsa.e. */
void keyfile_set_exponent(struct key_fields *f, struct bytes e);

/* RSAPrivateKey and RSAPublicKey (RFC 8017 A.1). */
tahr_err keyfile_rsa_private(struct key_fields *f, struct bytes der);
tahr_err keyfile_rsa_public(struct key_fields *f, struct bytes der);
void keyfile_put_rsa_private(struct der_out *out, const struct rsa_private *rsa);
void keyfile_put_rsa_public(struct der_out *out, const struct rsa_public *rsa);

/* An authorized_keys line without options: ssh-rsa, base64 of the wire encoding, a comment. */
tahr_err keyfile_ssh(struct key_fields *f, struct bytes line);

/* What is in an OPENSSH PRIVATE KEY block: one RSA key without a passphrase. */
tahr_err keyfile_openssh(struct key_fields *f, struct bytes file);
void keyfile_put_openssh(struct der_out *out, const tahr_key *key);

/* The DomainParameters p, g, q of X9.42 (RFC 3279 2.3.3), or only p, g, with the private number in
 * an INTEGER, or the public one. Of three numbers q is the one that is (p - 1)/2, wherever it
 * stands; under PKCS #3 the third is a length. */
tahr_err keyfile_elgamal_private(struct key_fields *f, struct bytes params, int pkcs3,
                                 struct bytes der);
tahr_err keyfile_elgamal_public(struct key_fields *f, struct bytes params, int pkcs3,
                                struct bytes der);
void keyfile_put_group(struct der_out *out, const struct group *group, int with_q);

/* The payloads of formats 1.2: id, explicit group, then y; or u16 length, then x. */
tahr_err keyfile_recipient(struct key_fields *f, struct bytes payload);
tahr_err keyfile_identity(struct key_fields *f, struct bytes payload);
size_t keyfile_put_identity(uint8_t *payload, const struct elgamal_private *elgamal);

/* PKCS #8 (RFC 5208) and SubjectPublicKeyInfo (RFC 5280 4.1); an ElGamal key goes under the name
 * and with the parameters of TAHR_PEM, TAHR_OIW, TAHR_BOTAN or TAHR_PKCS3. */
tahr_err keyfile_pkcs8(struct key_fields *f, struct bytes der);
tahr_err keyfile_spki(struct key_fields *f, struct bytes der);
void keyfile_put_pkcs8(struct der_out *out, const tahr_key *key, enum tahr_format format);
void keyfile_put_spki(struct der_out *out, const tahr_key *key, enum tahr_format format);

/* Age strings: age1tahr1... and AGE-PLUGIN-TAHR-1..., age1... and AGE-SECRET-KEY-1... */
tahr_err keyfile_age_recipient(struct key_fields *f, struct bytes text);
tahr_err keyfile_age_identity(struct key_fields *f, struct bytes text);
tahr_err keyfile_x25519_recipient(struct key_fields *f, struct bytes text);
tahr_err keyfile_x25519_identity(struct key_fields *f, struct bytes text);
#define KEYFILE_RECIPIENT_HRP        "age1tahr"
#define KEYFILE_IDENTITY_HRP         "AGE-PLUGIN-TAHR-"
#define KEYFILE_X25519_RECIPIENT_HRP "age"
#define KEYFILE_X25519_IDENTITY_HRP  "AGE-SECRET-KEY-"

/* The two parts of a key's age string: what stands before its last 1, and the bytes after it,
 * key_elgamal_payload's, an identity's with its type byte, or the 32 of X25519.  buf has
 * KEYFILE_DER_MAX bytes.  An RSA public key has no age string. */
tahr_err keyfile_age_string(const char **hrp, struct bytes *payload, uint8_t *buf,
                            const tahr_key *key);

/* An SSH line without its end; text has room for KEYFILE_SSH_MAX characters and a NUL. */
void keyfile_put_ssh(char *text, const tahr_key *key);
#define KEYFILE_SSH_MAX (8 + (KEY_WIRE_MAX + 2) / 3 * 4 + KEY_COMMENT_MAX)

/* What several of these files have to say. */
extern const struct tahr_error keyfile_no_memory, keyfile_passphrase, keyfile_elliptic, keyfile_dsa,
    keyfile_ed25519, keyfile_ecdsa;

#endif
