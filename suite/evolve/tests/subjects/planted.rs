//! That the planted defects are none that results need, and the trap is one that they need.

use nitro_evolve_subjects::{Planted, planted};
use nitro_ptx::{Base, Module, Patch};

use crate::case::small;
use crate::emulated::{STRICT, emulator, run};
use crate::expected::compare;
use crate::ptx;
use crate::references::reference;

/// The text with these edits.
fn patched(ptx: &str, edits: &str) -> String {
    let base = Base::new(Module::parse(ptx).unwrap());
    let patch: Patch = format!("patch of {}\n{edits}", base.module().digest()).parse().unwrap();
    base.apply(&base.check(&patch).unwrap().edits).unwrap_or_else(|error| panic!("{error}")).to_string()
}

fn of(name: &str) -> Option<(Planted, String)> {
    let planted = planted().iter().find(|planted| planted.subject.name == name).copied().unwrap();
    ptx(&planted.subject).map(|ptx| (planted, ptx))
}

#[test]
fn without_its_defects_the_kernel_gives_the_same() {
    let Some((planted, ptx)) = of("planted") else { return };
    let [store, barrier, branch] = planted.defects else { panic!("there are three") };
    let [comparison, quotient] = branch.numbers(&ptx)[..] else { panic!("both are there") };
    assert_eq!(comparison, quotient + 1, "the quotient is compared");
    // The branch comes right after, and goes as if no input were an exception: whether there are any steps is known
    // to be so in the loop.
    let edits = format!(
        "delete b{}\ndelete b{}\ndelete b{comparison}\n  fix b{} slot guard = %p1\n",
        store.numbers(&ptx)[0],
        barrier.numbers(&ptx)[0],
        comparison + 1
    );
    let text = patched(&ptx, &edits);
    assert_eq!((text.matches("bar.sync").count(), text.matches("st.global").count()), (0, 1), "{text}");
    for numbers in ["blocks=2, steps=20", "blocks=1, steps=0", "blocks=1, steps=1, seed=1"] {
        let case = small(&planted.subject, numbers);
        let found = run(&emulator(&text), &case, &STRICT).unwrap();
        compare(&case, &reference("planted")(&case), &found);
    }
}

#[test]
fn each_defect_takes_time() {
    let Some((planted, ptx)) = of("planted") else { return };
    for defect in planted.defects {
        assert!(!defect.numbers(&ptx).is_empty(), "{} is in the text:\n{ptx}", defect.name);
    }
    // All are in the loop: between its label and the branch back.
    let loop_ = ptx.split("$L__BB0_2:").nth(1).and_then(|rest| rest.split("bra \t$L__BB0_2").next()).unwrap();
    for part in ["st.global", "bar.sync", "setp.leu.f32", "div.rn.f32"] {
        assert!(loop_.contains(part), "{part} is not in\n{loop_}");
    }
}

#[test]
fn without_its_barrier_the_trap_is_a_race_where_blocks_are_more_than_a_warp() {
    let Some((planted, ptx)) = of("trap") else { return };
    let trap = planted.traps[0].numbers(&ptx);
    assert_eq!(ptx.matches("bar.sync").count(), 1, "one barrier is the trap:\n{ptx}");
    let text = patched(&ptx, &format!("delete b{}\n", trap[0]));
    let case = small(&planted.subject, "blocks=1, threads=100, steps=9");
    let fault = run(&emulator(&text), &case, &STRICT).unwrap_err();
    assert!(fault.to_string().contains("shared"), "{fault}");
}
