//! The steps of a host, one after the other.

use super::expression::Expression;
use super::inputs::{Launch, MOST_BYTES, whole};
use super::model::{Buffer, Workload};
use super::step::Step;

const MOST_LAUNCHES: usize = 100_000;
/// The most rounds of all repeated steps, also of those in which nothing is launched.
const MOST_ROUNDS: usize = 1_000_000;

/// A step of the host. After it comes the next one, but where it leaves a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostStep {
    /// The launch of this number.
    Launch(usize),
    /// All bytes of this buffer become 0.
    Clear(usize),
    /// Bytes of a buffer become those of another one.
    Copy(HostCopy),
    /// Where all bytes of this buffer are 0, the step of this number is next, which is a later one.
    Leave {
        /// The buffer.
        flag: usize,
        /// The step behind the loop.
        to: usize,
    },
}

/// A copy from one buffer to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCopy {
    /// The buffer, and its first byte that is copied.
    pub from: (usize, usize),
    /// The buffer that is written, and its first byte.
    pub to: (usize, usize),
    /// The number of bytes.
    pub bytes: usize,
}

impl Workload {
    /// Returns the launches of steps, all that there may be, and what the host does.
    pub(super) fn unrolled(
        &self,
        steps: &[Step],
        values: &[f64],
    ) -> Result<(Vec<Launch>, Vec<HostStep>), String> {
        let (buffers, values) = (&self.buffers, values.to_vec());
        let mut unrolled = Unrolled { buffers, values, launches: Vec::new(), host: Vec::new(), rounds: 0 };
        unrolled.append(steps)?;
        Ok((unrolled.launches, unrolled.host))
    }
}

/// Steps as they are done one after the other.
struct Unrolled<'a> {
    buffers: &'a [Buffer],
    values: Vec<f64>,
    launches: Vec<Launch>,
    host: Vec<HostStep>,
    rounds: usize,
}

impl Unrolled<'_> {
    /// Adds steps.
    fn append(&mut self, steps: &[Step]) -> Result<(), String> {
        for step in steps {
            match step {
                Step::Launch(launch) => {
                    self.host.push(HostStep::Launch(self.launches.len()));
                    self.launches.push(launch.at(&self.values)?);
                }
                Step::Clear(buffer) => self.host.push(HostStep::Clear(*buffer)),
                Step::Copy { from, to, at } => {
                    let copy = self.copy(*from, *to, at)?;
                    self.host.push(HostStep::Copy(copy));
                }
                Step::Repeat { times, flag, index, steps } => {
                    let times = whole(times, &self.values, 0.0, MOST_LAUNCHES as f64)? as usize;
                    self.repeat(times, *flag, *index, steps)?;
                }
            }
            if self.launches.len() > MOST_LAUNCHES {
                return Err(format!("there are more than {MOST_LAUNCHES} launches"));
            }
        }
        Ok(())
    }

    /// Returns a copy of as many elements as a buffer has, from one of another buffer on. Margins stay as they are.
    fn copy(&self, from: usize, to: usize, at: &Expression) -> Result<HostCopy, String> {
        let [source, target] = [from, to].map(|at| &self.buffers[at]);
        let length = |buffer: &Buffer| whole(&buffer.length, &self.values, 0.0, MOST_BYTES);
        let (has, takes, first) =
            (length(source)?, length(target)?, whole(at, &self.values, 0.0, MOST_BYTES)?);
        if first + takes > has {
            return Err(format!(
                "`{}` has {takes} elements, and `{}` {has}, from the one numbered {first} on too few for a copy",
                target.name, source.name
            ));
        }
        let element = target.layout.bytes;
        let begin = (source.margin(&self.values)? + first as usize) * element;
        let to_begin = target.margin(&self.values)? * element;
        Ok(HostCopy { from: (from, begin), to: (to, to_begin), bytes: takes as usize * element })
    }

    /// Adds the rounds of a loop, after each of which it may end by a flag.
    fn repeat(
        &mut self,
        times: usize,
        flag: Option<usize>,
        index: usize,
        steps: &[Step],
    ) -> Result<(), String> {
        // A round may have steps that are not repeated at all.
        self.rounds += times * steps.len().max(1);
        if self.rounds > MOST_ROUNDS {
            return Err(format!("steps are repeated more than {MOST_ROUNDS} times"));
        }
        let mut looks = Vec::new();
        for time in 0..times {
            self.values[index] = time as f64;
            self.host.extend(flag.map(HostStep::Clear));
            self.append(steps)?;
            if let Some(flag) = flag {
                looks.push(self.host.len());
                self.host.push(HostStep::Leave { flag, to: 0 });
            }
        }
        let end = self.host.len();
        for look in looks {
            if let HostStep::Leave { to, .. } = &mut self.host[look] {
                *to = end;
            }
        }
        Ok(())
    }
}
