//! PNG and JPEG files become grey images, and other files are errors that name them.

use std::path::PathBuf;

use image::{Rgb, RgbImage};
use nitro_benchmarks::inputs::histogram::load;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A JPEG image with a smaller one in a segment of its own, as cameras put it there, and its length up to there.
fn jpeg_with_preview() -> (Vec<u8>, usize) {
    let image = |side| {
        let mut jpeg = std::io::Cursor::new(Vec::new());
        let image = RgbImage::from_fn(side, side, |x, y| Rgb([(x * y) as u8, (x + y) as u8, (x ^ y) as u8]));
        image.write_to(&mut jpeg, image::ImageFormat::Jpeg).unwrap();
        jpeg.into_inner()
    };
    let (mut jpeg, preview) = (image(120), image(16));
    let mut segment = vec![0xff, 0xe1];
    segment.extend((preview.len() as u16 + 2).to_be_bytes());
    segment.extend(preview);
    let behind = 2 + segment.len();
    jpeg.splice(2..2, segment);
    (jpeg, behind)
}

#[test]
fn jpeg_images_that_are_cut_short_anywhere() {
    let (whole, behind_preview) = jpeg_with_preview();
    let read = |name: &str, bytes: &[u8]| {
        std::fs::write(path(name), bytes).unwrap();
        load(path(name).to_str().unwrap())
    };
    assert_eq!(read("whole.jpg", &whole).unwrap().pixels.len(), 120 * 120);
    assert_eq!(read("more.jpg", &[&whole[..], b"more"].concat()).unwrap().pixels.len(), 120 * 120);
    let last = whole.len() - 10..whole.len();
    for length in (behind_preview..whole.len()).step_by(97).chain(last) {
        let error = read("cut.jpg", &whole[..length]).expect_err("it is cut short");
        let reason = std::error::Error::source(&error).expect("it has a reason").to_string();
        assert!(error.to_string().contains("cut.jpg"), "{error}");
        assert!(reason.contains("the file ends before the image does"), "{length}: {reason}");
    }
}

/// The header of a PNG image of 65,000 x 65,000 pixels, and no data.
fn huge_png() -> Vec<u8> {
    let mut header = b"IHDR".to_vec();
    header.extend(65_000u32.to_be_bytes());
    header.extend(65_000u32.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut checksum = flate2::Crc::new();
    checksum.update(&header);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.extend(13u32.to_be_bytes());
    png.extend(header);
    png.extend(checksum.sum().to_be_bytes());
    png
}

#[test]
fn colours_become_shades_of_grey() {
    let image = RgbImage::from_fn(40, 30, |x, _| if x < 10 { Rgb([255, 255, 255]) } else { Rgb([0, 0, 0]) });
    for name in ["white-and-black.png", "white-and-black.jpg"] {
        image.save(path(name)).unwrap();
        let grey = load(path(name).to_str().unwrap()).unwrap();
        assert_eq!((grey.width, grey.pixels.len()), (40, 1200), "{name}");
        assert!(grey.pixels[2] > 250 && grey.pixels[1199] < 5, "{name}");
    }
}

#[test]
fn files_that_are_no_images_are_errors_that_name_them() {
    let mut truncated = Vec::new();
    let image = RgbImage::new(64, 64);
    image.write_to(&mut std::io::Cursor::new(&mut truncated), image::ImageFormat::Png).unwrap();
    truncated.truncate(truncated.len() / 2);
    let cases = [("text.png", b"no image".to_vec()), ("truncated.png", truncated), ("huge.png", huge_png())];
    for (name, content) in cases {
        std::fs::write(path(name), content).unwrap();
        let error = load(path(name).to_str().unwrap()).expect_err(name).to_string();
        assert!(error.contains(name) && error.contains("PNG or JPEG"), "{error}");
    }
}
