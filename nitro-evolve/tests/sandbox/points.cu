// Points with a weight and a center each: whether the point at `candidate` is a better center for them, what that
// saves, and those go there that are nearer. Compiled by `nvcc -ptx -O3 -arch=sm_80 points.cu`.

#define DIMENSIONS 3

struct Point {
    float weight;
    long long center;
    float cost;
    float at[DIMENSIONS];
    bool is_moved;
};

extern "C" __global__ void assign(Point *points, double *saved, int candidate, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Point *own = &points[i];
    float distance = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        float difference = own->at[d] - points[candidate].at[d];
        distance += difference * difference;
    }
    float cost = distance * own->weight;
    own->is_moved = cost < own->cost;
    saved[i] = 0;
    if (own->is_moved) {
        saved[i] = (double)own->cost - cost;
        own->cost = cost;
        own->center = candidate;
    }
}
