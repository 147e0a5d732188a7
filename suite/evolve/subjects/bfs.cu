// How many edges each node of a graph is from one of them: level by level, a thread a node.

#define BLOCK 256

extern "C" __global__ void bfs_begin(unsigned char *frontier, unsigned char *visited, unsigned int *found, int *distances, int nodes,
                                     int source) {
    int node = blockIdx.x * BLOCK + threadIdx.x;
    if (node >= nodes) return;
    frontier[node] = visited[node] = node == source;
    distances[node] = node == source ? 0 : -1;
    if (node % 32 == 0) found[node / 32] = 0;
}

// Notes the neighbours of the nodes that were found last, one bit a node.
extern "C" __global__ void bfs_expand(const int *first_edge, const int *targets, unsigned char *frontier, const unsigned char *visited,
                                      unsigned int *found, int nodes) {
    int node = blockIdx.x * BLOCK + threadIdx.x;
    if (node >= nodes || !frontier[node]) return;
    frontier[node] = 0;
    for (int edge = first_edge[node]; edge < first_edge[node + 1]; edge++) {
        int target = targets[edge];
        if (!visited[target]) atomicOr(&found[target / 32], 1u << target % 32);
    }
}

// Goes on from those of them that are new.
extern "C" __global__ void bfs_advance(unsigned char *frontier, unsigned char *visited, const unsigned int *found, int *distances,
                                       int nodes, int distance) {
    int node = blockIdx.x * BLOCK + threadIdx.x;
    if (node >= nodes || visited[node]) return;
    if (found[node / 32] >> node % 32 & 1) {
        frontier[node] = visited[node] = 1;
        distances[node] = distance;
    }
}
