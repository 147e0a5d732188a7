//! A malformed Matrix Market file is an error that names file, line and what to change; it costs neither a panic
//! nor memory.

use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use nitro_benchmarks::inputs::spmv::load;

const BANNER: &str = "%%MatrixMarket matrix coordinate real general";

/// Writes a file for one case; cases have names of their own because tests run side by side.
fn write(case: &str, content: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(case);
    std::fs::write(&path, content).unwrap();
    path
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Expects an error at a line whose message contains the given words.
fn check(case: &str, content: &[u8], line: u64, words: &str) {
    let path = write(case, content);
    let error = load(path.to_str().unwrap()).expect_err(case).to_string();
    let place = format!("{}:{line}: ", path.display());
    assert!(error.starts_with(&place) && error.contains(words), "{case}: {error}");
}

#[test]
fn banners_that_are_wrong_or_not_supported() {
    let cases = [
        ("empty.mtx", "", "the first line is not"),
        ("no-banner.mtx", "3 3 1\n1 1 1.0\n", "the first line is not"),
        ("short-banner.mtx", "%%MatrixMarket matrix coordinate real\n1 1 0\n", "the first line is not"),
        ("vector.mtx", "%%MatrixMarket vector coordinate real general\n1 1 0\n", "`vector` in the banner"),
        ("array.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", "`array` in the banner"),
        ("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "`complex`"),
        ("hermitian.mtx", "%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "`hermitian`"),
    ];
    for (case, content, words) in cases {
        check(case, content.as_bytes(), 1, words);
    }
}

#[test]
fn sizes_that_are_wrong_or_huge() {
    let cases = [
        ("no-sizes.mtx", "", 2, "expected three numbers"),
        ("two-sizes.mtx", "3 3\n", 2, "expected three numbers"),
        ("word-size.mtx", "3 three 1\n", 2, "`three` is no whole number"),
        ("negative-size.mtx", "3 -3 1\n", 2, "`-3` is no whole number"),
        ("huge-rows.mtx", "4000000000 3 1\n1 1 1\n", 2, "4000000000 rows are too many"),
        ("huge-columns.mtx", "% comment\n3 99999999999 1\n1 1 1\n", 3, "99999999999 columns are too many"),
        ("huge-entries.mtx", "3 3 99999999999999\n1 1 1\n", 2, "99999999999999 entries are too many"),
        ("beyond-u64.mtx", "3 3 99999999999999999999999\n", 2, "is no whole number"),
    ];
    for (case, content, line, words) in cases {
        check(case, format!("{BANNER}\n{content}").as_bytes(), line, words);
    }
    let not_square = "%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n";
    check("not-square.mtx", not_square.as_bytes(), 2, "must be square, this one has 3 rows and 4 columns");
}

#[test]
fn entries_that_are_wrong_missing_or_too_many() {
    let cases = [
        ("row-outside.mtx", "2 3 2\n1 1 1\n3 1 1\n", 4, "the row 3 is outside of 1 to 2"),
        ("column-outside.mtx", "2 3 1\n1 4 1\n", 3, "the column 4 is outside of 1 to 3"),
        ("row-zero.mtx", "2 3 1\n0 1 1\n", 3, "the row 0 is outside"),
        ("column-zero.mtx", "2 3 1\n1 0 1\n", 3, "counted from 1"),
        ("no-number.mtx", "2 3 1\n1 1 abc\n", 3, "`abc` is no number"),
        ("not-finite.mtx", "2 3 1\n1 1 NaN\n", 3, "finite"),
        (
            "overflowing.mtx",
            "2 3 2\n1 1 1e300\n1 2 1.1e300\n",
            4,
            "the value 1.1e300 is too large; values up to 1e300",
        ),
        ("overflowing-sum.mtx", "2 3 2\n1 1 -1.7e308\n1 1 -1.7e308\n", 3, "the value -1.7e308 is too large"),
        ("endless-value.mtx", "2 3 1\n1 1 1e999\n", 3, "finite"),
        ("no-index.mtx", "2 3 1\nx 1 1\n", 3, "`x` is no whole number"),
        ("no-value.mtx", "2 3 1\n1 1\n", 3, "expected a row, a column and a value, found 2 words"),
        ("four-words.mtx", "2 3 1\n1 1 1 1\n", 3, "found 4 words"),
        ("too-few.mtx", "2 3 3\n1 1 1\n2 1 1\n", 5, "ends after 2 of 3 entries"),
        ("too-few-of-many.mtx", "2 3 30000000\n1 1 1\n", 4, "ends after 1 of 30000000 entries"),
        ("too-many.mtx", "2 3 1\n1 1 1\n\n2 1 1\n", 5, "more than the 1 entries announced"),
        ("empty-with-entries.mtx", "0 0 1\n1 1 1\n", 3, "the row 1 is outside"),
    ];
    for (case, content, line, words) in cases {
        check(case, format!("{BANNER}\n{content}").as_bytes(), line, words);
        check(&format!("{case}.gz"), &gzip(format!("{BANNER}\n{content}").as_bytes()), line, words);
    }
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 2 1\n";
    check("skew-diagonal.mtx", skew.as_bytes(), 3, "no entries on its diagonal");
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2 1\n";
    check("pattern-value.mtx", pattern.as_bytes(), 3, "expected a row and a column, found 3 words");
    let integer = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 2 1.5\n";
    check("fraction.mtx", integer.as_bytes(), 3, "`1.5` is no whole number");
}

#[test]
fn damaged_files() {
    let entries: String = (1..=2000).map(|row| format!("{row} {row} 0.{}\n", row * 7919 % 1000)).collect();
    let whole = gzip(format!("{BANNER}\n2000 2000 2000\n{entries}").as_bytes());
    let path = write("truncated.mtx.gz", &whole[..whole.len() / 2]);
    let error = load(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("truncated.mtx.gz:") && error.contains("truncated or damaged"), "{error}");

    check("binary.mtx", b"%%MatrixMarket \xff\xfe\n", 1, "not UTF-8");
    let folder = env!("CARGO_TARGET_TMPDIR");
    let error = load(folder).unwrap_err().to_string();
    assert!(error.contains("no such file"), "{error}");
}

#[test]
fn files_that_unpack_to_more_than_they_seem() {
    let mut endless_line = format!("{BANNER}\n").into_bytes();
    endless_line.resize(32 << 20, b'7');
    check("long-line.mtx.gz", &gzip(&endless_line), 2, "longer than 4096 bytes");
    let comments = format!("{BANNER}\n{}", "%\n".repeat(4 << 20));
    check("comments.mtx.gz", &gzip(comments.as_bytes()), 100_002, "lines of comment");
    let blank = format!("{BANNER}\n1 1 0\n{}", "\n".repeat(4 << 20));
    check("blank-lines.mtx.gz", &gzip(blank.as_bytes()), 100_003, "without content");
}

#[test]
fn all_supported_forms_are_read() {
    let entries = |case: &str, content: &str| {
        let path = write(case, content.as_bytes());
        load(path.to_str().unwrap()).unwrap().entries().collect::<Vec<_>>()
    };
    let general = format!("{BANNER}\n% comment\n\n2 3 3\n1 1 1.5e0\n 2\t3  -2 \r\n2 3 0.5\n\n");
    assert_eq!(entries("general.mtx", &general), [(0, 0, 1.5), (1, 2, -1.5)]);
    let symmetric = "%%matrixmarket MATRIX Coordinate Real Symmetric\n2 2 2\n1 1 4\n2 1 3\n";
    assert_eq!(entries("symmetric.mtx", symmetric), [(0, 0, 4.0), (0, 1, 3.0), (1, 0, 3.0)]);
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n";
    assert_eq!(entries("skew.mtx", skew), [(0, 1, -3.0), (1, 0, 3.0)]);
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
    assert_eq!(entries("pattern.mtx", pattern), [(0, 1, 1.0)]);
    let marked = format!("\u{feff}{BANNER}\r\n\t% comment\r\n\r\n2 3 1\r\n1\t1\t2\r\n");
    assert_eq!(entries("marked.mtx", &marked), [(0, 0, 2.0)]);
}

#[test]
fn comments_are_of_whatever_bytes() {
    let text = b"%%MatrixMarket matrix coordinate real general\n% author: Andr\xe9\n %\xff\xfe\x00\n1 1 1\n%\x80\n1 1 2\n%\xc3";
    let path = write("latin1.mtx", text);
    assert_eq!(load(path.to_str().unwrap()).unwrap().entries().collect::<Vec<_>>(), [(0, 0, 2.0)]);
    check(
        "latin1-entry.mtx",
        format!("{BANNER}\n1 1 1\n")
            .as_bytes()
            .iter()
            .copied()
            .chain(*b"1 1 \xe9\n")
            .collect::<Vec<_>>()
            .as_slice(),
        3,
        "not UTF-8",
    );
}

#[test]
fn exponents_as_fortran_writes_them() {
    for (written, value) in [
        ("1.5D+00", 1.5),
        ("5.0d-01", 0.5),
        ("-2.D3", -2000.0),
        (".5D1", 5.0),
        ("1d2", 100.0),
        ("1.5+100", 1.5e100),
        ("-1.5-100", -1.5e-100),
        ("+2E1", 20.0),
    ] {
        let path = write("fortran.mtx", format!("{BANNER}\n1 1 1\n1 1 {written}\n").as_bytes());
        let found = load(path.to_str().unwrap()).unwrap().entries().collect::<Vec<_>>();
        assert_eq!(found, [(0, 0, value)], "{written}");
    }
    for none in [
        "D", "1D", "D1", "1.5D+-1", "1-2-3", "NaND1", "infD1", "0x1D5", "1.5DD1", ".D1", "1.5D1.5", "-",
        "1e+-5",
    ] {
        let text = format!("{BANNER}\n1 1 1\n1 1 {none}\n");
        check("no-fortran.mtx", text.as_bytes(), 3, &format!("`{none}` is no number"));
    }
}

fn xz(content: &[u8]) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn matrices_are_read_as_they_are_shared() {
    let of = |value: u32, more: &str| format!("{BANNER}\n{more}1 1 1\n1 1 {value}\n");
    let (own, large) = (of(1, ""), of(2, "% a comment that makes it larger\n"));
    let collection = archive(&[("own/own_b.mtx", &large), ("own/README", "x"), ("own/own.mtx", &own)]);
    let other = archive(&[("a/small.mtx", &own), ("a/large.mtx", &large)]);
    let forms: [(&str, Vec<u8>, f64); 11] = [
        ("own.mtx.gz", gzip(own.as_bytes()), 1.0),
        ("own.mtx.xz", xz(own.as_bytes()), 1.0),
        ("own.tar", collection.clone(), 1.0),
        ("own.tar.gz", gzip(&collection), 1.0),
        ("own.tgz", gzip(&collection), 1.0),
        ("own.mtx.tar.gz", gzip(&collection), 1.0),
        ("own.tar.xz", xz(&collection), 1.0),
        ("own.txz", xz(&collection), 1.0),
        ("another-name.tar.gz", gzip(&collection), 2.0),
        ("other.tar.gz", gzip(&other), 2.0),
        ("ending-does-not-matter", gzip(&other), 2.0),
    ];
    for (name, content, value) in forms {
        let path = write(name, &content);
        let found = load(path.to_str().unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.entries().collect::<Vec<_>>(), [(0, 0, value)], "{name}");
    }
}

#[test]
fn archives_that_have_no_matrix_or_are_damaged() {
    let error = |name: &str, content: &[u8]| {
        let path = write(name, content);
        load(path.to_str().unwrap()).unwrap_err().to_string()
    };
    let said = error("none.tar.gz", &gzip(&archive(&[("README", "x"), ("mtx", "x")])));
    assert!(said.contains("none.tar.gz has no file that ends in .mtx"), "{said}");
    let wrong = archive(&[("../../etc/wrong.mtx".trim_start_matches("../../"), "no banner")]);
    let said = error("wrong.tar.gz", &gzip(&wrong));
    assert!(said.contains("wrong.tar.gz/wrong.mtx:1: the first line is not"), "{said}");
    let entries: String = (1..=2000).map(|row| format!("{row} {row} 0.{}\n", row * 7919 % 1000)).collect();
    let whole = archive(&[("cut/cut.mtx", &format!("{BANNER}\n2000 2000 2000\n{entries}"))]);
    for (name, packed) in [("cut.tar.gz", gzip(&whole)), ("cut.tar.xz", xz(&whole)), ("cut.tar", whole)] {
        let said = error(name, &packed[..packed.len() / 2]);
        assert!(said.contains(name) && said.contains("truncated or damaged"), "{said}");
    }
    let mut header = tar::Header::new_gnu();
    header.set_path("x.mtx").unwrap();
    header.set_size(1 << 50);
    header.set_cksum();
    let said = error("x.tar", header.as_bytes());
    assert!(said.contains("x.tar/x.mtx:1"), "what it announces takes no memory: {said}");
    let mut long = tar::Header::new_gnu();
    long.set_entry_type(tar::EntryType::GNULongName);
    long.set_size(1 << 50);
    long.set_cksum();
    let said = error("long.tar", long.as_bytes());
    assert!(said.contains("long.tar"), "{said}");
}

#[test]
fn long_words_are_quoted_in_part_and_in_print() {
    let long = "\u{1b}".repeat(3_000);
    let real = "%%MatrixMarket matrix coordinate real general\n";
    for content in [
        format!("%%MatrixMarket {long} coordinate real general\n"),
        format!("{real}1 1 {long}\n"),
        format!("{real}1 1 1\n1{long} 1 1\n"),
        format!("{real}1 1 1\n1 1 1{long}\n"),
        format!("{real}1 1 1\n1 1 {}9e999\n", "1".repeat(3_000)),
    ] {
        let path = write("long.mtx", content.as_bytes());
        let error = load(path.to_str().unwrap()).expect_err("a word without end").to_string();
        assert!(error.contains("long.mtx:") && error.contains("…` "), "{error}");
        assert!(error.chars().count() < 600 && !error.contains('\u{1b}'), "{error}");
    }
}
