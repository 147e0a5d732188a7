// Flow of a gas through cells of any shape with four faces each (Euler's equations, finite volumes): three stages a step, each from what was before the step.

#define BLOCK 192
#define FACES 4
#define GAMMA 1.4
#define SMOOTHING 0.2
#define WALL -1

struct Vector {
    float x, y, z;
};

// What flows in from far away.
struct Far {
    float density;
    Vector momentum;
    float energy;
};

__device__ Vector velocity_of(float density, Vector momentum) {
    Vector velocity = { momentum.x / density, momentum.y / density, momentum.z / density };
    return velocity;
}

__device__ float square_of(Vector v) {
    return v.x * v.x + v.y * v.y + v.z * v.z;
}

__device__ float pressure_of(float density, float energy, float speed_squared) {
    return (GAMMA - 1.0) * (energy - 0.5 * density * speed_squared);
}

__device__ float sound_of(float density, float pressure) {
    return sqrtf(GAMMA * pressure / density);
}

// How much of momentum and energy a cell carries along each axis.
__device__ void fluxes_of(Vector momentum, float energy, float pressure, Vector velocity, Vector *x, Vector *y, Vector *z, Vector *of_energy) {
    x->x = velocity.x * momentum.x + pressure;
    x->y = velocity.x * momentum.y;
    x->z = velocity.x * momentum.z;
    y->x = x->y;
    y->y = velocity.y * momentum.y + pressure;
    y->z = velocity.y * momentum.z;
    z->x = x->z;
    z->y = y->z;
    z->z = velocity.z * momentum.z + pressure;
    float work = energy + pressure;
    of_energy->x = velocity.x * work;
    of_energy->y = velocity.y * work;
    of_energy->z = velocity.z * work;
}

// The variables of a cell: density, momentum along three axes and energy, each of all cells together.
extern "C" __global__ void cfd_begin(float *variables, const float *noise, int cells, Far far) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells) return;
    variables[i] = far.density * (1.0 + noise[i]);
    variables[i + cells] = far.momentum.x;
    variables[i + 2 * cells] = far.momentum.y;
    variables[i + 3 * cells] = far.momentum.z;
    variables[i + 4 * cells] = far.energy * (1.0 + noise[i]);
}

extern "C" __global__ void cfd_copy(const float *from, float *to, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count) to[i] = from[i];
}

// How far a cell may go in time, by its volume.
extern "C" __global__ void cfd_step_factor(const float *variables, const float *areas, float *factors, int cells) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells) return;
    float density = variables[i];
    Vector momentum = { variables[i + cells], variables[i + 2 * cells], variables[i + 3 * cells] };
    float energy = variables[i + 4 * cells];
    float speed_squared = square_of(velocity_of(density, momentum));
    float sound = sound_of(density, pressure_of(density, energy, speed_squared));
    factors[i] = 0.5 / (sqrtf(areas[i]) * (sqrtf(speed_squared) + sound));
}

// What flows through the faces of each cell.
extern "C" __global__ void cfd_flux(const int *neighbours, const float *normals, const float *variables, float *fluxes, int cells, Far far) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells) return;
    float density = variables[i];
    Vector momentum = { variables[i + cells], variables[i + 2 * cells], variables[i + 3 * cells] };
    float energy = variables[i + 4 * cells];
    Vector velocity = velocity_of(density, momentum);
    float speed_squared = square_of(velocity);
    float speed = sqrtf(speed_squared);
    float pressure = pressure_of(density, energy, speed_squared);
    float sound = sound_of(density, pressure);
    Vector own_x, own_y, own_z, own_energy;
    fluxes_of(momentum, energy, pressure, velocity, &own_x, &own_y, &own_z, &own_energy);

    float flux_density = 0, flux_energy = 0;
    Vector flux = { 0, 0, 0 };
    for (int face = 0; face < FACES; face++) {
        int other = neighbours[i + face * cells];
        Vector normal = { normals[i + (3 * face) * cells], normals[i + (3 * face + 1) * cells], normals[i + (3 * face + 2) * cells] };
        float size = sqrtf(square_of(normal));
        if (other >= 0) {
            float other_density = variables[other];
            Vector other_momentum = { variables[other + cells], variables[other + 2 * cells], variables[other + 3 * cells] };
            float other_energy = variables[other + 4 * cells];
            Vector other_velocity = velocity_of(other_density, other_momentum);
            float other_squared = square_of(other_velocity);
            float other_pressure = pressure_of(other_density, other_energy, other_squared);
            float other_sound = sound_of(other_density, other_pressure);
            Vector other_x, other_y, other_z, of_other_energy;
            fluxes_of(other_momentum, other_energy, other_pressure, other_velocity, &other_x, &other_y, &other_z, &of_other_energy);

            float factor = -size * SMOOTHING * 0.5 * (speed + sqrtf(other_squared) + sound + other_sound);
            flux_density += factor * (density - other_density);
            flux_energy += factor * (energy - other_energy);
            flux.x += factor * (momentum.x - other_momentum.x);
            flux.y += factor * (momentum.y - other_momentum.y);
            flux.z += factor * (momentum.z - other_momentum.z);

            factor = 0.5 * normal.x;
            flux_density += factor * (other_momentum.x + momentum.x);
            flux_energy += factor * (of_other_energy.x + own_energy.x);
            flux.x += factor * (other_x.x + own_x.x);
            flux.y += factor * (other_y.x + own_y.x);
            flux.z += factor * (other_z.x + own_z.x);
            factor = 0.5 * normal.y;
            flux_density += factor * (other_momentum.y + momentum.y);
            flux_energy += factor * (of_other_energy.y + own_energy.y);
            flux.x += factor * (other_x.y + own_x.y);
            flux.y += factor * (other_y.y + own_y.y);
            flux.z += factor * (other_z.y + own_z.y);
            factor = 0.5 * normal.z;
            flux_density += factor * (other_momentum.z + momentum.z);
            flux_energy += factor * (of_other_energy.z + own_energy.z);
            flux.x += factor * (other_x.z + own_x.z);
            flux.y += factor * (other_y.z + own_y.z);
            flux.z += factor * (other_z.z + own_z.z);
        } else if (other == WALL) {
            flux.x += normal.x * pressure;
            flux.y += normal.y * pressure;
            flux.z += normal.z * pressure;
        } else {
            Vector far_velocity = velocity_of(far.density, far.momentum);
            float far_pressure = pressure_of(far.density, far.energy, square_of(far_velocity));
            Vector far_x, far_y, far_z, far_energy;
            fluxes_of(far.momentum, far.energy, far_pressure, far_velocity, &far_x, &far_y, &far_z, &far_energy);
            flux_density += 0.5 * (normal.x * (far.momentum.x + momentum.x) + normal.y * (far.momentum.y + momentum.y) +
                                   normal.z * (far.momentum.z + momentum.z));
            flux_energy += 0.5 * (normal.x * (far_energy.x + own_energy.x) + normal.y * (far_energy.y + own_energy.y) +
                                  normal.z * (far_energy.z + own_energy.z));
            flux.x += 0.5 * (normal.x * (far_x.x + own_x.x) + normal.y * (far_x.y + own_x.y) + normal.z * (far_x.z + own_x.z));
            flux.y += 0.5 * (normal.x * (far_y.x + own_y.x) + normal.y * (far_y.y + own_y.y) + normal.z * (far_y.z + own_y.z));
            flux.z += 0.5 * (normal.x * (far_z.x + own_z.x) + normal.y * (far_z.y + own_z.y) + normal.z * (far_z.z + own_z.z));
        }
    }
    fluxes[i] = flux_density;
    fluxes[i + cells] = flux.x;
    fluxes[i + 2 * cells] = flux.y;
    fluxes[i + 3 * cells] = flux.z;
    fluxes[i + 4 * cells] = flux_energy;
}

// A stage: the first goes a third of the way, the second half of it, the last all.
extern "C" __global__ void cfd_advance(int left, const float *before, float *variables, const float *factors, const float *fluxes, int cells) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells) return;
    float factor = factors[i] / left;
    variables[i] = before[i] - factor * fluxes[i];
    variables[i + cells] = before[i + cells] - factor * fluxes[i + cells];
    variables[i + 2 * cells] = before[i + 2 * cells] - factor * fluxes[i + 2 * cells];
    variables[i + 3 * cells] = before[i + 3 * cells] - factor * fluxes[i + 3 * cells];
    variables[i + 4 * cells] = before[i + 4 * cells] - factor * fluxes[i + 4 * cells];
}
