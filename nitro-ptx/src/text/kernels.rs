//! Parts of a module: some of its kernels with what they need.

use std::collections::HashSet;

use super::head::Head;
use super::module::{Module, Piece};
use super::reach::{ReachableNames, is_declaration, is_described, written_by_any};
use super::scan::lexemes;

impl Module {
    /// A module of these kernels alone, with the functions that they call, or that variables hold; none if one of
    /// them is not there. Where debug information names places in the others (`nvcc -G`), it is the whole module.
    ///
    /// What is compiled again for every edit should be no more than what is edited.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let module = Module::parse(".version 9.0\n.visible .entry a() { ret; }\n.visible .entry b() { ret; }\n")?;
    /// assert_eq!(module.kernels(&["b"]).unwrap().functions().collect::<Vec<_>>(), ["b"]);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn kernels(&self, names: &[&str]) -> Option<Self> {
        Self::parse(&self.text_of(names)?).ok()
    }

    /// The text of such a module.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let module = Module::parse(".version 9.0\n.visible .entry a() { ret; }\n.visible .entry b() { ret; }\n")?;
    /// assert!(!module.text_of(&["b"]).unwrap().contains(".entry a"));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn text_of(&self, names: &[&str]) -> Option<String> {
        if !names.iter().all(|name| self.kernel_names().any(|kernel| kernel == *name)) {
            return None;
        }
        let reached = ReachableNames::of_text(self, names);
        let left_out: HashSet<&str> = self.functions().filter(|name| !reached.contains(name)).collect();
        if is_described(self, &left_out) {
            return Some(self.to_string());
        }
        let mut text = String::new();
        let mut is_after_declaration = false;
        for piece in &self.pieces {
            match piece {
                Piece::Function(function) if left_out.contains(function.name.as_str()) => {
                    without_linkage(&mut text);
                }
                Piece::Function(function) => text.push_str(&function.to_string()),
                Piece::Text(piece) if declared(piece).is_some_and(|name| left_out.contains(name)) => {
                    without_linkage(&mut text);
                    is_after_declaration = true;
                }
                Piece::Text(piece) => {
                    let piece = match std::mem::take(&mut is_after_declaration) {
                        true => piece.strip_prefix(';').unwrap_or(piece),
                        false => piece,
                    };
                    text.push_str(piece);
                }
            }
        }
        Some(text)
    }

    /// These kernels in groups that can be compiled apart: those of different groups have no variable in common
    /// that one could write and another read. In the order of their names here.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".version 9.0\n.global .u32 n;\n.const .u32 m;\n\
    ///             .entry a() { .reg .b32 %r<2>; ld.global.u32 %r1, [n]; ld.const.u32 %r1, [m]; ret; }\n\
    ///             .entry b() { .reg .b32 %r<2>; ld.const.u32 %r1, [m]; ret; }\n\
    ///             .entry c() { st.global.u32 [n], 1; ret; }\n";
    /// let module = Module::parse(text)?;
    /// assert_eq!(module.apart(&["a", "b", "c"]), [vec!["a", "c"], vec!["b"]]);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn apart<'a>(&self, kernels: &[&'a str]) -> Vec<Vec<&'a str>> {
        let shared = written_by_any(self);
        let mut groups: Vec<(HashSet<&str>, Vec<&'a str>)> = Vec::new();
        for &kernel in kernels {
            let reached = ReachableNames::of(self, &[kernel]);
            let mut group: (HashSet<&str>, _) =
                (shared.iter().copied().filter(|name| reached.contains(name)).collect(), vec![kernel]);
            let (same, others) = groups.into_iter().partition(|(names, _)| !names.is_disjoint(&group.0));
            groups = others;
            for (names, kernels) in same {
                group = (&group.0 | &names, [kernels, group.1].concat());
            }
            groups.push(group);
        }
        let mut groups: Vec<Vec<&'a str>> = groups.into_iter().map(|(_, kernels)| kernels).collect();
        groups.sort_by_key(|group| kernels.iter().position(|kernel| *kernel == group[0]));
        // Where one cannot do without another, as debug information does, nothing is apart.
        let is_alone = |group: &Vec<&str>| {
            self.kernels(group).is_some_and(|part| part.kernel_names().all(|name| group.contains(&name)))
        };
        if groups.iter().all(is_alone) { groups } else { vec![kernels.to_vec()] }
    }
}

/// The name of a function that a text between functions declares.
fn declared(text: &str) -> Option<&str> {
    is_declaration(text).then(|| Head::of(text).name).filter(|name| !name.is_empty())
}

/// Takes from the end what says how the function is linked that would stand there.
fn without_linkage(text: &mut String) {
    const LINKAGE: [&str; 4] = [".visible", ".weak", ".extern", ".common"];
    let Some(last) = lexemes(text).last().copied().filter(|last| LINKAGE.contains(last)) else {
        text.truncate(text.trim_end().len());
        return text.push('\n');
    };
    // Comments may stand between it and the function.
    let at = last.as_ptr() as usize - text.as_ptr() as usize;
    text.replace_range(at..at + last.len(), "");
    text.push('\n');
}
