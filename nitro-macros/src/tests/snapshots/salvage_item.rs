::core::compile_error! {
    "`#[code_variant]` belongs on a function without a body: write `fn name(arguments) -> Result;` below it"
}
pub struct Sort;
