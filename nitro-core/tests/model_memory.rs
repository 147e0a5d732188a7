//! What a model file claims takes no more memory than what it holds. In a file of its own: it counts allocations.

use nitro_core::model::{FORMAT_VERSION, Model};
use nitro_test_support::allocations::{Counting, allocated_bytes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A model file with this body and a right checksum.
fn file(body: &[u8]) -> Vec<u8> {
    let mut bytes = [b"NITROMDL".as_slice(), &FORMAT_VERSION.to_le_bytes()].concat();
    bytes.extend(crc32fast::hash(body).to_le_bytes());
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// A length in postcard.
fn length(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A name takes a byte in the file and 24 in memory.
#[test]
fn a_file_of_empty_names_takes_little_memory() {
    const NAMES: usize = 10_000_000;
    let names = [b"\x04spmv".as_slice(), &length(NAMES), &vec![0; NAMES]].concat();
    let header =
        [b"names\0\0\0\0\0\0\0".as_slice(), &1_u32.to_le_bytes(), &(names.len() as u64).to_le_bytes()];
    let body = [header.concat(), names].concat();
    let file = file(&body);
    let before = allocated_bytes();
    Model::from_bytes(&file).unwrap_err();
    let allocated = allocated_bytes() - before;
    assert!(allocated < 1 << 20, "{allocated} bytes for a file of {}", file.len());
}
