// Ours: several sweeps in one pass over memory, without shared memory and without barriers.
//
// A field lies row by row, red and black cells side by side, column 1 at place 32 of a row of
// `pitch` places. A warp has a strip of 128 columns, four to a lane, and goes upwards through its
// rows. Of the newest rows it keeps the values in registers: when row r arrives, the first half
// sweep takes row r - 1, the second row r - 2 and so on, so that a row has had all of them when it
// leaves. Neighbours in a row come from the lane beside. What neighbouring warps would have changed
// is computed here as well: each half sweep makes one cell of an edge of the strip wrong, and those
// cells are not stored. Warps read what no warp of the same launch writes.
//
// The border is never read: beside it, a cell's value from before the half sweep stands for it,
// which is what set_bnd put there after the sweep before.
constexpr int FIRST_PLACE = 31;  // of column 0
constexpr int STRIP = 128, LANE_COLUMNS = 4;

// Numbers of places fit into an int up to some 46000 cells along a side.
__device__ inline int place(int pitch, int i, int j) { return j * pitch + FIRST_PLACE + i; }

// A cell inside and what it means for the border.
__device__ inline void put(float* to, int n, int pitch, int i, int j, float value, float side,
                           float end) {
    to[place(pitch, i, j)] = value;
    const bool low = j == 1, high = j == n;
    if (low) to[place(pitch, i, 0)] = end * value;
    if (high) to[place(pitch, i, n + 1)] = end * value;
    if (i != 1 && i != n) return;
    const int beside = i == 1 ? 0 : n + 1;
    to[place(pitch, beside, j)] = side * value;
    const float corner = 0.5f * (end * value + side * value);
    if (low) to[place(pitch, beside, 0)] = corner;
    if (high) to[place(pitch, beside, n + 1)] = corner;
}

// What is solved; u, v and density are the layers of one launch.
enum Unknown { U, V, DENSITY, PRESSURE };

struct Solve {
    const float *rhs, *from;
    float *to, *most;  // most: of the largest value, where it is asked for
    float a, c, side, end, strong;  // strong: of the sources that the unknown begins with
    int which;
};

// A cell after a half sweep. EXACT: with the roundings of the legacy program, its division by three
// instructions (Markstein's); otherwise by one, with `source` and `share` divided before.
__device__ __forceinline__ float relaxed(float around, float source, float share, float c,
                                         float inverse) {
#ifdef EXACT
    const float sum = __fadd_rn(source, __fmul_rn(share, around));
    const float near = __fmul_rn(sum, inverse);
    return __fmaf_rn(__fmaf_rn(-c, near, sum), inverse, near);
#else
    return source + share * around;
#endif
}

// A strip, and rows [first, last] that are stored.
template <int COUNT, bool GIVEN, bool EDGE>
__device__ __forceinline__ void sweep_strip(const Solve& solve, int n, int pitch, int left,
                                            int first, int last) {
    constexpr int HALF_SWEEPS = 2 * COUNT, HALO = (HALF_SWEEPS + 3) / 4 * 4, AHEAD = 2;
    constexpr int ROWS = HALF_SWEEPS + 2 + AHEAD;
    static_assert(ROWS % 2 == 0, "rows of a turn have the colours of those of the turn before");
    const int lane = threadIdx.x % 32, column = left + lane * LANE_COLUMNS;
    const int top = first - HALF_SWEEPS;
    const bool stores = lane >= HALO / 4 && lane < 32 - HALO / 4;
    const float inverse = 1.0f / solve.c;
#ifdef EXACT
    const float share = solve.a, scale = 1.0f, unscaled = 1.0f;
#else
    const float share = solve.a * inverse, scale = inverse, unscaled = solve.c;
#endif
    float x[ROWS][4], source[ROWS][4], peak = 0.0f;

#define ASK(row, slot)                                                                       \
    {                                                                                        \
        const int inside = EDGE ? min(max(row, 0), n + 1) : (row);                            \
        const int here = place(pitch, column, inside);                                 \
        const float4 f = *(const float4*)&solve.rhs[here];                                   \
        source[slot][0] = f.x, source[slot][1] = f.y, source[slot][2] = f.z,                 \
        source[slot][3] = f.w;                                                               \
        if (GIVEN) {                                                                         \
            const float4 g = *(const float4*)&solve.from[here];                              \
            x[slot][0] = g.x, x[slot][1] = g.y, x[slot][2] = g.z, x[slot][3] = g.w;          \
        } else {                                                                             \
            x[slot][0] = x[slot][1] = x[slot][2] = x[slot][3] = 0.0f;                        \
            if (inside % 64 == 0) {                                                          \
                x[slot][3] = source_at(n, solve.which, solve.strong, column + 3, inside);    \
            } else if (inside == n / 2) {                                                    \
                for (int c = 0; c < 4; ++c)                                                  \
                    if (column + c == n / 2) x[slot][c] = solve.strong * 10.0f;              \
            }                                                                                \
        }                                                                                    \
    }

#pragma unroll
    for (int k = 0; k < ROWS; ++k)
#pragma unroll
        for (int c = 0; c < 4; ++c) x[k][c] = source[k][c] = 0.0f;
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) ASK(top + k, k)

    for (int base = top; base - HALF_SWEEPS <= last; base += ROWS) {
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            const int row = base + k;
            if (row + AHEAD <= last + HALF_SWEEPS) ASK(row + AHEAD, (k + AHEAD) % ROWS)
#pragma unroll
            for (int c = 0; c < 4; ++c) source[k][c] *= scale;
            // Row `top` and column `left` are odd: in this turn all half sweeps take these columns.
            const int one = (k + 1) % 2;
#pragma unroll
            for (int h = 0; h < HALF_SWEEPS; ++h) {
                const int here = (k - 1 - h + 2 * ROWS) % ROWS, below = (k - 2 - h + 2 * ROWS) % ROWS;
                const int above = (k - h + 2 * ROWS) % ROWS, r = row - 1 - h;
                const float beside = one ? __shfl_down_sync(~0u, x[here][0], 1)
                                         : __shfl_up_sync(~0u, x[here][3], 1);
                float fresh[2];
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int c = one + 2 * half;
                    float before = c > 0 ? x[here][c > 0 ? c - 1 : 0] : beside;
                    float after = c < 3 ? x[here][c < 3 ? c + 1 : 3] : beside;
                    float down = x[below][c], up = x[above][c];
                    if (EDGE) {
                        const float own = x[here][c];
                        if (c == 0 && column == 1) before = solve.side * own;
                        if (c % 2 == 1 && column + c == n) after = solve.side * own;
                        if (r == 1) down = solve.end * own;
                        if (r == n) up = solve.end * own;
                    }
                    fresh[half] = relaxed(((before + after) + down) + up, source[here][c], share,
                                          solve.c, inverse);
                }
                x[here][one] = fresh[0];
                x[here][one + 2] = fresh[1];
            }
            const int done = row - HALF_SWEEPS, slot = (k - HALF_SWEEPS + 2 * ROWS) % ROWS;
            if (done >= first && done <= last && stores) {
                if (!EDGE)
                    *(float4*)&solve.to[place(pitch, column, done)] =
                        make_float4(x[slot][0], x[slot][1], x[slot][2], x[slot][3]);
#pragma unroll
                for (int c = 0; c < 4; ++c) {
                    if (EDGE && column + c > n) continue;
                    const float value = x[slot][c];
                    if (solve.most) {
                        const float f = source[slot][c] * unscaled;
                        peak = fmaxf(peak, solve.which == PRESSURE ? value * value + f * f : value);
                    }
                    if (EDGE)
                        put(solve.to, n, pitch, column + c, done, value, solve.side, solve.end);
                }
            }
        }
    }
#undef ASK
    if (solve.most) put_largest(peak, solve.most);
}

// Warps of a launch: strips beside each other, then `height` rows further up. The layers of the grid
// are unknowns from `base` on; strong: of the sources, as `decide` left it.
#define PASS                                                                                    \
    int n, int pitch, int height, int base, float visc, float diff, const float *strong,        \
        float *most, const float *rhs_0, const float *rhs_1, const float *rhs_2,                \
        const float *from_0, const float *from_1, const float *from_2, float *to_0, float *to_1, \
        float *to_2
#define PASS_GIVEN                                                                                \
    n, pitch, height, base, visc, diff, strong, most, rhs_0, rhs_1, rhs_2, from_0, from_1, from_2, \
        to_0, to_1, to_2

// Warps with a piece of the border take longer: they begin first, so that none of them is the last.
__device__ inline int ends_first(int k, int count) {
    return k == 0 ? 0 : k == 1 ? count - 1 : k - 1;
}

template <int COUNT, bool GIVEN>
__device__ __forceinline__ void sweep_cells(PASS) {
    constexpr int HALF_SWEEPS = 2 * COUNT, HALO = (HALF_SWEEPS + 3) / 4 * 4;
    constexpr int USEFUL = STRIP - 2 * HALO;
    const int strips = (n + USEFUL - 1) / USEFUL, heights = (n + height - 1) / height;
    const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, layer = blockIdx.z;
    if (warp >= strips * heights) return;
    const int left = 1 + ends_first(warp / heights, strips) * USEFUL - HALO;
    const int first = 1 + ends_first(warp % heights, heights) * height;
    const int last = min(first + height - 1, n);
    Solve one;
    one.which = base + layer;
    one.a = one.which == PRESSURE ? 1.0f : one.which == DENSITY ? diff : visc;
    one.c = 1.0f + 4.0f * one.a;
    if (one.which == PRESSURE) one.c = 4.0f;
    one.side = one.which == U ? -1.0f : 1.0f;
    one.end = one.which == V ? -1.0f : 1.0f;
    one.strong = GIVEN || one.which == PRESSURE ? 0.0f : strong[one.which == DENSITY ? 1 : 0];
    one.most = most && one.which >= DENSITY ? most + (one.which == DENSITY ? 1 : 0) : nullptr;
    one.rhs = layer == 0 ? rhs_0 : layer == 1 ? rhs_1 : rhs_2;
    one.from = layer == 0 ? from_0 : layer == 1 ? from_1 : from_2;
    one.to = layer == 0 ? to_0 : layer == 1 ? to_1 : to_2;
    const bool inside = left > 1 && left + STRIP <= n && first > HALF_SWEEPS &&
                        last + HALF_SWEEPS < n;
    if (inside) sweep_strip<COUNT, GIVEN, false>(one, n, pitch, left, first, last);
    else sweep_strip<COUNT, GIVEN, true>(one, n, pitch, left, first, last);
}

// SWEEPS: of a pass; WARPS: of a processor, as its registers leave it.
extern "C" __global__ void __launch_bounds__(64, WARPS / 2) sweep_first(PASS) {
    sweep_cells<SWEEPS, false>(PASS_GIVEN);
}
extern "C" __global__ void __launch_bounds__(64, WARPS / 2) sweep_next(PASS) {
    sweep_cells<SWEEPS, true>(PASS_GIVEN);
}

// ---- The rest of a step.
// One block: the decision, and sources where u, v and d get them; state: force, source of a step.
extern "C" __global__ void __launch_bounds__(1024) decide(int n, int pitch, float dt, float force,
                                                         float source, float* most, float* state,
                                                         float* u, float* v, float* d) {
    const float stirs = most[0] < SMALL_VELOCITY ? force : 0.0f;
    const float feeds = most[1] < SMALL_DENSITY ? source : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        most[0] = most[1] = 0.0f;
        state[0] = stirs;
        state[1] = feeds;
    }
    if (stirs == 0.0f && feeds == 0.0f) return;
    const int across = (n - 1) / 64, count = across * across;
    for (int k = threadIdx.x; k <= count; k += blockDim.x) {
        const bool centre = k == count;
        if (centre && n / 2 % 64 == 0) continue;  // one of the others
        const int i = centre ? n / 2 : 64 * (1 + k % max(across, 1));
        const int j = centre ? n / 2 : 64 * (1 + k / max(across, 1));
        const int here = place(pitch, i, j);
        u[here] += dt * source_at(n, 0, stirs, i, j);
        v[here] += dt * source_at(n, 1, stirs, i, j);
        d[here] += dt * source_at(n, 2, feeds, i, j);
    }
}

// A thread has ROWS_EACH cells above each other: all that they need is asked for before the first of
// them is stored.
constexpr int ROWS_EACH = 4;
#define CELLS                                                                          \
    const int i = 1 + THREAD_X, low = 1 + ROWS_EACH * THREAD_Y;                        \
    if (i > n || low > n) return;
#define OF_EACH_CELL(body)                                                             \
    _Pragma("unroll") for (int t = 0; t < ROWS_EACH; ++t) {                            \
        const int j = low + t, here = place(pitch, i, j);                              \
        if (j <= n) { body }                                                           \
    }

extern "C" __global__ void divergence(int n, int pitch, const float* __restrict__ u,
                                      const float* __restrict__ v, float* __restrict__ div) {
    CELLS
    float found[ROWS_EACH];
    OF_EACH_CELL(found[t] = -0.5f *
                            (u[here + 1] - u[here - 1] + v[here + pitch] - v[here - pitch]) / n;)
    OF_EACH_CELL(put(div, n, pitch, i, j, found[t], 1.0f, 1.0f);)
}

__device__ inline float2 without_gradient(int n, int pitch, int here,
                                          const float* __restrict__ p, const float* u,
                                          const float* v) {
    return make_float2(u[here] - 0.5f * n * (p[here + 1] - p[here - 1]),
                       v[here] - 0.5f * n * (p[here + pitch] - p[here - pitch]));
}

// A velocity and what it means for the border.
__device__ inline void put_velocity(float* u, float* v, int n, int pitch, int i, int j, float2 w) {
    put(u, n, pitch, i, j, w.x, -1.0f, 1.0f);
    put(v, n, pitch, i, j, w.y, 1.0f, -1.0f);
}

extern "C" __global__ void gradient(int n, int pitch, const float* __restrict__ p, float* u,
                                    float* v) {
    CELLS
    float2 found[ROWS_EACH];
    OF_EACH_CELL(found[t] = without_gradient(n, pitch, here, p, u, v);)
    OF_EACH_CELL(put_velocity(u, v, n, pitch, i, j, found[t]);)
}

// Where the flow came from: the cell below and left of it, and the shares of the two columns and
// rows.
struct Origin {
    int here;
    float s0, s1, t0, t1;
};

__device__ inline Origin origin(int n, int pitch, int i, int j, float dt0, float u, float v) {
    const float x = fminf(fmaxf(i - dt0 * u, 0.5f), n + 0.5f);
    const float y = fminf(fmaxf(j - dt0 * v, 0.5f), n + 0.5f);
    const int i0 = int(x), j0 = int(y);
    const float s1 = x - i0, t1 = y - j0;
    return {place(pitch, i0, j0), 1.0f - s1, s1, 1.0f - t1, t1};
}

__device__ inline float carried(const float* __restrict__ f, int pitch, const Origin& from) {
    const float* low = f + from.here;
    return from.s0 * (from.t0 * low[0] + from.t1 * low[pitch]) +
           from.s1 * (from.t0 * low[1] + from.t1 * low[pitch + 1]);
}

extern "C" __global__ void advect_velocity(int n, int pitch, float dt,
                                           const float* __restrict__ u0,
                                           const float* __restrict__ v0, float* __restrict__ u,
                                           float* __restrict__ v) {
    CELLS
    float2 found[ROWS_EACH];
    OF_EACH_CELL(const Origin from = origin(n, pitch, i, j, dt * n, u0[here], v0[here]);
                 found[t] = make_float2(carried(u0, pitch, from), carried(v0, pitch, from));)
    OF_EACH_CELL(put_velocity(u, v, n, pitch, i, j, found[t]);)
}

// The end of a step: the second projection's gradient, and the density carried by what is left.
extern "C" __global__ void gradient_and_density(int n, int pitch, float dt,
                                                const float* __restrict__ p, float* u, float* v,
                                                const float* __restrict__ d0,
                                                float* __restrict__ d) {
    CELLS
    float2 found[ROWS_EACH];
    float density[ROWS_EACH];
    OF_EACH_CELL(found[t] = without_gradient(n, pitch, here, p, u, v);)
    OF_EACH_CELL(density[t] = carried(
                     d0, pitch, origin(n, pitch, i, j, dt * n, found[t].x, found[t].y));)
    OF_EACH_CELL(put_velocity(u, v, n, pitch, i, j, found[t]);
                 put(d, n, pitch, i, j, density[t], 1.0f, 1.0f);)
}
