//! Buffers that are variables of the module, and such of structures.

use super::{HEAT, read};
use crate::workload::{Argument, Comparison, Role, Set};

/// The buffer `b` as a variable of the module.
fn with_variable(lines: &str) -> String {
    HEAT.replace(
        "name = \"b\"\ntype = \"i16\"\nlength = \"n\"",
        &format!("name = \"b\"\ntype = \"i16\"\n{lines}"),
    )
}

#[test]
fn a_buffer_may_be_a_variable_of_one_size() {
    let workload = read(&with_variable("length = \"2 * 5\"\nvariable = \"_ZL1b\"")).unwrap();
    let variables = workload
        .variables()
        .map(|(variable, bytes, role)| (variable.name.clone(), variable.line, bytes, role));
    assert_eq!(variables.collect::<Vec<_>>(), [("_ZL1b".to_owned(), 19, 20, Role::Scratch)]);
    let inputs = workload.inputs(Set::Search, 0).unwrap();
    assert_eq!((inputs.buffers[1].variable.as_deref(), inputs.buffers[1].bytes.len()), (Some("_ZL1b"), 20));
    assert_eq!(inputs.buffers[0].variable, None);
    let refused = [
        (
            "length = \"n\"\nvariable = \"v\"",
            "heat.toml:18: `v` is a variable of the PTX, whose length is the same in all cases; give it in numbers",
        ),
        (
            "length = 4\nvariable = \"v\"\nmargin = 1",
            "heat.toml:20: `v` is a variable of the PTX, and has no margin",
        ),
    ];
    for (lines, expected) in refused {
        assert_eq!(read(&with_variable(lines)).unwrap_err(), expected);
    }
    let twice = with_variable("length = 4\nvariable = \"v\"")
        .replace("length = \"cells\"", "length = 16\nvariable = \"v\"");
    assert_eq!(read(&twice).unwrap_err(), "heat.toml:20: another buffer is the variable `v` already");
}

/// The buffer `a` with structures.
fn of_structures(members: &str) -> String {
    let (begin, others) = HEAT.split_once("[[buffer]]\nname = \"a\"").unwrap();
    let (_, others) = others.split_once("[[buffer]]").unwrap();
    format!(
        "{begin}[[buffer]]\nname = \"a\"\nlength = \"n\"\nrole = \"inout\"\n{members}\n[[buffer]]{others}"
    )
}

/// A weight, a pair of integers and a letter.
const POINT: &str = r#"
[[buffer.member]]
name = "weight"
type = "f32"
values = "uniform(1, 2)"
[[buffer.member]]
name = "centers"
type = "i64"
count = 2
values = "10 * i + j"
error = "share"
[[buffer.member]]
name = "letter"
type = "u8"
"#;

#[test]
fn elements_may_be_structures_as_c_has_them() {
    let workload = read(&of_structures(POINT)).unwrap();
    let inputs = workload.inputs(Set::Search, 0).unwrap();
    let buffer = &inputs.buffers[0];
    let members: Vec<(&str, usize, usize, Comparison)> = buffer
        .layout
        .members
        .iter()
        .map(|member| (member.name.as_str(), member.offset_bytes, member.count, member.comparison))
        .collect();
    let expected = [
        ("weight", 0, 1, Comparison::Relative),
        ("centers", 8, 2, Comparison::Share),
        ("letter", 24, 1, Comparison::Exact),
    ];
    assert_eq!((buffer.layout.bytes, &members[..], buffer.bytes.len()), (32, &expected[..], 4 * 32));
    let third = &buffer.bytes[64..96];
    let weight = f32::from_le_bytes(third[..4].try_into().unwrap());
    assert!((1.0..2.0).contains(&weight), "{weight}");
    assert_eq!((&third[8..16], &third[16..24]), (&20i64.to_le_bytes()[..], &21i64.to_le_bytes()[..]));
    assert_eq!((&third[4..8], &third[24..]), (&[0; 4][..], &[0; 8][..]), "the rest is 0");
    assert_eq!(workload.undrawn().collect::<Vec<_>>(), ["a.centers"]);
    assert_eq!(workload.redrawn((Set::Search, 0), 0, 0, 1), None);
    let aligned = POINT.replace("type = \"u8\"", "type = \"u8\"\ncount = 3\nalign = 16");
    let aligned = read(&of_structures(&aligned)).unwrap().inputs(Set::Search, 0).unwrap();
    assert_eq!(
        (aligned.buffers[0].layout.members[2].offset_bytes, aligned.buffers[0].layout.bytes),
        (32, 48)
    );
    let beside = of_structures(&format!("margin = 3\n{POINT}"));
    let beside = read(&beside).unwrap().inputs(Set::Search, 0).unwrap();
    assert_eq!(beside.launches[0].arguments[0], Argument::Within { buffer: 0, offset_bytes: 3 * 32 });
    assert_eq!(beside.buffers[0].bytes.len(), 10 * 32);
}

/// A box with its number and three neighbours of which each has one.
const BOX: &str = r#"
[[buffer.member]]
name = "number"
type = "i32"
values = "i"
[[buffer.member]]
name = "near"
count = 3
[[buffer.member.member]]
name = "number"
type = "i32"
values = "10 * i + j"
[[buffer.member.member]]
name = "offset"
type = "i64"
values = "100 * j"
[[buffer.member]]
name = "count"
type = "i32"
"#;

#[test]
fn structures_may_have_arrays_of_structures() {
    let inputs = read(&of_structures(BOX)).unwrap().inputs(Set::Search, 0).unwrap();
    let buffer = &inputs.buffers[0];
    let places = |at: usize| {
        let member = &buffer.layout.members[at];
        (member.name.as_str(), member.offset_bytes, member.count, member.stride_bytes)
    };
    let expected =
        [("number", 0, 1, 4), ("near.number", 8, 3, 16), ("near.offset", 16, 3, 16), ("count", 56, 1, 4)];
    assert_eq!((buffer.layout.bytes, [0, 1, 2, 3].map(places)), (64, expected));
    let second = &buffer.bytes[64..128];
    let integer = |at: usize| i32::from_le_bytes(second[at..at + 4].try_into().unwrap());
    assert_eq!([0, 8, 16, 24, 32, 40, 48, 56].map(integer), [1, 10, 0, 11, 100, 12, 200, 0]);
    let member = |byte: usize| buffer.layout.member_at(64 + byte).map(|member| member.name.as_str());
    let found = [0, 4, 27, 28, 47, 52, 60].map(member);
    let [number, offset] = [Some("near.number"), Some("near.offset")];
    assert_eq!(found, [Some("number"), None, number, None, None, offset, None]);
    let single = read(&of_structures(&BOX.replace("count = 3\n", "").replace("j", "i"))).unwrap();
    let single = single.inputs(Set::Search, 0).unwrap();
    assert_eq!((single.buffers[0].layout.members[2].offset_bytes, single.buffers[0].layout.bytes), (16, 32));
    let refused = [
        (
            "type = \"i64\"",
            "type = \"i64\"\ncount = 2",
            "heat.toml:27: an array in an array of structures cannot be said; write its numbers as members",
        ),
        (
            "count = 3",
            "type = \"i32\"",
            "heat.toml:18: a structure in a structure has members alone, which are no structures",
        ),
    ];
    for (old, new, expected) in refused {
        assert_eq!(read(&of_structures(&BOX.replacen(old, new, 1))).unwrap_err(), expected);
    }
    let large = read(&of_structures(&BOX.replace("count = 3", "count = 40000"))).unwrap_err();
    let expected = "heat.toml:9: a structure has up to 256 members and 65536 numbers, and `a` 4 with 80002";
    assert_eq!(large, expected);
}

#[test]
fn what_is_wrong_with_a_structure_is_said_with_its_line() {
    let known = [
        (
            "",
            "",
            "heat.toml:9: `a` has no `type`; of structures there are members instead, under [[buffer.member]]",
        ),
        (
            POINT,
            "type = \"f32\"",
            "heat.toml:12: `type`, `pointer`, `values` and `error` of structures stand with each member",
        ),
        (
            POINT,
            "values = \"i\"",
            "heat.toml:12: `type`, `pointer`, `values` and `error` of structures stand with each member",
        ),
        (
            POINT,
            "error = \"exact\"",
            "heat.toml:12: `type`, `pointer`, `values` and `error` of structures stand with each member",
        ),
        (POINT, "file = \"a.bin\"", "heat.toml:12: a buffer has values or a file, not both"),
    ];
    for (members, line, expected) in known {
        assert_eq!(read(&of_structures(&format!("{line}{members}"))).unwrap_err(), expected);
    }
    let known = [
        ("name = \"letter\"", "name = \"weight\"", "heat.toml:24: there are two members `weight`"),
        (
            "type = \"u8\"",
            "type = \"u8\"\nalign = 3",
            "heat.toml:26: `align` is a power of two up to 128, in bytes",
        ),
        ("uniform(1, 2)", "j", "heat.toml:16: `j` is no size; there are n, steps, blocks, cells, i"),
        ("count = 2", "count = 0", "heat.toml:20: `count` is a number from 1 to 65536"),
        (
            "type = \"u8\"",
            "type = \"bool\"",
            "heat.toml:25: unknown variant `bool`, expected one of `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, `u64`, `i64`, `f32`, `f64`",
        ),
    ];
    for (old, new, expected) in known {
        assert!(POINT.contains(old), "{old}");
        assert_eq!(read(&of_structures(&POINT.replace(old, new))).unwrap_err(), expected);
    }
    let counted = of_structures(POINT).replace("blocks = ", "j = \"n\"\nblocks = ");
    let said = read(&counted).unwrap_err();
    assert_eq!(said, "heat.toml:22: `j` counts the numbers of `centers`; give the other one another name");
}

/// The heat with a buffer of pointers to it, and structures that have one.
fn with_pointers(lines: &str) -> String {
    HEAT.replace("[[step]]\ntimes", &format!("{lines}\n[[step]]\ntimes"))
}

const POINTERS: &str = r#"
[[buffer]]
name = "rows"
pointer = "a"
length = "n"
role = "in"
values = "n * i"
[[buffer]]
name = "cells"
length = 2
role = "in"
[[buffer.member]]
name = "size"
type = "i32"
values = "7"
[[buffer.member]]
name = "ends"
pointer = "b"
count = 2
values = "j * n"
"#;

#[test]
fn pointers_point_to_elements_wherever_buffers_are() {
    let inputs = read(&with_pointers(POINTERS)).unwrap().inputs(Set::Search, 0).unwrap();
    let words = |buffer: usize, addresses: &[u64]| {
        let bytes = inputs.buffers[buffer].placed(addresses);
        bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect::<Vec<u64>>()
    };
    assert_eq!(words(2, &[0x1000, 0x2000, 0, 0]), [0x1000, 0x1010, 0x1020, 0x1030]);
    assert_eq!(words(3, &[0, 0x2000, 0, 0]), [7, 0x2000, 0x2008, 7, 0x2000, 0x2008]);
    let beside = with_pointers(POINTERS).replacen("length = \"cells\"", "length = \"cells\"\nmargin = 3", 1);
    let beside = read(&beside).unwrap().inputs(Set::Search, 0).unwrap();
    assert_eq!(beside.buffers[2].bytes[..8], 12u64.to_le_bytes(), "the first element is behind the margin");
    let workload = read(&with_pointers(POINTERS)).unwrap();
    assert_eq!(workload.undrawn().collect::<Vec<_>>(), ["cells.size"]);
}

#[test]
fn what_is_wrong_with_a_pointer_is_said() {
    let known = [
        ("pointer = \"a\"", "pointer = \"c\"", "heat.toml:24: there is no buffer `c` to point to"),
        (
            "pointer = \"a\"",
            "pointer = \"a\"\ntype = \"u64\"",
            "heat.toml:24: there is a `type` or a `pointer`, not both",
        ),
        (
            "role = \"in\"",
            "role = \"inout\"",
            "heat.toml:24: a buffer with pointers has the role \"in\", and neither `margin` nor `file`",
        ),
    ];
    for (old, new, expected) in known {
        assert_eq!(read(&with_pointers(&POINTERS.replacen(old, new, 1))).unwrap_err(), expected);
    }
    let variable = with_pointers(POINTERS)
        .replace("type = \"i16\"\nlength = \"n\"", "type = \"i16\"\nvariable = \"b\"\nlength = 4");
    let said = read(&variable).unwrap_err();
    assert_eq!(said, "heat.toml:39: `b` is a variable of the PTX, to which no pointer can point");
    let far = read(&with_pointers(&POINTERS.replace("n * i", "n * (i + 2)"))).unwrap();
    let said = far.inputs(Set::Search, 0).unwrap_err().to_string();
    assert_eq!(said, "heat.toml: with n=4 steps=2 seed=0, `rows` points beside `a`");
}
