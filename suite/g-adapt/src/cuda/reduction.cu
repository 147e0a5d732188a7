// The sum of an array: every thread adds up elements that lie a grid apart, every block its threads.
//
// BLOCK threads a block, WIDE elements a load, UNROLL loads of a thread that do not wait for each other.

#if WIDE == 4
typedef float4 Word;
__device__ float sum_of(Word word) { return (word.x + word.y) + (word.z + word.w); }
#else
typedef float Word;
__device__ float sum_of(Word word) { return word; }
#endif

// With `atomic` all blocks add to one sum, which is zero before; otherwise each has its own.
extern "C" __global__ void __launch_bounds__(BLOCK)
reduce(const float *values, u64 length, float *sums, u32 atomic) {
    const Word *words = (const Word *)values;
    u64 count = length / WIDE, step = (u64)gridDim.x * BLOCK;
    u64 next = (u64)blockIdx.x * BLOCK + threadIdx.x;
    float part[UNROLL] = {};
    for (; next + (UNROLL - 1) * step < count; next += UNROLL * step) {
#pragma unroll
        for (int own = 0; own < UNROLL; own++) part[own] += sum_of(words[next + own * step]);
    }
    for (; next < count; next += step) part[0] += sum_of(words[next]);
    if (blockIdx.x == 0 && threadIdx.x < length % WIDE) part[0] += values[count * WIDE + threadIdx.x];
    float sum = 0;
#pragma unroll
    for (int own = 0; own < UNROLL; own++) sum += part[own];
    sum = sum_of_block(sum);
    if (threadIdx.x != 0) return;
    if (atomic) atomicAdd(sums, sum);
    else sums[blockIdx.x] = sum;
}
