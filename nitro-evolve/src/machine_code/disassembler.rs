//! NVIDIA's disassembler, which shows the instructions of machine code.

use std::path::PathBuf;
use std::process::Command;

use super::change::{MachineCode, MachineCodeChange};
use super::listing::{self, Listing};
use super::opcodes::InstructionCounts;
use crate::sandbox::{Assembler, written_for};
use crate::tool::{MOST_TIME, find, folder_with, run};

/// The tools that show the machine code of a patch: NVIDIA's `ptxas` and `nvdisasm`. Neither needs a device.
///
/// ```
/// use nitro_evolve::Disassembler;
///
/// // Where one of them is not there, the report of an evolution says so.
/// if let Err(why) = Disassembler::find(90) {
///     assert!(why.starts_with("there is no "), "{why}");
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Disassembler {
    assembler: Assembler,
    nvdisasm: PathBuf,
    architecture: u32,
}

impl Disassembler {
    /// Finds the tools of this machine for a compute capability such as `90`.
    ///
    /// They are looked for beside `$NVCC`, in `$CUDA_HOME/bin` and on the path.
    ///
    /// # Errors
    /// When one of them is not there; a sentence names it.
    pub fn find(architecture: u32) -> Result<Self, String> {
        Ok(Self { assembler: Assembler::find_or(architecture)?, nvdisasm: find("nvdisasm")?, architecture })
    }

    /// Finds the tools for the compute capability that a text was compiled for.
    pub(crate) fn of(ptx: &str) -> Result<Self, String> {
        let target = written_for(ptx);
        let digits =
            target.trim_start_matches("sm_").trim_end_matches(|last: char| last.is_ascii_alphabetic());
        let architecture = digits.parse().map_err(|_| "the PTX has no `.target` such as sm_90".to_owned())?;
        Self::find(architecture)
    }

    /// Lists the instructions of a text.
    pub(crate) fn listing(&self, ptx: &str) -> Result<Listing, String> {
        let image = self.assembler.assemble(ptx)?;
        let folder = folder_with("a.cubin", &image, "nvdisasm")?;
        let file = folder.path().join("a.cubin");
        listing::read(&run(Command::new(&self.nvdisasm).arg("--print-code").arg(&file), MOST_TIME)?)
    }

    /// Compares the instructions of the original and of a patched text.
    ///
    /// `without` counts them for the patch but for each one of its edits.
    pub(crate) fn compare(
        &self,
        before: &str,
        after: &str,
        without: impl FnOnce(&Self) -> Vec<Option<InstructionCounts>>,
    ) -> MachineCode {
        let both = self.listing(before).and_then(|before| Ok((before, self.listing(after)?)));
        match both {
            Ok((before, after)) => {
                let architecture = format!("sm_{}", self.architecture);
                MachineCode::Compared(MachineCodeChange::new(architecture, &before, &after, without(self)))
            }
            Err(why) => MachineCode::Unknown(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 of) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [of];
    mov.u32 %r1, %tid.x;
    bar.sync 0;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

    #[test]
    fn a_text_without_a_target_is_refused() {
        assert_eq!(Disassembler::of("").unwrap_err(), "the PTX has no `.target` such as sm_90");
    }

    #[test]
    fn a_barrier_less_is_one_instruction_less() {
        let found = Disassembler::of(KERNEL);
        let Some(tools) = nitro_test_support::tools::NVDISASM.found(found) else { return };
        let patched = KERNEL.replace("    bar.sync 0;\n", "");
        let compared =
            tools.compare(KERNEL, &patched, |tools| vec![tools.listing(KERNEL).ok().map(|k| k.counts)]);
        let MachineCode::Compared(change) = compared else { panic!("{compared:?}") };
        assert_eq!((change.before.barriers, change.after.barriers), (1, 0));
        assert_eq!((change.before.stores, change.after.stores), (1, 1));
        assert_eq!(change.without, [Some(change.before)]);
        assert!(change.summary().contains(", 1 to 0 barriers"), "{}", change.summary());
        let removed = change.diff.iter().filter(
            |line| matches!(line, crate::difference::DiffLine::Removed(text) if text.contains("BAR.SYNC")),
        );
        assert_eq!(removed.count(), 1, "{:?}", change.diff);
        let refused = tools.compare(KERNEL, "nonsense", |_| Vec::new());
        assert!(matches!(&refused, MachineCode::Unknown(why) if why.contains(".version")), "{refused:?}");
    }
}
