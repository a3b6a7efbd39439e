// Two nested loops over species at every grid point:
//     output(t, x, y) = ax(t, x) * ay(t, y) + bx(t, x) * by(t, y)
// Inputs are read once, the output is NS times as large: writing it is the least that there is.
// n: grid points; NS: species. Order `point`: the point is the fastest index of every array.
#ifndef NS
#define NS 64
#endif

#define INPUTS                                                                    \
    const double *__restrict__ ax, const double *__restrict__ bx,                 \
        const double *__restrict__ ay, const double *__restrict__ by
#define POINT                                                                     \
    const int t = threadIdx.x + blockIdx.x * blockDim.x;                          \
    if (t >= n) return;
// Where the value of x and y at point t lies, x the faster of both or y.
#define X_FASTER(x, y) (size_t(n) * (NS * (y) + (x)) + t)
#define Y_FASTER(x, y) (size_t(n) * (NS * (x) + (y)) + t)

extern "C" __global__ void naive(INPUTS, double* __restrict__ output, int n) {
    POINT
#pragma unroll 1
    for (int y = 0; y < NS; ++y)
#pragma unroll 1
        for (int x = 0; x < NS; ++x)
            output[X_FASTER(x, y)] = ax[x * n + t] * ay[y * n + t] + bx[x * n + t] * by[y * n + t];
}

extern "C" __global__ void naive_hoisted(INPUTS, double* __restrict__ output, int n) {
    POINT
#pragma unroll 1
    for (int y = 0; y < NS; ++y) {
        const double a = ay[y * n + t], b = by[y * n + t];
#pragma unroll 1
        for (int x = 0; x < NS; ++x)
            output[X_FASTER(x, y)] = ax[x * n + t] * a + bx[x * n + t] * b;
    }
}

extern "C" __global__ void naive_unrolled(INPUTS, double* __restrict__ output, int n) {
    POINT
    for (int y = 0; y < NS; ++y)
        for (int x = 0; x < NS; ++x)
            output[X_FASTER(x, y)] = ax[x * n + t] * ay[y * n + t] + bx[x * n + t] * by[y * n + t];
}

extern "C" __global__ void naive_y_faster(INPUTS, double* __restrict__ output, int n) {
    POINT
#pragma unroll 1
    for (int y = 0; y < NS; ++y)
#pragma unroll 1
        for (int x = 0; x < NS; ++x)
            output[Y_FASTER(x, y)] = ax[x * n + t] * ay[y * n + t] + bx[x * n + t] * by[y * n + t];
}

// Loops over tiles of y, as for the caches of a CPU. Shared memory that the launch gives and
// nobody uses leaves fewer threads on a processor, and each of them more cache.
template <int TILE>
__device__ void tiled(INPUTS, double* __restrict__ output, int n) {
    POINT
#pragma unroll 1
    for (int first = 0; first < NS; first += TILE)
#pragma unroll 1
        for (int x = 0; x < NS; ++x)
#pragma unroll 1
            for (int y = first; y < first + TILE; ++y)
                output[X_FASTER(x, y)] =
                    ax[x * n + t] * ay[y * n + t] + bx[x * n + t] * by[y * n + t];
}

// The values of y in an array of the thread: local memory, which L1 caches, because the loops
// over it are not unrolled.
template <int TILE>
__device__ void local_arrays(INPUTS, double* __restrict__ output, int n) {
    double ay_local[TILE], by_local[TILE];
    POINT
#pragma unroll 1
    for (int first = 0; first < NS; first += TILE) {
#pragma unroll 1
        for (int y = 0; y < TILE; ++y) {
            ay_local[y] = ay[(first + y) * n + t];
            by_local[y] = by[(first + y) * n + t];
        }
#pragma unroll 1
        for (int x = 0; x < NS; ++x)
#pragma unroll 1
            for (int y = 0; y < TILE; ++y)
                output[X_FASTER(x, first + y)] =
                    ax[x * n + t] * ay_local[y] + bx[x * n + t] * by_local[y];
    }
}

// Unroll and jam: the values of y in registers, each value of x read once for BY of them.
template <int BY, bool Y_FIRST>
__device__ void jammed(INPUTS, double* __restrict__ output, int n) {
    POINT
#pragma unroll 1
    for (int first = 0; first < NS; first += BY) {
        double a[BY], b[BY];
#pragma unroll
        for (int y = 0; y < BY; ++y) {
            a[y] = ay[(first + y) * n + t];
            b[y] = by[(first + y) * n + t];
        }
#pragma unroll 1
        for (int x = 0; x < NS; ++x) {
            const double axx = ax[x * n + t], bxx = bx[x * n + t];
#pragma unroll
            for (int y = 0; y < BY; ++y)
                output[Y_FIRST ? Y_FASTER(x, first + y) : X_FASTER(x, first + y)] =
                    axx * a[y] + bxx * b[y];
        }
    }
}

// A warp for each point, its lanes along y; x and y are the fastest indices of the arrays.
extern "C" __global__ void warp_team(INPUTS, double* __restrict__ output, int n) {
    const int t = (threadIdx.x + blockIdx.x * blockDim.x) / 32, lane = threadIdx.x % 32;
    if (t >= n) return;
#pragma unroll 1
    for (int y = lane; y < NS; y += 32) {
        const double ayy = ay[NS * t + y], byy = by[NS * t + y];
#pragma unroll 1
        for (int x = 0; x < NS; ++x)
            output[size_t(NS) * NS * t + NS * x + y] = ax[NS * t + x] * ayy + bx[NS * t + x] * byy;
    }
}

// Unroll and jam with two points a thread: every store is of 16 bytes, and goes past the caches,
// because nobody reads it again.
template <int BY>
__device__ void streamed(INPUTS, double* __restrict__ output, int n) {
    const int t = 2 * (threadIdx.x + blockIdx.x * blockDim.x);
    if (t >= n) return;
#pragma unroll 1
    for (int first = 0; first < NS; first += BY) {
        double2 a[BY], b[BY];
#pragma unroll
        for (int y = 0; y < BY; ++y) {
            a[y] = *(const double2*)&ay[(first + y) * n + t];
            b[y] = *(const double2*)&by[(first + y) * n + t];
        }
#pragma unroll 2
        for (int x = 0; x < NS; ++x) {
            const double2 axx = *(const double2*)&ax[x * n + t];
            const double2 bxx = *(const double2*)&bx[x * n + t];
#pragma unroll
            for (int y = 0; y < BY; ++y)
                __stcs((double2*)&output[X_FASTER(x, first + y)],
                       make_double2(axx.x * a[y].x + bxx.x * b[y].x,
                                    axx.y * a[y].y + bxx.y * b[y].y));
        }
    }
}

// Our best where the point is the fastest index: all values of x of POINTS points lie in shared
// memory, so that every input is read once; each warp takes rows of y, BY at a time, and stores
// 16 bytes a lane.
template <int POINTS, int WARPS, int BY>
__device__ void shared_x(INPUTS, double* __restrict__ output, int n) {
    DYNAMIC_SHARED(double2, values);
    constexpr int PAIRS = POINTS / 2, ROWS = 32 * WARPS / PAIRS;  // rows of y at a time
    const int pair = threadIdx.x % PAIRS, row = threadIdx.x / PAIRS;
    const int t = blockIdx.x * POINTS + 2 * pair;
    if (t < n)
        for (int x = row; x < NS; x += ROWS) {
            values[x * PAIRS + pair] = *(const double2*)&ax[x * n + t];
            values[(NS + x) * PAIRS + pair] = *(const double2*)&bx[x * n + t];
        }
    __syncthreads();
    if (t >= n) return;
#pragma unroll 1
    for (int first = row * BY; first < NS; first += ROWS * BY) {
        double2 a[BY], b[BY];
#pragma unroll
        for (int y = 0; y < BY; ++y) {
            a[y] = *(const double2*)&ay[(first + y) * n + t];
            b[y] = *(const double2*)&by[(first + y) * n + t];
        }
#pragma unroll 2
        for (int x = 0; x < NS; ++x) {
            const double2 axx = values[x * PAIRS + pair], bxx = values[(NS + x) * PAIRS + pair];
#pragma unroll
            for (int y = 0; y < BY; ++y)
                __stcs((double2*)&output[X_FASTER(x, first + y)],
                       make_double2(axx.x * a[y].x + bxx.x * b[y].x,
                                    axx.y * a[y].y + bxx.y * b[y].y));
        }
    }
}

// The inputs of one point, where the species are the fastest indices.
template <int WARPS>
__device__ void load_point(double (*kept)[NS], INPUTS, int t) {
    for (int k = threadIdx.x; k < 2 * NS; k += 32 * WARPS) {
        const int which = k / (NS / 2), x = k % (NS / 2) * 2;
        const double* from = which == 0 ? ax : which == 1 ? bx : which == 2 ? ay : by;
        *(double2*)&kept[which][x] = *(const double2*)&from[NS * t + x];
    }
    __syncthreads();
}

// Where the species are the fastest indices: a warp for each point, rows of 64 values, 16 bytes a
// lane.
extern "C" __global__ void warp_rows(INPUTS, double* __restrict__ output, int n) {
    const int t = (threadIdx.x + blockIdx.x * blockDim.x) / 32, lane = threadIdx.x % 32;
    if (t >= n) return;
    static_assert(NS == 64, "two species a lane");
    const double2 ayy = *(const double2*)&ay[NS * t + 2 * lane];
    const double2 byy = *(const double2*)&by[NS * t + 2 * lane];
    double* row = output + size_t(NS) * NS * t + 2 * lane;
#pragma unroll 8
    for (int x = 0; x < NS; ++x) {
        const double axx = __ldg(&ax[NS * t + x]), bxx = __ldg(&bx[NS * t + x]);
        __stcs((double2*)&row[NS * x],
               make_double2(axx * ayy.x + bxx * byy.x, axx * ayy.y + bxx * byy.y));
    }
}

// A block for each point, whose inputs lie in shared memory; its warps write rows that follow each
// other, past the caches or not.
template <int WARPS, bool PAST>
__device__ void block_rows(INPUTS, double* __restrict__ output, int n) {
    __shared__ double kept[4][NS];
    static_assert(NS == 64, "two species a lane");
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = blockIdx.x;
    load_point<WARPS>(kept, ax, bx, ay, by, t);
    const double2 ayy = *(const double2*)&kept[2][2 * lane];
    const double2 byy = *(const double2*)&kept[3][2 * lane];
    double* rows = output + size_t(NS) * NS * t + 2 * lane;
#pragma unroll
    for (int x = warp; x < NS; x += WARPS) {
        const double axx = kept[0][x], bxx = kept[1][x];
        const double2 value = make_double2(axx * ayy.x + bxx * byy.x, axx * ayy.y + bxx * byy.y);
        if (PAST) __stcs((double2*)&rows[NS * x], value);
        else *(double2*)&rows[NS * x] = value;
    }
}

// The copy engine of a processor (sm_90 on) and the L2 cache: pieces of shared memory go out while
// the warp goes on, and lines that nobody reads again leave the cache first.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define COPY_ENGINE 1
#else
#define COPY_ENGINE 0
#endif

// By one lane, after all lanes have written `from`. FIRST: the lines leave L2 before others.
template <bool FIRST>
__device__ void send(double* to, const double* from, int bytes) {
#if COPY_ENGINE
    const unsigned piece = (unsigned)__cvta_generic_to_shared(from);
    if (FIRST) {
        unsigned long long first;
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
        asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;"
            :: "l"(to), "r"(piece), "r"(bytes), "l"(first) : "memory");
    } else {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                     :: "l"(to), "r"(piece), "r"(bytes) : "memory");
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#else
    for (int k = 0; k < bytes / int(sizeof(double)); ++k) to[k] = from[k];
#endif
}

// What a warp writes is put together in shared memory and goes from there in one piece, by the copy
// engine of a processor where there is one.
template <int WARPS, bool FIRST>
__device__ void bulk_rows(INPUTS, double* __restrict__ output, int n) {
    __shared__ double kept[4][NS];
    DYNAMIC_SHARED(double, rows);
    static_assert(NS == 64, "two species a lane");
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = blockIdx.x;
    load_point<WARPS>(kept, ax, bx, ay, by, t);
    const double2 ayy = *(const double2*)&kept[2][2 * lane];
    const double2 byy = *(const double2*)&kept[3][2 * lane];
    constexpr int EACH = NS / WARPS;  // rows of a warp, which follow each other
    double* mine = rows + NS * EACH * warp;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const double axx = kept[0][EACH * warp + k], bxx = kept[1][EACH * warp + k];
        *(double2*)&mine[NS * k + 2 * lane] =
            make_double2(axx * ayy.x + bxx * byy.x, axx * ayy.y + bxx * byy.y);
    }
#if COPY_ENGINE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncwarp();
    if (lane == 0)
        send<FIRST>(output + size_t(NS) * NS * t + NS * EACH * warp, mine, 8 * NS * EACH);
}

// Our best: the inputs of TOGETHER points to come are read into L2 in one go, long before their
// blocks run. Memory turns from writing to reading and back less often so.
template <int WARPS, int TOGETHER>
__device__ void bulk_ahead(INPUTS, double* __restrict__ output, int n) {
    constexpr int FAR = 1024;  // points: more than run at the same time
    const int t = blockIdx.x, to_come = t + FAR;
    if (t % TOGETHER == 0 && to_come + TOGETHER <= n && threadIdx.x < 4) {
        const double* from = threadIdx.x == 0   ? ax
                             : threadIdx.x == 1 ? bx
                             : threadIdx.x == 2 ? ay
                                                : by;
#if COPY_ENGINE
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                     :: "l"(from + NS * to_come), "r"(8 * NS * TOGETHER) : "memory");
#else
        (void)from;
#endif
    }
    bulk_rows<WARPS, true>(ax, bx, ay, by, output, n);
}

// Nothing but the output.
extern "C" __global__ void only_write(double* __restrict__ output, int n) {
    const int t = 2 * (threadIdx.x + blockIdx.x * blockDim.x);
    if (t >= n) return;
#pragma unroll 4
    for (int xy = 0; xy < NS * NS; ++xy)
        *(double2*)&output[size_t(n) * xy + t] = make_double2(0.0, 0.0);
}

#define INSTANCE(name, body)                                                            \
    extern "C" __global__ void name(INPUTS, double* __restrict__ output, int n) {       \
        body(ax, bx, ay, by, output, n);                                                \
    }
INSTANCE(tiled_2, tiled<2>)
INSTANCE(tiled_4, tiled<4>)
INSTANCE(tiled_8, tiled<8>)
INSTANCE(local_2, local_arrays<2>)
INSTANCE(local_4, local_arrays<4>)
INSTANCE(local_8, local_arrays<8>)
INSTANCE(jam_2, (jammed<2, false>))
INSTANCE(jam_4, (jammed<4, false>))
INSTANCE(jam_8, (jammed<8, false>))
INSTANCE(jam_16, (jammed<16, false>))
INSTANCE(jam_2_y, (jammed<2, true>))
INSTANCE(jam_4_y, (jammed<4, true>))
INSTANCE(jam_8_y, (jammed<8, true>))
INSTANCE(jam_16_y, (jammed<16, true>))
INSTANCE(streamed_16, streamed<16>)
INSTANCE(shared_64_16_4, (shared_x<64, 16, 4>))
INSTANCE(block_8, (block_rows<8, true>))
INSTANCE(block_8_cached, (block_rows<8, false>))
INSTANCE(bulk_8, (bulk_rows<8, false>))
INSTANCE(bulk_16_first, (bulk_rows<16, true>))
INSTANCE(bulk_16_ahead, (bulk_ahead<16, 64>))
