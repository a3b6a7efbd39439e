// Primitives on arrays, as a course teaches them, and ours.

#define VALUE                                                              \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                   \
    if (i >= n) return;

// ---- Gather and scatter: where values come from, or go to, is read from `place`.
extern "C" __global__ void in_order(const int* in, const int* place, int* out, int n) {
    VALUE
    out[i] = in[i] + 0 * place[i];
}

extern "C" __global__ void gather(const int* in, const int* place, int* out, int n) {
    VALUE
    out[i] = in[place[i]];
}

extern "C" __global__ void scatter(const int* in, const int* place, int* out, int n) {
    VALUE
    out[place[i]] = in[i];
}

// One pass of several: only what goes to [first, last).
extern "C" __global__ void scatter_pass(const int* in, const int* place, int* out, int first,
                                        int last, int n) {
    VALUE
    const int to = place[i];
    if (to >= first && to < last) out[to] = in[i];
}

// ---- Reduction: a sum of each block, then of the sums.
__device__ inline void two_each(int* sums, const int* in, int n) {
    const int t = threadIdx.x, start = 2 * blockIdx.x * blockDim.x;
    sums[t] = start + t < n ? in[start + t] : 0;
    sums[blockDim.x + t] = start + blockDim.x + t < n ? in[start + blockDim.x + t] : 0;
}

// Threads with an even number go on: half of every warp waits.
extern "C" __global__ void sum_even(const int* in, int* out, int n) {
    DYNAMIC_SHARED(int, sums);
    two_each(sums, in, n);
    const int t = threadIdx.x;
    for (int stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % stride == 0) sums[2 * t] += sums[2 * t + stride];
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = sums[0];
}

// The first threads go on: whole warps leave.
extern "C" __global__ void sum_first(const int* in, int* out, int n) {
    DYNAMIC_SHARED(int, sums);
    two_each(sums, in, n);
    const int t = threadIdx.x;
    for (int stride = blockDim.x; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) sums[t] += sums[t + stride];
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = sums[0];
}

__device__ inline int sum_of_block(int sum) {
    __shared__ int warps[32];
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(~0u, sum, apart);
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < (blockDim.x + 31) / 32 ? warps[threadIdx.x] : 0;
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(~0u, sum, apart);
    }
    return sum;
}

// Ours: few blocks that go through the array, 16 bytes a load, sums by shuffles.
extern "C" __global__ void sum_strided(const int* in, int* out, int n) {
    int sum = 0;
    const int step = gridDim.x * blockDim.x;
    const int4* four = (const int4*)in;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += step) {
        const int4 value = four[i];
        sum += value.x + value.y + value.z + value.w;
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) sum += in[n / 4 * 4 + threadIdx.x];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// ---- Inclusive scan of each block, whose total goes to `totals`.
// Every thread reaches every barrier, also where it has nothing to add any more.
extern "C" __global__ void scan_every_step(const int* in, int* out, int* totals, int n) {
    DYNAMIC_SHARED(int, values);
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    values[t] = i < n ? in[i] : 0;
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        const int other = t >= stride ? values[t - stride] : 0;
        __syncthreads();
        values[t] += other;
    }
    if (i < n) out[i] = values[t];
    if (t == blockDim.x - 1) totals[blockIdx.x] = values[t];
}

// A tree down and up again: two values a thread, n additions instead of n log n.
extern "C" __global__ void scan_tree(const int* in, int* out, int* totals, int n) {
    DYNAMIC_SHARED(int, values);
    const int t = threadIdx.x, size = 2 * blockDim.x, start = blockIdx.x * size;
    for (int k = t; k < size; k += blockDim.x) values[k] = start + k < n ? in[start + k] : 0;
    for (int stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        const int at = (t + 1) * stride * 2 - 1;
        if (at < size) values[at] += values[at - stride];
    }
    for (int stride = size / 4; stride > 0; stride /= 2) {
        __syncthreads();
        const int at = (t + 1) * stride * 2 - 1;
        if (at + stride < size) values[at + stride] += values[at];
    }
    __syncthreads();
    for (int k = t; k < size; k += blockDim.x)
        if (start + k < n) out[start + k] = values[k];
    if (t == 0) totals[blockIdx.x] = values[size - 1];
}

// Of one value a thread, by shuffles; `total`: of the block.
__device__ inline int scan_of_block(int value, int& total) {
    __shared__ int warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = (blockDim.x + 31) / 32;
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        const int other = __shfl_up_sync(~0u, value, apart);
        if (lane >= apart) value += other;
    }
    __syncthreads();
    if (lane == 31) warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < count ? warps[lane] : 0;
#pragma unroll
        for (int apart = 1; apart < 32; apart *= 2) {
            const int other = __shfl_up_sync(~0u, sum, apart);
            if (lane >= apart) sum += other;
        }
        warps[lane] = sum;
    }
    __syncthreads();
    total = warps[count - 1];
    return value + (warp > 0 ? warps[warp - 1] : 0);
}

// Ours: sums of blocks of 16 values a thread, a scan of the sums, then the scan itself with what
// came before: the array is read twice and written once.
constexpr int EACH = 16;

extern "C" __global__ void totals_of_blocks(const int* in, int* totals, int n) {
    const int start = blockIdx.x * blockDim.x * EACH;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < EACH / 4; ++k) {
        const int i = start + 4 * (k * blockDim.x + threadIdx.x);
        if (i + 3 < n) {
            const int4 value = *(const int4*)&in[i];
            sum += value.x + value.y + value.z + value.w;
        } else {
            for (int w = 0; w < 4; ++w) sum += i + w < n ? in[i + w] : 0;
        }
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) totals[blockIdx.x] = sum;
}

// One block: totals become what lies before each block.
extern "C" __global__ void scan_totals(int* totals, int count) {
    __shared__ int carried;
    if (threadIdx.x == 0) carried = 0;
    for (int start = 0; start < count; start += blockDim.x) {
        __syncthreads();
        const int i = start + threadIdx.x, mine = i < count ? totals[i] : 0, before = carried;
        int total;
        const int sum = scan_of_block(mine, total);
        if (i < count) totals[i] = before + sum - mine;
        __syncthreads();
        if (threadIdx.x == 0) carried = before + total;
    }
}

extern "C" __global__ void scan_blocks(const int* in, int* out, const int* before, int n) {
    const int start = blockIdx.x * blockDim.x * EACH;
    int carried = before[blockIdx.x];
#pragma unroll
    for (int k = 0; k < EACH / 4; ++k) {
        const int i = start + 4 * (k * blockDim.x + threadIdx.x);
        int4 value = make_int4(0, 0, 0, 0);
        if (i + 3 < n) value = *(const int4*)&in[i];
        else {
            if (i < n) value.x = in[i];
            if (i + 1 < n) value.y = in[i + 1];
            if (i + 2 < n) value.z = in[i + 2];
        }
        value.y += value.x;
        value.z += value.y;
        value.w += value.z;
        int total;
        const int left = carried + scan_of_block(value.w, total) - value.w;
        carried += total;
        const int4 sum = make_int4(value.x + left, value.y + left, value.z + left, value.w + left);
        if (i + 3 < n) *(int4*)&out[i] = sum;
        else {
            if (i < n) out[i] = sum.x;
            if (i + 1 < n) out[i + 1] = sum.y;
            if (i + 2 < n) out[i + 2] = sum.z;
        }
    }
}

// What came before is added to scans of blocks.
extern "C" __global__ void add_before(int* out, const int* before, int size, int n) {
    VALUE
    out[i] += before[i / size];
}

// ---- Split by one bit, stable: zeros first. Flags of zeros, their scan (above), then each value
// to its place.
extern "C" __global__ void flag_zeros(const int* in, int* flags, int bit, int n) {
    VALUE
    flags[i] = !(in[i] >> bit & 1);
}

extern "C" __global__ void split_by_scan(const int* in, const int* scan, int* out, int bit, int n) {
    VALUE
    const int value = in[i], zero = !(value >> bit & 1);
    const int before = scan[i] - zero;  // zeros before it
    out[zero ? before : i - before + scan[n - 1]] = value;
}

// What is kept, side by side.
extern "C" __global__ void keep_by_scan(const int* in, const int* flags, const int* scan, int* out,
                                        int n) {
    VALUE
    if (flags[i]) out[scan[i] - 1] = in[i];
}

// A tile of each block: a split for each bit, in shared memory. Behind the end lie the largest keys,
// which a stable sort leaves there.
extern "C" __global__ void sort_tile(const int* in, int* out, int bits, int n) {
    __shared__ int tile[512];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int value = i < n ? in[i] : (1 << bits) - 1;
    for (int bit = 0; bit < bits; ++bit) {
        const int zero = !(value >> bit & 1);
        int zeros;
        const int before = scan_of_block(zero, zeros) - zero;
        tile[zero ? before : t - before + zeros] = value;
        __syncthreads();
        value = tile[t];
        __syncthreads();
    }
    if (i < n) out[i] = value;
}

// ---- Divergence: some threads of a warp, or whole warps, take the long way.
__device__ inline float long_way(float z) {
    for (int k = 0; k < 64; ++k) z = z * 0.999f + 0.5f;
    return z;
}

__device__ inline float other_way(float z) {
    for (int k = 0; k < 32; ++k) z = 0.5f / (z + 1.5f);  // not of the same shape: no select
    return z;
}

extern "C" __global__ void at_a_warp(const float* in, float* out, int n) {
    VALUE
    out[i] = threadIdx.x >= 128 ? long_way(in[i]) : other_way(in[i]);
}

extern "C" __global__ void within_a_warp(const float* in, float* out, int n) {
    VALUE
    out[i] = threadIdx.x % 32 >= 16 ? long_way(in[i]) : other_way(in[i]);
}

// ---- Points that count: a mask says which, or a list. The work of a point is that of a property.
__device__ inline double work_of_point(double z) {
    for (int k = 0; k < 256; ++k) z = z * 0.999 + 0.5;
    return z;
}

extern "C" __global__ void work_of_masked(const int* mask, const double* x, double* y, int n) {
    VALUE
    if (mask[i] == 0) return;
    y[i] = work_of_point(x[i]);
}

extern "C" __global__ void list_by_scan(const int* mask, const int* scan, int* list, int* count,
                                        int n) {
    VALUE
    if (mask[i] != 0) list[scan[i] - 1] = i;
    if (i == n - 1) *count = scan[i];
}

extern "C" __global__ void work_of_listed(const int* list, const int* count, const double* x,
                                          double* y, int n) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n || k >= *count) return;
    const int i = list[k];
    y[i] = work_of_point(x[i]);
}

// ---- Constant memory: coefficients that all lanes read alike, or each its own.
__constant__ float coefficients[1024];

extern "C" __global__ void constant_alike(const float* in, float* out, int n) {
    VALUE
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum = sum * in[i] + coefficients[k];
    out[i] = sum;
}

extern "C" __global__ void constant_apart(const float* in, float* out, int n) {
    VALUE
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum = sum * in[i] + coefficients[(k + threadIdx.x) & 63];
    out[i] = sum;
}

extern "C" __global__ void global_alike(const float* in, const float* table, float* out, int n) {
    VALUE
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum = sum * in[i] + __ldg(&table[k]);
    out[i] = sum;
}

extern "C" __global__ void global_apart(const float* in, const float* table, float* out, int n) {
    VALUE
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum = sum * in[i] + __ldg(&table[(k + threadIdx.x) & 63]);
    out[i] = sum;
}

// ---- Launch configuration: one sum of two vectors.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    VALUE
    c[i] = a[i] + b[i];
}

// Threads of a block are numbered x first: a warp goes along x, which lies along memory, or does not.
extern "C" __global__ void add_along_x(const float* a, const float* b, float* c, int n) {
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void add_along_y(const float* a, const float* b, float* c, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * blockDim.y + threadIdx.y;
    if (i < n) c[i] = a[i] + b[i];
}

// Nothing: what a launch takes.
extern "C" __global__ void empty(float* a) {
    if (threadIdx.x == 0 && a[0] == -1.0f) a[0] = 0.0f;
}

extern "C" __global__ void add_strided(const float* a, const float* b, float* c, int n) {
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) c[i] = a[i] + b[i];
}

extern "C" __global__ void add_four(const float4* a, const float4* b, float4* c, int n) {
    VALUE
    const float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
