//! The kinds of kernels that a mapping tells apart.

/// A kind of kernels for which a mapping has a tiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelKind {
    /// Sums that several threads add up.
    Sums(Sums),
    /// A long loop has operands that several threads need, as a product of matrices has.
    Product(Tiles),
    /// The threads of a block share a row.
    Row,
    /// The same where neighbouring threads have neighbouring rows, which are the columns of an array.
    Columns,
    Other,
}

/// The axes along which tiles of a product reuse its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tiles {
    /// x and y, as those of a product of matrices.
    Plane,
    /// x and z together, and y: an operand depends on x and z, another one on y and not on z.
    WithX,
    /// y and z together, and x.
    WithY,
    /// x and y, as those of a batch of products: all operands depend on z too.
    Batch,
}

/// The axes of a grid that sums run along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    /// Along x, and maybe others.
    AlongX,
    /// Along others than x alone.
    Across,
}
