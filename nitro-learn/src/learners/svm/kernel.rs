//! The kernel function over samples: a product of one over inputs and one over devices
//! ([`space`](crate::space)).

use super::smo::Kernel;
use crate::space::{DeviceSpace, InputKernel, InputSpace};
use crate::task::Sample;

/// The product kernel over some samples.
pub struct SampleKernel<'a> {
    samples: &'a [Sample],
    gamma: f64,
    inputs: &'a InputSpace,
    devices: &'a DeviceSpace,
    input_kernel: InputKernel<'a>,
    device_kernel: Vec<Vec<f32>>,
}

impl<'a> SampleKernel<'a> {
    /// The kernel over these samples of the two spaces.
    pub fn new(samples: &'a [Sample], inputs: &'a InputSpace, devices: &'a DeviceSpace, gamma: f64) -> Self {
        let (input_kernel, device_kernel) = (inputs.kernel(gamma), devices.kernel(gamma));
        Self { samples, gamma, inputs, devices, input_kernel, device_kernel }
    }
}

impl Kernel for SampleKernel<'_> {
    fn len(&self) -> usize {
        self.samples.len()
    }

    fn row(&self, sample: usize, out: &mut [f32]) {
        let Sample { input, device, .. } = self.samples[sample];
        let (inputs, devices) = (self.input_kernel.row(input), &self.device_kernel[device]);
        for (value, other) in out.iter_mut().zip(self.samples) {
            *value = inputs[other.input] * devices[other.device];
        }
    }

    fn point(&self, sample: usize) -> Option<Vec<f64>> {
        let Sample { input, device, .. } = self.samples[sample];
        let coordinates = self.inputs.row(input).iter().chain(self.devices.row(device));
        Some(coordinates.map(|coordinate| coordinate * self.gamma.sqrt()).collect())
    }
}
