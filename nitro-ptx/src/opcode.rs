//! What an instruction does, by the beginning of its opcode.

use super::edit::CacheMode;

/// What may be done with an instruction, and what others must know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Computes registers from registers.
    Pure,
    Load,
    Store,
    /// Reads and writes memory at once.
    Atomic,
    /// All threads of a block wait for each other.
    Barrier,
    /// Threads of a warp exchange values.
    Collective,
    /// Changes nothing that a program sees, such as prefetching.
    Hint,
    Branch,
    /// Ends the thread, or the function.
    End,
    /// Understood as far as analyses need it, and never touched.
    Frozen,
    /// Not known: it may read and write all its registers, and is never touched.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    Shared,
    Local,
    Constant,
    Parameter,
    /// Not named: any of them.
    Generic,
}

/// What an opcode says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) kind: Kind,
    /// How many operands, from the first, are written.
    pub(super) definitions: usize,
    pub(super) space: Space,
}

impl Effect {
    pub(super) fn loads_parameter(self) -> bool {
        (self.kind, self.space) == (Kind::Load, Space::Parameter)
    }
}

/// By the first part of the opcode; those that compute one operand from others.
const PURE: &str = "abs add and bfe bfi bfind bmsk brev clz cnot copysign cos cvt cvta div dp2a dp4a ex2 fma fns \
    isspacep lg2 lop3 mad mad24 max min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr \
    sin slct sqrt sub szext tanh testp xor vadd vadd2 vadd4 vsub vsub2 vsub4 vabsdiff vabsdiff2 vabsdiff4 vmin vmin2 \
    vmin4 vmax vmax2 vmax4 vavrg2 vavrg4 vshl vshr vmad vset vset2 vset4 tex tld4 txq suq";

/// Carries and borrows go from one instruction to the next without a name.
const CARRY: [&str; 4] = ["addc", "subc", "madc", "activemask"];
const COLLECTIVE: [&str; 10] =
    ["shfl", "vote", "match", "redux", "elect", "mma", "ldmatrix", "movmatrix", "wmma", "stmatrix"];
const HINT: [&str; 5] = ["prefetch", "prefetchu", "nanosleep", "discard", "applypriority"];
/// Without results.
const FROZEN: [&str; 6] = ["membar", "fence", "cp", "brkpt", "pmevent", "griddepcontrol"];

/// What is known of an opcode.
pub(super) fn effect(opcode: &str) -> Effect {
    let mut parts = opcode.split('.');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let (kind, definitions) = kind(first, &rest);
    Effect { kind, definitions, space: space(&rest) }
}

fn kind(first: &str, rest: &[&str]) -> (Kind, usize) {
    let has = |part: &str| rest.contains(&part);
    let ordered = ["acquire", "release", "relaxed", "mmio", "async", "bulk"].into_iter().any(has);
    match first {
        "ld" | "ldu" if ordered => (Kind::Frozen, 1),
        "ld" | "ldu" | "suld" => (Kind::Load, 1),
        "st" | "sust" if ordered || has("param") => (Kind::Frozen, 0),
        "st" | "sust" => (Kind::Store, 0),
        "atom" => (Kind::Atomic, 1),
        "red" if !ordered => (Kind::Atomic, 0),
        "bar" if has("warp") => (Kind::Collective, 0),
        "bar" | "barrier" if has("cluster") => (Kind::Frozen, 0),
        "bar" | "barrier" if has("red") => (Kind::Frozen, 1),
        "bar" | "barrier" if has("arrive") => (Kind::Frozen, 0),
        "bar" | "barrier" => (Kind::Barrier, 0),
        "bra" | "brx" => (Kind::Branch, 0),
        "ret" | "exit" | "trap" => (Kind::End, 0),
        "cp" if rest.first().is_none_or(|next| *next != "async") => (Kind::Unknown, 0),
        "wmma" if has("store") => (Kind::Collective, 0),
        "stmatrix" => (Kind::Collective, 0),
        _ if CARRY.contains(&first) || has("cc") => (Kind::Frozen, 1),
        _ if COLLECTIVE.contains(&first) => (Kind::Collective, 1),
        _ if HINT.contains(&first) => (Kind::Hint, 0),
        _ if FROZEN.contains(&first) => (Kind::Frozen, 0),
        _ if PURE.split_whitespace().any(|pure| pure == first) => (Kind::Pure, 1),
        _ => (Kind::Unknown, 0), // calls too
    }
}

fn space(rest: &[&str]) -> Space {
    let named = rest.iter().find_map(|part| match part.split("::").next()? {
        "global" => Some(Space::Global),
        "shared" => Some(Space::Shared),
        "local" => Some(Space::Local),
        "const" => Some(Space::Constant),
        "param" => Some(Space::Parameter),
        _ => None,
    });
    named.unwrap_or(Space::Generic)
}

/// What stands where a guard stood that is taken away.
pub(super) const ALWAYS: &str = "1";

/// Whether sources of this opcode may be numbers, and what one is written as there.
pub(super) fn one(opcode: &str) -> Option<&'static str> {
    const WITH_NUMBERS: [&str; 20] = [
        "add", "sub", "mul", "mad", "fma", "div", "rem", "min", "max", "and", "or", "xor", "shl", "shr",
        "setp", "selp", "mov", "neg", "abs", "not",
    ];
    let first = opcode.split('.').next()?;
    let kind = opcode.rsplit('.').next()?;
    if !WITH_NUMBERS.contains(&first) {
        return None;
    }
    match kind {
        "f32" => Some("0f3F800000"),
        "f64" => Some("0d3FF0000000000000"),
        "s16" | "u16" | "b16" | "s32" | "u32" | "b32" | "s64" | "u64" | "b64" => Some("1"),
        _ => None,
    }
}

/// The opcode with another cache mode; none where it has parts that are not known.
pub(super) fn with_cache(opcode: &str, mode: CacheMode) -> Option<String> {
    let mut parts = opcode.split('.');
    let (first, space) = (parts.next()?, parts.next()?);
    let rest: Vec<&str> = parts.filter(|part| !matches!(*part, "ca" | "cg" | "cs" | "nc" | "wt")).collect();
    let is_plain = match rest[..] {
        [kind] => is_type(kind),
        [vector, kind] => matches!(vector, "v2" | "v4") && is_type(kind),
        _ => false,
    };
    let may = match (first, mode) {
        ("ld", CacheMode::Nc) | ("st", CacheMode::Wt) => space == "global",
        ("ld", CacheMode::Ca) | ("ld" | "st", CacheMode::Default | CacheMode::Cg | CacheMode::Cs) => {
            space == "global"
        }
        _ => false,
    };
    if !may || !is_plain {
        return None;
    }
    let mode = if mode == CacheMode::Default { String::new() } else { format!(".{mode}") };
    Some(format!("{first}.{space}{mode}.{}", rest.join(".")))
}

/// Whether each such access has to be made where it stands.
pub(super) fn is_volatile(opcode: &str) -> bool {
    opcode.split('.').any(|part| matches!(part, "volatile" | "mmio"))
}

/// The opcode that computes a quotient or a root of 32 bits approximately; none for others, and for those that do.
pub(super) fn approximate(opcode: &str) -> Option<String> {
    let parts: Vec<&str> = opcode.split('.').collect();
    let exact = match parts[..] {
        ["div", "full" | "rn" | "rz" | "rm" | "rp", .., "f32"] => parts[1],
        ["sqrt" | "rcp", "rn" | "rz" | "rm" | "rp", .., "f32"] => parts[1],
        _ => return None,
    };
    Some(opcode.replacen(exact, "approx", 1))
}

fn is_type(part: &str) -> bool {
    part.strip_prefix(['b', 'u', 's', 'f']).is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
