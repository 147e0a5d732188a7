//! That launch plans become subjects whose kernels give what their nests give, and plans again.

use nitro_cuda::{Executable, Integers, LaunchPlan, Options};
use nitro_evolve::workload::Role;
use nitro_evolve::{PlannedSubject, Set, Workload};
use nitro_evolve_subjects::plans;
use nitro_nest::Data;
use nitro_ptx::emulate;
use nitro_test_support::tools::NVRTC;

use crate::case::{Case, f32s};
use crate::emulated::{READS_AHEAD, STRICT, emulator, run};
use crate::expected::{Expected, Results, compare};

/// Sizes around which inputs are made, so small that they can be emulated.
const SIZES: [(&str, &[(&str, f64)]); 2] =
    [("gemm", &[("ni", 40.0), ("nj", 36.0), ("nk", 24.0)]), ("jacobi_2d", &[("steps", 3.0), ("n", 40.0)])];

/// A plan with a workload in these integers; none leaves the test out.
fn planned(name: &str, integers: &str) -> Option<PlannedSubject> {
    NVRTC.found(nitro_cuda::nvrtc_version())?;
    let (_, text) = plans().iter().find(|(other, _)| *other == name).unwrap();
    let plan = LaunchPlan::from_json(text).unwrap();
    let (_, sizes) = SIZES.iter().find(|(other, _)| *other == name).unwrap();
    let sizes: Vec<(String, f64)> = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let text = PlannedSubject::workload(&plan, &sizes).unwrap_or_else(|error| panic!("{error}"));
    let text = text.replace("i32 =", &format!("{integers} ="));
    let workload =
        Workload::parse("planned.toml".as_ref(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Some(PlannedSubject::new(plan, workload, 90).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// What the nest gives, as it was written.
fn expected(name: &str, plan: &LaunchPlan, case: &Case) -> Results {
    let kernels = nitro_polybench::kernels();
    let kernel = kernels.iter().find(|kernel| (kernel.nest)().name() == name).unwrap();
    let sizes: Vec<i64> = plan.sizes.iter().map(|size| case.number(size) as i64).collect();
    let scalars: Vec<f32> = plan.scalars.iter().map(|scalar| case.number(scalar) as f32).collect();
    let mut data = Data::new(&(kernel.nest)(), &sizes, &scalars).unwrap();
    data.arrays = plan.arrays.iter().map(|array| f32s(case.bytes(&array.name))).collect();
    (kernel.reference)(&mut data);
    let results =
        case.inputs.buffers.iter().zip(data.arrays).filter(|(buffer, _)| buffer.role == Role::InOut);
    let near = |values| Expected::Near { values, relative: 1e-5, absolute: 0.0 };
    results.map(|(buffer, values)| (&*buffer.name.clone().leak(), near(values))).collect()
}

fn check(name: &str, integers: &str, options: &emulate::Options) {
    let Some(planned) = planned(name, integers) else { return };
    let (_, text) = plans().iter().find(|(other, _)| *other == name).unwrap();
    let plan = LaunchPlan::from_json(text).unwrap();
    let subject = planned.subject();
    let (emulator, workload) = (emulator(&subject.original().ptx), subject.workload());
    for set in [Set::Search, Set::Validation, Set::Test] {
        for number in 0..workload.cases(set) {
            let case = Case::of(name, workload, set, number);
            let found =
                run(&emulator, &case, options).unwrap_or_else(|fault| panic!("{}: {fault}", case.name));
            compare(&case, &expected(name, &plan, &case), &found);
        }
    }
}

#[test]
fn a_product_of_matrices_in_tiles() {
    // Threads beyond the edge sum what lies in their part of the tiles, too, and drop it.
    check("gemm", "i32", &READS_AHEAD);
    check("gemm", "i64", &READS_AHEAD);
}

#[test]
fn a_stencil_whose_steps_in_time_are_loops_of_the_host() {
    check("jacobi_2d", "i32", &STRICT);
    check("jacobi_2d", "i64", &STRICT);
}

#[test]
fn what_was_evolved_is_a_plan_again_that_runs_as_it_is() {
    for (integers, counted) in [("i32", Integers::Bits32), ("i64", Integers::Bits64)] {
        let Some(planned) = planned("jacobi_2d", integers) else { return };
        let ptx = planned.subject().patched(&[]).unwrap();
        let plan = LaunchPlan::from_json(&planned.patched(&ptx).unwrap().to_json()).unwrap();
        assert_eq!(plan.integers(&[3, 40]), Ok(counted));
        let image = Executable::image(&plan, counted, Options::new(90)).unwrap();
        assert_eq!(image.ptx(), Some(&*ptx));
        let again = PlannedSubject::new(plan, planned.subject().workload().clone(), 80).unwrap();
        assert_eq!(*again.subject().original().ptx, *ptx, "a plan of PTX keeps it");
    }
}
