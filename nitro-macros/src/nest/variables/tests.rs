//! Drawn statements with a variable, beside the same without it.

use std::collections::BTreeMap;

use nitro_test_support::random::Random;
use proc_macro2::Span;

use super::*;
use crate::nest::ir::{Affine, Condition, Loop, Operation};

/// The elements that there are; arithmetic is that of integers, which wraps around.
type Memory = BTreeMap<(String, i64), i64>;

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

fn integer(affine: &Affine, iterators: &BTreeMap<String, i64>) -> i64 {
    let terms = affine.terms.iter().map(|(name, number)| number * iterators[&name.to_string()]);
    affine.constant + terms.sum::<i64>()
}

fn place_of(access: &Access, iterators: &BTreeMap<String, i64>) -> (String, i64) {
    let subscript = access.subscripts.first().map_or(0, |subscript| integer(subscript, iterators));
    (access.array.to_string(), subscript)
}

fn value(value: &Value, memory: &Memory, iterators: &BTreeMap<String, i64>) -> i64 {
    let part = |part: &Value| self::value(part, memory, iterators);
    match value {
        Value::Constant(number) => *number as i64,
        Value::Load(access) => *memory.get(&place_of(access, iterators)).unwrap_or(&-77),
        Value::Binary(operation, parts) => {
            let [left, right] = [part(&parts[0]), part(&parts[1])];
            match operation {
                Operation::Add => left.wrapping_add(right),
                Operation::Subtract => left.wrapping_sub(right),
                _ => left.wrapping_mul(right),
            }
        }
        Value::Select(_, parts) => {
            if part(&parts[0]) < part(&parts[1]) {
                part(&parts[2])
            } else {
                part(&parts[3])
            }
        }
        _ => panic!("no such value is drawn"),
    }
}

fn run(nodes: &[Node], memory: &mut Memory, iterators: &mut BTreeMap<String, i64>) {
    for node in nodes {
        match node {
            Node::Loop(repeated) => {
                for now in 0..integer(&repeated.upper[0], iterators) {
                    iterators.insert(repeated.iterator.to_string(), now);
                    run(&repeated.body, memory, iterators);
                }
            }
            Node::If(conditions, body) => {
                if integer(&conditions[0].left, iterators) < integer(&conditions[0].right, iterators) {
                    run(body, memory, iterators);
                }
            }
            Node::Assign(assignment) => {
                let becomes = value(&assignment.becomes(), memory, iterators);
                memory.insert(place_of(&assignment.target, iterators), becomes);
            }
        }
    }
}

/// Draws statements of two arrays and the variable `v`, in a loop over `i`.
struct Draw(Random);

impl Draw {
    fn pick(&mut self, end: u64) -> u64 {
        self.0.below(end)
    }

    fn element(&mut self, around: &[&str]) -> Access {
        let array = ident(["y", "z"][self.pick(2) as usize]);
        let mut subscript = Affine::variable(&ident(around[self.pick(around.len() as u64) as usize]));
        subscript.constant = [0, 0, 0, 1][self.pick(4) as usize];
        Access { array, subscripts: vec![subscript] }
    }

    fn variable() -> Access {
        Access { array: ident("v"), subscripts: vec![Affine::variable(&ident("i"))] }
    }

    fn value(&mut self, around: &[&str], depth: u32) -> Value {
        match self.pick(if depth == 0 { 4 } else { 7 }) {
            0 => Value::Constant(self.pick(5) as f64 + 2.0),
            1 => Value::Load(self.element(around)),
            2 | 3 => Value::Load(Self::variable()),
            4 => {
                let mut part = || self.value(around, depth - 1);
                Value::Select("Less", Box::new([part(), part(), part(), part()]))
            }
            _ => {
                let operation =
                    [Operation::Add, Operation::Subtract, Operation::Multiply][self.pick(3) as usize];
                Value::Binary(
                    operation,
                    Box::new([self.value(around, depth - 1), self.value(around, depth - 1)]),
                )
            }
        }
    }

    fn statement(&mut self, around: &[&str]) -> Node {
        let target = if self.pick(2) == 0 { Self::variable() } else { self.element(around) };
        let operation = [None, None, Some(Operation::Add)][self.pick(3) as usize];
        let copies = self.pick(3) == 0;
        let value = if copies { Value::Load(Self::variable()) } else { self.value(around, 1) };
        Node::Assign(Assignment { target, operation, value })
    }

    fn node(&mut self) -> Node {
        let j = ident("j");
        match self.pick(6) {
            0 => Node::Loop(Loop {
                iterator: j,
                lower: vec![Affine::number(0)],
                upper: vec![Affine::number(2)],
                step: 1,
                is_reversed: false,
                body: (0..=self.pick(2)).map(|_| self.statement(&["i", "j"])).collect(),
            }),
            1 => {
                let [left, right] = [Affine::variable(&ident("i")), Affine::number(1)];
                Node::If(vec![Condition { relation: "Less", left, right }], vec![self.statement(&["i"])])
            }
            _ => self.statement(&["i"]),
        }
    }

    /// What stands in the loop over `i`, and where the variable begins in it.
    fn nodes(&mut self) -> (Vec<Node>, usize) {
        let before: Vec<Node> =
            (0..self.pick(2)).map(|_| self.node()).filter(|node| !touches(node, &ident("v"))).collect();
        let first = before.len();
        let mut begin = self.value(&["i"], 1);
        begin.replace(&ident("v"), &Value::Load(self.element(&["i"])));
        let begin = Node::Assign(Assignment { target: Self::variable(), operation: None, value: begin });
        let behind = (0..=self.pick(4)).map(|_| self.node()).collect::<Vec<_>>();
        ([before, vec![begin], behind].concat(), first)
    }
}

fn result(nodes: Vec<Node>) -> Memory {
    let around = Node::Loop(Loop {
        iterator: ident("i"),
        lower: vec![Affine::number(0)],
        upper: vec![Affine::number(3)],
        step: 1,
        is_reversed: false,
        body: nodes,
    });
    let mut memory = Memory::new();
    for at in 0..5 {
        memory.insert(("y".to_owned(), at), 3 * at + 1);
        memory.insert(("z".to_owned(), at), 7 - 2 * at);
    }
    run(&[around], &mut memory, &mut BTreeMap::new());
    memory.retain(|(array, _), _| array != "v");
    memory
}

#[test]
fn without_a_variable_statements_do_the_same() {
    let mut draw = Draw(Random::new(13));
    let mut changed = [0, 0];
    for _ in 0..20_000 {
        let (nodes, first) = draw.nodes();
        let [mut inlined, mut placed] = [nodes.clone(), nodes.clone()];
        let is_inlined = inline(&mut inlined, first, &ident("v"));
        let is_placed = place(&mut placed, first, &ident("v"), |_| true);
        for (at, (is_changed, without)) in
            [(is_inlined, inlined), (is_placed, placed)].into_iter().enumerate()
        {
            if is_changed {
                changed[at] += 1;
                assert!(!without.iter().any(|node| touches(node, &ident("v"))), "{at}");
                assert_eq!(result(without), result(nodes.clone()), "{at}");
            }
        }
    }
    assert!(changed.iter().all(|changed| *changed > 500), "{changed:?}");
}

/// An `if` on a value, beside statements that ask for the same again each.
#[test]
fn assignments_in_their_order_are_chosen_by_one_condition() {
    let mut draw = Draw(Random::new(39));
    let mut ordered_ones = 0;
    for _ in 0..20_000 {
        let asked = draw.value(&["i"], 1);
        let nodes: Vec<Node> = (0..=draw.pick(3)).map(|_| draw.statement(&["i"])).collect();
        let Some(all) = ordered(&nodes, &asked) else { continue };
        ordered_ones += usize::from(all.len() > 1 && all.iter().any(|one| asked.reads(&one.target.array)));
        let chosen = |one: &&Assignment| {
            let kept = Value::Load(one.target.clone());
            let parts = [asked.clone(), Value::Constant(5.0), one.becomes(), kept];
            let value = Value::Select("Less", Box::new(parts));
            Node::Assign(Assignment { target: one.target.clone(), operation: None, value })
        };
        let chosen: Vec<Node> = all.iter().map(chosen).collect();
        for at in 0..3 {
            let mut iterators = BTreeMap::from([("i".to_owned(), at)]);
            let mut memory = Memory::from([(("v".to_owned(), at), 4 * at)]);
            for at in 0..5 {
                memory.extend([(("y".to_owned(), at), 3 * at + 1), (("z".to_owned(), at), 7 - 2 * at)]);
            }
            let mut expected = memory.clone();
            if value(&asked, &expected, &iterators) < 5 {
                run(&nodes, &mut expected, &mut iterators);
            }
            run(&chosen, &mut memory, &mut iterators);
            assert_eq!(memory, expected);
        }
    }
    assert!(ordered_ones > 500, "{ordered_ones}");
}
