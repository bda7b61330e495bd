/* bn.h: the header as programs for LibTomMath name it; everything is in mp.h. */
#ifndef TAHR_BN_H
#define TAHR_BN_H

#include "mp.h"

#endif
