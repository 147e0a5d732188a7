//! Kernels with defects that were put there on purpose, for evolution to find.

use crate::{Subject, subject};

/// A subject whose best patch is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planted {
    /// The kernels with their workload.
    pub subject: Subject,
    /// The defects that the minimised patch removes, by one edit each. Empty where evolution is to find nothing.
    pub defects: &'static [Defect],
    /// The traps, which only look like defects: a patch that touches one is refused by the test.
    pub traps: &'static [Defect],
}

/// Something that a kernel does not need, or seems not to need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The name, for messages.
    pub name: &'static str,
    /// The instructions of which one has to go, or to lose its meaning.
    ///
    /// Each is the beginning of an opcode, with its number among those in the text, from 0.
    pub instructions: &'static [(&'static str, usize)],
}

/// Returns all subjects with planted defects.
///
/// ```
/// use nitro_evolve_subjects::planted;
///
/// let [defects, trap] = planted() else { panic!("there are two") };
/// assert_eq!((defects.defects.len(), defects.traps.len()), (3, 0));
/// assert_eq!((trap.defects.len(), trap.traps.len()), (0, 1));
/// ```
#[must_use]
pub fn planted() -> &'static [Planted] {
    &PLANTED
}

static PLANTED: [Planted; 2] = [
    Planted {
        subject: subject!("planted", "planted"),
        defects: &[
            Defect { name: "a store that is always overwritten", instructions: &[("st.global", 0)] },
            Defect { name: "a barrier that orders nothing", instructions: &[("bar.sync", 0)] },
            // Without the comparison or the quotient that it compares, an assembler has no use for the rest of the
            // condition.
            Defect {
                name: "a branch that no input takes",
                instructions: &[("setp.leu.f32", 0), ("div.rn.f32", 0)],
            },
        ],
        traps: &[],
    },
    Planted {
        subject: subject!("planted", "trap"),
        defects: &[],
        traps: &[Defect {
            name: "a barrier that blocks of one warp do without",
            instructions: &[("bar.sync", 0)],
        }],
    },
];

impl Defect {
    /// Returns the numbers that its instructions have in a patch (`b17`) of a text that NVRTC has written.
    ///
    /// They count all instructions of the text from 0.
    ///
    /// ```
    /// let defect = nitro_evolve_subjects::planted()[1].traps[0];
    /// let text = ".visible .entry trap() {\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n$L1:\nbar.sync 0;\nret;\n}\n";
    /// assert_eq!(defect.numbers(text), [1]);
    /// ```
    #[must_use]
    pub fn numbers(&self, ptx: &str) -> Vec<u32> {
        let opcodes: Vec<&str> = opcodes(ptx).collect();
        let mut numbers = Vec::new();
        for (opcode, which) in self.instructions {
            let mut alike = (0u32..).zip(&opcodes).filter(|(_, other)| other.starts_with(opcode));
            numbers.extend(alike.nth(*which).map(|(number, _)| number));
        }
        numbers
    }
}

/// Returns the opcodes of a text with one instruction a line, as NVRTC writes them.
///
/// A guard comes before its opcode.
fn opcodes(ptx: &str) -> impl Iterator<Item = &str> {
    let mut is_body = false;
    ptx.lines().map(str::trim).filter_map(move |line| {
        is_body |= line.starts_with('{') || line.ends_with('{');
        let is_instruction = is_body && line.ends_with(';') && !line.starts_with('.');
        let opcode = line.split_whitespace().find(|word| !word.starts_with('@'));
        opcode.filter(|_| is_instruction)
    })
}
