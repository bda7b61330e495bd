/* tommath.h: the header as programs for LibTomMath name it; everything is in mp.h. */
#ifndef TAHR_TOMMATH_H
#define TAHR_TOMMATH_H

#include "mp.h"

#endif
