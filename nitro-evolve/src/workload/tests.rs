mod changes;
mod elements;

use std::path::Path;
use std::time::Instant;

use super::{Argument, Case, HostStep, Role, Set, Workload};

const HEAT: &str = r#"
max_error = 0.01

[let]
blocks = "ceil_div(cells, 16)"
cells = "n * n"

[[buffer]]
name = "a"
type = "f32"
length = "cells"
role = "inout"
values = "uniform(0, 1) + i"

[[buffer]]
name = "b"
type = "i16"
length = "n"
role = "scratch"

[[step]]
times = "steps"
index = "t"
[[step.step]]
kernel = "heat"
grid = ["blocks", "t + 1"]
block = [16]
arguments = ["a", "b", { i32 = "n - t" }, { f64 = 0.5 }]

[[step]]
kernel = "finish"
grid = [1]
block = [32]
arguments = ["b"]

[[search]]
n = 4
steps = 2
[[validation]]
n = 5
steps = 1
seed = 3
[[test]]
n = 8
steps = 0
"#;

fn read(text: &str) -> Result<Workload, String> {
    Workload::parse(Path::new("heat.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn a_case_has_the_launches_and_buffers_that_its_numbers_give() {
    let workload = read(HEAT).unwrap();
    assert_eq!(workload.kernels(), ["heat", "finish"]);
    let inputs = workload.inputs(Set::Search, 0).unwrap();
    let grids: Vec<[u32; 3]> = inputs.launches.iter().map(|launch| launch.grid).collect();
    assert_eq!(grids, [[1, 1, 1], [1, 2, 1], [1, 1, 1]]);
    let arguments = &inputs.launches[1].arguments;
    assert_eq!(arguments[..2], [Argument::Buffer(0), Argument::Buffer(1)]);
    assert_eq!(arguments[2], Argument::Scalar(3i32.to_le_bytes().to_vec()));
    assert_eq!(arguments[3], Argument::Scalar(0.5f64.to_le_bytes().to_vec()));
    assert_eq!((inputs.buffers[0].bytes.len(), inputs.buffers[1].bytes.len()), (64, 8));
    assert_eq!(inputs.buffers[1].role, Role::Scratch);
    let second = f32::from_le_bytes(inputs.buffers[0].bytes[4..8].try_into().unwrap());
    assert!((1.0..2.0).contains(&second), "{second}");
    assert_eq!(workload.inputs(Set::Test, 0).unwrap().launches.len(), 1, "no steps are no launches");
}

#[test]
fn the_seed_of_a_case_decides_what_is_drawn() {
    let bytes = |text: &str| read(text).unwrap().inputs(Set::Validation, 0).unwrap().buffers[0].bytes.clone();
    assert_eq!(bytes(HEAT), bytes(HEAT));
    assert_ne!(bytes(HEAT), bytes(&HEAT.replace("seed = 3", "seed = 4")));
}

#[test]
fn a_loop_with_a_flag_is_cleared_before_each_round_and_may_end_after_it() {
    let text = HEAT.replace("index = \"t\"", "index = \"t\"\nwhile = \"b\"");
    let inputs = read(&text).unwrap().inputs(Set::Search, 0).unwrap();
    let leave = HostStep::Leave { flag: 1, to: 6 };
    let [clear, first, second, last] =
        [HostStep::Clear(1), HostStep::Launch(0), HostStep::Launch(1), HostStep::Launch(2)];
    assert_eq!(inputs.host, [clear, first, leave, clear, second, leave, last]);
    let plain = read(HEAT).unwrap().inputs(Set::Search, 0).unwrap();
    assert_eq!(plain.host, [first, second, last]);
    assert!(inputs.is_flag(1) && !inputs.is_flag(0) && !plain.is_flag(1));
}

#[test]
fn beside_a_buffer_with_a_margin_stand_values_that_the_seed_draws() {
    let text = HEAT.replacen("length = \"cells\"", "length = \"cells\"\nmargin = \"n\"", 1);
    let text = text.replace("uniform(0, 1) + i", "100 + i");
    let values = |text: &str, set| {
        let inputs = read(text).unwrap().inputs(set, 0).unwrap();
        let floats = inputs.buffers[0].bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        floats.collect::<Vec<f32>>()
    };
    let found = values(&text, Set::Search);
    let expected: Vec<f32> = (100..116).map(|value| value as f32).collect();
    assert_eq!((found.len(), &found[4..20]), (24, &expected[..]));
    assert!(found.iter().all(|value| expected.contains(value)), "margins have values of other elements");
    let drawn = |seed: &str| values(&text.replace("seed = 3", seed), Set::Validation)[..5].to_vec();
    assert_ne!(drawn("seed = 3"), drawn("seed = 4"));
    let inputs = read(&text).unwrap().inputs(Set::Search, 0).unwrap();
    let pointer = inputs.launches[0].arguments[0].bytes(&[0x1000, 0x2000]);
    assert_eq!(pointer, 0x1010u64.to_le_bytes(), "a pointer points behind the first margin");
    let negative = read(&text.replace("margin = \"n\"", "margin = -1")).unwrap();
    let said = negative.inputs(Set::Search, 0).unwrap_err().to_string();
    assert!(said.contains("`-1` is -1, and has to be from 0 to "), "{said}");
}

#[test]
fn a_structure_is_laid_out_as_in_c() {
    let text = HEAT.replace(
        "arguments = [\"b\"]",
        "arguments = [[{ f32 = 1 }, { i32 = \"n\" }, { u8 = 7 }, [\"b\", { u16 = 5 }]]]",
    );
    let inputs = read(&text).unwrap().inputs(Set::Search, 0).unwrap();
    let given = &inputs.launches[2].arguments[0];
    assert_eq!(given.size_bytes(), 32);
    let bytes = given.bytes(&[0x10, 0x20]);
    assert_eq!(
        (&bytes[..4], &bytes[4..9], &bytes[16..24]),
        (&1f32.to_le_bytes()[..], &[4, 0, 0, 0, 7][..], &0x20u64.to_le_bytes()[..])
    );
    assert_eq!(bytes[24..], [5, 0, 0, 0, 0, 0, 0, 0]);
    let empty = read(&HEAT.replace("arguments = [\"b\"]", "arguments = [[]]")).unwrap_err();
    assert_eq!(empty, "heat.toml:34: a structure has members, and is at most 4 deep");
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let known = [
        ("n - t", "m - t", "heat.toml:28: `m` is no size; there are n, steps, blocks, cells, t"),
        (
            "kernel = \"finish\"",
            "kernel = \"finish\"\ntimes = 2",
            "heat.toml:30: a step has either a `kernel` or `times`, or is a `copy` or a `clear`",
        ),
        (
            "role = \"scratch\"",
            "role = \"scratch\"\nmargin = 1",
            "heat.toml:20: nobody looks at scratch, so that writes to a margin would go unseen; \"inout\" fits",
        ),
        ("index = \"t\"", "index = \"t\"\nwhile = \"c\"", "heat.toml:24: there is no buffer `c`"),
        (
            "times = \"steps\"\nindex = \"t\"",
            "while = \"b\"",
            "heat.toml:21: a loop that ends by a flag needs `times` too, the most rounds",
        ),
        (
            "arguments = [\"b\"]",
            "arguments = [\"c\"]",
            "heat.toml:34: there is no buffer `c`; a number is { i32 = \"c\" }",
        ),
        ("block = [32]", "block = []", "heat.toml:30: `block` has one to three numbers"),
        (
            "\"inout\"",
            "\"in\"",
            "heat.toml:1: no buffer is a result; give at least one the role \"out\" or \"inout\"",
        ),
        ("n = 8\nsteps = 0", "n = 8", "heat.toml:43: this case has n, and the first n, steps"),
        ("max_error = 0.01", "max_error = -1", "heat.toml:2: max_error is a number from 0"),
        (
            "cells = \"n * n\"",
            "cells = \"blocks * n\"",
            "heat.toml:5: each of these needs the next one: blocks, cells, blocks",
        ),
        (
            "[[test]]\nn = 8\nsteps = 0",
            "",
            "heat.toml:1: there is no input for the test; add [[test]] with its sizes",
        ),
        ("name = \"b\"", "name = \"a\"", "heat.toml:16: there are two buffers `a`"),
        (
            "role = \"scratch\"",
            "role = \"scrap\"",
            "heat.toml:19: unknown variant `scrap`, expected one of `in`, `out`, `inout`, `scratch`",
        ),
    ];
    for (old, new, expected) in known {
        assert!(HEAT.contains(old), "{old}");
        assert_eq!(read(&HEAT.replace(old, new)).unwrap_err(), expected);
    }
}

#[test]
fn a_message_is_one_line_whatever_names_there_are() {
    let said = read(&HEAT.replace("arguments = [\"b\"]", "arguments = [\"c\\nd\\u001b\"]")).unwrap_err();
    assert_eq!(said, "heat.toml:34: there is no buffer `c d `; a number is { i32 = \"c d \" }");
}

#[test]
fn a_case_that_makes_no_sense_is_refused() {
    let run = |text: &str| read(text).unwrap().inputs(Set::Search, 0).unwrap_err().to_string();
    let half = run(&HEAT.replace("ceil_div(cells, 16)", "cells / 32"));
    assert_eq!(
        half,
        "heat.toml: with n=4 steps=2 seed=0, `blocks` is 0.5, which is no whole number; ceil_div rounds up, floor_div down"
    );
    assert!(run(&HEAT.replace("n = 4", "n = 1e5")).ends_with("the buffers take more than 16 GiB"));
    assert!(run(&HEAT.replace("steps = 2", "steps = 1e12")).contains("has to be from 0 to 100000"));
}

#[test]
fn a_file_has_to_have_the_length() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.bin"), [0u8; 60]).unwrap();
    let text = HEAT.replace("values = \"uniform(0, 1) + i\"", "file = \"a.bin\"");
    let workload = Workload::parse(&folder.path().join("heat.toml"), &text).unwrap();
    let error = workload.inputs(Set::Search, 0).unwrap_err().to_string();
    assert!(error.ends_with("a.bin has 60 bytes, and `a` takes 64"), "{error}");
    std::fs::write(folder.path().join("a.bin"), [7u8; 64]).unwrap();
    assert_eq!(workload.inputs(Set::Search, 0).unwrap().buffers[0].bytes, [7u8; 64]);
    let text = text.replacen("role =", "margin = 2\nrole =", 1);
    let workload = Workload::parse(&folder.path().join("heat.toml"), &text).unwrap();
    assert_eq!(workload.inputs(Set::Search, 0).unwrap().buffers[0].bytes, [7u8; 80], "a file has no margins");
}

#[test]
fn values_that_no_seed_changes_are_told() {
    let names = |values: &str| -> Vec<String> {
        let text = HEAT.replace("uniform(0, 1) + i", values);
        let workload = Workload::parse("heat.toml".as_ref(), &text).unwrap();
        workload.undrawn().collect()
    };
    assert_eq!(names("i"), ["a"]);
    assert_eq!(names("2 * max(i, 1)"), ["a"]);
    assert_eq!(
        (names("n + i"), names("n + 1")),
        (vec!["a".to_owned()], Vec::new()),
        "that is as an argument"
    );
    assert!(names("i - floor(integer(0, 3) / 2)").is_empty() && names("0").is_empty());
}

#[test]
fn small_inputs_are_drawn_up_to_some_times_the_largest_numbers_of_search_and_validation() {
    let workload = read(HEAT).unwrap();
    let all =
        || -> Vec<String> { workload.small_cases().iter().map(|case| workload.describe(case)).collect() };
    let names = all();
    assert_eq!(names, all());
    let numbers = |name: &str| -> Vec<f64> {
        name.split_whitespace().filter_map(|part| part.split('=').nth(1)?.parse().ok()).collect()
    };
    let largest = [Set::Search, Set::Validation].into_iter().flat_map(|set| {
        (0..workload.cases(set)).map(|case| numbers(&workload.case_name(set, case))).collect::<Vec<_>>()
    });
    let largest: Vec<f64> =
        largest.reduce(|one, other| one.iter().zip(&other).map(|(a, b)| a.max(*b)).collect()).unwrap();
    assert!(names.len() > 8, "{names:?}");
    for name in &names {
        let mut each = numbers(name).into_iter().zip(&largest);
        assert!(each.all(|(own, most)| own <= 4.0 * most && own <= 37.0), "{name}");
    }
    let largest: Vec<u64> = workload.counts().into_iter().map(|(_, most)| most).collect();
    assert_eq!(largest[0], 4 * 5, "tests have larger numbers");
}

#[test]
fn small_inputs_have_several_blocks_and_each_loop_of_the_host_several_rounds() {
    let workload = read(&HEAT.replace("steps = 2", "steps = 2000").replace("n = 4\n", "n = 4000\n")).unwrap();
    let cases = workload.several(&[16].into());
    let of = |case: &Case| {
        let launches = workload.inputs_of(case).unwrap().launches;
        let heat = launches.iter().filter(|launch| launch.kernel == "heat");
        (heat.clone().map(|launch| launch.grid[0]).max(), heat.count())
    };
    // Three by three cells are a block of 16; five by five need two.
    assert_eq!(cases.iter().map(of).collect::<Vec<_>>()[..3], [(Some(1), 3), (Some(2), 3), (Some(2), 3)]);
    let names: Vec<String> = cases.iter().map(|case| workload.describe(case)).collect();
    assert_eq!(names[..2], ["n=3 steps=3 seed=0", "n=5 steps=3 seed=0"], "as small as that takes");
    let in_fours = HEAT
        .replace("times = \"steps\"", "times = \"floor_div(steps, 4)\"")
        .replace("steps = 2", "steps = 40");
    let workload = read(&in_fours).unwrap();
    let cases = workload.several(&[16].into());
    assert!(
        cases.iter().any(|case| workload.describe(case) == "n=5 steps=12 seed=0"),
        "blocks in each of the rounds"
    );
}

#[test]
fn what_takes_multiples_of_its_blocks_alone_has_small_inputs_too() {
    let text = HEAT.replace("ceil_div(cells, 16)", "n / 16").replace("n = 4\n", "n = 64\n");
    let workload = read(&text).unwrap();
    let sizes = |case: Option<Case>| workload.describe(&case.unwrap());
    assert_eq!(sizes(workload.few()), "n=16 steps=2 seed=0");
    assert_eq!(sizes(workload.small_case()), "n=48 steps=2 seed=0");
    let several: Vec<String> =
        workload.several(&[16, 32].into()).iter().map(|case| workload.describe(case)).collect();
    assert!(several.contains(&"n=32 steps=3 seed=0".to_owned()), "{several:?}");
}

/// Loops in loops around a body, so many times each.
fn nested(times: [&str; 3], body: &str) -> String {
    let [first, second, third] = times;
    let step = "[[step]]\nkernel = \"finish\"";
    let loops = format!(
        "[[step]]\ntimes = \"{first}\"\n[[step.step]]\ntimes = \"{second}\"\nindex = \"inner\"\n\
         [[step.step.step]]\ntimes = \"{third}\"\n{body}\n{step}"
    );
    HEAT.replace(step, &loops)
}

#[test]
fn rounds_in_which_nothing_is_launched_are_counted_too() {
    let launch = "[[step.step.step.step]]\nkernel = \"heat\"\ngrid = [1]\nblock = [1]\narguments = []";
    let inputs = |times, body| {
        let inputs = read(&nested(times, body)).unwrap().inputs(Set::Search, 0);
        inputs.map(|inputs| inputs.launches.len()).map_err(|error| error.to_string())
    };
    let refused =
        Err("heat.toml: with n=4 steps=2 seed=0, steps are repeated more than 1000000 times".to_owned());
    for times in
        [["100000", "100000", "0"], ["100000", "11", "0"], ["1000", "1000", "1"], ["2", "9e4", "n + 9"]]
    {
        assert_eq!(inputs(times, ""), refused, "{times:?}");
    }
    assert_eq!(inputs(["100000", "n", "0"], launch), Ok(3), "few rounds of nothing are nothing");
}

#[test]
fn definitions_may_stand_in_any_order_however_many_there_are() {
    let many = 40_000;
    let each = |at: usize| format!("a{at:06} = \"a{:06} + 1\"\n", at + 1);
    let chain: String = (0..many).map(each).collect();
    let lets = format!("[let]\n{chain}a{many:06} = \"n\"\n");
    let workload = read(&HEAT.replace("[let]", &lets).replace("\"n - t\"", "\"a000000\"")).unwrap();
    let inputs = workload.inputs(Set::Search, 0).unwrap();
    assert_eq!(inputs.launches[0].arguments[2], Argument::Scalar((many as i32 + 4).to_le_bytes().to_vec()));
    let around = lets.replace(&format!("a{many:06} = \"n\""), &format!("a{many:06} = \"a039999\""));
    let said = read(&HEAT.replace("[let]", &around)).unwrap_err();
    assert_eq!(said, "heat.toml:40004: each of these needs the next one: a039999, a040000, a039999");
    let itself = read(&HEAT.replace("n * n", "cells / 2")).unwrap_err();
    assert_eq!(itself, "heat.toml:6: each of these needs the next one: cells, cells");
    let unknown = read(&HEAT.replace("n * n", "m / 2")).unwrap_err();
    assert_eq!(unknown, "heat.toml:6: `m` is no size; there are n, steps, blocks, cells");
    let late = read(&HEAT.replace("n * n", "t * n")).unwrap_err();
    assert!(late.starts_with("heat.toml:6: `t` is no size"), "{late}");
}

#[test]
fn a_case_that_memory_has_no_room_for_is_refused_before_anything_is_filled() {
    let text = HEAT.replace("length = \"cells\"", "length = \"2e9\"");
    let workload = read(&text).unwrap();
    let values = workload.values(workload.of(Set::Search).next().unwrap());
    let lengths = |free: u64| workload.lengths(&values, || Some(free << 30));
    assert!(lengths(15).is_ok());
    assert_eq!(
        lengths(14).unwrap_err(),
        "the buffers take 7.5 GiB, more than half of the 14.0 GiB of memory that are free; make them smaller"
    );
}

#[test]
fn what_nobody_looks_at_before_is_not_filled() {
    let text = HEAT.replace("role = \"scratch\"", "role = \"scratch\"\nvalues = \"uniform(1, 9)\"");
    let inputs = read(&text).unwrap().inputs(Set::Search, 0).unwrap();
    assert_eq!(inputs.buffers[1].bytes, [0; 8]);
}

#[test]
fn no_inputs_are_made_beyond_the_time_that_is_given() {
    let over = read(HEAT).unwrap().until(Instant::now());
    let said = over.inputs(Set::Search, 0).unwrap_err().to_string();
    assert_eq!(
        said,
        "heat.toml: with n=4 steps=2 seed=0, the time that was given was over before its inputs were made; give more (--minutes)"
    );
}
