/* What is wrong with an ElGamal key: its group, y, x.
 *
 * A group that group_explicit takes is good; of one that it refuses the auditor says why, and which
 * one it is if it is known.  y and x are only asked about in a good group. */
#include "audit.h"
#include "prime.h"

/* Groups that programs came with, by the first 64 bits of SHA-256(p): the DSA parameters of Java's
 * SUN provider, which JCE and Bouncy Castle hand out for Diffie-Hellman too, and those of RFC 5114,
 * all with a subgroup of 160 to 256 bits; and the safe primes of RFC 2409 and 3526 that have become
 * too short. */
static const struct {
    uint64_t hash;
    int dsa;
    const char *name;
} known[] = {
    {0x73b391ec8da33ee1, 1, "java512"},          {0xee5483fe4b96caa1, 1, "java768"},
    {0xcc21a33dd1a3edf4, 1, "java1024"},         {0x323697523a11f957, 1, "java2048-224"},
    {0x4f71ed9cf22613d4, 1, "java2048-256"},     {0x44c55cfee5c07592, 1, "rfc5114-1024-160"},
    {0xbfe545862ca102ad, 1, "rfc5114-2048-224"}, {0x0b7835722cb61982, 1, "rfc5114-2048-256"},
    {0xb52ba6a3026520a6, 0, "modp768"},          {0x3f35a3f5f6c4376a, 0, "modp1024"},
    {0x64fcc83ec403930b, 0, "modp1536"},
};

/* The row of p, or -1. */
static int find_known(struct bytes p)
{
    uint8_t digest[32];
    uint64_t hash = 0;

    secret_sha256(digest, &p, 1);
    for (int i = 0; i < 8; i++)
        hash = hash << 8 | digest[i];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (hash == known[i].hash)
            return (int)i;
    return -1;
}

/* Rounds of Miller-Rabin beyond Baillie-PSW. */
#define ROUNDS 8

/* What is wrong with the prime p of those bits?  A p above ELGAMAL_MAX_BITS would take too long. */
static findings check_prime(const limb_t *p, int bits)
{
    limb_t q[NAT_MAX];
    findings found = 0;

    if (bits > ELGAMAL_MAX_BITS)
        find(&found, ELGAMAL_LONG);
    if (bits < ELGAMAL_MIN_BITS)
        find(&found, ELGAMAL_SHORT);
    if (bits > ELGAMAL_MAX_BITS)
        return found;
    nat_shr(q, p, 1, NAT_MAX);
    if (!prime_check_vartime(p, NAT_MAX, ROUNDS))
        find(&found, ELGAMAL_COMPOSITE);
    else if (!prime_check_vartime(q, NAT_MAX, ROUNDS))
        find(&found, ELGAMAL_UNSAFE);
    return found;
}

/* What is wrong with g, for a safe prime p of those bits? */
static findings check_generator(const limb_t *p, int bits, const limb_t *g)
{
    struct group group;
    findings found = 0;

    if (mod_init(&group.p, p, bits) || nat_bits_vartime(g, NAT_MAX) > bits ||
        !declassify(group_in_range(g, &group))) /* public */
        find(&found, ELGAMAL_BAD_GENERATOR);
    else if (mod_jacobi_vartime(g, &group.p) != 1)
        find(&found, ELGAMAL_FULL_GENERATOR);
    return found;
}

/* Why is the group refused? */
static findings diagnose(int *bits, const char **name, const struct elgamal_fields *f)
{
    limb_t p[NAT_MAX], g[NAT_MAX];
    int row = find_known(f->p);
    findings found = 0;

    if (declassify(choice_not(nat_from_bytes(p, NAT_MAX, f->p.p, f->p.len)))) { /* public */
        find(&found, ELGAMAL_LONG);
        return found;
    }
    *bits = nat_bits_vartime(p, NAT_MAX);
    if (row >= 0) {
        *name = known[row].name;
        find(&found, known[row].dsa ? ELGAMAL_DSA_GROUP : ELGAMAL_SHORT);
        return found;
    }
    found = check_prime(p, *bits);
    if (found & ~((findings)1 << ELGAMAL_SHORT))
        return found;
    if (declassify(choice_not(nat_from_bytes(g, NAT_MAX, f->g.p, f->g.len)))) /* public */
        find(&found, ELGAMAL_BAD_GENERATOR);
    else
        found |= check_generator(p, *bits, g);
    return found;
}

static int make_group(struct group *group, const struct elgamal_fields *f)
{
    if (f->id > 0)
        return group_by_id(group, (uint8_t)f->id);
    return group_explicit(group, f->p.p, f->p.len, f->g.p, f->g.len) ? -1 : 0;
}

/* y = g^x, if both are there. */
static tahr_err check_private(findings *found, const struct group *group,
                              const struct elgamal_fields *f)
{
    struct elgamal_private *key = secret_alloc(sizeof *key);
    uint8_t y[ELGAMAL_MAX_LEN];
    size_t n = group_len(group);

    if (key == NULL)
        return &keyfile_no_memory;
    key->pub.group = *group;
    if (elgamal_private_init(key, f->x.p, f->x.len, NULL, 0)) {
        find(found, ELGAMAL_BAD_X);
    } else if (f->y.len > 0) {
        nat_to_bytes(y, n, key->pub.y, group->p.n);
        if (!bytes_equal(bytes_trim((struct bytes){y, n}), bytes_trim(f->y)))
            find(found, ELGAMAL_MISMATCH);
    }
    secret_free(key);
    return NULL;
}

static void check_public(findings *found, const struct group *group, struct bytes y)
{
    uint8_t element[ELGAMAL_MAX_LEN] = {0};
    size_t n = group_len(group);

    y = bytes_trim(y);
    if (y.len <= n)
        memcpy(element + n - y.len, y.p, y.len); /* and else it stays 0, which is none */
    if (!elgamal_element_valid(element, n, group))
        find(found, ELGAMAL_BAD_Y);
}

tahr_err audit_elgamal(findings *found, int *bits, const char **name, const struct key_fields *f)
{
    const struct elgamal_fields *e = &f->elgamal;
    struct group group;

    *name = NULL;
    *bits = 0;
    if (make_group(&group, e) != 0) {
        *found |= diagnose(bits, name, e);
        return NULL;
    }
    *name = group.name;
    *bits = group.p.bits;
    if (f->is_private)
        return check_private(found, &group, e);
    check_public(found, &group, e->y);
    return NULL;
}
