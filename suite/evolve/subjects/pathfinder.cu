// The cheapest way down a grid of costs, straight or diagonally: for each column the cost of the best way that ends there.
//
// A block loads a piece of the row before and goes down several rows; the piece shrinks by one column a row on each side, so blocks overlap.

#define BLOCK 256

extern "C" __global__ void pathfinder(const int *wall, const int *from, int *to, int columns, int first_row, int rows, int height) {
    __shared__ int best[BLOCK];
    int x = threadIdx.x;
    int column = blockIdx.x * (BLOCK - 2 * height) + x - height;
    bool inside = column >= 0 && column < columns;
    if (inside) best[x] = from[column];
    __syncthreads();

    int left = column > 0 ? x - 1 : x, right = column < columns - 1 ? x + 1 : x;
    for (int row = 0; row < rows; row++) {
        bool active = inside && x > row && x < BLOCK - 1 - row;
        int next = 0;
        if (active) next = min(best[x], min(best[left], best[right])) + wall[(first_row + row) * columns + column];
        __syncthreads();
        if (active) best[x] = next;
        __syncthreads();
    }

    if (inside && x >= height && x < BLOCK - height) to[column] = best[x];
}
