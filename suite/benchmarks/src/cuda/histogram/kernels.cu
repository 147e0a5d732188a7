// Counts of 8-bit pixels by value: 256 bins.
//
// Three ways to count (sorting, atomics in global memory, atomics in shared memory), each with two ways to hand out the
// image: every block an even share, or tiles from a queue. All read 16 pixels at once; the image begins at a multiple of
// 16 bytes.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 BINS = 256;
constexpr u32 LANES = 32;
/// Pixels of one load.
constexpr u32 VECTOR = 16;

/// Tiles handed out beforehand: to each block a contiguous part, equal but for one tile.
struct EvenShare {
    u64 next, end;

    __device__ EvenShare(u64 tiles, u32 *) {
        u64 share = tiles / gridDim.x, rest = tiles % gridDim.x, block = blockIdx.x;
        next = block * share + (block < rest ? block : rest);
        end = next + share + (block < rest ? 1 : 0);
    }

    __device__ bool take(u64 &tile) {
        tile = next++;
        return tile < end;
    }
};

/// Tiles handed out as blocks ask for them. The first is the block's own, and each next one is asked for before the current
/// one is counted, so that no block waits for the queue.
struct WorkQueue {
    u64 tiles;
    u32 *head;
    u32 pending;

    __device__ WorkQueue(u64 tiles, u32 *head) : tiles(tiles), head(head), pending(blockIdx.x) {}

    __device__ bool take(u64 &tile) {
        __shared__ u32 ticket;
        __syncthreads();
        if (threadIdx.x == 0) {
            ticket = pending;
            pending = gridDim.x + atomicAdd(head, 1u);
        }
        __syncthreads();
        tile = ticket;
        return tile < tiles;
    }
};

/// Byte `index` of four words.
__device__ __forceinline__ u32 byte_of(const uint4 &pixels, u32 index) {
    u32 word = index < 4 ? pixels.x : index < 8 ? pixels.y : index < 12 ? pixels.z : pixels.w;
    return word >> (8 * (index % 4)) & 255;
}

/// Calls `count(sixteen pixels)` for all whole vectors of this block's tiles, `UNROLL` a thread and tile. The few pixels
/// behind the last whole vector are counted by the first block, straight in the result.
template <class Work, u32 THREADS, u32 UNROLL, class Count>
__device__ void for_each_vector(const uint4 *image, u64 pixels, u32 *bins, u32 *head, Count count) {
    u64 vectors = pixels / VECTOR;
    Work work((vectors + THREADS * UNROLL - 1) / (THREADS * UNROLL), head);
    u64 tile;
    while (work.take(tile)) {
        u64 first = tile * THREADS * UNROLL + threadIdx.x;
        uint4 loaded[UNROLL];
#pragma unroll
        for (u32 i = 0; i < UNROLL; i++)
            if (first + i * THREADS < vectors) loaded[i] = __ldg(image + first + i * THREADS);
#pragma unroll
        for (u32 i = 0; i < UNROLL; i++)
            if (first + i * THREADS < vectors) count(loaded[i]);
    }
    if (blockIdx.x == 0 && threadIdx.x < pixels % VECTOR)
        atomicAdd(bins + ((const u8 *)image)[vectors * VECTOR + threadIdx.x], 1u);
}

/// Clears the result, and the queue where there is one.
extern "C" __global__ void clear(u32 *bins, u32 *head) {
    bins[threadIdx.x] = 0;
    if (threadIdx.x == 0 && head) *head = 0;
}

// ---- atomics in global memory

constexpr u32 GLOBAL_THREADS = 256;

/// No table of its own to clear and to add up: equal neighbours are counted as one.
template <class Work>
__device__ void count_in_global(const uint4 *image, u64 pixels, u32 *bins, u32 *head) {
    for_each_vector<Work, GLOBAL_THREADS, 1>(image, pixels, bins, head, [&](const uint4 &vector) {
        u32 value = byte_of(vector, 0), run = 1;
#pragma unroll
        for (u32 i = 1; i < VECTOR; i++) {
            u32 next = byte_of(vector, i);
            if (next == value) {
                run++;
            } else {
                atomicAdd(bins + value, run);
                value = next;
                run = 1;
            }
        }
        atomicAdd(bins + value, run);
    });
}

extern "C" __global__ void __launch_bounds__(GLOBAL_THREADS)
global_atomic_even_share(const uint4 *image, u64 pixels, u32 *bins, u32 *head) {
    count_in_global<EvenShare>(image, pixels, bins, head);
}

extern "C" __global__ void __launch_bounds__(GLOBAL_THREADS)
global_atomic_dynamic(const uint4 *image, u64 pixels, u32 *bins, u32 *head) {
    count_in_global<WorkQueue>(image, pixels, bins, head);
}

// ---- atomics in shared memory

constexpr u32 SHARED_THREADS = 512;

/// One table a lane, and in one bank each: lanes of a warp never meet, whatever the image shows.
template <class Work>
__device__ void count_in_shared(const uint4 *image, u64 pixels, u32 *bins, u32 *head) {
    __shared__ u32 tables[BINS * LANES];
    for (u32 i = threadIdx.x; i < BINS * LANES; i += SHARED_THREADS) tables[i] = 0;
    __syncthreads();
    u32 *own = tables + threadIdx.x % LANES;
    for_each_vector<Work, SHARED_THREADS, 2>(image, pixels, bins, head, [&](const uint4 &vector) {
#pragma unroll
        for (u32 i = 0; i < VECTOR; i++) atomicAdd(own + byte_of(vector, i) * LANES, 1u);
    });
    __syncthreads();
    // Two threads a bin add up half of the tables each; they start apart so that a warp meets every bank once.
    u32 bin = threadIdx.x / 2, half = threadIdx.x % 2 * (LANES / 2), sum = 0;
#pragma unroll
    for (u32 i = 0; i < LANES / 2; i++) sum += tables[bin * LANES + (half + i + bin) % LANES];
    sum += __shfl_xor_sync(~0u, sum, 1);
    if (half == 0 && sum != 0) atomicAdd(bins + bin, sum);
}

extern "C" __global__ void __launch_bounds__(SHARED_THREADS)
shared_atomic_even_share(const uint4 *image, u64 pixels, u32 *bins, u32 *head) {
    count_in_shared<EvenShare>(image, pixels, bins, head);
}

extern "C" __global__ void __launch_bounds__(SHARED_THREADS)
shared_atomic_dynamic(const uint4 *image, u64 pixels, u32 *bins, u32 *head) {
    count_in_shared<WorkQueue>(image, pixels, bins, head);
}

// ---- sorting

/// As many threads as bins: each keeps the count of one bin in a register.
constexpr u32 SORT_THREADS = BINS;
constexpr u32 SORT_TILE = SORT_THREADS * VECTOR;
constexpr u32 SORT_WARPS = SORT_THREADS / LANES;
/// Counters of four bits of a pixel, two to a word: digits 0 to 7 in the low halves, 8 to 15 in the high ones.
constexpr u32 COUNTER_WORDS = 8;

struct SortShared {
    /// Counters, word by word over all threads; a word in 33 stays unused, so that a thread's row has no bank conflicts.
    u32 counters[COUNTER_WORDS * SORT_THREADS * 33 / 32];
    u32 warp_sums[SORT_WARPS];
    uint4 sorted[SORT_THREADS];
    u32 begin[BINS], end[BINS];
};

__device__ __forceinline__ u32 padded(u32 index) { return index + index / 32; }

/// Replaces each counter by the sum of all before it, low halves before high ones.
__device__ void scan_counters(SortShared &shared) {
    u32 thread = threadIdx.x, lane = thread % LANES, sum = 0;
    u32 row[COUNTER_WORDS];
#pragma unroll
    for (u32 i = 0; i < COUNTER_WORDS; i++) {
        row[i] = sum;
        sum += shared.counters[padded(thread * COUNTER_WORDS + i)];
    }
    u32 inclusive = sum;
#pragma unroll
    for (u32 step = 1; step < LANES; step *= 2) {
        u32 other = __shfl_up_sync(~0u, inclusive, step);
        if (lane >= step) inclusive += other;
    }
    if (lane == LANES - 1) shared.warp_sums[thread / LANES] = inclusive;
    __syncthreads();
    u32 before = inclusive - sum, total = 0;
#pragma unroll
    for (u32 warp = 0; warp < SORT_WARPS; warp++) {
        if (warp < thread / LANES) before += shared.warp_sums[warp];
        total += shared.warp_sums[warp];
    }
    // All pixels of the low digits come before those of the high ones.
    before += total << 16;
#pragma unroll
    for (u32 i = 0; i < COUNTER_WORDS; i++) shared.counters[padded(thread * COUNTER_WORDS + i)] = row[i] + before;
    __syncthreads();
}

/// One pass of a radix sort of the tile by the four bits from `shift` on; each thread gets sixteen pixels of the result.
__device__ void sort_pass(SortShared &shared, uint4 &pixels, u32 shift) {
    u32 thread = threadIdx.x;
    u32 ranks[VECTOR];
#pragma unroll
    for (u32 i = 0; i < COUNTER_WORDS; i++) shared.counters[padded(i * SORT_THREADS + thread)] = 0;
#pragma unroll
    for (u32 i = 0; i < VECTOR; i++) {
        u32 digit = byte_of(pixels, i) >> shift & 15;
        u32 *counter = shared.counters + padded(digit % COUNTER_WORDS * SORT_THREADS + thread);
        u32 half = digit / COUNTER_WORDS * 16;
        ranks[i] = *counter >> half & 0xffff;
        *counter += 1u << half;
    }
    __syncthreads();
    scan_counters(shared);
    u8 *sorted = (u8 *)shared.sorted;
#pragma unroll
    for (u32 i = 0; i < VECTOR; i++) {
        u32 pixel = byte_of(pixels, i), digit = pixel >> shift & 15;
        u32 counter = shared.counters[padded(digit % COUNTER_WORDS * SORT_THREADS + thread)];
        sorted[ranks[i] + (counter >> digit / COUNTER_WORDS * 16 & 0xffff)] = (u8)pixel;
    }
    __syncthreads();
    pixels = shared.sorted[thread];
}

/// How often this thread's value occurs in the sorted tile: from where it begins to where the next value does.
__device__ u32 length_of_run(SortShared &shared, const uint4 &pixels) {
    u32 thread = threadIdx.x;
    u32 before = thread == 0 ? BINS : ((u8 *)shared.sorted)[thread * VECTOR - 1];
    shared.begin[thread] = 0;
    shared.end[thread] = 0;
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < VECTOR; i++) {
        u32 pixel = byte_of(pixels, i), place = thread * VECTOR + i;
        if (pixel != before) {
            shared.begin[pixel] = place;
            if (before != BINS) shared.end[before] = place;
        }
        before = pixel;
    }
    if (thread == SORT_THREADS - 1) shared.end[before] = SORT_TILE;
    __syncthreads();
    return shared.end[thread] - shared.begin[thread];
}

/// This thread's pixels of a tile; behind the end of the image stands the tile's first pixel.
__device__ uint4 load_filled(const u8 *image, u64 place, u64 pixels, u32 fill) {
    if (place + VECTOR <= pixels) return __ldg((const uint4 *)(image + place));
    u32 words[4];
#pragma unroll
    for (u32 i = 0; i < 4; i++) words[i] = fill;
    for (u32 i = 0; place + i < pixels; i++) {
        u32 shift = 8 * (i % 4);
#pragma unroll
        for (u32 word = 0; word < 4; word++)
            if (word == i / 4) words[word] = (words[word] & ~(255u << shift)) | (u32)image[place + i] << shift;
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/// Sorts tiles by value and measures the runs; digits that are the same all over a tile need no pass.
template <class Work>
__device__ void count_by_sorting(const u8 *image, u64 pixels, u32 *bins, u32 *head) {
    __shared__ SortShared shared;
    Work work((pixels + SORT_TILE - 1) / SORT_TILE, head);
    u32 thread = threadIdx.x, count = 0;
    u64 tile;
    while (work.take(tile)) {
        u64 begin = tile * SORT_TILE;
        u32 first = image[begin], fill = first * 0x01010101u;
        uint4 vector = load_filled(image, begin + thread * VECTOR, pixels, fill);
        u32 differs = (vector.x ^ fill) | (vector.y ^ fill) | (vector.z ^ fill) | (vector.w ^ fill);
        bool low = __syncthreads_or(differs & 0x0f0f0f0f), high = __syncthreads_or(differs & 0xf0f0f0f0);
        if (low) sort_pass(shared, vector, 0);
        if (high) sort_pass(shared, vector, 4);
        if (low || high) count += length_of_run(shared, vector);
        else if (thread == first) count += SORT_TILE;
        if (thread == first && pixels - begin < SORT_TILE) count -= SORT_TILE - (u32)(pixels - begin);
    }
    if (count != 0) atomicAdd(bins + thread, count);
}

extern "C" __global__ void __launch_bounds__(SORT_THREADS)
sort_even_share(const u8 *image, u64 pixels, u32 *bins, u32 *head) {
    count_by_sorting<EvenShare>(image, pixels, bins, head);
}

extern "C" __global__ void __launch_bounds__(SORT_THREADS)
sort_dynamic(const u8 *image, u64 pixels, u32 *bins, u32 *head) {
    count_by_sorting<WorkQueue>(image, pixels, bins, head);
}
