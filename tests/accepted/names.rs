//! Names of variants, parameters, features, functions and arguments that something in generated code could be
//! called too.

use nitro::{CodeVariant, code_variant};

/// Variants of these names, without and with a parameter; each gives its own name.
macro_rules! variants {
    ($($name:ident = $arm:ident,)*) => {
        mod plain {
            $(pub fn $name() -> &'static str {
                stringify!($name)
            })*
            #[nitro::code_variant(variants(plain_default, $(self::$name),*), default = plain_default)]
            pub fn named() -> &'static str;
            fn plain_default() -> &'static str {
                "default"
            }
        }
        mod tuned {
            $(pub fn $name(parameters: named::$arm) -> &'static str {
                [stringify!($name), "another"][parameters.step]
            })*
            #[nitro::code_variant(variants(plain_default, $(self::$name { step in [0, 1] }),*), default = plain_default)]
            pub fn named() -> &'static str;
            fn plain_default() -> &'static str {
                "default"
            }
        }
        #[test]
        fn variants_have_any_name() {
            $({
                let (plain, tuned) = (plain::named::Variant::$arm, tuned::named::Variant::$arm);
                assert_eq!(plain::named::call(plain), stringify!($name));
                assert_eq!(tuned::named::call(tuned), stringify!($name));
                assert_eq!((plain.to_string().parse(), tuned.to_string().parse()), (Ok(plain), Ok(tuned)));
                let choice = tuned::named::Choice::$arm(tuned::named::$arm { step: 1 });
                assert_eq!(tuned::named::call(choice), "another");
                assert_eq!((choice.to_string().parse(), choice.clone()), (Ok(choice), choice));
            })*
        }
    };
}

variants! {
    err = Err,
    ok = Ok,
    some = Some,
    none = None,
    all = All,
    ALL = ALL_,
    self_ = Self_,
    default = Default,
    name = Name,
    config = Config,
    configuration = Configuration,
    from = From,
    from_str = FromStr,
    into = Into,
    index = Index,
    select = Select,
    call = Call,
    admissible = Admissible,
    function = Function,
    prepare = Prepare,
    display = Display,
    debug = Debug,
    clone = Clone,
    copy = Copy,
    eq = Eq,
    hash = Hash,
    partial_eq = PartialEq,
    option = Option,
    result = Result,
    vec = Vec,
    string = String,
    box_ = Box,
    iterator = Iterator,
    fn_ = Fn,
    usize = Usize,
    u32 = U32,
    bool = Bool,
    str = Str,
    f64 = F64,
    core = Core,
    std = Std,
    nitro = Nitro,
    error = Error,
    r#type = Type,
    r#match = Match,
    of = Of,
    fmt = Fmt,
    features = Features,
    model = Model,
    value = Value,
    values = Values,
}

/// The types of parameters cannot be called so, the variants can.
mod as_the_types {
    pub fn variant() -> u32 {
        1
    }
    pub fn choice() -> u32 {
        2
    }
    pub fn self_(parameters: named::Self_) -> u32 {
        parameters.of.into()
    }
    #[nitro::code_variant(variants(variant, choice, self_ { of: u8 in [3, 4] }), default = variant)]
    pub fn named() -> u32;
}

#[code_variant(
    features(
        ok = from as u32, some = 2, none = 3, all = 4, default = 5, name = 6, choice = 7, variant = 8, config = 9,
        function = 10, features = 11, device = 12, result = 13, from_str = 14, core = 15, usize = 16, u32 = 17,
    ),
    variants(
        plain,
        tuned {
            err in [1, 2], value in [1, 2], values in [1, 2], parameters in [1, 2], configuration in [1, 2],
            formatter in [1, 2], other in [1, 2], left in [1, 2], index in [1, 2], text: bool, bool: bool,
        } if ok + some + none + all + default + name + choice + variant + config == 45
            && function + features + device + result + from_str + core + usize + u32 == 108
            && err + value + values + parameters + configuration + formatter + other + left + index == 9 && !text && !bool,
    ),
    default = plain,
)]
fn select(from: u8, formatter_: u8, choice_: u8, __: u8) -> u32;

fn plain(_: u8, _: u8, _: u8, _: u8) -> u32 {
    0
}
fn tuned(parameters: select::Tuned, _: u8, _: u8, _: u8, _: u8) -> u32 {
    parameters.configuration as u32
}

/// Functions called as what the companion has, or as a crate.
macro_rules! functions {
    ($($name:ident)*) => {
        mod functions {
            fn nothing() {}
            $(#[::nitro::code_variant(variants(nothing), default = nothing)]
            pub fn $name();)*
            #[test]
            fn functions_have_any_name() {
                $($name();
                assert_eq!($name::select().variant().to_string(), "nothing");)*
            }
        }
    };
}

functions! { function prepare call admissible core std nitro alloc main Variant Choice r#type r#fn u32 usize Some Ok None Err }

#[test]
fn parameters_features_and_arguments_have_any_name() {
    assert_eq!(select(1, 2, 3, 4), 0);
    let tuned = |step| {
        let [err, value, values, parameters, configuration, formatter, other, left, index] = [step; 9];
        let (text, bool) = (false, false);
        select::Choice::Tuned(select::Tuned {
            err,
            value,
            values,
            parameters,
            configuration,
            formatter,
            other,
            left,
            index,
            text,
            bool,
        })
    };
    assert!(select::admissible(tuned(1), 1, 2, 3, 4) && !select::admissible(tuned(2), 1, 2, 3, 4));
    assert_eq!(select::call(tuned(2), 1, 2, 3, 4), 2);
    assert_eq!(tuned(1).to_string().parse(), Ok(tuned(1)));
    assert_eq!((as_the_types::named(), as_the_types::named::Variant::ALL.len()), (1, 3));
    assert_eq!(
        as_the_types::named::Choice::Choice.to_string(),
        CodeVariant::name(as_the_types::named::Variant::Choice)
    );
}
