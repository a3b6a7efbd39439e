// Moving memory and multiplying, as fast as the device can.

extern "C" __global__ void copy(const double2* __restrict__ from, double2* __restrict__ to,
                                long long n) {
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < n) to[k] = from[k];
}

// Reads everything; the store never happens, which the compiler does not know.
extern "C" __global__ void read(const double2* __restrict__ from, double2* __restrict__ to,
                                long long n) {
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k >= n) return;
    double2 value = from[k];
    if (value.x == 1.2345e300) to[k] = value;
}

extern "C" __global__ void write(double2* __restrict__ to, long long n) {
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < n) to[k] = make_double2(1.0, 2.0);
}

// Sixteen chains of multiply-adds in each thread.
template <class Real>
__device__ void peak(Real* out, int turns) {
    const Real a = Real(0.999), b = Real(1e-3);
    Real x[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) x[k] = threadIdx.x + k;
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int k = 0; k < 16; ++k) x[k] = x[k] * a + b;
    }
    Real sum = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void peak_double(double* out, int turns) { peak(out, turns); }
extern "C" __global__ void peak_single(float* out, int turns) { peak(out, turns); }
