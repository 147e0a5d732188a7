// Potentials of the particles of a box, and forces on them, from all particles there and in the boxes around it: a Gaussian of the distance.

#define THREADS 128
#define PARTICLES 100
#define NEAR 27

struct Position {
    double x, y, z;
};

// A potential and a force.
struct Field {
    double v, x, y, z;
};

// Its first particle, and the boxes at its sides, edges and corners with itself; none is -1.
struct Box {
    int first;
    int near[NEAR];
};

extern "C" __global__ void lavamd(const Box *boxes, const Position *positions, const double *charges, Field *fields, double alpha) {
    __shared__ Position own[PARTICLES], other[PARTICLES];
    __shared__ double charge[PARTICLES];
    int first = boxes[blockIdx.x].first;
    double narrow = 2.0 * alpha * alpha;
    for (int i = threadIdx.x; i < PARTICLES; i += THREADS) own[i] = positions[first + i];
    __syncthreads();

    for (int k = 0; k < NEAR; k++) {
        int box = boxes[blockIdx.x].near[k];
        if (box < 0) continue;
        int start = boxes[box].first;
        for (int j = threadIdx.x; j < PARTICLES; j += THREADS) {
            other[j] = positions[start + j];
            charge[j] = charges[start + j];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < PARTICLES; i += THREADS) {
            for (int j = 0; j < PARTICLES; j++) {
                double x = own[i].x - other[j].x, y = own[i].y - other[j].y, z = own[i].z - other[j].z;
                double potential = exp(-narrow * (x * x + y * y + z * z));
                double force = 2.0 * narrow * potential;
                fields[first + i].v += charge[j] * potential;
                fields[first + i].x += charge[j] * (force * x);
                fields[first + i].y += charge[j] * (force * y);
                fields[first + i].z += charge[j] * (force * z);
            }
        }
        __syncthreads();
    }
}
