//! Images.

use std::io::{self, Cursor, ErrorKind};
use std::path::Path;

use image::{ImageError, ImageFormat, ImageReader, Limits};
use nitro_core::files;

use super::InputError;
use super::jpeg;
use super::name::{Name, Source};
use super::random::{Random, normal};

/// Largest width and height of an image file: beyond it lies no photograph, but decoders' memory.
const MAX_SIDE: u32 = 1 << 15;
/// Largest file of an image.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Memory that decoding a file may take.
const MAX_DECODED_BYTES: u64 = 512 << 20;
/// Largest number of pixels of a built-in image.
const MAX_PIXELS: u64 = 1 << 28;

/// The families of built-in images.
const FAMILIES: [&str; 8] = ["uniform", "constant", "gradient", "few", "gaussian", "skewed", "mask", "photo"];

/// An image in shades of grey, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels of a row; the last row of a built-in image may be shorter.
    pub width: usize,
    /// The pixels.
    pub pixels: Vec<u8>,
}

/// The names of the built-in images, those for training first.
pub fn names() -> Vec<String> {
    let train_sizes = [3_000, 12_288, 50_000, 160_000, 400_000, 1_000_000, 2_500_000, 6_000_000];
    let train = [
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
    let test_sizes = [5_000, 30_000, 100_000, 700_000, 1_600_000, 4_000_000];
    let test = [
        "uniform",
        "gradient",
        "few-k3",
        "few-k11",
        "gaussian-d7",
        "gaussian-d24",
        "skewed-d6",
        "mask-k2",
        "photo-d4",
    ];
    let train =
        train_sizes.iter().flat_map(|n| train.iter().map(move |family| named("train", family, *n, 1)));
    let test = test_sizes.iter().flat_map(|n| test.iter().map(move |family| named("test", family, *n, 2)));
    train.chain(test).collect()
}

/// The name of an image of `n` pixels.
fn named(split: &str, family: &str, n: u64, seed: u64) -> String {
    let (family, rest) =
        family.split_once('-').map_or((family, String::new()), |(f, rest)| (f, format!("-{rest}")));
    format!("{split}/{family}-n{n}{rest}-s{seed}")
}

/// Makes a built-in image, or reads a PNG or JPEG file and turns it to grey.
///
/// # Errors
/// A name that is neither a built-in one nor a file's, or a file that is no usable image.
pub fn load(name: &str) -> Result<Image, InputError> {
    match Source::of(name, "histogram")? {
        Source::BuiltIn(name) => generate(name),
        Source::File(path) => read(path),
    }
}

/// Reads a file, with limits, so that a few bytes that announce a huge image do not take all memory.
fn read(path: &Path) -> Result<Image, InputError> {
    let unreadable = |source| InputError::Read { path: path.into(), source };
    let unusable = |source: ImageError| InputError::Image { path: path.into(), source };
    let bytes = files::read(path, MAX_FILE_BYTES).map_err(unreadable)?;
    let mut reader = ImageReader::new(Cursor::new(&bytes)).with_guessed_format().map_err(unreadable)?;
    if reader.format() == Some(ImageFormat::Jpeg) && !jpeg::is_whole(&bytes) {
        let cut_short = "the file ends before the image does; copy it again";
        return Err(unusable(ImageError::IoError(io::Error::new(ErrorKind::UnexpectedEof, cut_short))));
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let image = reader.decode().map_err(unusable)?.into_luma8();
    Ok(Image { width: image.width() as usize, pixels: image.into_raw() })
}

/// Makes a built-in image.
fn generate(mut name: Name<'_>) -> Result<Image, InputError> {
    let pixels = name.take('n', 0, MAX_PIXELS)? as usize;
    let mut random = Random::new(name.take('s', 0, u64::MAX)?);
    let width = (pixels.isqrt()).max(1);
    let pixels: Vec<u8> = match name.family {
        "uniform" => (0..pixels).map(|_| random.next_u64() as u8).collect(),
        "constant" => vec![random.next_u64() as u8; pixels],
        "gradient" => (0..pixels).map(|i| (i % width * 200 / width + i / width * 55 / width) as u8).collect(),
        "few" => {
            let values = name.take('k', 1, 256)?;
            (0..pixels).map(|_| (random.below_u64(values) * 255 / values) as u8).collect()
        }
        "gaussian" => {
            let sd = name.take('d', 0, 128)? as f64;
            (0..pixels).map(|_| (128.0 + sd * normal(&mut random)) as u8).collect()
        }
        "skewed" => {
            let mean = name.take('d', 0, 128)? as f64;
            (0..pixels).map(|_| (mean * ((1.0 - random.unit()).sqrt().recip() - 1.0)) as u8).collect()
        }
        "mask" => mask(pixels, width, name.take('k', 1, 16)? as usize, &mut random),
        "photo" => photo(pixels, width, name.take('d', 0, 128)? as f64, &mut random),
        _ => return Err(name.unknown_family(&FAMILIES)),
    };
    name.finish()?;
    Ok(Image { width, pixels })
}

/// White discs on black, `discs` in each direction.
fn mask(pixels: usize, width: usize, discs: usize, random: &mut Random) -> Vec<u8> {
    let cell = (width / discs).max(1);
    let radius = (cell as u64 / 4 + random.below_u64(cell as u64 / 5 + 1)) as i64;
    let centre = cell as i64 / 2;
    let inside = |i: usize| {
        let (x, y) = ((i % width % cell) as i64 - centre, (i / width % cell) as i64 - centre);
        x * x + y * y <= radius * radius
    };
    (0..pixels).map(|i| if inside(i) { 255 } else { 0 }).collect()
}

/// A smooth scene of waves, with sensor noise of a given standard deviation.
fn photo(pixels: usize, width: usize, noise: f64, random: &mut Random) -> Vec<u8> {
    let phase = random.unit();
    // The scene is a sum of one function per direction, so that it is quick to compute.
    let wave = |at: usize, waves: f64| wave(at as f64 / width as f64 * waves + phase);
    let across: Vec<f64> = (0..width).map(|x| 40.0 * wave(x, 1.5) + 15.0 * wave(x, 6.0)).collect();
    let down: Vec<f64> = (0..=pixels / width).map(|y| 30.0 * wave(y, 1.0) + 10.0 * wave(y, 4.0)).collect();
    (0..pixels)
        .map(|i| (128.0 + across[i % width] + down[i / width] + noise * normal(random)) as u8)
        .collect()
}

/// A sine of period 1, drawn by parabolas: the library's sine may differ from machine to machine in its last bit.
fn wave(at: f64) -> f64 {
    let x = 2.0 * at.fract() - 1.0;
    4.0 * x * (1.0 - x.abs())
}
