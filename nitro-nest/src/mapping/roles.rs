//! What became of the loops of a kernel, for people.

use super::Mapping;
use super::groups::Plan;
pub use super::threads::Axis;
use super::threads::Work;
use super::tiling::Tiling;
use crate::dependence::Dependences;
use crate::nest::{Nest, Node};

/// What became of the loops of a kernel.
#[derive(Clone, Debug)]
pub struct Roles {
    /// The statements, in the order in which they are written.
    pub statements: Vec<usize>,
    /// The loops of the grid, z or y first and x last.
    pub axes: Vec<Axis>,
    /// What a thread does at each point: the nest without the loops above.
    pub rest: Vec<Node>,
    pub tiling: Tiling,
}

/// Of all kernels, in the order of the program's list.
pub fn roles(nest: &Nest, dependences: &Dependences, mapping: &Mapping) -> Vec<Roles> {
    let mut found = Vec::new();
    gather(nest, mapping, &Plan::of(nest, dependences, mapping.schedule), &mut Vec::new(), &mut found);
    found
}

fn gather(nest: &Nest, mapping: &Mapping, plans: &[Plan], host: &mut Vec<usize>, found: &mut Vec<Roles>) {
    for plan in plans {
        match plan {
            Plan::Host(iterator, plans) => {
                host.push(*iterator);
                gather(nest, mapping, plans, host, found);
                host.pop();
            }
            Plan::Kernel(plan) => {
                let work = Work { nest, plan, host, reassociates: false };
                let tiling = mapping.tiling(&work);
                let (axes, rest) = work.axes(&tiling);
                found.push(Roles { statements: plan.statements.clone(), axes, rest, tiling });
            }
        }
    }
}
