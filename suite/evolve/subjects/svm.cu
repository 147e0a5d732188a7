// Trains a support vector machine with radial basis functions by sequential minimal optimization: step by step, the two samples that violate the conditions of the optimum most are
// found by reductions over two sets, and their coefficients changed.

#define BLOCK 256
#define LARGEST 3.402823466e38f

// The kernel of two vectors, whose components are `first_stride` and `second_stride` apart.
__device__ float radial(const float *first, int first_stride, const float *second, int second_stride, int dimensions, float gamma) {
    float sum = 0;
    for (int d = 0; d < dimensions; d++) {
        float difference = first[d * first_stride] - second[d * second_stride];
        sum += difference * difference;
    }
    return expf(-gamma * sum);
}

extern "C" __global__ void svm_begin(const float *labels, float *gradient, float *alpha, int samples) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= samples) return;
    gradient[i] = -labels[i];
    alpha[i] = 0;
}

// Brings the least value of `up` and the greatest of `low` over the block, with whose they are, to thread 0.
__device__ void extremes(float *up, int *up_index, float *low, int *low_index) {
    int t = threadIdx.x;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            if (up[t + half] < up[t]) {
                up[t] = up[t + half];
                up_index[t] = up_index[t + half];
            }
            if (low[t + half] > low[t]) {
                low[t] = low[t + half];
                low_index[t] = low_index[t + half];
            }
        }
    }
}

// For each block, the least gradient of the samples whose coefficients may go up along their labels, and the greatest of those whose may go down.
extern "C" __global__ void svm_select(const float *labels, const float *gradient, const float *alpha, float *values, int *indices,
                                      int samples, float limit) {
    __shared__ float up[BLOCK], low[BLOCK];
    __shared__ int up_index[BLOCK], low_index[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    up[t] = LARGEST;
    low[t] = -LARGEST;
    up_index[t] = low_index[t] = 0;
    if (i < samples) {
        bool positive = labels[i] > 0;
        float own = alpha[i];
        if (positive ? own < limit : own > 0) {
            up[t] = gradient[i];
            up_index[t] = i;
        }
        if (positive ? own > 0 : own < limit) {
            low[t] = gradient[i];
            low_index[t] = i;
        }
    }
    extremes(up, up_index, low, low_index);
    if (t == 0) {
        values[2 * blockIdx.x] = up[0];
        values[2 * blockIdx.x + 1] = low[0];
        indices[2 * blockIdx.x] = up_index[0];
        indices[2 * blockIdx.x + 1] = low_index[0];
    }
}

// The same over all blocks, and then the step: the coefficients of both samples, by how much they change (along the labels), and the bias. One block.
extern "C" __global__ void svm_step(const float *samples_of, const float *labels, const float *values, const int *indices, float *alpha,
                                    int *pair, float *change, float *bias, int blocks, int samples, int dimensions, float gamma, float limit,
                                    float tolerance) {
    __shared__ float up[BLOCK], low[BLOCK];
    __shared__ int up_index[BLOCK], low_index[BLOCK];
    int t = threadIdx.x;
    up[t] = LARGEST;
    low[t] = -LARGEST;
    up_index[t] = low_index[t] = 0;
    for (int block = t; block < blocks; block += BLOCK) {
        if (values[2 * block] < up[t]) {
            up[t] = values[2 * block];
            up_index[t] = indices[2 * block];
        }
        if (values[2 * block + 1] > low[t]) {
            low[t] = values[2 * block + 1];
            low_index[t] = indices[2 * block + 1];
        }
    }
    extremes(up, up_index, low, low_index);
    if (t != 0) return;

    int u = up_index[0], l = low_index[0];
    pair[0] = u;
    pair[1] = l;
    change[0] = change[1] = 0;
    if (!(low[0] - up[0] > tolerance)) return;
    bias[0] = (up[0] + low[0]) / 2;
    float curvature = 2 - 2 * radial(samples_of + u, samples, samples_of + l, samples, dimensions, gamma);
    float sign = labels[u] * labels[l], old_u = alpha[u], old_l = alpha[l];
    // Both stay from 0 to the limit, and what they are together, by their labels, stays.
    float least = sign < 0 ? fmaxf(0, old_l - old_u) : fmaxf(0, old_l + old_u - limit);
    float most = sign < 0 ? fminf(limit, limit + old_l - old_u) : fminf(limit, old_l + old_u);
    float new_l = old_l + labels[l] * (up[0] - low[0]) / fmaxf(curvature, 1e-6f);
    new_l = fminf(fmaxf(new_l, least), most);
    float new_u = fminf(fmaxf(old_u + sign * (old_l - new_l), 0), limit);
    alpha[u] = new_u;
    alpha[l] = new_l;
    change[0] = (new_u - old_u) * labels[u];
    change[1] = (new_l - old_l) * labels[l];
}

extern "C" __global__ void svm_update(const float *samples_of, float *gradient, const int *pair, const float *change, int samples,
                                      int dimensions, float gamma) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= samples) return;
    float of_up = radial(samples_of + i, samples, samples_of + pair[0], samples, dimensions, gamma);
    float of_low = radial(samples_of + i, samples, samples_of + pair[1], samples, dimensions, gamma);
    gradient[i] += change[0] * of_up + change[1] * of_low;
}

// The labels of samples that were not trained with.
extern "C" __global__ void svm_predict(const float *samples_of, const float *labels, const float *alpha, const float *bias, const float *others,
                                       int *predicted, int samples, int others_count, int dimensions, float gamma) {
    int other = blockIdx.x * BLOCK + threadIdx.x;
    if (other >= others_count) return;
    float sum = -bias[0];
    for (int i = 0; i < samples; i++)
        if (alpha[i] > 0) sum += alpha[i] * labels[i] * radial(samples_of + i, samples, others + other, others_count, dimensions, gamma);
    predicted[other] = sum > 0 ? 1 : -1;
}
