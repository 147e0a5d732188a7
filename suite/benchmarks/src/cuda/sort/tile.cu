// What merge and locality sort share: tiles sorted by one block, and merging in shared memory.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 THREADS = 256;

/// Keys a thread; odd, so that threads that walk their own keys in shared memory meet no bank conflicts.
template <typename K> struct Shape;
template <> struct Shape<u32> { static constexpr u32 ITEMS = 15; };
template <> struct Shape<u64> { static constexpr u32 ITEMS = 11; };

template <typename K> constexpr u32 TILE = THREADS * Shape<K>::ITEMS;

/// Keys of a tile, and one more that merging may read and not use.
template <typename K> using TileKeys = K[TILE<K> + 1];

/// Brings the keys that `read` gives for 0, 1, .. to shared memory; behind `size` of them stands the largest key. All loads are
/// under way before the first is waited for.
template <typename K, typename Read>
__device__ __forceinline__ void load_tile(TileKeys<K> &keys, u32 size, Read read) {
    K loaded[Shape<K>::ITEMS];
#pragma unroll
    for (u32 i = 0; i < Shape<K>::ITEMS; i++) {
        u32 place = i * THREADS + threadIdx.x;
        loaded[i] = place < size ? read(place) : ~(K)0;
    }
#pragma unroll
    for (u32 i = 0; i < Shape<K>::ITEMS; i++) keys[i * THREADS + threadIdx.x] = loaded[i];
    __syncthreads();
}

/// Writes the first `size` keys of a tile, or with `turn` writes them from the last to the first.
template <typename K>
__device__ __forceinline__ void write_tile(const TileKeys<K> &keys, K *to, u32 size, bool turn = false) {
#pragma unroll
    for (u32 i = 0; i < Shape<K>::ITEMS; i++) {
        u32 place = i * THREADS + threadIdx.x;
        if (place < size) to[place] = keys[turn ? size - 1 - place : place];
    }
}

/// How many of the first `diagonal` keys of the merged sequence come from `a`; equal keys come from `a` first. `A` and `B`
/// are anything with an index operator.
template <typename A, typename B>
__device__ __forceinline__ u32 merge_path(A a, u32 a_count, B b, u32 b_count, u32 diagonal) {
    u32 low = diagonal > b_count ? diagonal - b_count : 0;
    u32 high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    return low;
}

/// Merges this thread's part, from `diagonal` on, of keys[a..a+a_count] and keys[b..b+b_count] into registers.
template <typename K>
__device__ __forceinline__ void merge_part(
    const K *keys, u32 a, u32 a_count, u32 b, u32 b_count, u32 diagonal, K (&merged)[Shape<K>::ITEMS]
) {
    u32 total = a_count + b_count;
    diagonal = diagonal < total ? diagonal : total;
    u32 taken = merge_path(keys + a, a_count, keys + b, b_count, diagonal);
    u32 a_end = a + a_count, b_end = b + b_count;
    a += taken;
    b += diagonal - taken;
    K left = keys[a < TILE<K> ? a : TILE<K>], right = keys[b < TILE<K> ? b : TILE<K>];
#pragma unroll
    for (u32 i = 0; i < Shape<K>::ITEMS; i++) {
        bool from_a = b >= b_end || (a < a_end && left <= right);
        merged[i] = from_a ? left : right;
        if (from_a) a++;
        else b++;
        u32 next = from_a ? a : b;
        K key = keys[next < TILE<K> ? next : TILE<K>];
        if (from_a) left = key;
        else right = key;
    }
}

/// Writes each thread's keys to its own place.
template <typename K>
__device__ __forceinline__ void store_parts(K *keys, const K (&part)[Shape<K>::ITEMS]) {
#pragma unroll
    for (u32 i = 0; i < Shape<K>::ITEMS; i++) keys[threadIdx.x * Shape<K>::ITEMS + i] = part[i];
}

/// Sorts a tile in shared memory.
template <typename K>
__device__ void sort_tile(TileKeys<K> &keys) {
    constexpr u32 ITEMS = Shape<K>::ITEMS;
    K part[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) part[i] = keys[threadIdx.x * ITEMS + i];
    // Odd-even transposition: every comparison is known when compiling, so that the keys stay in registers.
#pragma unroll
    for (u32 round = 0; round < ITEMS; round++) {
#pragma unroll
        for (u32 i = round % 2; i + 1 < ITEMS; i += 2) {
            K low = part[i] < part[i + 1] ? part[i] : part[i + 1];
            part[i + 1] = part[i] < part[i + 1] ? part[i + 1] : part[i];
            part[i] = low;
        }
    }
    // Only this thread has read its place.
    store_parts(keys, part);
    __syncthreads();
    for (u32 run = ITEMS; run < TILE<K>; run *= 2) {
        u32 place = threadIdx.x * ITEMS, start = place / (2 * run) * (2 * run);
        merge_part(keys, start, run, start + run, run, place - start, part);
        __syncthreads();
        store_parts(keys, part);
        __syncthreads();
    }
}

/// Merges two sorted parts, one behind the other in shared memory.
template <typename K>
__device__ void merge_tile(TileKeys<K> &keys, u32 a_count, u32 b_count) {
    K part[Shape<K>::ITEMS];
    merge_part(keys, 0, a_count, a_count, b_count, threadIdx.x * Shape<K>::ITEMS, part);
    __syncthreads();
    store_parts(keys, part);
    __syncthreads();
}

/// Two neighbouring sorted runs and the piece of their merge that is one tile.
///
/// Runs are tiles times a power of two long, so that pairs begin and end with tiles.
template <typename K>
struct Pair {
    /// Where the pair begins, lengths of its runs, and the tile's first and last position in the merged sequence.
    u32 start, a_count, b_count, first, last;

    __device__ Pair(u32 tile, u32 run, u32 count) {
        // A pair may end behind 2^32.
        u64 place = (u64)tile * TILE<K>, both = 2 * (u64)run, begin = place / both * both;
        u64 middle = begin + run < count ? begin + run : count, end = begin + both < count ? begin + both : count;
        start = (u32)begin;
        a_count = (u32)(middle - begin);
        b_count = (u32)(end - middle);
        first = (u32)(place - begin);
        last = first + TILE<K> < end - begin ? first + TILE<K> : (u32)(end - begin);
    }
};
