// How far each place is from each of some targets.

#define BLOCK 256

extern "C" __global__ void nn(const float2 *places, const float2 *targets, float *distances, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    float2 place = places[i], target = targets[blockIdx.y];
    float north = place.x - target.x, east = place.y - target.y;
    distances[blockIdx.y * count + i] = sqrtf(north * north + east * east);
}
