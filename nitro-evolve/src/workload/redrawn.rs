//! Other values of single elements.

use nitro_stats::random::Random;

use super::content::position;
use super::inputs::{MOST_BYTES, whole};
use super::model::{Set, Source, Workload};

impl Workload {
    /// Draws a value for an element of a buffer, as a case with another seed may have it. None where nothing of the
    /// buffer is drawn, and of structures.
    pub(crate) fn redrawn(
        &self,
        (set, number): (Set, usize),
        buffer: usize,
        element: usize,
        seed: u64,
    ) -> Option<Vec<u8>> {
        let case = self.of(set).nth(number)?;
        let own = self.buffers.get(buffer)?;
        let element_type = own.layout.number()?;
        let Source::Values(formulas) = &own.source else { return None };
        let formula = formulas.first().filter(|formula| formula.is_drawn())?;
        let mut values = self.values(case);
        let margin = own.margin(&values).ok()?;
        let length = whole(&own.length, &values, 0.0, MOST_BYTES).ok()? as usize + 2 * margin;
        values.truncate(case.values.len() + self.definitions.len());
        let mut random = Random::new(seed);
        values.push(position(element, (length, margin), &mut random) as f64);
        let mut bytes = Vec::new();
        element_type.append(formula.value(&values, &mut random), &mut bytes);
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const DRAWN: &str = "\
[let]
half = \"n / 2\"
[[buffer]]
name = \"x\"
type = \"u32\"
length = \"n\"
role = \"in\"
values = \"1000 * i + half + integer(0, 9)\"
[[buffer]]
name = \"same\"
type = \"u32\"
length = \"n\"
role = \"inout\"
values = \"i\"
[[step]]
kernel = \"k\"
grid = [1]
block = [1]
arguments = [\"x\", \"same\"]
[[search]]
n = 8
[[validation]]
n = 6
[[test]]
n = 10
";

    #[test]
    fn another_value_of_an_element_is_one_that_its_formula_may_draw() {
        let workload = Workload::parse(Path::new("k.toml"), DRAWN).unwrap();
        let drawn: Vec<u32> = (0..50)
            .map(|seed| {
                let bytes = workload.redrawn((Set::Test, 0), 0, 7, seed).unwrap();
                u32::from_le_bytes(bytes.try_into().unwrap())
            })
            .collect();
        assert!(drawn.iter().all(|value| (7005..=7014).contains(value)), "{drawn:?}");
        assert!(drawn.iter().any(|value| *value != drawn[0]));
        assert_eq!(workload.redrawn((Set::Test, 0), 1, 7, 0), None, "no seed changes it");
        assert_eq!(workload.redrawn((Set::Test, 1), 0, 7, 0), None, "there is no such case");
    }
}
