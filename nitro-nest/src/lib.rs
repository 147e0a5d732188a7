//! Loop nests: written as plain Rust, kept as data.
//!
//! - [`macro@nest`] on a function keeps the function as it is, and gives its loops as a [`Nest`]; a [`Builder`]
//!   makes one in a program.
//! - [`Nest::run`] interprets it on some [`Data`], in the order in which it is written: the reference.
//! - [`Nest::statements`] is its polyhedral view: each statement with the loops around it, and the elements that it
//!   touches.
//! - [`Dependences`] say which order has to be kept; `Nest::dependences` finds them, with the feature `polyhedral`.
//! - [`Nest::map`] makes a [`Program`] of a nest: kernels and the order of their launches. `Nest::lower_with` tells
//!   of each pass. [`Program::cuda`] is its text in CUDA C++; [`Program::run`] interprets it, with threads in any
//!   order, and finds races and accesses that are out of bounds.
//!
//! A program that only dispatches does not compile this crate.

mod array;
mod data;
mod dependence;
mod interpreter;
mod kernel;
mod least;
mod limits;
mod lower;
mod mapping;
mod nest;
mod number;
#[cfg(feature = "search")]
mod origin;
mod rounding;
#[cfg(feature = "show")]
mod show;
#[cfg(feature = "search")]
mod space;

pub use self::array::{Array, Array1, Array2, Array3, Array4, Array5, Array6};
pub use self::data::{Data, RunError};
pub use self::dependence::{Dependence, DependenceError, DependenceKind, Dependences, Distance};
pub use self::kernel::{
    Cache, Caching, Extent, FragmentLoad, FragmentProduct, Host, Instruction, Integers, Kernel, Launch,
    Local, Program, Space, Unroll, WIDE,
};
pub use self::least::LeastWork;
pub use self::mapping::{Form, Mapping, MatrixArithmetic, Schedule, Tiling};
pub use self::nest::affine::{Affine, Variable};
pub use self::nest::builder::{ArrayName, Bounds, Builder, IndicesName, NestError};
pub use self::nest::expression::{Access, Binary, Bits, Expression, Relation, Select, Unary};
pub use self::nest::gather::{Gather, IndexAccess, IndexDeclaration, Subscript};
pub use self::nest::quasi::QuasiAffine;
pub use self::nest::statement::Statement;
pub use self::nest::{ArrayDeclaration, Assignment, Condition, Nest, Node, Range};
pub use self::number::{Number, Stored};
pub use nitro_launch::{Element, LaunchPlan, PlanError, Storage};

#[cfg(feature = "show")]
pub use self::show::{Bound, NestView, Occupancy, Picture};
#[cfg(feature = "search")]
pub use self::space::MappingSpace;

#[doc = include_str!("nest.md")]
pub use nitro_macros::nest;
