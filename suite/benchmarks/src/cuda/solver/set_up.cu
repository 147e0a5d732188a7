// The values of the preconditioners.

// Rows of a block of the block-Jacobi preconditioner.
constexpr u32 BLOCK_ROWS = 8;
// Most entries of a row of the factorised approximate inverse: as many as a warp has lanes.
constexpr u32 MAX_FACTOR_ROW = 32;
// A pivot below this is taken for zero.
constexpr double LEAST_PIVOT = 1e-280;

// The inverse of the diagonal; a zero on it counts as 1.
extern "C" __global__ void __launch_bounds__(THREADS)
    set_up_jacobi(u32 rows, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
                  const double *__restrict__ values, double *__restrict__ inverse) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    double diagonal = 0.0;
    const u32 end = offsets[row + 1];
    for (u32 entry = offsets[row]; entry < end; ++entry) {
        if (columns[entry] == row) diagonal = values[entry];
    }
    inverse[row] = fabs(diagonal) > LEAST_PIVOT ? 1.0 / diagonal : 1.0;
}

// The inverses of the dense blocks on the diagonal, by Gauss-Jordan elimination in place: each lane keeps a row. Element
// (row, k) of a block's inverse goes to inverse[k * rows + row].
extern "C" __global__ void __launch_bounds__(THREADS)
    set_up_block_jacobi(u32 rows, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
                        const double *__restrict__ values, double *__restrict__ inverse) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    const u32 lane = threadIdx.x % BLOCK_ROWS, first = row - lane;
    double mine[BLOCK_ROWS];
#pragma unroll
    for (u32 k = 0; k < BLOCK_ROWS; ++k) mine[k] = row >= rows && k == lane ? 1.0 : 0.0;
    if (row < rows) {
        const u32 end = offsets[row + 1];
        for (u32 entry = offsets[row]; entry < end; ++entry) {
            const u32 place = columns[entry] - first;  // left of the block it wraps round to a large number
#pragma unroll
            for (u32 k = 0; k < BLOCK_ROWS; ++k) {
                if (k == place) mine[k] = values[entry];
            }
        }
    }
#pragma unroll
    for (u32 step = 0; step < BLOCK_ROWS; ++step) {
        double pivot_row[BLOCK_ROWS];
#pragma unroll
        for (u32 k = 0; k < BLOCK_ROWS; ++k) {
            pivot_row[k] = __shfl_sync(ALL_LANES, mine[k], step, BLOCK_ROWS);
        }
        const double pivot = fabs(pivot_row[step]) > LEAST_PIVOT ? 1.0 / pivot_row[step] : 1.0;
        const double factor = mine[step] * pivot;
#pragma unroll
        for (u32 k = 0; k < BLOCK_ROWS; ++k) {
            if (lane == step) {
                mine[k] = k == step ? pivot : mine[k] * pivot;
            } else {
                mine[k] = k == step ? -factor : mine[k] - factor * pivot_row[k];
            }
        }
    }
    if (row >= rows) return;
#pragma unroll
    for (u32 k = 0; k < BLOCK_ROWS; ++k) inverse[u64(k) * rows + row] = mine[k];
}

constexpr u32 FACTOR_WARPS = 4;

// The factors of the approximate inverse, after Kolotilina and Yeremin (1993). With J the columns of row i of the lower
// factor, i the last of them, the row solves l A(J, J) = e and the column of the upper factor A(J, J) u = e, where e is
// the last unit vector. The row is scaled so that it ends in 1. `places` says where an entry of the transposed pattern is
// in the upper factor. One warp a row.
extern "C" __global__ void __launch_bounds__(32 * FACTOR_WARPS)
    set_up_approximate_inverse(u32 rows, const u32 *__restrict__ offsets, const u32 *__restrict__ columns,
                               const double *__restrict__ values, const u32 *__restrict__ lower_offsets,
                               const u32 *__restrict__ lower_columns, const u32 *__restrict__ places,
                               double *__restrict__ lower_values, double *__restrict__ upper_values) {
    __shared__ double dense_of_warp[FACTOR_WARPS][MAX_FACTOR_ROW][MAX_FACTOR_ROW + 1];
    __shared__ u32 pattern_of_warp[FACTOR_WARPS][MAX_FACTOR_ROW];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto &dense = dense_of_warp[warp];
    u32 *const pattern = pattern_of_warp[warp];
    for (u32 row = blockIdx.x * FACTOR_WARPS + warp; row < rows; row += gridDim.x * FACTOR_WARPS) {
        const u32 start = lower_offsets[row], size = lower_offsets[row + 1] - start;
        __syncwarp();
        pattern[lane] = lane < size ? lower_columns[start + lane] : 0xffffffffu;
        for (u32 k = 0; k < size; ++k) dense[k][lane] = 0.0;
        __syncwarp();
        if (lane < size) {
            const u32 end = offsets[pattern[lane] + 1];
            u32 k = 0;
            for (u32 entry = offsets[pattern[lane]]; entry < end && k < size; ++entry) {
                const u32 column = columns[entry];
                while (k < size && pattern[k] < column) ++k;
                if (k < size && pattern[k] == column) dense[lane][k] = values[entry];
            }
        }
        __syncwarp();
        bool singular = false;
        for (u32 step = 0; step < size; ++step) {
            const double pivot = dense[step][step];
            singular |= !(fabs(pivot) > LEAST_PIVOT);
            if (lane > step && lane < size) {
                const double factor = dense[lane][step] / pivot;
                dense[lane][step] = factor;
                for (u32 k = step + 1; k < size; ++k) dense[lane][k] -= factor * dense[step][k];
            }
            __syncwarp();
        }
        const u32 last = size - 1;
        const double last_pivot = dense[last][last];
        double upper = lane == last ? 1.0 / last_pivot : 0.0, lower = lane == last ? 1.0 : 0.0;
        double upper_sum = 0.0, lower_sum = 0.0;
        for (u32 k = last; k > 0; --k) {
            const double upper_k = __shfl_sync(ALL_LANES, upper, k), lower_k = __shfl_sync(ALL_LANES, lower, k);
            if (lane < k) {
                upper_sum += dense[lane][k] * upper_k;
                lower_sum += dense[k][lane] * lower_k;
            }
            if (lane == k - 1) {
                upper = -upper_sum / dense[lane][lane];
                lower = -lower_sum;
            }
        }
        if (singular) {
            lower = upper = lane == last ? 1.0 : 0.0;
        }
        if (lane < size) {
            lower_values[start + lane] = lower;
            upper_values[places[start + lane]] = upper;
        }
    }
}
