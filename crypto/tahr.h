/* tahr: encrypt and decrypt age v1 files with RSA, ElGamal and X25519 keys.
 *
 * This is the library's public face, and the apps use nothing else of it.  All functions may be
 * called from several threads at once, on different objects.
 *
 * Errors.  A function that can fail returns a tahr_err: NULL for success, otherwise a constant that
 * says what is wrong in a sentence and often what to do about it.  Nothing needs to be freed. */
#ifndef TAHR_H
#define TAHR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#define TAHR_API __attribute__((visibility("default")))
#else
#define TAHR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TAHR_VERSION "0.1.0"

/* What kind of thing went wrong.  The numbers are the apps' exit codes and do not change. */
enum tahr_code {
    TAHR_BAD_MESSAGE = 1, /* not an age file, malformed, forged, corrupt or truncated */
    TAHR_BAD_CALL = 2,    /* an argument the function does not take */
    TAHR_SYSTEM = 3,      /* reading, writing or memory */
    TAHR_NO_MATCH = 4,    /* no identity opens this message */
    TAHR_BAD_KEY = 5,     /* malformed, inconsistent, too weak or of the wrong kind */
    TAHR_STOPPED = 130    /* the caller's watch asked to stop */
};

struct tahr_error {
    enum tahr_code code;
    const char *text; /* one line, no full stop */
    const char *hint; /* one line: what to do; or NULL */
};
typedef const struct tahr_error *tahr_err;

/* Starts the library; call it once before anything else (again does no harm). */
TAHR_API tahr_err tahr_init(void);

/* The version of the library that runs. */
TAHR_API const char *tahr_version(void);

/* A caller who wants to see a long search and be able to stop it.  tick is called after each
 * candidate with the number tried so far; it returns non-zero to stop.  A NULL watch is allowed. */
struct tahr_watch {
    int (*tick)(void *context, unsigned long tried);
    void *context;
};

/* --- Keys --- */

/* A key, public or private.  Private ones live in guarded memory. */
typedef struct tahr_key tahr_key;

enum tahr_key_type { TAHR_RSA = 1, TAHR_ELGAMAL = 2, TAHR_X25519 = 3, TAHR_PASSPHRASE = 4 };

/* A fresh RSA key: bits 2048, 3072 or 4096; e = 65537 (FIPS 186-5 A.1.3, incremental search). */
TAHR_API tahr_err tahr_key_new_rsa(tahr_key **key, int bits, const struct tahr_watch *watch);

/* A fresh ElGamal key in a named group: "ffdhe2048" ... "ffdhe8192" (RFC 7919), "modp2048" ...
 * "modp8192" (RFC 3526). */
TAHR_API tahr_err tahr_key_new_elgamal(tahr_key **key, const char *group,
                                       const struct tahr_watch *watch);

/* A fresh ElGamal key in a fresh safe-prime group of 2048 to 8192 bits. */
TAHR_API tahr_err tahr_key_new_group(tahr_key **key, int bits, const struct tahr_watch *watch);

/* A fresh X25519 key, age's own kind (RFC 7748). */
TAHR_API tahr_err tahr_key_new_x25519(tahr_key **key);

/* A passphrase of len <= TAHR_PASSPHRASE_MAX bytes, as a private key: tahr_encrypt takes it as the
 * only recipient, tahr_decrypt as any other identity.  It has no public half and no text. */
#define TAHR_PASSPHRASE_MAX 1024
TAHR_API tahr_err tahr_key_new_passphrase(tahr_key **key, const void *text, size_t len);

/* The same for a passphrase that is not known yet: ask is called when it is needed, which is when a
 * message is encrypted, or when one that is encrypted to a passphrase is to be decrypted.  It puts
 * up to room bytes in text and their number in *len, and returns 0, or non-zero to end the work
 * with a TAHR_SYSTEM error. */
struct tahr_prompt {
    int (*ask)(void *context, char *text, size_t room, size_t *len);
    void *context;
};
TAHR_API tahr_err tahr_key_new_prompt(tahr_key **key, const struct tahr_prompt *prompt);

/* A passphrase is stretched by scrypt (RFC 7914) with N = 2^18, r = 8, p = 1: a second, 256 MiB.
 * When decrypting N comes from the message, and above 2^22 it is refused; this sets another limit,
 * 2^log_n with log_n from 1 to 30.  Time and memory, 2^(log_n + 10) bytes, double with each step.
 */
TAHR_API tahr_err tahr_key_set_max_work_factor(tahr_key *key, int log_n);

/* Wipes and frees; NULL is allowed. */
TAHR_API void tahr_key_free(tahr_key *key);

/* The public half of a key, as a key of its own. */
TAHR_API tahr_err tahr_key_public(tahr_key **public_key, const tahr_key *key);

TAHR_API enum tahr_key_type tahr_key_type(const tahr_key *key);
TAHR_API int tahr_key_is_private(const tahr_key *key);
TAHR_API int tahr_key_bits(const tahr_key *key); /* of n, of p, or 255; 0 for passphrases */

/* "ffdhe3072" and so on; NULL for explicit groups and for what is no ElGamal key. */
TAHR_API const char *tahr_key_group(const tahr_key *key);

/* The comment that came with the key (OpenSSH lines), stripped of control bytes; "" if none. */
TAHR_API const char *tahr_key_comment(const tahr_key *key);

/* A sentence about a key that works but deserves a warning (RSA above 4096 bits: other age programs
 * refuse it); NULL for most. */
TAHR_API const char *tahr_key_warning(const tahr_key *key);

/* Keys in a file, and recipients of a message. */
#define TAHR_KEYS_MAX 1024

/* Several keys, as they come from one file. */
struct tahr_keys {
    tahr_key **key;
    size_t count;
};

/* Reads every key in the len bytes of a file: PEM blocks (PKCS#8, PKCS#1, SPKI, openssh-key-v1
 * without a passphrase), DER, OpenSSH public key lines, age1tahr1..., age1..., AGE-PLUGIN-TAHR-1...
 * and AGE-SECRET-KEY-1... lines; blank lines and # comments are skipped.  The keys' structure and
 * consistency are checked, so that they can be used (primality of an RSA key is tahr_key_check's);
 * there are at most TAHR_KEYS_MAX.  On failure nothing is kept and *line, if not NULL, is the
 * number of the line at fault, or 0. */
TAHR_API tahr_err tahr_keys_read(struct tahr_keys *keys, const void *data, size_t len,
                                 size_t *line);

/* Is this a file of keys under a passphrase: an age file?  1 or 0.  tahr_keys_read refuses those.
 */
TAHR_API int tahr_keys_locked(const void *data, size_t len);

/* Decrypts such a file with the passphrase, and reads the keys in it as tahr_keys_read does.  A
 * wrong passphrase is a TAHR_NO_MATCH error. */
TAHR_API tahr_err tahr_keys_unlock(struct tahr_keys *keys, const void *data, size_t len,
                                   size_t *line, const tahr_key *passphrase);

/* Frees every key, and the list; it is then empty. */
TAHR_API void tahr_keys_free(struct tahr_keys *keys);

/* How a key is written. */
enum tahr_format {
    TAHR_PEM,   /* RSA and ElGamal: PKCS#8 for a private key, SubjectPublicKeyInfo for a public one;
                   ElGamal's parameters are X9.42's p, g, q */
    TAHR_PKCS1, /* RSA only: RSAPrivateKey or RSAPublicKey in PEM (RFC 8017 A.1) */
    TAHR_SSH,   /* RSA public only: one authorized_keys line */
    TAHR_AGE,   /* AGE-PLUGIN-TAHR-1... for a private key, age1tahr1... for an ElGamal public one;
                   AGE-SECRET-KEY-1... and age1... for X25519 */
    TAHR_OPENSSH, /* RSA private only: openssh-key-v1 without a passphrase */
    /* ElGamal only, as TAHR_PEM but for the algorithm's name and parameters: */
    TAHR_OIW,   /* 1.3.14.7.2.1.1, p and g: Bouncy Castle, Crypto++ */
    TAHR_BOTAN, /* 1.3.6.1.4.1.3029.1.2.1, p, g, q */
    TAHR_PKCS3  /* Diffie-Hellman of PKCS#3, p and g */
};

/* The key as text, ended by a newline and a NUL, in guarded memory: *len is without the NUL.  Free
 * it with tahr_text_free. */
TAHR_API tahr_err tahr_key_write(char **text, size_t *len, const tahr_key *key,
                                 enum tahr_format format);

/* A description for people: type, size, group, fingerprint, public numbers, and the secret ones if
 * secret is non-zero.  Text as above. */
TAHR_API tahr_err tahr_key_show(char **text, size_t *len, const tahr_key *key, int secret);

/* The public numbers as a JSON object on one line: "type", "private", "bits", "group" if it has a
 * name, "fingerprint", "comment" if there is one; "n" in hexadecimal and "e", or "p", "g", "y", or
 * "u". Text as above. */
TAHR_API tahr_err tahr_key_show_json(char **text, size_t *len, const tahr_key *key);

TAHR_API void tahr_text_free(char *text);

/* --- Checking keys --- */

/* Something that is wrong with a key. */
struct tahr_finding {
    const char *name; /* a word that does not change: "rsa-close-primes" */
    const char *text; /* one line, no full stop, never a secret */
    const char *hint; /* one line: what to do; or NULL */
};

#define TAHR_FINDINGS_MAX 16

/* What an audit knows of a key, or of something in a file that is none. */
struct tahr_checked {
    size_t line;             /* of its file, where it begins; 0 for DER */
    enum tahr_key_type type; /* 0 if it could not be read: the finding "unreadable" says why */
    int is_private;
    int bits;          /* as tahr_key_bits */
    const char *group; /* an ElGamal group that is known, good or bad, such as "ffdhe3072",
                          "java1024", "rfc5114-2048-224"; else NULL */
    size_t count;      /* of findings; 0 for a good key */
    const struct tahr_finding *finding[TAHR_FINDINGS_MAX];
    size_t partner; /* with "rsa-shared-prime": the number of a key that has the prime too */
};

/* Keys that are checked together.  An audit reads what tahr_keys_read refuses, weak keys and
 * inconsistent ones, to say what is wrong with them; nothing else can be done with them. */
typedef struct tahr_audit tahr_audit;

TAHR_API tahr_err tahr_audit_new(tahr_audit **audit);

/* NULL is allowed. */
TAHR_API void tahr_audit_free(tahr_audit *audit);

/* Adds all that is in the len bytes of a file, as tahr_keys_read knows them, to the end of the
 * list: what cannot be read too, and one such entry if there is nothing.  The private numbers are
 * checked here (consistency, primality; seconds for a large explicit group) and not kept. Errors:
 * memory. */
TAHR_API tahr_err tahr_audit_add(tahr_audit *audit, const void *data, size_t len);

/* The same for a file under a passphrase (tahr_keys_locked), as tahr_keys_unlock reads it. */
TAHR_API tahr_err tahr_audit_unlock(tahr_audit *audit, const void *data, size_t len,
                                    const tahr_key *passphrase);

/* Checks every key, on all cores.  RSA: sizes, e, and all that n and e alone give away: factors
 * below 2^16, n prime or a power, close primes (Fermat), ROCA, smooth p - 1 (Pollard), small d
 * (Wiener).  With batch_gcd also primes that different moduli share (Bernstein's trees): 10,000
 * moduli of 2048 bits in less than a minute.  The watch is told how many steps are done.
 * Errors: memory, the watch asked to stop. */
TAHR_API tahr_err tahr_audit_run(tahr_audit *audit, int batch_gcd, const struct tahr_watch *watch);

/* The entries, in the order in which they were added; findings are complete after the run. */
TAHR_API size_t tahr_audit_count(const tahr_audit *audit);
TAHR_API const struct tahr_checked *tahr_audit_result(const tahr_audit *audit, size_t i);

/* The same for one key, without batch_gcd.  found is called with the text of each finding.  Returns
 * NULL for a good key, otherwise a TAHR_BAD_KEY error. */
TAHR_API tahr_err tahr_key_check(const tahr_key *key,
                                 void (*found)(void *context, const char *line), void *context);

/* --- Messages --- */

/* Where a message comes from and goes to.  read fills up to len bytes and sets *got, 0 at the end;
 * write takes all len bytes.  Both return 0, or non-zero to end the work with a TAHR_SYSTEM error;
 * they are called by the calling thread only.  threads is how many may work on the payload, up to
 * 16, the calling one included, and 0 is for as many as there are cores; what is written is the
 * same.  A thread that cannot be started is done without. */
struct tahr_io {
    int (*read)(void *context, void *buf, size_t len, size_t *got);
    int (*write)(void *context, const void *buf, size_t len);
    void *context;
    int threads;
};

/* Encrypts what io reads to the keys (public, or the public halves of private ones), as an age v1
 * file, armored if armor is non-zero.  Constant memory, any length. */
TAHR_API tahr_err tahr_encrypt(const struct tahr_io *io, const tahr_key *const *recipients,
                               size_t count, int armor);

/* Decrypts an age v1 file, armored or not, with the first of the private keys that fits.  What is
 * written has been authenticated chunk by chunk, but on failure it is not the whole: a caller who
 * keeps output must discard it unless NULL is returned. */
TAHR_API tahr_err tahr_decrypt(const struct tahr_io *io, const tahr_key *const *identities,
                               size_t count);

/* Gives an age v1 file other recipients without decrypting it: writes a new header, for those, and
 * then the same payload, with the file key that one of the identities finds.  Armored if the file
 * was, or if armor is non-zero.  The old header is verified, the payload is not: what was corrupt
 * stays so.  And who could open the old file may have kept its file key, which opens the new one:
 * to shut somebody out, decrypt and encrypt again. */
TAHR_API tahr_err tahr_rewrap(const struct tahr_io *io, const tahr_key *const *identities,
                              size_t identity_count, const tahr_key *const *recipients,
                              size_t count, int armor);

/* What a stanza of a message's header shows. */
struct tahr_stanza_report {
    const char *const *arg; /* printable ASCII without spaces; the first is the type */
    size_t args;
    size_t body_len; /* bytes */
    size_t match;    /* the index of the identity that opens it, or TAHR_NO_IDENTITY */
};
#define TAHR_NO_IDENTITY SIZE_MAX

/* What a message shows without being decrypted.  Lengths are bytes, without the armor. */
struct tahr_report {
    int armored;
    uint64_t header_len, payload_len;
    uint64_t plain_len; /* what that payload decrypts to, if it is whole */
    size_t count;
    const struct tahr_stanza_report *stanza;
};

/* Reads an age v1 file to its end and says what it is; io->write is not called, and may be NULL.
 * Nothing is verified but the header's MAC, if one of the identities (there may be none) opens it.
 * Free the report with tahr_report_free. */
TAHR_API tahr_err tahr_inspect(const struct tahr_report **report, const struct tahr_io *io,
                               const tahr_key *const *identities, size_t count);
TAHR_API void tahr_report_free(const struct tahr_report *report);

/* --- Stanzas, for programs that speak age's plugin protocol (C2SP age-plugin) --- */

/* A stanza, as an age header and that protocol have them: arguments of printable ASCII without
 * spaces, the first of them the type or the command, and a body of len bytes. */
struct tahr_stanza {
    const char *const *arg;
    size_t args;
    const unsigned char *body;
    size_t len;
};

/* Reads the next stanza, and no byte after it: io->read is called for one byte at a time, so it had
 * better be buffered.  *stanza is in one block of guarded memory, to be freed with
 * tahr_stanza_free; it is NULL at the end of the input, and on errors.  A stanza has at most 130
 * arguments and 2 MiB.  Errors: TAHR_BAD_MESSAGE for what is no stanza. */
TAHR_API tahr_err tahr_stanza_read(struct tahr_stanza **stanza, const struct tahr_io *io);

/* Writes a stanza in one call of io->write; there are 1 to 128 arguments. */
TAHR_API tahr_err tahr_stanza_write(const struct tahr_io *io, const struct tahr_stanza *stanza);

/* Wipes and frees; NULL is allowed. */
TAHR_API void tahr_stanza_free(struct tahr_stanza *stanza);

/* A file key: 16 random bytes, from which all keys of one age file are derived. */
#define TAHR_FILE_KEY_LEN 16

/* *stanza = the file key for a recipient (a public key, or the public half of a private one), as it
 * stands in an age header: type tahr/elgamal or ssh-rsa.  Free it with tahr_stanza_free.
 * Secret: file_key.  Leaks: the key. */
TAHR_API tahr_err tahr_wrap(struct tahr_stanza **stanza,
                            const unsigned char file_key[TAHR_FILE_KEY_LEN],
                            const tahr_key *recipient);

/* file_key = what the stanzas of one header hold for one of the identities, which are private keys.
 * Stanzas of types that none of them opens are ignored; all others are looked at, so that one that
 * is out of shape is an error even where another opens, as that protocol asks.
 * At most eight stanzas are tried with an identity that fit its tag.
 * *at is the index of the stanza that opened or is at fault.
 * Errors: TAHR_NO_MATCH if none is for these identities, TAHR_BAD_MESSAGE if one is out of shape,
 * or is for them but corrupt and no other opens; TAHR_BAD_KEY for a public key.
 * Secret: the identities, file_key.  Leaks: the answer, *at. */
TAHR_API tahr_err tahr_unwrap(unsigned char file_key[TAHR_FILE_KEY_LEN], size_t *at,
                              const struct tahr_stanza *const *stanzas, size_t count,
                              const tahr_key *const *identities, size_t identity_count);

/* --- RSA (RFC 8017), for other formats than age's --- */

/* k, the bytes of the modulus, and of every m and c below; 0 for a key that is not RSA. */
TAHR_API size_t tahr_rsa_len(const tahr_key *key);

/* c = m^e mod n, and m = c^d mod n, on k big-endian bytes each, below n.  Raw RSA is no encryption:
 * equal messages look equal, and anybody can multiply them.  The private operation is blinded, runs
 * in constant time, and is verified before it is released.
 * Secret: m, the private key.  Leaks: the lengths of n, p, q; e; success. */
TAHR_API tahr_err tahr_rsa_raw_public(unsigned char *c, const unsigned char *m,
                                      const tahr_key *key);
TAHR_API tahr_err tahr_rsa_raw_private(unsigned char *m, const unsigned char *c,
                                       const tahr_key *key);

enum tahr_hash { TAHR_SHA256 = 1, TAHR_SHA512 };

/* OAEP (RFC 8017 7.1): the hash function of the label, that of MGF1, and the label, which both
 * sides have to know. */
struct tahr_oaep {
    enum tahr_hash hash, mgf1_hash;
    const void *label;
    size_t label_len;
};

/* c (k bytes) = the len bytes of m, encrypted; len is at most k - 2 hLen - 2, hLen the bytes of the
 * first hash.  Secret: m.  Leaks: len, the key. */
TAHR_API tahr_err tahr_rsa_encrypt(unsigned char *c, const void *m, size_t len,
                                   const struct tahr_oaep *oaep, const tahr_key *key);

/* m (room for k bytes) and its length *len from c.  All that can be wrong with c is one error, by
 * the same steps (Manger, CRYPTO 2001).  Secret: the key, m.  Leaks: success, and then *len. */
TAHR_API tahr_err tahr_rsa_decrypt(unsigned char *m, size_t *len, const unsigned char *c,
                                   size_t c_len, const struct tahr_oaep *oaep, const tahr_key *key);

/* --- Raw ElGamal, for protocols that compute with ciphertexts (elections) ---
 *
 * Anybody can multiply and re-randomise these ciphertexts.  That is what such protocols want, and
 * why messages are encrypted with tahr_encrypt instead.  Keys here are numbers, and of no use for
 * messages; numbers are big-endian bytes, an element as long as p (n bytes), an exponent as long as
 * q.  A ciphertext is c1 and then c2, 2 n bytes:
 *
 *     (c1, c2) = (g^k, m y^k),  k uniform in [1, q - 1];     m = c2 / c1^x;     y = g^x
 *
 * Every element that arrives is checked, 1 <= a < p and a^q = 1; y must not be 1.  Outputs may be
 * inputs.  Errors: TAHR_BAD_MESSAGE for a number that is no element, TAHR_BAD_KEY for x and y. */

/* The subgroup of prime order q of the integers modulo a prime p, generated by g. */
typedef struct tahr_group tahr_group;

/* A group of one's own: p of 2048 to 8192 bits, q of 224 or more.  Everything is checked, that p
 * and q are prime, g^q = 1, g != 1, and so q | p - 1; this takes a moment.  Not checked is where
 * the numbers come from: a group should be made from a seed that all can see. */
TAHR_API tahr_err tahr_group_new(tahr_group **group, const void *p, size_t p_len, const void *q,
                                 size_t q_len, const void *g, size_t g_len);

/* "ffdhe2048" ... "modp8192": g = 2, q = (p - 1)/2. */
TAHR_API tahr_err tahr_group_named(tahr_group **group, const char *name);

/* NULL is allowed. */
TAHR_API void tahr_group_free(tahr_group *group);

/* The bytes of p, and of q. */
TAHR_API size_t tahr_group_element_len(const tahr_group *group);
TAHR_API size_t tahr_group_exponent_len(const tahr_group *group);

/* NULL if a (n bytes) is an element: 1 <= a < p, a^q = 1. */
TAHR_API tahr_err tahr_group_check(const unsigned char *a, const tahr_group *group);

/* A fresh key: x uniform in [1, q - 1], y = g^x.  And y for a given x.
 * Secret: x.  Leaks: the group. */
TAHR_API tahr_err tahr_elgamal_new(unsigned char *x, unsigned char *y, const tahr_group *group);
TAHR_API tahr_err tahr_elgamal_public(unsigned char *y, const unsigned char *x,
                                      const tahr_group *group);

/* c = the element m, encrypted; and back.  Secret: m, x, k.  Leaks: the group, validity. */
TAHR_API tahr_err tahr_elgamal_encrypt(unsigned char *c, const unsigned char *m,
                                       const unsigned char *y, const tahr_group *group);
TAHR_API tahr_err tahr_elgamal_decrypt(unsigned char *m, const unsigned char *c,
                                       const unsigned char *x, const tahr_group *group);

/* The exponential form: c = g^m, encrypted, so that products of ciphertexts are sums of m.  Coming
 * back takes sqrt(max) multiplications and as many table entries of 16 bytes (baby steps and giant
 * steps, HAC 3.56); max is below 2^40.  An m above max is a TAHR_BAD_MESSAGE error.
 * Secret: m to encrypt, x, k.  Leaks: the group, m when it is found. */
TAHR_API tahr_err tahr_elgamal_encrypt_exponent(unsigned char *c, uint64_t m,
                                                const unsigned char *y, const tahr_group *group);
TAHR_API tahr_err tahr_elgamal_decrypt_exponent(uint64_t *m, const unsigned char *c,
                                                const unsigned char *x, uint64_t max,
                                                const tahr_group *group);

/* c = a b, a ciphertext of the product of their messages (of the sum, in the exponential form). */
TAHR_API tahr_err tahr_elgamal_multiply(unsigned char *c, const unsigned char *a,
                                        const unsigned char *b, const tahr_group *group);

/* c = a times a fresh ciphertext of 1: the same message, and nothing to tell that by but x. */
TAHR_API tahr_err tahr_elgamal_rerandomize(unsigned char *c, const unsigned char *a,
                                           const unsigned char *y, const tahr_group *group);

#ifdef __cplusplus
}
#endif

#endif
