// Transposition from one matrix to another through tiles in shared memory, so that reads and writes of a warp lie side by side.
//
// TILE rows and columns of a tile, of which a block moves ROWS rows at once; PADDED: a tile's rows are one element longer, so that elements
// below each other lie in different banks.

typedef unsigned int u32;
typedef unsigned long long u64;

static_assert(TILE % ROWS == 0 && TILE * ROWS <= 1024, "rows of a tile, and at most 1024 threads");

extern "C" __global__ void __launch_bounds__(TILE *ROWS)
transpose(const float *from, float *to, u32 rows, u32 columns) {
    __shared__ float tile[TILE][TILE + PADDED];
    u32 left = blockIdx.x * TILE, lane = threadIdx.x;
    for (u64 top = (u64)blockIdx.y * TILE; top < rows; top += (u64)gridDim.y * TILE) {
#pragma unroll
        for (u32 first = 0; first < TILE; first += ROWS) {
            u32 line = first + threadIdx.y, row = (u32)top + line, column = left + lane;
            if (row < rows && column < columns) tile[line][lane] = from[(u64)row * columns + column];
        }
        __syncthreads();
#pragma unroll
        for (u32 first = 0; first < TILE; first += ROWS) {
            u32 line = first + threadIdx.y, row = left + line, column = (u32)top + lane;
            if (row < columns && column < rows) to[(u64)row * rows + column] = tile[lane][line];
        }
        __syncthreads();
    }
}
