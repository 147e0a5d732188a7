//! The steps of a host, one after the other.

use super::inputs::{Launch, whole};
use super::model::Workload;
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
    /// Where all bytes of this buffer are 0, the step of this number is next, which is a later one.
    Leave {
        /// The buffer.
        flag: usize,
        /// The step behind the loop.
        to: usize,
    },
}

impl Workload {
    /// Returns the launches of steps, all that there may be, and what the host does.
    pub(super) fn unrolled(
        &self,
        steps: &[Step],
        values: &[f64],
    ) -> Result<(Vec<Launch>, Vec<HostStep>), String> {
        let mut unrolled =
            Unrolled { values: values.to_vec(), launches: Vec::new(), host: Vec::new(), rounds: 0 };
        unrolled.append(steps)?;
        Ok((unrolled.launches, unrolled.host))
    }
}

/// Steps as they are done one after the other.
struct Unrolled {
    values: Vec<f64>,
    launches: Vec<Launch>,
    host: Vec<HostStep>,
    rounds: usize,
}

impl Unrolled {
    /// Adds steps.
    fn append(&mut self, steps: &[Step]) -> Result<(), String> {
        for step in steps {
            match step {
                Step::Launch(launch) => {
                    self.host.push(HostStep::Launch(self.launches.len()));
                    self.launches.push(launch.at(&self.values)?);
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
