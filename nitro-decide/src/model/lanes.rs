//! Memory that the threads of a warp touch together.

/// A loop of threads: how many there are, and how many bytes one is from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Axis {
    /// The number of the loop.
    pub(super) at: usize,
    pub(super) threads: u64,
    pub(super) bytes: u64,
}

/// A request to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Request {
    /// One address of each thread, of global memory.
    Sectors,
    /// So many neighbouring words of each thread, of shared memory.
    Words(u64),
    /// So many neighbouring words of each thread, in halves of a request: that brings a register to each lane of a
    /// warp, or two where all lanes share in pairs, or is one more answer of the banks, which the first-level cache
    /// has as shared memory does.
    Requests(u64),
}

/// Returns how often memory is touched or answers when each thread of a block asks once, warp by warp: threads are
/// numbered along the first axis first, or in the order of the axes that is best.
pub(super) fn touches(asked: Request, axes: &[Axis], ordered: bool) -> u64 {
    let mut order: Vec<Axis> = axes.iter().copied().filter(|axis| axis.threads > 1).collect();
    if ordered {
        return in_order(asked, &order);
    }
    let mut best = u64::MAX;
    permute(&mut order, 0, &mut |order| best = best.min(in_order(asked, order)));
    best
}

fn permute(order: &mut [Axis], from: usize, see: &mut dyn FnMut(&[Axis])) {
    if from + 1 >= order.len() {
        return see(order);
    }
    for at in from..order.len() {
        order.swap(from, at);
        permute(order, from + 1, see);
        order.swap(from, at);
    }
}

/// Counts warp by warp; the first axis is the one along which neighbouring threads are.
fn in_order(asked: Request, axes: &[Axis]) -> u64 {
    let threads = axes.iter().map(|axis| axis.threads).product::<u64>();
    let mut sum = 0;
    for first in (0..threads).step_by(32) {
        let lanes: Vec<u64> = (first..threads.min(first + 32)).map(|thread| address(axes, thread)).collect();
        let mut ascending = lanes.clone();
        ascending.sort_unstable();
        sum += match asked {
            Request::Sectors => windows(&ascending),
            Request::Words(words) => busiest_bank(&ascending, words),
            // Registers and banks are served at the same time: the slower of both counts.
            Request::Requests(words) => halves(&lanes, words).max(2 * busiest_bank(&ascending, words)),
        };
    }
    sum
}

/// Returns the first byte that a thread asks for.
fn address(axes: &[Axis], mut thread: u64) -> u64 {
    axes.iter().fold(0, |address, axis| {
        let at = thread % axis.threads;
        thread /= axis.threads;
        address + at * axis.bytes
    })
}

/// Returns the fewest stretches of 32 bytes that hold all.
///
/// The addresses may begin anywhere, so no fewer sectors do.
fn windows(ascending: &[u64]) -> u64 {
    let mut count = 0;
    let mut end = 0;
    for &address in ascending {
        // Greedy is best here: a stretch begins at the first byte that no earlier one has.
        if count == 0 || address >= end {
            count += 1;
            end = address + 32;
        }
    }
    count
}

/// Returns the halves of requests that bring so many registers to each lane.
///
/// Half a warp or less may get four of them at once: of what is no whole warp nothing is said but that it asks.
fn halves(lanes: &[u64], words: u64) -> u64 {
    match lanes.len() {
        32 if is_apart(lanes) => 2 * words,
        32 => words.max(2),
        _ => 2,
    }
}

/// Returns true if lanes do not share in pairs: in both halves of the warp some want something else than their
/// neighbour, and some something else than the one behind that.
fn is_apart(lanes: &[u64]) -> bool {
    lanes.chunks(16).all(|half| differ(half, 1) && differ(half, 2))
}

/// Returns true if some lane of half a warp wants something else than the one at this distance.
fn differ(half: &[u64], by: usize) -> bool {
    (0..16).any(|lane| half[lane] != half[lane ^ by])
}

/// Returns the number of words that are wanted of the bank of which most are; the same word serves all.
fn busiest_bank(ascending: &[u64], words: u64) -> u64 {
    let mut banks = [0; 32];
    let mut next = 0;
    for &address in ascending {
        // Words that an earlier lane wants are answered already.
        let first = (address / 4).max(next);
        next = next.max(address / 4 + words);
        (first..next).for_each(|word| banks[(word % 32) as usize] += 1);
    }
    banks.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(threads: u64, bytes: u64) -> Axis {
        Axis { at: 0, threads, bytes }
    }

    fn sectors(axes: &[Axis]) -> u64 {
        touches(Request::Sectors, axes, false)
    }

    #[test]
    fn banks_answer_one_word_at_a_time() {
        let wavefronts = |words, axes: &[Axis]| touches(Request::Words(words), axes, true);
        assert_eq!(wavefronts(1, &[axis(32, 4)]), 1);
        assert_eq!(wavefronts(1, &[axis(32, 8)]), 2);
        assert_eq!(wavefronts(1, &[axis(32, 128)]), 32);
        assert_eq!(wavefronts(1, &[axis(32, 132)]), 1); // padded
        assert_eq!(wavefronts(1, &[axis(8, 0), axis(4, 4)]), 1);
        assert_eq!(wavefronts(4, &[axis(32, 16)]), 4);
        assert_eq!(wavefronts(4, &[axis(8, 0), axis(8, 16)]), 2); // two warps of four
        assert_eq!(touches(Request::Words(1), &[axis(8, 128), axis(32, 4)], false), 8);
    }

    #[test]
    fn lanes_that_share_in_pairs_get_two_registers_at_once() {
        let halves = |words, axes: &[Axis]| touches(Request::Requests(words), axes, true);
        assert_eq!(halves(4, &[axis(32, 0)]), 4); // one address for all
        assert_eq!(halves(1, &[axis(32, 0)]), 2); // at least one whole request
        assert_eq!(halves(4, &[axis(8, 16), axis(4, 0)]), 8); // though each bank has one word
        assert_eq!(halves(4, &[axis(2, 0), axis(8, 16), axis(2, 0)]), 4);
        assert_eq!(halves(4, &[axis(2, 16), axis(2, 0), axis(8, 32)]), 4); // with the one behind the neighbour
        assert_eq!(halves(4, &[axis(16, 0), axis(2, 64)]), 4);
        assert_eq!(halves(1, &[axis(32, 128)]), 64);
        assert_eq!(halves(4, &[axis(8, 16)]), 2); // four registers of a quarter of a warp at once
        assert_eq!(halves(4, &[axis(8, 128)]), 16);
    }

    #[test]
    fn neighbours_share_sectors_and_strides_do_not() {
        assert_eq!(sectors(&[]), 1);
        assert_eq!(sectors(&[axis(32, 4)]), 4);
        assert_eq!(sectors(&[axis(32, 4096)]), 32);
        assert_eq!(sectors(&[axis(32, 0)]), 1);
        assert_eq!(sectors(&[axis(16, 4096), axis(16, 4)]), 32); // two rows of 64 bytes in each of 8 warps
        assert_eq!(sectors(&[axis(48, 4)]), 6);
    }

    #[test]
    fn no_alignment_and_no_order_of_axes_touches_fewer() {
        let mut random = nitro_stats::random::Random::new(3);
        for _ in 0..300 {
            let mut draw = |most| 1 + random.below(most) as u64;
            let axes =
                [axis(draw(12), 4 * draw(9)), axis(draw(6), 4 * draw(300)), axis(draw(3), 4 * draw(40))];
            let base = 4 * draw(64);
            let threads: u64 = axes.iter().map(|axis| axis.threads).product();
            let warp = |first: u64| {
                let lanes =
                    (first..threads.min(first + 32)).map(|thread| (base + address(&axes, thread)) / 32);
                lanes.collect::<std::collections::BTreeSet<_>>().len() as u64
            };
            let real: u64 = (0..threads).step_by(32).map(warp).sum();
            assert!(sectors(&axes) <= real, "{axes:?} at {base}");
        }
    }
}
