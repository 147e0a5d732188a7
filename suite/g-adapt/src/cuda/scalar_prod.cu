// Scalar products of pairs of vectors, which stand one after the other.
//
// BLOCK threads a block. A product is the work of one block (`per_vector`), or of SPLIT blocks that add to it (`per_part`).

__device__ float product(const float *left, const float *right, u32 first, u32 end) {
    float sum = 0;
#pragma unroll 4
    for (u32 element = first + threadIdx.x; element < end; element += BLOCK) sum += left[element] * right[element];
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
per_vector(const float *left, const float *right, float *products, u32 vectors, u32 elements) {
    for (u32 vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
        u64 at = (u64)vector * elements;
        float part = product(left + at, right + at, 0, elements);
        __syncthreads(); // what the vector before left in shared memory has been read
        float sum = sum_of_block(part);
        if (threadIdx.x == 0) products[vector] = sum;
    }
}

#ifdef SPLIT
extern "C" __global__ void __launch_bounds__(BLOCK)
per_part(const float *left, const float *right, float *products, u32 elements) {
    u32 vector = blockIdx.x / SPLIT, part = blockIdx.x % SPLIT, length = (elements + SPLIT - 1) / SPLIT;
    u64 at = (u64)vector * elements, first = (u64)part * length;
    u32 end = first + length < elements ? (u32)first + length : elements;
    float sum = sum_of_block(first < end ? product(left + at, right + at, (u32)first, end) : 0);
    if (threadIdx.x == 0) atomicAdd(products + vector, sum);
}
#endif
