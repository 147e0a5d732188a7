//! What the host does between launches.

use super::{HEAT, read};
use crate::workload::{HostCopy, HostStep, Set};

#[test]
fn the_host_may_copy_and_clear_buffers_between_launches() {
    let step = "[[step]]\nkernel = \"finish\"";
    let with = |lines: &str| read(&HEAT.replace(step, &format!("{lines}\n{step}")));
    let text = "[[step]]\nclear = \"a\"\n[[buffer]]\nname = \"c\"\ntype = \"f32\"\nlength = 2\nrole = \"scratch\"\n\
                [[step]]\ntimes = 2\nindex = \"t\"\n[[step.step]]\ncopy = { from = \"a\", to = \"c\", at = \"n * t\" }";
    let inputs = with(text).unwrap().inputs(Set::Search, 0).unwrap();
    let copy = |at: usize| HostStep::Copy(HostCopy { from: (0, 16 * at), to: (2, 0), bytes: 8 });
    assert_eq!(inputs.host[2..], [HostStep::Clear(0), copy(0), copy(1), HostStep::Launch(2)]);
    let beside = text.replace("length = 2\n", "length = 2\nmargin = 3\n").replace("scratch", "inout");
    let inputs = with(&beside).unwrap().inputs(Set::Search, 0).unwrap();
    assert_eq!(inputs.host[3], HostStep::Copy(HostCopy { from: (0, 0), to: (2, 12), bytes: 8 }));
    let far = with(&text.replace("n * t", "15")).unwrap().inputs(Set::Search, 0).unwrap_err().to_string();
    let expected = "heat.toml: with n=4 steps=2 seed=0, `c` has 2 elements, and `a` 16, from the one \
                    numbered 15 on too few for a copy";
    assert_eq!(far, expected);
    let refused = [
        ("clear = \"d\"", "heat.toml:31: there is no buffer `d`"),
        (
            "copy = { from = \"a\", to = \"b\" }",
            "heat.toml:31: a copy goes to another buffer, whose elements have as many bytes",
        ),
        (
            "clear = \"a\"\ncopy = { from = \"a\", to = \"b\" }",
            "heat.toml:30: a step is a `copy` or a `clear`, not both",
        ),
    ];
    for (line, expected) in refused {
        assert_eq!(with(&format!("[[step]]\n{line}")).unwrap_err(), expected);
    }
    let judged = with("[[judge]]\nclear = \"a\"").unwrap_err();
    assert_eq!(
        judged,
        "heat.toml:1: [[judge]] has launches alone, and neither `while` nor `copy` nor `clear`"
    );
}
