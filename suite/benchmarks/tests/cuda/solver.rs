//! Every variant of `cuda_solver` that reports a solution has one, by its residual on the host.

use crate::support::{compile_for_all_architectures, on_gpu_and_partition};
use nitro_benchmarks::cuda::cuda_solver::{self, Variant};
use nitro_benchmarks::cuda::solver::inputs::Problem;
use nitro_benchmarks::cuda::solver::{
    ITERATION_LIMIT, PROGRAM, SolveError, Solved, System, TOLERANCE, Workspace, inputs, relative_residual,
};
use nitro_benchmarks::cuda::spmv::{Csr, Pattern};
use nitro_cuda::Buffer;

#[test]
fn kernels_compile() {
    compile_for_all_architectures(&[&PROGRAM]);
}

fn needs_definite(variant: Variant) -> bool {
    variant.to_string().starts_with("cg_")
}

/// Solves with one variant; where it reports a solution, the residual is compared with what was asked for.
fn solve(problem: &Problem, variant: Variant, what: &str) -> Result<Solved, SolveError> {
    let system = System::new(&problem.matrix, problem.positive_definite).unwrap();
    let (b, mut workspace) = (Buffer::from_slice(&problem.b).unwrap(), Workspace::new(&system).unwrap());
    let mut x = Buffer::uninit(system.rows()).unwrap();
    x.fill_bytes(0xff).unwrap();
    let solved = cuda_solver::call(variant, &system, &b, &mut x, &mut workspace)?;
    let residual = relative_residual(&problem.matrix, &x.to_vec().unwrap(), &problem.b);
    assert!(residual <= 100.0 * TOLERANCE, "{variant} of {what}: residual {residual:e} after {solved:?}");
    Ok(solved)
}

/// Solves with every variant that may be used; whether the default variant succeeded.
fn solve_with_all(problem: &Problem, what: &str) -> bool {
    let mut by_default = false;
    for variant in Variant::ALL.iter().copied() {
        if needs_definite(variant) && !problem.positive_definite {
            continue;
        }
        match solve(problem, variant, what) {
            Ok(_) => by_default |= variant == Variant::BicgstabApproximateInverse,
            Err(SolveError::NotConverged { iterations }) => {
                assert_eq!(iterations, ITERATION_LIMIT, "{variant} of {what}");
            }
            Err(SolveError::BrokenDown { .. }) => {}
            Err(error) => panic!("{variant} of {what}: {error}"),
        }
    }
    by_default
}

#[test]
#[ignore = "needs a CUDA device"]
fn no_shape_is_claimed_to_be_solved_that_is_not_and_the_default_variant_solves_nearly_all() {
    on_gpu_and_partition(|| {
        let (mut solved, mut all) = (0, 0);
        for name in inputs::names().iter().filter(|name| name.starts_with("test/")) {
            let (shape, _) = name.rsplit_once("-s").unwrap();
            let problem = inputs::load(&format!("{shape}-s77")).unwrap();
            if problem.b.len() <= 50_000 {
                all += 1;
                solved += usize::from(solve_with_all(&problem, name));
            }
        }
        assert!(all > 50 && solved * 20 >= all * 19, "{solved} of {all}");
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn small_systems_are_solved() {
    on_gpu_and_partition(|| {
        for name in ["test/diffusion2d-g20-a20-h10-s7", "test/convection2d-g24-c100-h30-s7"] {
            assert!(solve_with_all(&inputs::load(name).unwrap(), name), "{name}");
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_large_system_is_solved_by_every_variant() {
    nitro_cuda::device(0).unwrap().enter();
    let problem = inputs::load("test/diffusion3d-g100-a1000-h300-s7").unwrap();
    for variant in Variant::ALL {
        solve(&problem, *variant, "a large system").unwrap_or_else(|error| panic!("{variant}: {error}"));
    }
}

/// A matrix that is its diagonal.
fn diagonal(values: &[f64]) -> Csr {
    let pattern = Pattern::from_rows(values.len(), values.len(), |row, columns| columns.push(row as i64));
    Csr::with_values(pattern, |row, _, out| out[0] = values[row])
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_diagonal_takes_one_iteration_and_a_zero_right_side_none() {
    nitro_cuda::device(0).unwrap().enter();
    let values: Vec<f64> = (1..=1001).map(f64::from).collect();
    let of = |b| Problem { matrix: diagonal(&values), positive_definite: true, b };
    for variant in Variant::ALL {
        let solved = solve(&of(vec![1.0; 1001]), *variant, "a diagonal").unwrap();
        assert_eq!(solved.iterations, 1, "{variant}");
        let solved = solve(&of(vec![0.0; 1001]), *variant, "a diagonal").unwrap();
        assert_eq!(solved.iterations, 0, "{variant} of a zero right side");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn an_indefinite_matrix_breaks_conjugate_gradients_down() {
    nitro_cuda::device(0).unwrap().enter();
    let values: Vec<f64> = (0..500).map(|row| if row % 3 == 0 { 1.0 } else { -1.0 }).collect();
    // Wrongly called definite: the method has to notice.
    let problem = Problem { matrix: diagonal(&values), positive_definite: true, b: vec![1.0; 500] };
    let variants = Variant::ALL.iter().copied().filter(|variant| needs_definite(*variant));
    for variant in variants {
        let error = solve(&problem, variant, "an indefinite matrix").unwrap_err();
        assert!(matches!(error, SolveError::BrokenDown { .. }), "{variant}: {error}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_singular_system_is_no_success() {
    nitro_cuda::device(0).unwrap().enter();
    let mut values = vec![1.0; 300];
    values[17] = 0.0;
    let problem = Problem { matrix: diagonal(&values), positive_definite: false, b: vec![1.0; 300] };
    for variant in Variant::ALL.iter().copied().filter(|variant| !needs_definite(*variant)) {
        assert!(solve(&problem, variant, "a singular system").is_err(), "{variant}");
    }
}
