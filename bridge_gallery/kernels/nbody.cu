// Forces of n bodies on each other: acc(i) = sum over j of mass(j) * d / (d*d + eps)^(3/2).
// All in single precision; a pair counts 20 operations.

struct Body {
    float mass, x, y, z, vx, vy, vz, ax, ay, az;
};

// One thread for all, or one for each body; bodies are records.
__device__ inline void force_of_record(int i, int n, Body* body, float eps) {
    const float px = body[i].x, py = body[i].y, pz = body[i].z;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
        if (i != j) {
            const float dx = body[j].x - px, dy = body[j].y - py, dz = body[j].z - pz;
            const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + eps);
            const float scale = body[j].mass * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
    }
    body[i].ax = ax;
    body[i].ay = ay;
    body[i].az = az;
}

extern "C" __global__ void one_thread(int n, Body* body, float eps) {
    for (int i = 0; i < n; ++i) force_of_record(i, n, body, eps);
}

extern "C" __global__ void n_threads(int n, Body* body, float eps) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) force_of_record(i, n, body, eps);
}

#define ARRAYS                                                                              \
    const float *__restrict__ mass, const float *__restrict__ x, const float *__restrict__ y, \
        const float *__restrict__ z
#define OUTPUTS float *__restrict__ outx, float *__restrict__ outy, float *__restrict__ outz

// What one pair adds. FUSED: sums are nested so that each is one multiply-add.
template <bool FUSED>
__device__ __forceinline__ void pair(float m, float dx, float dy, float dz, float eps, float& ax,
                                     float& ay, float& az) {
    const float square = FUSED ? dx * dx + (dy * dy + (dz * dz + eps))
                               : dx * dx + dy * dy + dz * dz + eps;
    const float inverse = rsqrtf(square);
    const float scale = m * inverse * inverse * inverse;
    ax += dx * scale;
    ay += dy * scale;
    az += dz * scale;
}

// An array for each component. ROOT: the instruction for an inverse root. TWICE: two loops
// instead of the question whether a body meets itself.
template <bool ROOT, bool TWICE>
__device__ void force_of_arrays(int n, ARRAYS, OUTPUTS, float eps) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const float px = x[i], py = y[i], pz = z[i];
    float ax = 0, ay = 0, az = 0;
    auto add = [&](int j) {
        const float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
        if (ROOT) {
            pair<false>(mass[j], dx, dy, dz, eps, ax, ay, az);
        } else {
            const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + eps);
            const float scale = mass[j] * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
    };
    if (TWICE) {
        for (int j = 0; j < i; ++j) add(j);
        for (int j = i + 1; j < n; ++j) add(j);
    } else {
        for (int j = 0; j < n; ++j)
            if (i != j) add(j);
    }
    outx[i] = ax;
    outy[i] = ay;
    outz[i] = az;
}

#define WITH_ARRAYS(name, root, twice)                                                      \
    extern "C" __global__ void name(int n, ARRAYS, OUTPUTS, float eps) {                    \
        force_of_arrays<root, twice>(n, mass, x, y, z, outx, outy, outz, eps);              \
    }
WITH_ARRAYS(scalar_arrays, false, false)
WITH_ARRAYS(inverse_root, true, false)
WITH_ARRAYS(two_loops, true, true)

// Arguments that never change, in constant memory.
struct Arguments {
    const float *mass, *x, *y, *z;
    float *outx, *outy, *outz;
    int n;
    float eps;
};
__constant__ Arguments kept;

extern "C" __global__ void constant_arguments(int step) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x, n = kept.n;
    if (i >= n) return;
    const float px = kept.x[i], py = kept.y[i], pz = kept.z[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
        if (i != j) {
            const float dx = kept.x[j] - px, dy = kept.y[j] - py, dz = kept.z[j] - pz;
            const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + kept.eps);
            const float scale = kept.mass[j] * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
    }
    kept.outx[i] = ax;
    kept.outy[i] = ay;
    kept.outz[i] = az;
}

// Bodies come by blocks into shared memory, which all threads of a block read. SELF: the question
// whether a body meets itself; without it the softening keeps the pair finite, and zero. Every
// thread reaches the barriers, also one without a body; places behind the last body have no mass.
template <int THREADS, int UNROLL, bool SELF, bool FUSED>
__device__ void force_by_blocks(int n, ARRAYS, OUTPUTS, float eps) {
    __shared__ float4 other[THREADS];
    const int i = threadIdx.x + blockIdx.x * THREADS;
    const bool mine = i < n;
    const float px = mine ? x[i] : 0, py = mine ? y[i] : 0, pz = mine ? z[i] : 0;
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += THREADS) {
        const int j = first + threadIdx.x;
        other[threadIdx.x] = j < n ? make_float4(x[j], y[j], z[j], mass[j])
                                   : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll UNROLL
        for (int k = 0; k < THREADS; ++k) {
            if (!SELF || i != first + k)
                pair<FUSED>(other[k].w, other[k].x - px, other[k].y - py, other[k].z - pz, eps,
                            ax, ay, az);
        }
        __syncthreads();
    }
    if (mine) {
        outx[i] = ax;
        outy[i] = ay;
        outz[i] = az;
    }
}

#define BY_BLOCKS(name, unroll, self, fused)                                                \
    extern "C" __global__ void name(int n, ARRAYS, OUTPUTS, float eps) {                    \
        force_by_blocks<256, unroll, self, fused>(n, mass, x, y, z, outx, outy, outz, eps); \
    }
BY_BLOCKS(shared_blocks, 1, true, false)
BY_BLOCKS(unrolled_8, 8, true, false)
BY_BLOCKS(without_if, 8, false, false)
BY_BLOCKS(fused, 8, false, true)
BY_BLOCKS(unrolled_128, 128, false, true)

// Ours: several bodies of a thread for each that is read, and the bodies of a block in parts, so
// that few bodies fill the device as well. Sums of the parts are added one after the other.
template <int THREADS, int BODIES, int UNROLL>
__device__ void force_of_several(int n, ARRAYS, OUTPUTS, float eps) {
    __shared__ float4 other[THREADS];
    const int begin = blockIdx.x * THREADS * BODIES + threadIdx.x;
    float px[BODIES], py[BODIES], pz[BODIES], ax[BODIES] = {}, ay[BODIES] = {}, az[BODIES] = {};
#pragma unroll
    for (int b = 0; b < BODIES; ++b) {
        const int i = min(begin + b * THREADS, n - 1);
        px[b] = x[i];
        py[b] = y[i];
        pz[b] = z[i];
    }
    for (int first = 0; first < n; first += THREADS) {
        const int j = first + threadIdx.x;
        other[threadIdx.x] = j < n ? make_float4(x[j], y[j], z[j], mass[j])
                                   : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll UNROLL
        for (int k = 0; k < THREADS; ++k) {
            const float4 body = other[k];
#pragma unroll
            for (int b = 0; b < BODIES; ++b)
                pair<true>(body.w, body.x - px[b], body.y - py[b], body.z - pz[b], eps, ax[b],
                           ay[b], az[b]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int b = 0; b < BODIES; ++b) {
        const int i = begin + b * THREADS;
        if (i < n) {
            outx[i] = ax[b];
            outy[i] = ay[b];
            outz[i] = az[b];
        }
    }
}

#define SEVERAL(threads, bodies, unroll)                                                      \
    extern "C" __global__ void several_##threads##_##bodies##_##unroll(int n, ARRAYS, OUTPUTS, \
                                                                       float eps) {           \
        force_of_several<threads, bodies, unroll>(n, mass, x, y, z, outx, outy, outz, eps);   \
    }
SEVERAL(256, 2, 32)
SEVERAL(256, 4, 8)
