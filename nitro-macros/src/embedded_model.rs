//! `embedded_model!`: the bytes of a file that need not be there yet.

use std::path::PathBuf;

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

/// The package that the compiler compiles.
pub(crate) struct Package {
    /// Its folder.
    pub folder: PathBuf,
    /// True where it has a build script, through which alone cargo can notice that a file appears.
    pub has_build_script: bool,
}

impl Package {
    /// The package that cargo compiles at the moment; none where it is not cargo that called the compiler.
    pub fn current() -> Option<Self> {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR")?.into();
        Some(Self { folder, has_build_script: std::env::var_os("OUT_DIR").is_some() })
    }
}

/// Expands to `include_bytes!` of a file that is there, and to nothing for one that is not.
pub(crate) fn expansion(path: TokenStream, package: Option<&Package>) -> TokenStream {
    bytes(path, package).unwrap_or_else(syn::Error::into_compile_error)
}

fn bytes(path: TokenStream, package: Option<&Package>) -> syn::Result<TokenStream> {
    let path: LitStr = syn::parse2(path)
        .map_err(|error| syn::Error::new(error.span(), "write `embedded_model!(\"models/NAME.model\")`"))?;
    let Some(package) = package else {
        return Err(syn::Error::new(
            path.span(),
            "the path is relative to the package, which cargo alone tells: write `include_bytes!`",
        ));
    };
    let name = path.value();
    if package.folder.join(&name).exists() {
        let from_package = format!("/{name}");
        let file = quote!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #from_package));
        return Ok(quote!({
            const BYTES: &[::core::primitive::u8] = ::core::include_bytes!(#file);
            BYTES
        }));
    }
    if !package.has_build_script {
        let folder = name.rsplit_once('/').map_or(name.as_str(), |(folder, _)| folder);
        let message = format!(
            "`{name}` is not there yet, and cargo would not notice when it is: write a file `build.rs` beside \
             `Cargo.toml` with\nfn main() {{ println!(\"cargo::rerun-if-changed={folder}\") }}"
        );
        return Err(syn::Error::new(path.span(), message));
    }
    Ok(quote!({
        const BYTES: &[::core::primitive::u8] = &[];
        BYTES
    }))
}
