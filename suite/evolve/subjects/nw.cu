// The best alignment of two sequences (Needleman and Wunsch): a table whose cell is the best of its neighbours above, left, and above left, with what a gap or a pair of letters is worth.
//
// Tiles along a diagonal are independent of each other, and so are cells along a diagonal of a tile.

#define TILE 16
#define LETTERS 24

extern "C" __global__ void nw(const unsigned char *first, const unsigned char *second, const int *worth, int *table, int rows, int columns,
                              int penalty, int diagonal, int first_column) {
    __shared__ int cell[TILE + 1][TILE + 1];
    __shared__ int pair[TILE][TILE];
    int t = threadIdx.x, width = columns + 1;
    int tile_column = first_column + blockIdx.x;
    // The tile's cells are those right of and below of this one.
    int left = tile_column * TILE, top = (diagonal - tile_column) * TILE;
    for (int y = 0; y < TILE; y++) {
        bool inside = top + y < rows && left + t < columns;
        pair[y][t] = inside ? worth[first[top + y] * LETTERS + second[left + t]] : 0;
    }
    cell[0][t + 1] = left + t < columns ? table[top * width + left + t + 1] : 0;
    cell[t + 1][0] = top + t < rows ? table[(top + t + 1) * width + left] : 0;
    if (t == 0) cell[0][0] = table[top * width + left];
    __syncthreads();

    for (int wave = 0; wave < 2 * TILE - 1; wave++) {
        int y = wave - t;
        if (y >= 0 && y < TILE) {
            int gap = max(cell[y][t + 1], cell[y + 1][t]) - penalty;
            cell[y + 1][t + 1] = max(cell[y][t] + pair[y][t], gap);
        }
        __syncthreads();
    }

    for (int y = 0; y < TILE; y++)
        if (top + y < rows && left + t < columns) table[(top + y + 1) * width + left + t + 1] = cell[y + 1][t + 1];
}
