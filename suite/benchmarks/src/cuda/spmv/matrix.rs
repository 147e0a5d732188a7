//! A sparse matrix on a device, in all the forms that the variants read.

use std::sync::atomic::{AtomicBool, Ordering};

use nitro_cuda::{Buffer, CudaError, Grid};
use rayon::prelude::*;

use super::{Csr, Lengths, PROGRAM, Pattern, THREADS};
#[cfg(feature = "vendor")]
use crate::cuda::vendor::cusparse::Cusparse;

/// Places of the ELLPACK form for each entry above which it is not built: it would move more than four times what
/// compressed rows do.
pub const ELL_FILL_CUTOFF: f64 = 4.0;
/// Places of the diagonal form for each entry above which it is not built.
///
/// A place has no column, so it takes two thirds of an entry.
pub const DIA_FILL_CUTOFF: f64 = 6.0;

/// Items that a block of the merge kernel takes; as in `kernels.cu`.
const MERGE_TILE: usize = THREADS as usize * 7;
/// Rows are padded to whole lines of memory.
const PITCH: usize = 32;

/// A sparse matrix on a device in compressed rows.
///
/// It is there in ELLPACK and diagonal form too, where those stay below their cut-offs.
///
/// All forms are built when the matrix is made, as an application does that multiplies by it many times.
#[derive(Debug)]
pub struct Matrix {
    columns: usize,
    row_lengths: Lengths,
    ell_fill: f64,
    dia_fill: f64,
    pub(super) offsets: Buffer<u32>,
    pub(super) column_of: Buffer<u32>,
    pub(super) values: Buffer<f64>,
    pub(super) merge: Merge,
    pub(super) ell: Option<Ell>,
    pub(super) dia: Option<Dia>,
    #[cfg(feature = "vendor")]
    cusparse: Option<Cusparse>,
}

/// Where the blocks of the merge kernel leave the sums of rows that go on in the next block.
#[derive(Debug)]
pub(super) struct Merge {
    pub blocks: u32,
    pub carry_rows: Buffer<u32>,
    pub carries: Buffer<f64>,
}

/// Rows padded to the length of the longest, stored place by place.
#[derive(Debug)]
pub(super) struct Ell {
    pub width: u32,
    pub pitch: u32,
    pub columns: Buffer<u32>,
    pub values: Buffer<f64>,
}

/// Whole diagonals.
#[derive(Debug)]
pub(super) struct Dia {
    pub pitch: u32,
    /// Column minus row, one a diagonal.
    pub starts: Buffer<i32>,
    pub values: Buffer<f64>,
}

impl Matrix {
    /// Copies a matrix to the device that this thread works on, and builds the other forms there.
    ///
    /// # Errors
    /// When the device's memory is too small, or the device cannot be used.
    pub fn new(csr: &Csr) -> Result<Matrix, CudaError> {
        let pattern = csr.pattern();
        let Structure { row_lengths, ell_fill, dia_fill, diagonals } = Structure::of(pattern);
        let mut matrix = Matrix {
            columns: pattern.columns(),
            row_lengths,
            ell_fill,
            dia_fill,
            offsets: Buffer::from_slice(pattern.offsets())?,
            column_of: Buffer::from_slice(pattern.column_of())?,
            values: Buffer::from_slice(csr.values())?,
            merge: Merge::new(pattern)?,
            ell: None,
            dia: None,
            #[cfg(feature = "vendor")]
            cusparse: None,
        };
        if ell_fill <= ELL_FILL_CUTOFF {
            matrix.ell = Some(matrix.build_ell()?);
        }
        if dia_fill <= DIA_FILL_CUTOFF {
            matrix.dia = Some(matrix.build_dia(&diagonals)?);
        }
        #[cfg(feature = "vendor")]
        if pattern.nonzeros() > 0 {
            matrix.cusparse =
                Cusparse::new(matrix.columns, &matrix.offsets, &matrix.column_of, &matrix.values)?;
        }
        Ok(matrix)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// How long the rows are.
    #[must_use]
    pub fn row_lengths(&self) -> Lengths {
        self.row_lengths
    }

    /// Places that the ELLPACK form has for each entry, padding included; 1 is none.
    #[must_use]
    pub fn ell_fill(&self) -> f64 {
        self.ell_fill
    }

    /// Places that the diagonal form has for each entry, padding included; 1 is none.
    #[must_use]
    pub fn dia_fill(&self) -> f64 {
        self.dia_fill
    }

    /// cuSPARSE's form of the matrix; none without that library, or without entries.
    #[cfg(feature = "vendor")]
    #[must_use]
    pub fn cusparse(&self) -> Option<&Cusparse> {
        self.cusparse.as_ref()
    }

    fn build_ell(&self) -> Result<Ell, CudaError> {
        let pitch = self.rows().next_multiple_of(PITCH);
        let width = self.row_lengths.max as usize;
        let (mut columns, mut values) = (Buffer::uninit(pitch * width)?, Buffer::uninit(pitch * width)?);
        let arguments = [
            (self.rows() as u32).into(),
            (width as u32).into(),
            (pitch as u32).into(),
            (&self.offsets).into(),
            (&self.column_of).into(),
            (&self.values).into(),
            (&mut columns).into(),
            (&mut values).into(),
        ];
        // SAFETY: the arguments are the kernel's, and the buffers have pitch x width places.
        unsafe { PROGRAM.kernel("csr_to_ell")?.launch(Grid::covering(self.rows(), THREADS), &arguments)? };
        Ok(Ell { width: width as u32, pitch: pitch as u32, columns, values })
    }

    fn build_dia(&self, diagonals: &Diagonals) -> Result<Dia, CudaError> {
        let pitch = self.rows().next_multiple_of(PITCH);
        let mut values = Buffer::zeroed(pitch * diagonals.starts.len())?;
        let number_of = Buffer::from_slice(&diagonals.number_of)?;
        let arguments = [
            (self.rows() as u32).into(),
            (pitch as u32).into(),
            (&self.offsets).into(),
            (&self.column_of).into(),
            (&self.values).into(),
            (&number_of).into(),
            (&mut values).into(),
        ];
        // SAFETY: the arguments are the kernel's; every entry lies on one of the diagonals, which have pitch places
        // each.
        unsafe { PROGRAM.kernel("csr_to_dia")?.launch(Grid::covering(self.rows(), THREADS), &arguments)? };
        Ok(Dia { pitch: pitch as u32, starts: Buffer::from_slice(&diagonals.starts)?, values })
    }
}

impl Merge {
    fn new(pattern: &Pattern) -> Result<Merge, CudaError> {
        let blocks = (pattern.rows() + pattern.nonzeros()).div_ceil(MERGE_TILE).max(1);
        let (carry_rows, carries) = (Buffer::uninit(blocks)?, Buffer::uninit(blocks)?);
        Ok(Merge { blocks: blocks as u32, carry_rows, carries })
    }
}

/// What tells matrices apart beside their size: found once, when a matrix is made.
#[derive(Debug)]
pub struct Structure {
    /// How long the rows are.
    pub row_lengths: Lengths,
    /// Places that the ELLPACK form has for each entry; 1 without entries.
    pub ell_fill: f64,
    /// Places that the diagonal form has for each entry; 1 without entries.
    pub dia_fill: f64,
    diagonals: Diagonals,
}

impl Structure {
    /// Looks at all entries.
    #[must_use]
    pub fn of(pattern: &Pattern) -> Structure {
        let (row_lengths, diagonals) = (pattern.lengths(), Diagonals::of(pattern));
        let fill = |width: usize| match pattern.nonzeros() {
            0 => 1.0,
            nonzeros => (pattern.rows() * width) as f64 / nonzeros as f64,
        };
        let (ell_fill, dia_fill) = (fill(row_lengths.max as usize), fill(diagonals.starts.len()));
        Structure { row_lengths, ell_fill, dia_fill, diagonals }
    }
}

/// The diagonals of a matrix that hold entries.
#[derive(Debug)]
struct Diagonals {
    /// Column minus row of each.
    starts: Vec<i32>,
    /// The number of the diagonal with column - row + rows - 1; 0 where there is none.
    number_of: Vec<u32>,
}

impl Diagonals {
    fn of(pattern: &Pattern) -> Diagonals {
        let rows = pattern.rows();
        let seen: Vec<AtomicBool> = (0..rows + pattern.columns()).map(|_| AtomicBool::new(false)).collect();
        (0..rows).into_par_iter().with_min_len(1024).for_each(|row| {
            for column in pattern.row(row) {
                let place = &seen[*column as usize + rows - 1 - row];
                // Reading first keeps the line shared among cores: nearly all have been seen before.
                if !place.load(Ordering::Relaxed) {
                    place.store(true, Ordering::Relaxed);
                }
            }
        });
        let (mut starts, mut number_of) = (Vec::new(), vec![0; seen.len()]);
        for (place, _) in seen.iter().enumerate().filter(|(_, seen)| seen.load(Ordering::Relaxed)) {
            number_of[place] = starts.len() as u32;
            starts.push((place as i64 - (rows as i64 - 1)) as i32);
        }
        Diagonals { starts, number_of }
    }
}
