// The same half sweep in the ways that the document tried in vain, and whole solves in one launch.

// ---- Reads through a texture: one object for the whole field, an offset for the colour.
extern "C" __global__ void lin_solve_texture(LIN_SOLVE, cudaTextureObject_t texture) {
    HALVES
    const int there = half - mine;
    HALF_SWEEP_OF(same[index] = (same0[index] +
                                 a * (tex1Dfetch<float>(texture, there + index - start) +
                                      tex1Dfetch<float>(texture, there + index - start + 1) +
                                      tex1Dfetch<float>(texture, there + index - pitch) +
                                      tex1Dfetch<float>(texture, there + index + pitch))) / c;)
}

// ---- The other colour in shared memory: a block of WIDTH x HEIGHT cells with what is around it.
// Every thread of a block reaches the barriers, also those beyond the last cell.
#define WIDTH 16
#define HEIGHT 16
extern "C" __global__ void lin_solve_shared(LIN_SOLVE) {
    HALVES
    __shared__ float kept[HEIGHT + 2][WIDTH + 2];
    const int left = blockIdx.x * WIDTH, tx = threadIdx.x, ty = threadIdx.y;
    for (int low = 1 + blockIdx.y * HEIGHT; low <= n; low += gridDim.y * HEIGHT) {
        for (int t = ty * WIDTH + tx; t < (HEIGHT + 2) * (WIDTH + 2); t += WIDTH * HEIGHT) {
            const int y = low - 1 + t / (WIDTH + 2), k = left - 1 + t % (WIDTH + 2);
            if (y <= n + 1 && k >= 0 && k <= n / 2) kept[t / (WIDTH + 2)][t % (WIDTH + 2)] =
                neigh[y * pitch + k];
        }
        __syncthreads();
        const int y = low + ty, start = start_of(color, y), k = left + tx;
        if (y <= n && k >= start && k < n / 2 + start) {
            const int index = y * pitch + k;
            same[index] = (same0[index] + a * (kept[ty + 1][tx + 1 - start] +
                                               kept[ty + 1][tx + 2 - start] +
                                               kept[ty][tx + 1] + kept[ty + 2][tx + 1])) / c;
        }
        __syncthreads();
    }
}

// ---- Small things: loads that say that nobody writes, stores that pass the caches by, several
// rows of a thread, a product instead of a division, 16 bytes a load.
extern "C" __global__ void lin_solve_ldg(LIN_SOLVE) {
    HALVES
    HALF_SWEEP_OF(same[index] = (__ldg(&same0[index]) +
                                 a * (__ldg(&neigh[index - start]) + __ldg(&neigh[index - start + 1]) +
                                      __ldg(&neigh[index - pitch]) + __ldg(&neigh[index + pitch]))) / c;)
}

extern "C" __global__ void lin_solve_streaming(LIN_SOLVE) {
    HALVES
    HALF_SWEEP_OF(__stcs(&same[index], (same0[index] +
                                        a * (neigh[index - start] + neigh[index - start + 1] +
                                             neigh[index - pitch] + neigh[index + pitch])) / c);)
}

extern "C" __global__ void __launch_bounds__(256) lin_solve_unrolled(LIN_SOLVE) {
    HALVES
    constexpr int EACH = 4;
    const int k0 = THREAD_X, y0 = 1 + THREAD_Y * EACH;
    float sum[EACH], before[EACH];
#pragma unroll
    for (int j = 0; j < EACH; ++j) {
        const int y = y0 + j, start = start_of(color, y), index = y * pitch + k0 + start;
        if (y > n || k0 >= n / 2) continue;
        before[j] = same0[index];
        sum[j] = neigh[index - start] + neigh[index - start + 1] + neigh[index - pitch] +
                 neigh[index + pitch];
    }
#pragma unroll
    for (int j = 0; j < EACH; ++j) {
        const int y = y0 + j, start = start_of(color, y), index = y * pitch + k0 + start;
        if (y <= n && k0 < n / 2) same[index] = (before[j] + a * sum[j]) / c;
    }
}

extern "C" __global__ void lin_solve_inverse(LIN_SOLVE) {
    HALVES
    const float inverse = 1.0f / c;
    HALF_SWEEP_OF(same[index] = (same0[index] +
                                 a * (neigh[index - start] + neigh[index - start + 1] +
                                      neigh[index - pitch] + neigh[index + pitch])) * inverse;)
}

// `pitch` is a multiple of 4: a thread has four cells of its colour, those on the border left out.
extern "C" __global__ void lin_solve_wide(LIN_SOLVE) {
    HALVES
    const int y = 1 + THREAD_Y, k = 4 * THREAD_X, index = y * pitch + k;
    if (y > n || k > n / 2) return;
    const int start = start_of(color, y);
    const float inverse = 1.0f / c;
    const float4 low = *(const float4*)&neigh[index - pitch];
    const float4 high = *(const float4*)&neigh[index + pitch];
    const float4 here = *(const float4*)&neigh[index], source = *(const float4*)&same0[index];
    const float further = start ? (k > 0 ? neigh[index - 1] : 0.0f)
                                : (k + 4 <= n / 2 ? neigh[index + 4] : 0.0f);
    const float row[5] = {start ? further : here.x, start ? here.x : here.y,
                          start ? here.y : here.z, start ? here.z : here.w,
                          start ? here.w : further};
    float4 found;
    found.x = (source.x + a * (row[0] + row[1] + low.x + high.x)) * inverse;
    found.y = (source.y + a * (row[1] + row[2] + low.y + high.y)) * inverse;
    found.z = (source.z + a * (row[2] + row[3] + low.z + high.z)) * inverse;
    found.w = (source.w + a * (row[3] + row[4] + low.w + high.w)) * inverse;
    const int last = n / 2 + start;
    if (k >= start && k + 3 < last) {
        *(float4*)&same[index] = found;
        return;
    }
    if (k >= start && k < last) same[index] = found.x;
    if (k + 1 < last) same[index + 1] = found.y;
    if (k + 2 < last) same[index + 2] = found.z;
    if (k + 3 < last) same[index + 3] = found.w;
}

// ---- All sweeps of a solve in one launch, whose blocks wait for each other. Nothing here may be
// taken as unchanging memory: other blocks write what this one reads.
#define WHOLE int n, int pitch, int boundary, float a, float c, const float *rhs, float *x, \
              unsigned *barrier

__device__ void border_of_all(int n, int pitch, int boundary, float* x) {
    const int width = GRID_WIDTH, first = THREAD_Y * width + THREAD_X;
    for (int i = 1 + first; i <= n; i += width * GRID_HEIGHT) set_border(n, pitch, boundary, x, i);
}

extern "C" __global__ void __launch_bounds__(256, 4) lin_solve_whole(WHOLE) {
    const int half = pitch * (n + 2);
    for (int sweep = 0; sweep < 20; ++sweep) {
        for (int color = 0; color < 2; ++color) {
            const int mine = color * half;
            const float *same0 = rhs + mine, *neigh = x + (half - mine);
            float* same = x + mine;
            HALF_SWEEP_OF(same[index] = (same0[index] +
                                         a * (neigh[index - start] + neigh[index - start + 1] +
                                              neigh[index - pitch] + neigh[index + pitch])) / c;)
            sync_grid(barrier);
        }
        border_of_all(n, pitch, boundary, x);
        sync_grid(barrier);
    }
}

// The same; of the right-hand side, a block keeps in shared memory what fits there: the first
// `places` cells of each of its threads, over all sweeps.
extern "C" __global__ void __launch_bounds__(1024, 1) lin_solve_whole_shared(WHOLE, int places) {
    DYNAMIC_SHARED(float, kept);
    const int half = pitch * (n + 2), threads = blockDim.x * blockDim.y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (int sweep = 0; sweep < 20; ++sweep) {
        int place = 0;
        for (int color = 0; color < 2; ++color) {
            const int mine = color * half;
            const float *same0 = rhs + mine, *neigh = x + (half - mine);
            float* same = x + mine;
            HALF_SWEEP_OF(float before;
                          if (place >= places) before = same0[index];
                          else if (sweep > 0) before = kept[place * threads + thread];
                          else before = kept[place * threads + thread] = same0[index];
                          ++place;
                          same[index] = (before +
                                         a * (neigh[index - start] + neigh[index - start + 1] +
                                              neigh[index - pitch] + neigh[index + pitch])) / c;)
            sync_grid(barrier);
        }
        border_of_all(n, pitch, boundary, x);
        sync_grid(barrier);
    }
}
