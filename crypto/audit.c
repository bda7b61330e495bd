/* The auditor: reads every key there is, also what may not be used, and says what is wrong with it.
 *
 * The private numbers of a key are checked while they are read, and not kept.  Of RSA keys n and e
 * stay, for the tests that cost time, which the threads share, and for the primes that keys have in
 * common. */
#include "audit.h"
#include "parallel.h"

#include <stdlib.h>

#define NEW_RSA     "make a new key: tahr-key new -t rsa"
#define NEW_ELGAMAL "make a new key: tahr-key new"
#define BROKEN_RSA  "stop using the key, and " NEW_RSA

static const struct tahr_finding texts[FINDINGS] = {
    [RSA_SHORT] = {"rsa-short", "n has fewer than 2048 bits", NEW_RSA},
    [RSA_EXPONENT_ONE] = {"rsa-exponent-one", "e is 1 or 0, so that nothing is encrypted",
                          BROKEN_RSA},
    [RSA_EXPONENT_EVEN] = {"rsa-exponent-even", "e is even, so that nothing can be decrypted",
                           NEW_RSA},
    [RSA_EXPONENT_LARGE] = {"rsa-exponent-large",
                            "e is not below 2^24, and other programs refuse it", NEW_RSA},
    [RSA_TINY_FACTOR] = {"rsa-tiny-factor", "n has a prime factor below 65536", BROKEN_RSA},
    [RSA_PRIME_MODULUS] = {"rsa-prime-modulus", "n is prime, so that anybody can decrypt",
                           BROKEN_RSA},
    [RSA_POWER] = {"rsa-power", "n is a power of a smaller number", BROKEN_RSA},
    [RSA_CLOSE_PRIMES] = {"rsa-close-primes",
                          "p and q are so close that Fermat's method finds them (CVE-2022-26320)",
                          BROKEN_RSA},
    [RSA_ROCA] = {"rsa-roca", "p and q have a form that gives them away (ROCA, CVE-2017-15361)",
                  BROKEN_RSA},
    [RSA_SMOOTH] = {"rsa-smooth",
                    "p - 1 or q - 1 has only small factors, so that Pollard's method finds them",
                    BROKEN_RSA},
    [RSA_SMALL_D] = {"rsa-small-d", "d is so small that Wiener's method finds it", BROKEN_RSA},
    [RSA_SHARED_PRIME] = {"rsa-shared-prime",
                          "another key has the same p or q, which gives both away",
                          "stop using both keys, and make new ones: tahr-key new -t rsa"},
    [RSA_INCONSISTENT] = {"rsa-inconsistent",
                          "the numbers of the RSA private key do not belong together",
                          "take the key from a backup, or " NEW_RSA},
    [RSA_COMPOSITE] = {"rsa-composite", "p or q is not prime", BROKEN_RSA},
    [RSA_UNBALANCED] = {"rsa-unbalanced",
                        "p and q are of so different sizes that the smaller one can be found",
                        BROKEN_RSA},
    [ELGAMAL_SHORT] = {"elgamal-short", "p has fewer than 2048 bits", NEW_ELGAMAL},
    [ELGAMAL_LONG] = {"elgamal-long", "p has more than 8192 bits, which is not supported",
                      NEW_ELGAMAL},
    [ELGAMAL_DSA_GROUP] =
        {"elgamal-dsa-group",
         "the group is one of Java's or of RFC 5114, which were made for signing: "
         "small subgroups betray short exponents",
         NEW_ELGAMAL},
    [ELGAMAL_COMPOSITE] = {"elgamal-composite", "p is not prime", NEW_ELGAMAL},
    [ELGAMAL_UNSAFE] = {"elgamal-unsafe",
                        "p is no safe prime: small subgroups betray short exponents", NEW_ELGAMAL},
    [ELGAMAL_BAD_GENERATOR] = {"elgamal-bad-generator", "g is not between 2 and p - 2",
                               NEW_ELGAMAL},
    [ELGAMAL_FULL_GENERATOR] = {"elgamal-full-generator",
                                "g is no residue, and betrays a bit of every exponent (GnuPG makes "
                                "such keys)",
                                NEW_ELGAMAL},
    [ELGAMAL_BAD_Y] = {"elgamal-bad-y", "y is no residue between 2 and p - 2",
                       "ask the key's owner for the right one"},
    [ELGAMAL_BAD_X] = {"elgamal-bad-x", "x is not between 1 and q - 1", NEW_ELGAMAL},
    [ELGAMAL_MISMATCH] = {"elgamal-mismatch", "y is not g^x",
                          "take the key from a backup, or " NEW_ELGAMAL},
};

/* A key; n and e are 0 unless it is of RSA. */
struct entry {
    struct tahr_checked result;
    struct tahr_finding unreadable;
    findings found;
    mp_int n, e;
};

struct tahr_audit {
    struct entry **entry;
    size_t count;
};

tahr_err tahr_audit_new(tahr_audit **audit)
{
    *audit = calloc(1, sizeof **audit);
    return *audit != NULL ? NULL : &keyfile_no_memory;
}

static void entry_free(struct entry *entry)
{
    mp_clear_multi(&entry->n, &entry->e, NULL);
    free(entry);
}

void tahr_audit_free(tahr_audit *audit)
{
    if (audit == NULL)
        return;
    for (size_t i = 0; i < audit->count; i++)
        entry_free(audit->entry[i]);
    free(audit->entry);
    free(audit);
}

/* A new entry at the end; the list's room is the power of two at or above its count. */
static struct entry *append(tahr_audit *audit, size_t line)
{
    size_t count = audit->count;
    struct entry *entry = calloc(1, sizeof *entry), **list;

    if (entry == NULL || mp_init_multi(&entry->n, &entry->e, NULL)) {
        free(entry);
        return NULL;
    }
    if ((count & (count - 1)) == 0) {
        list = realloc(audit->entry, (count > 0 ? 2 * count : 1) * sizeof *list);
        if (list == NULL) {
            entry_free(entry);
            return NULL;
        }
        audit->entry = list;
    }
    entry->result.line = line;
    audit->entry[audit->count++] = entry;
    return entry;
}

static void set_unreadable(struct entry *entry, tahr_err fault)
{
    entry->unreadable = (struct tahr_finding){"unreadable", fault->text, fault->hint};
}

/* An entry in which nothing is found yet, but whose numbers make no key, has them in a form that
 * they should not have. */
static tahr_err check_form(struct entry *entry, const struct key_fields *f)
{
    tahr_key *key = key_alloc(f->type, f->is_private);
    tahr_err err = key != NULL ? keyfile_key(key, f) : &keyfile_no_memory;

    tahr_key_free(key);
    if (err != NULL && err->code != TAHR_BAD_KEY)
        return err;
    if (err != NULL)
        set_unreadable(entry, err);
    return NULL;
}

static tahr_err add_rsa(struct entry *entry, const struct key_fields *f)
{
    if (mp_from_ubin(&entry->n, f->rsa.n.p, f->rsa.n.len) ||
        mp_from_ubin(&entry->e, f->e.p, f->e.len))
        return &keyfile_no_memory;
    entry->result.bits = mp_count_bits(&entry->n);
    return f->is_private ? audit_rsa_private(&entry->found, f) : NULL;
}

static tahr_err add_fields(tahr_audit *audit, const struct key_fields *f, size_t line)
{
    struct entry *entry = append(audit, line);
    tahr_err err;

    if (entry == NULL)
        return &keyfile_no_memory;
    entry->result.type = f->type;
    entry->result.is_private = f->is_private;
    if (f->type == TAHR_RSA)
        return add_rsa(entry, f);
    if (f->type == TAHR_X25519) {
        entry->result.bits = 255;
        return check_form(entry, f); /* any k is good; a u of small order is refused */
    }
    err = audit_elgamal(&entry->found, &entry->result.bits, &entry->result.group, f);
    if (err == NULL && entry->found == 0 && (f->elgamal.id >= 0 || f->elgamal.q.p != NULL))
        err = check_form(entry, f);
    return err;
}

static tahr_err visit(void *context, const struct key_fields *f, tahr_err fault, size_t line)
{
    struct entry *entry;

    if (fault == NULL)
        return add_fields(context, f, line);
    if (fault->code != TAHR_BAD_KEY)
        return fault;
    if ((entry = append(context, line)) == NULL)
        return &keyfile_no_memory;
    set_unreadable(entry, fault);
    return NULL;
}

tahr_err tahr_audit_add(tahr_audit *audit, const void *data, size_t len)
{
    static const struct tahr_error empty = {TAHR_BAD_KEY, "there is no key in the file", NULL};
    const struct keyfile_visitor visitor = {visit, audit};
    size_t before = audit->count;
    tahr_err err = keyfile_visit(&visitor, (struct bytes){data, len});

    return err == NULL && audit->count == before ? visit(audit, NULL, &empty, 0) : err;
}

/* --- What is shared: the tests of n and e, and batch gcd --- */

struct public_work {
    const tahr_audit *audit;
    struct audit_rsa tables;
};

static int check_public(void *context, size_t i)
{
    const struct public_work *work = context;
    struct entry *entry = work->audit->entry[i];

    if (entry->result.type != TAHR_RSA)
        return 0;
    return audit_rsa_public(&entry->found, &entry->n, &entry->e, &work->tables);
}

static tahr_err check_all(const tahr_audit *audit, const struct tahr_watch *watch)
{
    struct public_work work = {.audit = audit};
    tahr_err err;

    if (audit_rsa_start(&work.tables))
        return &keyfile_no_memory;
    err = parallel_for(audit->count, check_public, &work, watch, 0);
    audit_rsa_end(&work.tables);
    return err;
}

static int by_modulus(const void *a, const void *b)
{
    const struct entry *const *x = a, *const *y = b;

    return mp_cmp(&(*x)->n, &(*y)->n);
}

/* The moduli to compare: each once, for a key may come with its public half. */
struct moduli {
    struct entry **entry; /* sorted by n */
    const mp_int **n;
    size_t *first; /* n[i] is that of entry[first[i]] up to entry[first[i + 1] - 1] */
    mp_int *shared;
    size_t count, entries;
};

static void moduli_free(struct moduli *m)
{
    for (size_t i = 0; m->shared != NULL && i < m->count; i++)
        mp_clear(&m->shared[i]);
    free(m->entry);
    free(m->n);
    free(m->first);
    free(m->shared);
}

static int moduli_init(struct moduli *m, const tahr_audit *audit)
{
    size_t all = audit->count + 1;

    *m = (struct moduli){calloc(all, sizeof *m->entry),
                         calloc(all, sizeof *m->n),
                         calloc(all, sizeof *m->first),
                         calloc(all, sizeof *m->shared),
                         0,
                         0};
    if (m->entry == NULL || m->n == NULL || m->first == NULL || m->shared == NULL)
        return -1;
    for (size_t i = 0; i < audit->count; i++) {
        audit->entry[i]->result.partner = i; /* for now, its own number */
        if (mp_cmp_d(&audit->entry[i]->n, 1) == MP_GT)
            m->entry[m->entries++] = audit->entry[i];
    }
    qsort(m->entry, m->entries, sizeof *m->entry, by_modulus);
    for (size_t i = 0; i < m->entries; i++) {
        if (i > 0 && by_modulus(&m->entry[i - 1], &m->entry[i]) == 0)
            continue;
        if (mp_init(&m->shared[m->count]))
            return -1;
        m->n[m->count] = &m->entry[i]->n;
        m->first[m->count++] = i;
    }
    m->first[m->count] = m->entries;
    return 0;
}

/* The number of a key that shares a prime with n[i]. */
static int find_partner(size_t *partner, const struct moduli *m, size_t i)
{
    mp_int g;
    int err = mp_init(&g), found = 0;

    if (err)
        return -1;
    for (size_t j = 0; j < m->count && !err && !found; j++) {
        if (j == i || mp_cmp_d(&m->shared[j], 1) == MP_EQ)
            continue;
        err = mp_gcd(m->n[i], m->n[j], &g);
        found = !err && mp_cmp_d(&g, 1) != MP_EQ;
        *partner = j;
    }
    mp_clear(&g);
    return err ? -1 : 0;
}

/* Tells the keys of n[i], once the partners of all are known by number. */
static void tell_shared(const struct moduli *m, const size_t *partner, const size_t *number)
{
    for (size_t i = 0; i < m->count; i++) {
        if (mp_cmp_d(&m->shared[i], 1) == MP_EQ)
            continue;
        for (size_t k = m->first[i]; k < m->first[i + 1]; k++) {
            find(&m->entry[k]->found, RSA_SHARED_PRIME);
            m->entry[k]->result.partner = number[partner[i]];
        }
    }
}

static tahr_err check_shared(const tahr_audit *audit, const struct tahr_watch *watch)
{
    struct moduli m;
    size_t *partner = calloc(audit->count + 1, sizeof *partner);
    size_t *number = calloc(audit->count + 1, sizeof *number);
    tahr_err err = &keyfile_no_memory;

    if (moduli_init(&m, audit) || partner == NULL || number == NULL)
        goto done;
    if ((err = m.count > 1 ? audit_batch_gcd(m.shared, m.n, m.count, watch) : NULL))
        goto done;
    err = &keyfile_no_memory;
    for (size_t i = 0; i < m.count && m.count > 1; i++) {
        number[i] = m.entry[m.first[i]]->result.partner;
        if (mp_cmp_d(&m.shared[i], 1) != MP_EQ && find_partner(&partner[i], &m, i))
            goto done;
    }
    if (m.count > 1)
        tell_shared(&m, partner, number);
    err = NULL;
done:
    moduli_free(&m);
    free(partner);
    free(number);
    return err;
}

/* --- The results --- */

static void conclude(struct entry *entry)
{
    struct tahr_checked *r = &entry->result;

    r->count = 0;
    if (entry->unreadable.name != NULL)
        r->finding[r->count++] = &entry->unreadable;
    for (int i = 0; i < FINDINGS && r->count < TAHR_FINDINGS_MAX; i++)
        if (entry->found >> i & 1)
            r->finding[r->count++] = &texts[i];
}

tahr_err tahr_audit_run(tahr_audit *audit, int batch_gcd, const struct tahr_watch *watch)
{
    tahr_err err = check_all(audit, watch);

    if (err == NULL && batch_gcd)
        err = check_shared(audit, watch);
    for (size_t i = 0; i < audit->count; i++)
        conclude(audit->entry[i]);
    return err;
}

size_t tahr_audit_count(const tahr_audit *audit)
{
    return audit->count;
}

const struct tahr_checked *tahr_audit_result(const tahr_audit *audit, size_t i)
{
    return &audit->entry[i]->result;
}

/* --- One key that was read --- */

/* The key's numbers, by writing and reading it; and y of a private one, which PKCS #8 leaves out.
 */
static tahr_err add_key(tahr_audit *audit, const tahr_key *key, struct key_fields *f, uint8_t *buf)
{
    struct der_out out;
    struct bytes der;
    tahr_err err;
    uint8_t y[ELGAMAL_MAX_LEN];

    der_out_init(&out, buf, KEYFILE_DER_MAX);
    if (key->is_private)
        keyfile_put_pkcs8(&out, key, TAHR_PEM);
    else
        keyfile_put_spki(&out, key, TAHR_PEM);
    if ((err = der_out_end(&der, &out)) ||
        (err = key->is_private ? keyfile_pkcs8(f, der) : keyfile_spki(f, der)))
        return err;
    if (key->type == TAHR_ELGAMAL && key->is_private) {
        const struct elgamal_public *pub = &key->u.elgamal.pub;
        size_t n = group_len(&pub->group);
        nat_to_bytes(y, n, pub->y, pub->group.p.n);
        f->elgamal.y = (struct bytes){y, n};
    }
    return add_fields(audit, f, 0);
}

static tahr_err audit_key(tahr_audit *audit, const tahr_key *key)
{
    struct key_fields *f = secret_alloc(sizeof *f);
    uint8_t *buf = secret_alloc(KEYFILE_DER_MAX);
    tahr_err err = f != NULL && buf != NULL ? add_key(audit, key, f, buf) : &keyfile_no_memory;

    secret_free(f);
    secret_free(buf);
    return err ? err : tahr_audit_run(audit, 0, NULL);
}

tahr_err tahr_key_check(const tahr_key *key, void (*found)(void *context, const char *line),
                        void *context)
{
    static const struct tahr_error bad_key = {TAHR_BAD_KEY, "the key did not pass its check", NULL};
    tahr_audit *audit;
    tahr_err err;

    if (key->type == TAHR_PASSPHRASE || key->type == TAHR_X25519)
        return NULL; /* any is good, and what is no u was not read */
    err = tahr_audit_new(&audit);
    if (err == NULL && (err = audit_key(audit, key)) == NULL) {
        const struct tahr_checked *result = tahr_audit_result(audit, 0);
        for (size_t i = 0; i < result->count && found != NULL; i++)
            found(context, result->finding[i]->text);
        err = result->count > 0 ? &bad_key : NULL;
    }
    tahr_audit_free(audit);
    return err;
}
