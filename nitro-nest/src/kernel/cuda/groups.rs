//! Functions that multiply on the matrix units of four warps (`wgmma`), in CUDA C++ for compute capability 9.0 alone.

use super::matrix::{inputs, name, places, split, sum_parameters};
use crate::kernel::GroupProduct;
use crate::mapping::{MatrixArithmetic, PartFormat};

/// Registers of parts of a thread for a left fragment, and for 16 bytes.
const REGISTERS: usize = 4;

/// What decides which functions a product needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) arithmetic: MatrixArithmetic,
    columns: usize,
    fragments: u32,
    /// Left operands are stored as parts are.
    is_stored: bool,
}

impl Shape {
    pub(super) fn new(product: &GroupProduct, is_stored: bool) -> Self {
        let GroupProduct { arithmetic, fragments, .. } = *product;
        Self { arithmetic, columns: product.columns(), fragments, is_stored }
    }

    /// Returns a thread's sums.
    fn sums(self) -> usize {
        self.columns / 2
    }

    /// Returns the name of the function that begins the product.
    pub(super) fn begin(self) -> String {
        let Self { arithmetic, columns, fragments, is_stored } = self;
        let stored = if is_stored { "_stored" } else { "" };
        format!("begin_product{stored}_{arithmetic}_{columns}_{fragments}")
    }
}

/// Returns the functions for products of these shapes.
pub(super) fn functions(shapes: &[Shape]) -> String {
    let mut text = String::new();
    let mut written: Vec<String> = Vec::new();
    for shape in shapes {
        let all = [split_function(shape.arithmetic), step(*shape), wait(shape.sums()), begin(*shape)];
        for function in all {
            if !written.contains(&function) {
                text += &function;
                written.push(function);
            }
        }
    }
    text
}

/// Writes the function that splits as many operands as 16 bytes of parts have.
///
/// Parts are so many times 16 bytes apart. Matrix units read by another way what threads write to shared memory: the
/// fence makes it wait. Before a barrier it would wait for loads too that are on their way.
fn split_function(arithmetic: MatrixArithmetic) -> String {
    let parts = arithmetic.parts();
    let mut text = format!(
        "\
static __device__ __forceinline__ void split_{arithmetic}(void* target, int part_size, const float* source)
{{
    unsigned parts[{parts}][{REGISTERS}];
"
    );
    text += &split(arithmetic, "parts", "source", REGISTERS);
    for part in 0..parts {
        let values: Vec<String> = (0..REGISTERS).map(|at| format!("parts[{part}][{at}]")).collect();
        text += &format!("    ((uint4*)target)[{part} * part_size] = make_uint4({});\n", values.join(", "));
    }
    text + "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n}\n\n"
}

/// Writes the function by which four warps multiply a left fragment each with one part of as many terms.
fn step(shape: Shape) -> String {
    let Shape { arithmetic, columns, .. } = shape;
    let (sums, depth, format) = (shape.sums(), arithmetic.depth(), name(arithmetic.format()));
    let outputs = outputs(sums);
    let (right, adds) = (sums + REGISTERS, sums + REGISTERS + 1);
    // Numbers of 16 bits may lie along columns; these do not.
    let order = if arithmetic.format() == PartFormat::Tf32 { "" } else { ", 0" };
    format!(
        "\
static __device__ __forceinline__ void multiply_{columns}_columns_{format}({parameters},
    const unsigned* left, unsigned long long right, int adds)
{{
    asm volatile(\"{{ .reg .pred adds; setp.ne.b32 adds, %{adds}, 0; \"
        \"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.f32.{format}.{format} \"
        \"{{{all}}}, {{{of_left}}}, %{right}, adds, 1, 1{order}; }}\"
        : {outputs}
        : {lefts}, \"l\"(right), \"r\"(adds));
}}

",
        parameters = sum_parameters(sums),
        all = places(0, sums),
        of_left = places(sums, REGISTERS),
        lefts = inputs("left", REGISTERS),
    )
}

/// Writes the function that waits for all products; sums are named so that nothing reads them before.
fn wait(sums: usize) -> String {
    let (parameters, outputs) = (sum_parameters(sums), outputs(sums));
    format!(
        "\
static __device__ __forceinline__ void await_product({parameters})
{{
    asm volatile(\"wgmma.wait_group.sync.aligned 0;\"
        : {outputs}
        :: \"memory\");
}}

"
    )
}

/// Writes the function that begins a product.
///
/// The right operand is a descriptor of matrices of 8 columns of 16 bytes, which follow each other along columns, and
/// along the sum behind all columns (PTX ISA, *Matrix Descriptor Format*). Addresses count 16 bytes.
fn begin(shape: Shape) -> String {
    let Shape { arithmetic, columns, fragments, is_stored } = shape;
    let (parts, parameters) = (arithmetic.parts(), sum_parameters(shape.sums()));
    let number = if is_stored { "unsigned short" } else { "float" };
    let mut text = format!(
        "\
static __device__ __forceinline__ void {name}({parameters},
    const {number}* left, const void* right, int part_size)
{{
    unsigned left_parts[{fragments}][{parts}][{REGISTERS}];
",
        name = shape.begin()
    );
    for fragment in 0..fragments {
        let (target, first) =
            (format!("left_parts[{fragment}]"), i64::from(fragment) * arithmetic.parts_in_16_bytes());
        text += &if is_stored {
            let first = i64::from(fragment) * REGISTERS as i64;
            (0..REGISTERS as i64)
                .map(|at| format!("    {target}[0][{at}] = ((const unsigned*)left)[{}];\n", first + at))
                .collect::<String>()
        } else {
            split(arithmetic, &target, &format!("(left + {first})"), REGISTERS)
        };
    }
    text += &format!(
        "    const unsigned address = (unsigned)__cvta_generic_to_shared(right) >> 4;
    const unsigned long long first = 8ull << 32 | {columns}ull << 16 | address;
    asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");
"
    );
    let sums: Vec<String> = (0..shape.sums()).map(|at| format!("sum_{at}")).collect();
    let (sums, format) = (sums.join(", "), name(arithmetic.format()));
    for fragment in 0..fragments {
        for (at, (one, other)) in arithmetic.products().iter().enumerate() {
            let adds = i32::from(parts == 1 || at > 0);
            text += &format!(
                "    multiply_{columns}_columns_{format}({sums}, left_parts[{fragment}][{one}], \
                 first + {of_fragment} + {other} * part_size, {adds});\n",
                of_fragment = fragment as usize * 2 * columns,
            );
        }
    }
    text + "    asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n}\n\n"
}

fn outputs(sums: usize) -> String {
    (0..sums).map(|at| format!("\"+f\"(sum_{at})")).collect::<Vec<_>>().join(", ")
}
