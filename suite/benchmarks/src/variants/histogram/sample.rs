//! Features of an image, from a few of its pixels.

/// Pixels in the sub-sample: enough to tell the families of images apart, few enough to cost nothing beside counting.
const SAMPLE: usize = 128;

/// Evenly spaced pixels.
fn sample(pixels: &[u8]) -> impl Iterator<Item = u8> {
    let step = (pixels.len() / SAMPLE).max(1);
    pixels.iter().step_by(step).take(SAMPLE).copied()
}

/// Standard deviation of the values in a sub-sample of the image; 0 for an empty one.
pub fn sample_sd(pixels: &[u8]) -> f64 {
    let (mut count, mut sum, mut squares) = (0u32, 0u32, 0u32);
    for pixel in sample(pixels).map(u32::from) {
        count += 1;
        sum += pixel;
        squares += pixel * pixel;
    }
    if count == 0 {
        return 0.0;
    }
    let mean = f64::from(sum) / f64::from(count);
    (f64::from(squares) / f64::from(count) - mean * mean).max(0.0).sqrt()
}

/// Different values in a sub-sample of the image, as log2 of their number: 0 for one, 7 if no two are alike.
pub fn sample_distinct_log2(pixels: &[u8]) -> f64 {
    let mut seen = [0u64; 4];
    for pixel in sample(pixels) {
        seen[usize::from(pixel >> 6)] |= 1 << (pixel & 63);
    }
    let distinct: u32 = seen.iter().map(|word| word.count_ones()).sum();
    f64::from(distinct.max(1)).log2()
}

/// How much neighbours in a sub-sample of the image differ, as log2(1 + mean difference): 0 for areas of one value,
/// above 6 for noise of all values.
pub fn sample_step_log2(pixels: &[u8]) -> f64 {
    let step = (pixels.len() / SAMPLE).max(2);
    let pairs = || pixels.chunks(step).take(SAMPLE).filter_map(|part| part.first_chunk::<2>());
    let sum: u32 = pairs().map(|[first, second]| u32::from(first.abs_diff(*second))).sum();
    (1.0 + f64::from(sum) / pairs().count().max(1) as f64).log2()
}
