//! Kernels of a plan, and the loops of the host around them.

use super::Mapping;
use super::bounds::range;
use super::groups::Plan;
use super::threads::Work;
use crate::kernel::{Host, Kernel, Program};
use crate::nest::Nest;

/// The program of these plans.
pub fn program(nest: &Nest, plans: &[Plan], mapping: &Mapping) -> Program {
    let mut lowering = Lowering { nest, mapping, kernels: Vec::new(), host: Vec::new() };
    let host = lowering.host(plans);
    Program { nest: nest.clone(), kernels: lowering.kernels, host }
}

struct Lowering<'a> {
    nest: &'a Nest,
    mapping: &'a Mapping,
    kernels: Vec<Kernel>,
    /// The iterators of the host's loops around what is lowered.
    host: Vec<usize>,
}

impl Lowering<'_> {
    fn host(&mut self, plans: &[Plan]) -> Vec<Host> {
        plans.iter().map(|plan| self.plan(plan)).collect()
    }

    fn plan(&mut self, plan: &Plan) -> Host {
        match plan {
            Plan::Host(iterator, plans) => {
                let range = range(&self.nest.body, *iterator).expect("an iterator is that of a loop").clone();
                self.host.push(*iterator);
                let body = self.host(plans);
                self.host.pop();
                Host::Loop(range, body)
            }
            Plan::Kernel(plan) => {
                let name = format!("{}_{}", self.nest.name, self.kernels.len());
                let reassociates = self.mapping.schedule.reassociates(self.nest);
                let work = Work { nest: self.nest, plan, host: &self.host, reassociates };
                self.kernels.push(work.kernel(name, &self.mapping.tiling(&work)));
                Host::Launch(self.kernels.len() - 1)
            }
        }
    }
}
