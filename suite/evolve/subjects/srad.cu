// Speckles taken from an image by diffusion that stops at edges (Yu and Acton, "Speckle reducing anisotropic diffusion").

#define BLOCK 256
#define TILE 16

// From logarithms, as a scanner has them, to intensities.
extern "C" __global__ void srad_expand(const float *image, float *intensity, int cells) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < cells) intensity[i] = expf(image[i] / 255);
}

// And back.
extern "C" __global__ void srad_compress(const float *intensity, float *image, int cells) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < cells) image[i] = logf(intensity[i]) * 255;
}

__device__ void sum_of_block(float *sums, float *squares) {
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
    }
}

// For each block, the sum of its intensities and of their squares.
extern "C" __global__ void srad_reduce(const float *intensity, float *partial, int cells) {
    __shared__ float sums[BLOCK], squares[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float own = i < cells ? intensity[i] : 0;
    sums[threadIdx.x] = own;
    squares[threadIdx.x] = own * own;
    sum_of_block(sums, squares);
    if (threadIdx.x == 0) {
        partial[2 * blockIdx.x] = sums[0];
        partial[2 * blockIdx.x + 1] = squares[0];
    }
}

// How much the whole image varies: its variance by the square of its mean. One block.
extern "C" __global__ void srad_statistics(const float *partial, float *variation, int blocks, int cells) {
    __shared__ float sums[BLOCK], squares[BLOCK];
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < blocks; i += BLOCK) {
        sum += partial[2 * i];
        square += partial[2 * i + 1];
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    sum_of_block(sums, squares);
    if (threadIdx.x == 0) {
        float mean = sums[0] / cells;
        variation[0] = (squares[0] / cells - mean * mean) / (mean * mean);
    }
}

// The differences of a cell from its neighbours, and how much may diffuse there. At the edges a cell is its own neighbour.
extern "C" __global__ void srad_coefficients(const float *intensity, const float *variation, float *coefficient, float *to_north,
                                             float *to_south, float *to_west, float *to_east, int rows, int columns) {
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row >= rows || column >= columns) return;
    int i = row * columns + column;
    float own = intensity[i];
    float north = intensity[max(row - 1, 0) * columns + column] - own;
    float south = intensity[min(row + 1, rows - 1) * columns + column] - own;
    float west = intensity[row * columns + max(column - 1, 0)] - own;
    float east = intensity[row * columns + min(column + 1, columns - 1)] - own;

    float gradient = (north * north + south * south + west * west + east * east) / (own * own);
    float laplacian = (north + south + west + east) / own;
    float wide = 1 + 0.25f * laplacian;
    float here = (0.5f * gradient - laplacian * laplacian / 16) / (wide * wide);
    float everywhere = variation[0];
    float c = 1 / (1 + (here - everywhere) / (everywhere * (1 + everywhere)));
    coefficient[i] = fminf(fmaxf(c, 0), 1);
    to_north[i] = north;
    to_south[i] = south;
    to_west[i] = west;
    to_east[i] = east;
}

// One step of the diffusion.
extern "C" __global__ void srad_update(float *intensity, const float *coefficient, const float *to_north, const float *to_south,
                                       const float *to_west, const float *to_east, int rows, int columns, float lambda) {
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row >= rows || column >= columns) return;
    int i = row * columns + column;
    float own = coefficient[i];
    float south = coefficient[min(row + 1, rows - 1) * columns + column];
    float east = coefficient[row * columns + min(column + 1, columns - 1)];
    float divergence = own * to_north[i] + south * to_south[i] + own * to_west[i] + east * to_east[i];
    intensity[i] += 0.25f * lambda * divergence;
}
