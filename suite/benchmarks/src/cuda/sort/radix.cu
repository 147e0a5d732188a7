// Radix sort from the least significant byte on, each byte in one pass over the keys: a block learns where its keys go from the
// tiles before it while these are still at work (decoupled look-back).

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 DIGITS = 256;
constexpr u32 LANES = 32;
constexpr u32 HISTOGRAM_THREADS = 256;
constexpr u32 THREADS = 384;
constexpr u32 WARPS = THREADS / LANES;

/// Keys a thread.
template <typename K> struct Shape;
template <> struct Shape<u32> { static constexpr u32 ITEMS = 18, PASSES = 4, COPIES = 8; };
template <> struct Shape<u64> { static constexpr u32 ITEMS = 10, PASSES = 8, COPIES = 4; };

template <typename K> constexpr u32 TILE = THREADS * Shape<K>::ITEMS;

/// What a tile has published of one digit: its own count, or that of all tiles up to it. The rest of the word is the count.
constexpr u32 OWN = 1u << 30, INCLUSIVE = 2u << 30, COUNT = OWN - 1;

template <typename K>
__device__ __forceinline__ u32 digit_of(K key, u32 shift) {
    return (u32)(key >> shift) & (DIGITS - 1);
}

/// Clears counts, tickets and published words.
extern "C" __global__ void clear(uint4 *words, u32 count) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        words[i] = make_uint4(0, 0, 0, 0);
}

/// Counts the digits of all passes at once. Lanes count in several tables, so that equal digits meet less often.
template <typename K>
__device__ void count_digits(const K *keys, u32 count, u32 *counts) {
    constexpr u32 PASSES = Shape<K>::PASSES, COPIES = Shape<K>::COPIES;
    __shared__ u32 tables[PASSES * DIGITS * COPIES];
    for (u32 i = threadIdx.x; i < PASSES * DIGITS * COPIES; i += HISTOGRAM_THREADS) tables[i] = 0;
    __syncthreads();
    u32 *own = tables + threadIdx.x % COPIES;
    auto count_key = [&](K key) {
#pragma unroll
        for (u32 pass = 0; pass < PASSES; pass++)
            atomicAdd(own + (pass * DIGITS + digit_of(key, 8 * pass)) * COPIES, 1u);
    };
    struct alignas(16) Vector { K keys[16 / sizeof(K)]; };
    constexpr u32 KEYS = 16 / sizeof(K);
    u32 thread = blockIdx.x * HISTOGRAM_THREADS + threadIdx.x, threads = gridDim.x * HISTOGRAM_THREADS;
    for (u32 i = thread; i < count / KEYS; i += threads) {
        Vector vector = ((const Vector *)keys)[i];
#pragma unroll
        for (u32 j = 0; j < KEYS; j++) count_key(vector.keys[j]);
    }
    if (thread < count % KEYS) count_key(keys[count - 1 - thread]);
    __syncthreads();
    for (u32 i = threadIdx.x; i < PASSES * DIGITS; i += HISTOGRAM_THREADS) {
        u32 sum = 0;
#pragma unroll
        for (u32 copy = 0; copy < COPIES; copy++) sum += tables[i * COPIES + copy];
        if (sum != 0) atomicAdd(counts + i, sum);
    }
}

/// The sum over all threads before this one of the first 256; all threads of the block call it.
__device__ u32 sum_before(u32 value, u32 *warp_sums) {
    u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, inclusive = value;
#pragma unroll
    for (u32 step = 1; step < LANES; step *= 2) {
        u32 other = __shfl_up_sync(~0u, inclusive, step);
        if (lane >= step) inclusive += other;
    }
    if (lane == LANES - 1 && warp < DIGITS / LANES) warp_sums[warp] = inclusive;
    __syncthreads();
    u32 before = inclusive - value;
#pragma unroll
    for (u32 i = 0; i < DIGITS / LANES; i++)
        if (i < warp) before += warp_sums[i];
    return before;
}

/// Turns the counts of each pass, one block a pass, into the place of each digit's first key.
extern "C" __global__ void __launch_bounds__(DIGITS) find_starts(u32 *counts) {
    __shared__ u32 warp_sums[DIGITS / LANES];
    u32 *count = counts + blockIdx.x * DIGITS + threadIdx.x;
    *count = sum_before(*count, warp_sums);
}

template <typename K>
struct PassShared {
    union {
        struct {
            /// For each warp and digit: keys so far.
            u32 counts[WARPS * DIGITS];
            /// For each warp and digit: lanes that hold it.
            u32 lanes[WARPS * DIGITS];
        } ranking;
        K keys[TILE<K>];
    };
    /// For each digit what to add to a place in the tile to have the place in the result.
    u32 offsets[DIGITS];
    u32 warp_sums[DIGITS / LANES];
    u32 tile;
};

/// Ranks this warp's keys among the warp's keys of the same digit, in their order.
template <typename K>
__device__ __forceinline__ void rank_keys(
    PassShared<K> &shared, const K (&keys)[Shape<K>::ITEMS], u32 shift, u32 (&ranks)[Shape<K>::ITEMS]
) {
    u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    u32 *counts = shared.ranking.counts + warp * DIGITS, *lanes = shared.ranking.lanes + warp * DIGITS;
#pragma unroll
    for (u32 i = 0; i < Shape<K>::ITEMS; i++) {
        u32 digit = digit_of(keys[i], shift);
        atomicOr(lanes + digit, 1u << lane);
        __syncwarp();
        u32 peers = lanes[digit], before = peers & ((1u << lane) - 1), leader = LANES - 1 - __clz(peers);
        u32 first = 0;
        if (lane == leader) {
            first = counts[digit];
            counts[digit] = first + __popc(peers);
        }
        first = __shfl_sync(~0u, first, leader);
        // Every lane has looked at the word.
        __syncwarp();
        if (lane == leader) lanes[digit] = 0;
        __syncwarp();
        ranks[i] = first + __popc(before);
    }
}

/// Keys of a digit in all tiles before this one; `own` is this tile's count, published for the tiles after it.
__device__ u32 look_back(volatile u32 *published, u32 tile, u32 digit, u32 own) {
    u32 before = 0;
    for (u32 other = tile; other > 0;) {
        u32 word = published[(other - 1) * DIGITS + digit];
        if (word == 0) continue;
        before += word & COUNT;
        if (word & INCLUSIVE) break;
        other--;
    }
    if (tile > 0) published[tile * DIGITS + digit] = INCLUSIVE | (before + own);
    return before;
}

/// Moves keys to where their digit says. `starts`: place of each digit's first key.
template <typename K>
__device__ void move_keys(
    PassShared<K> &shared, const K *from, K *to, u32 count, u32 shift, const u32 *starts, u32 *ticket,
    volatile u32 *published
) {
    constexpr u32 ITEMS = Shape<K>::ITEMS;
    u32 thread = threadIdx.x, warp = thread / LANES, lane = thread % LANES;
    // Tiles in the order in which blocks begin: a block waits only for blocks that run.
    if (thread == 0) shared.tile = atomicAdd(ticket, 1u);
    for (u32 i = thread; i < WARPS * DIGITS; i += THREADS) {
        shared.ranking.counts[i] = 0;
        shared.ranking.lanes[i] = 0;
    }
    __syncthreads();
    u32 tile = shared.tile, begin = tile * TILE<K>, size = count - begin < TILE<K> ? count - begin : TILE<K>;
    K keys[ITEMS];
    u32 ranks[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        u32 place = warp * ITEMS * LANES + i * LANES + lane;
        // The largest key fills the last tile: it ranks behind all others and is not written.
        keys[i] = place < size ? from[begin + place] : ~(K)0;
    }
    rank_keys<K>(shared, keys, shift, ranks);
    __syncthreads();
    u32 own = 0;
    if (thread < DIGITS) {
#pragma unroll
        for (u32 i = 0; i < WARPS; i++) {
            u32 warp_count = shared.ranking.counts[i * DIGITS + thread];
            shared.ranking.counts[i * DIGITS + thread] = own;
            own += warp_count;
        }
        published[tile * DIGITS + thread] = (tile == 0 ? INCLUSIVE : OWN) | own;
    }
    u32 first = sum_before(own, shared.warp_sums);
    if (thread < DIGITS) {
#pragma unroll
        for (u32 i = 0; i < WARPS; i++) shared.ranking.counts[i * DIGITS + thread] += first;
    }
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) ranks[i] += shared.ranking.counts[warp * DIGITS + digit_of(keys[i], shift)];
    // From here on the keys lie where the counts were.
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) shared.keys[ranks[i]] = keys[i];
    if (thread < DIGITS) shared.offsets[thread] = starts[thread] + look_back(published, tile, thread, own) - first;
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        u32 place = i * THREADS + thread;
        if (place < size) {
            K key = shared.keys[place];
            to[shared.offsets[digit_of(key, shift)] + place] = key;
        }
    }
}

#define KERNELS(K) \
    extern "C" __global__ void __launch_bounds__(HISTOGRAM_THREADS) \
    count_digits_##K(const K *keys, u32 count, u32 *counts) { \
        count_digits<K>(keys, count, counts); \
    } \
    extern "C" __global__ void __launch_bounds__(THREADS) move_keys_##K( \
        const K *from, K *to, u32 count, u32 shift, const u32 *starts, u32 *ticket, u32 *published \
    ) { \
        __shared__ PassShared<K> shared; \
        move_keys<K>(shared, from, to, count, shift, starts, ticket, published); \
    }

KERNELS(u32)
KERNELS(u64)
