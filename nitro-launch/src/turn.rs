//! Grids with more blocks along y or z than a device has there: two axes change places.

use crate::{Launch, LaunchPlan, PlannedPtx};

/// Blocks that a device launches along x, y and z.
const MOST_BLOCKS: [i64; 3] = [i32::MAX as i64, 65_535, 65_535];
const AXES: [&str; 3] = ["x", "y", "z"];

impl Launch {
    /// The axis of the grid that changes places with x, so that a device launches as many blocks: x itself where it
    /// does so anyway. None where no such change is enough.
    ///
    /// ```
    /// use nitro_launch::Launch;
    ///
    /// let launch = Launch { kernel: 0, grid: [128, 70_000, 1], integers: vec![] };
    /// assert_eq!(launch.first_axis(), Some(1));
    /// assert_eq!(launch.turned_grid(1), [70_000, 128, 1]);
    /// assert_eq!(Launch { grid: [70_000, 70_000, 1], ..launch }.first_axis(), None);
    /// ```
    #[must_use]
    pub fn first_axis(&self) -> Option<usize> {
        (0..AXES.len()).find(|axis| {
            let grid = self.turned_grid(*axis);
            grid.iter().zip(MOST_BLOCKS).all(|(blocks, most)| *blocks <= most)
        })
    }

    /// The grid with an axis and x in each other's place, for the kernels of [`LaunchPlan::turned`].
    ///
    /// # Panics
    /// When there is no such axis.
    #[must_use]
    pub fn turned_grid(&self, axis: usize) -> [i64; 3] {
        let mut grid = self.grid;
        grid.swap(0, axis);
        grid
    }
}

impl LaunchPlan {
    /// The plan with kernels that are launched with an axis of the grid and x in each other's place. Threads within a
    /// block are as they were. With x it is the plan as it is.
    ///
    /// # Panics
    /// When there is no such axis.
    #[must_use]
    pub fn turned(&self, axis: usize) -> Self {
        let mut turned = self.clone();
        if axis == 0 {
            return turned;
        }
        if let Some(ptx) = &self.ptx {
            turned.ptx = Some(PlannedPtx { text: turned_ptx(&ptx.text, AXES[axis]), ..ptx.clone() });
        } else {
            turned.cuda = turned_cuda(&self.cuda, axis);
        }
        turned
    }
}

/// Lets a text in CUDA C++ see indices and numbers of blocks in their new places. A macro does not expand within
/// itself; `#line` keeps the numbers of the lines.
fn turned_cuda(text: &str, axis: usize) -> String {
    let mut places = ["of.x", "of.y", "of.z"];
    places.swap(0, axis);
    format!(
        "\
template <class T>
static __device__ __forceinline__ T nitro_turned(const T of)
{{
    T turned = of;
    turned.x = {};
    turned.y = {};
    turned.z = {};
    return turned;
}}
#define blockIdx nitro_turned<uint3>(blockIdx)
#define gridDim nitro_turned<dim3>(gridDim)
#line 1
{text}",
        places[0], places[1], places[2]
    )
}

/// Lets each special register of blocks in PTX stand where the other one did.
fn turned_ptx(text: &str, axis: &str) -> String {
    let mut turned = text.to_owned();
    for register in ["%ctaid", "%nctaid"] {
        let [x, other, between] = ["x", axis, "\0"].map(|of| format!("{register}.{of}"));
        turned = turned.replace(&x, &between).replace(&other, &x).replace(&between, &other);
    }
    turned
}
