// C = alpha * A * B + beta * C, row by row in memory, as one writes it by hand: a block of 256 threads makes TILE x TILE elements of C, a thread POINTS x POINTS
// of them. STEP columns of A and rows of B are in shared memory at once, the next ones come to registers meanwhile.

typedef unsigned int u32;
typedef unsigned long long u64;

#define EDGE 16
#define THREADS (EDGE * EDGE)
#define POINTS (TILE / EDGE)
#define STEP 8
#define OWN (TILE * STEP / THREADS) // elements of A, and of B, that a thread stages
// Neighbouring points lie in groups, which one instruction loads: two to each 8 bytes, four to each 16.
#define GROUP (POINTS < 4 ? POINTS : 4)
static_assert(TILE % (EDGE * GROUP) == 0 && TILE * STEP % THREADS == 0, "all threads have as much to do");

struct alignas(4 * GROUP) Group {
    float of[GROUP];
};

/// Where the points of a thread are: group by group over the whole tile.
__device__ u32 place(u32 lane, u32 point) {
    return point / GROUP * (EDGE * GROUP) + lane * GROUP + point % GROUP;
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm(u32 rows, u32 columns, u32 inner, float alpha, float beta, const float *__restrict__ a, const float *__restrict__ b,
     float *__restrict__ c) {
    __shared__ Group left[2][STEP][TILE / GROUP + 1], right[2][STEP][TILE / GROUP];
    u32 top = blockIdx.x * TILE, first_column = blockIdx.y * TILE;
    u32 x = threadIdx.x % EDGE, y = threadIdx.x / EDGE;
    float sum[POINTS][POINTS] = {}, next_left[OWN], next_right[OWN];

    auto fetch = [&](u32 first) {
#pragma unroll
        for (u32 own = 0; own < OWN; own++) {
            u32 element = threadIdx.x + own * THREADS;
            u32 row = top + element / STEP, depth = first + element % STEP;
            next_left[own] = row < rows && depth < inner ? a[(u64)row * inner + depth] : 0;
            u32 column = first_column + element % TILE;
            depth = first + element / TILE;
            next_right[own] = depth < inner && column < columns ? b[(u64)depth * columns + column] : 0;
        }
    };
    auto stage = [&](u32 buffer) {
#pragma unroll
        for (u32 own = 0; own < OWN; own++) {
            u32 element = threadIdx.x + own * THREADS;
            u32 row = element / STEP, column = element % TILE;
            left[buffer][element % STEP][row / GROUP].of[row % GROUP] = next_left[own];
            right[buffer][element / TILE][column / GROUP].of[column % GROUP] = next_right[own];
        }
    };

    fetch(0);
    stage(0);
    __syncthreads();
    u32 buffer = 0;
    for (u32 first = 0; first < inner; first += STEP, buffer ^= 1) {
        bool more = first + STEP < inner;
        if (more) fetch(first + STEP);
#pragma unroll
        for (u32 depth = 0; depth < STEP; depth++) {
            Group down[POINTS / GROUP], across[POINTS / GROUP];
#pragma unroll
            for (u32 group = 0; group < POINTS / GROUP; group++) {
                down[group] = left[buffer][depth][group * EDGE + y];
                across[group] = right[buffer][depth][group * EDGE + x];
            }
#pragma unroll
            for (u32 i = 0; i < POINTS; i++) {
#pragma unroll
                for (u32 j = 0; j < POINTS; j++)
                    sum[i][j] += down[i / GROUP].of[i % GROUP] * across[j / GROUP].of[j % GROUP];
            }
        }
        if (more) stage(buffer ^ 1);
        __syncthreads();
    }
#pragma unroll
    for (u32 i = 0; i < POINTS; i++) {
#pragma unroll
        for (u32 j = 0; j < POINTS; j++) {
            u32 row = top + place(y, i), column = first_column + place(x, j);
            if (row >= rows || column >= columns) continue;
            float *element = c + (u64)row * columns + column;
            *element = alpha * sum[i][j] + (beta == 0 ? 0 : beta * *element);
        }
    }
}
