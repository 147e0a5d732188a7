//! Every variant of `cuda_spmv` multiplies as the host does.

use crate::support::{compile_for_all_architectures, on_gpu_and_partition};
use nitro_benchmarks::cuda::cuda_spmv::{self, Variant};
use nitro_benchmarks::cuda::spmv::{
    Csr, DIA_FILL_CUTOFF, ELL_FILL_CUTOFF, Matrix, PROGRAM, Pattern, Reference, inputs,
};
use nitro_cuda::Buffer;

#[test]
fn kernels_compile() {
    compile_for_all_architectures(&[&PROGRAM]);
}

fn is_admissible(variant: Variant, a: &Matrix) -> bool {
    match variant {
        Variant::Ell => a.ell_fill() <= ELL_FILL_CUTOFF,
        Variant::Dia => a.dia_fill() <= DIA_FILL_CUTOFF,
        #[cfg(feature = "vendor")]
        Variant::Cusparse => a.cusparse().is_some(),
        _ => true,
    }
}

/// Compares all variants that the matrix admits with the host.
fn check(csr: &Csr, what: &str) {
    let host_x: Vec<f64> = (0..csr.pattern().columns()).map(|column| (column % 13) as f64 - 5.5).collect();
    let expected = Reference::new(csr, &host_x);
    let (a, x) = (Matrix::new(csr).unwrap(), Buffer::from_slice(&host_x).unwrap());
    let mut y = Buffer::uninit(a.rows()).unwrap();
    for variant in Variant::ALL.iter().copied().filter(|variant| is_admissible(*variant, &a)) {
        y.fill_bytes(0xff).unwrap();
        cuda_spmv::call(variant, &a, &x, &mut y)
            .unwrap_or_else(|error| panic!("{variant} of {what}: {error}"));
        assert!(expected.matches(&y.to_vec().unwrap()), "{variant} of {what}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn products_match_for_every_shape() {
    on_gpu_and_partition(|| {
        // Every shape in a small and in a medium size; seeds that are used nowhere else.
        for name in inputs::names().iter().filter(|name| name.starts_with("test/")) {
            let Some((shape, _)) = name.rsplit_once("-s") else { continue };
            let csr = inputs::load(&format!("{shape}-s77")).unwrap();
            if csr.pattern().nonzeros() < 1_000_000 {
                check(&csr, name);
            }
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn shipped_matrices_are_multiplied() {
    on_gpu_and_partition(|| {
        for name in inputs::names().iter().filter(|name| name.starts_with("test/suitesparse/")) {
            check(&inputs::load(name).unwrap(), name);
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn large_matrices_are_multiplied() {
    nitro_cuda::device(0).unwrap().enter();
    for name in ["test/regular-n1000000-k16-s7", "test/outliers-n3000000-k3-s7", "test/long-m4-k5000000-s7"] {
        check(&inputs::load(name).unwrap(), name);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn small_and_empty_matrices_are_multiplied() {
    nitro_cuda::device(0).unwrap().enter();
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1), (3, 9), (9, 3), (8, 8), (513, 511)] {
        let none = Pattern::from_rows(rows, columns, |_, _| {});
        check(&Csr::with_values(none, |_, _, _| {}), &format!("empty {rows} x {columns}"));
        let corner =
            Pattern::from_rows(rows, columns, |row, columns| columns.extend((row == 0).then_some(0)));
        check(
            &Csr::with_values(corner, |_, _, values| values.fill(2.5)),
            &format!("corner of {rows} x {columns}"),
        );
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn one_row_may_hold_nearly_everything() {
    nitro_cuda::device(0).unwrap().enter();
    for length in [1790, 1791, 1792, 1793, 50_000] {
        let pattern = Pattern::from_rows(40_000, 50_000, |row, columns| match row {
            20_000 => columns.extend(0..length),
            0 | 39_999 => columns.push(3),
            _ => {}
        });
        check(&Csr::with_values(pattern, |_, _, values| values.fill(1.25)), &format!("a row of {length}"));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn vectors_of_another_length_are_refused() {
    nitro_cuda::device(0).unwrap().enter();
    let a = Matrix::new(&inputs::load("test/banded-n300-w1-p100-s1").unwrap()).unwrap();
    let (x, mut short) = (Buffer::zeroed(300).unwrap(), Buffer::zeroed(299).unwrap());
    for variant in Variant::ALL.iter().copied().filter(|variant| is_admissible(*variant, &a)) {
        let error = cuda_spmv::call(variant, &a, &x, &mut short).unwrap_err();
        assert!(error.to_string().contains("299"), "{error}");
    }
}
