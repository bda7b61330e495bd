/* PEM blocks (RFC 7468), and the lines of the text files that they stand in.
 * Secret: what is in the blocks.  Leaks: where its lines end, lengths, and what is wrong. */
#ifndef TAHR_PEM_H
#define TAHR_PEM_H

#include "bytes.h"
#include "tahr.h"

/* A text that is read line by line. */
struct lines {
    struct bytes rest;
    size_t number; /* of the last line read, from 1 */
};

/* line = the next line, without its end and the white space around it.  Returns 1, or 0 at the end.
 */
int line_next(struct bytes *line, struct lines *in);

/* Is this line the first of a PEM block?  1 and its label, or 0. */
int pem_begins(struct bytes *label, struct bytes line);

/* der = what is in the block whose first line was read last; reads up to its END line.  The base64
 * must be canonical, in lines of any length; there are no headers.  out has room for max bytes. */
tahr_err pem_read(uint8_t *out, size_t max, struct bytes *der, struct lines *in,
                  struct bytes label);

/* Reads up to the END line of the block whose first line was read last, or whatever ends it. */
void pem_skip(struct lines *in);

/* A block whose header says that it is encrypted. */
extern const struct tahr_error pem_encrypted;

/* text (pem_len characters and a NUL) = a block with that label. */
size_t pem_len(const char *label, size_t len);
void pem_write(char *text, const char *label, struct bytes der);

#endif
