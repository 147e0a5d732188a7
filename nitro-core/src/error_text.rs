//! The texts of errors. A derive macro for a dozen of them would be two more crates in every application.

/// Implements `Display`: what is written of each pattern that a value matches.
macro_rules! error_text {
    ($error:ident: $($pattern:pat => $text:literal $($argument:expr)?),+ $(,)?) => {
        impl ::std::fmt::Display for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $($pattern => ::std::write!(f, $text $(, $argument)?)),+
                }
            }
        }
    };
}
pub(crate) use error_text;
