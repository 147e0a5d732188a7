//! The data that a nest is run on.

use nitro_launch::{Element, Storage};

use crate::array::Array;
use crate::nest::Nest;
use crate::nest::expression::Unary;
use crate::nest::gather::IndexDeclaration;
use crate::number::{Number, Stored};

/// Values for the arguments of a nest, each list in the order of the nest's; of single precision, or of double for
/// nests of that.
///
/// ```
/// use nitro_nest::{Array2, Data, nest};
///
/// #[nest]
/// fn double(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
///     for i in 0..n {
///         for j in 0..n {
///             a[[i, j]] *= 2.0;
///         }
///     }
/// }
///
/// let nest = double::nest();
/// let mut data = Data::new(&nest, &[2], &[])?;
/// data.arrays[0].fill(1.5);
/// nest.run(&mut data)?;
/// assert_eq!(data.arrays[0], [3.0; 4]);
/// # Ok::<(), nitro_nest::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Data<T = f32> {
    /// The sizes.
    pub parameters: Vec<i64>,
    /// The scalar arguments.
    pub scalars: Vec<T>,
    /// The elements of the arrays, the last dimension the fastest.
    pub arrays: Vec<Vec<T>>,
    /// The elements of the arrays of integers, the last dimension the fastest.
    pub indices: Vec<Vec<u32>>,
}

/// An error of a run of a nest or its kernels on some data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The data have another number of values than the nest has arguments.
    #[error("the nest `{nest}` takes {expected} {what} and was given {given}")]
    WrongNumber {
        /// The name of the nest.
        nest: String,
        /// Sizes, scalars, arrays, or elements of which array.
        what: String,
        /// The number that it takes.
        expected: usize,
        /// The number that there is.
        given: usize,
    },
    /// The data are of another precision than the nest.
    #[error("the nest `{nest}` computes in `{}` and was given data of `{}`", expected.name(), given.name())]
    Element {
        /// The name of the nest.
        nest: String,
        /// Its numbers.
        expected: Element,
        /// Those of the data.
        given: Element,
    },
    /// An array has an element that its form in memory has not.
    #[error("the array `{array}` is stored in `{storage}`, which has no {element}: round it first")]
    Storage {
        /// The name of the array.
        array: String,
        /// The form.
        storage: &'static str,
        /// The element.
        element: String,
    },
    /// A size is negative, or an array would have more elements than memory has room for.
    #[error("the array `{array}` cannot have the shape {shape:?}")]
    Shape {
        /// The name of the array.
        array: String,
        /// The extents.
        shape: Vec<i64>,
    },
    /// A statement touches what is no element.
    #[error("`{statement}` touches {array}{subscripts:?}, which has the shape {shape:?}")]
    OutOfBounds {
        /// The statement.
        statement: String,
        /// The name of the array.
        array: String,
        /// The element that there is not.
        subscripts: Vec<i64>,
        /// The extents.
        shape: Vec<i64>,
    },
    /// A thread copies several neighbours at once, and the first is not at a multiple of their number.
    #[error(
        "`{statement}` copies several elements at once from or to {array}{subscripts:?}, which is not aligned for that"
    )]
    Misaligned {
        /// The statement.
        statement: String,
        /// The name of the array.
        array: String,
        /// The first of the elements.
        subscripts: Vec<i64>,
    },
    /// Two threads of a kernel touch one element, one of them writes, and no barrier is in between.
    #[error("kernel `{kernel}`: {first} and {second} race for {element}")]
    Race {
        /// The name of the kernel.
        kernel: String,
        /// One thread and what it does.
        first: String,
        /// The other thread and what it does.
        second: String,
        /// The element.
        element: String,
    },
    /// Not all threads of a block come to the same barrier.
    #[error("kernel `{kernel}`: {what}")]
    Divergence {
        /// The name of the kernel.
        kernel: String,
        /// The threads that wait and those that do not.
        what: String,
    },
    /// The run takes more instructions than it was given.
    #[error("kernel `{kernel}` is at its end after more instructions than it was given")]
    TooLong {
        /// The name of the kernel.
        kernel: String,
    },
}

impl Data {
    /// Takes these sizes and scalars, and arrays of zeros.
    ///
    /// # Errors
    /// When their number is not that of the nest's arguments, or they give an array a shape that there cannot be. When
    /// the nest is one of double precision.
    pub fn new(nest: &Nest, parameters: &[i64], scalars: &[f32]) -> Result<Self, RunError> {
        Self::with_zeros(nest, parameters, scalars)
    }

    /// Returns the extents of the arrays of a nest, of temporaries too, for these sizes.
    ///
    /// # Errors
    /// When their number is not that of the nest's, or they give an array a shape that there cannot be.
    pub fn shapes_of(nest: &Nest, parameters: &[i64]) -> Result<Vec<Vec<i64>>, RunError> {
        count(nest, "sizes", nest.parameters().len(), parameters.len())?;
        (0..nest.arrays.len()).map(|array| shape(nest, array, parameters)).collect()
    }
}

impl Data<f64> {
    /// Takes these sizes and scalars, and arrays of zeros, for a nest of double precision.
    ///
    /// # Errors
    /// As [`new`](Data::new), and when the nest is one of single precision.
    pub fn in_double(nest: &Nest, parameters: &[i64], scalars: &[f64]) -> Result<Self, RunError> {
        Self::with_zeros(nest, parameters, scalars)
    }
}

impl<T: Number> Data<T> {
    fn with_zeros(nest: &Nest, parameters: &[i64], scalars: &[T]) -> Result<Self, RunError> {
        is_of(nest, T::ELEMENT)?;
        count(nest, "scalars", nest.scalars.len(), scalars.len())?;
        let shapes = Data::shapes_of(nest, parameters)?;
        let shapes = &shapes[..nest.arguments()];
        let arrays =
            shapes.iter().map(|shape| vec![T::default(); shape.iter().product::<i64>() as usize]).collect();
        let indices = index_shapes(nest, parameters)?;
        let indices = indices.iter().map(|shape| vec![0; shape.iter().product::<i64>() as usize]).collect();
        Ok(Self { parameters: parameters.to_vec(), scalars: scalars.to_vec(), arrays, indices })
    }

    /// Returns a size, as `#[nest]` functions take it.
    ///
    /// # Panics
    /// When there is no such size, or it is negative.
    #[must_use]
    pub fn size(&self, parameter: usize) -> usize {
        usize::try_from(self.parameters[parameter]).expect("no size is negative")
    }

    /// Takes an array out, as `#[nest]` functions take it; [`give`](Self::give) puts it back.
    ///
    /// ```
    /// use nitro_nest::{Builder, Data};
    ///
    /// let mut builder = Builder::new("nothing");
    /// let n = builder.parameter("n");
    /// builder.in_out("a", [n.into(), n.into()]);
    /// let nest = builder.finish()?;
    /// let mut data = Data::new(&nest, &[3], &[])?;
    /// let mut a = data.take::<2>(&nest, 0);
    /// a[[data.size(0) - 1, 0]] = 1.0;
    /// data.give(0, a);
    /// assert_eq!(data.arrays[0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When the data are not of this nest, or the array has another number of dimensions.
    #[must_use]
    pub fn take<const D: usize>(&mut self, nest: &Nest, array: usize) -> Array<T, D> {
        let shape = shape(nest, array, &self.parameters).unwrap_or_else(|error| panic!("{error}"));
        Array::new(of_dimensions(shape), std::mem::take(&mut self.arrays[array]))
    }

    /// Takes an array out that is stored in another form, as [`take`](Self::take) does;
    /// [`give_stored`](Self::give_stored) puts it back. `Data` have its elements as the numbers that they are.
    ///
    /// # Panics
    /// As [`take`](Self::take).
    #[must_use]
    pub fn take_stored<S: Stored, const D: usize>(&mut self, nest: &Nest, array: usize) -> Array<S, D> {
        let taken = self.take::<D>(nest, array);
        let elements = taken.as_slice().iter().map(|element| S::rounded(element.widened())).collect();
        Array::new(taken.shape(), elements)
    }

    /// Puts an array back that is stored in another form.
    pub fn give_stored<S: Stored, const D: usize>(&mut self, array: usize, elements: Array<S, D>) {
        self.arrays[array] =
            elements.as_slice().iter().map(|element| T::rounded(element.widened())).collect();
    }

    /// Takes an array of integers out, as [`take`](Self::take) does; [`give_indices`](Self::give_indices) puts it back.
    ///
    /// # Panics
    /// As [`take`](Self::take).
    #[must_use]
    pub fn take_indices<const D: usize>(&mut self, nest: &Nest, array: usize) -> Array<u32, D> {
        let shapes = index_shapes(nest, &self.parameters).unwrap_or_else(|error| panic!("{error}"));
        Array::new(of_dimensions(shapes[array].clone()), std::mem::take(&mut self.indices[array]))
    }

    /// Puts an array of integers back.
    pub fn give_indices<const D: usize>(&mut self, array: usize, elements: Array<u32, D>) {
        self.indices[array] = elements.into_vec();
    }

    /// Puts an array back.
    pub fn give<const D: usize>(&mut self, array: usize, elements: Array<T, D>) {
        self.arrays[array] = elements.into_vec();
    }

    /// Checks that the form in which an array is stored has its elements.
    fn is_stored(&self, nest: &Nest, array: usize) -> Result<(), RunError> {
        let declared = &nest.arrays[array];
        let round = match declared.storage {
            Storage::Number => return Ok(()),
            Storage::F16 => Unary::RoundF16,
            Storage::Bf16 => Unary::RoundBf16,
        };
        let is_other = |element: &&T| {
            let value = element.widened();
            !value.is_nan() && T::unary(round, **element).widened() != value
        };
        match self.arrays[array].iter().find(is_other) {
            None => Ok(()),
            Some(element) => Err(RunError::Storage {
                array: declared.name.clone(),
                storage: declared.storage.name(nest.element),
                element: element.widened().to_string(),
            }),
        }
    }

    /// Checks that these are values for the nest, and returns the extents of its arrays.
    pub(crate) fn shapes(&self, nest: &Nest) -> Result<Vec<Vec<i64>>, RunError> {
        is_of(nest, T::ELEMENT)?;
        count(nest, "scalars", nest.scalars.len(), self.scalars.len())?;
        count(nest, "arrays", nest.arguments(), self.arrays.len())?;
        let shapes = Data::shapes_of(nest, &self.parameters)?;
        for (array, shape) in shapes[..nest.arguments()].iter().enumerate() {
            let expected = shape.iter().product::<i64>() as usize;
            let what = format!("elements of `{}`", nest.arrays[array].name);
            count(nest, &what, expected, self.arrays[array].len())?;
            self.is_stored(nest, array)?;
        }
        count(nest, "arrays of integers", nest.indices.len(), self.indices.len())?;
        for (array, shape) in index_shapes(nest, &self.parameters)?.iter().enumerate() {
            let what = format!("elements of `{}`", nest.indices[array].name);
            count(nest, &what, shape.iter().product::<i64>() as usize, self.indices[array].len())?;
        }
        Ok(shapes)
    }
}

/// The arrays of integers that a run reads.
#[derive(Clone, Copy)]
pub(crate) struct Indices<'a> {
    nest: &'a Nest,
    shapes: &'a [Vec<i64>],
    elements: &'a [Vec<u32>],
}

impl<'a> Indices<'a> {
    /// Takes the arrays with their shapes.
    pub(crate) fn new(nest: &'a Nest, shapes: &'a [Vec<i64>], elements: &'a [Vec<u32>]) -> Self {
        Self { nest, shapes, elements }
    }

    /// Reads an integer for a statement.
    pub(crate) fn get(
        &self,
        indices: usize,
        subscripts: &[i64],
        statement: impl FnOnce() -> String,
    ) -> Result<u32, RunError> {
        let shape = &self.shapes[indices];
        let at = offset(shape, subscripts).ok_or_else(|| RunError::OutOfBounds {
            statement: statement(),
            array: self.nest.indices[indices].name.clone(),
            subscripts: subscripts.to_vec(),
            shape: shape.clone(),
        })?;
        Ok(self.elements[indices][at])
    }
}

fn of_dimensions<const D: usize>(shape: Vec<i64>) -> [usize; D] {
    let shape: Vec<usize> = shape.into_iter().map(|extent| extent as usize).collect();
    shape.try_into().expect("the array has as many dimensions as the function says")
}

/// Returns temporaries, as they are when a nest begins.
///
/// They are not zeros, so that what is read before it is written shows.
pub(crate) fn temporaries<T: Number>(nest: &Nest, shapes: &[Vec<i64>]) -> impl Iterator<Item = Vec<T>> {
    shapes[nest.arguments()..].iter().map(|shape| vec![T::UNSET; shape.iter().product::<i64>() as usize])
}

/// Checks that a nest computes with these numbers.
fn is_of(nest: &Nest, given: Element) -> Result<(), RunError> {
    if nest.element == given {
        return Ok(());
    }
    Err(RunError::Element { nest: nest.name.clone(), expected: nest.element, given })
}

fn count(nest: &Nest, what: &str, expected: usize, given: usize) -> Result<(), RunError> {
    if expected == given {
        return Ok(());
    }
    Err(RunError::WrongNumber { nest: nest.name.clone(), what: what.to_owned(), expected, given })
}

/// Returns the extents of the arrays of integers.
pub(crate) fn index_shapes(nest: &Nest, parameters: &[i64]) -> Result<Vec<Vec<i64>>, RunError> {
    let of_one = |declaration: &IndexDeclaration| {
        nitro_launch::shape(&declaration.shape, &nest.values(parameters), false)
            .map_err(|shape| RunError::Shape { array: declaration.name.clone(), shape })
    };
    nest.indices.iter().map(of_one).collect()
}

/// Returns the extents of an array.
fn shape(nest: &Nest, array: usize, parameters: &[i64]) -> Result<Vec<i64>, RunError> {
    let declaration = &nest.arrays[array];
    nitro_launch::shape(&declaration.shape, &nest.values(parameters), array >= nest.arguments())
        .map_err(|shape| RunError::Shape { array: declaration.name.clone(), shape })
}

/// Returns the place of an element among all of its array, if it is one.
pub(crate) fn offset(shape: &[i64], subscripts: &[i64]) -> Option<usize> {
    let mut offset = 0;
    for (subscript, extent) in subscripts.iter().zip(shape) {
        if !(0..*extent).contains(subscript) {
            return None;
        }
        offset = offset * extent + subscript;
    }
    Some(offset as usize)
}
