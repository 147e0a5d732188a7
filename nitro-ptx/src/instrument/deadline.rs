//! Kernels that end by themselves.

use std::collections::HashSet;

use super::violation::Violation;
use crate::text::module::{Content, Function, Instruction, Item, Module, Piece, Token};

const END: &str = Module::DEADLINE_VARIABLE;

impl Module {
    /// The variable, of eight bytes, of a module [with a deadline](Self::with_deadline): the moment at which threads
    /// end, by the device's clock, and 0 until the first of them has begun.
    ///
    /// Who runs a module again sets it to 0 before, so that what passes between runs does not count.
    pub const DEADLINE_VARIABLE: &'static str = "nitro_deadline_ns"; // no program has a name like it

    /// Returns this module with checks where threads jump back: they end once `most_ns` nanoseconds are over.
    ///
    /// These count since a kernel of the module began first, by the device's clock: see
    /// [`DEADLINE_VARIABLE`](Self::DEADLINE_VARIABLE). So an endless loop ends, and takes nobody's process with it.
    /// Results of threads that ended so are missing, and a [variable](Violation::VARIABLE) tells that they did.
    ///
    /// Every turn of a loop takes longer: this is for finding out what a kernel does, not how fast it is. A thread
    /// that waits for others, as at a barrier that they do not come to, waits on.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
    ///             .visible .entry endless() {\n$L: bra $L;\n}";
    /// let module = Module::parse(text)?.with_deadline(1_000_000);
    /// assert!(module.to_string().contains("%globaltimer"));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn with_deadline(mut self, most_ns: u64) -> Self {
        // A text without directives no assembler takes.
        if !self.declare(&format!("\n.global .align 8 .u64 {END} = 0;")) {
            return self;
        }
        let may_call_loops = self.bodies().any(|function| !function.is_kernel() && jumps_back(function));
        for piece in &mut self.pieces {
            if let Piece::Function(function) = piece {
                let needs_end = function.is_kernel() && (may_call_loops || jumps_back(function));
                end_at_jumps_back(function, needs_end.then(|| beginning(most_ns)));
            }
        }
        self
    }
}

fn jumps_back(function: &Function) -> bool {
    let mut passed = HashSet::new();
    function.items.iter().any(|item| match &item.content {
        Content::Label(name) => {
            passed.insert(name.clone());
            false
        }
        Content::Instruction(_, instruction) => jumps_to(instruction, &passed),
        _ => false,
    })
}

fn end_at_jumps_back(function: &mut Function, beginning: Option<String>) {
    let mut passed = HashSet::new();
    let begin = beginning.map(|beginning| Item { scope: 0, content: Content::Text(beginning) });
    let mut items: Vec<Item> = begin.into_iter().collect();
    for item in function.items.drain(..) {
        match &item.content {
            Content::Label(name) => {
                passed.insert(name.clone());
            }
            Content::Instruction(_, instruction) if jumps_to(instruction, &passed) => {
                items.push(Item { scope: item.scope, content: Content::Text(check()) });
            }
            _ => {}
        }
        items.push(item);
    }
    function.items = items;
}

/// Tables of labels are taken to lead back.
fn jumps_to(instruction: &Instruction, passed: &HashSet<String>) -> bool {
    let goes_back = |token: &Token| matches!(token, Token::Word(word) if passed.contains(word));
    match instruction.opcode.split('.').next() {
        Some("bra") => instruction.operands.iter().flatten().any(goes_back),
        Some("brx") => true,
        _ => false,
    }
}

/// Returns the statement that sets the end where a kernel begins.
///
/// Only threads that find no end yet put one there: millions of atomic operations at one place would take longer than
/// most kernels.
fn beginning(most_ns: u64) -> String {
    format!(
        "{{ .reg .b64 %nitro_now, %nitro_end, %nitro_old; .reg .pred %nitro_is_first; \
         ld.volatile.global.u64 %nitro_old, [{END}]; setp.eq.u64 %nitro_is_first, %nitro_old, 0; \
         mov.u64 %nitro_now, %globaltimer; add.u64 %nitro_end, %nitro_now, {most_ns}; \
         @%nitro_is_first atom.global.cas.b64 %nitro_old, [{END}], 0, %nitro_end; }}"
    )
}

/// Returns the statement that ends a thread once time is over.
///
/// The end does not change any more, so that the first level of the cache may have it.
fn check() -> String {
    format!(
        "{{ .reg .b64 %nitro_now, %nitro_end; .reg .pred %nitro_is_over; mov.u64 %nitro_now, %globaltimer; \
         ld.global.u64 %nitro_end, [{END}]; setp.gt.u64 %nitro_is_over, %nitro_now, %nitro_end; \
         @%nitro_is_over {}; @%nitro_is_over exit; }}",
        Violation::Deadline.told()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "// .target in words\n.version 9.0\n.target sm_90\n.address_size 64\n\n.visible ";

    fn within(body: &str) -> String {
        let module = Module::parse(&format!("{HEAD}.entry k() {{ {body} }}")).unwrap();
        module.with_deadline(5).to_string()
    }

    #[test]
    fn what_jumps_back_is_checked_and_nothing_else() {
        let checks = |body: &str| within(body).matches("exit").count();
        assert_eq!(checks("bra $A;\n$A: ret;"), 0);
        assert!(!within("bra $A;\n$A: ret;").contains("globaltimer"), "what has no loops needs no end");
        assert_eq!(checks(".reg .pred %p;\n$A:\n$B: @%p bra $A; @%p bra $C; bra.uni $B;\n$C: ret;"), 2);
    }

    #[test]
    fn the_variable_stands_before_all_that_reads_it() {
        let text = within("$A: bra $A;");
        let [declared, linked, begun] =
            [".u64 nitro_deadline_ns = 0;", ".visible", "atom.global"].map(|words| text.find(words).unwrap());
        assert!(declared < linked && linked < begun, "{text}");
        assert_eq!(Module::parse(&text).unwrap().functions().collect::<Vec<_>>(), ["k"]);
    }
}
