// Clusters of points: each point goes to the nearest centre, then each centre to the mean of its points.

#define BLOCK 256

// From a point's features together to those of all points, feature by feature.
extern "C" __global__ void kmeans_invert(const float *points, float *features, int count, int dimensions) {
    int point = blockIdx.x * BLOCK + threadIdx.x;
    if (point >= count) return;
    for (int d = 0; d < dimensions; d++) features[d * count + point] = points[point * dimensions + d];
}

extern "C" __global__ void kmeans_assign(const float *features, const float *centers, int *membership, int count, int clusters,
                                         int dimensions) {
    int point = blockIdx.x * BLOCK + threadIdx.x;
    if (point >= count) return;
    int nearest = 0;
    float least = 3.4e38f;
    for (int cluster = 0; cluster < clusters; cluster++) {
        float sum = 0;
        for (int d = 0; d < dimensions; d++) {
            sum += (features[d * count + point] - centers[cluster * dimensions + d]) *
                   (features[d * count + point] - centers[cluster * dimensions + d]);
        }
        if (sum < least) {
            least = sum;
            nearest = cluster;
        }
    }
    membership[point] = nearest;
}

// The mean of a feature of the points of a cluster; a block has one. A centre without points stays where it is.
extern "C" __global__ void kmeans_center(const float *features, const int *membership, float *centers, int count, int dimensions) {
    __shared__ float sums[BLOCK];
    __shared__ int counts[BLOCK];
    int t = threadIdx.x, d = blockIdx.x, cluster = blockIdx.y;
    sums[t] = 0;
    counts[t] = 0;
    __syncthreads();
    for (int point = t; point < count; point += BLOCK) {
        if (membership[point] == cluster) {
            sums[t] += features[d * count + point];
            counts[t]++;
        }
    }
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            sums[t] += sums[t + half];
            counts[t] += counts[t + half];
        }
        __syncthreads();
    }
    if (t == 0 && counts[0] > 0) centers[cluster * dimensions + d] = sums[0] / counts[0];
}
