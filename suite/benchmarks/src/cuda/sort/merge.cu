// Merge sort: tiles sorted by one block each, then pairs of runs merged, pass by pass. Appended to tile.cu.

template <typename K>
__device__ void sort_tiles(const K *from, K *to, u32 count) {
    __shared__ TileKeys<K> keys;
    u32 begin = blockIdx.x * TILE<K>, size = count - begin < TILE<K> ? count - begin : TILE<K>;
    // The largest key, which fills the last tile, ends up behind all others and is left out.
    load_tile<K>(keys, size, [&](u32 i) { return from[begin + i]; });
    sort_tile<K>(keys);
    write_tile<K>(keys, to + begin, size);
}

/// Finds for every tile of the merged sequence how many keys before it come from the first run of its pair.
template <typename K>
__device__ void find_splits(const K *from, u32 count, u32 run, u32 *splits, u32 tiles) {
    u32 tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles) return;
    Pair<K> pair(tile, run, count);
    const K *a = from + pair.start;
    splits[tile] = merge_path(a, pair.a_count, a + pair.a_count, pair.b_count, pair.first);
}

template <typename K>
__device__ void merge_runs(const K *from, K *to, u32 count, u32 run, const u32 *splits) {
    __shared__ TileKeys<K> keys;
    Pair<K> pair(blockIdx.x, run, count);
    bool ends = pair.last == pair.a_count + pair.b_count;
    u32 a_first = splits[blockIdx.x], a_last = ends ? pair.a_count : splits[blockIdx.x + 1];
    u32 b_first = pair.first - a_first, b_last = pair.last - a_last;
    u32 a_size = a_last - a_first, size = pair.last - pair.first;
    const K *a = from + pair.start + a_first, *b = from + pair.start + pair.a_count + b_first;
    load_tile<K>(keys, size, [&](u32 i) { return i < a_size ? a[i] : b[i - a_size]; });
    merge_tile<K>(keys, a_size, b_last - b_first);
    write_tile<K>(keys, to + pair.start + pair.first, size);
}

#define KERNELS(K) \
    extern "C" __global__ void __launch_bounds__(THREADS) sort_tiles_##K(const K *from, K *to, u32 count) { \
        sort_tiles<K>(from, to, count); \
    } \
    extern "C" __global__ void find_splits_##K(const K *from, u32 count, u32 run, u32 *splits, u32 tiles) { \
        find_splits<K>(from, count, run, splits, tiles); \
    } \
    extern "C" __global__ void __launch_bounds__(THREADS) \
    merge_runs_##K(const K *from, K *to, u32 count, u32 run, const u32 *splits) { \
        merge_runs<K>(from, to, count, run, splits); \
    }

KERNELS(u32)
KERNELS(u64)
