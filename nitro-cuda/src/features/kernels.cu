// Benchmarks behind measured device features.

// One pass over memory, 16 bytes a thread and step.
extern "C" __global__ void copy(const uint4* __restrict__ source, uint4* __restrict__ target, unsigned long long count) {
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        target[i] = source[i];
    }
}

constexpr unsigned COUNTERS = 256;

// Pseudo-random counters, as a histogram of noise meets them.
__device__ unsigned next(unsigned& state) {
    state = state * 1664525u + 1013904223u;
    return state >> 24;
}

__device__ unsigned seed() {
    return (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
}

extern "C" __global__ void shared_atomics(unsigned* counters, unsigned additions) {
    __shared__ unsigned own[COUNTERS];
    for (unsigned i = threadIdx.x; i < COUNTERS; i += blockDim.x) own[i] = 0;
    __syncthreads();
    unsigned state = seed();
    for (unsigned i = 0; i < additions; ++i) atomicAdd(&own[next(state)], 1u);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < COUNTERS; i += blockDim.x) atomicAdd(&counters[i], own[i]);
}

extern "C" __global__ void global_atomics(unsigned* counters, unsigned additions) {
    unsigned state = seed();
    for (unsigned i = 0; i < additions; ++i) atomicAdd(&counters[next(state)], 1u);
}
