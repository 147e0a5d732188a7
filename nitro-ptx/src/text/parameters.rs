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

    /// Returns the parameters of a kernel, in order; none if there is no such kernel, or one has a form that is not
    /// known.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .align 4 .b8 b[12], .param .f32 c)\n\
    ///             { ret; }";
    /// let taken = Module::parse(text)?.parameters("k").unwrap();
    /// let sizes: Vec<_> = taken.iter().map(|taken| (taken.name.as_str(), taken.bytes)).collect();
    /// assert_eq!(sizes, [("a", 8), ("b", 12), ("c", 4)]);
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
