use crate::case::Case;
use crate::expected::{Expected, Results};

pub fn gemm_tiled(case: &Case) -> Results {
    let [a, b, c] = ["a", "b", "c"].map(|name| case.f32s(name));
    let [rows, columns, inner] = ["rows", "columns", "inner"].map(|name| case.size(name));
    let (alpha, beta) = (case.number("alpha"), case.number("beta"));
    let element = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        let term = |depth: usize| f64::from(a[row * inner + depth]) * f64::from(b[depth * columns + column]);
        (alpha * (0..inner).map(term).sum::<f64>() + beta * f64::from(c[at])) as f32
    };
    let values = (0..rows * columns).map(element).collect();
    vec![("c", Expected::Near { values, relative: 1e-5, absolute: 0.0 })]
}

pub fn histogram(case: &Case) -> Results {
    let mut bins = vec![0; 256];
    case.bytes("image").iter().for_each(|&value| bins[usize::from(value)] += 1);
    vec![("bins", Expected::Exactly(bins))]
}

pub fn mv_mul(case: &Case) -> Results {
    let (matrix, vector) = (case.f32s("matrix"), case.f32s("vector"));
    let product = |row: &[f32]| {
        row.iter().zip(&vector).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum::<f64>() as f32
    };
    let values = matrix.chunks(case.size("columns")).map(product).collect();
    vec![("result", Expected::Near { values, relative: 1e-5, absolute: 0.0 })]
}

pub fn sort(case: &Case) -> Results {
    let mut keys: Vec<u32> = case.i32s("unsorted").into_iter().map(i32::cast_unsigned).collect();
    keys.sort_unstable();
    vec![("sorted", Expected::Exactly(keys.into_iter().map(u32::cast_signed).collect()))]
}

pub fn spmv(case: &Case) -> Results {
    let (offsets, columns) = (case.i32s("offsets"), case.i32s("columns"));
    let (values, x) = (case.f64s("values"), case.f64s("x"));
    let product = |row: &[i32]| {
        let entries = row[0] as usize..row[1] as usize;
        entries.map(|entry| values[entry] * x[columns[entry] as usize]).sum()
    };
    vec![("y", Expected::Doubles(offsets.windows(2).map(product).collect(), 1e-12))]
}

pub fn transpose(case: &Case) -> Results {
    let (from, rows, columns) = (case.f64s("from"), case.size("rows"), case.size("columns"));
    let to = (0..rows * columns).map(|at| from[at % rows * columns + at / rows]).collect();
    vec![("to", Expected::Doubles(to, 0.0))]
}
