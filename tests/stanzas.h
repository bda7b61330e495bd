/* Reads files of test vectors in the grammar of OpenSSL's tests: stanzas of "name = value" lines,
 * ended by a blank line; # begins a comment line; a PEM block belongs to the value before it. */
#ifndef TAHR_STANZAS_H
#define TAHR_STANZAS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STANZA_FIELDS 24

struct stanzas {
    FILE *file;
    int line;  /* read last, from 1 */
    int first; /* line of the present stanza */
    int count; /* its fields */
    struct {
        char *name, *value;
    } field[STANZA_FIELDS];
};

/* Returns 0, or -1 when the file cannot be read. */
int stanzas_open(struct stanzas *s, const char *path);
void stanzas_close(struct stanzas *s);

/* Goes on to the next stanza: 1, or 0 at the end of the file, or -1 for a line out of grammar. */
int stanzas_next(struct stanzas *s);

/* The value of the stanza's first field of that name; NULL if it has none. */
const char *stanzas_get(const struct stanzas *s, const char *name);

/* out = the bytes that a value stands for, hex or "text"; returns how many, or -1 if there are more
 * than max or the value is neither. */
long value_bytes(uint8_t *out, size_t max, const char *value);

#endif
