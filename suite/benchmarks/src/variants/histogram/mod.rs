//! Counting the pixels of an 8-bit image by value.

mod few_values;
mod multi_table;
mod pair_table;
mod private_tables;
mod sample;

pub use few_values::few_values;
pub use multi_table::multi_table;
pub use pair_table::pair_table;
pub use private_tables::private_tables;
pub use sample::{sample_distinct_log2, sample_sd, sample_step_log2};

/// Number of values that a pixel can take.
pub const BINS: usize = 256;

/// Adds the counts of one table to another.
fn add(bins: &mut [u32; BINS], table: &[u32; BINS]) {
    for (bin, count) in bins.iter_mut().zip(table) {
        *bin += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{histogram, inputs};

    /// Counts one pixel after the other.
    fn reference(pixels: &[u8]) -> [u32; BINS] {
        let mut bins = [0; BINS];
        pixels.iter().for_each(|&pixel| bins[usize::from(pixel)] += 1);
        bins
    }

    /// Compares all variants with the reference, on one thread and on several.
    fn check(pixels: &[u8], what: &str) {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for &variant in histogram::Variant::ALL {
                let mut bins = [7; BINS];
                pool.install(|| histogram::call(variant, pixels, &mut bins));
                assert!(bins == reference(pixels), "{variant} of {what}, {threads} threads");
            }
        }
    }

    #[test]
    fn counts_match_at_all_lengths_around_groups_and_blocks() {
        let pixels: Vec<u8> = (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for length in [
            0, 1, 2, 7, 8, 9, 63, 64, 65, 191, 192, 193, 255, 256, 3071, 3072, 3073, 6144, 8191, 8193, 10_000,
        ] {
            check(&pixels[..length], &format!("{length} pixels"));
        }
    }

    #[test]
    fn counts_match_for_every_family() {
        let families = [
            "uniform-n300001-s9",
            "constant-n300001-s9",
            "gradient-n300001-s9",
            "few-n300001-k5-s9",
            "few-n300001-k256-s9",
            "gaussian-n300001-d9-s9",
            "skewed-n300001-d3-s9",
            "mask-n300001-k3-s9",
            "photo-n300001-d4-s9",
        ];
        for family in families {
            check(&inputs::histogram::load(&format!("test/{family}")).unwrap().pixels, family);
        }
    }

    #[test]
    fn a_value_that_no_probe_saw_is_counted() {
        let mut pixels = vec![3; 9000];
        for (index, value) in [(1, 4), (3073, 5), (8999, 6)] {
            pixels[index] = value;
        }
        check(&pixels, "strays");
    }

    #[test]
    fn features_describe_the_sample() {
        let features =
            |pixels: &[u8]| (sample_sd(pixels), sample_distinct_log2(pixels), sample_step_log2(pixels));
        assert_eq!(features(&[]), (0.0, 0.0, 0.0));
        assert_eq!(features(&[9; 1000]), (0.0, 0.0, 0.0));
        let halves: Vec<u8> = (0..1280).map(|i| if i < 640 { 10 } else { 30 }).collect();
        assert_eq!(features(&halves), (10.0, 1.0, 0.0));
        let stripes = [0, 31].repeat(640);
        assert_eq!(sample_step_log2(&stripes), 5.0);
    }
}
