//! Compressing bytes.

use miniz_oxide::{deflate, inflate};
use nitro::code_variant;

/// Compressed bytes, and what takes them apart again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compressed {
    format: Format,
    length: usize,
    bytes: Vec<u8>,
}

/// A format of compressed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Lz4,
    Snappy,
    Deflate,
}

impl Compressed {
    /// Returns the length of the bytes over that of the compressed ones.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.length as f64 / self.bytes.len().max(1) as f64
    }

    /// Returns what was compressed; none where the bytes are damaged.
    #[must_use]
    pub fn decompress(&self) -> Option<Vec<u8>> {
        match self.format {
            Format::Lz4 => lz4_flex::block::decompress(&self.bytes, self.length).ok(),
            Format::Snappy => snap::raw::Decoder::new().decompress_vec(&self.bytes).ok(),
            Format::Deflate => inflate::decompress_to_vec_with_limit(&self.bytes, self.length).ok(),
        }
    }
}

/// Compresses bytes at least at a ratio, as a format of files, a protocol or a budget of storage asks for; as far as
/// [`strongest`](compress::Variant) can where that is less.
///
/// A variant that misses the ratio has the strongest one do it again. That time is its own, so that what is learned
/// from measurements avoids it.
///
/// ```
/// let text = "so it goes, ".repeat(100);
/// let compressed = nitro_everyday::compress(text.as_bytes(), 4.0);
/// assert!(compressed.ratio() >= 4.0);
/// assert_eq!(compressed.decompress().as_deref(), Some(text.as_bytes()));
/// ```
#[code_variant(
    name = "everyday::compress",
    features(
        bytes = data.len(),
        ratio = least_ratio,
        entropy = sampled_entropy(data),
        trial = trial_ratio(data),
    ),
    variants(lz4, snappy, deflate, strongest),
    default = strongest,
    model = nitro::embedded_model!("models/everyday.compress.model"),
)]
pub fn compress(data: &[u8], least_ratio: f64) -> Compressed;

fn lz4(data: &[u8], least_ratio: f64) -> Compressed {
    or_strongest(Format::Lz4, data, lz4_flex::block::compress(data), least_ratio)
}

fn snappy(data: &[u8], least_ratio: f64) -> Compressed {
    match snap::raw::Encoder::new().compress_vec(data) {
        Ok(bytes) => or_strongest(Format::Snappy, data, bytes, least_ratio),
        Err(_) => strongest(data, least_ratio), // more than 4 GB
    }
}

/// At its quickest level.
fn deflate(data: &[u8], least_ratio: f64) -> Compressed {
    or_strongest(Format::Deflate, data, deflate::compress_to_vec(data, 1), least_ratio)
}

/// Deflate at level 9.
fn strongest(data: &[u8], _least_ratio: f64) -> Compressed {
    Compressed { format: Format::Deflate, length: data.len(), bytes: deflate::compress_to_vec(data, 9) }
}

fn or_strongest(format: Format, data: &[u8], bytes: Vec<u8>, least_ratio: f64) -> Compressed {
    let compressed = Compressed { format, length: data.len(), bytes };
    if compressed.ratio() >= least_ratio { compressed } else { strongest(data, least_ratio) }
}

/// Bytes that a feature looks at.
const SAMPLE: usize = 64;

/// Returns the entropy of 64 sampled bytes, in bits a byte: less than 5 of a text, nearly 6 of noise.
///
/// ```
/// assert_eq!(nitro_everyday::sampled_entropy(b"abababab"), 1.0);
/// ```
#[must_use]
pub fn sampled_entropy(data: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    let step = (data.len() / SAMPLE).max(1);
    let mut total = 0.0;
    for byte in data.iter().step_by(step).take(SAMPLE) {
        counts[usize::from(*byte)] += 1;
        total += 1.0;
    }
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total);
    shares.map(|share| -share * share.log2()).sum()
}

/// Bytes that are compressed on trial.
const TRIAL: usize = 512;

/// Returns the ratio at which Snappy compresses a part of the middle.
///
/// ```
/// assert!(nitro_everyday::trial_ratio(&[7; 10_000]) > 10.0);
/// ```
#[must_use]
pub fn trial_ratio(data: &[u8]) -> f64 {
    let begin = data.len().saturating_sub(TRIAL) / 2;
    let part = &data[begin..data.len().min(begin + TRIAL)];
    let compressed = snap::raw::Encoder::new().compress_vec(part);
    compressed.map_or(1.0, |bytes| part.len() as f64 / bytes.len().max(1) as f64)
}
