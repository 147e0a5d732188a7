//! LIBSVM's own predictor, from its shared library.

use std::ffi::{CString, c_char, c_int, c_void};
use std::fmt::Write;

use libloading::{Library, Symbol};
use nitro::model::{Selector, Svm};

/// A model in LIBSVM's memory.
pub struct Predictor {
    predict: unsafe extern "C" fn(*const c_void, *const Node) -> f64,
    model: *const c_void,
}

/// LIBSVM's `svm_node`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Node {
    index: c_int,
    value: f64,
}

// SAFETY: `svm_predict` only reads the model, which nothing changes or frees.
unsafe impl Send for Predictor {}
// SAFETY: as above.
unsafe impl Sync for Predictor {}

impl Predictor {
    /// The machine as LIBSVM has it; none where the variable `LIBSVM` names no library.
    ///
    /// # Panics
    /// When the library is not LIBSVM's, or does not read the model.
    pub fn new(selector: &Selector) -> Option<Self> {
        let Selector::Svm(svm) = selector else { return None };
        // SAFETY: loading LIBSVM runs no code of it.
        let library = unsafe { Library::new(std::env::var_os("LIBSVM")?) }.expect("LIBSVM is a library");
        let library: &'static Library = Box::leak(Box::new(library));
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), text(svm)).expect("the model is written");
        let path =
            CString::new(file.path().to_str().expect("a path in UTF-8")).expect("a path without zeros");
        // SAFETY: the types are those of svm.h of LIBSVM 3; `path` is a file, ended by a zero.
        unsafe {
            let load: Symbol<unsafe extern "C" fn(*const c_char) -> *const c_void> =
                library.get(b"svm_load_model").expect("svm_load_model");
            let predict = *library.get(b"svm_predict").expect("svm_predict");
            let model = load(path.as_ptr());
            assert!(!model.is_null(), "LIBSVM reads the model");
            Some(Self { predict, model })
        }
    }

    /// The class of an input. LIBSVM takes scaled columns, so scaling is not part of it; the device's column is in
    /// the middle of its range.
    pub fn predict(&self, features: &[f64; 6]) -> f64 {
        let mut nodes = [Node { index: -1, value: 0.0 }; 8];
        for (column, node) in nodes[..7].iter_mut().enumerate() {
            *node = Node {
                index: column as c_int + 1,
                value: features.get(column).map_or(0.0, |value| 1e-6 * value),
            };
        }
        // SAFETY: the model is LIBSVM's own, the nodes end with an index of -1.
        unsafe { (self.predict)(self.model, nodes.as_ptr()) }
    }
}

/// The model file, as `svm-train` writes it.
fn text(svm: &Svm) -> String {
    let numbers = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let classes = |value: fn(&nitro::model::Class) -> usize| {
        svm.classes.iter().map(|class| value(class).to_string()).collect::<Vec<_>>().join(" ")
    };
    let (gamma, count, support) = (svm.gamma, svm.classes.len(), svm.support());
    let mut text = format!(
        "svm_type c_svc\nkernel_type rbf\ngamma {gamma}\nnr_class {count}\ntotal_sv {support}\n\
         rho {}\nlabel {}\nnr_sv {}\nSV\n",
        numbers(&svm.rho),
        classes(|class| class.choice),
        classes(|class| class.support),
    );
    for (index, vector) in svm.vectors.chunks(svm.scaling.len()).enumerate() {
        let own: Vec<f64> = svm.coefficients.iter().skip(index).step_by(support).copied().collect();
        write!(text, "{}", numbers(&own)).expect("memory");
        for (column, value) in vector.iter().enumerate() {
            write!(text, " {}:{value}", column + 1).expect("memory");
        }
        text.push('\n');
    }
    text
}
