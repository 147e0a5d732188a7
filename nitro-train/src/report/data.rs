//! What the page shows: names and numbers, of whatever origin.

/// Everything on the page.
#[derive(Clone, Debug, Default)]
pub struct ReportData {
    /// Heading of the page.
    pub title: String,
    /// One or two sentences below the heading.
    pub about: String,
    /// Name of the machine or device that was measured.
    pub machine: String,
    /// What is known of it.
    pub machine_features: Vec<Quantity>,
    /// One section each.
    pub functions: Vec<FunctionReport>,
    /// Last line, such as when and by which version the page was made.
    pub footer: String,
}

/// A number of a machine.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// What it measures, such as `L2 cache`.
    pub name: String,
    /// How much.
    pub value: f64,
    /// Of what; empty for a mere count.
    pub unit: String,
}

/// How one function fared.
#[derive(Clone, Debug, Default)]
pub struct FunctionReport {
    /// The function's name.
    pub name: String,
    /// Number of inputs that selectors learned from.
    pub training_inputs: usize,
    /// Number of inputs that they were judged on.
    pub test_inputs: usize,
    /// The selectors, in the order to show them.
    pub scores: Vec<Score>,
    /// The leave-one-device-out table, where several devices are recorded.
    pub held_out: Option<HeldOut>,
    /// Which variants were best on the training inputs.
    pub winners: Winners,
    /// The selectors' choices one by one.
    pub curves: Vec<Curve>,
}

/// What one selector achieved on this machine: shares of exhaustive search, 1.0 = always the best variant.
#[derive(Clone, Debug)]
pub struct Score {
    /// What the selector is called.
    pub selector: String,
    /// What it knows, in a few words.
    pub description: String,
    /// Mean over the test inputs.
    pub mean: f64,
    /// 5th percentile over the test inputs.
    pub p05: f64,
    /// The worst test input.
    pub worst: f64,
    /// Whether it is the selector that the page is about.
    pub highlighted: bool,
}

/// How selectors do on a device that they were not trained on.
#[derive(Clone, Debug, Default)]
pub struct HeldOut {
    /// The columns.
    pub selectors: Vec<String>,
    /// The rows.
    pub devices: Vec<HeldOutDevice>,
    /// A sentence on how much the best variant depends on the device; empty for none.
    pub sensitivity: String,
}

/// One row of [`HeldOut`].
#[derive(Clone, Debug)]
pub struct HeldOutDevice {
    /// The device that was left out.
    pub device: String,
    /// Mean share of exhaustive search of each of [`HeldOut::selectors`]; `None` where one does not apply.
    pub means: Vec<Option<f64>>,
    /// The device features that cross-validation chose without this device.
    pub device_features: Vec<String>,
}

/// On which share of the training inputs each variant was best.
#[derive(Clone, Debug, Default)]
pub struct Winners {
    /// The variants.
    pub variants: Vec<String>,
    /// Each device with the share of each of `variants`.
    pub devices: Vec<(String, Vec<f64>)>,
    /// Mean share of exhaustive search over the devices that the others reach without each of `variants`.
    pub without: Vec<f64>,
}

/// One selector's share of exhaustive search on every test input, in any order.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What the selector is called.
    pub selector: String,
    /// Time of the best variant by time of the chosen one, 0 for a failed one.
    pub shares: Vec<f64>,
}
