//! `NITRO_FORCE`: pins functions to choices.

use std::ffi::OsString;

use super::{Choice, Function};
use crate::environment::{warn, warn_once};
use crate::escape::{entries, meant, split_once, trimmed};

/// The choice to which `NITRO_FORCE` pins the function; what cannot be followed is reported and ignored.
pub(crate) fn forced_choice(function: &Function) -> Option<Choice> {
    let setting = std::env::var_os("NITRO_FORCE").map(OsString::into_string)?;
    let Ok(setting) = setting else {
        warn_once(
            "NITRO_FORCE is not UTF-8 and is ignored: write it as function=variant,function=variant"
                .to_owned(),
        );
        return None;
    };
    forced_in(&setting, function)
}

/// Returns true where a text may name a function in `NITRO_FORCE`.
fn is_name(text: &str) -> bool {
    !meant(text).is_empty() && split_once(text, '{').is_none()
}

fn forced_in(setting: &str, function: &Function) -> Option<Choice> {
    let mut forced = None;
    for entry in entries(setting).into_iter().map(trimmed).filter(|entry| !entry.is_empty()) {
        let Some((name, choice)) = split_once(entry, '=').filter(|(name, _)| is_name(name)) else {
            warn_once(format!("NITRO_FORCE: `{entry}` is ignored: write function=variant"));
            continue;
        };
        let name = &*meant(name);
        if name != function.name() && Some(name) != function.name().rsplit("::").next() {
            continue;
        }
        match function.choice(trimmed(choice)) {
            Ok(choice) => {
                if forced.is_some_and(|before| before != choice) {
                    let (function, choice) = (function.name(), function.choice_text(choice));
                    warn(format!(
                        "NITRO_FORCE pins `{function}` more than once: `{choice}`, the last, holds"
                    ));
                }
                forced = Some(choice);
            }
            Err(unknown) => warn(format!("NITRO_FORCE is ignored for `{}`: {unknown}", function.name())),
        }
    }
    forced
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameter, ParameterKind, VariantInfo};

    static SORT: Function = Function::new(
        "app::sort",
        &[
            VariantInfo::new("merge"),
            VariantInfo::new("radix").with_parameters(&[
                Parameter::new("bits", ParameterKind::Number, &["4", "8"], 0),
                Parameter::new("staged", ParameterKind::Bool, &["false", "true"], 0),
            ]),
        ],
    );

    #[test]
    fn a_function_is_named_by_its_key_or_its_last_segment() {
        for (setting, expected) in [
            ("app::sort=radix", Some("radix{bits=4,staged=false}")),
            ("sort=radix", Some("radix{bits=4,staged=false}")),
            ("sort=radix{bits=8,staged=true}", Some("radix{bits=8,staged=true}")),
            (
                "spmv=tiled{a=1,sort=2},sort=radix{ staged = true, bits = 8 }",
                Some("radix{bits=8,staged=true}"),
            ),
            ("spmv=ell, sort = merge ,", Some("merge")),
            ("other::sort=radix", None),
            ("sort=quick", None),
            ("sort=radix{bits=8}", None),
            ("sort=radix{bits=8,staged=true", None),
            ("sort=merge{bits=8}", None),
            ("sort=merge,app::sort=radix", Some("radix{bits=4,staged=false}")),
            ("=merge", None),
            ("{sort=merge}", None),
            ("sort", None),
            ("", None),
        ] {
            let forced = forced_in(setting, &SORT).map(|choice| SORT.choice_text(choice));
            assert_eq!(forced.as_deref(), expected, "{setting}");
        }
    }

    /// Whatever a descriptor calls its variants, parameters and values.
    #[test]
    fn what_a_choice_is_called_pins_it() {
        static ODD: Function = Function::new(
            "odd",
            &[
                VariantInfo::new("a{b}=c, d"),
                VariantInfo::new(" \\").with_parameters(&[Parameter::new(
                    "k,",
                    ParameterKind::Category,
                    &["", "}", "{,", "\" \\"],
                    1,
                )]),
            ],
        );
        let of_parameters = ODD.variants()[1].configurations();
        let choices = of_parameters.map(|configuration| Choice { variant: 1, configuration });
        for choice in choices.chain([ODD.variant_choice(0)]) {
            let text = ODD.choice_text(choice);
            for setting in [format!("odd={text}"), format!("sort=radix{{bits=4}}, odd = {text} ,x=y")] {
                assert_eq!(forced_in(&setting, &ODD), Some(choice), "{setting}");
            }
        }
    }
}
