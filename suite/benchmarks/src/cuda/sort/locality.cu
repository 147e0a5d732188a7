// Locality sort: a merge sort that leaves alone what is in order already. Appended to tile.cu.
//
// Keys lie in two buffers, and a flag a tile says in which. A pass finds the tiles that the merge of a pair of runs changes
// at all; these alone go to a queue, from which blocks take them, and only they move to the other buffer.

template <typename K>
struct Buffers {
    K *first, *second;
    /// For each tile whether the second buffer holds it.
    const u32 *flags;

    __device__ __forceinline__ K at(u32 place) const { return (flags[place / TILE<K>] ? second : first)[place]; }
};

/// A run that lies in tiles of both buffers.
template <typename K>
struct Run {
    const Buffers<K> &buffers;
    u32 start;
    __device__ __forceinline__ K operator[](u32 index) const { return buffers.at(start + index); }
};

/// A tile that a merge changes, and how many keys of the pair's first run come before its first and last position.
struct Task {
    u32 tile, a_first, a_last;
};

/// Sorts tiles unless they ascend or descend; the first block also empties the queues of all passes.
template <typename K>
__device__ void order_tiles(const K *from, K *to, u32 count, u32 *flags, u32 *queues, u32 queue_words) {
    __shared__ TileKeys<K> keys;
    u32 begin = blockIdx.x * TILE<K>, size = count - begin < TILE<K> ? count - begin : TILE<K>;
    if (blockIdx.x == 0)
        for (u32 i = threadIdx.x; i < queue_words; i += THREADS) queues[i] = 0;
    if (threadIdx.x == 0) flags[blockIdx.x] = 0;
    load_tile<K>(keys, size, [&](u32 i) { return from[begin + i]; });
    u32 falls = 0, rises = 0;
    for (u32 i = threadIdx.x + 1; i < size; i += THREADS) {
        falls |= keys[i] < keys[i - 1];
        rises |= keys[i] > keys[i - 1];
    }
    bool ascends = !__syncthreads_or(falls), descends = !__syncthreads_or(rises);
    if (!ascends && !descends) sort_tile<K>(keys);
    write_tile<K>(keys, to + begin, size, descends && !ascends);
}

/// Queues the tiles that the merge of their pair changes, and says in which buffer each tile is after it.
template <typename K>
__device__ void find_tasks(
    Buffers<K> buffers, u32 *flags_after, u32 count, u32 run, u32 tiles, Task *tasks, u32 *task_count
) {
    u32 tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles) return;
    Pair<K> pair(tile, run, count);
    Run<K> a{buffers, pair.start}, b{buffers, pair.start + pair.a_count};
    bool changes = false;
    Task task{tile, 0, 0};
    if (pair.b_count > 0 && b[0] < a[pair.a_count - 1]) {
        task.a_first = merge_path(a, pair.a_count, b, pair.b_count, pair.first);
        task.a_last = merge_path(a, pair.a_count, b, pair.b_count, pair.last);
        // A tile of keys from the first run alone is where it was if none of the second came before, and the other way round.
        changes = task.a_last != pair.last && task.a_first != pair.a_count;
    }
    flags_after[tile] = buffers.flags[tile] ^ (changes ? 1 : 0);
    if (changes) tasks[atomicAdd(task_count, 1u)] = task;
}

/// Merges the queued tiles.
template <typename K>
__device__ void merge_tasks(Buffers<K> buffers, u32 count, u32 run, const Task *tasks, u32 task_count, u32 *head) {
    __shared__ TileKeys<K> keys;
    __shared__ u32 ticket;
    for (;;) {
        if (threadIdx.x == 0) ticket = atomicAdd(head, 1u);
        __syncthreads();
        if (ticket >= task_count) return;
        Task task = tasks[ticket];
        Pair<K> pair(task.tile, run, count);
        u32 a_size = task.a_last - task.a_first, size = pair.last - pair.first;
        u32 a = pair.start + task.a_first, b = pair.start + pair.a_count + (pair.first - task.a_first);
        load_tile<K>(keys, size, [&](u32 i) { return buffers.at(i < a_size ? a + i : b + (i - a_size)); });
        merge_tile<K>(keys, a_size, size - a_size);
        K *other = buffers.flags[task.tile] ? buffers.first : buffers.second;
        write_tile<K>(keys, other + pair.start + pair.first, size);
        __syncthreads();
    }
}

/// Brings the tiles of the second buffer to the first.
template <typename K>
__device__ void collect_tiles(K *to, const K *spare, const u32 *flags, u32 count) {
    if (flags[blockIdx.x] == 0) return;
    u32 begin = blockIdx.x * TILE<K>, size = count - begin < TILE<K> ? count - begin : TILE<K>;
    for (u32 i = threadIdx.x; i < size; i += THREADS) to[begin + i] = spare[begin + i];
}

#define KERNELS(K) \
    extern "C" __global__ void __launch_bounds__(THREADS) \
    order_tiles_##K(const K *from, K *to, u32 count, u32 *flags, u32 *queues, u32 queue_words) { \
        order_tiles<K>(from, to, count, flags, queues, queue_words); \
    } \
    extern "C" __global__ void find_tasks_##K( \
        K *to, K *spare, const u32 *flags, u32 *flags_after, u32 count, u32 run, u32 tiles, Task *tasks, u32 *queue \
    ) { \
        find_tasks<K>(Buffers<K>{to, spare, flags}, flags_after, count, run, tiles, tasks, queue); \
    } \
    extern "C" __global__ void __launch_bounds__(THREADS) \
    merge_tasks_##K(K *to, K *spare, const u32 *flags, u32 count, u32 run, const Task *tasks, u32 *queue) { \
        merge_tasks<K>(Buffers<K>{to, spare, flags}, count, run, tasks, queue[0], queue + 1); \
    } \
    extern "C" __global__ void __launch_bounds__(THREADS) \
    collect_tiles_##K(K *to, const K *spare, const u32 *flags, u32 count) { \
        collect_tiles<K>(to, spare, flags, count); \
    }

KERNELS(u32)
KERNELS(u64)
