//! Points and distances. A sample is a pair (input, device), so the kernel function of a machine is a product of
//! two small ones:
//!
//! `exp(−γ (d²_input + d²_device)) = exp(−γ d²_input) · exp(−γ d²_device)`
//!
//! Distances between inputs are computed once for a training set and serve every subset of device features, every γ
//! and every C; what changes between subsets is a matrix with one number a pair of devices. They are computed row
//! by row when first asked for: where classes are separable, a solver asks for few rows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use nitro_core::model::{Scale, Transform};

use super::scaling::{scaled, scales_of};

/// The scaled features of the training inputs and the distances between them.
pub struct InputSpace {
    scaling: Vec<Scale>,
    /// Scaled features, one row an input.
    rows: Vec<Vec<f64>>,
    /// The same, one row a feature.
    columns: Vec<Vec<f64>>,
    squared_distances: LazyRows,
    kernels: Mutex<BTreeMap<u64, Arc<LazyRows>>>,
}

/// `exp(−γ d²)` for every pair of training inputs.
pub struct InputKernel<'a> {
    inputs: &'a InputSpace,
    gamma: f64,
    rows: Arc<LazyRows>,
}

/// The rows of a square matrix, each computed once, by the thread that first asks for it.
struct LazyRows(Vec<OnceLock<Box<[f32]>>>);

impl LazyRows {
    fn new(rows: usize) -> Self {
        Self((0..rows).map(|_| OnceLock::new()).collect())
    }

    fn get(&self, row: usize, compute: impl FnOnce() -> Box<[f32]>) -> &[f32] {
        self.0[row].get_or_init(compute)
    }
}

impl InputSpace {
    /// Scales raw features, one row an input.
    pub fn new(raw: &[&[f64]]) -> Self {
        let scaling = scales_of(raw);
        let rows = raw.iter().map(|row| scaled(&scaling, row)).collect();
        Self::with_rows(scaling, rows)
    }

    /// Takes features that are scaled already.
    pub fn scaled(rows: &[&[f64]]) -> Self {
        let unchanged = Scale { transform: Transform::Identity, min: -1.0, max: 1.0 };
        let columns = rows.first().map_or(0, |row| row.len());
        Self::with_rows(vec![unchanged; columns], rows.iter().map(|row| row.to_vec()).collect())
    }

    fn with_rows(scaling: Vec<Scale>, rows: Vec<Vec<f64>>) -> Self {
        let columns = (0..scaling.len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
        let squared_distances = LazyRows::new(rows.len());
        Self { scaling, rows, columns, squared_distances, kernels: Mutex::default() }
    }

    /// Number of inputs.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One scale a feature.
    pub fn scaling(&self) -> &[Scale] {
        &self.scaling
    }

    /// Scaled features of one input.
    pub fn row(&self, input: usize) -> &[f64] {
        &self.rows[input]
    }

    /// The kernel function for one γ.
    ///
    /// # Panics
    ///
    /// If another thread panicked while it looked for one.
    pub fn kernel(&self, gamma: f64) -> InputKernel<'_> {
        let mut kernels = self.kernels.lock().expect("nothing panics while it is locked");
        let rows = kernels.entry(gamma.to_bits()).or_insert_with(|| Arc::new(LazyRows::new(self.len())));
        InputKernel { inputs: self, gamma, rows: rows.clone() }
    }

    fn squared_distances(&self, input: usize) -> &[f32] {
        self.squared_distances
            .get(input, || squared_distances_to(&self.rows[input], &self.columns, self.len()).collect())
    }
}

impl InputKernel<'_> {
    /// Values between one input and all others.
    pub fn row(&self, input: usize) -> &[f32] {
        self.rows.get(input, || {
            let distances = self.inputs.squared_distances(input).iter();
            distances.map(|&distance| (-self.gamma * f64::from(distance)).exp() as f32).collect()
        })
    }
}

/// Scaled device features of the sources, for one subset of the features.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSpace {
    scaling: Vec<Scale>,
    rows: Vec<Vec<f64>>,
}

impl DeviceSpace {
    /// Scales raw features, one row a source device.
    pub fn new(raw: &[Vec<f64>]) -> Self {
        let scaling = scales_of(raw);
        let rows = raw.iter().map(|row| scaled(&scaling, row)).collect();
        Self { scaling, rows }
    }

    /// No device features at all: every device is the same.
    pub fn none(devices: usize) -> Self {
        Self { scaling: Vec::new(), rows: vec![Vec::new(); devices] }
    }

    /// One scale a feature.
    pub fn scaling(&self) -> &[Scale] {
        &self.scaling
    }

    /// Scaled features of one source.
    pub fn row(&self, device: usize) -> &[f64] {
        &self.rows[device]
    }

    /// `exp(−γ d²)` for every pair of sources.
    pub fn kernel(&self, gamma: f64) -> Vec<Vec<f32>> {
        let mut kernel = Vec::with_capacity(self.rows.len());
        for own in &self.rows {
            let others = self.rows.iter();
            kernel.push(others.map(|other| (-gamma * squared_distance(own, other)).exp() as f32).collect());
        }
        kernel
    }

    /// `exp(−γ d²)` between a device with these raw features, taken within the range of the sources, and every source.
    pub fn kernel_to(&self, raw: &[f64], gamma: f64) -> Vec<f64> {
        let point: Vec<f64> =
            self.scaling.iter().zip(raw).map(|(scale, &value)| scale.apply_within(value)).collect();
        self.rows.iter().map(|row| (-gamma * squared_distance(row, &point)).exp()).collect()
    }

    /// Equal for spaces in which all distances between sources are: machines trained in one are machines of the other.
    /// Rounded to a millionth, below what a kernel value in single precision resolves.
    pub fn distances_key(&self) -> Vec<i64> {
        let mut key = Vec::new();
        for (index, own) in self.rows.iter().enumerate() {
            let others = self.rows[index + 1..].iter();
            key.extend(others.map(|other| (squared_distance(own, other) * 1e6).round() as i64));
        }
        key
    }
}

/// Squared distances between one point and all points, which are given by columns: so the inner loop runs over
/// points, and the compiler can use vector instructions without changing the order of a sum.
fn squared_distances_to(point: &[f64], columns: &[Vec<f64>], points: usize) -> impl Iterator<Item = f32> {
    let mut sums = vec![0.0; points];
    for (&own, column) in point.iter().zip(columns) {
        sums.iter_mut().zip(column).for_each(|(sum, other)| *sum += (own - other) * (own - other));
    }
    sums.into_iter().map(|sum| sum as f32)
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}
