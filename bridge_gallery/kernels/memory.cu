// Small mistakes of ported kernels, each beside its twin without it. i: the point, the fastest
// index of every array; n: points.

#define POINT                                               \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;    \
    if (i >= n) return;
#ifndef TURNS
#define TURNS 10
#endif

// ---- Sample 1: the sum is kept in memory, or in a register. b has a point more at either end.
extern "C" __global__ void sum_in_memory(float* a, const float* b, int n) {
    POINT
    for (int k = 0; k < TURNS; ++k) {
        a[i] += b[i];
        a[i] += b[i + 1];
        a[i] += b[i + 2];
    }
}

extern "C" __global__ void sum_in_register(float* a, const float* b, int n) {
    POINT
    float sum = 0;
    for (int k = 0; k < TURNS; ++k) {
        sum += b[i];
        sum += b[i + 1];
        sum += b[i + 2];
    }
    a[i] += sum;
}

// ---- Sample 2: a short dimension that is known when the kernel runs, or when it is compiled.
extern "C" __global__ void components_in_memory(float* a, const float* b, int dim, int n) {
    POINT
    for (int k = 0; k < TURNS; ++k)
        for (int d = 0; d < dim; ++d)
            for (int e = 0; e < dim; ++e) a[d * n + i] += b[e * n + i];
}

// Arrays of the thread, but loops that the compiler cannot unroll: they lie in local memory.
extern "C" __global__ void components_on_stack(float* a, const float* b, int dim, int n) {
    POINT
    float mine[4], other[4];
    for (int d = 0; d < dim; ++d) {
        mine[d] = a[d * n + i];
        other[d] = b[d * n + i];
    }
    for (int k = 0; k < TURNS; ++k)
        for (int d = 0; d < dim; ++d)
            for (int e = 0; e < dim; ++e) mine[d] += other[e];
    for (int d = 0; d < dim; ++d) a[d * n + i] = mine[d];
}

template <int DIM>
__device__ void components(float* a, const float* b, int n) {
    POINT
    float mine[DIM], other[DIM];
#pragma unroll
    for (int d = 0; d < DIM; ++d) {
        mine[d] = a[d * n + i];
        other[d] = b[d * n + i];
    }
    for (int k = 0; k < TURNS; ++k)
#pragma unroll
        for (int d = 0; d < DIM; ++d)
#pragma unroll
            for (int e = 0; e < DIM; ++e) mine[d] += other[e];
#pragma unroll
    for (int d = 0; d < DIM; ++d) a[d * n + i] = mine[d];
}

extern "C" __global__ void components_of_3(float* a, const float* b, int n) {
    components<3>(a, b, n);
}

// ---- Sample 3: sums along rows and columns of a square matrix whose column is contiguous.
extern "C" __global__ void sum_of_column(const float* matrix, float* sums, int n) {
    POINT
    float sum = 0;
    for (int j = 0; j < n; ++j) sum += matrix[size_t(n) * i + j];
    sums[i] = sum;
}

extern "C" __global__ void sum_of_row(const float* matrix, float* sums, int n) {
    POINT
    float sum = 0;
    for (int j = 0; j < n; ++j) sum += matrix[size_t(n) * j + i];
    sums[i] = sum;
}

// A warp for each column: neighbouring lanes read neighbouring values.
extern "C" __global__ void sum_of_column_by_warp(const float* matrix, float* sums, int n) {
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (column >= n) return;
    float sum = 0;
    for (int j = lane; j < n; j += 32) sum += matrix[size_t(n) * column + j];
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(~0u, sum, apart);
    if (lane == 0) sums[column] = sum;
}

extern "C" __global__ void clear(float* sums, int n) {
    POINT
    sums[i] = 0;
}

// Parts of a row for different blocks, which few points alone would not fill the device with.
extern "C" __global__ void sum_of_row_in_parts(const float* matrix, float* sums, int n) {
    POINT
    const int length = (n + gridDim.y - 1) / gridDim.y, first = blockIdx.y * length;
    float sum = 0;
#pragma unroll 8
    for (int j = first; j < min(first + length, n); ++j) sum += matrix[size_t(n) * j + i];
    atomicAdd(&sums[i], sum);
}

// ---- Sample 4: an array of the thread with an index that is read from memory.
template <int WAY>
__device__ void indirect(float* a, const float* b, const int* index, int n) {
    POINT
    float mine[3], other[3];
    int at[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        at[d] = index[d * n + i];
        mine[d] = a[d * n + i];
        other[d] = b[d * n + i];
    }
    for (int k = 0; k < TURNS; ++k)
#pragma unroll
        for (int d = 0; d < 3; ++d)
#pragma unroll
            for (int e = 0; e < 3; ++e) {
                if (WAY == 0) mine[at[d]] += other[e];
                if (WAY == 1) switch (at[d]) {
                    case 0: mine[0] += other[e]; break;
                    case 1: mine[1] += other[e]; break;
                    case 2: mine[2] += other[e]; break;
                }
                if (WAY == 2) {
#pragma unroll
                    for (int c = 0; c < 3; ++c) mine[c] += c == at[d] ? other[e] : 0.0f;
                }
            }
#pragma unroll
    for (int d = 0; d < 3; ++d) a[d * n + i] = mine[d];
}

#define INDIRECT(name, way)                                                                   \
    extern "C" __global__ void name(float* a, const float* b, const int* index, int n) {      \
        indirect<way>(a, b, index, n);                                                        \
    }
INDIRECT(index_of_memory, 0)
INDIRECT(index_by_switch, 1)
INDIRECT(index_by_select, 2)

// ---- Occupancy: 48 values of a thread at the same time. Bounds of the launch tell the compiler
// how many registers there are; too many threads cost spilled ones.
__device__ inline void polynomials(double* out, const double* x, int n) {
    POINT
    double p[48];
    const double z = x[i];
#pragma unroll
    for (int k = 0; k < 48; ++k) p[k] = z + k;
    for (int turn = 0; turn < TURNS; ++turn)
#pragma unroll
        for (int k = 0; k < 48; ++k) p[k] = p[k] * z + p[(k + 7) % 48] * 0.01;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < 48; ++k) sum += p[k];
    out[i] = sum;
}

#define BOUND(name, ...)                                                                      \
    extern "C" __global__ void __VA_ARGS__ name(double* out, const double* x, int n) {        \
        polynomials(out, x, n);                                                               \
    }
BOUND(registers_free)
BOUND(registers_of_256, __launch_bounds__(256))
BOUND(registers_of_512, __launch_bounds__(256, 2))
BOUND(registers_of_1024, __launch_bounds__(256, 4))
BOUND(registers_of_2048, __launch_bounds__(256, 8))

// ---- Cheap arithmetic.
extern "C" __global__ void divided(float* out, const float* x, float by, int n) {
    POINT
    float value = x[i];
    for (int k = 0; k < TURNS; ++k) value = value / by + 1.0f;
    out[i] = value;
}

extern "C" __global__ void multiplied(float* out, const float* x, float by, int n) {
    POINT
    float value = x[i];
    const float inverse = 1.0f / by;
    for (int k = 0; k < TURNS; ++k) value = value * inverse + 1.0f;
    out[i] = value;
}

extern "C" __global__ void in_double(float* out, const float* x, float by, int n) {
    POINT
    float value = x[i];
    for (int k = 0; k < TURNS; ++k) value = value * 0.3 + 1.0;  // literals of double precision
    out[i] = value;
}

extern "C" __global__ void in_single(float* out, const float* x, float by, int n) {
    POINT
    float value = x[i];
    for (int k = 0; k < TURNS; ++k) value = value * 0.3f + 1.0f;
    out[i] = value;
}

extern "C" __global__ void by_pow(double* out, const double* x, double power, int n) {
    POINT
    double value = x[i];
    for (int k = 0; k < TURNS; ++k) value = pow(value, power) * 0.5 + 0.5;
    out[i] = value;
}

extern "C" __global__ void by_product(double* out, const double* x, double power, int n) {
    POINT
    double value = x[i];
    for (int k = 0; k < TURNS; ++k) value = value * value * value * 0.5 + 0.5;
    out[i] = value;
}

// ---- Divergence: which of two ways a point goes. The ways are long enough to be branches.
__device__ inline double one_way(double z) {
    for (int k = 0; k < TURNS; ++k) z = z * z * 0.1 + sqrt(z + 1.0);
    return z;
}

__device__ inline double other_way(double z) {
    for (int k = 0; k < TURNS; ++k) z = 1.0 / (z * 0.2 + 1.5) + z * 0.3;
    return z;
}

// which: of each point, 0 or 1.
extern "C" __global__ void branch(double* out, const double* x, const int* which, int n) {
    POINT
    out[i] = which[i] ? one_way(x[i]) : other_way(x[i]);
}

// Both ways, in one launch each, over lists of their points.
extern "C" __global__ void listed(double* out, const double* x, const int* list, int way, int n) {
    POINT
    const int at = list[i];
    out[at] = way ? one_way(x[at]) : other_way(x[at]);
}

// An option of the whole run: read by each point, or known when the kernel is compiled.
extern "C" __global__ void option_at_run_time(double* out, const double* x, int dim, int n) {
    POINT
    double sum = 0;
    for (int k = 0; k < TURNS; ++k)
        for (int d = 0; d < dim; ++d) {
            if (dim == 1) sum += x[i];
            else if (dim == 2) sum += x[i] * (d + 1);
            else sum += x[i] * (d * d + 1);
        }
    out[i] = sum;
}

extern "C" __global__ void option_of_compiler(double* out, const double* x, int dim, int n) {
    POINT
    double sum = 0;
    for (int k = 0; k < TURNS; ++k)
#pragma unroll
        for (int d = 0; d < 3; ++d) sum += x[i] * (d * d + 1);
    out[i] = sum;
}
