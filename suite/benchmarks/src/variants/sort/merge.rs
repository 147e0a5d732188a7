//! The merging of sorted keys on all threads, for several sorts.

use std::hint::select_unpredictable;

use super::key::Bits;

/// Keys that one thread sorts at least: fewer would not pay for waking another.
const PART_KEYS: usize = 8 * 1024;
/// Keys that one thread merges at least.
const MERGE_KEYS: usize = 16 * 1024;

/// Sorts as many parts as the pool has threads by `sort`, and merges them.
pub(super) fn sort_parts<B: Bits>(keys: &mut [B], sort: &(impl Fn(&mut [B]) + Sync)) {
    let parts = rayon::current_num_threads().min(keys.len() / PART_KEYS);
    if parts <= 1 {
        return sort(keys);
    }
    let mut buffer = keys.to_vec();
    let halvings = parts.next_power_of_two().ilog2();
    sort_halves(keys, &mut buffer, halvings, Place::Keys, sort);
}

/// Where the sorted keys are to be.
#[derive(Clone, Copy)]
enum Place {
    Keys,
    Buffer,
}

/// Sorts both halves into one array and merges them into the other; both hold the unsorted keys at first.
fn sort_halves<B: Bits>(
    keys: &mut [B],
    buffer: &mut [B],
    halvings: u32,
    place: Place,
    sort: &(impl Fn(&mut [B]) + Sync),
) {
    if halvings == 0 {
        return match place {
            Place::Keys => sort(keys),
            Place::Buffer => sort(buffer),
        };
    }
    let other = match place {
        Place::Keys => Place::Buffer,
        Place::Buffer => Place::Keys,
    };
    let middle = keys.len() / 2;
    let (keys_low, keys_high) = keys.split_at_mut(middle);
    let (buffer_low, buffer_high) = buffer.split_at_mut(middle);
    rayon::join(
        || sort_halves(keys_low, buffer_low, halvings - 1, other, sort),
        || sort_halves(keys_high, buffer_high, halvings - 1, other, sort),
    );
    match place {
        Place::Keys => merge_into(buffer_low, buffer_high, keys),
        Place::Buffer => merge_into(keys_low, keys_high, buffer),
    }
}

/// Merges two sorted slices into `out`, on all threads of the pool.
fn merge_into<B: Bits>(low: &[B], high: &[B], out: &mut [B]) {
    if out.len() <= MERGE_KEYS {
        return merge_here(low, high, out);
    }
    let middle = out.len() / 2;
    let cut = cut(low, high, middle);
    let (out_front, out_back) = out.split_at_mut(middle);
    rayon::join(
        || merge_into(&low[..cut], &high[..middle - cut], out_front),
        || merge_into(&low[cut..], &high[middle - cut..], out_back),
    );
}

/// How many of the first `count` keys of the merged slices come from `low`, whose keys go before equal ones of `high`.
fn cut<B: Bits>(low: &[B], high: &[B], count: usize) -> usize {
    let (mut least, mut most) = (count.saturating_sub(high.len()), count.min(low.len()));
    while least < most {
        let middle = (least + most) / 2;
        if low[middle] <= high[count - middle - 1] { least = middle + 1 } else { most = middle }
    }
    least
}

/// Merges two sorted slices into `out` on this thread.
pub(super) fn merge_here<B: Bits>(low: &[B], high: &[B], out: &mut [B]) {
    // Parts that do not interleave, as of sorted or descending keys, are copied.
    if low.last() <= high.first() {
        out[..low.len()].copy_from_slice(low);
        out[low.len()..].copy_from_slice(high);
    } else if high.last() < low.first() {
        out[..high.len()].copy_from_slice(high);
        out[high.len()..].copy_from_slice(low);
    } else {
        // Each step of a merge waits for the comparison of the last, so two merges side by side take hardly longer
        // than one.
        let middle = out.len() / 2;
        let cut = cut(low, high, middle);
        let (out_front, out_back) = out.split_at_mut(middle);
        let mut front = Merge { low: &low[..cut], high: &high[..middle - cut], out: out_front };
        let mut back = Merge { low: &low[cut..], high: &high[middle - cut..], out: out_back };
        loop {
            let steps = front.sure_steps().min(back.sure_steps());
            if steps == 0 {
                break;
            }
            let (mut front_low, mut back_low) = (0, 0);
            let (front_out, back_out) = (&mut front.out[..steps], &mut back.out[..steps]);
            for (step, (front_out, back_out)) in front_out.iter_mut().zip(back_out).enumerate() {
                front_low += take(front.low, front.high, front_low, step, front_out);
                back_low += take(back.low, back.high, back_low, step, back_out);
            }
            front.advance(front_low, steps);
            back.advance(back_low, steps);
        }
        front.finish();
        back.finish();
    }
}

/// A merge under way: what is left of both slices, and where it goes.
struct Merge<'a, B> {
    low: &'a [B],
    high: &'a [B],
    out: &'a mut [B],
}

impl<B: Bits> Merge<'_, B> {
    /// Keys that can be merged before either slice can end.
    fn sure_steps(&self) -> usize {
        self.low.len().min(self.high.len())
    }

    /// Leaves behind what `steps` steps have merged.
    fn advance(&mut self, from_low: usize, steps: usize) {
        self.low = &self.low[from_low..];
        self.high = &self.high[steps - from_low..];
        self.out = &mut std::mem::take(&mut self.out)[steps..];
    }

    /// Merges all that is left.
    fn finish(mut self) {
        loop {
            let steps = self.sure_steps();
            if steps == 0 {
                break;
            }
            let mut from_low = 0;
            for (step, out) in self.out[..steps].iter_mut().enumerate() {
                from_low += take(self.low, self.high, from_low, step, out);
            }
            self.advance(from_low, steps);
        }
        let (low, high) = self.out.split_at_mut(self.low.len());
        low.copy_from_slice(self.low);
        high.copy_from_slice(self.high);
    }
}

/// Writes the next key, after `step` keys of which `from_low` were of the lower slice; 1 if this one is too.
///
/// Both outcomes are computed and one is picked: which it is cannot be foreseen, so a jump would often miss.
#[inline(always)]
fn take<B: Bits>(low: &[B], high: &[B], from_low: usize, step: usize, out: &mut B) -> usize {
    let (low, high) = (low[from_low], high[step - from_low]);
    let take_low = low <= high;
    *out = select_unpredictable(take_low, low, high);
    usize::from(take_low)
}
