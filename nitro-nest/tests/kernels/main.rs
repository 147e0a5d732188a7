//! The interpreter of kernels: shared memory and barriers work, and what is wrong with a kernel is found.

use nitro_nest::{
    Access, Affine, Assignment, Bounds, Builder, Condition, Data, Expression, Extent, Host, Instruction,
    Kernel, Local, Nest, Program, Relation, RunError, Space, Variable,
};
use nitro_test_support::random::Random;

mod instructions;
mod text;

const N: Variable = Variable::Parameter(0);
const I: Variable = Variable::Iterator(0);
const THREAD: Variable = Variable::Thread(0);

/// `x[n]`, with one iterator.
fn nest() -> Nest {
    let mut builder = Builder::new("reverse");
    let n = builder.parameter("n");
    let x = builder.in_out("x", [n.into()]);
    builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(x.at([i]), 0.0));
    builder.finish().unwrap()
}

fn at(array: usize, subscript: impl Into<Affine>) -> Access {
    Access { array, subscripts: vec![subscript.into()] }
}

fn assign(target: Access, value: impl Into<Expression>) -> Instruction {
    Instruction::Assign(Assignment { target, value: value.into() })
}

fn below(limit: impl Into<Affine>, body: Vec<Instruction>) -> Instruction {
    Instruction::If(
        vec![Condition { relation: Relation::Less, left: I.into(), right: limit.into() }],
        body,
        Vec::new(),
    )
}

/// A kernel with blocks of four threads over `x`, a tile of four elements for each block and an accumulator for
/// each thread.
fn program(body: Vec<Instruction>) -> Program {
    let mut all = vec![Instruction::Define(0, vec![Variable::Block(0) * 4 + THREAD])];
    all.extend(body);
    let local = |name: &str, space, shape: &[i64]| Local::new(name, space, shape.to_vec());
    let kernel = Kernel {
        name: "reverse_0".to_owned(),
        statements: Vec::new(),
        iterators: Vec::new(),
        points: [1; 3],
        resident_blocks: 0,
        host_iterators: Vec::new(),
        grid: vec![Extent { lower: vec![Affine::from(0)], upper: vec![N.into()], step: 1 }],
        block: [4, 1, 1],
        locals: vec![local("tile", Space::Shared, &[4]), local("own", Space::Register, &[])],
        caching: Vec::new(),
        body: all,
    };
    Program { nest: nest(), kernels: vec![kernel], host: vec![Host::Launch(0)] }
}

/// Runs on 0, 1, 2, ..
fn run(program: &Program, n: i64, seed: u64) -> Result<Vec<f32>, RunError> {
    let mut data = Data::new(&program.nest, &[n], &[])?;
    data.arrays[0] = (0..n).map(|value| value as f32).collect();
    let mut random = Random::new(seed);
    program.run(&mut data, |threads| random.below(threads as u64) as usize)?;
    Ok(data.arrays.remove(0))
}

/// Each block brings its four elements into the tile and takes them out in the other order.
fn reversed_in_blocks(barrier: bool) -> Program {
    let copied_in = below(N, vec![assign(at(1, THREAD), at(0, I))]);
    let own = Access { array: 2, subscripts: Vec::new() };
    let taken_out = vec![assign(own.clone(), at(1, Affine::from(3) - THREAD)), assign(at(0, I), own)];
    let mut body = vec![copied_in, below(N, taken_out)];
    if barrier {
        body.insert(1, Instruction::Barrier);
    }
    program(body)
}

#[test]
fn threads_of_a_block_exchange_elements_through_shared_memory() {
    for seed in 0..20 {
        let result = run(&reversed_in_blocks(true), 8, seed).unwrap();
        assert_eq!(result, [3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0]);
    }
}

#[test]
fn without_the_barrier_they_race_whatever_their_order() {
    for seed in 0..20 {
        let error = run(&reversed_in_blocks(false), 8, seed).unwrap_err();
        assert!(matches!(error, RunError::Race { .. }), "{error}");
        assert!(error.to_string().contains("of tile"), "{error}");
    }
}

#[test]
fn threads_of_different_blocks_race_whatever_barriers_are_in_between() {
    let first = Instruction::If(
        vec![Condition { relation: Relation::Equal, left: THREAD.into(), right: Affine::from(0) }],
        vec![assign(at(0, 0), 1.0)],
        Vec::new(),
    );
    let error = run(&program(vec![Instruction::Barrier, first]), 8, 1).unwrap_err();
    assert!(error.to_string().contains("element 0 of x"), "{error}");
}

#[test]
fn a_barrier_that_some_threads_do_not_come_to_is_found() {
    let error = run(&program(vec![below(N, vec![Instruction::Barrier])]), 6, 1).unwrap_err();
    let RunError::Divergence { what, .. } = &error else { panic!("{error}") };
    assert!(what.starts_with("2 of 4 threads wait"), "{what}");
}

#[test]
fn threads_at_different_barriers_are_found() {
    let body = vec![below(2, vec![Instruction::Barrier, Instruction::Barrier]), Instruction::Barrier];
    let error = run(&program(body), 4, 1).unwrap_err();
    assert!(matches!(error, RunError::Divergence { .. }), "{error}");
}

#[test]
fn an_access_beyond_an_array_names_statement_and_element() {
    let error = run(&program(vec![assign(at(0, I), 1.0)]), 6, 1).unwrap_err();
    let RunError::OutOfBounds { statement, array, subscripts, shape } = &error else { panic!("{error}") };
    assert_eq!((statement.as_str(), array.as_str()), ("x[i] = 1.0;", "x"));
    assert!(subscripts[0] >= 6 && *shape == [6], "{error}");
    let error = run(&program(vec![assign(at(1, I), 1.0)]), 8, 1).unwrap_err();
    assert!(error.to_string().contains("touches tile["), "{error}");
}

#[test]
fn what_was_never_written_is_not_a_number() {
    let own = Access { array: 2, subscripts: Vec::new() };
    let result = run(&program(vec![below(N, vec![assign(at(0, I), own)])]), 4, 1).unwrap();
    assert!(result.iter().all(|value| value.is_nan()), "{result:?}");
}
