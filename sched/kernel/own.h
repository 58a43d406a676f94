/* Elements that a kernel loads and then stores itself: see own.c. */
#ifndef TDC_OWN_H
#define TDC_OWN_H

#include "kernel.h"

/* Whether a stage of the part stores, after that, what the load loads: the same subscripts in the same layout; or that
 * of another such load decides whether, or what, this one loads. Where several threads have one value of it, those that
 * will store it load it, and the others have nothing. */
bool stage_loads_own(const Part *part, const Stage *load);
/* Whether all that is made of a load's value is stored, by threads whose digits in those factors are 0. */
bool stage_only_stored(const Part *part, const Stage *load, FactorSet first);

#endif
