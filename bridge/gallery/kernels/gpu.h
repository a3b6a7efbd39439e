// What the kernels of the gallery need besides CUDA; `emulation.h` has the same for a CPU.
#pragma once

// Shared memory whose size the launch gives.
#define DYNAMIC_SHARED(type, name)                                  \
    extern __shared__ __align__(16) unsigned char dynamic_shared[]; \
    type* name = reinterpret_cast<type*>(dynamic_shared)
