//! The order of events in a block: barriers order what threads did before them and what they do after.

/// Threads of a warp.
pub(crate) const WARP: usize = 32;

/// The meetings of a block's threads. They are numbered through the block, and what a thread does
/// has the number of the last meeting that it took part in.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    meetings: u32,
    /// The last meeting of the whole block, and of each whole warp.
    of_block: u32,
    of_warp: Vec<u32>,
    /// The last meeting of each thread.
    of_thread: Vec<u32>,
    /// Of threads that have ended, the last meetings of block and warp that they could take part in.
    ended: Vec<Option<(u32, u32)>>,
    /// For each pair of threads, the meeting before which the first knows what the other did, where only some met.
    rows: Vec<u32>,
    /// Set once rows say something of threads of other warps.
    is_wide: bool,
}

/// The knowledge of those that came to a barrier for some threads of a block.
pub(crate) type KnownTimes = Vec<u32>;

impl Clock {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            meetings: 1,
            of_block: 1,
            of_warp: vec![1; threads.div_ceil(WARP)],
            of_thread: vec![1; threads],
            ended: vec![None; threads],
            rows: Vec::new(),
            is_wide: false,
        }
    }

    /// Now, for a thread.
    #[inline]
    pub(crate) fn now(&self, thread: usize) -> u32 {
        self.of_thread[thread].max(self.of_block)
    }

    /// Returns true if what one thread did at a time is known to another.
    #[inline]
    pub(crate) fn is_ordered(&self, (thread, time): (usize, u32), later: usize) -> bool {
        if thread == later {
            return true;
        }
        // A thread that has ended took part in no later meeting.
        let (of_block, of_warp) = self.ended[thread].unwrap_or((self.of_block, self.of_warp[thread / WARP]));
        time < of_block
            || thread / WARP == later / WARP && time < of_warp
            || !self.rows.is_empty() && time < self.rows[later * self.of_thread.len() + thread]
    }

    /// A thread passes a fence: the last meeting of the block, and a number before which all is that the thread did.
    pub(crate) fn fence(&mut self, thread: usize) -> (u32, u32) {
        self.meetings += 1;
        self.of_thread[thread] = self.meetings;
        (self.of_block, self.meetings)
    }

    pub(crate) fn ends(&mut self, thread: usize) {
        self.ended[thread] = Some((self.of_block, self.of_warp[thread / WARP]));
    }

    /// All threads that there still are have met.
    pub(crate) fn block_meets(&mut self) {
        self.meetings += 1;
        self.of_block = self.meetings;
        self.is_wide = false;
    }

    /// Threads of a warp have met; whether they are all that there still are.
    pub(crate) fn warp_meets(&mut self, first: usize, lanes: u32, is_whole: bool) {
        self.meetings += 1;
        let threads = || (0..WARP).filter(|lane| lanes >> lane & 1 != 0).map(|lane| first + lane);
        // A meeting of a whole warp is one number; of some of its threads it needs a row for each.
        if !is_whole || self.is_wide {
            self.make_rows();
            let count = self.of_thread.len();
            // Those that meet share what each of them knows of others.
            let columns = if self.is_wide { 0..count } else { first..(first + WARP).min(count) };
            for column in columns {
                let known = threads().map(|thread| self.rows[thread * count + column]).max().unwrap_or(0);
                threads().for_each(|thread| self.rows[thread * count + column] = known);
            }
            for thread in threads() {
                threads().for_each(|other| self.rows[thread * count + other] = self.meetings);
            }
        }
        threads().for_each(|thread| self.of_thread[thread] = self.meetings);
        if is_whole {
            self.of_warp[first / WARP] = self.meetings;
        }
    }

    fn make_rows(&mut self) {
        if self.rows.is_empty() {
            self.rows = vec![0; self.of_thread.len() * self.of_thread.len()];
        }
    }

    /// A thread comes to a barrier for some threads of the block: what it knows and did becomes known there.
    pub(crate) fn arrives(&mut self, thread: usize, known: &mut KnownTimes) {
        self.make_rows();
        self.is_wide = true;
        self.meetings += 1;
        let count = self.of_thread.len();
        // The knowledge of all that come is joined, thread by thread.
        known.resize(count, 0);
        for (other, known) in known.iter_mut().enumerate() {
            let own = self.rows[thread * count + other];
            let of_warp = if other / WARP == thread / WARP { self.of_warp[thread / WARP] } else { 0 };
            *known = (*known).max(own).max(of_warp);
        }
        known[thread] = self.meetings;
        self.of_thread[thread] = self.meetings;
    }

    /// A thread that waited there goes on.
    pub(crate) fn leaves(&mut self, thread: usize, known: &KnownTimes) {
        let count = self.of_thread.len();
        for (other, known) in known.iter().enumerate() {
            let own = &mut self.rows[thread * count + other];
            *own = (*own).max(*known);
        }
    }
}
