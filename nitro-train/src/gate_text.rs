//! The gate of a model as lines of text.

use nitro_core::model::{Gate, Model, Node};

/// Returns what the gate of a model decides, a comparison or a decision a line: what hangs on a comparison is indented
/// below it.
pub(crate) fn gate_lines(model: &Model, gate: &Gate) -> Vec<String> {
    let mut walk = Walk { model, gate, nodes: 0, leaves: 0, lines: Vec::new() };
    walk.subtree("", 0);
    walk.lines
}

/// A pass over the nodes of a gate, in preorder.
struct Walk<'m> {
    model: &'m Model,
    gate: &'m Gate,
    nodes: usize,
    leaves: usize,
    lines: Vec<String>,
}

impl<'m> Walk<'m> {
    /// Adds the subtree that comes next, of inputs for which a condition holds.
    fn subtree(&mut self, condition: &str, depth: usize) {
        let node = self.gate.nodes[self.nodes];
        self.nodes += 1;
        let indent = "  ".repeat(depth.saturating_sub(1));
        match node {
            Node::Leaf => {
                let decision = self.gate.decisions[self.leaves];
                self.leaves += 1;
                let decided =
                    decision.map_or("the selector decides", |own| &self.model.choices[usize::from(own)]);
                let separator = if condition.is_empty() { "" } else { ": " };
                self.lines.push(format!("{indent}{condition}{separator}{decided}"));
            }
            Node::Split { column, threshold } => {
                if !condition.is_empty() {
                    self.lines.push(format!("{indent}{condition}:"));
                }
                let name = self.column(column.into());
                self.subtree(&format!("{name} <= {threshold}"), depth + 1);
                self.subtree(&format!("{name} > {threshold}"), depth + 1);
            }
        }
    }

    /// Returns the name of a column: input features come first, then device features.
    fn column(&self, column: usize) -> &'m str {
        let mut names = self.model.features.iter().chain(&self.model.device_features);
        names.nth(column).map_or("?", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use nitro_core::model::{Coverage, Provenance, Selector};

    use super::*;

    fn model(nodes: Vec<Node>, decisions: Vec<Option<u16>>) -> Model {
        Model {
            function: "sort".into(),
            choices: ["plain", "radix"].map(str::to_owned).into(),
            features: ["length", "bits"].map(str::to_owned).into(),
            device_features: vec!["cores".into()],
            selector: Selector::Constant { choice: 0 },
            gate: Some(Gate { features: vec![0, 1], nodes, decisions }),
            caution: None,
            is_distilled: false,
            training_inputs: Default::default(),
            artifacts: vec![],
            calibrations: vec![],
            feature_digests: vec![],
            coverage: Coverage::default(),
            provenance: Provenance::default(),
        }
    }

    fn lines(model: &Model) -> Vec<String> {
        gate_lines(model, model.gate.as_ref().expect("it has one"))
    }

    #[test]
    fn what_hangs_on_a_comparison_is_indented_below_it() {
        let split = |column, threshold| Node::Split { column, threshold };
        let nodes = vec![split(0, 12.5), Node::Leaf, split(2, 8.0), Node::Leaf, Node::Leaf];
        let expected = [
            "length <= 12.5: plain",
            "length > 12.5:",
            "  cores <= 8: radix",
            "  cores > 8: the selector decides",
        ];
        assert_eq!(lines(&model(nodes, vec![Some(0), Some(1), None])), expected);
        assert_eq!(lines(&model(vec![Node::Leaf], vec![Some(1)])), ["radix"]);
    }
}
