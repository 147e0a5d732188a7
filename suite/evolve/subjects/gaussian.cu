// A system of linear equations by Gaussian elimination, without pivots.

#define BLOCK 256
#define TILE 16

extern "C" __global__ void gaussian_begin(const float *matrix, const float *right, float *a, float *b, int size) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < size * size) a[i] = matrix[i];
    if (i < size) b[i] = right[i];
}

// How often row `step` is taken from each row below it.
extern "C" __global__ void gaussian_multipliers(const float *a, float *multipliers, int size, int step) {
    int row = step + 1 + blockIdx.x * BLOCK + threadIdx.x;
    if (row < size) multipliers[row] = a[row * size + step] / a[step * size + step];
}

// Takes it from them.
extern "C" __global__ void gaussian_eliminate(float *a, float *b, const float *multipliers, int size, int step) {
    int row = step + 1 + blockIdx.y * TILE + threadIdx.y, column = step + blockIdx.x * TILE + threadIdx.x;
    if (row >= size || column >= size) return;
    a[row * size + column] -= multipliers[row] * a[step * size + column];
    if (column == step) b[row] -= multipliers[row] * b[step];
}

// From the last unknown to the first. One block.
extern "C" __global__ void gaussian_substitute(const float *a, float *b, float *x, int size) {
    for (int i = size - 1; i >= 0; i--) {
        float solved = b[i] / a[i * size + i];
        if (threadIdx.x == 0) x[i] = solved;
        for (int row = threadIdx.x; row < i; row += BLOCK) b[row] -= a[row * size + i] * solved;
        __syncthreads();
    }
}
