//! Costs of memory in the modelled time.

use super::clock::WARP;
use super::warp::lanes;

/// The bytes that are transferred at once.
const SECTOR_BYTES: u64 = 32;
/// Words of shared memory that are read at once, each from a bank of its own.
const BANKS: u64 = 32;

/// One for each sector that a warp touches.
pub(crate) fn sectors(addresses: &[u64; WARP], active: u32, bytes: usize) -> u64 {
    let first_and_last = lanes(active).map(|lane| {
        let last = addresses[lane].saturating_add(bytes.max(1) as u64 - 1);
        (addresses[lane] / SECTOR_BYTES, last / SECTOR_BYTES)
    });
    let (mut found, mut count) = ([0; 2 * WARP], 0);
    let mut is_rising = true;
    for sector in first_and_last.flat_map(|(first, last)| [first, last]) {
        if count > 0 && found[count - 1] == sector {
            continue;
        }
        // Addresses of most warps rise with the lane: then nothing has to be sorted.
        is_rising &= count == 0 || found[count - 1] < sector;
        found[count] = sector;
        count += 1;
    }
    distinct(&mut found[..count], is_rising)
}

/// One for each word that one bank has to give.
pub(crate) fn banks(addresses: &[u64; WARP], active: u32, bytes: usize) -> u64 {
    let words = bytes.div_ceil(4).min(4) as u64;
    let (mut found, mut count) = ([0; 4 * WARP], 0);
    for lane in lanes(active) {
        for word in 0..words {
            let word = addresses[lane] / 4 + word;
            if count == 0 || found[count - 1] != word {
                found[count] = word;
                count += 1;
            }
        }
    }
    let is_rising = found[..count].is_sorted();
    let count = distinct(&mut found[..count], is_rising) as usize;
    // The same word is given to all lanes at once; different words of a bank come one after the other.
    let mut of_bank = [0; BANKS as usize];
    found[..count].iter().for_each(|word| of_bank[(word % BANKS) as usize] += 1);
    of_bank.into_iter().max().unwrap_or(1)
}

/// Moves what is distinct to the front.
fn distinct(found: &mut [u64], is_sorted: bool) -> u64 {
    if !is_sorted {
        found.sort_unstable();
    }
    let mut kept = 0;
    for at in 0..found.len() {
        if at == 0 || found[at] != found[kept - 1] {
            found[kept] = found[at];
            kept += 1;
        }
    }
    kept as u64
}
