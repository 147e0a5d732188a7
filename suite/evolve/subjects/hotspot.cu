// How hot the cells of a chip get: each step, a cell exchanges heat with its four neighbours and with the air, and gets what it consumes.
//
// A block loads a tile and does several steps on it; the tile shrinks by one cell a step on each side, so blocks overlap.

#define BLOCK 16

extern "C" __global__ void hotspot(const float *power, const float *from, float *to, int rows, int columns, int steps, int height,
                                   float scale, float along_rows, float along_columns, float to_air, float air) {
    __shared__ float heat[BLOCK][BLOCK];
    int x = threadIdx.x, y = threadIdx.y;
    int own = BLOCK - 2 * height;
    int row = blockIdx.y * own + y - height;
    int column = blockIdx.x * own + x - height;
    bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    float consumed = 0;
    if (inside) {
        heat[y][x] = from[row * columns + column];
        consumed = power[row * columns + column];
    }
    __syncthreads();

    // At the edges of the chip a cell is its own neighbour.
    int north = row > 0 ? y - 1 : y, south = row < rows - 1 ? y + 1 : y;
    int west = column > 0 ? x - 1 : x, east = column < columns - 1 ? x + 1 : x;
    for (int step = 0; step < steps; step++) {
        bool active = inside && x > step && x < BLOCK - 1 - step && y > step && y < BLOCK - 1 - step;
        float next = 0;
        if (active) {
            float now = heat[y][x];
            next = now + scale * (consumed + (heat[y][west] + heat[y][east] - 2.0f * now) * along_rows +
                                  (heat[north][x] + heat[south][x] - 2.0f * now) * along_columns + (air - now) * to_air);
        }
        __syncthreads();
        if (active) heat[y][x] = next;
        __syncthreads();
    }

    bool result = inside && x >= height && x < BLOCK - height && y >= height && y < BLOCK - height;
    if (result) to[row * columns + column] = heat[y][x];
}
