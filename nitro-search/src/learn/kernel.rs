//! The kernel: the expected likeness of two candidates.

use super::Features;

/// A kernel over [`Features`]: the sum of a constant, of what is alike in parameters, of what is alike in what the
/// sources say of it, and of what weighs the sources otherwise than expected. The mean before anything is measured
/// is that of the sources by their weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kernel {
    /// Of the distance in each parameter, in its whole range.
    pub(crate) inverse_squared_lengths: Vec<f64>,
    /// Variance of what the parameters explain.
    pub(crate) own: f64,
    /// Variance of what the sources explain beyond their mean.
    pub(crate) alike: f64,
    /// Of the distance in the losses on the sources.
    pub(crate) alike_inverse_squared_length: f64,
    /// Variance of the weights of the sources.
    pub(crate) linear: f64,
    /// Variance of what nothing explains.
    pub(crate) noise: f64,
    /// Variance of the mean.
    pub(crate) constant: f64,
    /// The weight of each source; their sum is 1.
    pub(crate) weights: Vec<f64>,
}

/// Matérn's kernel of smoothness 5/2, of a squared distance in lengths.
fn matern(squared: f32) -> f32 {
    let scaled = (5.0 * squared).sqrt();
    (1.0 + scaled + scaled * scaled / 3.0) * (-scaled).exp()
}

impl Kernel {
    /// The kernel before anything is known: of lengths of one range, and with sources of small corrections to their
    /// mean.
    pub(crate) fn new(features: &Features) -> Self {
        let with_sources = !features.sources.is_empty();
        let correction = if with_sources { 0.02 } else { 0.0 };
        Self {
            inverse_squared_lengths: vec![1.0; features.parameters.len()],
            own: if with_sources { correction } else { 1.0 },
            alike: correction,
            alike_inverse_squared_length: 4.0,
            linear: correction,
            noise: 0.001,
            constant: if with_sources { 0.1 } else { 10.0 },
            weights: features.weights.clone(),
        }
    }

    /// The loss that the sources let expect.
    pub(crate) fn prior_mean(&self, features: &Features, row: usize) -> f64 {
        let sources = features.sources.iter().zip(&self.weights);
        sources.map(|(losses, weight)| weight * f64::from(losses[row])).sum()
    }

    /// Covariances of one row with others.
    pub(crate) fn covariances(&self, features: &Features, row: usize, others: Rows<'_>) -> Vec<f32> {
        let mut own = vec![0.0_f32; others.len(features)];
        for (column, &inverse) in features.parameters.iter().zip(&self.inverse_squared_lengths) {
            let (at, inverse) = (column.positions[row], inverse as f32);
            if column.category {
                others
                    .each(&column.positions, |to, value| own[to] += if value == at { 0.0 } else { inverse });
            } else {
                others.each(&column.positions, |to, value| {
                    own[to] += inverse * ((value - at) * (value - at) + if value == at { 0.0 } else { 0.1 })
                });
            }
        }
        let (constant, variance) = (self.constant as f32, self.own as f32);
        own.iter_mut().for_each(|squared| *squared = constant + variance * matern(*squared));
        if !features.sources.is_empty() {
            self.add_sources(features, row, others, &mut own);
        }
        own
    }

    fn add_sources(&self, features: &Features, row: usize, others: Rows<'_>, sums: &mut [f32]) {
        let (mut squared, mut product) = (vec![0.0_f32; sums.len()], vec![0.0_f32; sums.len()]);
        for (losses, &weight) in features.sources.iter().zip(&self.weights) {
            let (at, weight) = (losses[row], weight as f32);
            others.each(losses, |to, value| {
                squared[to] += weight * (value - at) * (value - at);
                product[to] += value * at;
            });
        }
        let (alike, linear) = (self.alike as f32, self.linear as f32);
        let inverse = self.alike_inverse_squared_length as f32;
        for ((sum, squared), product) in sums.iter_mut().zip(squared).zip(product) {
            *sum += alike * matern(inverse * squared) + linear * product;
        }
    }

    /// Variance of every row.
    pub(crate) fn variances(&self, features: &Features) -> Vec<f32> {
        let mut variances = vec![(self.constant + self.own) as f32; features.len()];
        if !features.sources.is_empty() {
            variances.iter_mut().for_each(|variance| *variance += self.alike as f32);
            for losses in &features.sources {
                let linear = self.linear as f32;
                variances
                    .iter_mut()
                    .zip(losses)
                    .for_each(|(variance, loss)| *variance += linear * loss * loss);
            }
        }
        variances
    }
}

/// All rows, or some.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    All,
    These(&'a [usize]),
}

impl Rows<'_> {
    fn len(self, features: &Features) -> usize {
        match self {
            Self::All => features.len(),
            Self::These(rows) => rows.len(),
        }
    }

    /// Calls with the position among these rows, and the row's value.
    #[inline]
    fn each(self, column: &[f32], mut take: impl FnMut(usize, f32)) {
        match self {
            Self::All => column.iter().enumerate().for_each(|(to, &value)| take(to, value)),
            Self::These(rows) => rows.iter().enumerate().for_each(|(to, &row)| take(to, column[row])),
        }
    }
}
