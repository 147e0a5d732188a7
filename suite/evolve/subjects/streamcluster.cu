// Which points become centres of clusters: for one candidate after the other, whether opening it saves more than it costs, with what may be closed then counted.

#define BLOCK 256

// The squared distance of a point from another one, whose coordinates the block shares; those of a dimension are together.
__device__ float squared_distance(const float *coordinates, const float *shared, int point, int points, int dimensions) {
    float sum = 0;
    for (int d = 0; d < dimensions; d++) {
        float difference = coordinates[d * points + point] - shared[d];
        sum += difference * difference;
    }
    return sum;
}

__device__ void share(const float *coordinates, float *shared, int point, int points, int dimensions) {
    for (int d = threadIdx.x; d < dimensions; d += BLOCK) shared[d] = coordinates[d * points + point];
    __syncthreads();
}

// The first point is the centre of all, number 0.
extern "C" __global__ void streamcluster_begin(const float *coordinates, const float *weights, float *costs, int *centers, int *is_open,
                                               int points, int dimensions, int slots) {
    extern __shared__ float center[];
    share(coordinates, center, 0, points, dimensions);
    int point = blockIdx.x * BLOCK + threadIdx.x;
    if (point < slots) is_open[point] = point == 0;
    if (point >= points) return;
    costs[point] = weights[point] * squared_distance(coordinates, center, point, points, dimensions);
    centers[point] = 0;
}

// What a point would cost at the candidate more than where it is.
extern "C" __global__ void streamcluster_gain(const float *coordinates, const float *weights, const float *costs, float *differences,
                                              int points, int dimensions, int candidate) {
    extern __shared__ float center[];
    share(coordinates, center, candidate, points, dimensions);
    int point = blockIdx.x * BLOCK + threadIdx.x;
    if (point >= points) return;
    differences[point] = weights[point] * squared_distance(coordinates, center, point, points, dimensions) - costs[point];
}

// For each centre, what closing it costs those of its points that would not leave it by themselves; last, what those save that would. A block a sum.
extern "C" __global__ void streamcluster_sums(const float *differences, const int *centers, float *sums, int points, int slots) {
    __shared__ float partial[BLOCK];
    int slot = blockIdx.x;
    float sum = 0;
    for (int point = threadIdx.x; point < points; point += BLOCK) {
        float difference = differences[point];
        if (slot == slots) sum += fminf(difference, 0);
        else if (centers[point] == slot) sum += fmaxf(difference, 0);
    }
    partial[threadIdx.x] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[slot] = partial[0];
}

// Whether the candidate is opened, as centre number `slot`, and which centres are closed then: those that cost more than they are good for. One thread.
extern "C" __global__ void streamcluster_decide(const float *sums, int *is_open, int *is_closed, int slots, int slot, float price) {
    float gain = -price - sums[slots];
    for (int k = 0; k < slots; k++) {
        float saved = price - sums[k];
        is_closed[k] = is_open[k] && saved > 0;
        if (is_closed[k]) gain += saved;
    }
    for (int k = 0; k < slots; k++) {
        is_closed[k] = is_closed[k] && gain > 0;
        if (is_closed[k]) is_open[k] = 0;
    }
    if (gain > 0) is_open[slot] = 1;
}

// Points go to the candidate, if it was opened and is nearer, or their own centre is closed.
extern "C" __global__ void streamcluster_assign(const float *differences, const int *is_open, const int *is_closed, float *costs,
                                                int *centers, int points, int slot) {
    int point = blockIdx.x * BLOCK + threadIdx.x;
    if (point >= points || !is_open[slot]) return;
    float difference = differences[point];
    if (difference < 0 || is_closed[centers[point]]) {
        costs[point] += difference;
        centers[point] = slot;
    }
}
