//! Snapshots of the expansion, formatted. `UPDATE_EXPECT=1 cargo test -p nitro-variants-macros` accepts what
//! changed; read the diff.

use expect_test::{ExpectFile, expect_file};
use proc_macro2::TokenStream;
use quote::quote;

use crate::embedded_model::{self, Package};
use crate::expansion;

fn check(arguments: TokenStream, item: TokenStream, expected: ExpectFile) {
    expected.assert_eq(&formatted(arguments, item));
}

fn formatted(arguments: TokenStream, item: TokenStream) -> String {
    let file = syn::parse2(expansion(arguments, item)).expect("the expansion is a list of items");
    prettyplease::unparse(&file)
}

#[test]
fn the_smallest_function() {
    check(
        quote!(variants(only), default = only),
        quote!(
            fn work();
        ),
        expect_file!["snapshots/smallest.rs"],
    );
}

#[test]
fn features_constraints_and_cfg() {
    let (arguments, item) = spmv();
    check(arguments, item, expect_file!["snapshots/spmv.rs"]);
}

fn spmv() -> (TokenStream, TokenStream) {
    let arguments = quote! {
        features(
            avg_nnz_per_row = a.nnz() as f64 / a.rows() as f64,
            row_length_sd = a.row_length_sd(),
            ell_fill = a.ell_fill(),
        ),
        variants(
            exact(csr_scalar, formats::csr_vector),
            #[cfg(feature = "ell")]
            ell if ell_fill <= 9.0 && a.rows() > 0,
        ),
        default = csr_vector,
    };
    let item = quote! {
        /// y ← A·x
        #[must_use]
        pub fn spmv(a: &Csr, x: &[f32], y: &mut [f32]) -> Result<(), SpmvError>;
    };
    (arguments, item)
}

#[test]
fn hints() {
    let arguments = quote! {
        features(length = keys.len()),
        variants(merge, insertion prefer if keys.len() < 10, counting if length > 0 prefer if is_dense(keys)),
        default = merge,
    };
    let item = quote!(
        fn sort(keys: &mut [u32]);
    );
    check(arguments, item, expect_file!["snapshots/hints.rs"]);
}

#[test]
fn approximate_variants() {
    let arguments = quote! {
        features(length = values.len()),
        variants(
            in_order,
            evolved,
            #[cfg(feature = "half")]
            halves { lanes in [4, 8] } if length >= lanes,
        ),
        default = in_order,
        approximate(evolved = 0.003 over "lengths to 4096", halves = HALF_ERROR),
        tolerance = options.tolerance,
    };
    let item = quote!(
        pub fn sum(values: &[f64], options: &Options) -> f64;
    );
    check(arguments, item, expect_file!["snapshots/approximate.rs"]);
}

#[test]
fn every_option() {
    let arguments = quote! {
        name = "sort",
        crate = facade::nitro,
        device = gpu::on(stream),
        model = include_bytes!("sort.model"),
        prepare = compile_ahead,
        nested(find, bits::count, Runs::merge),
        default = merge,
        variants(merge, radix::<T, 8>),
        features(length: Count = keys.len(), shift = stream.shift()),
    };
    let item = quote!(
        pub(super) fn sort<T: Key>(stream: &Stream, keys: &mut [T]);
    );
    check(arguments, item, expect_file!["snapshots/options.rs"]);
}

#[test]
fn generics_lifetimes_and_unsafe() {
    let arguments = quote!(variants(<S as Scan>::linear, binary), default = binary);
    let item = quote! {
        #[cfg(unix)]
        #[expect(clippy::type_complexity)]
        pub(in crate::search) unsafe fn r#find<'a, S, I, const N: usize>(keys: &'a [I; N], key: I) -> Option<&'a I>
        where
            S: Scan<I>,
            I: Ord;
    };
    check(arguments, item, expect_file!["snapshots/generics.rs"]);
}

#[test]
fn methods_of_an_implementation_of_a_trait() {
    let block = quote! {
        #[cfg(unix)]
        impl<'a, T: Number> Multiply for Csr<'a, T> {
            type Output = Vec<T>;
            #[code_variant(
                features(rows = self.rows()),
                variants(by_rows, by_parts if rows > Self::FEW),
                default = by_rows,
            )]
            pub fn multiply(&self, x: &[T]) -> Self::Output;
            fn by_rows(&self, x: &[T]) -> Self::Output {
                self.product(x)
            }
        }
    };
    let file =
        syn::parse2(crate::expansion::expansion_of_block(quote!(), block)).expect("it is a list of items");
    expect_file!["snapshots/methods.rs"].assert_eq(&prettyplease::unparse(&file));
}

#[test]
fn clones_for_target_features() {
    let arguments = quote! {
        features(length = a.len()),
        variants(
            plain,
            kernels::dot = was("product") targets("x86_64+avx2+fma", "aarch64+neon") {
                block: u32 in [8, 16],
                const LANES in [4],
            } if length > 8,
        ),
        default = plain,
    };
    let item = quote!(
        pub fn product<T: Number>(a: &[T], b: &[T]) -> T;
    );
    check(arguments, item, expect_file!["snapshots/targets.rs"]);
}

#[test]
fn a_mistake_in_the_options_keeps_the_companion() {
    let arguments = quote!(variants(merge, merge, radix), default = quick, nmae = "sort");
    check(
        arguments,
        quote!(
            pub fn sort(keys: &mut [u32]);
        ),
        expect_file!["snapshots/salvage_options.rs"],
    );
}

#[test]
fn a_mistake_in_the_signature_keeps_the_function() {
    let arguments = quote!(variants(merge, radix), default = merge);
    check(
        arguments,
        quote!(
            pub async fn sort(mut keys: &mut [u32]);
        ),
        expect_file!["snapshots/salvage_signature.rs"],
    );
}

#[test]
fn another_item_stays_as_it_is() {
    check(
        quote!(variants(a), default = a),
        quote!(
            pub struct Sort;
        ),
        expect_file!["snapshots/salvage_item.rs"],
    );
}

#[cfg(feature = "nest")]
#[test]
fn a_nest() {
    let item = quote! {
        /// The lower triangle of c ← beta·c + a·aᵀ
        #[cfg(unix)]
        pub(crate) fn syrk(n: usize, beta: f32, #[shape(n, 2 * n)] a: &Array2<f32>, #[shape(n)] diagonal: &[f32], #[shape(n, n)] c: &mut Array2<f32>) {
            for i in (0..n).rev() {
                let scale = diagonal[i].max(beta);
                for j in 0..=i {
                    if i + j < 2 * n {
                        c[[i, j]] *= scale;
                    }
                }
            }
        }
    };
    let file = syn::parse2(crate::nest::expansion(quote!(reassoc), item)).expect("it is a list of items");
    expect_file!["snapshots/nest.rs"].assert_eq(&prettyplease::unparse(&file));
}

/// As [`formatted`], of `embedded_model!` in a package.
fn embedded(path: TokenStream, has_build_script: bool) -> String {
    let package = Package { folder: env!("CARGO_MANIFEST_DIR").into(), has_build_script };
    embedded_model::expansion(path, Some(&package)).to_string()
}

#[test]
fn an_embedded_model_is_the_file_if_there_is_one() {
    let there = embedded(quote!("src/lib.rs"), false);
    assert!(there.contains("include_bytes") && there.contains("\"/src/lib.rs\""), "{there}");
    let not_yet = embedded(quote!("models/not_yet.model"), true);
    assert!(not_yet.contains("& []"), "{not_yet}");
}

#[test]
fn a_model_that_cargo_would_not_notice_is_refused_with_the_build_script_to_write() {
    let refused = embedded(quote!("models/not_yet.model"), false);
    assert!(
        refused.contains("compile_error") && refused.contains("cargo::rerun-if-changed=models"),
        "{refused}"
    );
    let without_folder = embedded(quote!("not_yet.model"), false);
    assert!(without_folder.contains("cargo::rerun-if-changed=not_yet.model"), "{without_folder}");
}

#[test]
fn what_is_no_path_of_a_package_is_refused() {
    for path in [quote!(), quote!(here), quote!("a", "b"), quote!(b"a")] {
        assert!(embedded(path.clone(), true).contains("write `embedded_model!"), "{path}");
    }
    let without_cargo = embedded_model::expansion(quote!("src/lib.rs"), None).to_string();
    assert!(without_cargo.contains("compile_error"), "{without_cargo}");
}

#[test]
fn same_tokens_in_same_tokens_out() {
    let expand = || {
        let (arguments, item) = spmv();
        expansion(arguments, item).to_string()
    };
    let first = expand();
    assert!((0..20).all(|_| expand() == first));
}

/// The rules and limits that the macro shares with the run time, which it cannot depend on.
#[test]
fn what_the_run_time_accepts_the_macro_accepts() {
    use crate::ir::{MAX_FEATURES, MAX_NAME_BYTES, MAX_VARIANTS};
    use nitro_core::name::{MAX_FUNCTION_BYTES, check_function};

    assert_eq!((MAX_FEATURES, MAX_VARIANTS), (nitro_core::MAX_FEATURES, nitro_core::MAX_VARIANTS));
    assert_eq!(MAX_NAME_BYTES, MAX_FUNCTION_BYTES);
    for unit in nitro_core::Unit::ALL.into_iter().filter(|unit| !unit.is_rate()) {
        assert_eq!(crate::ir::UNITS.iter().filter(|name| **name == unit.name()).count(), 1, "{unit}");
    }
    let letters = ('\0'..'\u{250}').chain(['न', '\u{94d}', '\u{1680}', '\u{2028}', '\u{3000}', '🦀']);
    let mut names: Vec<String> = letters.map(|letter| format!("a{letter}b")).collect();
    names.extend(["", "::", "a::b", "a::", "::a", "a::::b", "a:::b", "a.b"].map(str::to_owned));
    names.extend([200, 201].map(|bytes| "a".repeat(bytes)));
    for name in names {
        let expansion = formatted(
            quote!(name = #name, variants(a), default = a),
            quote!(
                fn f();
            ),
        );
        let is_refused = expansion.contains("compile_error");
        assert_eq!(is_refused, check_function(&name).is_err(), "{name:?}");
    }
}
