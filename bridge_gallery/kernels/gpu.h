// What the kernels of the gallery need besides CUDA; `emulation.h` has the same for a CPU.
#pragma once

// Shared memory whose size the launch gives.
#define DYNAMIC_SHARED(type, name)                                  \
    extern __shared__ __align__(16) unsigned char dynamic_shared[]; \
    type* name = reinterpret_cast<type*>(dynamic_shared)

// All blocks of a launch wait for each other, which must be on the device at the same time. The
// counter goes on from launch to launch: every sync adds the number of blocks to it.
__device__ inline void sync_grid(unsigned* counter) {
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
        __threadfence();
        const unsigned before = atomicAdd(counter, 1u);
        const unsigned wanted = before - before % blocks + blocks;
        while (int(*(volatile unsigned*)counter - wanted) < 0) {
        }
        __threadfence();
    }
    __syncthreads();
}
