//! Several sums of the same terms, and what each term keeps.

use nitro_nest::{Array2, Data, Mapping, Nest, Program, nest};

use crate::agreement::{assert_agrees, data};

/// Forces between all points, each with three parts of one element.
#[nest(reassoc)]
fn forces(n: usize, #[shape(n, 3)] p: &Array2<f32>, #[shape(n, 3)] f: &mut Array2<f32>) {
    for i in 0..n {
        let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
        for j in 0..n {
            let (dx, dy) = (p[[j, 0]] - p[[i, 0]], p[[j, 1]] - p[[i, 1]]);
            let dz = p[[j, 2]] - p[[i, 2]];
            let near = dx * dx + dy * dy + dz * dz;
            x += dx * near;
            y += dy * near;
            z += dz * near;
        }
        f[[i, 0]] = x;
        f[[i, 1]] = y;
        f[[i, 2]] = z;
    }
}

/// A recurrence of which each value is a term of a sum.
#[nest(reassoc)]
fn chebyshev(
    n: usize,
    terms: usize,
    #[shape(n)] x: &[f32],
    #[shape(terms + 2)] c: &[f32],
    #[shape(n)] y: &mut [f32],
) {
    for i in 0..n {
        let (mut before, mut now): (f32, f32) = (1.0, x[i]);
        let mut sum = c[0] + c[1] * x[i];
        for k in 2..terms + 2 {
            let next = 2.0 * x[i] * now - before;
            sum += c[k] * next;
            before = now;
            now = next;
        }
        y[i] = sum;
    }
}

fn sane(nest: &Nest) -> Program {
    nest.lower_with(&Mapping::sane(), &mut |_, _| {}).unwrap()
}

fn assert_is_its_function(nest: &Nest, reference: fn(&mut Data), data: Data) {
    let (mut interpreted, mut expected) = (data.clone(), data);
    nest.run(&mut interpreted).unwrap();
    reference(&mut expected);
    assert_eq!(interpreted, expected, "{nest}");
}

#[test]
fn sums_to_elements_that_numbers_tell_apart_share_a_kernel() {
    let nest = forces::nest();
    assert_is_its_function(&nest, forces::reference, data(&nest, &[17], 0, 1));
    let program = sane(&nest);
    assert_eq!(program.kernels.len(), 2, "what sets the sums, and all sums: {program}");
    for n in [0, 1, 5, 40] {
        assert_agrees(&nest, &program, &data(&nest, &[n], 0, 1), 2);
    }
}

#[test]
fn what_a_recurrence_keeps_for_each_term_is_added_up_where_it_is() {
    let nest = chebyshev::nest();
    assert_is_its_function(&nest, chebyshev::reference, data(&nest, &[5, 3], 0, 1));
    let program = sane(&nest);
    assert_eq!(program.kernels.len(), 1, "{program}");
    for sizes in [[0, 2], [1, 0], [7, 1], [300, 2]] {
        assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 2);
    }
}
