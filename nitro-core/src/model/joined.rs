//! A gate with a tree at its open ends, as one tree.

use super::step::Step;

/// Returns the steps of a gate with those of a tree at each end where it does not decide, as far as there is room for
/// so many, over so many columns.
pub(super) fn joined(gate: &[Step], tree: &[Step], columns: usize, most_steps: usize) -> Vec<Step> {
    let bounds = vec![(f32::NEG_INFINITY, f32::INFINITY); columns];
    let mut joined = Joined { tree, most_steps, missing: gate.len(), bounds, steps: Vec::new() };
    joined.place(gate, 0, true);
    joined.steps
}

/// A gate that is copied with a tree at its open ends.
struct Joined<'g> {
    tree: &'g [Step],
    most_steps: usize,
    /// Steps of the gate that are still to come.
    missing: usize,
    /// By column what is known of a value on the way: it is above the first and not above the second.
    bounds: Vec<(f32, f32)>,
    steps: Vec<Step>,
}

impl Joined<'_> {
    /// Adds the subtree of steps that begins at one of them, without comparisons whose outcome is known on the way
    /// there.
    fn place(&mut self, steps: &[Step], at: usize, is_gate: bool) {
        self.missing -= usize::from(is_gate);
        match steps[at] {
            Step::Split { column, threshold, upper } => {
                let (above, most) = self.bounds[column];
                if threshold >= most {
                    return self.place(steps, at + 1, is_gate);
                }
                if threshold <= above {
                    return self.place(steps, upper, is_gate);
                }
                let own = self.steps.len();
                self.steps.push(Step::Split { column, threshold, upper: 0 });
                self.bounds[column] = (above, threshold);
                self.place(steps, at + 1, is_gate);
                self.steps[own] = Step::Split { column, threshold, upper: self.steps.len() };
                self.bounds[column] = (threshold, most);
                self.place(steps, upper, is_gate);
                self.bounds[column] = (above, most);
            }
            Step::Leaf(None) if is_gate => self.place_tree(),
            leaf @ Step::Leaf(_) => self.steps.push(leaf),
        }
    }

    /// Adds the tree where it and the rest of the gate find room, else an end that is asked about.
    fn place_tree(&mut self) {
        let mark = self.steps.len();
        self.place(self.tree, 0, false);
        if self.steps.len() + self.missing > self.most_steps {
            self.steps.truncate(mark);
            self.steps.push(Step::Leaf(None));
        }
    }
}
