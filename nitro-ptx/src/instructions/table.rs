//! The table of all instructions.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::FAMILIES;
use super::context::Context;
use super::effect::{Effect, Kind};
use super::entry::Entry;
use super::form::Form;
use super::operand::Arguments;
use super::reading::Reading;
use crate::machine::state::Action;
use crate::text::module::Instruction;
use crate::text::types::{Space, Type};

/// A form with the entry that it belongs to.
struct Row {
    form: Form,
    entry: &'static Entry,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let entries = FAMILIES.iter().copied().flatten();
    let rows = entries
        .flat_map(|entry| entry.forms.lines().map(move |line| Row { form: Form::of(line.trim()), entry }));
    rows.collect()
});

/// The rows of each opcode by its first part.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static Row>>> = LazyLock::new(|| {
    let mut by_name = HashMap::<_, Vec<_>>::new();
    for row in ROWS.iter() {
        row.form.names().iter().for_each(|name| by_name.entry(*name).or_default().push(row));
    }
    by_name
});

/// Lists the forms that the emulator knows; it refuses every instruction that has none of these.
///
/// ```
/// use nitro_ptx::emulate::forms;
///
/// let sums = forms().filter(|form| (0..form.opcodes()).any(|at| form.opcode(at) == "add.sat.s32"));
/// let operands: Vec<_> = sums.flat_map(|form| form.operands()).map(|operands| operands.len()).collect();
/// assert_eq!(operands, [3]);
/// ```
pub fn forms() -> impl Iterator<Item = &'static Form> {
    ROWS.iter().filter(|row| row.entry.is_emulated()).map(|row| &row.form)
}

/// Returns the effect of an opcode, whatever form it has.
pub(crate) fn effect(opcode: &str) -> Effect {
    let mut parts = opcode.split('.');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let (kind, definitions) = match BY_NAME.get(first) {
        // Edits must know an opcode too whose form the emulator refuses, by its name alone.
        Some(rows) => (rows[0].entry.effect)(&rest),
        // Whatever has a carry writes a register, and cannot be moved.
        None if rest.contains(&"cc") => (Kind::Frozen, 1),
        None => (Kind::Unknown, 0),
    };
    Effect { kind, definitions, space: Space::of_parts(&rest) }
}

/// Returns the number one as sources of this opcode have it; none if they may not be numbers.
pub(crate) fn one(opcode: &str) -> Option<&'static str> {
    let rows = BY_NAME.get(opcode.split('.').next()?)?;
    if !rows.iter().any(|row| row.entry.takes_numbers) {
        return None;
    }
    match opcode.rsplit('.').next()? {
        "f32" => Some("0f3F800000"),
        "f64" => Some("0d3FF0000000000000"),
        "s16" | "u16" | "b16" | "s32" | "u32" | "b32" | "s64" | "u64" | "b64" => Some("1"),
        _ => None,
    }
}

/// Decodes an instruction of a function's body.
///
/// # Errors
/// When it has no form of the table exactly, or its operands mean nothing: the reason.
pub(crate) fn decode(context: &Context, instruction: &Instruction, scope: usize) -> Result<Action, String> {
    let mut parts = instruction.opcode.split('.');
    let name = parts.next().unwrap_or_default();
    let class = |register: usize| context.function.registers[register].class;
    let arguments = Arguments { operands: &instruction.operands, class: &class };
    let (entry, parts) = known(name, &parts.collect::<Vec<_>>(), &arguments)?;
    // Most opcodes end in their type; modes of `prmt` stand behind it.
    let kind = parts.iter().rev().find_map(|part| Type::parse(part)).unwrap_or(Type::Bits(4));
    entry.decode(&Reading { context, instruction, scope, name, parts, kind })
}

/// Returns the entry of an opcode with these operands, and the modifiers in the order of the form.
fn known(
    name: &str,
    parts: &[&str],
    arguments: &Arguments,
) -> Result<(&'static Entry, Vec<&'static str>), String> {
    let rows = BY_NAME.get(name).map_or(&[][..], Vec::as_slice);
    let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.entry.is_emulated()).collect();
    if rows.is_empty() {
        return Err("it is not known".to_owned());
    }
    if let Some(part) = parts.iter().find(|part| !rows.iter().any(|row| row.form.has_modifier(part))) {
        return Err(format!("`.{part}` is not known here"));
    }
    let mut why = "it is not known with these modifiers together".to_owned();
    for row in rows {
        let Some(ordered) = row.form.ordered(parts) else { continue };
        match arguments.fit(row.form.operands()) {
            Ok(()) => return Ok((row.entry, ordered)),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_name_have_the_same_effect() {
        for (name, rows) in BY_NAME.iter() {
            for parts in [&[][..], &["cc"], &["red"], &["warp"], &["relaxed"], &["param"], &["async"]] {
                let effects: Vec<_> = rows.iter().map(|row| (row.entry.effect)(parts)).collect();
                assert!(effects.iter().all(|effect| *effect == effects[0]), "{name} {parts:?}: {effects:?}");
            }
        }
    }

    #[test]
    fn opcodes_are_known_by_their_parts() {
        let cases = [
            ("add.s32", Kind::Pure, 1, Space::Generic),
            ("add.cc.u32", Kind::Frozen, 1, Space::Generic),
            ("madc.hi.u32", Kind::Frozen, 1, Space::Generic),
            ("ld.global.nc.L2::128B.v2.f32", Kind::Load, 1, Space::Global),
            ("ld.acquire.gpu.u32", Kind::Frozen, 1, Space::Generic),
            ("ld.param.u64", Kind::Load, 1, Space::Parameter),
            ("st.shared::cta.f32", Kind::Store, 0, Space::Shared),
            ("st.param.b32", Kind::Frozen, 0, Space::Parameter),
            ("red.global.add.f32", Kind::Atomic, 0, Space::Global),
            ("bar.sync", Kind::Barrier, 0, Space::Generic),
            ("barrier.sync.aligned", Kind::Barrier, 0, Space::Generic),
            ("barrier.cluster.wait", Kind::Frozen, 0, Space::Generic),
            ("bar.warp.sync", Kind::Collective, 0, Space::Generic),
            ("bar.red.popc.u32", Kind::Frozen, 1, Space::Generic),
            ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Kind::Collective, 1, Space::Generic),
            ("cp.async.cg.shared.global", Kind::Frozen, 0, Space::Shared),
            ("cp.reduce.async.bulk", Kind::Unknown, 0, Space::Generic),
            ("bra.uni", Kind::Branch, 0, Space::Generic),
            ("call.uni", Kind::Unknown, 0, Space::Generic),
            ("tcgen05.ld.sync", Kind::Unknown, 0, Space::Generic),
        ];
        for (opcode, kind, definitions, space) in cases {
            assert_eq!(effect(opcode), Effect { kind, definitions, space }, "{opcode}");
        }
    }

    #[test]
    fn numbers_go_where_the_type_is_known() {
        assert_eq!(
            (one("add.f32"), one("mad.lo.s32"), one("setp.lt.f64")),
            (Some("0f3F800000"), Some("1"), Some("0d3FF0000000000000"))
        );
        assert_eq!((one("cvt.f32.s32"), one("fma.rn.f16x2"), one("shfl.sync.bfly.b32")), (None, None, None));
    }
}
