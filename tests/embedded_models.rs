//! What a program says of the model that it carries when nothing in it listens to events: of one that was fitted
//! for other code a line on stderr, of the place of one to come nothing.
//!
//! The test runs itself once more, since stderr is the process's.

mod macro_support;

use std::process::Command;
use std::sync::LazyLock;

use macro_support::{constant, threshold};
use nitro::{Reason, code_variant};

macro_rules! functions {
    ($($name:ident $key:literal: $model:expr;)*) => {$(
        #[code_variant(
            name = $key,
            features(length = items),
            variants(first, second),
            default = first,
            model = {
                static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| $model);
                MODEL.as_slice()
            },
        )]
        fn $name(items: usize) -> &'static str;
    )*};
}
functions! {
    to_come "to_come": vec![];
    fitting "fitting": threshold("fitting", ["first", "second"], "length", 10.0);
    variant_gone "variant_gone": constant("variant_gone", &["first", "second", "third"], "second");
    variant_new "variant_new": constant("variant_new", &["first"], "first");
    feature_gone "feature_gone": threshold("feature_gone", ["first", "second"], "width", 10.0);
    damaged "damaged": b"no model at all".to_vec();
}

fn first(_: usize) -> &'static str {
    "first"
}

fn second(_: usize) -> &'static str {
    "second"
}

/// What the second process does.
#[test]
#[ignore = "run by the other test"]
fn child() {
    assert_eq!(to_come::function().embedded_model(), None);
    assert_eq!((to_come(1), to_come::select(1).reason()), ("first", Reason::NoModel));
    assert_eq!(fitting(100), "second");
    for _ in 0..2 {
        assert_eq!(variant_gone(1), "second");
        assert_eq!(variant_new(1), "first");
        assert_eq!((feature_gone(1), feature_gone::select(1).reason()), ("first", Reason::FeatureMissing));
        assert_eq!((damaged(1), damaged::select(1).reason()), ("first", Reason::ModelUnreadable));
    }
}

#[test]
fn a_model_that_does_not_fit_the_code_is_told_of_once() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env_remove("NITRO_FORCE")
        .env_remove("NITRO_MODELS")
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    let told: Vec<&str> = stderr.lines().filter_map(|line| line.strip_prefix("nitro: ")).collect();
    let expected = [
        "`variant_gone`: the embedded model is stale, the model knows a variant that the code no longer has: `third`; fit it again",
        "`variant_new`: the embedded model is stale, the code has a variant that the model does not know: `second`; fit it again",
        "`feature_gone`: the embedded model is stale, the model needs a feature that the code lacks: `width`; fit it again",
        "`damaged`: the embedded model cannot be read: not a Nitro model: it does not begin with NITROMDL; the default variant runs",
    ];
    assert_eq!(told, expected);
}
