//! What is shown is what the program does.

mod thread_points;

use std::collections::BTreeSet;

use nitro_test_support::pages::assert_fits_narrow_screens;

use super::points::points;
use super::*;
use crate::nest::builder::{Bounds, Builder};
use crate::nest::expression::Expression;
use crate::{Schedule, Tiling};

#[derive(Clone, Copy, Debug)]
enum Does {
    SumsOfRows,
    SumsOfColumns,
    Fills,
    Multiplies,
    /// Sums of rows, which are then taken away from them.
    Centres,
}

/// `for i in 0..n { for j in 0..n { .. } }`, with `total[i] += a[i][j]`, `total[j] += a[i][j]`, `b[i][j] = 1` or
/// `b[i][j] += a[i][k] * a[k][j]` for all `k` in it.
fn nest(work: Does) -> Nest {
    let mut builder = Builder::new("rows");
    let n = builder.parameter("n");
    let a = builder.input("a", [n.into(), n.into()]);
    let b = builder.in_out("b", [n.into(), n.into()]);
    let total = builder.in_out("total", [n.into()]);
    builder.reassociate();
    if matches!(work, Does::Centres) {
        builder.repeat("i", Bounds::new(0, n), |builder, i| {
            let of_row = || Expression::from(total.at([i]));
            let add = |builder: &mut Builder, j| builder.assign(total.at([i]), of_row() + a.at([i, j]));
            builder.repeat("j", Bounds::new(0, n), add);
            let centre = |builder: &mut Builder, j| {
                builder.assign(b.at([i, j]), Expression::from(a.at([i, j])) - of_row());
            };
            builder.repeat("k", Bounds::new(0, n), centre);
        });
        return builder.finish().unwrap();
    }
    builder.repeat("i", Bounds::new(0, n), |builder, i| {
        builder.repeat("j", Bounds::new(0, n), |builder, j| {
            let mut add =
                |to| builder.assign(total.at([to]), Expression::from(total.at([to])) + a.at([i, j]));
            match work {
                Does::SumsOfRows => add(i),
                Does::SumsOfColumns => add(j),
                Does::Fills => builder.assign(b.at([i, j]), 1.0),
                Does::Multiplies => builder.repeat("k", Bounds::new(0, n), |builder, k| {
                    let product = Expression::from(a.at([i, k])) * a.at([k, j]);
                    builder.assign(b.at([i, j]), Expression::from(b.at([i, j])) + product);
                }),
                Does::Centres => unreachable!("it has two loops in a row"),
            }
        });
    });
    builder.finish().unwrap()
}

/// The points of all threads of a block as the page shows them, which are the kernel's, each with its thread.
fn of_block(view: &NestView, kernel: usize) -> Vec<([i64; 3], [i64; 3])> {
    let (nest, axes, kernel) =
        (&view.mapped().nest, &view.kernels[kernel].axes, &view.program.kernels[kernel]);
    let [x, y, z] = kernel.block.map(i64::from);
    let mut all = Vec::new();
    for thread in (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k]))) {
        let shown = points(axes, thread);
        assert_eq!(shown, thread_points::of_kernel(nest, kernel, axes, thread), "{}", view.program);
        all.extend(shown.into_iter().map(|point| (point, thread)));
    }
    all
}

/// `for t in 0..steps { for i, j { b = a's neighbours } for i, j { a = b } }`
fn stencil() -> Nest {
    let mut builder = Builder::new("smooth");
    let [steps, n] = ["steps", "n"].map(|name| builder.parameter(name));
    let [a, b] = ["a", "b"].map(|name| builder.in_out(name, [n.into(), n.into()]));
    builder.repeat("t", Bounds::new(0, steps), |builder, _| {
        for is_back in [false, true] {
            builder.repeat("i", Bounds::new(1, n - 1), |builder, i| {
                builder.repeat("j", Bounds::new(1, n - 1), |builder, j| {
                    if is_back {
                        builder.assign(a.at([i, j]), b.at([i, j]));
                    } else {
                        let sum = Expression::from(a.at([i - 1, j.into()])) + a.at([i + 1, j.into()]);
                        builder.assign(b.at([i, j]), sum * 0.5);
                    }
                });
            });
        }
    });
    builder.finish().unwrap()
}

#[test]
fn tiles_in_time_are_told_with_their_sweeps() {
    let view = NestView::new(&stencil(), &Mapping::temporal()).unwrap();
    let text = view.text();
    for part in
        ["t → 4 iterations a launch; a block writes 2", "S0 b[i, j] = ", "in registers, for each thread"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert_fits_narrow_screens(&view.page());
}

#[test]
fn each_point_of_a_tile_is_that_of_one_thread() {
    let tiling =
        Tiling { block: [8, 4, 1], thread_tile: [4, 2, 1], promotes: true, tile_k: 4, ..Tiling::default() };
    let schedule = Schedule { fuses: true, sums_in_parallel: true, coalesces: true, ..Schedule::default() };
    for work in [Does::Fills, Does::SumsOfRows, Does::SumsOfColumns, Does::Multiplies] {
        let mapping = Mapping::naive().with_schedule(schedule).with_tiling(&[0], tiling.clone());
        let view = NestView::new(&nest(work), &mapping).unwrap();
        let all = of_block(&view, 0);
        let points: BTreeSet<[i64; 3]> = all.iter().map(|(point, _)| *point).collect();
        let tile = (0..8).flat_map(|y| (0..32).map(move |x| [x, y, 0]));
        assert_eq!(points, tile.collect(), "{}", view.program);
        assert_eq!(points.len(), all.len(), "no two threads share a point of\n{}", view.program);
        let thread_at = |wanted| all.iter().find(|(point, _)| *point == wanted).unwrap().1;
        assert_eq!(thread_at([0, 0, 0]), [0, 0, 0]);
        assert_eq!(thread_at([1, 0, 0]), [1, 0, 0], "neighbouring threads have neighbouring points");
        assert_eq!(thread_at([8, 0, 0]), [0, 0, 0], "and come again after a block's threads");
    }
}

#[test]
fn the_tree_has_each_loop_by_what_became_of_it() {
    let tiling =
        Tiling { block: [32, 8, 1], thread_tile: [4, 8, 1], promotes: true, tile_k: 16, ..Tiling::default() };
    let mapping = Mapping::naive().with_usual_tilings([tiling.clone(), tiling.clone(), tiling]);
    let view = NestView::new(&nest(Does::SumsOfRows), &mapping).unwrap();
    assert!(view.schedule().contains("i → x: 32 threads of 4 points, 128 a block\n"), "{}", view.schedule());
    assert!(view.schedule().contains("j → each thread repeats for 0..n"), "{}", view.schedule());
}

#[test]
fn the_tree_of_a_row_kernel_says_what_its_threads_share() {
    let schedule = Schedule { rows: true, ..Schedule::default() };
    let tiling = Tiling { block: [64, 4, 1], ..Tiling::default() };
    let mapping = Mapping::naive().with_schedule(schedule).with_tiling(&[0, 1], tiling);
    let view = NestView::new(&nest(Does::Centres), &mapping).unwrap();
    let text = view.schedule();
    assert!(text.contains("i → x: 4 rows a block\n"), "{text}");
    assert!(text.contains("k → the threads of a row share out 0..n\n"), "{text}");
    assert_fits_narrow_screens(&view.page());
}

#[test]
fn no_page_is_wider_than_its_screen() {
    for work in [Does::SumsOfRows, Does::SumsOfColumns, Does::Fills, Does::Multiplies] {
        let view = NestView::new(&nest(work), &Mapping::naive()).unwrap();
        assert_fits_narrow_screens(&view.page());
    }
}

#[test]
fn a_page_needs_nothing_but_itself_and_shows_names_as_text() {
    let mut builder = Builder::new("nothing");
    let n = builder.parameter("n");
    let a = builder.in_out("a", [n.into()]);
    builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(a.at([i]), 0.0));
    let mut nest = builder.finish().unwrap();
    nest.arrays[0].name = "a<script>".to_owned(); // as a nest that was read may have it
    let view = NestView::new(&nest, &Mapping::naive()).unwrap();
    let page = view.page();
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
    let own = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!own.contains("http") && !own.contains("src=") && !own.contains("@import"), "{own}");
    for picture in view.pictures() {
        assert!(
            picture.svg.starts_with("<svg xmlns=") && !picture.svg.contains("<script"),
            "{}",
            picture.svg
        );
    }
}
