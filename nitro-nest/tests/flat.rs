//! Slices with several dimensions, as `a[i * m + j]`: the nest is the one with `Array2` and its like.

use nitro_nest::{Data, Nest, RunError, nest};
use nitro_test_support::random::Random;

/// A nest written twice: with slices, and with arrays of several dimensions.
macro_rules! twice {
    ($($name:ident { $($argument:tt)* } $flat:block { $($other:tt)* } $shaped:block)*) => {
        #[allow(clippy::nonminimal_bool)] // `!` is read, too
        mod flat {
            use nitro_nest::nest;
            $(#[nest] pub fn $name($($argument)*) $flat)*
        }
        #[allow(clippy::nonminimal_bool)]
        mod shaped {
            use nitro_nest::{Array2, Array3, Array4, nest};
            $(#[nest] pub fn $name($($other)*) $shaped)*
        }
        const BOTH: &[(fn() -> [Nest; 2], [Reference; 2])] = &[$((
            || [flat::$name::nest(), shaped::$name::nest()],
            [flat::$name::reference, shaped::$name::reference],
        )),*];
    };
}

type Reference = fn(&mut Data);

twice! {
    product {
        n: usize, m: usize, p: usize,
        #[shape(n, p)] a: &[f32], #[shape(p, m)] b: &[f32], #[shape(n, m)] c: &mut [f32],
    } {
        for i in 0..n {
            for j in 0..m {
                c[i * m + j] = 0.0;
                for k in 0..p {
                    c[m * i + j] += a[i * p + k] * b[j + k * m];
                }
            }
        }
    } {
        n: usize, m: usize, p: usize,
        #[shape(n, p)] a: &Array2<f32>, #[shape(p, m)] b: &Array2<f32>, #[shape(n, m)] c: &mut Array2<f32>,
    } {
        for i in 0..n {
            for j in 0..m {
                c[[i, j]] = 0.0;
                for k in 0..p {
                    c[[i, j]] += a[[i, k]] * b[[k, j]];
                }
            }
        }
    }

    convolution {
        f: usize, c: usize, h: usize,
        #[shape(c, h + 2, 2 * h + 2)] x: &[f32], #[shape(f, c, 3, 3)] w: &[f32], #[shape(f, h, 2 * h)] y: &mut [f32],
    } {
        for o in 0..f {
            for r in 0..h {
                for s in 0..2 * h {
                    let at = (o * h + r) * 2 * h + s;
                    y[at] = 0.0;
                    for d in 0..c {
                        let plane = d * (h + 2) * (2 * h + 2);
                        for u in 0..3 {
                            for v in 0..3 {
                                y[at] += x[plane + (r + u) * (2 * h + 2) + s + v]
                                    * w[o * c * 9 + d * 9 + 8 - u * 3 - v];
                            }
                        }
                    }
                }
            }
        }
    } {
        f: usize, c: usize, h: usize,
        #[shape(c, h + 2, 2 * h + 2)] x: &Array3<f32>, #[shape(f, c, 3, 3)] w: &Array4<f32>,
        #[shape(f, h, 2 * h)] y: &mut Array3<f32>,
    } {
        for o in 0..f {
            for r in 0..h {
                for s in 0..2 * h {
                    y[[o, r, s]] = 0.0;
                    for d in 0..c {
                        for u in 0..3 {
                            for v in 0..3 {
                                y[[o, r, s]] += x[[d, r + u, s + v]] * w[[o, d, 2 - u, 2 - v]];
                            }
                        }
                    }
                }
            }
        }
    }

    bordered {
        n: usize, h: usize, w: usize,
        #[shape(n, h, w)] x: &[f32], #[shape(n, h, w)] y: &mut [f32], #[shape(n, h, w)] z: &mut [f32],
    } {
        for b in 0..n {
            for r in 0..h {
                for c in 0..w {
                    for u in 0..3 {
                        for v in 0..3 {
                            if r + u >= 1 && r + u <= h && c + v >= 1 && c + v <= w {
                                y[(b * h + r) * w + c] += x[(b * h + r + u - 1) * w + c + v - 1];
                            }
                        }
                    }
                    z[(b * h + r) * w + c] = if c == 0 {
                        x[b * h * w + r * w + c]
                    } else if c + 1 == w || !(r > 0) {
                        0.0
                    } else {
                        x[(b * h + r) * w + c - 1] - x[(b * h + r - 1) * w + (c + 1)]
                    };
                }
            }
        }
    } {
        n: usize, h: usize, w: usize,
        #[shape(n, h, w)] x: &Array3<f32>, #[shape(n, h, w)] y: &mut Array3<f32>,
        #[shape(n, h, w)] z: &mut Array3<f32>,
    } {
        for b in 0..n {
            for r in 0..h {
                for c in 0..w {
                    for u in 0..3 {
                        for v in 0..3 {
                            if r + u >= 1 && r + u <= h && c + v >= 1 && c + v <= w {
                                y[[b, r, c]] += x[[b, r + u - 1, c + v - 1]];
                            }
                        }
                    }
                    z[[b, r, c]] = if c == 0 {
                        x[[b, r, c]]
                    } else if c + 1 == w || !(r > 0) {
                        0.0
                    } else {
                        x[[b, r, c - 1]] - x[[b, r - 1, c + 1]]
                    };
                }
            }
        }
    }

    square {
        n: usize, m: usize, p: usize, #[shape(n, n)] a: &mut [f32], #[shape(m, p)] x: &[f32],
    } {
        for i in 0..n {
            a[i * n + i] += 1.0;
            a[i * (n + 1)] *= 2.0;
            a[i * n + n - 1] += a[(n - 1 - i) * n + i];
            a[n * n - 1 - i] -= a[n * n - 1 - (i * n + i)];
            for j in 0..=i {
                a[i * n + j] += a[j * n + i];
            }
            for j in i + 1..n {
                a[i * n + n - 1 - j] -= a[(i + 1) * n - j];
            }
            for j in (1..n).rev() {
                a[i * n + j - 1] += 0.5;
            }
            for j in 0..n.saturating_sub(1) {
                a[(n - i - 1) * n + j + 1] /= 3.0;
            }
        }
        for r in 0..m {
            for t in (0..p).step_by(4) {
                for s in t..(t + 4).min(p) {
                    a[0] += x[(r + 1) * p - p + s];
                }
            }
        }
    } {
        n: usize, m: usize, p: usize, #[shape(n, n)] a: &mut Array2<f32>, #[shape(m, p)] x: &Array2<f32>,
    } {
        for i in 0..n {
            a[[i, i]] += 1.0;
            a[[i, i]] *= 2.0;
            a[[i, n - 1]] += a[[n - 1 - i, i]];
            a[[n - 1, n - 1 - i]] -= a[[n - 1 - i, n - 1 - i]];
            for j in 0..=i {
                a[[i, j]] += a[[j, i]];
            }
            for j in i + 1..n {
                a[[i, n - 1 - j]] -= a[[i, n - j]];
            }
            for j in (1..n).rev() {
                a[[i, j - 1]] += 0.5;
            }
            for j in 0..n.saturating_sub(1) {
                a[[n - i - 1, j + 1]] /= 3.0;
            }
        }
        for r in 0..m {
            for t in (0..p).step_by(4) {
                for s in t..(t + 4).min(p) {
                    a[[0, 0]] += x[[r, s]];
                }
            }
        }
    }

    literal {
        n: usize, m: usize, p: usize,
        #[shape(n, 16)] a: &mut [f32], #[shape(n, 2, 3 * m)] x: &[f32], #[shape(m, 2 * p)] y: &mut [f32],
    } {
        for i in 0..n {
            for j in 0..16 {
                a[i * 16 + j] += a[16 * i + 15 - j];
            }
            a[16 * i + 3] = 1.0;
            a[i * 16 + 15] = a[i * 16];
            for c in [0, 2] {
                for j in 0..m {
                    a[i * 16 + c * 5 + 1] += x[(i * 2 + 1) * 3 * m + c * m + j] + x[i * 6 * m + j];
                }
            }
        }
        for i in 0..m {
            let row = i * 2 * p;
            for j in (0..2 * p).step_by(2) {
                y[row + j + 1] = y[row + j] + (p * m) as f32;
            }
        }
    } {
        n: usize, m: usize, p: usize,
        #[shape(n, 16)] a: &mut Array2<f32>, #[shape(n, 2, 3 * m)] x: &Array3<f32>,
        #[shape(m, 2 * p)] y: &mut Array2<f32>,
    } {
        for i in 0..n {
            for j in 0..16 {
                a[[i, j]] += a[[i, 15 - j]];
            }
            a[[i, 3]] = 1.0;
            a[[i, 15]] = a[[i, 0]];
            for c in [0, 2] {
                for j in 0..m {
                    a[[i, c * 5 + 1]] += x[[i, 1, c * m + j]] + x[[i, 0, j]];
                }
            }
        }
        for i in 0..m {
            for j in (0..2 * p).step_by(2) {
                y[[i, j + 1]] = y[[i, j]] + (p * m) as f32;
            }
        }
    }

    gathered {
        n: usize, k: usize, w: usize,
        #[shape(n, k)] ids: &[u32], #[shape(n, w)] table: &[f32], #[shape(n, k, w)] y: &mut [f32],
    } {
        for i in 0..n {
            for j in 0..k {
                let row = ids[i * k + j] as usize * w;
                for l in 0..w {
                    y[(i * k + j) * w + l] = table[row + l] - table[w * ids[i * k + k - 1 - j] as usize + l];
                    y[(i * k + j) * w + l] *= table[i * w + ids[i * k + j] as usize];
                    y[(i * k + j) * w + l] += table[row + w - 1 - l];
                }
            }
        }
    } {
        n: usize, k: usize, w: usize,
        #[shape(n, k)] ids: &Array2<u32>, #[shape(n, w)] table: &Array2<f32>, #[shape(n, k, w)] y: &mut Array3<f32>,
    } {
        for i in 0..n {
            for j in 0..k {
                let row = ids[[i, j]] as usize;
                for l in 0..w {
                    y[[i, j, l]] = table[[row, l]] - table[[ids[[i, k - 1 - j]] as usize, l]];
                    y[[i, j, l]] *= table[[i, ids[[i, j]] as usize]];
                    y[[i, j, l]] += table[[row, w - 1 - l]];
                }
            }
        }
    }
}

#[test]
fn a_nest_of_slices_is_the_one_of_arrays() {
    for (nests, _) in BOTH {
        let [flat, shaped] = nests();
        assert_eq!(flat.to_string(), shaped.to_string());
        assert_eq!(flat, shaped);
    }
}

#[test]
fn a_nest_of_slices_does_what_its_function_does() {
    let mut random = Random::new(13);
    for (nests, functions) in BOTH {
        let [nest, _] = nests();
        for sizes in [[1, 1, 1], [2, 3, 4], [5, 2, 3], [4, 4, 4]] {
            let mut data = Data::new(&nest, &sizes, &[]).unwrap();
            for value in data.arrays.iter_mut().flatten() {
                *value = random.below(1 << 20) as f32 / 300_000.0;
            }
            let fewest = sizes[0].min(sizes[2]) as u64;
            data.indices.iter_mut().flatten().for_each(|index| *index = random.below(fewest) as u32);
            let mut expected = [data.clone(), data.clone()];
            for (function, expected) in functions.iter().zip(&mut expected) {
                function(expected);
            }
            nest.run(&mut data).unwrap();
            assert_eq!(expected, [data.clone(), data], "{} {sizes:?}", nest.name());
        }
    }
}

/// A place that an array says is looked up when the nest runs, in its own dimension.
#[nest]
fn picked(n: usize, m: usize, #[shape(n)] ids: &[u32], #[shape(n, m)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        y[i] = x[i * m + ids[i] as usize];
    }
}

#[test]
fn an_index_beyond_its_dimension_is_an_error_of_the_run() {
    let nest = picked::nest();
    let mut data = Data::new(&nest, &[2, 3], &[]).unwrap();
    data.indices[0] = vec![2, 0];
    nest.run(&mut data).unwrap();
    data.indices[0] = vec![3, 0];
    let RunError::OutOfBounds { subscripts, .. } = nest.run(&mut data).unwrap_err() else { panic!() };
    assert_eq!(subscripts, [0, 3]);
}

/// Kernels of slices that are stored in 16 bits.
#[cfg(all(feature = "polyhedral", feature = "half"))]
#[test]
fn kernels_are_the_same_too() {
    use half::f16;
    use nitro_nest::{Array2, Mapping};

    mod flat {
        use half::f16;
        use nitro_nest::nest;

        #[nest]
        pub fn scaled(n: usize, m: usize, #[shape(n, m)] x: &[f16], #[shape(n, m)] y: &mut [f16]) {
            for i in 0..n {
                for j in 0..m {
                    y[i * m + j] = f16::from_f32(x[i * m + m - 1 - j].to_f32() * 0.5);
                }
            }
        }
    }
    #[nest]
    fn scaled(n: usize, m: usize, #[shape(n, m)] x: &Array2<f16>, #[shape(n, m)] y: &mut Array2<f16>) {
        for i in 0..n {
            for j in 0..m {
                y[[i, j]] = f16::from_f32(x[[i, m - 1 - j]].to_f32() * 0.5);
            }
        }
    }
    let plans = [flat::scaled::nest(), scaled::nest()]
        .map(|nest| nest.map(&nest.dependences().unwrap(), &Mapping::sane()).plan().to_json());
    assert_eq!(plans[0], plans[1]);
    let nest = flat::scaled::nest();
    let mut data = Data::new(&nest, &[1, 2], &[]).unwrap();
    data.arrays[0] = vec![1.0, 3.0];
    flat::scaled::reference(&mut data);
    assert_eq!(data.arrays[1], [1.5, 0.5]);
}
