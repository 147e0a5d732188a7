//! Dependences by looking at all instances of small sizes: what the definition says, without any theory.

use std::collections::{BTreeMap, HashMap};

use nitro_nest::{Access, Dependence, DependenceKind, Dependences, Nest, Statement, Variable};

/// Kind, array, source, sink and level.
pub type Key = (DependenceKind, usize, usize, usize, Option<usize>);
/// The least and the greatest distance along each loop around both statements.
pub type Extremes = Vec<(i64, i64)>;

/// What happened to an element so far: instances by their number.
#[derive(Default)]
struct History {
    writer: Option<usize>,
    readers: Vec<usize>,
}

/// All dependences of these sizes.
pub fn dependences(nest: &Nest, sizes: &[i64]) -> BTreeMap<Key, Extremes> {
    let statements = nest.statements();
    let mut instances: Vec<(usize, Vec<i64>)> = Vec::new();
    nest.instances(sizes, |statement, iterators| instances.push((statement, iterators.to_vec())));
    let mut history: HashMap<(usize, Vec<i64>), History> = HashMap::new();
    let mut found = BTreeMap::new();
    for (now, (index, iterators)) in instances.iter().enumerate() {
        let statement = &statements[*index];
        let element = |access: &Access| (access.array, subscripts(access, sizes, iterators));
        let mut note = |kind, array, earlier: usize| {
            let (source, at) = &instances[earlier];
            let pair = [(&statements[*source], &at[..]), (statement, &iterators[..])];
            add(&mut found, kind, array, pair);
        };
        for read in statement.reads() {
            let past = history.entry(element(read)).or_default();
            past.writer.into_iter().for_each(|writer| note(DependenceKind::Flow, read.array, writer));
            past.readers.push(now);
        }
        let target = &statement.assignment.target;
        let past = history.entry(element(target)).or_default();
        let others = past.readers.iter().filter(|reader| **reader != now);
        others.for_each(|reader| note(DependenceKind::Anti, target.array, *reader));
        past.writer.into_iter().for_each(|writer| note(DependenceKind::Output, target.array, writer));
        past.writer = Some(now);
    }
    found
}

fn subscripts(access: &Access, sizes: &[i64], iterators: &[i64]) -> Vec<i64> {
    let value = |variable| match variable {
        Variable::Parameter(index) => sizes[index],
        Variable::Iterator(index) => iterators[index],
        Variable::Block(_) | Variable::Thread(_) => unreachable!("a nest has no threads"),
    };
    access.subscripts.iter().map(|subscript| subscript.evaluate(&value)).collect()
}

fn add(
    found: &mut BTreeMap<Key, Extremes>,
    kind: DependenceKind,
    array: usize,
    pair: [(&Statement<'_>, &[i64]); 2],
) {
    let [(source, before), (sink, after)] = pair;
    let around = &source.loops[..source.common_loops(sink)];
    let distance = |range: &&nitro_nest::Range| {
        let distance = after[range.iterator] - before[range.iterator];
        if range.is_reversed { -distance } else { distance }
    };
    let distances: Vec<i64> = around.iter().map(distance).collect();
    let level = distances.iter().position(|distance| *distance != 0);
    let key = (kind, array, source.index, sink.index, level);
    let extremes = found.entry(key).or_insert_with(|| distances.iter().map(|at| (*at, *at)).collect());
    for (extreme, distance) in extremes.iter_mut().zip(&distances) {
        *extreme = (extreme.0.min(*distance), extreme.1.max(*distance));
    }
}

/// Asserts that these are the dependences of the nest: whatever happens at one of the sizes is among them, and each
/// of them, with each of its bounds, happens at some.
pub fn assert_are_those_of(nest: &Nest, dependences: &Dependences, sizes: &[Vec<i64>]) {
    let mut seen: BTreeMap<Key, Extremes> = BTreeMap::new();
    for sizes in sizes {
        for (key, extremes) in self::dependences(nest, sizes) {
            let known = seen.entry(key).or_insert_with(|| extremes.clone());
            for (known, new) in known.iter_mut().zip(&extremes) {
                *known = (known.0.min(new.0), known.1.max(new.1));
            }
        }
    }
    let key = |found: &Dependence| (found.kind, found.array, found.source, found.sink, found.level);
    let found: Vec<Key> = dependences.all().iter().map(key).collect();
    let mut expected: Vec<Key> = seen.keys().copied().collect();
    let mut sorted = found.clone();
    sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sorted, expected, "{nest}\n{dependences}");
    for (dependence, key) in dependences.all().iter().zip(&found) {
        let bounds = dependence.distances.iter().map(|distance| (distance.least, distance.most));
        for ((least, most), extreme) in bounds.zip(&seen[key]) {
            assert!(
                least.is_none_or(|least| least == extreme.0),
                "{key:?} {extreme:?}\n{nest}\n{dependences}"
            );
            assert!(most.is_none_or(|most| most == extreme.1), "{key:?} {extreme:?}\n{nest}\n{dependences}");
        }
    }
}
