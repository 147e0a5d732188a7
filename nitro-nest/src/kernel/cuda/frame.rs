//! A kernel around its instructions: arguments, its own arrays, and which block it is.

use std::collections::BTreeSet;

use super::Writer;
use crate::kernel::display::write_instructions;
use crate::kernel::{Extent, Instruction, Local, Space};
use crate::nest::affine::Variable;
use crate::nest::display::Names;

impl Writer<'_> {
    pub(super) fn kernel(&self, text: &mut String) {
        let (threads, name) = (self.kernel.threads(), &self.kernel.name);
        let bounds = match self.kernel.resident_blocks {
            0 => threads.to_string(),
            blocks => format!("{threads}, {blocks}"),
        };
        let arguments = self.arguments();
        *text +=
            &format!("extern \"C\" __global__ void __launch_bounds__({bounds}) {name}({arguments})\n{{\n");
        let is_dynamic = self.kernel.dynamic_shared_bytes(self.element()) > 0;
        let alignment = self.kernel.locals.iter().map(Local::alignment).max().unwrap_or_default();
        if is_dynamic {
            *text +=
                &format!("    extern __shared__ __align__({alignment}) unsigned char dynamic_shared[];\n");
        }
        let mut places = self.kernel.shared_places(self.element()).into_iter();
        for (index, local) in self.kernel.locals.iter().enumerate() {
            let array = self.program.nest.arrays.len() + index;
            // Aligned so that a compiler may load four elements at once.
            let space = match local.space {
                Space::Shared => format!("__shared__ __align__({}) ", local.alignment()),
                Space::Register if self.is_copied(array) || !local.storage.is_number() => {
                    "__align__(16) ".to_owned()
                }
                Space::Register => String::new(),
            };
            let shape: String = local.shape.iter().map(|extent| format!("[{extent}]")).collect();
            let (number, name) = (local.storage.c_name(self.element()), self.names.array(array));
            if is_dynamic
                && local.space == Space::Shared
                && let Some([begin, _]) = places.next()
            {
                let place = format!("dynamic_shared + {begin}");
                *text += &format!("    {number} (&{name}){shape} = *({number} (*){shape})({place});\n");
                continue;
            }
            *text += &format!("    {space}{number} {name}{shape};\n");
        }
        if self.kernel.has_numbered_blocks() {
            self.write_block_indices(text);
        }
        write_instructions(self, &self.kernel.body, 1, text);
        *text += "}\n\n";
    }

    /// Writes what the index of a block is along each dimension, from its number.
    fn write_block_indices(&self, text: &mut String) {
        let (covering, integer) = (self.kernel.covering(), self.integer);
        let mut rest = format!("({integer})blockIdx.x");
        for (dimension, extent) in self.kernel.grid.iter().enumerate() {
            let name = self.names.variable(Variable::Block(dimension));
            let blocks = self.blocks(extent, covering.of_block(dimension) as i64 * extent.step);
            *text += &format!("    const {integer} {name} = {rest} % ({blocks});\n");
            rest += &format!(" / ({blocks})");
        }
    }

    fn arguments(&self) -> String {
        let nest = &self.program.nest;
        let host = self.kernel.host_iterators.iter().map(|iterator| &self.names.iterators[*iterator]);
        let integers =
            self.names.parameters.iter().chain(host).map(|name| format!("{} {name}", self.integer));
        let scalars = self.names.scalars.iter().map(|name| format!("{} {name}", self.number()));
        let written: BTreeSet<usize> = self.kernel.targets().iter().map(|target| target.array).collect();
        let arrays = (0..nest.arrays.len()).map(|array| {
            let constant = if written.contains(&array) { "" } else { "const " };
            let number = nest.arrays[array].storage.c_name(self.element());
            format!("{constant}{number}* __restrict__ {}", self.names.array(array))
        });
        let indices =
            self.names.integer_arrays.iter().map(|name| format!("const unsigned* __restrict__ {name}"));
        integers.chain(scalars).chain(arrays).chain(indices).collect::<Vec<_>>().join(", ")
    }

    /// Writes how many blocks cover an extent.
    fn blocks(&self, extent: &Extent, of_block: i64) -> String {
        let (lower, upper) = (self.extreme(&extent.lower, ">"), self.extreme(&extent.upper, "<"));
        let count = if lower == "0" { upper } else { format!("{upper} - ({lower})") };
        if of_block == 1 { count } else { format!("({count} + {}) / {of_block}", of_block - 1) }
    }

    /// Returns `true` if several elements of the array are copied at once.
    fn is_copied(&self, array: usize) -> bool {
        self.kernel.has(|instruction| match instruction {
            Instruction::Copy { target, source: other, .. }
            | Instruction::AddWide { target, value: other } => target.array == array || other.array == array,
            _ => false,
        })
    }
}
