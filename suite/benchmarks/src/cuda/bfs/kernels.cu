// Breadth-first search after Merrill, Garland and Grimshaw, "Scalable GPU Graph Traversal" (PPoPP 2012): the frontier is
// a queue of vertices or of edges, and whole blocks, whole warps or single threads read the edges of a vertex, by their
// number. A vertex is claimed by an atomic operation on its distance, so no queue ever holds one twice and none overflows.

constexpr u32 UNREACHED = 0xffffffffu;
// Vertices that a block collects before it asks for room in the queue.
constexpr u32 STAGED = 1024;
// Edges of short lists that a block reads at a time.
constexpr u32 SLOTS = 1024;

// Three sizes in turn: that of this level's queue, of the next one, and one to be cleared.
struct Counters {
    u32 vertices[3];
    u32 edges[3];
};

struct Graph {
    const u32 *__restrict__ offsets;
    const u32 *__restrict__ targets;
};

// The sum of the values before this thread's; the sum of all goes to `total`.
__device__ __forceinline__ u32 sum_before(u32 value, u32 *total) {
    __shared__ u32 sums[WARPS];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 up_to_here = value;
    for (u32 distance = 1; distance < 32; distance *= 2) {
        const u32 left = __shfl_up_sync(ALL_LANES, up_to_here, distance);
        if (lane >= distance) up_to_here += left;
    }
    __syncthreads();
    if (lane == 31) sums[warp] = up_to_here;
    __syncthreads();
    u32 before = 0, all = 0;
    for (u32 other = 0; other < WARPS; ++other) {
        if (other < warp) before += sums[other];
        all += sums[other];
    }
    *total = all;
    return before + up_to_here - value;
}

// Takes room for what the lanes of a warp that are `taking` put into a queue; all lanes call it.
__device__ __forceinline__ u32 take_room(bool taking, u32 *size) {
    const u32 lanes = __ballot_sync(ALL_LANES, taking);
    if (lanes == 0) return 0;
    const u32 lane = threadIdx.x % 32, leader = __ffs(lanes) - 1;
    u32 place = 0;
    if (lane == leader) place = atomicAdd(size, __popc(lanes));
    return __shfl_sync(ALL_LANES, place, leader) + __popc(lanes & ((1u << lane) - 1));
}

// A queue in global memory, with vertices that the block has collected for it.
struct Stage {
    u32 count;
    u32 base;
    u32 vertices[STAGED];
};

// Adds a vertex; all lanes of a warp call it. When the stage is full, the vertex goes to the queue itself.
__device__ __forceinline__ void push(Stage &stage, bool adding, u32 vertex, u32 *queue, u32 *size) {
    const u32 place = take_room(adding, &stage.count);
    const bool fits = place < STAGED;
    if (adding && fits) stage.vertices[place] = vertex;
    const u32 spilled = take_room(adding && !fits, size);
    if (adding && !fits) queue[spilled] = vertex;
}

// Moves what is collected to the queue, if it is more than `least`; all threads of the block call it.
__device__ __forceinline__ void flush(Stage &stage, u32 least, u32 *queue, u32 *size) {
    __syncthreads();
    const u32 count = min(stage.count, STAGED);
    __syncthreads();  // before a thread that goes on adds to the count
    if (count <= least) return;
    if (threadIdx.x == 0) stage.base = atomicAdd(size, count);
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += THREADS) queue[stage.base + i] = stage.vertices[i];
    __syncthreads();
    if (threadIdx.x == 0) stage.count = 0;
    __syncthreads();
}

// Claims a vertex: true for the one thread that reaches it first.
__device__ __forceinline__ bool claim(u32 *distance, u32 vertex, u32 level) {
    // The plain look may be out of date; it only saves most of the atomic operations.
    return distance[vertex] == UNREACHED && atomicCAS(distance + vertex, UNREACHED, level) == UNREACHED;
}

// For the ends of edges: claims them and collects those that are new.
struct Discover {
    u32 *distance;
    u32 level;
    Stage &stage;
    u32 *queue;
    u32 *size;

    __device__ __forceinline__ u32 room(u32) const { return 0; }
    __device__ __forceinline__ void operator()(bool valid, u32 target, u32) const {
        push(stage, valid && claim(distance, target, level), target, queue, size);
    }
    __device__ __forceinline__ void end_tile() const { flush(stage, STAGED / 2, queue, size); }
    __device__ __forceinline__ void end() const { flush(stage, 0, queue, size); }
};

// For the ends of edges: puts all of them into a queue.
struct Store {
    u32 *queue;
    u32 *size;

    __device__ __forceinline__ u32 room(u32 count) const { return atomicAdd(size, count); }
    __device__ __forceinline__ void operator()(bool valid, u32 target, u32 place) const {
        if (valid) queue[place] = target;
    }
    __device__ __forceinline__ void end_tile() const { __syncthreads(); }
    __device__ __forceinline__ void end() const {}
};

// What the threads of a block tell each other while they read edges.
struct Gather {
    u32 owner;
    u32 begin;
    u32 length;
    u32 place;
    u32 edges[SLOTS];
};

// Calls `use` with the end of each edge of the block's vertices; each thread brings one list, maybe an empty one.
template <typename Use>
__device__ __forceinline__ void gather(const u32 *__restrict__ targets, u32 begin, u32 length, Gather &shared,
                                       const Use &use) {
    // The block together reads lists of at least its own size, one after the other.
    while (__syncthreads_or(length >= THREADS)) {
        if (length >= THREADS) atomicExch(&shared.owner, threadIdx.x);
        __syncthreads();
        if (length >= THREADS && shared.owner == threadIdx.x) {
            shared.begin = begin;
            shared.length = length;
            shared.place = use.room(length);
            length = 0;
        }
        __syncthreads();
        const u32 count = shared.length;
        for (u32 first = 0; first < count; first += THREADS) {
            const u32 i = first + threadIdx.x;
            use(i < count, i < count ? targets[shared.begin + i] : 0, shared.place + i);
        }
    }
    // Each warp reads the lists of at least 32.
    const u32 lane = threadIdx.x % 32;
    for (u32 open = __ballot_sync(ALL_LANES, length >= 32); open != 0; open &= open - 1) {
        const u32 source = __ffs(open) - 1;
        const u32 from = __shfl_sync(ALL_LANES, begin, source), count = __shfl_sync(ALL_LANES, length, source);
        u32 place = 0;
        if (lane == source) place = use.room(length);
        place = __shfl_sync(ALL_LANES, place, source);
        for (u32 first = 0; first < count; first += 32) {
            const u32 i = first + lane;
            use(i < count, i < count ? targets[from + i] : 0, place + i);
        }
    }
    if (length >= 32) length = 0;
    // The short lists are laid end to end and dealt out edge by edge.
    u32 total;
    const u32 start = sum_before(length, &total);
    if (threadIdx.x == 0 && total > 0) shared.place = use.room(total);
    u32 done = 0;
    for (u32 first = 0; first < total; first += SLOTS) {
        for (; done < length && start + done < first + SLOTS; ++done) {
            shared.edges[start + done - first] = begin + done;
        }
        __syncthreads();
        const u32 count = min(SLOTS, total - first);
        for (u32 group = 0; group < count; group += THREADS) {
            const u32 i = group + threadIdx.x;
            use(i < count, i < count ? targets[shared.edges[i]] : 0, shared.place + first + i);
        }
        __syncthreads();
    }
}

// What a search works on.
struct Search {
    Graph graph;
    u32 *distance;
    Counters *counters;
};

// A vertex of this level's queue that this thread takes, if it has one.
__device__ __forceinline__ bool dequeue(const u32 *queue, u32 size, u32 first, u32 *vertex) {
    const u32 i = first + threadIdx.x;
    // Another block wrote the queue, so an older copy nearby must not be used.
    if (i < size) *vertex = __ldcg(queue + i);
    return i < size;
}

// Reads the edges of a queue of vertices.
template <typename Use>
__device__ __forceinline__ void expand(Graph graph, const u32 *queue, u32 size, Gather &shared, const Use &use) {
    for (u32 first = blockIdx.x * THREADS; first < size; first += gridDim.x * THREADS) {
        u32 vertex, begin = 0, length = 0;
        if (dequeue(queue, size, first, &vertex)) {
            begin = graph.offsets[vertex];
            length = graph.offsets[vertex + 1] - begin;
        }
        gather(graph.targets, begin, length, shared, use);
        use.end_tile();
    }
    use.end();
}

// One level that takes a queue of vertices to the next one: reads their edges, claims the ends.
__device__ __forceinline__ void expand_contract(const Search &search, u32 level, const u32 *in, u32 *out,
                                                Gather &shared, Stage &stage) {
    Counters *counters = search.counters;
    const u32 size = __ldcg(&counters->vertices[level % 3]);
    if (blockIdx.x == 0 && threadIdx.x == 0) counters->vertices[(level + 2) % 3] = 0;
    const Discover discover{search.distance, level + 1, stage, out, &counters->vertices[(level + 1) % 3]};
    expand(search.graph, in, size, shared, discover);
}

// One level that takes a queue of edges, of which each is its end, to the next one: claims the ends, reads their edges.
__device__ __forceinline__ void contract_expand(const Search &search, u32 level, const u32 *in, u32 *out,
                                                Gather &shared) {
    Counters *counters = search.counters;
    const u32 size = __ldcg(&counters->edges[level % 3]);
    if (blockIdx.x == 0 && threadIdx.x == 0) counters->edges[(level + 2) % 3] = 0;
    const Store store{out, &counters->edges[(level + 1) % 3]};
    for (u32 first = blockIdx.x * THREADS; first < size; first += gridDim.x * THREADS) {
        u32 vertex, begin = 0, length = 0;
        if (dequeue(in, size, first, &vertex) && claim(search.distance, vertex, level)) {
            begin = search.graph.offsets[vertex];
            length = search.graph.offsets[vertex + 1] - begin;
        }
        gather(search.graph.targets, begin, length, shared, store);
        store.end_tile();
    }
}

// The first half of a level in two phases: reads the edges of a queue of vertices into a queue of edges.
__device__ __forceinline__ void expand_phase(const Search &search, u32 level, const u32 *vertices, u32 *edges,
                                             Gather &shared) {
    Counters *counters = search.counters;
    const u32 size = __ldcg(&counters->vertices[level % 3]);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        counters->vertices[(level + 2) % 3] = 0;
        counters->edges[(level + 1) % 3] = 0;
    }
    expand(search.graph, vertices, size, shared, Store{edges, &counters->edges[level % 3]});
}

// The second half: claims the ends of a queue of edges and collects those that are new.
__device__ __forceinline__ void contract_phase(const Search &search, u32 level, const u32 *edges, u32 *vertices,
                                               Stage &stage) {
    Counters *counters = search.counters;
    const u32 size = __ldcg(&counters->edges[level % 3]);
    const Discover discover{search.distance, level + 1, stage, vertices, &counters->vertices[(level + 1) % 3]};
    for (u32 first = blockIdx.x * THREADS; first < size; first += gridDim.x * THREADS) {
        u32 vertex = 0;
        const bool valid = dequeue(edges, size, first, &vertex);
        discover(valid, vertex, 0);
        discover.end_tile();
    }
    discover.end();
}

// Puts everything in its first state: nothing reached, and the source in the queue. A search that claims a vertex as it
// takes it from the queue has not reached the source yet.
__device__ __forceinline__ void begin_search(const Search &search, u32 vertices, u32 source, bool reached,
                                             u32 *queue) {
    const u32 thread = blockIdx.x * THREADS + threadIdx.x;
    for (u32 vertex = thread; vertex < vertices; vertex += gridDim.x * THREADS) {
        search.distance[vertex] = reached && vertex == source ? 0 : UNREACHED;
    }
    if (thread == 0) {
        queue[0] = source;
        for (u32 i = 0; i < 3; ++i) {
            search.counters->vertices[i] = i == 0;
            search.counters->edges[i] = !reached && i == 0;
        }
    }
}

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define SEARCH const u32 *offsets, const u32 *targets, u32 *distance, Counters *counters

KERNEL begin(SEARCH, u32 vertices, u32 source, u32 reached, u32 *queue) {
    begin_search(Search{{offsets, targets}, distance, counters}, vertices, source, reached != 0, queue);
}

KERNEL expand_contract_level(SEARCH, u32 level, const u32 *in, u32 *out) {
    __shared__ Gather shared;
    __shared__ Stage stage;
    if (threadIdx.x == 0) stage.count = 0;
    __syncthreads();
    expand_contract(Search{{offsets, targets}, distance, counters}, level, in, out, shared, stage);
}

KERNEL contract_expand_level(SEARCH, u32 level, const u32 *in, u32 *out) {
    __shared__ Gather shared;
    contract_expand(Search{{offsets, targets}, distance, counters}, level, in, out, shared);
}

KERNEL two_phase_expand(SEARCH, u32 level, const u32 *vertices, u32 *edges) {
    __shared__ Gather shared;
    expand_phase(Search{{offsets, targets}, distance, counters}, level, vertices, edges, shared);
}

KERNEL two_phase_contract(SEARCH, u32 level, const u32 *edges, u32 *vertices) {
    __shared__ Stage stage;
    if (threadIdx.x == 0) stage.count = 0;
    __syncthreads();
    contract_phase(Search{{offsets, targets}, distance, counters}, level, edges, vertices, stage);
}

KERNEL expand_contract_fused(SEARCH, u32 vertices, u32 source, u32 *in, u32 *out, Barrier *barrier) {
    __shared__ Gather shared;
    __shared__ Stage stage;
    if (threadIdx.x == 0) stage.count = 0;
    const Search search{{offsets, targets}, distance, counters};
    begin_search(search, vertices, source, true, in);
    meet(barrier);
    for (u32 level = 0; __ldcg(&counters->vertices[level % 3]) != 0; ++level) {
        expand_contract(search, level, in, out, shared, stage);
        u32 *const next = out;
        out = in;
        in = next;
        meet(barrier);
    }
}

KERNEL contract_expand_fused(SEARCH, u32 vertices, u32 source, u32 *in, u32 *out, Barrier *barrier) {
    __shared__ Gather shared;
    const Search search{{offsets, targets}, distance, counters};
    begin_search(search, vertices, source, false, in);
    meet(barrier);
    for (u32 level = 0; __ldcg(&counters->edges[level % 3]) != 0; ++level) {
        contract_expand(search, level, in, out, shared);
        u32 *const next = out;
        out = in;
        in = next;
        meet(barrier);
    }
}

KERNEL two_phase_fused(SEARCH, u32 count, u32 source, u32 *vertices, u32 *edges, Barrier *barrier) {
    __shared__ Gather shared;
    __shared__ Stage stage;
    if (threadIdx.x == 0) stage.count = 0;
    const Search search{{offsets, targets}, distance, counters};
    begin_search(search, count, source, true, vertices);
    meet(barrier);
    for (u32 level = 0; __ldcg(&counters->vertices[level % 3]) != 0; ++level) {
        expand_phase(search, level, vertices, edges, shared);
        meet(barrier);
        contract_phase(search, level, edges, vertices, stage);
        meet(barrier);
    }
}

// Adds up a number of each vertex that depends on its distance, to compare searches by.
KERNEL checksum(u32 vertices, const u32 *distance, u64 *sum) {
    u64 mine = 0;
    for (u32 vertex = blockIdx.x * THREADS + threadIdx.x; vertex < vertices; vertex += gridDim.x * THREADS) {
        u64 mixed = ((u64(vertex) << 32) | distance[vertex]) * 0x9e3779b97f4a7c15ull;
        mine += (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9ull;
    }
    for (u32 distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(ALL_LANES, mine, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
