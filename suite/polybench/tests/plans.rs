//! What ships of a program launches what the program launches, and its text compiles.

#[path = "support/emulated.rs"]
mod emulated;
mod support;

use std::path::Path;

use emulated::emulated;
use nitro_cuda::{Executable, Options, nvrtc_version};
use nitro_nest::{Affine, Array2, Integers, LaunchPlan, Mapping, PlanError, Program, Variable, nest};
use nitro_polybench::kernels;
use nitro_test_support::tools::NVRTC;

fn presets() -> [Mapping; 4] {
    let naive = Mapping::naive();
    [naive.clone(), naive.with_register_promotion(), Mapping::sane(), Mapping::ppcg_default()]
}

/// The programs of all nests by all presets.
fn programs() -> impl Iterator<Item = Program> {
    kernels().into_iter().flat_map(|kernel| {
        let nest = (kernel.nest)().with_temporaries().unwrap();
        let dependences = nest.dependences().unwrap();
        presets().map(|mapping| nest.map(&dependences, &mapping))
    })
}

type Launches = Vec<(usize, [i64; 3], Vec<i64>)>;

/// All launches of a plan that have something to do.
fn of_plan(plan: &LaunchPlan, sizes: &[i64]) -> Launches {
    let mut all = Launches::new();
    let launched = plan.launches(sizes, |launch| {
        all.push((launch.kernel, launch.grid, launch.integers.clone()));
        Ok::<(), PlanError>(())
    });
    launched.unwrap_or_else(|error| panic!("{error}"));
    all
}

/// The same of the program, whose blocks are counted one by one.
fn of_program(program: &Program, sizes: &[i64]) -> Launches {
    let mut all = Launches::new();
    let mut add = |launch: &nitro_nest::Launch| {
        let kernel = &program.kernels[launch.kernel];
        let value = |variable| match variable {
            Variable::Parameter(index) => sizes[index],
            Variable::Iterator(index) => {
                let at = kernel.host_iterators.iter().position(|iterator| *iterator == index).unwrap();
                launch.integers[sizes.len() + at]
            }
            other => panic!("the host knows no {other:?}"),
        };
        let of = |affine: &Affine| affine.evaluate(&value);
        let mut grid = [1; 3];
        for (axis, extent) in kernel.grid.iter().enumerate() {
            let (lower, upper) = (extent.lower.iter().map(of).max(), extent.upper.iter().map(of).min());
            let values: Vec<i64> = (lower.unwrap()..upper.unwrap()).step_by(extent.step as usize).collect();
            grid[axis] = values.chunks((kernel.block[axis] * kernel.points[axis]) as usize).count() as i64;
        }
        if !grid.contains(&0) {
            all.push((launch.kernel, grid, launch.integers.clone()));
        }
        Ok::<(), ()>(())
    };
    program.launches(sizes, &mut add).unwrap();
    all
}

#[test]
fn a_plan_that_was_shipped_launches_what_the_program_launches() {
    let mut several = 0;
    for program in programs() {
        let shipped = program.plan().to_json();
        let plan = LaunchPlan::from_json(&shipped).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(plan, program.plan());
        for sizes in support::sizes(program.nest.parameters().len(), &[0, 1, 31, 33]) {
            let launches = of_plan(&plan, &sizes);
            assert_eq!(launches, of_program(&program, &sizes), "{} at {sizes:?}", program.nest.name());
            assert_eq!(plan.integers(&sizes).unwrap(), program.integers(&sizes).unwrap());
            assert_eq!(
                plan.shapes(&sizes).unwrap(),
                nitro_nest::Data::shapes_of(&program.nest, &sizes).unwrap()
            );
            several += usize::from(launches.len() > program.kernels.len());
        }
    }
    assert!(several > 0, "some programs have loops of the host");
}

#[test]
fn the_text_of_a_plan_is_that_of_the_program_in_either_integers() {
    for program in programs() {
        let text = program.plan().cuda;
        for integers in [Integers::Bits32, Integers::Bits64] {
            assert_eq!(text.replace("nitro_int", integers.c_name()), program.cuda(integers));
        }
    }
}

#[test]
fn what_was_shipped_compiles_in_either_integers() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    for kernel in kernels() {
        let nest = (kernel.nest)();
        let plan = nest.map(&nest.dependences().unwrap(), &Mapping::naive()).plan();
        let plan = LaunchPlan { contracts: false, ..plan };
        for integers in [Integers::Bits32, Integers::Bits64] {
            let image = Executable::image(&plan, integers, Options::new(90));
            let image = image.unwrap_or_else(|error| panic!("{error}\n{}", plan.cuda));
            assert!(plan.kernels.iter().all(|kernel| image.usage(&kernel.name).is_some()), "{}", image.log());
        }
    }
}

/// `suite/evolve` has the texts of two plans, so that it compiles neither isl nor what finds plans.
/// `UPDATE_EXPECT=1` writes them anew.
#[test]
fn plans_that_evolution_is_tried_on_are_those_of_the_nests() {
    for (name, mapping) in [("gemm", Mapping::ppcg_default()), ("jacobi_2d", Mapping::sane())] {
        let nest =
            kernels().map(|kernel| (kernel.nest)()).into_iter().find(|nest| nest.name() == name).unwrap();
        let text = nest.map(&nest.dependences().unwrap(), &mapping).plan().to_json() + "\n";
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../evolve/plans/{name}.plan.json"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let shipped = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            shipped == text,
            "{} is not what is made of the nest now; UPDATE_EXPECT=1 writes it",
            file.display()
        );
    }
}

/// `x[i, j] ← 2·i + j + 1` where there are more rows than a device has blocks along y.
#[nest]
fn number(rows: usize, columns: usize, #[shape(rows, columns)] x: &mut Array2<f32>) {
    for i in 0..rows {
        for j in 0..columns {
            x[[i, j]] = (2 * i + j + 1) as f32;
        }
    }
}

#[test]
fn more_rows_than_a_device_has_blocks_along_y_are_all_computed() {
    let (rows, columns) = (70_000, 3);
    let nest = number::nest();
    let mapping = Mapping::naive().with_blocks([[4, 1, 1]; 3]);
    let plan = nest.map(&nest.dependences().unwrap(), &mapping).plan();
    assert_eq!(of_plan(&plan, &[rows, columns])[0].1, [1, rows, 1]);
    let zeros = vec![vec![0; 4 * (rows * columns) as usize]];
    let Some(found) = emulated(&plan, &[rows, columns], &[], zeros) else { return };
    for (at, element) in found[0].chunks_exact(4).enumerate() {
        let expected = (2 * (at / columns as usize) + at % columns as usize + 1) as f32;
        assert_eq!(f32::from_le_bytes(element.try_into().unwrap()), expected, "element {at}");
    }
}
