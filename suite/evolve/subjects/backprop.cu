// Trains a network with one hidden layer of 16 units and one output: forwards, then backwards (back-propagation of errors).

#define SIDE 16
#define RATE 0.3
#define MOMENTUM 0.3

// What 16 inputs add to each hidden unit. A block has them, a thread one weight.
extern "C" __global__ void backprop_forward(const float *inputs, const float *weights, float *partial) {
    __shared__ float input[SIDE];
    __shared__ float products[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x * SIDE + y;
    if (x == 0) input[y] = inputs[row];
    __syncthreads();
    products[y][x] = weights[row * SIDE + x];
    __syncthreads();
    products[y][x] = products[y][x] * input[y];
    __syncthreads();
    for (int distance = 1; distance < SIDE; distance *= 2) {
        if (y % (2 * distance) == 0) products[y][x] = products[y][x] + products[y + distance][x];
        __syncthreads();
    }
    if (y == 0) partial[blockIdx.x * SIDE + x] = products[0][x];
}

// The hidden units. A block has one, a thread every 256th part of its sum.
extern "C" __global__ void backprop_hidden(const float *partial, const float *bias, float *hidden, int parts) {
    __shared__ float sums[256];
    int t = threadIdx.x, unit = blockIdx.x;
    float sum = 0.0;
    for (int part = t; part < parts; part += 256) sum += partial[part * SIDE + unit];
    sums[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) hidden[unit] = 1.0 / (1.0 + exp(-(sums[0] + bias[unit])));
}

// The output, and what each hidden unit has to do with its error. One thread.
extern "C" __global__ void backprop_output(const float *hidden, float *to_output, float *deltas, float *output, float target) {
    float sum = 0.0;
    for (int unit = 0; unit < SIDE; unit++) sum += hidden[unit] * to_output[unit];
    float value = 1.0 / (1.0 + exp(-sum));
    float error = value * (1.0 - value) * (target - value);
    for (int unit = 0; unit < SIDE; unit++) {
        deltas[unit] = hidden[unit] * (1.0 - hidden[unit]) * (error * to_output[unit]);
        to_output[unit] += RATE * error * hidden[unit];
    }
    output[0] = value;
}

// Moves the weights of 16 inputs against the errors, and on as they moved before.
extern "C" __global__ void backprop_adjust(const float *inputs, const float *deltas, float *weights, float *moved, float *bias) {
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x * SIDE + y;
    int index = row * SIDE + x;
    weights[index] += RATE * deltas[x] * inputs[row] + MOMENTUM * moved[index];
    moved[index] = RATE * deltas[x] * inputs[row] + MOMENTUM * moved[index];
    __syncthreads();
    if (row == 0) bias[x] += RATE * deltas[x];
}
