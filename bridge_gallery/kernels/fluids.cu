// Stable fluids on n x n cells with a border, as the document has them: of a field the red cells
// (x + y even) lie in one half, the black ones in the other; (x, y) is number x / 2 of row y there.
// A row of a half has `pitch` places.
#define GRID_WIDTH (gridDim.x * blockDim.x)
#define GRID_HEIGHT (gridDim.y * blockDim.y)
#define THREAD_X (blockIdx.x * blockDim.x + threadIdx.x)
#define THREAD_Y (blockIdx.y * blockDim.y + threadIdx.y)

enum Boundary { NONE = 0, VERTICAL = 1, HORIZONTAL = 2 };

__device__ inline int at(int n, int pitch, int x, int y) {
    return ((x ^ y) & 1) * pitch * (n + 2) + (x >> 1) + y * pitch;
}
// Of its own colour, the first cell inside the border in row y; its neighbours in the row are
// `start` before it and one further in the other half.
__device__ inline int start_of(int color, int y) { return (color ^ y) & 1 ? 0 : 1; }
__device__ inline float side_of(int boundary) { return boundary == VERTICAL ? -1.0f : 1.0f; }
__device__ inline float end_of(int boundary) { return boundary == HORIZONTAL ? -1.0f : 1.0f; }

extern "C" __global__ void add_source(int size, float dt, const float* __restrict__ s,
                                      float* __restrict__ x) {
    for (int i = THREAD_X; i < size; i += GRID_WIDTH) x[i] += dt * s[i];
}

// ---- Gauss-Seidel: a half sweep over the cells of one colour.
#define LIN_SOLVE int n, int pitch, int color, float a, float c, const float *__restrict__ rhs, float *x
#define HALVES                                                \
    const int half = pitch * (n + 2), mine = color * half;    \
    const float *__restrict__ same0 = rhs + mine;             \
    const float *__restrict__ neigh = x + (half - mine);      \
    float *__restrict__ same = x + mine;
#define HALF_SWEEP_OF(body)                                                 \
    for (int y = 1 + THREAD_Y; y <= n; y += GRID_HEIGHT) {                  \
        const int start = start_of(color, y);                               \
        for (int k = start + THREAD_X; k < n / 2 + start; k += GRID_WIDTH) { \
            const int index = y * pitch + k;                                \
            body                                                            \
        }                                                                   \
    }

extern "C" __global__ void lin_solve(LIN_SOLVE) {
    HALVES
    HALF_SWEEP_OF(same[index] = (same0[index] +
                                 a * (neigh[index - start] + neigh[index - start + 1] +
                                      neigh[index - pitch] + neigh[index + pitch])) / c;)
}

// What lies on the border; the corner is made of cells inside, since other threads write those
// beside it.
__device__ void set_border(int n, int pitch, int boundary, float* x, int i) {
    const float side = side_of(boundary), end = end_of(boundary);
#define X(i, j) x[at(n, pitch, i, j)]
    X(0, i) = side * X(1, i);
    X(n + 1, i) = side * X(n, i);
    X(i, 0) = end * X(i, 1);
    X(i, n + 1) = end * X(i, n);
    if (i == 1) {
        X(0, 0) = 0.5f * (end * X(1, 1) + side * X(1, 1));
        X(0, n + 1) = 0.5f * (end * X(1, n) + side * X(1, n));
    }
    if (i == n) {
        X(n + 1, 0) = 0.5f * (end * X(n, 1) + side * X(n, 1));
        X(n + 1, n + 1) = 0.5f * (end * X(n, n) + side * X(n, n));
    }
#undef X
}

extern "C" __global__ void set_bnd(int n, int pitch, int boundary, float* x) {
    for (int i = 1 + THREAD_X; i <= n; i += GRID_WIDTH) set_border(n, pitch, boundary, x, i);
}

// ---- Projection: divergence before, gradient after the solve.
extern "C" __global__ void project_before(int n, int pitch, int color, const float* __restrict__ u,
                                          const float* __restrict__ v, float* __restrict__ p,
                                          float* __restrict__ div) {
    const int half = pitch * (n + 2), mine = color * half;
    const float *neigh_u = u + (half - mine), *neigh_v = v + (half - mine);
    HALF_SWEEP_OF(div[mine + index] = -0.5f * (neigh_u[index - start + 1] - neigh_u[index - start] +
                                               neigh_v[index + pitch] - neigh_v[index - pitch]) / n;
                  p[mine + index] = 0.0f;)
}

extern "C" __global__ void project_after(int n, int pitch, int color, const float* __restrict__ p,
                                         float* __restrict__ u, float* __restrict__ v) {
    const int half = pitch * (n + 2), mine = color * half;
    const float* neigh = p + (half - mine);
    HALF_SWEEP_OF(u[mine + index] -= 0.5f * n * (neigh[index - start + 1] - neigh[index - start]);
                  v[mine + index] -= 0.5f * n * (neigh[index + pitch] - neigh[index - pitch]);)
}

// ---- Advection: what was where the flow came from.
extern "C" __global__ void advect(int n, int pitch, int color, float dt, const float* __restrict__ d0,
                                  const float* __restrict__ u, const float* __restrict__ v,
                                  float* __restrict__ d) {
    const int mine = color * pitch * (n + 2);
    const float dt0 = dt * n;
    HALF_SWEEP_OF(
        const int i = 2 * k + 1 - start;
        float x = i - dt0 * u[mine + index]; float y0 = y - dt0 * v[mine + index];
        x = fminf(fmaxf(x, 0.5f), n + 0.5f); y0 = fminf(fmaxf(y0, 0.5f), n + 0.5f);
        const int i0 = int(x); const int j0 = int(y0);
        const float s1 = x - i0; const float s0 = 1.0f - s1;
        const float t1 = y0 - j0; const float t0 = 1.0f - t1;
        d[mine + index] = s0 * (t0 * d0[at(n, pitch, i0, j0)] + t1 * d0[at(n, pitch, i0, j0 + 1)]) +
                          s1 * (t0 * d0[at(n, pitch, i0 + 1, j0)] +
                                t1 * d0[at(n, pitch, i0 + 1, j0 + 1)]);)
}

// ---- Reaction: what the largest values decide is decided on the device.
// The source of a field in cell (x, y); which: 0 u, 1 v, 2 density; strong: what it is made of.
__device__ inline float source_at(int n, int which, float strong, int x, int y) {
    if (x % 64 == 0 && y % 64 == 0 && x > 0 && y > 0 && x < n && y < n) {
        if (which == 2) return strong * 1000.0f;
        return strong * 1000.0f * (n / 2 - (which == 0 ? y : x)) / (n / 2);
    }
    return x == n / 2 && y == n / 2 ? strong * 10.0f : 0.0f;
}

// Largest value of a block's threads, to `most`: numbers that are not negative have the order of
// their bits.
__device__ inline void put_largest(float value, float* most) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        value = fmaxf(value, __shfl_xor_sync(~0u, value, apart));
    if (threadIdx.x % 32 == 0 && value > 0.0f) atomicMax((int*)most, __float_as_int(value));
}

extern "C" __global__ void largest(int size, const float* __restrict__ u,
                                   const float* __restrict__ v, const float* __restrict__ d,
                                   float* most) {
    float velocity = 0.0f, density = 0.0f;
    for (int i = THREAD_X; i < size; i += GRID_WIDTH) {
        velocity = fmaxf(velocity, u[i] * u[i] + v[i] * v[i]);
        density = fmaxf(density, d[i]);
    }
    put_largest(velocity, most);
    put_largest(density, most + 1);
}

#define SMALL_VELOCITY 0.0000005f
#define SMALL_DENSITY 1.0f

extern "C" __global__ void react(int n, int pitch, float force, float source,
                                 const float* __restrict__ most, float* __restrict__ u,
                                 float* __restrict__ v, float* __restrict__ d) {
    const bool stirs = most[0] < SMALL_VELOCITY, feeds = most[1] < SMALL_DENSITY;
    for (int y = THREAD_Y; y < n + 2; y += GRID_HEIGHT) {
        for (int x = THREAD_X; x < n + 2; x += GRID_WIDTH) {
            const int index = at(n, pitch, x, y);
            u[index] = stirs ? source_at(n, 0, force, x, y) : 0.0f;
            v[index] = stirs ? source_at(n, 1, force, x, y) : 0.0f;
            d[index] = feeds ? source_at(n, 2, source, x, y) : 0.0f;
        }
    }
}

extern "C" __global__ void forget_largest(float* most) {
    if (threadIdx.x < 2) most[threadIdx.x] = 0.0f;
}

// Keeps the device busy, while launches wait behind it.
extern "C" __global__ void keep_busy(long long cycles, float* most) {
    const long long begun = clock64();
    while (clock64() - begun < cycles) {
    }
    if (clock64() == begun) most[0] = 0.0f;
}
