//! What a kernel takes.

use super::module::Module;

impl Module {
    /// How many bytes each parameter of a kernel has, in order; none if there is no such kernel, or a parameter is written in a way that is not known.
    ///
    /// ```
    /// use nitro_codegen::ptx::Module;
    ///
    /// let text = ".version 9.0\n.visible .entry k(.param .u64 .ptr .global .align 4 k_0, .param .align 4 .b8 k_1[12], .param .f32 k_2) { ret; }";
    /// assert_eq!(Module::parse(text)?.parameter_bytes("k"), Some(vec![8, 12, 4]));
    /// # Ok::<(), nitro_codegen::ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn parameter_bytes(&self, kernel: &str) -> Option<Vec<usize>> {
        let body = self.bodies().find(|body| body.is_kernel() && body.name == kernel)?;
        let Some((_, rest)) = body.head.split_once('(') else { return Some(Vec::new()) };
        let (list, _) = rest.split_once(')')?;
        list.split(',').filter(|parameter| !parameter.trim().is_empty()).map(bytes).collect()
    }
}

/// Of a declaration such as `.param .align 4 .b8 name[12]`.
fn bytes(declaration: &str) -> Option<usize> {
    let bits = declaration.split_whitespace().find_map(|word| {
        let kind = word.strip_prefix(['.'])?;
        kind.strip_prefix(['b', 'u', 's', 'f'])?.parse::<usize>().ok()
    })?;
    let count = match declaration.split_once('[') {
        Some((_, count)) => count.trim_end().strip_suffix(']')?.trim().parse().ok()?,
        None => 1,
    };
    (bits / 8).checked_mul(count)
}
