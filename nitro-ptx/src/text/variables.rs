//! Variables of a module that a host may set.

use super::declare;
use super::module::Module;
use super::reach::ReachableNames;
use super::types::{Space, Type};

/// A variable of a module in memory that all threads see: `__constant__` or `__device__`, `.const` or `.global`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceVariable {
    /// Its name in the text.
    pub name: String,
    /// Its size.
    pub bytes: usize,
    /// Its type as the text has it, such as `f32`; `b8` where it is an array or a structure of C.
    pub element: String,
    /// Set where no kernel can write it.
    pub is_constant: bool,
    /// Set where the text says what it begins with.
    pub is_initialised: bool,
}

impl Module {
    /// Returns the variables that a host may set or read, in the order of the text.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".const .align 4 .b8 far[20];\n.visible .global .u32 over = 1;\n.shared .b32 own[8];";
    /// let module = Module::parse(text)?;
    /// let found: Vec<_> = module.variables().map(|found| (found.name, found.bytes, found.is_constant)).collect();
    /// assert_eq!(found, [("far".to_owned(), 20, true), ("over".to_owned(), 4, false)]);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    pub fn variables(&self) -> impl Iterator<Item = DeviceVariable> {
        let all = self.texts().flat_map(declare::of_module).flatten();
        all.filter_map(|variable| {
            let is_constant = variable.space == Some(Space::Constant);
            let is_there = is_constant || variable.space == Some(Space::Global);
            let bytes = usize::try_from(variable.bytes()).ok().filter(|bytes| is_there && *bytes > 0)?;
            let is_initialised = variable.initial.is_some();
            let element = name(variable.kind);
            Some(DeviceVariable { name: variable.name, bytes, element, is_constant, is_initialised })
        })
    }

    /// Returns those of them that these kernels lead to, be it by functions or by what other variables begin with.
    pub fn variables_of(&self, kernels: &[&str]) -> Vec<DeviceVariable> {
        let reached = ReachableNames::of(self, kernels);
        self.variables().filter(|variable| reached.contains(&variable.name)).collect()
    }
}

/// Returns the name of a type that a variable may have.
fn name(kind: Type) -> String {
    match kind {
        Type::Bits(bytes) => format!("b{}", 8 * u32::from(bytes)),
        Type::Unsigned(bytes) => format!("u{}", 8 * u32::from(bytes)),
        Type::Signed(bytes) => format!("s{}", 8 * u32::from(bytes)),
        Type::F32 => "f32".to_owned(),
        Type::F64 => "f64".to_owned(),
        other => format!("b{}", 8 * u32::from(other.bytes())),
    }
}
