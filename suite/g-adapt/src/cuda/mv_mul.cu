// The product of a matrix, row by row in memory, and a vector.
//
// BLOCK threads a block, of which LANES share a row; UNROLL is how often the loop over a row is unrolled.

typedef unsigned int u32;
typedef unsigned long long u64;

static_assert(BLOCK % LANES == 0 && BLOCK <= 1024, "whole rows, and at most 1024 threads");

__device__ float part_of_row(const float *line, const float *vector, u32 columns, u32 lane) {
    float sum = 0;
    if (columns % 4 == 0) {
        const float4 *left = (const float4 *)line, *right = (const float4 *)vector;
#pragma unroll UNROLL
        for (u32 word = lane; word < columns / 4; word += LANES) {
            float4 a = left[word], b = right[word];
            sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
    } else {
#pragma unroll UNROLL
        for (u32 column = lane; column < columns; column += LANES) sum += line[column] * vector[column];
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
multiply(const float *matrix, const float *vector, float *result, u32 rows, u32 columns) {
    __shared__ float part[BLOCK];
    u32 lane = threadIdx.x % LANES;
    u64 row = (u64)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    part[threadIdx.x] = row < rows ? part_of_row(matrix + row * columns, vector, columns, lane) : 0;
#pragma unroll
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (lane == 0 && row < rows) result[row] = part[threadIdx.x];
}
