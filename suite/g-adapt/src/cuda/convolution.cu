// A separable filter of 2 RADIUS + 1 weights each way: along the rows, then along the columns. Outside of the image all is zero.
//
// A block filters ROW_TILE elements of a row, ROW_PER a thread; or COLUMN_HEIGHT elements of COLUMN_WIDTH columns, by COLUMN_THREADS threads
// a column.

typedef unsigned int u32;
typedef unsigned long long u64;

#define TAPS (2 * RADIUS + 1)
#define ROW_THREADS (ROW_TILE / ROW_PER)
static_assert(ROW_TILE % ROW_PER == 0 && ROW_THREADS <= 1024, "a block has at most 1024 threads");
static_assert(COLUMN_WIDTH * COLUMN_THREADS <= 1024, "a block has at most 1024 threads");
static_assert((COLUMN_HEIGHT + 2 * RADIUS) * COLUMN_WIDTH * 4 <= 48 * 1024, "a tile and what is around it fit in shared memory");

struct Weights {
    float of[TAPS];
    __device__ explicit Weights(const float *weights) {
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++) of[tap] = weights[tap];
    }
};

extern "C" __global__ void __launch_bounds__(ROW_THREADS)
filter_rows(const float *from, const float *weights, float *to, u32 rows, u32 columns) {
    __shared__ float line[ROW_TILE + 2 * RADIUS];
    Weights weight(weights);
    u32 left = blockIdx.x * ROW_TILE;
    for (u32 row = blockIdx.y; row < rows; row += gridDim.y) {
        u64 start = (u64)row * columns;
        for (u32 at = threadIdx.x; at < ROW_TILE + 2 * RADIUS; at += ROW_THREADS) {
            u32 column = left + at - RADIUS; // left of the image a very large number
            line[at] = column < columns ? from[start + column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (u32 own = 0; own < ROW_PER; own++) {
            u32 at = threadIdx.x + own * ROW_THREADS;
            float sum = 0;
#pragma unroll
            for (int tap = 0; tap < TAPS; tap++) sum += weight.of[tap] * line[at + tap];
            if (left + at < columns) to[start + left + at] = sum;
        }
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(COLUMN_WIDTH *COLUMN_THREADS)
filter_columns(const float *from, const float *weights, float *to, u32 rows, u32 columns) {
    __shared__ float tile[COLUMN_HEIGHT + 2 * RADIUS][COLUMN_WIDTH];
    Weights weight(weights);
    u32 column = blockIdx.x * COLUMN_WIDTH + threadIdx.x;
    for (u64 top = (u64)blockIdx.y * COLUMN_HEIGHT; top < rows; top += (u64)gridDim.y * COLUMN_HEIGHT) {
        for (u32 at = threadIdx.y; at < COLUMN_HEIGHT + 2 * RADIUS; at += COLUMN_THREADS) {
            u32 row = (u32)top + at - RADIUS; // above the image a very large number
            tile[at][threadIdx.x] = row < rows && column < columns ? from[(u64)row * columns + column] : 0;
        }
        __syncthreads();
        for (u32 at = threadIdx.y; at < COLUMN_HEIGHT; at += COLUMN_THREADS) {
            float sum = 0;
#pragma unroll
            for (int tap = 0; tap < TAPS; tap++) sum += weight.of[tap] * tile[at + tap][threadIdx.x];
            u32 row = (u32)top + at;
            if (row < rows && column < columns) to[(u64)row * columns + column] = sum;
        }
        __syncthreads();
    }
}
