// Launches that go wrong, in a process of their own (faults.py).

extern "C" __global__ void sound(float* x) { x[threadIdx.x] = 1.0f; }

// Writes 64 GiB behind the array.
extern "C" __global__ void far_away(float* x) { x[threadIdx.x + (1ll << 34)] = 1.0f; }
