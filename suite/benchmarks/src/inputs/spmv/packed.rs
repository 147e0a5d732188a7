//! Files of matrices as they are shared: plain, compressed by gzip or xz, or in an archive as the SuiteSparse
//! collection has them, a folder `NAME` with `NAME.mtx` and what belongs to it. What a file is, its first bytes tell.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

use super::matrix_market::parse;
use crate::inputs::InputError;
use crate::variants::spmv::Matrix;

/// The first bytes of a gzip file.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
/// The first bytes of an xz file.
const XZ_MAGIC: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
/// An `.xz` file announces how much memory unpacking takes; its strongest preset needs 64 MiB.
const MAX_XZ_KIB: u32 = 256 << 10;
/// Where the header of an archive's first file says that it is one.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");
/// The bytes of an archive's header.
const HEAD_BYTES: u64 = 512;
/// The most bytes that are unpacked in search of a matrix, several times those of the largest that is read.
const MAX_UNPACKED_BYTES: u64 = 8 << 30;
/// The most files of an archive that are looked at.
const MAX_FILES: usize = 10_000;

/// Reads the matrix in a file.
pub(super) fn read(path: &Path) -> Result<Matrix, InputError> {
    let file = open(path)?;
    if !file.is_archive() {
        return parse(path, file.into_text());
    }
    // One reading finds the matrix that is called as the archive. Where there is none, it finds the largest, and a
    // second one reads that.
    let stem = stem(path);
    let largest =
        match find(path, file.into_text(), |name, _| name.file_stem().is_some_and(|own| *own == *stem))? {
            Found::Matrix(matrix) => return Ok(*matrix),
            Found::Largest(largest) => largest,
        };
    let Some(largest) = largest else { return Err(InputError::NoMatrix { path: path.into() }) };
    match find(path, open(path)?.into_text(), |_, index| index == largest)? {
        Found::Matrix(matrix) => Ok(*matrix),
        Found::Largest(_) => Err(InputError::NoMatrix { path: path.into() }),
    }
}

/// Opens a file, unpacked if it is compressed.
fn open(path: &Path) -> Result<Unpacked<'static>, InputError> {
    let file = File::open(path).map_err(|source| unreadable(path, source))?;
    Unpacked::of(BufReader::new(file)).map_err(|source| unreadable(path, source))
}

/// What a file holds, with its first bytes read already.
pub(super) struct Unpacked<'f> {
    head: Vec<u8>,
    rest: Box<dyn Read + 'f>,
}

impl<'f> Unpacked<'f> {
    /// Unpacks bytes if they are compressed.
    pub(super) fn of(mut file: impl BufRead + 'f) -> io::Result<Self> {
        let start = file.fill_buf()?;
        let mut rest: Box<dyn Read + 'f> = if start.starts_with(GZIP_MAGIC) {
            Box::new(MultiGzDecoder::new(file))
        } else if start.starts_with(XZ_MAGIC) {
            Box::new(XzReader::new_mem_limit(file, true, MAX_XZ_KIB))
        } else {
            Box::new(file)
        };
        let mut head = Vec::new();
        // What goes wrong here is told where the text is read, which says the line.
        if let Err(error) = rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head) {
            rest = Box::new(Broken(Some(error)));
        }
        Ok(Self { head, rest })
    }

    fn is_archive(&self) -> bool {
        let (place, magic) = TAR_MAGIC;
        self.head.get(place..).is_some_and(|rest| rest.starts_with(magic))
    }

    /// All bytes, from the first on.
    pub(super) fn into_text(self) -> impl BufRead + 'f {
        BufReader::new(io::Cursor::new(self.head).chain(self.rest))
    }
}

/// A text that ends with an error.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// A text of known length. Where it ends too soon, so may its last number, and that is an error.
struct Whole<R> {
    left: u64,
    rest: R,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(into)?;
        self.left -= count as u64;
        match count == 0 && self.left > 0 && !into.is_empty() {
            true => Err(io::ErrorKind::UnexpectedEof.into()),
            false => Ok(count),
        }
    }
}

/// What one reading of an archive gives.
enum Found {
    Matrix(Box<Matrix>),
    /// The position of the largest matrix; none in an archive without matrices.
    Largest(Option<usize>),
}

/// Reads the first matrix that is wanted, by its path in the archive and its position.
fn find(
    path: &Path,
    text: impl BufRead,
    is_wanted: impl Fn(&Path, usize) -> bool,
) -> Result<Found, InputError> {
    let failed = |source| unreadable(path, source);
    let mut archive = tar::Archive::new(text.take(MAX_UNPACKED_BYTES));
    let mut largest: Option<(u64, usize)> = None;
    // As they stand in the archive: names that take entries of their own would be read into memory, however long they
    // are.
    for (index, entry) in archive.entries().map_err(failed)?.raw(true).take(MAX_FILES).enumerate() {
        let entry = entry.map_err(failed)?;
        let name: PathBuf = entry.path().map_err(failed)?.into_owned();
        let is_matrix = name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mtx"));
        if !is_matrix || !entry.header().entry_type().is_file() {
            continue;
        }
        if is_wanted(&name, index) {
            // Of the name in the archive only the end, which cannot lead anywhere.
            let shown = path.join(name.file_name().unwrap_or_default());
            let text = Whole { left: entry.size(), rest: entry };
            return parse(&shown, BufReader::new(text)).map(|matrix| Found::Matrix(matrix.into()));
        }
        if largest.is_none_or(|(bytes, _)| entry.size() > bytes) {
            largest = Some((entry.size(), index));
        }
    }
    Ok(Found::Largest(largest.map(|(_, index)| index)))
}

/// The name of an archive without its folder and endings.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut name = name.as_str();
    for ending in [".gz", ".xz", ".tgz", ".txz", ".tar", ".mtx"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    name.to_owned()
}

fn unreadable(path: &Path, source: io::Error) -> InputError {
    InputError::Read { path: path.into(), source }
}
