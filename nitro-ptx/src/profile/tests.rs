use super::*;
use crate::edits::edit::{Edit, Operation};
use crate::{Module, Reason};

/// In each line a thing that nobody needs, for up to 64 threads: `%r3` is 64 always, `%r6` is `%r5`, nobody is at
/// `MANY`, all are below 1000, what is stored first is overwritten, and what the shared store leaves is there
/// already.
const PLANTED: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry planted(.param .u64 from, .param .u64 to)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    .shared .align 4 .b8 part[512];
    ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r1, %r3, %r2;
    shl.b32 %r5, %r4, 1; add.s32 %r6, %r4, %r4;
    setp.gt.s32 %p1, %r4, 5000; @%p1 bra MANY;
    setp.lt.s32 %p2, %r4, 1000; @%p2 bra FEW;
    ret;
FEW:
    mul.wide.s32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r7, [%rd4];
    st.global.u32 [%rd5], %r5;
    mov.u32 %r8, part; shl.b32 %r9, %r2, 2; add.s32 %r9, %r8, %r9;
    st.shared.u32 [%r9], %r7; bar.sync 0; st.shared.u32 [%r9], %r7;
    ld.shared.u32 %r10, [%r9];
    add.s32 %r11, %r10, %r6;
    st.global.u32 [%rd5], %r11;
MANY:
    ret;
}
";

fn profiled(text: &str) -> Vec<String> {
    let base = Base::new(Module::parse(text).unwrap());
    let mut profile = Profile::new(&base, &["planted"]).unwrap();
    for seed in 0..2 {
        let mut memory = Memory::new();
        let from = memory.allocate((0..128 * 4).map(|byte| (byte * 7 + seed) as u8).collect());
        let to = memory.allocate_uninitialised(128 * 4);
        let parameters = [from, to].map(|address| address.to_le_bytes().to_vec());
        let launch = Launch {
            kernel: "planted",
            grid: [2, 1, 1],
            block: [64, 1, 1],
            shared_bytes: 0,
            parameters: &parameters,
        };
        let options = Options { seed, ..Options::default() };
        profile.launch(&launch, &mut memory, &options).unwrap();
        profile.end(&[]);
    }
    let proposals = profile.proposals();
    for Proposal { operation, stands_for, .. } in &proposals {
        let alone = Edit { operation: operation.clone(), fixes: Vec::new() };
        let is_possible = base.edited(&[alone]).is_ok();
        assert!(is_possible, "{operation}, {stands_for:?}");
    }
    proposals.iter().map(|proposal| format!("{:?} {proposal}", proposal.reason)).collect()
}

#[test]
fn planted_defects_are_proposed_and_nothing_that_is_needed() {
    let found = profiled(PLANTED);
    let expected = [
        "Known delete b7, %r5 stands for it",  // the same by another instruction
        "Known delete b24, %r7 stands for it", // what was stored is in a register
        "Constant operand b5 slot 2 = 64",     // threads of a block
        "OneWay delete b9",                    // the branch that nobody takes
        "OneWay operand b11 slot guard = 1",   // and the one that all do
        "Store delete b17",                    // overwritten
        "Store delete b23",                    // there already
        "ReadOnly cache b16 = nc",
    ];
    for proposal in expected {
        assert!(found.iter().any(|found| found == proposal), "{proposal}: {found:#?}");
    }
    let is_needed = |proposal: &&String| {
        ["delete b10", "delete b16", "delete b20", "delete b26"].iter().any(|edit| proposal.contains(edit))
    };
    assert_eq!(found.iter().find(is_needed), None);
}

#[test]
fn the_same_launches_give_the_same_proposals_and_draws_come_by_the_seed() {
    assert_eq!(profiled(PLANTED), profiled(PLANTED));
    let base = || Base::new(Module::parse(PLANTED).unwrap());
    let operation = Operation::Delete(InstructionId::Base(17));
    let proposal = Proposal { reason: Reason::Store, operation: operation.clone(), stands_for: None };
    let guided = base().proposing([proposal]);
    let drawn = |base: &Base, seed| base.mutate(&[], seed).map(|edit| edit.operation);
    let hits = |base: &Base| (0..300).filter(|seed| drawn(base, *seed).as_ref() == Some(&operation)).count();
    assert!((60..140).contains(&hits(&guided)), "a third of the draws: {}", hits(&guided));
    assert!(hits(&base()) < 20, "{}", hits(&base()));
    (0..20).for_each(|seed| assert_eq!(drawn(&guided, seed), drawn(&guided, seed)));
    let without = base().proposing([]);
    (0..20).for_each(|seed| {
        assert_eq!(drawn(&without, seed), drawn(&base(), seed), "nothing is drawn for nothing")
    });
}

#[test]
fn a_register_stands_for_what_is_lost_or_nothing_does() {
    let base = Base::new(Module::parse(PLANTED).unwrap());
    let proposing = |stands_for: &str| {
        let operation = Operation::Delete(InstructionId::Base(7));
        let stands_for = Some(stands_for.to_owned());
        base.clone().proposing([Proposal { reason: Reason::Known, operation, stands_for }])
    };
    let fixes = |base: &Base| {
        let edits = (0..200).filter_map(|seed| base.mutate(&[], seed));
        let deletions = edits.filter(|edit| edit.operation == Operation::Delete(InstructionId::Base(7)));
        deletions.map(|edit| edit.fixes[0].to.to_string()).collect::<Vec<_>>()
    };
    let by_known = fixes(&proposing("%r5"));
    assert!(by_known.len() > 30 && by_known.iter().filter(|to| *to == "%r5").count() + 8 > by_known.len());
    for odd in ["%rd1", "%p1", "%nobody", "%r11"] {
        assert!(fixes(&proposing(odd)).len() < 10, "{odd}: only by chance");
    }
}

#[test]
fn what_cannot_be_emulated_or_ends_early_is_no_reason_to_panic() {
    let unknown = PLANTED.replace("shl.b32 %r5, %r4, 1;", "frobnicate.b32 %r5, %r4;");
    assert!(Profile::new(&Base::new(Module::parse(&unknown).unwrap()), &["planted"]).is_err());
    let base = Base::new(Module::parse(PLANTED).unwrap());
    let mut profile = Profile::new(&base, &["planted"]).unwrap();
    assert!(profile.proposals().is_empty(), "nothing was launched");
    let parameters = [vec![0; 8], vec![0; 8]];
    let launch = Launch {
        kernel: "planted",
        grid: [1; 3],
        block: [64, 1, 1],
        shared_bytes: 0,
        parameters: &parameters,
    };
    let options = Options { max_instructions: 9, ..Options::default() };
    assert!(profile.launch(&launch, &mut Memory::new(), &options).is_err());
    profile.end(&[u64::MAX, 0, 7]);
    assert!(!profile.proposals().is_empty(), "what was seen counts");
}
