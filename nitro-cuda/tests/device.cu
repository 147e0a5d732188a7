// Kernels of tests/device.rs.

extern "C" __global__ void multiprocessors(unsigned* used) {
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    if (threadIdx.x == 0) atomicAdd(&used[id], 1u);
    // Long enough that no multiprocessor takes two rounds before another takes one.
    for (unsigned i = 0; i < 100; ++i) __nanosleep(1000);
}

extern "C" __global__ void arguments(double* out, unsigned char a, short b, int c, unsigned d, long long e,
                                     unsigned long long f, float g, double h) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d;
    out[4] = (double)e; out[5] = (double)f; out[6] = g; out[7] = h;
}

extern "C" __global__ void shared(unsigned* out, unsigned words) {
    extern __shared__ unsigned memory[];
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) memory[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = memory[0] + memory[words - 1];
}

// Every block waits for all: ends only when all are resident at once.
extern "C" __global__ void meet(unsigned* arrived, unsigned* seen) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < gridDim.x) {}
        seen[blockIdx.x] = atomicAdd(arrived, 0u);
    }
}

extern "C" __global__ void spin(unsigned long long duration_ns) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < duration_ns);
}

extern "C" __global__ void add(unsigned* x, unsigned n, unsigned value) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += value;
}

extern "C" __global__ void illegal(unsigned* x) {
    *(volatile unsigned*)16 = *x;
}
