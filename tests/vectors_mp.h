/* Stanzas of the vector files by printable integers, into every output that may alias an input. */
#ifndef TAHR_VECTORS_MP_H
#define TAHR_VECTORS_MP_H

#include "stanzas.h"

enum verdict { FAIL, PASS, SKIP };

/* SKIP if no function of mp.h computes what the stanza tells. */
enum verdict vectors_mp(const struct stanzas *s);

#endif
