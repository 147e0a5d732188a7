//! Values of parameters, as texts, become parameters of a search.

use nitro_search::Parameter;

/// A parameter of these values, and for each of `texts` which of its values it is.
pub(super) fn parameter(name: &str, texts: &[&str]) -> (Parameter, Vec<usize>) {
    if let Some(numbers) = texts.iter().map(|text| number(text)).collect::<Option<Vec<f64>>>() {
        let mut values = numbers.clone();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let indices = numbers.iter().map(|number| values.partition_point(|value| value < number)).collect();
        return (Parameter::numbers(name, values), indices);
    }
    if texts.iter().all(|text| matches!(*text, "false" | "true")) {
        return (Parameter::bool(name), texts.iter().map(|text| usize::from(*text == "true")).collect());
    }
    let mut values: Vec<&str> = texts.to_vec();
    values.sort_unstable();
    values.dedup();
    let indices = texts.iter().map(|text| values.partition_point(|value| value < text)).collect();
    (Parameter::categories(name, values), indices)
}

/// Zero has one sign, so that equal numbers are one value.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number + 0.0)
}

#[cfg(test)]
mod tests {
    use nitro_search::Scale;

    use super::*;

    #[test]
    fn numbers_are_ordered_as_numbers_and_names_have_no_order() {
        let (block, indices) = parameter("block", &["128", "64", "1e3", "64.0"]);
        assert_eq!((block.len(), indices), (3, vec![1, 0, 2, 0]));
        assert_eq!(block.number(2), 1000.0);
        let (order, indices) = parameter("order", &["row", "column", "row"]);
        assert_eq!((order.scale(), order.text(0), indices), (Scale::Category, "column", vec![1, 0, 1]));
        let (staged, indices) = parameter("staged", &["true", "false"]);
        assert_eq!((staged.scale(), indices), (Scale::Bool, vec![1, 0]));
        let (zero, indices) = parameter("zero", &["-0", "0", "NaN"]);
        assert_eq!((zero.scale(), indices.len()), (Scale::Category, 3));
        assert_eq!(parameter("zero", &["-0", "0"]).1, [0, 0]);
    }
}
