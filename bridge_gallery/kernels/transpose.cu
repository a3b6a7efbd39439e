// out(j, i) = in(i, j): `in` has `rows` rows of `cols` values. Any size: what lies outside is left
// alone; a barrier is reached by all threads of a block, also by those that have no value.
#ifndef REAL
#define REAL double
#endif

#define ARGUMENTS int rows, int cols, const REAL *__restrict__ in, REAL *__restrict__ out
#define IN(row, col) in[size_t(row) * cols + (col)]
#define OUT(row, col) out[size_t(row) * rows + (col)]

// Step 1: a thread for each column, which it goes down.
extern "C" __global__ void step_1(ARGUMENTS) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cols) return;
    for (int j = 0; j < rows; ++j) OUT(i, j) = IN(j, i);
}

// Step 2: a thread for each value.
extern "C" __global__ void step_2(ARGUMENTS) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < cols && j < rows) OUT(i, j) = IN(j, i);
}

// Steps 3 to 5: a tile in shared memory, read by rows and written by rows. PAD: a column more, so
// that values of a column lie in different banks (step 4). EACH: values of a thread, which are
// all asked for before the first is waited for (step 5); a block has 32 x 32 / EACH threads.
template <int PAD, int EACH>
__device__ void tile_of_32(ARGUMENTS) {
    __shared__ REAL tile[32][32 + PAD];
    constexpr int STEP = 32 / EACH;
    int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += STEP)
        if (i < cols && j + k < rows) tile[threadIdx.y + k][threadIdx.x] = IN(j + k, i);
    __syncthreads();
    i = blockIdx.y * 32 + threadIdx.x;
    j = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += STEP)
        if (i < rows && j + k < cols) OUT(j + k, i) = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void step_3(ARGUMENTS) { tile_of_32<0, 1>(rows, cols, in, out); }
extern "C" __global__ void step_4(ARGUMENTS) { tile_of_32<1, 1>(rows, cols, in, out); }
extern "C" __global__ void step_5_of_2(ARGUMENTS) { tile_of_32<1, 2>(rows, cols, in, out); }
extern "C" __global__ void step_5_of_4(ARGUMENTS) { tile_of_32<1, 4>(rows, cols, in, out); }
extern "C" __global__ void step_5_of_8(ARGUMENTS) { tile_of_32<1, 8>(rows, cols, in, out); }
extern "C" __global__ void step_5_of_16(ARGUMENTS) { tile_of_32<1, 16>(rows, cols, in, out); }

// Ours: tiles of TILE x TILE, 16 bytes a load and a store.
struct alignas(16) Wide {
    static constexpr int COUNT = 16 / sizeof(REAL);
    REAL value[COUNT];
};

// DOWN: blocks that follow each other take tiles below each other, so that what runs at the same
// time writes whole rows; their stores go past the caches, because nobody reads the values again.
template <int TILE, int THREADS, bool DOWN>
__device__ void wide_tile(ARGUMENTS) {
    constexpr int WIDE = Wide::COUNT, ACROSS = TILE / WIDE, STEP = THREADS / ACROSS;
    __shared__ REAL tile[TILE][TILE + 1];
    const int x = threadIdx.x % ACROSS * WIDE, y = threadIdx.x / ACROSS;
    const int left = (DOWN ? blockIdx.y : blockIdx.x) * TILE;
    const int top = (DOWN ? blockIdx.x : blockIdx.y) * TILE;
    const bool aligned = rows % WIDE == 0 && cols % WIDE == 0;
    if (aligned && left + TILE <= cols && top + TILE <= rows) {
        Wide kept[TILE / STEP];
#pragma unroll
        for (int k = 0; k < TILE / STEP; ++k)
            kept[k] = *(const Wide*)&IN(top + y + k * STEP, left + x);
#pragma unroll
        for (int k = 0; k < TILE / STEP; ++k)
#pragma unroll
            for (int w = 0; w < WIDE; ++w) tile[y + k * STEP][x + w] = kept[k].value[w];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE / STEP; ++k) {
            Wide column;
#pragma unroll
            for (int w = 0; w < WIDE; ++w) column.value[w] = tile[x + w][y + k * STEP];
            Wide* to = (Wide*)&OUT(left + y + k * STEP, top + x);
            if (DOWN) __stcs((float4*)to, *(const float4*)&column);
            else *to = column;
        }
        return;
    }
    for (int at = threadIdx.x; at < TILE * TILE; at += THREADS) {
        const int row = top + at / TILE, col = left + at % TILE;
        if (row < rows && col < cols) tile[at / TILE][at % TILE] = IN(row, col);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < TILE * TILE; at += THREADS) {
        const int row = left + at / TILE, col = top + at % TILE;
        if (row < cols && col < rows) OUT(row, col) = tile[at % TILE][at / TILE];
    }
}

#define WIDE(name, tile, threads, down)                                    \
    extern "C" __global__ void __launch_bounds__(threads) name(ARGUMENTS) { \
        wide_tile<tile, threads, down>(rows, cols, in, out);               \
    }
WIDE(wide_32_256, 32, 256, false)
WIDE(wide_64_512, 64, 512, false)
WIDE(down_32_256, 32, 256, true)
WIDE(down_64_512, 64, 512, true)
