// Where a bright disc is in the frames of a film: many guesses move at random, are weighed by how well the frame fits, and are drawn anew by their weights.

#define BLOCK 256
#define RADIUS 5

// The next number of a thread's sequence, from 0 to below 1.
__device__ float uniform(unsigned int *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0f;
}

// One of a normal distribution (Box and Muller).
__device__ float normal(unsigned int *state) {
    float radius = sqrtf(-2 * logf(1 - uniform(state)));
    return radius * cosf(6.2831853f * uniform(state));
}

extern "C" __global__ void filter_begin(float *x, float *y, unsigned int *states, int particles, float start_x, float start_y, unsigned int seed) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= particles) return;
    x[i] = start_x;
    y[i] = start_y;
    states[i] = (seed * 65537u + i) * 2654435761u;
}

// Moves the guesses, and weighs each by the pixels of the disc that it says: they are about 228 inside of it and about 100 outside.
extern "C" __global__ void filter_weigh(const unsigned char *film, const float *from_x, const float *from_y, float *x, float *y,
                                        float *weights, unsigned int *states, int particles, int size, int frame) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= particles) return;
    unsigned int state = states[i];
    float own_x = from_x[i] + 2 * normal(&state);
    float own_y = from_y[i] + 2 * normal(&state);
    states[i] = state;
    x[i] = own_x;
    y[i] = own_y;

    const unsigned char *image = film + frame * size * size;
    int center_x = (int)roundf(own_x), center_y = (int)roundf(own_y);
    float likelihood = 0;
    int pixels = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            if (dx * dx + dy * dy > RADIUS * RADIUS) continue;
            int column = min(max(center_x + dx, 0), size - 1), row = min(max(center_y + dy, 0), size - 1);
            float pixel = image[row * size + column];
            likelihood += ((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) / 800;
            pixels++;
        }
    }
    weights[i] = expf(likelihood / pixels);
}

// The sum of the weights, and with them the mean guess of this frame. One block.
extern "C" __global__ void filter_estimate(const float *x, const float *y, const float *weights, float *total, float *path, int particles,
                                           int frame) {
    __shared__ float sum[BLOCK], sum_x[BLOCK], sum_y[BLOCK];
    int t = threadIdx.x;
    sum[t] = sum_x[t] = sum_y[t] = 0;
    for (int i = t; i < particles; i += BLOCK) {
        sum[t] += weights[i];
        sum_x[t] += weights[i] * x[i];
        sum_y[t] += weights[i] * y[i];
    }
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sum[t] += sum[t + half];
            sum_x[t] += sum_x[t + half];
            sum_y[t] += sum_y[t + half];
        }
    }
    if (t == 0) {
        total[0] = sum[0];
        path[2 * frame] = sum_x[0] / sum[0];
        path[2 * frame + 1] = sum_y[0] / sum[0];
    }
}

extern "C" __global__ void filter_normalise(float *weights, const float *total, int particles) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < particles) weights[i] /= total[0];
}

// For each guess the weights up to its own. One block, piece by piece.
extern "C" __global__ void filter_cumulate(const float *weights, float *cumulated, int particles) {
    __shared__ float sums[BLOCK];
    int t = threadIdx.x;
    float before = 0;
    for (int first = 0; first < particles; first += BLOCK) {
        int i = first + t;
        sums[t] = i < particles ? weights[i] : 0;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            float left = t >= distance ? sums[t - distance] : 0;
            __syncthreads();
            sums[t] += left;
            __syncthreads();
        }
        if (i < particles) cumulated[i] = before + sums[t];
        before += sums[BLOCK - 1];
        __syncthreads();
    }
}

// Draws guesses anew, each part of the whole weight by one thread.
extern "C" __global__ void filter_draw(const float *cumulated, const float *from_x, const float *from_y, float *x, float *y,
                                       unsigned int *states, int particles) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= particles) return;
    unsigned int state = states[i];
    float wanted = (i + uniform(&state)) / particles;
    states[i] = state;
    // The first guess up to which there is so much.
    int low = 0, high = particles - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (cumulated[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    x[i] = from_x[low];
    y[i] = from_y[low];
}
