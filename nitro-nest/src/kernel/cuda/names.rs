//! The names of arguments, iterators and arrays in CUDA C++.

use std::collections::BTreeSet;

use nitro_launch::Element;

use crate::kernel::display::KernelNames;
use crate::kernel::{Kernel, Program};
use crate::nest::Nest;
use crate::nest::affine::Variable;
use crate::nest::display::{DIMENSIONS, Names};

/// Names that are taken in CUDA C++ and may be names in Rust.
const TAKEN: &str = "\
    alignas alignof and asm auto bitand bitor bool case catch char class compl constexpr decltype \
    default delete double explicit export float friend goto inline int long mutable namespace new \
    noexcept not nullptr operator or private protected public register short signed sizeof switch \
    template this throw typedef typeid typename union unsigned using virtual void volatile wchar_t xor \
    break const continue do else enum extern false for if return static struct true while \
    blockIdx threadIdx fminf fmaxf sqrtf fabsf expf logf tanhf sinf cosf fmaf atomicAdd float4 \
    add_wide fetch fetch_wide commit_fetches await_fetches nitro_int \
    block_x block_y block_z block_u block_v block_w block_s block_t";

/// Names that are taken besides where numbers are of double precision.
const TAKEN_IN_DOUBLE: &str = "fmin fmax sqrt fabs exp log tanh sin cos fma double2";

/// Names that are taken besides where arrays are stored in 16 bits.
const TAKEN_IN_HALF: &str = "from_f16 to_f16 round_f16 from_bf16 to_bf16 round_bf16";

/// Names that are taken besides where products are computed by matrix units, or where shared memory is asked for.
const TAKEN_BY_FRAGMENTS: &str = "\
    dynamic_shared part_tf32 part_bf16 part_f16 multiply_tf32 multiply_bf16 multiply_f16 \
    multiply_fragments_tf32 multiply_fragments_tf32x3 multiply_fragments_bf16 multiply_fragments_bf16x3 \
    multiply_fragments_bf16x6 multiply_fragments_bf16x9 multiply_fragments_f16 multiply_stored_bf16 \
    multiply_stored_f16 fetch_16_bytes show_to_matrix_units await_product await_products_but load_4_matrices load_4_matrices_transposed load_2_matrices load_2_matrices_transposed";

/// The names, none of which CUDA C++ has taken.
pub(super) struct CudaNames {
    /// The indices of a thread's block along each dimension of the grid, and of itself along x, y and z.
    indices: [Vec<String>; 2],
    pub parameters: Vec<String>,
    pub iterators: Vec<String>,
    pub scalars: Vec<String>,
    arrays: Vec<String>,
    pub integer_arrays: Vec<String>,
    element: Element,
}

impl CudaNames {
    pub fn new(program: &Program, kernel: &Kernel, integer: &str) -> Self {
        let nest = &program.nest;
        let names = KernelNames { program, kernel };
        let arrays = 0..nest.arrays.len() + kernel.locals.len();
        let mut indices = ["blockIdx", "threadIdx"]
            .map(|of| ["x", "y", "z"].map(|axis| format!("({integer}){of}.{axis}")).into());
        if kernel.has_numbered_blocks() {
            indices[0] = DIMENSIONS[..kernel.grid.len()].iter().map(|of| format!("block_{of}")).collect();
        }
        let iterators = nest.iterators.iter().chain(&kernel.iterators);
        Self {
            indices,
            parameters: nest.parameters.iter().map(|name| free(name, nest)).collect(),
            iterators: iterators.map(|name| free(name, nest)).collect(),
            scalars: nest.scalars.iter().map(|name| free(name, nest)).collect(),
            arrays: arrays.map(|array| free(names.array(array), nest)).collect(),
            element: nest.element,
            integer_arrays: nest.indices.iter().map(|array| free(&array.name, nest)).collect(),
        }
    }
}

/// Returns the name, with `_` behind it as often as it takes to be free.
fn free(name: &str, nest: &Nest) -> String {
    if !is_taken(name, nest) {
        return name.to_owned();
    }
    let used: BTreeSet<&String> = nest.names().collect();
    let mut free = format!("{}_", name.trim_start_matches('_'));
    while used.contains(&free) || is_taken(&free, nest) {
        free.push('_');
    }
    free
}

fn is_taken(name: &str, nest: &Nest) -> bool {
    let others = if nest.element.is_single() { "" } else { TAKEN_IN_DOUBLE };
    let is_of_numbers = nest.arrays.iter().all(|array| array.storage.is_number());
    let converted = if is_of_numbers { "" } else { TAKEN_IN_HALF };
    let mut all =
        [TAKEN, others, converted, TAKEN_BY_FRAGMENTS].into_iter().flat_map(|names| names.split(' '));
    all.any(|taken| taken == name) || name.starts_with("__")
}

impl Names for CudaNames {
    fn variable(&self, variable: Variable) -> &str {
        match variable {
            Variable::Parameter(index) => &self.parameters[index],
            Variable::Iterator(index) => &self.iterators[index],
            Variable::Block(axis) => &self.indices[0][axis],
            Variable::Thread(axis) => &self.indices[1][axis],
        }
    }

    fn scalar(&self, index: usize) -> &str {
        &self.scalars[index]
    }

    fn array(&self, index: usize) -> &str {
        &self.arrays[index]
    }

    fn element(&self) -> Element {
        self.element
    }

    fn indices(&self, index: usize) -> &str {
        &self.integer_arrays[index]
    }
}
