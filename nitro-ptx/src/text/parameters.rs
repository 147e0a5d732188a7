//! Parameters of kernels.

use super::declare::of_head;
use super::module::Module;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the text.
    pub name: String,
    /// Its size; a pointer has 8.
    pub bytes: usize,
    /// Set where it is declared as one floating-point number.
    pub is_float: bool,
}

impl Module {
    /// The names of the kernels that have a body, in the order of the text.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.bodies().filter(|body| body.is_kernel()).map(|body| body.name.as_str())
    }

    /// Returns the parameters of a kernel, in order; none if there is no such kernel, or one is written in a way that is
    /// not known.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".version 9.0\n.visible .entry k(.param .u64 .ptr .global .align 4 k_0, .param .align 4 .b8 k_1[12], .param .f32 k_2) { ret; }";
    /// let taken = Module::parse(text)?.parameters("k").unwrap();
    /// assert_eq!(taken.iter().map(|taken| (&*taken.name, taken.bytes)).collect::<Vec<_>>(), [("k_0", 8), ("k_1", 12), ("k_2", 4)]);
    /// assert!(taken[2].is_float);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn parameters(&self, kernel: &str) -> Option<Vec<Parameter>> {
        let body = self.bodies().find(|body| body.is_kernel() && body.name == kernel)?;
        let each = of_head(body).ok()?.into_iter().map(|variable| {
            let bytes = usize::try_from(variable.bytes()).ok()?;
            let is_float = variable.kind.is_float() && variable.count == Some(1);
            Some(Parameter { name: variable.name, bytes, is_float })
        });
        each.collect()
    }

    /// Returns the bytes of each parameter of a kernel: [`parameters`](Self::parameters) says more.
    #[must_use]
    pub fn parameter_bytes(&self, kernel: &str) -> Option<Vec<usize>> {
        Some(self.parameters(kernel)?.iter().map(|parameter| parameter.bytes).collect())
    }
}
