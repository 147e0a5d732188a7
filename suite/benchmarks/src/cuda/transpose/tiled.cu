// Transposition of 64-bit elements from one array to another, tile by tile in shared memory, so that both sides see whole lines.
//
// TILE is the number of rows and of columns of a tile. A block has TILE times BLOCK_ROWS threads and moves BLOCK_ROWS rows of a tile at once.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef double Element;

static_assert(TILE % BLOCK_ROWS == 0, "the rows that a block moves at once divide a tile");
static_assert(TILE * BLOCK_ROWS <= 1024, "a block has at most 1024 threads");

extern "C" __global__ void __launch_bounds__(TILE *BLOCK_ROWS)
transpose_tiled(const Element *from, Element *to, u32 rows, u32 columns) {
    // A column more than a tile has, so that elements below each other lie in different banks.
    __shared__ Element tile[TILE][TILE + 1];
    u32 tiles_across = (columns + TILE - 1) / TILE, tiles_down = (rows + TILE - 1) / TILE;
    u32 lane = threadIdx.x;
    for (u64 index = blockIdx.x; index < (u64)tiles_across * tiles_down; index += gridDim.x) {
        u32 left = (u32)(index % tiles_across) * TILE, top = (u32)(index / tiles_across) * TILE;
#pragma unroll
        for (u32 first = 0; first < TILE; first += BLOCK_ROWS) {
            u32 line = first + threadIdx.y, row = top + line, column = left + lane;
            if (row < rows && column < columns) tile[line][lane] = from[(u64)row * columns + column];
        }
        __syncthreads();
#pragma unroll
        for (u32 first = 0; first < TILE; first += BLOCK_ROWS) {
            u32 line = first + threadIdx.y, row = left + line, column = top + lane;
            if (row < columns && column < rows) to[(u64)row * rows + column] = tile[lane][line];
        }
        __syncthreads();
    }
}
