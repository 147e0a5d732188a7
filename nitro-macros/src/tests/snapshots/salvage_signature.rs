::core::compile_error! {
    "an `async fn` cannot have variants, since a call returns before the work is done: remove `async`, and call the function from a blocking task"
}
::core::compile_error! {
    "write `keys` alone: the variants decide how they bind their arguments"
}
pub async fn sort(_: &mut [u32]) {
    ::core::unimplemented!()
}
