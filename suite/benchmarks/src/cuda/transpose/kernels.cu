// Transposition in place: the passes of the decomposition over a grid of rows and columns of 64-bit elements.
//
// With c the greatest common divisor of rows and columns, period = rows / c and stride = columns / c, columns become rows in
// three steps: column j rotates by j / stride; in row i the element of column j goes to column
// ((i + j / stride) mod rows + j rows) mod columns; column j rotates by j, and row i receives row
// (i columns - i / period) mod rows. Rows become columns by the inverse steps in reverse. Divisions are integer divisions.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef double Element;

constexpr u32 THREADS = 256;

/// Tables of the index arithmetic: for each row the row that it receives in the last step, and for each column where its
/// element of row 0 goes.
extern "C" __global__ void
fill_tables(u32 rows, u32 columns, u32 stride, u32 period, u32 *sources, u32 *targets) {
    for (u64 i = blockIdx.x * THREADS + threadIdx.x; i < rows || i < columns; i += gridDim.x * THREADS) {
        if (i < rows) sources[i] = (u32)((i * columns - i / period) % rows);
        if (i < columns) targets[i] = (u32)((i / stride + i * rows) % columns);
    }
}

/// Where the element of a column goes in row i: as in row 0 but i further, and by `rows` less once the rotation has come back to
/// the first row.
struct RowTargets {
    u32 columns, turn, before, behind;

    __device__ RowTargets(u32 rows, u32 columns, u32 stride, u32 row) : columns(columns) {
        u64 turn_column = (u64)(rows - row) * stride;
        turn = turn_column < columns ? (u32)turn_column : columns;
        before = row % columns;
        behind = (u32)((row + (u64)columns * rows - rows) % columns);
    }

    __device__ __forceinline__ u32 of(u32 column, u32 target_in_row_0) const {
        u32 sum = target_in_row_0 + (column < turn ? before : behind);
        return sum >= columns ? sum - columns : sum;
    }
};

// ---- columns, by way of memory aside

constexpr u32 LANES = 32;
constexpr u32 TILE_ROWS = 64;

/// The remainder of a number that is mostly small enough; a division takes long.
__device__ __forceinline__ u32 wrapped(u32 value, u32 end) { return value < end ? value : value % end; }

/// Rotates columns from one array to another, tile by tile in shared memory, so that both sides see whole lines.
///
/// `first_column` is the grid's column of the arrays' first one; `back` turns the other way. Within a tile, neighbouring columns
/// differ by at most one row, so that a few rows more than the tile's are enough.
extern "C" __global__ void __launch_bounds__(THREADS) rotate_columns(
    const Element *from, u32 from_pitch, Element *to, u32 to_pitch, u32 rows, u32 width, u32 first_column, u32 stride,
    u32 back
) {
    __shared__ Element tile[TILE_ROWS + LANES - 1][LANES];
    u32 tiles_across = (width + LANES - 1) / LANES, tiles_down = (rows + TILE_ROWS - 1) / TILE_ROWS;
    u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    for (u64 index = blockIdx.x; index < (u64)tiles_across * tiles_down; index += gridDim.x) {
        u32 left = (u32)(index % tiles_across) * LANES, top = (u32)(index / tiles_across) * TILE_ROWS;
        u32 last_column = left + LANES < width ? left + LANES - 1 : width - 1, column = left + lane;
        u32 low = (first_column + left) / stride, high = (first_column + last_column) / stride;
        u32 own = (first_column + column) / stride, spread = high - low;
        u32 height = rows - top < TILE_ROWS ? rows - top : TILE_ROWS;
        // The row that the tile's first row receives in the column that turns least (forth) or most (back).
        u32 base = back ? (u32)((top + (u64)rows * LANES - high % rows) % rows) : (u32)(((u64)top + low) % rows);
        if (column < width)
            for (u32 row = warp; row < height + spread; row += THREADS / LANES)
                tile[row][lane] = from[(u64)wrapped(base + row, rows) * from_pitch + column];
        __syncthreads();
        u32 shift = back ? high - own : own - low;
        if (column < width)
            for (u32 row = warp; row < height; row += THREADS / LANES)
                to[(u64)(top + row) * to_pitch + column] = tile[row + shift][lane];
        __syncthreads();
    }
}

/// Copies rows of `width` elements: row i receives row sources[i], or with `scatter` goes there. Without a table, row i is row i.
extern "C" __global__ void __launch_bounds__(THREADS) permute_rows(
    const Element *from, u32 from_pitch, Element *to, u32 to_pitch, u32 rows, u32 width, const u32 *sources,
    u32 scatter
) {
    // As many lanes beside each other as the width needs, up to a warp.
    u32 across = LANES;
    while (across / 2 >= width) across /= 2;
    u32 column = threadIdx.x % across, rows_at_once = THREADS / across;
    for (u64 row = blockIdx.x * rows_at_once + threadIdx.x / across; row < rows; row += gridDim.x * rows_at_once) {
        u64 other = sources ? sources[row] : row;
        const Element *in = from + (scatter ? row : other) * from_pitch;
        Element *out = to + (scatter ? other : row) * to_pitch;
#pragma unroll 4
        for (u32 i = column; i < width; i += across) out[i] = in[i];
    }
}

/// Copies elements aside.
extern "C" __global__ void __launch_bounds__(THREADS) copy_elements(const Element *from, Element *to, u64 count) {
#pragma unroll 4
    for (u64 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) to[i] = from[i];
}

// ---- columns that fit shared memory

constexpr u32 PANEL = 8;

/// The last step at once, in place: a panel of columns lies in shared memory meanwhile. With `back`, its inverse.
extern "C" __global__ void __launch_bounds__(THREADS)
shuffle_resident_columns(Element *values, u32 rows, u32 columns, const u32 *sources, u32 back) {
    extern __shared__ Element panel[];
    u32 lane = threadIdx.x % PANEL, first_row = threadIdx.x / PANEL;
    for (u32 left = blockIdx.x * PANEL; left < columns; left += gridDim.x * PANEL) {
        u32 column = left + lane, turn = column % rows;
        bool inside = column < columns;
        if (inside)
#pragma unroll 4
            for (u32 row = first_row; row < rows; row += THREADS / PANEL)
                panel[(back ? sources[row] : row) * PANEL + lane] = values[(u64)row * columns + column];
        __syncthreads();
        if (inside)
#pragma unroll 4
            for (u32 row = first_row; row < rows; row += THREADS / PANEL) {
                u32 source = back ? row + (rows - turn) : sources[row] + turn;
                if (source >= rows) source -= rows;
                values[(u64)row * columns + column] = panel[source * PANEL + lane];
            }
        __syncthreads();
    }
}

/// The first step in place: a panel of columns lies in shared memory meanwhile. With `back`, its inverse.
extern "C" __global__ void __launch_bounds__(THREADS)
rotate_resident_columns(Element *values, u32 rows, u32 columns, u32 stride, u32 back) {
    extern __shared__ Element panel[];
    u32 lane = threadIdx.x % PANEL, first_row = threadIdx.x / PANEL;
    for (u32 left = blockIdx.x * PANEL; left < columns; left += gridDim.x * PANEL) {
        u32 column = left + lane, turn = column / stride % rows;
        bool inside = column < columns;
        if (inside)
#pragma unroll 4
            for (u32 row = first_row; row < rows; row += THREADS / PANEL)
                panel[row * PANEL + lane] = values[(u64)row * columns + column];
        __syncthreads();
        if (inside)
#pragma unroll 4
            for (u32 row = first_row; row < rows; row += THREADS / PANEL) {
                u32 source = row + (back ? rows - turn : turn);
                if (source >= rows) source -= rows;
                values[(u64)row * columns + column] = panel[source * PANEL + lane];
            }
        __syncthreads();
    }
}

// ---- rows

constexpr u32 ROW_THREADS = 512;

/// Shuffles rows that fit shared memory, several at once if they are short. With `back`, the inverse.
extern "C" __global__ void __launch_bounds__(ROW_THREADS) shuffle_resident_rows(
    Element *values, u32 rows, u32 columns, u32 stride, const u32 *targets, u32 rows_at_once, u32 back
) {
    extern __shared__ Element copy[];
    // Threads of a group share a row.
    u32 group_threads = ROW_THREADS / rows_at_once, group = threadIdx.x / group_threads;
    u32 thread = threadIdx.x % group_threads;
    Element *row_copy = copy + group * columns;
    for (u32 top = blockIdx.x * rows_at_once; top < rows; top += gridDim.x * rows_at_once) {
        u32 row = top + group;
        bool inside = group < rows_at_once && row < rows;
        RowTargets row_targets(rows, columns, stride, inside ? row : 0);
        Element *in_place = values + (u64)row * columns;
        if (inside)
#pragma unroll 4
            for (u32 column = thread; column < columns; column += group_threads) {
                u32 to = back ? column : row_targets.of(column, targets[column]);
                row_copy[to] = in_place[column];
            }
        __syncthreads();
        if (inside)
#pragma unroll 4
            for (u32 column = thread; column < columns; column += group_threads) {
                u32 from = back ? row_targets.of(column, targets[column]) : column;
                in_place[column] = row_copy[from];
            }
        __syncthreads();
    }
}

/// Shuffles the rows from `first_row` on by way of their copy aside. With `back`, the inverse.
extern "C" __global__ void __launch_bounds__(THREADS) shuffle_copied_rows(
    const Element *copy, Element *values, u32 rows, u32 columns, u32 stride, const u32 *targets, u32 first_row,
    u32 row_count, u32 back
) {
    u32 blocks_a_row = (columns + 4 * THREADS - 1) / (4 * THREADS);
    for (u64 part = blockIdx.x; part < (u64)blocks_a_row * row_count; part += gridDim.x) {
        u32 row = (u32)(part / blocks_a_row), begin = (u32)(part % blocks_a_row) * 4 * THREADS;
        RowTargets row_targets(rows, columns, stride, first_row + row);
        const Element *in = copy + (u64)row * columns;
        Element *out = values + (u64)(first_row + row) * columns;
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 column = begin + i * THREADS + threadIdx.x;
            if (column >= columns) break;
            u32 target = row_targets.of(column, targets[column]);
            if (back) out[column] = in[target];
            else out[target] = in[column];
        }
    }
}

// ---- grids of few columns

/// Most columns of a grid that counts as skinny.
constexpr u32 SKINNY_COLUMNS = 32;

/// Division by the number of columns, a small number, of a number below 2^16, by multiplication.
struct SmallDivisor {
    u32 divisor, factor;
    __device__ SmallDivisor(u32 divisor) : divisor(divisor), factor(0xffffffffu / divisor + 1) {}
    __device__ __forceinline__ u32 quotient(u32 value) const {
        return divisor == 1 ? value : __umulhi(value, factor);
    }
};

/// Saves for each chunk the rows that follow it, or with `back` those before it, before other blocks overwrite them.
extern "C" __global__ void __launch_bounds__(THREADS)
save_halos(const Element *values, Element *halos, u32 rows, u32 columns, u32 chunk_rows, u32 halo, u32 back) {
    u32 size = halo * columns;
    u64 top = (u64)blockIdx.x * chunk_rows;
    u32 height = rows - top < chunk_rows ? (u32)(rows - top) : chunk_rows;
    u64 first = back ? top + (u64)rows * halo - halo : top + height;
    for (u32 i = threadIdx.x; i < size; i += THREADS) {
        u64 row = (first + i / columns) % rows;
        halos[(u64)blockIdx.x * size + i] = values[row * columns + i % columns];
    }
}

/// All that moves elements by few rows, at once: the first rotation, the shuffle of rows and the last rotation; or with `back` their
/// inverses in reverse. What remains is the permutation of whole rows.
///
/// Block b makes the rows of chunk b of `to`. It reads its own rows from `from`, and those around them from `halos` if given
/// (then `from` may be `to`), else from `from`.
extern "C" __global__ void __launch_bounds__(THREADS) shuffle_skinny(
    const Element *from, Element *to, const Element *halos, u32 rows, u32 columns, u32 stride, u32 chunk_rows,
    u32 halo, u32 back
) {
    extern __shared__ Element shared[];
    __shared__ u32 targets[SKINNY_COLUMNS], turns[SKINNY_COLUMNS];
    SmallDivisor by_columns(columns);
    u32 size = (chunk_rows + halo) * columns;
    Element *read = shared, *shuffled = shared + size;
    u64 top = (u64)blockIdx.x * chunk_rows;
    u32 height = rows - top < chunk_rows ? (u32)(rows - top) : chunk_rows;
    // Local row r is row (first + r) mod rows of the grid.
    u64 first = back ? top + (u64)rows * halo - halo : top;
    if (threadIdx.x < columns) {
        u32 column = threadIdx.x;
        turns[column] = column / stride;
        targets[column] = (u32)((column / stride + (u64)column * rows) % columns);
    }
    u32 own_begin = back ? halo : 0, own_end = own_begin + height;
    for (u32 i = threadIdx.x; i < (height + halo) * columns; i += THREADS) {
        u32 row = by_columns.quotient(i), column = i - row * columns;
        bool own = row >= own_begin && row < own_end;
        if (own || !halos) {
            read[i] = from[(own ? top + (row - own_begin) : (first + row) % rows) * columns + column];
        } else {
            u32 place = i - (back ? 0 : height * columns);
            read[i] = halos[(u64)blockIdx.x * halo * columns + place];
        }
    }
    __syncthreads();
    // Rows whose shuffle can be done: the first rotation looks up to `last_turn` rows ahead, the last one `columns - 1`.
    u32 last_turn = turns[columns - 1];
    u32 begin = back ? columns - 1 : 0, end = height + halo - (back ? 0 : last_turn);
    u32 first_in_columns = (u32)((first + begin) % rows % columns), rows_in_columns = rows % columns;
    u32 row_at_begin = (u32)((first + begin) % rows);
    for (u32 i = threadIdx.x; i < (end - begin) * columns; i += THREADS) {
        u32 local = by_columns.quotient(i), column = i - local * columns;
        // The row's index in the grid and its remainder: local rows may come round to the first one, several times in a short grid.
        u32 row = row_at_begin + local, remainder = first_in_columns + local;
        while (row >= rows) {
            row -= rows;
            remainder += columns - rows_in_columns;
        }
        // The rotation comes round too.
        if (row + turns[column] >= rows) remainder += columns - rows_in_columns;
        remainder += targets[column];
        u32 target = remainder - by_columns.quotient(remainder) * columns;
        u32 line = begin + local;
        if (back) shuffled[line * columns + column] = read[(line - target) * columns + target];
        else shuffled[line * columns + target] = read[(line + turns[column]) * columns + column];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < height * columns; i += THREADS) {
        u32 row = by_columns.quotient(i), column = i - row * columns;
        u32 source = back ? row + halo - turns[column] : row + column;
        to[(top + row) * columns + column] = shuffled[source * columns + column];
    }
}
