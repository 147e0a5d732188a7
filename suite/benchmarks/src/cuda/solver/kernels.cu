// Krylov methods for A x = b in double precision, each solve one cooperative launch: scalars never leave the device, and
// what depends on them needs no launch of its own.
//
// Every block adds up the partial sums of all blocks itself, in one order, so that all come to the same bits and decide
// alike. Vectors change while the kernel runs: they are not `__restrict__`, so that no read of them takes the path for
// constant data.

// How a solve ended.
constexpr u32 CONVERGED = 0, LIMIT_REACHED = 1, BROKEN_DOWN = 2;

// Compressed rows; `lanes` threads (a power of two up to 32) share a row.
struct Matrix {
    u32 rows;
    u32 lanes;
    const u32 *__restrict__ offsets;
    const u32 *__restrict__ columns;
    const double *__restrict__ values;
};

// What all preconditioners keep; each uses its part.
struct Preconditioner {
    const double *__restrict__ inverse;  // of the diagonal, or of the blocks, column by column
    Matrix lower;                        // unit lower factor of the approximate inverse
    Matrix upper;                        // its upper factor
    double *between;                     // vector between the two factors
};

// What a solve is asked for, and its outcome.
struct Control {
    double tolerance;  // of the residual's norm, relative to the right side's
    u32 limit;         // of iterations
    u32 *outcome;      // how it ended, and iterations
    double *partials;  // one a block for each of 2 x SUMS sums
    Barrier *barrier;
};

constexpr u32 SUMS = 3;

struct Sums {
    double of[SUMS];
};

// The sums over a block, in each of its threads.
__device__ __forceinline__ Sums over_block(Sums mine) {
    __shared__ double by_warp[SUMS][WARPS];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();
    for (u32 i = 0; i < SUMS; ++i) {
        for (u32 distance = 16; distance > 0; distance /= 2) {
            mine.of[i] += __shfl_down_sync(ALL_LANES, mine.of[i], distance);
        }
        if (lane == 0) by_warp[i][warp] = mine.of[i];
    }
    __syncthreads();
    for (u32 i = 0; i < SUMS; ++i) {
        mine.of[i] = 0.0;
        for (u32 other = 0; other < WARPS; ++other) mine.of[i] += by_warp[i][other];
    }
    return mine;
}

// The sums over the grid, in every thread; a barrier too. `turn` alternates, so that no block overwrites partial sums that
// another still reads.
__device__ __forceinline__ Sums over_grid(const Control &control, u32 &turn, Sums mine) {
    double *partials = control.partials + u64(turn) * SUMS * gridDim.x;
    turn ^= 1;
    const Sums block = over_block(mine);
    if (threadIdx.x < SUMS) {
        const double sum = threadIdx.x == 0 ? block.of[0] : threadIdx.x == 1 ? block.of[1] : block.of[2];
        partials[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }
    meet(control.barrier);
    Sums all{};
    for (u32 block = threadIdx.x; block < gridDim.x; block += THREADS) {
        for (u32 i = 0; i < SUMS; ++i) all.of[i] += __ldcg(partials + i * gridDim.x + block);
    }
    return over_block(all);
}

// Gives the product of each row and `vector` to `use(row, sum)`, in one thread a row.
template <typename Use>
__device__ __forceinline__ void multiply(const Matrix &matrix, const double *vector, const Use &use) {
    const u32 lane = threadIdx.x & (matrix.lanes - 1);
    const u32 rows_per_warp = 32 / matrix.lanes;
    const u32 in_warp = threadIdx.x % 32 / matrix.lanes;
    const u32 stride = gridDim.x * WARPS * rows_per_warp;
    for (u32 first = (blockIdx.x * WARPS + threadIdx.x / 32) * rows_per_warp; first < matrix.rows; first += stride) {
        const u32 row = first + in_warp;
        double sum = 0.0;
        if (row < matrix.rows) {
            const u32 end = matrix.offsets[row + 1];
            for (u32 entry = matrix.offsets[row] + lane; entry < end; entry += matrix.lanes) {
                sum += matrix.values[entry] * vector[matrix.columns[entry]];
            }
        }
        for (u32 distance = matrix.lanes / 2; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(ALL_LANES, sum, distance);
        }
        if (lane == 0 && row < matrix.rows) use(row, sum);
    }
}

// Calls `use(i)` for the elements of a vector that are this thread's.
template <typename Use>
__device__ __forceinline__ void each_own(u32 count, const Use &use) {
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) use(i);
}

// The preconditioners: z = M r. Before, a thread's own elements of r are written; after, its own of z are.
struct Jacobi {
    static __device__ __forceinline__ void apply(const Preconditioner &m, const Control &, u32 rows, const double *r,
                                                 double *z) {
        each_own(rows, [&](u32 i) { z[i] = m.inverse[i] * r[i]; });
    }
};

struct BlockJacobi {
    static __device__ __forceinline__ void apply(const Preconditioner &m, const Control &control, u32 rows,
                                                 const double *r, double *z) {
        meet(control.barrier);
        each_own(rows, [&](u32 i) {
            const u32 first = i / BLOCK_ROWS * BLOCK_ROWS;
            double sum = 0.0;
#pragma unroll
            for (u32 k = 0; k < BLOCK_ROWS; ++k) {
                if (first + k < rows) sum += m.inverse[u64(k) * rows + i] * r[first + k];
            }
            z[i] = sum;
        });
    }
};

struct ApproximateInverse {
    static __device__ __forceinline__ void apply(const Preconditioner &m, const Control &control, u32, const double *r,
                                                 double *z) {
        double *between = m.between;
        meet(control.barrier);
        multiply(m.lower, r, [&](u32 row, double sum) { between[row] = sum; });
        meet(control.barrier);
        multiply(m.upper, between, [&](u32 row, double sum) { z[row] = sum; });
        meet(control.barrier);
    }
};

// Whether a sum can be divided by.
__device__ __forceinline__ bool usable(double sum) {
    return fabs(sum) > LEAST_PIVOT && fabs(sum) < 1e300;
}

__device__ __forceinline__ void finish(const Control &control, u32 how, u32 iterations) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        control.outcome[0] = how;
        control.outcome[1] = iterations;
    }
}

// Conjugate gradients, after Saad, "Iterative Methods for Sparse Linear Systems", algorithm 9.1.
template <typename M>
__device__ __forceinline__ void conjugate_gradients(const Matrix &a, const Preconditioner &m, const Control &control,
                                                    const double *b, double *x, double *work) {
    const u32 n = a.rows;
    double *r = work, *z = r + n, *p = z + n, *q = p + n;
    u32 turn = 0;
    each_own(n, [&](u32 i) {
        x[i] = 0.0;
        r[i] = b[i];
    });
    M::apply(m, control, n, r, z);
    Sums mine{};
    each_own(n, [&](u32 i) {
        p[i] = z[i];
        mine.of[0] += r[i] * r[i];
        mine.of[1] += r[i] * z[i];
    });
    Sums sums = over_grid(control, turn, mine);
    const double enough = control.tolerance * control.tolerance * sums.of[0];
    double rz = sums.of[1];
    for (u32 iteration = 0; sums.of[0] > enough; ++iteration) {
        if (iteration == control.limit) return finish(control, LIMIT_REACHED, iteration);
        mine = Sums{};
        multiply(a, p, [&](u32 row, double sum) {
            q[row] = sum;
            mine.of[0] += p[row] * sum;
        });
        const double pq = over_grid(control, turn, mine).of[0];
        // Of a positive definite matrix both are positive.
        if (!(pq > 0.0) || !(rz > 0.0) || !usable(pq)) return finish(control, BROKEN_DOWN, iteration);
        const double alpha = rz / pq;
        each_own(n, [&](u32 i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        });
        M::apply(m, control, n, r, z);
        mine = Sums{};
        each_own(n, [&](u32 i) {
            mine.of[0] += r[i] * r[i];
            mine.of[1] += r[i] * z[i];
        });
        sums = over_grid(control, turn, mine);
        const double beta = sums.of[1] / rz;
        rz = sums.of[1];
        each_own(n, [&](u32 i) { p[i] = z[i] + beta * p[i]; });
        if (!(sums.of[0] > enough)) return finish(control, sums.of[0] <= enough ? CONVERGED : BROKEN_DOWN, iteration + 1);
        meet(control.barrier);
    }
    finish(control, sums.of[0] <= enough ? CONVERGED : BROKEN_DOWN, 0);
}

// Stabilised biconjugate gradients, preconditioned from the right, after van der Vorst (1992).
template <typename M>
__device__ __forceinline__ void stabilised_biconjugate_gradients(const Matrix &a, const Preconditioner &m,
                                                                 const Control &control, const double *b, double *x,
                                                                 double *work) {
    const u32 n = a.rows;
    double *r = work, *p = r + n, *v = p + n, *t = v + n, *p_hat = t + n, *s_hat = p_hat + n;
    const double *shadow = b;  // the first residual
    u32 turn = 0;
    Sums mine{};
    each_own(n, [&](u32 i) {
        x[i] = 0.0;
        r[i] = p[i] = b[i];
        mine.of[0] += b[i] * b[i];
    });
    Sums sums = over_grid(control, turn, mine);
    const double enough = control.tolerance * control.tolerance * sums.of[0];
    double rho = sums.of[0];
    if (!(sums.of[0] > 0.0)) return finish(control, sums.of[0] == 0.0 ? CONVERGED : BROKEN_DOWN, 0);
    for (u32 iteration = 0; iteration < control.limit; ++iteration) {
        M::apply(m, control, n, p, p_hat);
        meet(control.barrier);
        mine = Sums{};
        multiply(a, p_hat, [&](u32 row, double sum) {
            v[row] = sum;
            mine.of[0] += shadow[row] * sum;
        });
        const double shadow_v = over_grid(control, turn, mine).of[0];
        if (!usable(shadow_v) || !usable(rho)) return finish(control, BROKEN_DOWN, iteration);
        const double alpha = rho / shadow_v;
        each_own(n, [&](u32 i) { r[i] -= alpha * v[i]; });
        M::apply(m, control, n, r, s_hat);
        meet(control.barrier);
        mine = Sums{};
        multiply(a, s_hat, [&](u32 row, double sum) {
            t[row] = sum;
            mine.of[0] += sum * r[row];
            mine.of[1] += sum * sum;
            mine.of[2] += r[row] * r[row];
        });
        sums = over_grid(control, turn, mine);
        // Half a step may be all it takes; then t is nothing but rounding.
        const bool halfway = sums.of[2] <= enough;
        if (!halfway && !usable(sums.of[1])) return finish(control, BROKEN_DOWN, iteration);
        const double omega = halfway ? 0.0 : sums.of[0] / sums.of[1];
        mine = Sums{};
        each_own(n, [&](u32 i) {
            x[i] += alpha * p_hat[i] + omega * s_hat[i];
            r[i] -= omega * t[i];
            mine.of[0] += r[i] * r[i];
            mine.of[1] += shadow[i] * r[i];
        });
        sums = over_grid(control, turn, mine);
        if (sums.of[0] <= enough) return finish(control, CONVERGED, iteration + 1);
        if (!usable(omega) || !(sums.of[0] < 1e300)) return finish(control, BROKEN_DOWN, iteration + 1);
        const double beta = sums.of[1] / rho * (alpha / omega);
        rho = sums.of[1];
        each_own(n, [&](u32 i) { p[i] = r[i] + beta * (p[i] - omega * v[i]); });
    }
    finish(control, LIMIT_REACHED, control.limit);
}

#define SOLVE(NAME, METHOD, M)                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                                        \
        NAME(u32 rows, u32 lanes, const u32 *offsets, const u32 *columns, const double *values,                     \
             const double *inverse, u32 factor_lanes, const u32 *lower_offsets, const u32 *lower_columns,           \
             const double *lower_values, const u32 *upper_offsets, const u32 *upper_columns,                        \
             const double *upper_values, const double *b, double *x, double *work, double tolerance, u32 limit,     \
             u32 *outcome, double *partials, Barrier *barrier) {                                                    \
        const Matrix a{rows, lanes, offsets, columns, values};                                                      \
        const Preconditioner m{inverse,                                                                             \
                               {rows, factor_lanes, lower_offsets, lower_columns, lower_values},                    \
                               {rows, factor_lanes, upper_offsets, upper_columns, upper_values},                    \
                               work + 6 * u64(rows)};                                                               \
        METHOD<M>(a, m, Control{tolerance, limit, outcome, partials, barrier}, b, x, work);                         \
    }
SOLVE(cg_jacobi, conjugate_gradients, Jacobi)
SOLVE(cg_block_jacobi, conjugate_gradients, BlockJacobi)
SOLVE(cg_approximate_inverse, conjugate_gradients, ApproximateInverse)
SOLVE(bicgstab_jacobi, stabilised_biconjugate_gradients, Jacobi)
SOLVE(bicgstab_block_jacobi, stabilised_biconjugate_gradients, BlockJacobi)
SOLVE(bicgstab_approximate_inverse, stabilised_biconjugate_gradients, ApproximateInverse)
