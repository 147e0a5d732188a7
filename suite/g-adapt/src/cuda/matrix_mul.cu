// The product of two matrices, row by row in memory: a block makes a tile of it, a thread PER times PER elements.
//
// TILE rows and columns of a tile, DEPTH columns of the left matrix that are in shared memory at once; UNROLL is how often the loop over
// those is unrolled.

typedef unsigned int u32;
typedef unsigned long long u64;

#define EDGE (TILE / PER)
#define THREADS (EDGE * EDGE)
static_assert(TILE % PER == 0 && THREADS <= 1024, "a block has at most 1024 threads");

extern "C" __global__ void __launch_bounds__(THREADS)
multiply(const float *left, const float *right, float *product, u32 rows, u32 inner, u32 columns) {
    // A row more than a tile has, so that elements beside each other, which are written at once, lie in different banks.
    __shared__ float a[DEPTH][TILE + 1], b[DEPTH][TILE];
    u32 thread = threadIdx.y * EDGE + threadIdx.x, top = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    float sum[PER][PER] = {};
    for (u32 first = 0; first < inner; first += DEPTH) {
        for (u32 element = thread; element < TILE * DEPTH; element += THREADS) {
            u32 row = element / DEPTH, depth = element % DEPTH;
            bool inside = top + row < rows && first + depth < inner;
            a[depth][row] = inside ? left[(u64)(top + row) * inner + first + depth] : 0;
        }
        for (u32 element = thread; element < TILE * DEPTH; element += THREADS) {
            u32 depth = element / TILE, column = element % TILE;
            bool inside = first + depth < inner && first_column + column < columns;
            b[depth][column] = inside ? right[(u64)(first + depth) * columns + first_column + column] : 0;
        }
        __syncthreads();
#pragma unroll UNROLL
        for (u32 depth = 0; depth < DEPTH; depth++) {
            float down[PER], across[PER];
#pragma unroll
            for (u32 own = 0; own < PER; own++) {
                down[own] = a[depth][threadIdx.y + own * EDGE];
                across[own] = b[depth][threadIdx.x + own * EDGE];
            }
#pragma unroll
            for (u32 i = 0; i < PER; i++) {
#pragma unroll
                for (u32 j = 0; j < PER; j++) sum[i][j] += down[i] * across[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 i = 0; i < PER; i++) {
#pragma unroll
        for (u32 j = 0; j < PER; j++) {
            u32 row = top + threadIdx.y + i * EDGE, column = first_column + threadIdx.x + j * EDGE;
            if (row < rows && column < columns) product[(u64)row * columns + column] = sum[i][j];
        }
    }
}
