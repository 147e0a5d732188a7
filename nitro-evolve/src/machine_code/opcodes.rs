//! The classes of instructions, by opcode.

use serde::{Deserialize, Serialize};

/// The instructions of each class in machine code, however often they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InstructionCounts {
    /// Loads from global, shared and local memory and textures; copies from global to shared memory.
    pub loads: usize,
    /// Stores to global, shared and local memory and surfaces.
    pub stores: usize,
    /// Atomic operations on memory, with and without a result.
    pub atomics: usize,
    /// Barriers of a block, a warp or a cluster.
    pub barriers: usize,
    /// Computing, comparing, converting, choosing, of numbers, bits and predicates; moves that take an arithmetic unit.
    pub arithmetic: usize,
    /// Branches, calls, ends, and where threads that went apart come together again.
    pub control: usize,
    /// Moves, constants, special registers, exchanges in a warp, fences, and what is not known.
    pub other: usize,
}

// After NVIDIA's list of instruction sets in "CUDA Binary Utilities", from Volta to Blackwell.
const LOADS: &str = "LD LDG LDGMC LDGSTS LDL LDS LDSM LDTM SULD TEX TLD TLD4 TMML TXD UTMALDG";
const STORES: &str = "ST STAS STG STL STS STSM STTM SUST UTMASTG";
const ATOMICS: &str = "ATOM ATOMG ATOMS RED REDAS REDG SUATOM SURED UTMAREDG";
const BARRIERS: &str = "BAR SYNCS UCGABAR_ARV UCGABAR_WAIT WARPSYNC";
const ARITHMETIC: &str = "\
    BGMMA BMMA BMSK BREV DADD DFMA DMMA DMUL DSETP F2F F2FP F2I F2IP FADD FADD2 FADD32I FCHK FFMA FFMA2 FFMA32I \
    FHADD FHFMA FLO FMNMX FMNMX3 FMUL FMUL2 FMUL32I FRND FSEL FSET FSETP FSWZADD HADD2 HADD2_32I HFMA2 HFMA2_32I \
    HGMMA HMMA HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 I2F I2FP I2I I2IP IABS IADD IADD2 IADD3 IADD32I IDP IDP4A IGMMA \
    IMAD IMMA IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA LOP LOP3 LOP32I MUFU OMMA PLOP3 POPC PRMT PSETP QGMMA \
    QMMA SEL SGXT SHF SHL SHR VABSDIFF VABSDIFF4 VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3";
const CONTROL: &str =
    "BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL EXIT JMP JMX JMXU KILL NANOSLEEP RET RPCMOV RTT YIELD";

impl InstructionCounts {
    /// Returns the number of all instructions.
    #[must_use]
    pub fn total(&self) -> usize {
        self.classes().iter().map(|(_, count)| count).sum()
    }

    /// Returns each class with its name for people.
    #[must_use]
    pub fn classes(&self) -> [(&'static str, usize); 7] {
        let Self { loads, stores, atomics, barriers, arithmetic, control, other } = *self;
        [
            ("loads", loads),
            ("stores", stores),
            ("atomics", atomics),
            ("barriers", barriers),
            ("arithmetic", arithmetic),
            ("control flow", control),
            ("other", other),
        ]
    }

    /// Counts an instruction: `@!P0 LDG.E R1, desc[UR4][R2.64]`.
    pub(super) fn add(&mut self, instruction: &str) {
        let name = opcode(instruction);
        // What a whole warp computes once is named as what each thread computes, after a U.
        let computes =
            is_in(ARITHMETIC, name) || name.strip_prefix('U').is_some_and(|rest| is_in(ARITHMETIC, rest));
        let class = match () {
            () if is_in(LOADS, name) => &mut self.loads,
            () if is_in(STORES, name) => &mut self.stores,
            () if is_in(ATOMICS, name) => &mut self.atomics,
            () if is_in(BARRIERS, name) => &mut self.barriers,
            () if computes => &mut self.arithmetic,
            () if is_in(CONTROL, name) => &mut self.control,
            () => &mut self.other,
        };
        *class += 1;
    }
}

/// Tells whether a class has an opcode.
fn is_in(class: &str, name: &str) -> bool {
    class.split_whitespace().any(|known| known == name)
}

/// Returns the opcode of an instruction, without its guard and modifiers.
pub(super) fn opcode(instruction: &str) -> &str {
    let mut words = instruction.split_whitespace().skip_while(|word| word.starts_with('@'));
    words.next().and_then(|word| word.split('.').next()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_what_they_do() {
        let mut counts = InstructionCounts::default();
        let all = [
            "LDG.E.CONSTANT R0, desc[UR4][R2.64]",
            "@!P0 LDS R5, [R8+0x4]",
            "LDGSTS.E [R2], desc[UR4][R4.64]",
            "@P1 STG.E desc[UR4][R2.64], R7",
            "REDG.E.ADD.F32 [R2], R4",
            "BAR.SYNC.DEFER_BLOCKING 0x0",
            "WARPSYNC.ALL",
            "IMAD.WIDE R2, R5, 0x4, R2",
            "@UP0 UIADD3 UR4, UR4, 0x1, URZ",
            "USHF.L.U32 UR4, UR4, 0x1, URZ",
            "@P0 BRA L3",
            "BSYNC B0",
            "LDC R1, c[0x0][0x28]",
            "SHFL.DOWN PT, R4, R5, 0x10, 0x1f",
            "A_NEW_ONE R1",
        ];
        all.iter().for_each(|instruction| counts.add(instruction));
        let expected = InstructionCounts {
            loads: 3,
            stores: 1,
            atomics: 1,
            barriers: 2,
            arithmetic: 3,
            control: 2,
            other: 3,
        };
        assert_eq!((counts, counts.total()), (expected, all.len()));
    }

    #[test]
    fn no_opcode_is_of_two_classes() {
        let all = [LOADS, STORES, ATOMICS, BARRIERS, ARITHMETIC, CONTROL];
        let mut names: Vec<&str> = all.iter().flat_map(|class| class.split_whitespace()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
