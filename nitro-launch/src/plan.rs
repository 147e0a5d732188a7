//! A plan: all that a host needs to launch the kernels of a nest.

use serde::{Deserialize, Serialize};

use crate::launch::{Covering, Launch, Walk, launches, value};
use crate::{Affine, Element, Extent, Host, Integers, PlanError, PlannedPtx, Storage, Target, shape};

/// The most launches and iterations of the host's loops: seconds of nothing but launching.
const MOST_STEPS: u64 = 1 << 20;

/// What a host needs to launch the kernels of a loop nest.
///
/// A kernel takes, in this order: the sizes, their products, the iterators of the host's loops around it, the
/// scalars (`float` or `double`), and a pointer to each array, temporary and array of subscripts. Its integers are
/// `int` or `long long`, whichever [`integers`](Self::integers) says.
///
/// ```
/// use nitro_launch::{
///     Affine, Extent, Host, Integers, Launch, LaunchPlan, PlannedArray, PlannedKernel, Storage, Variable,
/// };
///
/// let n = Affine::from(Variable::Parameter(0));
/// let x = PlannedArray { name: "x".into(), shape: vec![n.clone()], is_written: true, storage: Storage::Number };
/// let plan = LaunchPlan {
///     name: "fill".into(),
///     sizes: vec!["n".into()],
///     products: vec![],
///     scalars: vec!["value".into()],
///     arrays: vec![x],
///     temporaries: vec![],
///     iterators: vec!["i".into()],
///     kernels: vec![PlannedKernel {
///         name: "fill_0".into(),
///         part: "0".into(),
///         host_iterators: vec![],
///         grid: vec![Extent { lower: vec![Affine::from(0)], upper: vec![n], step: 1 }],
///         block: [256, 1, 1],
///         points: [1; 3],
///         shared_bytes: 0,
///     }],
///     host: vec![Host::Launch(0)],
///     contracts: true,
///     target: None,
///     cuda: r#"extern "C" __global__ void fill_0(nitro_int n, float value, float* __restrict__ x) {
///         nitro_int i = 256 * (nitro_int)blockIdx.x + (nitro_int)threadIdx.x;
///         if (i < n) x[i] = value;
///     }"#.into(),
///     ..LaunchPlan::default()
/// };
/// assert_eq!(LaunchPlan::from_json(&plan.to_json())?, plan);
/// assert_eq!(plan.integers(&[1000])?, Integers::Bits32);
/// let mut launches = Vec::new();
/// plan.launches(&[1000], |launch| { launches.push(launch.clone()); Ok::<(), nitro_launch::PlanError>(()) })?;
/// assert_eq!(launches, [Launch { kernel: 0, grid: [4, 1, 1], integers: vec![1000] }]);
/// # Ok::<(), nitro_launch::PlanError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LaunchPlan {
    /// The name of the nest.
    pub name: String,
    /// The names of the sizes.
    pub sizes: Vec<String>,
    /// Products of two sizes, which count as sizes that come after these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<SizeProduct>,
    /// The names of the scalars.
    pub scalars: Vec<String>,
    /// The type of scalars and of the elements of arrays and temporaries.
    #[serde(default, skip_serializing_if = "Element::is_single")]
    pub element: Element,
    /// The arrays that it is given.
    pub arrays: Vec<PlannedArray>,
    /// The arrays that whoever launches it makes, whatever their content.
    pub temporaries: Vec<PlannedArray>,
    /// The arrays of subscripts (`unsigned`) that it is given after the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indices: Vec<PlannedIndices>,
    /// The names of the nest's iterators, of which the host's loops have some.
    pub iterators: Vec<String>,
    /// The kernels.
    pub kernels: Vec<PlannedKernel>,
    /// The steps of the host, in order.
    pub host: Vec<Host>,
    /// True where a compiler may join a product and a sum into one operation, which rounds once (`-fmad`).
    pub contracts: bool,
    /// The kernels in CUDA C++, in which integers have the type `nitro_int`: `int` or `long long`. Empty where they
    /// are PTX.
    pub cuda: String,
    /// The devices that the CUDA C++ is for, where it has instructions of their own. None: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The kernels as they were compiled, and perhaps changed after that, in the place of CUDA C++.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx: Option<PlannedPtx>,
    /// The origin, for the plan's maker to read; empty where nobody says. `nitro_nest::MappingSpace` tells from it
    /// what was done to the nest. Nothing of what is launched depends on it.
    #[serde(default)]
    pub origin: String,
}

/// The product of two sizes or products before it: the rows of an array with several dimensions, say. -1 where one of
/// them is negative.
///
/// ```
/// use nitro_launch::SizeProduct;
///
/// let rows = SizeProduct { name: "n_m".into(), factors: [0, 1] };
/// assert_eq!((rows.value(&[3, 4]), rows.value(&[-3, -4])), (12, -1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SizeProduct {
    /// Its name.
    pub name: String,
    /// The sizes, by their indices, after which the products come.
    pub factors: [usize; 2],
}

impl SizeProduct {
    /// The product for these sizes.
    ///
    /// # Panics
    /// When there is no such size.
    #[must_use]
    pub fn value(&self, sizes: &[i64]) -> i64 {
        let [one, other] = self.factors.map(|factor| sizes[factor]);
        if one < 0 || other < 0 { -1 } else { one.saturating_mul(other) }
    }

    /// The sizes, and then these products of them.
    ///
    /// ```
    /// use nitro_launch::SizeProduct;
    ///
    /// let rows = SizeProduct { name: "n_m".into(), factors: [0, 1] };
    /// let twice = SizeProduct { name: "n_m_n".into(), factors: [2, 0] };
    /// assert_eq!(SizeProduct::with_all(&[rows, twice], &[3, 4]), [3, 4, 12, 36]);
    /// ```
    ///
    /// # Panics
    /// As [`value`](Self::value).
    #[must_use]
    pub fn with_all(products: &[Self], sizes: &[i64]) -> Vec<i64> {
        let mut all = sizes.to_vec();
        products.iter().for_each(|product| all.push(product.value(&all)));
        all
    }
}

/// An array of a plan, row-major.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedArray {
    /// Its name.
    pub name: String,
    /// The extent of each dimension, the slowest first: of the sizes.
    pub shape: Vec<Affine>,
    /// True where kernels write it.
    pub is_written: bool,
    /// The form of its elements.
    #[serde(default, skip_serializing_if = "Storage::is_number")]
    pub storage: Storage,
}

/// An array of subscripts of a plan, row-major. Kernels only read it, and do not check what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedIndices {
    /// Its name.
    pub name: String,
    /// The extent of each dimension, the slowest first: of the sizes.
    pub shape: Vec<Affine>,
    /// What its elements are below, each of these: the extents of what is read there.
    pub below: Vec<Affine>,
}

/// A kernel of a plan, as the host knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedKernel {
    /// Its name in the text.
    pub name: String,
    /// The part of the nest that it runs, its statements, as a search calls it.
    pub part: String,
    /// The iterators of the host's loops around its launch.
    pub host_iterators: Vec<usize>,
    /// The values that the grid covers along x, y and z: one to three. There are as many blocks as it takes to cover
    /// each.
    pub grid: Vec<Extent>,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Values that each thread covers along x, y and z.
    pub points: [u32; 3],
    /// Bytes of dynamic shared memory that a block gets, besides what the text declares.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shared_bytes: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl PlannedKernel {
    fn covering(&self) -> Covering<'_> {
        let Self { host_iterators, grid, block, points, .. } = self;
        Covering { host_iterators, grid, block: *block, points: *points }
    }
}

impl LaunchPlan {
    /// The extents of all arrays, and then of all temporaries, for these sizes.
    ///
    /// # Errors
    /// When their number is not that of the plan, or they give an array a shape that there cannot be.
    ///
    /// # Panics
    /// As [`launches`](Self::launches).
    pub fn shapes(&self, sizes: &[i64]) -> Result<Vec<Vec<i64>>, PlanError> {
        let sizes = &self.all_sizes(sizes)?;
        let arrays = self.arrays.iter().map(|array| (array, false));
        let all = arrays.chain(self.temporaries.iter().map(|array| (array, true)));
        all.map(|(array, is_temporary)| {
            shape(&array.shape, sizes, is_temporary)
                .map_err(|shape| PlanError::Shape { array: array.name.clone(), shape })
        })
        .collect()
    }

    /// The extents of all arrays of subscripts for these sizes.
    ///
    /// # Errors
    /// As [`shapes`](Self::shapes).
    ///
    /// # Panics
    /// As [`launches`](Self::launches).
    pub fn index_shapes(&self, sizes: &[i64]) -> Result<Vec<Vec<i64>>, PlanError> {
        let sizes = &self.all_sizes(sizes)?;
        let shape = |array: &PlannedIndices| {
            shape(&array.shape, sizes, false)
                .map_err(|shape| PlanError::Shape { array: array.name.clone(), shape })
        };
        self.indices.iter().map(shape).collect()
    }

    /// Checks the content of an array of subscripts, by its index in the plan: kernels read where it says without
    /// looking. It costs a look at each element, and is for subscripts that the host has before a device gets them.
    ///
    /// ```
    /// # use nitro_launch::{LaunchPlan, PlannedIndices, Variable};
    /// let [n, rows] = [0, 1].map(|size| Variable::Parameter(size).into());
    /// let ids = PlannedIndices { name: "ids".into(), shape: vec![n], below: vec![rows] };
    /// let sizes = vec!["n".into(), "rows".into()];
    /// let plan = LaunchPlan { name: "lookup".into(), sizes, indices: vec![ids], ..LaunchPlan::default() };
    /// assert_eq!(plan.check_indices(&[3, 10], 0, &[9, 0, 9]), Ok(()));
    /// assert_eq!(
    ///     plan.check_indices(&[3, 10], 0, &[9, 10, 9]).unwrap_err().to_string(),
    ///     "element 1 of `ids` is 10, and `lookup` reads with it where there are 10 elements: write numbers below 10"
    /// );
    /// # Ok::<(), nitro_launch::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// When there are not as many elements as the sizes say, or the plan may read beside an array with one of them.
    ///
    /// # Panics
    /// When the plan has no such array, and as [`launches`](Self::launches).
    pub fn check_indices(&self, sizes: &[i64], array: usize, elements: &[u32]) -> Result<(), PlanError> {
        let expected = self.index_shapes(sizes)?[array].iter().product::<i64>() as usize;
        let PlannedIndices { name, below, .. } = &self.indices[array];
        self.count(&format!("elements of `{name}`"), expected, elements.len())?;
        let sizes = &self.all_sizes(sizes)?;
        let extents = below.iter().map(|extent| extent.evaluate(&|variable| value(sizes, &[], variable)));
        let Some(extent) = extents.min() else { return Ok(()) };
        match elements.iter().position(|element| i64::from(*element) >= extent) {
            None => Ok(()),
            Some(at) => Err(PlanError::Index {
                plan: self.name.clone(),
                array: name.clone(),
                at,
                found: elements[at],
                extent,
            }),
        }
    }

    /// The integers that the kernels count in for these sizes: those that suffice, or those of its PTX.
    ///
    /// # Errors
    /// As [`shapes`](Self::shapes), and [`PlanError::Integers`] when the PTX counts in 32 bits and these sizes take 64.
    ///
    /// # Panics
    /// As [`launches`](Self::launches).
    pub fn integers(&self, sizes: &[i64]) -> Result<Integers, PlanError> {
        let mut shapes = self.shapes(sizes)?;
        shapes.extend(self.index_shapes(sizes)?);
        let sufficient = Integers::sufficient(&self.all_sizes(sizes)?, &shapes);
        match &self.ptx {
            None => Ok(sufficient),
            Some(PlannedPtx { integers: Integers::Bits32, .. }) if sufficient == Integers::Bits64 => {
                Err(PlanError::Integers { plan: self.name.clone() })
            }
            Some(ptx) => Ok(ptx.integers),
        }
    }

    /// The sizes, and then the products of them.
    ///
    /// # Errors
    /// When their number is not that of the plan.
    ///
    /// # Panics
    /// As [`launches`](Self::launches).
    pub fn all_sizes(&self, sizes: &[i64]) -> Result<Vec<i64>, PlanError> {
        self.count("sizes", self.sizes.len(), sizes.len())?;
        Ok(SizeProduct::with_all(&self.products, sizes))
    }

    /// Calls `launch` with each launch for these sizes, in order; one without blocks is left out. A device takes each
    /// with its [`first_axis`](Launch::first_axis) along x.
    ///
    /// # Errors Those of `launch`, and when the number of sizes is not that of the plan. When a kernel would have
    /// more blocks than a device launches, or there are more than a million launches: then the first ones were made.
    ///
    /// # Panics
    /// When the plan was not checked ([`check`](Self::check)) and names what there is not.
    pub fn launches<E: From<PlanError>>(
        &self,
        sizes: &[i64],
        mut launch: impl FnMut(&Launch) -> Result<(), E>,
    ) -> Result<(), E> {
        let sizes = &self.all_sizes(sizes)?;
        let (iterators, kernels) = (self.iterators.len(), &self.kernels);
        let walk =
            launches(&self.host, iterators, &|own| kernels[own].covering(), sizes, MOST_STEPS, |one| {
                if one.grid.contains(&0) {
                    return Ok(());
                }
                self.fits(one)?;
                launch(one)
            })?;
        match walk {
            Walk::Ended => Ok(()),
            Walk::Stopped => Err(PlanError::Launches { plan: self.name.clone(), most: MOST_STEPS }.into()),
        }
    }

    /// The plan with these kernels in the place of its own, such as evolution made of them. The text has kernels of
    /// the same names, which take the same arguments.
    ///
    /// ```
    /// # use nitro_launch::{Integers, LaunchPlan, PlannedPtx};
    /// let plan = LaunchPlan { name: "nothing".into(), cuda: "// no kernels".into(), ..LaunchPlan::default() };
    /// let text = ".version 8.7\n.target sm_90\n".to_owned();
    /// let patched = plan.with_ptx(PlannedPtx { integers: Integers::Bits32, text })?;
    /// assert_eq!(LaunchPlan::from_json(&patched.to_json())?, patched);
    /// assert!(patched.runs_on(90).is_ok());
    /// assert_eq!(
    ///     patched.runs_on(80).unwrap_err().to_string(),
    ///     "the code of `nothing` is for sm_90, and this device is sm_80: take another variant there, or make it anew \
    ///      for that"
    /// );
    /// # Ok::<(), nitro_launch::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn with_ptx(&self, ptx: PlannedPtx) -> Result<Self, PlanError> {
        let plan = Self { cuda: String::new(), ptx: Some(ptx), ..self.clone() };
        plan.check()?;
        Ok(plan)
    }

    /// Checks that a device of a compute capability, as in `90`, takes the kernels, as far as the plan says.
    ///
    /// # Errors
    /// [`PlanError::Target`] when they are for others.
    pub fn runs_on(&self, architecture: u32) -> Result<(), PlanError> {
        let target = self.ptx.as_ref().map_or(self.target, PlannedPtx::target);
        let Some(target) = target.filter(|target| !target.runs_on(architecture)) else { return Ok(()) };
        Err(PlanError::Target { plan: self.name.clone(), target: target.to_string(), found: architecture })
    }

    fn fits(&self, launch: &Launch) -> Result<(), PlanError> {
        if launch.first_axis().is_some() {
            return Ok(());
        }
        Err(PlanError::Grid { kernel: self.kernels[launch.kernel].name.clone(), grid: launch.grid })
    }

    /// Checks that so many values are what the plan takes.
    ///
    /// # Errors
    /// When they are not.
    pub fn count(&self, what: &str, expected: usize, given: usize) -> Result<(), PlanError> {
        if expected == given {
            return Ok(());
        }
        Err(PlanError::Count { plan: self.name.clone(), what: what.to_owned(), expected, given })
    }
}
