// The product of a sparse matrix and a vector, y = A x, in double precision.
//
// Rows are compressed: the entries of row r are offsets[r] .. offsets[r + 1]. Every kernel writes all of y.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 ALL_LANES = 0xffffffffu;
constexpr u32 THREADS = 256;
// The column of a place of the ELLPACK form that holds no entry.
constexpr u32 PADDING = 0xffffffffu;

// One thread a row.
extern "C" __global__ void __launch_bounds__(THREADS)
    csr_scalar(u32 rows, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
               const double *__restrict__ values, const double *__restrict__ x, double *__restrict__ y) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    const u32 end = offsets[row + 1];
    for (u32 entry = offsets[row]; entry < end; ++entry) sum += values[entry] * x[columns[entry]];
    y[row] = sum;
}

// LANES threads a row.
template <u32 LANES>
__device__ __forceinline__ void csr_vector(u32 rows, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
                                           const double *__restrict__ values, const double *__restrict__ x,
                                           double *__restrict__ y) {
    const u32 lane = threadIdx.x % LANES;
    const u32 in_warp = threadIdx.x % 32 / LANES;
    const u32 stride = gridDim.x * (THREADS / LANES);
    // The first row of the warp decides about the loop, so that all of its lanes meet at the shuffles.
    for (u32 first = (blockIdx.x * THREADS + threadIdx.x) / 32 * (32 / LANES); first < rows; first += stride) {
        const u32 row = first + in_warp;
        double sum = 0.0;
        if (row < rows) {
            const u32 end = offsets[row + 1];
            for (u32 entry = offsets[row] + lane; entry < end; entry += LANES) sum += values[entry] * x[columns[entry]];
        }
        for (u32 distance = LANES / 2; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(ALL_LANES, sum, distance, LANES);
        }
        if (lane == 0 && row < rows) y[row] = sum;
    }
}

#define CSR_VECTOR(LANES)                                                                                          \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                          \
        csr_vector_##LANES(u32 rows, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,             \
                           const double *__restrict__ values, const double *__restrict__ x, double *__restrict__ y) { \
        csr_vector<LANES>(rows, offsets, columns, values, x, y);                                                   \
    }
CSR_VECTOR(2)
CSR_VECTOR(4)
CSR_VECTOR(8)
CSR_VECTOR(16)
CSR_VECTOR(32)

// ELLPACK: place k of row r is at k * pitch + r, so that neighbouring threads read neighbouring places.
extern "C" __global__ void __launch_bounds__(THREADS)
    ell(u32 rows, u32 width, u32 pitch, const u32 *__restrict__ columns, const double *__restrict__ values,
        const double *__restrict__ x, double *__restrict__ y) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    u64 place = row;
    for (u32 k = 0; k < width; ++k, place += pitch) {
        const u32 column = columns[place];
        if (column == PADDING) break;  // entries come first in a row
        sum += values[place] * x[column];
    }
    y[row] = sum;
}

// Diagonals: the value of row r on diagonal d is at d * pitch + r, its column is r + starts[d].
extern "C" __global__ void __launch_bounds__(THREADS)
    dia(u32 rows, u32 columns, u32 diagonals, u32 pitch, const int *__restrict__ starts,
        const double *__restrict__ values, const double *__restrict__ x, double *__restrict__ y) {
    __shared__ int tile[THREADS];
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    double sum = 0.0;
    for (u32 first = 0; first < diagonals; first += THREADS) {
        __syncthreads();
        if (first + threadIdx.x < diagonals) tile[threadIdx.x] = starts[first + threadIdx.x];
        __syncthreads();
        if (row >= rows) continue;
        const u32 count = min(THREADS, diagonals - first);
        u64 place = u64(first) * pitch + row;
        for (u32 d = 0; d < count; ++d, place += pitch) {
            // Left of the matrix the sum wraps round to a large number.
            const u32 column = row + u32(tile[d]);
            if (column < columns) sum += values[place] * x[column];
        }
    }
    if (row < rows) y[row] = sum;
}

// Merge path: rows and entries are one list, in which the end of each row follows its entries. Every thread takes the
// same number of items from it, however they fall to rows.
constexpr u32 ITEMS = 7;  // odd, so that the threads of a warp read from different banks
constexpr u32 TILE = THREADS * ITEMS;

// How many of the first `items` items are ends of rows.
__device__ __forceinline__ u32 rows_among(u32 items, const u32 *ends, u32 rows, u32 first_entry, u32 entries) {
    u32 low = items > entries ? items - entries : 0;
    u32 high = min(items, rows);
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (ends[middle] <= first_entry + (items - 1 - middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// A sum that is carried from thread to thread until a thread ends a row.
struct Carry {
    double sum;
    bool ended;
};

__device__ __forceinline__ Carry then(Carry left, Carry right) {
    return Carry{right.ended ? right.sum : left.sum + right.sum, left.ended || right.ended};
}

// What the threads before this one carry into it; the sum that the whole block carries out goes to `out`.
__device__ __forceinline__ double carried_in(Carry mine, double *out) {
    __shared__ double sums[THREADS / 32];
    __shared__ bool ended[THREADS / 32];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Carry up_to_here = mine;
    for (u32 distance = 1; distance < 32; distance *= 2) {
        const Carry left{__shfl_up_sync(ALL_LANES, up_to_here.sum, distance),
                         __shfl_up_sync(ALL_LANES, int(up_to_here.ended), distance) != 0};
        if (lane >= distance) up_to_here = then(left, up_to_here);
    }
    if (lane == 31) {
        sums[warp] = up_to_here.sum;
        ended[warp] = up_to_here.ended;
    }
    __syncthreads();
    Carry before{0.0, false};
    for (u32 other = 0; other < warp; ++other) before = then(before, Carry{sums[other], ended[other]});
    if (threadIdx.x == THREADS - 1) *out = then(before, up_to_here).sum;
    const Carry left{__shfl_up_sync(ALL_LANES, up_to_here.sum, 1),
                     __shfl_up_sync(ALL_LANES, int(up_to_here.ended), 1) != 0};
    return lane == 0 ? before.sum : then(before, left).sum;
}

// One tile of items a block. The sum of a row that goes on in the next block is left in `carries`.
extern "C" __global__ void __launch_bounds__(THREADS)
    csr_merge(u32 rows, u32 nonzeros, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
              const double *__restrict__ values, const double *__restrict__ x, double *__restrict__ y,
              u32 *__restrict__ carry_rows, double *__restrict__ carries) {
    __shared__ u32 corners[2];
    __shared__ u32 ends[TILE + 1];
    __shared__ double products[TILE];
    const u32 *row_ends = offsets + 1;
    const u32 first_item = blockIdx.x * TILE;
    const u32 items = min(TILE, rows + nonzeros - first_item);
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
        const u32 corner = threadIdx.x / 32;
        corners[corner] = rows_among(first_item + corner * items, row_ends, rows, 0, nonzeros);
    }
    __syncthreads();
    const u32 first_row = corners[0], tile_rows = corners[1] - corners[0];
    const u32 first_entry = first_item - first_row, entries = items - tile_rows;
    for (u32 row = threadIdx.x; row <= tile_rows; row += THREADS) {
        // The last row does not end here; all that is left belongs to it.
        ends[row] = row < tile_rows ? row_ends[first_row + row] : 0xffffffffu;
    }
#pragma unroll
    for (u32 step = 0; step < ITEMS; ++step) {
        const u32 entry = step * THREADS + threadIdx.x;
        if (entry < entries) products[entry] = values[first_entry + entry] * x[columns[first_entry + entry]];
    }
    __syncthreads();

    const u32 mine = min(threadIdx.x * ITEMS, items);
    u32 row = rows_among(mine, ends, tile_rows, first_entry, entries);
    u32 entry = mine - row;
    const u32 my_first_row = row;
    const u32 my_items = min(ITEMS, items - mine);
    double sum = 0.0, first_sum = 0.0;
#pragma unroll
    for (u32 item = 0; item < ITEMS; ++item) {
        if (item < my_items) {
            if (first_entry + entry < ends[row]) {
                sum += products[entry++];
            } else {
                if (row == my_first_row) {
                    first_sum = sum;
                } else {
                    y[first_row + row] = sum;
                }
                sum = 0.0;
                ++row;
            }
        }
    }
    const bool ended = row != my_first_row;
    const double before = carried_in(Carry{sum, ended}, carries + blockIdx.x);
    if (ended) y[first_row + my_first_row] = before + first_sum;
    if (threadIdx.x == 0) carry_rows[blockIdx.x] = first_row + tile_rows;
}

// Adds what the blocks carried out to the rows that later blocks ended.
extern "C" __global__ void __launch_bounds__(THREADS)
    csr_merge_carries(u32 rows, u32 blocks, const u32 *__restrict__ carry_rows, const double *__restrict__ carries,
                      double *__restrict__ y) {
    const u32 block = blockIdx.x * THREADS + threadIdx.x;
    if (block >= blocks || carry_rows[block] >= rows || carries[block] == 0.0) return;
    atomicAdd(y + carry_rows[block], carries[block]);
}

// Builds the ELLPACK form; the places of shorter rows are filled up with padding.
extern "C" __global__ void __launch_bounds__(THREADS)
    csr_to_ell(u32 rows, u32 width, u32 pitch, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
               const double *__restrict__ values, u32 *__restrict__ ell_columns, double *__restrict__ ell_values) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u32 start = offsets[row], length = offsets[row + 1] - start;
    u64 place = row;
    for (u32 k = 0; k < width; ++k, place += pitch) {
        ell_columns[place] = k < length ? columns[start + k] : PADDING;
        ell_values[place] = k < length ? values[start + k] : 0.0;
    }
}

// Puts the entries in their places of the diagonal form, which holds zeros before. `diagonal_of` gives the number of the
// diagonal that a column lies on, from column - row + rows - 1.
extern "C" __global__ void __launch_bounds__(THREADS)
    csr_to_dia(u32 rows, u32 pitch, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
               const double *__restrict__ values, const u32 *__restrict__ diagonal_of,
               double *__restrict__ dia_values) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u32 end = offsets[row + 1];
    for (u32 entry = offsets[row]; entry < end; ++entry) {
        const u32 diagonal = diagonal_of[columns[entry] + (rows - 1 - row)];
        dia_values[u64(diagonal) * pitch + row] = values[entry];
    }
}
