//! What the instances of a nest do, looked at one by one.

use std::collections::HashSet;

use nitro_nest::{Access, Expression, LeastWork, Nest, Variable};

/// Elements that are read before they are written, elements that are written, and operations as they are written.
pub fn counted(nest: &Nest, sizes: &[i64]) -> LeastWork {
    let statements = nest.statements();
    let (mut read, mut written, mut instructions) = (HashSet::new(), HashSet::new(), 0.0);
    nest.instances(sizes, |index, iterators| {
        let assignment = statements[index].assignment;
        let element = |access: &Access| (access.array, subscripts(access, sizes, iterators));
        let reads = assignment.value.reads().into_iter().map(element);
        read.extend(reads.filter(|own| !written.contains(own)));
        written.insert(element(&assignment.target));
        instructions += operations(&assignment.value);
    });
    let bytes = |elements: HashSet<(usize, Vec<i64>)>| 4.0 * elements.len() as f64;
    LeastWork { read_bytes: bytes(read), written_bytes: bytes(written), instructions }
}

fn subscripts(access: &Access, sizes: &[i64], iterators: &[i64]) -> Vec<i64> {
    let value = |variable| match variable {
        Variable::Parameter(index) => sizes[index],
        Variable::Iterator(index) => iterators[index],
        Variable::Block(_) | Variable::Thread(_) => unreachable!("a nest has no threads"),
    };
    access.subscripts.iter().map(|subscript| subscript.evaluate(&value)).collect()
}

fn operations(value: &Expression) -> f64 {
    let mut count = 0.0;
    value.visit(&mut |part| {
        count += match part {
            Expression::Unary(..) | Expression::Binary(..) => 1.0,
            Expression::Fused(_) => 2.0,
            _ => 0.0,
        }
    });
    count
}
