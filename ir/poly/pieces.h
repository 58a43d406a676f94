/* Tensors in pieces: proofs that no element is defined twice, and that each is defined. Pieces that are compared are of
 * one tensor, of this rank. False: not proved. */
#ifndef TDC_PIECES_H
#define TDC_PIECES_H

#include "known.h"

/* Different values of the piece's variables give different elements: the subscripts tell each of them. */
bool pieces_injective(Known *known, const Piece *p, int rank);
/* No element is in both: somewhere the subscripts differ for all values, or the guards exclude each other. */
bool pieces_disjoint(Known *known, const Piece *a, const Piece *b, int rank);
/* All are injective, and each two disjoint. */
bool pieces_apart(Known *known, const Piece *pieces, int n, int rank);
/* Pieces that are apart define all elements of the tensor. */
bool pieces_cover(Known *known, const Tensor *t);

#endif
