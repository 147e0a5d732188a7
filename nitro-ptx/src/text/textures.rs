//! Instructions that take textures and surfaces, which a host binds.

use super::module::Module;
use super::reach::ReachableNames;

/// The beginnings of their opcodes ("Texture Instructions", "Surface Instructions").
const NAMES: [&str; 8] = ["tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"];

/// An instruction that takes a texture or a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureAccess {
    /// The line of the text, from 1; none for what an edit has made.
    pub line: Option<usize>,
    /// The opcode.
    pub opcode: String,
    /// The function that it is in.
    pub function: String,
}

impl Module {
    /// Returns the first instruction that takes a texture or a surface, in these kernels or what they call.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".entry a() { ret; }\n.entry b(.param .u64 t) { .reg .b64 %rd<2>; .reg .f32 %f<6>; .reg .b32 %r<2>;\n\
    ///             ld.param.u64 %rd1, [t]; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}]; ret; }";
    /// let module = Module::parse(text)?;
    /// assert_eq!(module.texture_access(&["a"]), None);
    /// let found = module.texture_access(&["a", "b"]).unwrap();
    /// assert_eq!((found.line, found.opcode.as_str(), found.function.as_str()), (Some(3), "tex.1d.v4.f32.s32", "b"));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn texture_access(&self, kernels: &[&str]) -> Option<TextureAccess> {
        let reached = ReachableNames::of(self, kernels);
        let mut functions = self.bodies().filter(|function| reached.contains(&function.name));
        functions.find_map(|function| {
            let takes_one = |opcode: &str| opcode.split('.').next().is_some_and(|name| NAMES.contains(&name));
            let (id, found) = function.instructions().find(|(_, own)| takes_one(&own.opcode))?;
            let (opcode, function) = (found.opcode.clone(), function.name.clone());
            Some(TextureAccess { line: self.line(id), opcode, function })
        })
    }
}
