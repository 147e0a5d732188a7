// Transposition from one matrix to another, an element a thread: the reads of a warp lie side by side, its writes a column apart.
//
// BLOCK_X columns and BLOCK_Y rows of a block.

typedef unsigned int u32;
typedef unsigned long long u64;

static_assert(BLOCK_X * BLOCK_Y <= 1024, "a block has at most 1024 threads");

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
transpose(const float *from, float *to, u32 rows, u32 columns) {
    u32 column = blockIdx.x * BLOCK_X + threadIdx.x;
    for (u64 row = (u64)blockIdx.y * BLOCK_Y + threadIdx.y; row < rows; row += (u64)gridDim.y * BLOCK_Y) {
        if (column < columns) to[(u64)column * rows + row] = from[row * columns + column];
    }
}
