//! Kernels whose threads end before they access what is not theirs.

use super::violation::Violation;
use crate::text::module::{
    Class, Content, Function, Guard, Instruction, Item, Module, Piece, Register, Token,
};

/// The largest number of ranges.
const MOST_RANGES: usize = 64;
/// The functions that look at an address, and what they work with. Where they stand, no program has names like theirs.
const FUNCTIONS: &str = include_str!("bounds.ptx");

impl Module {
    /// Returns this module with checks before each access: a thread ends before it does what ends a process.
    ///
    /// That is to access global memory outside of some [ranges](Self::bounds_table), shared memory that its block has
    /// not, or an address that is no multiple of the access's size, and `trap`. A [variable](Violation::VARIABLE) tells
    /// that it ended. On a GPU such an access ends all that the process has on the device, and to begin anew takes
    /// about half a second.
    ///
    /// Every access takes many times as long: this is for finding out what a kernel does, not how fast it is. What
    /// is addressed by a name, local memory, copies that are asynchronous and what is not known are accessed as
    /// before.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to) {\n\
    ///             .reg .b64 %rd<2>; ld.param.u64 %rd1, [to]; st.global.u32 [%rd1+4], 1; ret;\n}";
    /// let module = Module::parse(text)?.with_bounds();
    /// assert!(module.to_string().contains(Module::BOUNDS_VARIABLE));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn with_bounds(mut self) -> Self {
        if self.has_wide_addresses() && self.declare(FUNCTIONS) {
            for piece in &mut self.pieces {
                if let Piece::Function(function) = piece {
                    check_accesses(function);
                }
            }
        }
        self
    }

    /// The variable of a module [with bounds](Self::with_bounds) that holds the ranges that may be accessed.
    pub const BOUNDS_VARIABLE: &'static str = "nitro_bounds";

    /// Returns the bytes of that variable for ranges of an address and a length; none if there are too many.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let table = Module::bounds_table(&[(4096, 256)]).unwrap();
    /// assert_eq!(table[..8], 1u64.to_le_bytes(), "how many ranges there are");
    /// let range = [4096u64.to_le_bytes(), 256u64.to_le_bytes()].concat();
    /// assert_eq!(table[8..24], range, "each by its begin and length");
    /// ```
    #[must_use]
    pub fn bounds_table(ranges: &[(u64, u64)]) -> Option<Vec<u8>> {
        let words =
            [ranges.len() as u64].into_iter().chain(ranges.iter().flat_map(|&(begin, bytes)| [begin, bytes]));
        let mut table: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        let full = 8 * (1 + 2 * MOST_RANGES);
        (table.len() <= full).then(|| {
            table.resize(full, 0);
            table
        })
    }

    fn has_wide_addresses(&self) -> bool {
        self.texts().flat_map(str::lines).any(|line| {
            line.trim_start()
                .strip_prefix(".address_size")
                .is_some_and(|size| size.trim_start().starts_with("64"))
        })
    }
}

fn check_accesses(function: &mut Function) {
    let Function { items, registers, .. } = function;
    let old = std::mem::take(items);
    for mut item in old {
        if let Content::Instruction(_, instruction) = &item.content {
            if instruction.opcode == "trap" {
                item.content = Content::Text(end_instead(instruction.guard, registers));
            } else if let Some(check) = check(instruction, registers) {
                items.push(Item { scope: item.scope, content: Content::Text(check) });
            }
        }
        items.push(item);
    }
}

fn end_instead(guard: Option<Guard>, registers: &[Register]) -> String {
    let guard = written(guard, registers);
    format!("{guard}{}; {guard}exit;", Violation::Trap.told())
}

/// Returns the statement to stand before an access; none where it is not looked at.
fn check(instruction: &Instruction, registers: &[Register]) -> Option<String> {
    let (function, bytes) = access(&instruction.opcode)?;
    let (register, offset) = instruction.operands.iter().find_map(|operand| address(operand))?;
    let Register { name, class, .. } = &registers[register];
    let widen = match class {
        Class::Bits(64) | Class::Integer(64) => "mov.b64",
        Class::Bits(32) | Class::Integer(32) => "cvt.u64.u32",
        _ => return None,
    };
    let guard = written(instruction.guard, registers);
    Some(format!(
        "{{ .reg .b64 %nitro_at; .param .b64 nitro_at; .param .b32 nitro_bytes; {widen} %nitro_at, {name}; \
         add.s64 %nitro_at, %nitro_at, {offset}; st.param.b64 [nitro_at], %nitro_at; \
         st.param.b32 [nitro_bytes], {bytes}; {guard}call {function}, (nitro_at, nitro_bytes); }}"
    ))
}

fn written(guard: Option<Guard>, registers: &[Register]) -> String {
    guard.map_or_else(String::new, |Guard { register, negated }| {
        format!("@{}{} ", if negated { "!" } else { "" }, registers[register].name)
    })
}

/// The function that looks at an access, and how many bytes that has.
pub(crate) fn access(opcode: &str) -> Option<(&'static str, u32)> {
    let mut parts = opcode.split('.');
    let first = parts.next()?;
    let parts: Vec<&str> = parts.collect();
    let is_elsewhere = ["param", "local", "const", "async", "bulk"].iter().any(|word| parts.contains(word));
    if !matches!(first, "ld" | "ldu" | "st" | "atom" | "red") || is_elsewhere {
        return None;
    }
    let space = parts.iter().find_map(|part| match *part {
        "global" => Some("nitro_global"),
        "shared" | "shared::cta" => Some("nitro_shared"),
        _ if part.starts_with("shared") || part.starts_with("param") => Some(""), // of another block, or of a function
        _ => None,
    });
    let count = ["v2", "v4", "v8"]
        .into_iter()
        .find(|vector| parts.contains(vector))
        .map_or(1, |vector| (vector.as_bytes()[1] - b'0').into());
    let bytes = count * bytes(parts.last()?)?;
    Some((space.unwrap_or("nitro_generic"), bytes)).filter(|(function, _)| !function.is_empty())
}

/// Of a type such as `f32` or `bf16x2`.
fn bytes(kind: &str) -> Option<u32> {
    let (kind, count) = kind.strip_suffix("x2").map_or((kind, 1), |kind| (kind, 2));
    let bits: u32 =
        kind.strip_prefix("bf").or_else(|| kind.strip_prefix(['b', 'u', 's', 'f']))?.parse().ok()?;
    matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(count * bits / 8)
}

/// The register of an operand such as `[%rd1+-4]`, and what is added to it.
pub(crate) fn address(operand: &[Token]) -> Option<(usize, String)> {
    let [Token::Mark('['), Token::Register(register, component), rest @ .., Token::Mark(']')] = operand
    else {
        return None;
    };
    let mut offset = String::new();
    for token in rest {
        match token {
            Token::Word(word) => offset.push_str(word),
            Token::Mark(mark) => offset.push(*mark),
            Token::Register(..) => return None,
        }
    }
    let offset = offset.trim_start_matches('+');
    component.is_empty().then(|| (*register, if offset.is_empty() { "0" } else { offset }.to_owned()))
}

#[cfg(test)]
mod tests;
