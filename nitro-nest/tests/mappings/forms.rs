//! What sets elements next to what sums them up, and rows as one loop: the nest stays what it is.

use nitro_nest::{Array2, Array3, Array4, Form, Mapping, Nest, Tiling, nest};

use crate::agreement::{assert_agrees, assert_same, data};

const SIZES: [i64; 7] = [0, 1, 2, 7, 8, 31, 33];

#[nest(reassoc)]
fn triangle(
    n: usize,
    m: usize,
    beta: f32,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..=i {
            c[[i, j]] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[[i, j]] += a[[i, k]] * a[[j, k]];
            }
        }
    }
}

/// In two loops at the top, the sum's in another order.
#[nest]
fn apart(n: usize, m: usize, #[shape(n, m)] c: &mut Array2<f32>, #[shape(m, n)] a: &Array2<f32>) {
    for i in 0..n {
        for j in 0..m {
            c[[i, j]] = 1.0;
        }
    }
    for k in 0..n {
        for j in 0..m {
            for i in 0..n {
                c[[i, j]] += a[[j, k]];
            }
        }
    }
}

/// The sum reads what other iterations set.
#[nest]
fn needed(n: usize, #[shape(n, n)] a: &mut Array2<f32>, #[shape(n)] sums: &mut [f32]) {
    for i in 0..n {
        sums[i] = a[[i, 0]];
    }
    for i in 0..n {
        for j in 0..n {
            sums[i] += a[[i, j]];
        }
    }
    for i in 0..n {
        a[[0, i]] = 1.0;
    }
    for i in 0..n {
        for j in 0..n {
            a[[0, i]] += a[[j, i]];
        }
    }
}

/// Nothing is summed up, or elsewhere.
#[nest]
fn no_sums(n: usize, #[shape(n, n)] a: &mut Array2<f32>, #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        x[i] = 0.0;
    }
    for i in 0..n {
        for j in 0..n {
            a[[i, j]] += x[j];
        }
    }
    for i in 0..n {
        x[i] = 2.0;
    }
    for i in 1..n {
        for j in 0..n {
            x[i] += a[[i, j]];
        }
    }
}

fn loops(nest: &Nest) -> usize {
    nest.to_string().matches("for ").count()
}

#[test]
fn what_sets_an_element_comes_to_the_loops_of_its_sum_and_each_sum_keeps_its_order() {
    for (nest, before, after) in [(triangle::nest(), 4, 3), (apart::nest(), 5, 3)] {
        let joined = nest.with_joined_sums().unwrap();
        assert_eq!((loops(&nest), loops(&joined)), (before, after), "{joined}");
        let (dependences, wide) = (joined.dependences().unwrap(), [[32, 1, 1], [4, 2, 1], [2, 2, 2]]);
        let program = joined.map(&dependences, &Mapping::naive().with_register_promotion().with_blocks(wide));
        assert_eq!(program.kernels.len(), 1, "{program}");
        for (n, m) in SIZES.into_iter().flat_map(|size| [(size, size), (size, 5), (3, size)]) {
            let data = data(&nest, &[n, m], 4, 1);
            assert_same(&nest, &joined, &data);
            assert_agrees(&nest, &program, &data, 1);
        }
    }
}

#[test]
fn what_a_sum_needs_to_be_set_before_stays_before_it() {
    let nest = needed::nest();
    let joined = nest.with_joined_sums().unwrap();
    // The first sum has its own element alone; the second one reads all of them.
    assert_eq!((loops(&nest), loops(&joined)), (6, 5), "{joined}");
    for n in SIZES {
        assert_same(&nest, &joined, &data(&nest, &[n], 4, 1));
    }
    let nest = no_sums::nest();
    assert_eq!(nest.with_joined_sums().unwrap(), nest);
}

#[nest(reassoc)]
fn rows(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, m, l)] a: &Array3<f32>,
    #[shape(l, l)] b: &Array2<f32>,
    #[shape(n, m, l)] c: &mut Array3<f32>,
    #[shape(l)] last: &mut [f32],
) {
    for r in 0..n {
        for q in 0..m {
            for p in 0..l {
                c[[r, q, p]] = 0.0;
                for s in 0..l {
                    c[[r, q, p]] += a[[r, q, s]] * b[[s, p]];
                }
            }
        }
    }
    for p in 0..l {
        if n >= 2 && m >= 1 {
            last[p] = c[[n - 2, m - 1, p]];
        }
    }
}

/// A block of rows whose second dimension is a number, and rows of rows.
#[nest]
fn fixed(n: usize, l: usize, #[shape(n, n, 3, l)] a: &mut Array4<f32>) {
    for h in 0..n {
        for i in 0..n {
            for j in 0..3 {
                for p in 0..l {
                    a[[h, i, j, p]] += 1.0;
                }
            }
        }
    }
}

/// Each of the loops is used alone, in another order, with a distance, or goes over a part; or no tile is left.
#[nest]
fn alone(n: usize, l: usize, #[shape(n, n, l)] a: &mut Array3<f32>, #[shape(n, l)] b: &Array2<f32>) {
    for r in 0..n {
        for q in 0..n {
            for p in 0..l {
                a[[r, q, p]] = b[[q, p]];
            }
        }
    }
}

#[nest]
fn swapped(n: usize, l: usize, #[shape(n, n, l)] a: &mut Array3<f32>, #[shape(n, n, l)] b: &Array3<f32>) {
    for r in 0..n {
        for q in 0..n {
            for p in 0..l {
                a[[r, q, p]] = b[[q, r, p]];
            }
        }
    }
}

#[nest]
fn shifted(n: usize, l: usize, #[shape(n, n + 1, l)] a: &mut Array3<f32>, #[shape(n, n, l)] b: &Array3<f32>) {
    for r in 0..n {
        for q in 0..n {
            for p in 0..l {
                a[[r, q + 1, p]] = b[[r, q, p]];
            }
        }
    }
}

#[nest]
fn part(n: usize, l: usize, #[shape(n, n + 1, l)] a: &mut Array3<f32>) {
    for r in 0..n {
        for q in 0..n {
            for p in 0..l {
                a[[r, q, p]] = 1.0;
            }
        }
    }
}

#[nest]
fn numbered(n: usize, l: usize, #[shape(n, n, l)] a: &mut Array3<f32>) {
    for r in 0..n {
        for q in 0..n {
            for p in 0..l {
                a[[r, q, p]] = q as f32;
            }
        }
    }
}

#[nest]
fn elsewhere(n: usize, l: usize, #[shape(n, n, l)] a: &mut Array3<f32>) {
    for r in 0..n {
        for q in 0..n {
            for p in 0..l {
                a[[r, q, p]] = 1.0;
            }
        }
    }
    for d in 0..n {
        for p in 0..l {
            a[[d, d, p]] = 2.0;
        }
    }
}

#[nest]
fn no_tile(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
    for r in 0..n {
        for q in 0..n {
            a[[r, q]] = 1.0;
        }
    }
}

#[test]
fn rows_are_one_loop_whatever_the_tiles_and_sizes() {
    let nest = rows::nest();
    let joined = nest.with_joined_rows();
    assert_eq!(joined.parameters(), ["n", "m", "l"], "products of sizes are no arguments");
    assert!(joined.to_string().contains("n_m: usize = n * m"), "{joined}");
    assert!(joined.to_string().contains("last[p] = c[-m + n_m - 1, p]"), "{joined}");
    let tiling = Tiling {
        block: [4, 2, 1],
        thread_tile: [4, 4, 1],
        vector_width: 4,
        tile_k: 4,
        stages: 2,
        transposes: true,
        promotes: true,
        ..Tiling::default()
    };
    let tiled = Mapping::naive().with_usual_tilings([(); 3].map(|()| tiling.clone()));
    let dependences = joined.dependences().unwrap();
    let programs = [Mapping::naive().with_blocks([[32, 1, 1], [4, 2, 1], [2, 2, 2]]), tiled]
        .map(|mapping| joined.map(&dependences, &mapping));
    for program in &programs {
        assert_eq!(program.kernels[0].grid.len(), 2, "{program}");
    }
    // A tile has eight rows, or sixteen columns.
    for sizes in [
        [0, 3, 2],
        [3, 0, 2],
        [3, 2, 0],
        [1, 1, 1],
        [2, 2, 2],
        [7, 1, 15],
        [3, 3, 16],
        [1, 8, 17],
        [31, 1, 2],
        [11, 3, 5],
    ] {
        let data = data(&nest, &sizes, 4, 1);
        assert_same(&nest, &joined, &data);
        programs.iter().for_each(|program| assert_agrees(&nest, program, &data, 1));
    }
}

#[test]
fn rows_of_rows_are_one_loop_where_the_sizes_make_a_product() {
    let nest = fixed::nest();
    let joined = nest.with_joined_rows();
    assert!(joined.to_string().contains("for hij in 0..3 * n_n"), "{joined}");
    for n in [0, 1, 2, 5] {
        assert_same(&nest, &joined, &data(&nest, &[n, 3], 4, 1));
    }
}

/// Pictures with colours as the last dimension, each colour blurred by itself.
#[nest(reassoc)]
fn blurred(
    n: usize,
    m: usize,
    #[shape(n + 2, m + 2, 3)] x: &Array3<f32>,
    #[shape(3, 3)] weights: &Array2<f32>,
    #[shape(n, m, 3)] y: &mut Array3<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for colour in 0..3 {
                y[[i, j, colour]] = 0.5;
                for u in 0..3 {
                    for v in 0..3 {
                        y[[i, j, colour]] += x[[i + u, j + v, colour]] * weights[[u, v]];
                    }
                }
            }
        }
    }
}

#[test]
fn neighbours_of_few_numbers_are_one_loop_with_those_around_also_where_a_window_is_read() {
    let nest = blurred::nest();
    let joined = nest.with_joined_rows();
    assert!(joined.to_string().contains("for jcolour in 0..3 * m"), "{joined}");
    assert!(joined.to_string().contains("x[i + u, jcolour + 3 * v]"), "{joined}");
    let program = joined.map(&joined.dependences().unwrap(), &Mapping::sane());
    for sizes in [[0, 2], [1, 1], [3, 5], [2, 40]] {
        let data = data(&nest, &sizes, 0, 1);
        assert_same(&nest, &joined, &data);
        assert_agrees(&nest, &program, &data, 1);
    }
}

#[test]
fn loops_that_number_no_rows_stay_as_they_are() {
    let all = [
        alone::nest(),
        swapped::nest(),
        shifted::nest(),
        part::nest(),
        numbered::nest(),
        elsewhere::nest(),
        no_tile::nest(),
    ];
    for nest in all {
        assert_eq!(nest.with_joined_rows(), nest);
    }
}

#[cfg(feature = "search")]
#[test]
fn a_mapping_names_the_form_of_the_nest_and_what_was_written_before_means_what_it_meant() {
    use nitro_nest::MappingSpace;

    let space = MappingSpace::new(&triangle::nest()).unwrap();
    assert_eq!(space.map(&Mapping::sane()).kernels.len(), 1);
    let json = serde_json::to_value(Mapping::sane()).unwrap();
    let mut before = json.clone();
    before.as_object_mut().unwrap().remove("form");
    let before: Mapping = serde_json::from_value(before).unwrap();
    assert_eq!(before, Mapping::sane().with_form(Form::default()));
    assert_eq!(space.map(&before).kernels.len(), 2);
    assert!(serde_json::to_value(&before).unwrap().get("form").is_none());

    let space = MappingSpace::new(&rows::nest()).unwrap();
    let grid = |joins_rows| {
        let form = Form { joins_rows, ..Form::default() };
        space.map(&Mapping::sane().with_form(form)).kernels[0].grid.len()
    };
    assert_eq!([grid(false), grid(true)], [3, 2]);
}
