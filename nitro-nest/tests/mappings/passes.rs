//! The passes from a nest to a program, and what is told of them.

use nitro_nest::{Array2, Form, Mapping, nest};

/// A product whose result is scaled before, by rows that share a temporary.
#[nest]
fn scaled_product(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(1)] factor: &mut [f32],
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        factor[0] = a[[i, i]];
        for j in 0..n {
            c[[i, j]] *= factor[0];
        }
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] += a[[i, k]] * a[[k, j]];
            }
        }
    }
}

/// The passes, each with what there is after it.
fn passes(mapping: &Mapping) -> (Vec<(&'static str, String)>, String) {
    let mut passes = Vec::new();
    let program = scaled_product::nest()
        .lower_with(mapping, &mut |pass, dump| passes.push((pass, dump.to_owned())))
        .unwrap();
    (passes, program.to_string())
}

#[test]
fn each_pass_is_told_in_order_and_the_last_one_gives_the_program() {
    let (passes, program) = passes(&Mapping::sane());
    let names: Vec<&str> = passes.iter().map(|(name, _)| *name).collect();
    let over_nests = ["temporaries", "wavefronts", "joined sums", "joined rows"];
    assert_eq!(
        names,
        [&over_nests[..], &["kernels", "tiles in time", "tilings", "grid", "threads"]].concat()
    );
    assert_eq!(passes.last().unwrap().1, program);
    // Decisions come one after the other, and code at the end.
    let of = |name| &passes.iter().find(|(pass, _)| *pass == name).unwrap().1;
    assert!(of("kernels").contains("kernel scaled_product_0: statements"), "{}", of("kernels"));
    assert!(of("kernels").contains("grid: ") && !of("kernels").contains("thread_tile"), "{}", of("kernels"));
    assert!(of("tilings").contains("thread_tile: "), "{}", of("tilings"));
    assert!(of("grid").contains("x: i, 256 threads × 1 points"), "{}", of("grid"));
    assert!(!of("grid").contains("in blocks of") && program.contains("in blocks of"), "{program}");
}

#[test]
fn a_pass_over_a_nest_gives_what_it_gives_by_itself() {
    let nest = scaled_product::nest();
    let (all, program) = passes(&Mapping::sane());
    let after = |pass: &str| all.iter().find(|(name, _)| *name == pass).unwrap().1.trim_end();
    let temporaries = nest.with_temporaries().unwrap();
    assert_ne!(temporaries, nest);
    assert_eq!(after("temporaries"), temporaries.to_string());
    let waves = temporaries.with_wavefronts().unwrap();
    assert_eq!(after("wavefronts"), waves.to_string());
    let summed = waves.with_joined_sums().unwrap();
    assert_eq!(after("joined sums"), summed.to_string());
    let rows = summed.with_joined_rows();
    assert_eq!(after("joined rows"), rows.to_string());
    // And a nest that all of them were run over before is lowered to the same program.
    let mapped = rows.map(&rows.dependences().unwrap(), &Mapping::sane());
    assert_eq!(mapped.to_string(), program);
}

#[test]
fn passes_that_a_form_does_not_ask_for_are_not_run() {
    let (passes, _) = passes(&Mapping::sane().with_form(Form::default()));
    let has = |pass: &str| passes.iter().any(|(name, _)| *name == pass);
    assert!(has("temporaries") && !has("joined sums") && !has("joined rows"), "{passes:?}");
}
