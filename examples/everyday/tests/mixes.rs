//! The benchmark of mixes says what it measured.

use std::process::{Command, Output};

fn mixes(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mixes")).args(arguments).output().expect("it runs")
}

#[test]
fn ratios_are_those_of_the_times() {
    let output = mixes(&["--json", "--seconds", "0.1", "--mix", "transforms"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    let mix = &found["mixes"][0];
    let number = |name: &str| mix[name].as_f64().unwrap_or_else(|| panic!("{name} in {mix}"));
    let singles = mix["singles_ns"].as_object().expect("an object");
    let best = singles.values().filter_map(serde_json::Value::as_f64).fold(f64::MAX, f64::min);
    assert_eq!(singles.len(), 3, "{mix}");
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9; // both went through text
    assert!(near(number("of_oracle"), number("dispatched_ns") / number("oracle_ns")), "{mix}");
    assert!(near(number("over_best_single"), best / number("dispatched_ns")), "{mix}");
    assert!(near(number("over_rule"), number("rule_ns") / number("dispatched_ns")), "{mix}");
    assert_eq!(found["totals"]["all calls"]["of_oracle"], mix["of_oracle"], "there is one mix");
    let reasons: f64 = mix["reasons"].as_object().unwrap().values().filter_map(|count| count.as_f64()).sum();
    assert_eq!(reasons, number("calls"));
}

#[test]
fn several_runs_have_a_range() {
    let output = mixes(&["--runs", "3", "--seconds", "0.1", "--mix", "transforms"]);
    let table = String::from_utf8_lossy(&output.stdout);
    let row = table.lines().find(|line| line.starts_with("matmul: transforms")).expect("a line of the mix");
    assert_eq!(row.matches("..").count(), 3, "oracle, single and if: {row}");
}

#[test]
fn help_is_printed() {
    let output = mixes(&["--json", "--help"]);
    let usage = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && usage.contains("Usage: mixes") && usage.contains("--runs N"),
        "{usage}"
    );
}

#[test]
fn wrong_arguments_are_told_of() {
    for (arguments, code, message) in [
        (&["--seconds", "-1"][..], 2, "`--seconds` is a number above 0"),
        (&["--runs", "0"], 2, "`--runs` is a whole number from 1 to 1000"),
        (&["--runs", "1e9"], 2, "`--runs` is a whole number from 1 to 1000"),
        (&["--mix"], 2, "`--mix` needs a value behind it"),
        (&["--fast"], 2, "`--fast` is none of"),
        (&["--mix", "absent"], 1, "no mix has `absent` in its name"),
    ] {
        let output = mixes(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && stderr.contains(message), "{arguments:?}: {stderr}");
    }
}
