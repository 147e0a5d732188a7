//! What is mapped instead of a nest: with temporaries and wavefronts where these help, in the form that a mapping
//! names.

use crate::dependence::{DependenceError, Dependences};
use crate::mapping::Form;
use crate::nest::Nest;

/// A nest and its dependences.
pub(crate) type Analysed = (Nest, Dependences);

/// All forms of a nest.
#[derive(Clone, Debug)]
pub(crate) struct Forms {
    /// Those that are different nests, the first without anything of a form, each with how it is called for short.
    pub(crate) all: Vec<(Form, bool, Analysed)>,
    /// Which of them it is, by what is asked for.
    indices: [usize; 8],
}

impl Forms {
    /// Of a nest as it is written.
    pub(crate) fn of(nest: &Nest) -> Result<Self, DependenceError> {
        let mut forms = Self { all: Vec::new(), indices: [0; 8] };
        let base = prepared(nest)?;
        for joins_sums in [false, true] {
            let summed = if joins_sums { base.0.sums_joined(&base.1)? } else { None };
            let summed = summed.unwrap_or_else(|| base.clone());
            for joins_rows in [false, true] {
                let rows = if joins_rows { summed.0.rows_joined() } else { None };
                let joined = match rows {
                    Some(rows) => rows.dependences().map(|dependences| (rows, dependences))?,
                    None => summed.clone(),
                };
                for fuses in [false, true] {
                    let fused = if fuses { joined.0.fused(&joined.1)? } else { None };
                    let form = Form { joins_sums, joins_rows };
                    let index = forms.add(form, fuses, fused.unwrap_or_else(|| joined.clone()));
                    forms.indices[place(form, fuses)] = index;
                }
            }
        }
        Ok(forms)
    }

    fn add(&mut self, form: Form, fuses: bool, nest: Analysed) -> usize {
        match self.all.iter().position(|(_, _, known)| known.0 == nest.0) {
            Some(known) => known,
            None => {
                self.all.push((form, fuses, nest));
                self.all.len() - 1
            }
        }
    }

    /// The index of the one that this is.
    pub(crate) fn index(&self, form: Form, has_fused_loops: bool) -> usize {
        self.indices[place(form, has_fused_loops)]
    }

    pub(crate) fn get(&self, form: Form, has_fused_loops: bool) -> &Analysed {
        &self.all[self.index(form, has_fused_loops)].2
    }
}

fn place(form: Form, fuses: bool) -> usize {
    4 * usize::from(form.joins_sums) + 2 * usize::from(form.joins_rows) + usize::from(fuses)
}

/// With temporaries and wavefronts.
fn prepared(nest: &Nest) -> Result<Analysed, DependenceError> {
    let (nest, dependences) = nest.expanded()?;
    match nest.skewed(&dependences) {
        Some(skewed) => skewed.dependences().map(|dependences| (skewed, dependences)),
        None => Ok((nest, dependences)),
    }
}
