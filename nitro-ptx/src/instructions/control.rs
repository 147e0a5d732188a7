//! Control flow, fences, and what has no result ("Control Flow Instructions", "Miscellaneous Instructions").

use std::sync::Arc;

use super::effect;
use super::entry::Entry;
use super::operand::shown;
use super::reading::Reading;
use crate::machine::control::{ActiveMask, Branch, Choose, Exit, Fence, Nothing, Ret, Trap};
use crate::text::module::Token;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::action(
        "membar.cta/.gl/.sys\n fence{.sc/.acq_rel/.acquire/.release}.SCOPE",
        effect::frozen,
        |_| Ok(Arc::new(Fence)),
    ),
    Entry::action("bra{.uni}  L", effect::branch, |op| {
        Ok(Arc::new(Branch(op.context.label(op.scope, op.name_at(0)?)?)))
    }),
    Entry::action("brx.idx{.uni}  a, T", effect::branch, |op| {
        let index = op.source(0, Type::Unsigned(4))?;
        let targets = op.context.list(op.scope, op.name_at(1)?)?.into();
        Ok(Arc::new(Choose { index, targets }))
    }),
    Entry::action("ret{.uni}", effect::end, |_| Ok(Arc::new(Ret))),
    Entry::action("exit", effect::end, |_| Ok(Arc::new(Exit))),
    Entry::action("trap", effect::end, |_| Ok(Arc::new(Trap))),
    // The set of threads that run together here: any of them that come here may be missing ("activemask").
    Entry::action("activemask.b32  d", effect::frozen_value, |op| Ok(Arc::new(ActiveMask(op.target(0)?)))),
    // There are no caches here, and time does not pass for threads that sleep.
    Entry::action(
        "prefetch{.global/.local}.L1/.L2                 [a]
         prefetch.global.L2::evict_last/.L2::evict_normal  [a]
         prefetchu.L1                                    [a]
         applypriority{.global}.L2::evict_normal         [a], n
         nanosleep.u32                                   a",
        effect::hint,
        |_| Ok(Arc::new(Nothing)),
    ),
    Entry::action(
        "pmevent{.mask}                                  n
         griddepcontrol.launch_dependents/.wait",
        effect::frozen,
        |_| Ok(Arc::new(Nothing)),
    ),
    Entry::not_emulated("discard", effect::hint),
    Entry::not_emulated("brkpt", effect::frozen),
];

impl Reading<'_, '_> {
    /// Returns the name that an operand is.
    fn name_at(&self, at: usize) -> Result<&str, String> {
        match self.operand(at)? {
            [Token::Word(word)] => Ok(word),
            tokens => Err(format!("`{}` is no name", shown(tokens))),
        }
    }
}
