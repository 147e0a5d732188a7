//! Images for the device, from a few thousand pixels to several times the size of its cache.

use crate::inputs::{InputError, histogram};

/// Most pixels that are made one by one. A larger image repeats them, as making it would take longer than all its
/// variants.
const STRIP_PIXELS: usize = 1 << 24;

const TRAIN_FAMILIES: [&str; 14] = [
    "uniform",
    "constant",
    "gradient",
    "few-k2",
    "few-k5",
    "few-k20",
    "gaussian-d4",
    "gaussian-d12",
    "gaussian-d40",
    "skewed-d2",
    "skewed-d20",
    "mask-k3",
    "photo-d2",
    "photo-d9",
];
const TRAIN_PIXELS: [u64; 10] =
    [4_000, 20_000, 80_000, 300_000, 1_000_000, 3_500_000, 12_000_000, 40_000_000, 100_000_000, 250_000_000];
const TEST_FAMILIES: [&str; 12] = [
    "uniform",
    "constant",
    "gradient",
    "few-k3",
    "few-k11",
    "gaussian-d7",
    "gaussian-d24",
    "skewed-d6",
    "skewed-d50",
    "mask-k2",
    "mask-k6",
    "photo-d4",
];
const TEST_PIXELS: [u64; 17] = [
    2_500,
    6_000,
    13_000,
    33_000,
    60_000,
    130_000,
    220_000,
    450_000,
    700_000,
    1_600_000,
    2_600_000,
    5_500_000,
    9_000_000,
    22_000_000,
    60_000_000,
    130_000_000,
    220_000_000,
];

/// The names of the images, those for training first.
pub fn names() -> Vec<String> {
    let part = |split: &str, families: &[&str], sizes: &[u64], seed: u64| {
        let mut names = Vec::new();
        for n in sizes {
            for family in families {
                let (family, rest) =
                    family.split_once('-').map_or((*family, None), |(f, rest)| (f, Some(rest)));
                let rest = rest.map_or_else(String::new, |rest| format!("-{rest}"));
                names.push(format!("{split}/{family}-n{n}{rest}-s{seed}"));
            }
        }
        names
    };
    let mut names = part("train", &TRAIN_FAMILIES, &TRAIN_PIXELS, 1);
    names.extend(part("test", &TEST_FAMILIES, &TEST_PIXELS, 2));
    names
}

/// The pixels of an image by name.
///
/// # Errors
/// A name that is no image's, see [`histogram::load`].
pub fn load(name: &str) -> Result<Vec<u8>, InputError> {
    let Some((begin, n, end)) = pixel_count(name).filter(|(_, n, _)| *n > STRIP_PIXELS) else {
        return histogram::load(name).map(|image| image.pixels);
    };
    let strip = histogram::load(&format!("{begin}-n{STRIP_PIXELS}{end}"))?.pixels;
    let mut pixels = strip.repeat(n / STRIP_PIXELS);
    pixels.extend_from_slice(&strip[..n % STRIP_PIXELS]);
    Ok(pixels)
}

/// Number of pixels in a name, and what stands before and behind it.
fn pixel_count(name: &str) -> Option<(&str, usize, &str)> {
    let (begin, rest) = name.split_once("-n")?;
    let digits = rest.find('-').unwrap_or(rest.len());
    Some((begin, rest[..digits].parse().ok()?, &rest[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_images_repeat_a_strip_and_small_ones_are_the_hosts() {
        let small = "train/few-n3000-k5-s1";
        assert_eq!(load(small).unwrap(), histogram::load(small).unwrap().pixels);
        let pixels = load("test/few-n20000000-k3-s2").unwrap();
        assert_eq!(pixels.len(), 20_000_000);
        assert!(pixels[STRIP_PIXELS..] == pixels[..20_000_000 - STRIP_PIXELS]);
        assert!(pixels[..STRIP_PIXELS] == load("test/few-n16777216-k3-s2").unwrap());
    }
}
