/* Copies between the caller's arrays and memory that kernels read. Fringes are never touched. */
#ifndef BRIDGE_KERNELS_CPU_MARSHAL_H
#define BRIDGE_KERNELS_CPU_MARSHAL_H

#include "interface.h"

namespace BRIDGE_NAMESPACE {

/* Points first .. first+n-1 of an array into a block of a slot ([vector][column][lane]); the
 * last vector is filled up by repeating the last point. */
void gatherBlock(const bridge_array& array, const bridge_slot& slot, int64_t first, int64_t n,
                 char* block);

/* ... and back, without the padding. */
void scatterBlock(const bridge_array& array, const bridge_slot& slot, int64_t first, int64_t n,
                  const bridge_argument& block);

/* Whether kernels may read these points where they are; then `place` says where. */
bool inPlace(const bridge_array& array, const bridge_slot& slot, int64_t first, int64_t n,
             bridge_argument& place);

}  // namespace BRIDGE_NAMESPACE

#endif
