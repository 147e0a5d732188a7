//! Tables as plain text, gzip, xz or the one file of a zip archive, told apart by their first bytes.

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use flate2::bufread::DeflateDecoder;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzReader, XzWriter};
use nitro_core::files;
use rawzip::{CompressionMethod, ZipArchive};

use super::error::{ImportError, Problem};

const GZIP_MAGIC: &[u8] = &[0x1F, 0x8B];
const XZ_MAGIC: &[u8] = &[0xFD, b'7', b'z', b'X', b'Z', 0];
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
/// A table of a million rows has some 50 MiB; more than this is a mistake or an attack.
const MAX_TEXT_BYTES: u64 = 256 << 20;
/// An `.xz` file announces how much memory unpacking takes; its strongest preset needs 64 MiB.
const MAX_XZ_KIB: u32 = 256 << 10;

/// The bytes of a table's file.
pub fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let file = path.display().to_string();
    files::read(path, MAX_TEXT_BYTES).map_err(|source| match source.kind() {
        ErrorKind::FileTooLarge => too_long(file),
        _ => ImportError::Read { file, source },
    })
}

fn too_long(file: String) -> ImportError {
    ImportError::TooLong { file, limit_mib: MAX_TEXT_BYTES >> 20 }
}

/// The text of a table, unpacked if need be.
pub fn unpack(file: &str, bytes: &[u8]) -> Result<String, ImportError> {
    let bytes = if bytes.starts_with(GZIP_MAGIC) {
        drain(file, "gzip", MultiGzDecoder::new(bytes))?
    } else if bytes.starts_with(XZ_MAGIC) {
        drain(file, "xz", XzReader::new_mem_limit(bytes, true, MAX_XZ_KIB))?
    } else if bytes.starts_with(ZIP_MAGIC) {
        unzip(file, bytes)?
    } else if let Some(format) = promised(file) {
        return Err(ImportError::NotCompressed { file: file.to_owned(), format });
    } else {
        bytes.to_vec()
    };
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
        ImportError::Row {
            file: file.to_owned(),
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            problem: Problem::NotUtf8 { byte: before.len() - line_start + 1 },
        }
    })
}

fn promised(file: &str) -> Option<&'static str> {
    match file.rsplit_once('.')?.1 {
        "gz" => Some("gzip"),
        "xz" => Some("xz"),
        "zip" => Some("zip"),
        _ => None,
    }
}

/// Unpacks the one file of an archive.
fn unzip(file: &str, bytes: &[u8]) -> Result<Vec<u8>, ImportError> {
    let archive = ZipArchive::from_slice(bytes).map_err(|error| damaged_zip(file, error))?;
    let (mut entries, mut content) = (archive.entries(), Vec::new());
    while let Some(entry) = entries.next_entry().map_err(|error| damaged_zip(file, error))? {
        // What macOS adds of its own is no content.
        if !entry.is_dir() && !entry.file_path().as_ref().starts_with(b"__MACOSX/") {
            content.push((entry.wayfinder(), entry.compression_method()));
        }
    }
    let [(place, method)] = content[..] else {
        return Err(ImportError::Archive { file: file.to_owned(), found: content.len() });
    };
    let entry = archive.get_entry(place).map_err(|error| damaged_zip(file, error))?;
    // The reader compares length and checksum at the end.
    match method {
        CompressionMethod::STORE => drain(file, "zip", entry.verifying_reader(entry.data())),
        CompressionMethod::DEFLATE => {
            drain(file, "zip", entry.verifying_reader(DeflateDecoder::new(entry.data())))
        }
        other => Err(damaged_zip(file, format!("it is packed by {other:?}, not deflated"))),
    }
}

fn damaged_zip(file: &str, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ImportError {
    ImportError::Compressed { file: file.to_owned(), format: "zip", source: io::Error::other(why) }
}

fn drain(file: &str, format: &'static str, reader: impl Read) -> Result<Vec<u8>, ImportError> {
    let mut bytes = Vec::new();
    if let Err(source) = reader.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes) {
        return Err(ImportError::Compressed { file: file.to_owned(), format, source });
    }
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(too_long(file.to_owned()));
    }
    Ok(bytes)
}

/// Packs the text the way the file's name says.
pub(super) fn pack(file: &str, text: String) -> io::Result<Vec<u8>> {
    match promised(file) {
        Some("gzip") => {
            // The header has neither a name nor a time, so that the same text gives the same bytes.
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(text.as_bytes())?;
            encoder.finish()
        }
        Some("xz") => {
            let mut encoder = XzWriter::new(Vec::new(), XzOptions::with_preset(6))?;
            encoder.write_all(text.as_bytes())?;
            encoder.finish()
        }
        Some(format) => {
            Err(io::Error::new(ErrorKind::Unsupported, format!("{format} is read, not written; use .gz")))
        }
        None => Ok(text.into_bytes()),
    }
}
