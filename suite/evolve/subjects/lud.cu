// The factors L and U of a matrix, in its place and without pivots, by blocks: for each block of the diagonal its own factors, then the blocks right of it and below it, then what is left.

#define BLOCK 16

// The factors of a block of the diagonal: a thread has a row.
extern "C" __global__ void lud_diagonal(float *matrix, int size, int offset) {
    __shared__ float tile[BLOCK][BLOCK];
    int t = threadIdx.x;
    float *corner = matrix + offset * size + offset;
    for (int i = 0; i < BLOCK; i++) tile[i][t] = corner[i * size + t];
    __syncthreads();
    for (int k = 0; k < BLOCK - 1; k++) {
        if (t > k) {
            tile[t][k] /= tile[k][k];
            for (int j = k + 1; j < BLOCK; j++) tile[t][j] -= tile[t][k] * tile[k][j];
        }
        __syncthreads();
    }
    for (int i = 0; i < BLOCK; i++) corner[i * size + t] = tile[i][t];
}

// A block right of the diagonal, of which a thread of the first half has a column, and one below, of which a thread of the second half has a row.
extern "C" __global__ void lud_perimeter(float *matrix, int size, int offset) {
    __shared__ float diagonal[BLOCK][BLOCK], right[BLOCK][BLOCK], below[BLOCK][BLOCK];
    int t = threadIdx.x % BLOCK;
    bool is_right = threadIdx.x < BLOCK;
    int other = offset + (blockIdx.x + 1) * BLOCK;
    float *of_right = matrix + offset * size + other, *of_below = matrix + other * size + offset;
    int half = is_right ? 0 : BLOCK / 2;
    for (int i = half; i < half + BLOCK / 2; i++) diagonal[i][t] = matrix[(offset + i) * size + offset + t];
    for (int i = 0; i < BLOCK; i++) {
        if (is_right) right[i][t] = of_right[i * size + t];
        else below[i][t] = of_below[i * size + t];
    }
    __syncthreads();

    if (is_right) {
        for (int i = 1; i < BLOCK; i++)
            for (int k = 0; k < i; k++) right[i][t] -= diagonal[i][k] * right[k][t];
    } else {
        for (int j = 0; j < BLOCK; j++) {
            for (int k = 0; k < j; k++) below[t][j] -= below[t][k] * diagonal[k][j];
            below[t][j] /= diagonal[j][j];
        }
    }
    __syncthreads();

    for (int i = 0; i < BLOCK; i++) {
        if (is_right) of_right[i * size + t] = right[i][t];
        else of_below[i * size + t] = below[i][t];
    }
}

// What is left of a block right of and below the diagonal: a thread has an element.
extern "C" __global__ void lud_internal(float *matrix, int size, int offset) {
    __shared__ float above[BLOCK][BLOCK], left[BLOCK][BLOCK];
    int x = threadIdx.x, y = threadIdx.y;
    int row = offset + (blockIdx.y + 1) * BLOCK + y, column = offset + (blockIdx.x + 1) * BLOCK + x;
    above[y][x] = matrix[(offset + y) * size + column];
    left[y][x] = matrix[row * size + offset + x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < BLOCK; k++) sum += left[y][k] * above[k][x];
    matrix[row * size + column] -= sum;
}
