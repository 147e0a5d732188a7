//! The stencils of the suite, with several iterations of their loop in time a launch.

#[allow(dead_code, reason = "it is shared")]
#[path = "../../../nitro-nest/tests/mappings/agreement.rs"]
mod agreement;
#[path = "../../../nitro-nest/tests/mappings/in_time.rs"]
mod in_time;

use agreement::{assert_agrees, data};
use in_time::{is_tiled, mapped, tiling};
use nitro_polybench::stencils::{fdtd_2d, heat_3d, jacobi_2d};

#[test]
fn several_iterations_a_launch_give_the_same_bits() {
    for (nest, extents) in [(jacobi_2d::nest(), 1), (fdtd_2d::nest(), 2)] {
        for (time_steps, block, points) in [(1, 8, 1), (1, 4, 2), (2, 8, 2), (3, 8, 4)] {
            let program = mapped(&nest, time_steps, tiling([block, 1], [points, 1], 5));
            assert!(is_tiled(&nest, &program), "{program}");
            for (seed, [steps, n]) in
                [[0, 9], [1, 9], [2, 1], [5, 2], [9, 0], [7, 13], [8, 40]].into_iter().enumerate()
            {
                let sizes = [vec![steps], vec![n; extents]].concat();
                assert_agrees(&nest, &program, &data(&nest, &sizes, 6, seed as u64), seed as u64);
            }
        }
    }
}

#[test]
fn planes_are_tiled_as_rows_are() {
    let nest = heat_3d::nest();
    for (time_steps, block, points) in [(1, [6, 6], [2, 1]), (1, [4, 4], [2, 2]), (2, [12, 6], [1, 2])] {
        let program = mapped(&nest, time_steps, tiling(block, points, 3));
        assert!(is_tiled(&nest, &program), "{program}");
        for (seed, [steps, n]) in [[3, 5], [4, 12], [5, 3], [7, 9]].into_iter().enumerate() {
            assert_agrees(&nest, &program, &data(&nest, &[steps, n], 6, seed as u64), seed as u64);
        }
    }
}
