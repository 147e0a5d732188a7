// What kernels need that run as one cooperative launch: sums over a block, and a barrier over the grid.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 ALL_LANES = 0xffffffffu;
constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / 32;

// Where the blocks of a grid meet. Zero before its first use; it may be used again by any grid.
struct Barrier {
    u32 arrived;
    volatile u32 generation;
};

// Waits for all threads of the grid, which must all be resident. What they wrote before is visible after it.
__device__ __forceinline__ void meet(Barrier *barrier) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const u32 generation = barrier->generation;
        __threadfence();
        if (atomicAdd(&barrier->arrived, 1u) == gridDim.x - 1) {
            atomicExch(&barrier->arrived, 0u);
            __threadfence();
            barrier->generation = generation + 1;
        } else {
            while (barrier->generation == generation) __nanosleep(20);
        }
        __threadfence();
    }
    __syncthreads();
}
