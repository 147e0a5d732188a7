// Stands before kernels of BLOCK threads a block that add up what these have.

typedef unsigned int u32;
typedef unsigned long long u64;

static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "whole warps, and at most 1024 threads");

// Of thread 0 the sum over the block. Before another call there is a barrier.
__device__ float sum_of_block(float sum) {
    __shared__ float of_warp[32];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    sum = threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : 0;
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    return sum;
}

