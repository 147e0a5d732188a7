//! The inputs of each function: their sizes, which are their features, and what is in them.

/// Arrays to add up: from what one multiprocessor holds to many times the cache of a GPU.
pub const REDUCTION: [[u32; 1]; 15] = {
    let mut shapes = [[0]; 15];
    let mut index = 0;
    while index < 15 {
        shapes[index] = [1 << (14 + index)];
        index += 1;
    }
    shapes
};

/// Rows and columns of matrices of 2^28 elements and then of 2^27, from wide to tall.
pub const MV_MUL: [[u32; 2]; 29] = {
    let mut shapes = [[0; 2]; 29];
    let mut index = 0;
    while index < 29 {
        let step = index % 15;
        shapes[index] = [1 << (7 + step), 1 << (21 - index / 15 - step)];
        index += 1;
    }
    shapes
};

/// Rows and columns of matrices to transpose, square and not.
pub const TRANSPOSE: [[u32; 2]; 18] = [
    [1024, 1024],
    [512, 2048],
    [1536, 1536],
    [4096, 1024],
    [2048, 2048],
    [1024, 8192],
    [3072, 3072],
    [4000, 4000],
    [4096, 4096],
    [16384, 2048],
    [6144, 6144],
    [8192, 8192],
    [4096, 32768],
    [12288, 12288],
    [16384, 16384],
    [32768, 16384],
    [24576, 24576],
    [32768, 32768],
];

/// Rows, inner size and columns of two matrices to multiply: nine sizes, and those between.
pub const MATRIX_MUL: [[u32; 3]; 18] = [
    [512, 512, 512],
    [768, 768, 768],
    [1024, 1024, 1024],
    [1536, 1536, 1536],
    [2048, 2048, 2048],
    [3072, 3072, 3072],
    [4096, 4096, 4096],
    [6144, 6144, 6144],
    [8192, 8192, 8192],
    [576, 576, 576],
    [640, 640, 640],
    [896, 896, 896],
    [1280, 1280, 1280],
    [1792, 1792, 1792],
    [2560, 2560, 2560],
    [3584, 3584, 3584],
    [5120, 5120, 5120],
    [7168, 7168, 7168],
];

/// Rows and columns of images to filter.
pub const CONVOLUTION: [[u32; 2]; 10] = [
    [1024, 1024],
    [1536, 1536],
    [2048, 2048],
    [3072, 3072],
    [4096, 4096],
    [6144, 6144],
    [8192, 8192],
    [10240, 10240],
    [12288, 12288],
    [16384, 16384],
];

/// Number and length of pairs of vectors: seven shapes, and those between.
pub const SCALAR_PROD: [[u32; 2]; 24] = [
    [256, 1024],
    [256, 4096],
    [16, 1 << 20],
    [4096, 4096],
    [256, 1 << 16],
    [1 << 16, 256],
    [16384, 4096],
    [64, 4096],
    [1024, 1024],
    [1024, 4096],
    [4096, 1024],
    [16384, 1024],
    [64, 1 << 14],
    [256, 1 << 14],
    [1024, 1 << 14],
    [64, 1 << 16],
    [64, 1 << 18],
    [16, 1 << 18],
    [16, 1 << 19],
    [32, 1 << 19],
    [8, 1 << 20],
    [16384, 256],
    [32768, 512],
    [1 << 16, 1024],
];

/// Rows, inner size and columns of two matrices to multiply on the host: half of them are not made up of the widest
/// blocks.
pub const HOST_PRODUCT: [[u32; 3]; 12] = [
    [48, 48, 48],
    [64, 64, 64],
    [80, 80, 80],
    [96, 96, 96],
    [100, 100, 100],
    [128, 128, 128],
    [100, 200, 150],
    [192, 192, 192],
    [200, 200, 200],
    [256, 256, 256],
    [300, 300, 300],
    [320, 320, 320],
];

/// Rows and columns of grids on the host.
pub const HOST_STENCIL: [[u32; 2]; 12] = [
    [64, 64],
    [96, 96],
    [128, 128],
    [64, 512],
    [256, 256],
    [512, 128],
    [384, 384],
    [512, 512],
    [256, 2048],
    [1024, 1024],
    [1536, 1536],
    [2048, 2048],
];

/// The names of inputs of these sizes, such as `train/512x2048`; every third is one to test with.
pub fn names<const N: usize>(shapes: &[[u32; N]]) -> Vec<String> {
    let split = |index: usize| if index % 3 == 1 { "test" } else { "train" };
    let sizes = |shape: &[u32; N]| shape.map(|size| size.to_string()).join("x");
    shapes.iter().enumerate().map(|(index, shape)| format!("{}/{}", split(index), sizes(shape))).collect()
}

/// The sizes that a name says.
///
/// # Errors
/// When the name is not one of [`names`].
pub fn shape<const N: usize>(name: &str) -> Result<[u32; N], String> {
    let sizes = name.rsplit('/').next().unwrap_or_default().split('x').map(str::parse);
    let sizes: Option<Vec<u32>> = sizes.collect::<Result<_, _>>().ok();
    let wrong = || format!("`{name}` is not named like `train/{}`", ["512"; N].join("x"));
    sizes.and_then(|sizes| sizes.try_into().ok()).ok_or_else(wrong)
}

/// A whole number from -2 to 2, drawn by index and seed: sums and products of those round nowhere, whatever the order.
pub fn value_at(index: u32, seed: u32) -> f32 {
    let mut x = index ^ seed;
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    ((x ^ (x >> 16)) % 5) as f32 - 2.0
}

/// So many of them.
pub fn values(length: usize, seed: u32) -> Vec<f32> {
    (0..length).map(|index| value_at(index as u32, seed)).collect()
}
