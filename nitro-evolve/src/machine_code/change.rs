//! The change of machine code by a patch.

use serde::{Deserialize, Serialize};

use super::listing::Listing;
use super::opcodes::InstructionCounts;
use crate::difference::{DiffLine, difference};

/// The machine code of a patched text beside the original's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MachineCode {
    /// Both are known.
    Compared(MachineCodeChange),
    /// It cannot be shown, and why: `there is no nvdisasm ...`.
    Unknown(String),
}

/// The change of the machine code of the edited kernels, and of what they call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MachineCodeChange {
    /// The architecture, such as `sm_90`.
    pub architecture: String,
    /// The instructions of the original.
    pub before: InstructionCounts,
    /// The instructions with the patch.
    pub after: InstructionCounts,
    /// The instructions with all edits but one, for each edit. None where the others do not work without it. Empty
    /// where the edits are too many.
    pub without: Vec<Option<InstructionCounts>>,
    /// The lines that differ, without addresses, encodings and hints for the scheduler. Registers are as the assembler
    /// numbered them.
    pub diff: Vec<DiffLine>,
}

impl MachineCodeChange {
    /// Compares two listings.
    pub(crate) fn new(
        architecture: String,
        before: &Listing,
        after: &Listing,
        without: Vec<Option<InstructionCounts>>,
    ) -> Self {
        let diff = difference(&before.text, &after.text);
        Self { architecture, before: before.counts, after: after.counts, without, diff }
    }

    /// Describes the change, with the classes that change: `312 to 287 instructions, 3 to 2 barriers`.
    #[must_use]
    pub fn summary(&self) -> String {
        let (before, after) = (self.before.total(), self.after.total());
        let mut summary = match before == after {
            true if self.diff.is_empty() => {
                return format!("the same {before} instructions as the original's");
            }
            true => format!("{before} instructions as before, others of them"),
            false => format!("{before} to {after} instructions"),
        };
        for ((class, before), (_, after)) in self.before.classes().into_iter().zip(self.after.classes()) {
            if before != after {
                summary += &format!(", {before} to {after} {class}");
            }
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::super::listing;
    use super::*;

    fn listing(lines: &[&str]) -> Listing {
        let text: String = lines.iter().map(|line| format!("        /*0000*/ {line} ;\n")).collect();
        listing::read(&format!("\t.section\t.text.k,\"ax\",@progbits\n{text}")).unwrap()
    }

    fn change(before: &[&str], after: &[&str]) -> MachineCodeChange {
        MachineCodeChange::new("sm_90".to_owned(), &listing(before), &listing(after), Vec::new())
    }

    #[test]
    fn in_short_it_is_what_becomes_more_or_less() {
        let all = ["BAR.SYNC 0x0", "IADD3 R1, R1, R2, RZ", "STG.E [R2], R1", "STG.E [R2], R3", "EXIT"];
        assert_eq!(
            change(&all, &all[1..4]).summary(),
            "5 to 3 instructions, 1 to 0 barriers, 1 to 0 control flow"
        );
        assert_eq!(change(&all, &all).summary(), "the same 5 instructions as the original's");
        let other = ["BAR.SYNC 0x0", "IADD3 R1, R1, R4, RZ", "STG.E [R2], R1", "STG.E [R2], R3", "EXIT"];
        assert_eq!(change(&all, &other).summary(), "5 instructions as before, others of them");
        let load = ["BAR.SYNC 0x0", "LDG.E R1, [R2]", "STG.E [R2], R1", "STG.E [R2], R3", "EXIT"];
        assert_eq!(
            change(&all, &load).summary(),
            "5 instructions as before, others of them, 0 to 1 loads, 1 to 0 arithmetic"
        );
    }
}
