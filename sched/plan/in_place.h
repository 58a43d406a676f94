/* Rows that are changed in place by other elements of their own: see in_place.c. */
#ifndef TDC_IN_PLACE_H
#define TDC_IN_PLACE_H

#include "plan.h"

/* The new values of an inout that others of its elements are made of are stored elsewhere, and then moved
 * (partition_update.c). Of rows, which one block may have whole, a group that changes them where they stand, with a
 * largest length; NULL: there is none. `moves` stores what `makes` has stored. */
Group *in_place_group(const Plan *plan, const Group *makes, const Group *moves);
/* Whether a group may be the one that moves them. */
bool in_place_may(const Group *gr);

#endif
