//! Arrays of the functions that nests are written as.

use std::ops::{Index, IndexMut};

/// A row-major array: what `#[nest]` functions take. In a release build with known bounds it costs what a slice costs.
///
/// ```
/// use nitro_nest::Array2;
///
/// let mut a = Array2::from_fn([2, 3], |[i, j]| (10 * i + j) as f32);
/// a[[1, 2]] += 0.5;
/// assert_eq!(a.as_slice(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.5]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Array<T, const D: usize> {
    shape: [usize; D],
    elements: Vec<T>,
}

/// An array with one dimension.
pub type Array1<T> = Array<T, 1>;
/// An array with two dimensions.
pub type Array2<T> = Array<T, 2>;
/// An array with three dimensions.
pub type Array3<T> = Array<T, 3>;
/// An array with four dimensions.
pub type Array4<T> = Array<T, 4>;
/// An array with five dimensions.
pub type Array5<T> = Array<T, 5>;
/// An array with six dimensions.
pub type Array6<T> = Array<T, 6>;

impl<T, const D: usize> Array<T, D> {
    /// Makes an array of these elements, the last dimension the fastest.
    ///
    /// ```
    /// let row = nitro_nest::Array1::new([3], vec![1, 2, 3]);
    /// assert_eq!(row[[1]], 2);
    /// ```
    ///
    /// # Panics
    /// When there are not as many elements as the shape says.
    #[must_use]
    pub fn new(shape: [usize; D], elements: Vec<T>) -> Self {
        let count: usize = shape.iter().product();
        assert_eq!(elements.len(), count, "an array of the shape {shape:?} has {count} elements");
        Self { shape, elements }
    }

    /// Makes an array whose elements this function makes of their subscripts.
    #[must_use]
    pub fn from_fn(shape: [usize; D], mut element: impl FnMut([usize; D]) -> T) -> Self {
        let mut elements = Vec::new();
        for mut offset in 0..shape.iter().product() {
            let mut subscripts = [0; D];
            for (subscript, extent) in subscripts.iter_mut().zip(&shape).rev() {
                (*subscript, offset) = (offset % extent, offset / extent);
            }
            elements.push(element(subscripts));
        }
        Self { shape, elements }
    }

    /// Returns the extent of each dimension.
    #[must_use]
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Returns all elements, the last dimension the fastest.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.elements
    }

    /// Returns all elements, the last dimension the fastest.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.elements
    }

    /// Returns all elements, the last dimension the fastest.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.elements
    }

    fn offset(&self, subscripts: [usize; D]) -> usize {
        let within = subscripts.iter().zip(&self.shape).all(|(subscript, extent)| subscript < extent);
        assert!(within, "the element {subscripts:?} is not in an array of the shape {:?}", self.shape);
        subscripts.iter().zip(&self.shape).fold(0, |offset, (subscript, extent)| offset * extent + subscript)
    }
}

impl<T: Clone + Default, const D: usize> Array<T, D> {
    /// Makes an array of zeros.
    #[must_use]
    pub fn zeros(shape: [usize; D]) -> Self {
        Self { shape, elements: vec![T::default(); shape.iter().product()] }
    }
}

impl<T, const D: usize> Index<[usize; D]> for Array<T, D> {
    type Output = T;

    fn index(&self, subscripts: [usize; D]) -> &T {
        &self.elements[self.offset(subscripts)]
    }
}

impl<T, const D: usize> IndexMut<[usize; D]> for Array<T, D> {
    fn index_mut(&mut self, subscripts: [usize; D]) -> &mut T {
        let offset = self.offset(subscripts);
        &mut self.elements[offset]
    }
}
