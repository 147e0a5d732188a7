//! The shapes that are measured.

/// Rows, columns and inner size, to learn from.
pub const TRAINING: [[u32; 3]; 36] = [
    // Squares, from what fills no device to what fills every one.
    [64, 64, 64],
    [128, 128, 128],
    [256, 256, 256],
    [384, 384, 384],
    [512, 512, 512],
    [768, 768, 768],
    [1024, 1024, 1024],
    [1536, 1536, 1536],
    [2048, 2048, 2048],
    [3072, 3072, 3072],
    [4096, 4096, 4096],
    // Few columns, as activations of a small batch have.
    [4096, 16, 4096],
    [4096, 64, 4096],
    [8192, 32, 1024],
    [2048, 128, 2048],
    [1024, 16, 1024],
    // Few rows.
    [16, 4096, 4096],
    [64, 4096, 1024],
    [32, 8192, 2048],
    [128, 1024, 1024],
    // Deep: few elements, long sums.
    [64, 64, 65536],
    [128, 128, 16384],
    [256, 256, 8192],
    [512, 128, 8192],
    // Flat: short sums.
    [4096, 4096, 16],
    [2048, 2048, 32],
    [8192, 8192, 8],
    [1024, 4096, 64],
    // Sizes that no tile divides.
    [100, 100, 100],
    [333, 555, 777],
    [1000, 1100, 1200],
    [1025, 1025, 1025],
    [2000, 300, 700],
    [4097, 63, 1023],
    [127, 129, 131],
    [3001, 3003, 257],
];

/// To hold selections against.
pub const TEST: [[u32; 3]; 20] = [
    [96, 96, 96],
    [192, 192, 192],
    [320, 320, 320],
    [640, 640, 640],
    [896, 896, 896],
    [1280, 1280, 1280],
    [2560, 2560, 2560],
    [3584, 3584, 3584],
    [4096, 32, 2048],
    [1536, 24, 3072],
    [48, 4096, 2048],
    [24, 2048, 512],
    [96, 96, 32768],
    [256, 128, 8192],
    [4096, 2048, 24],
    [1500, 1500, 48],
    [700, 900, 1100],
    [1111, 222, 3333],
    [150, 140, 160],
    [2049, 2047, 511],
];

/// As names of inputs.
pub fn names() -> impl Iterator<Item = String> {
    let name = |part: &'static str| {
        move |[rows, columns, inner]: &[u32; 3]| format!("{part}/{rows}x{columns}x{inner}")
    };
    TRAINING.iter().map(name("train")).chain(TEST.iter().map(name("test")))
}

/// The shape that a name says.
#[must_use]
pub fn shape(name: &str) -> Option<[u32; 3]> {
    let sizes = name.rsplit('/').next()?.split('x').map(|size| size.parse().ok());
    sizes.collect::<Option<Vec<u32>>>()?.try_into().ok()
}
