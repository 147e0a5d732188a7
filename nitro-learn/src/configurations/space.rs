//! Configurations with their values become a space.

use nitro_search::{Space, SpaceError};

use super::values;

/// The space of these configurations, each with the text of its value for each parameter, and whose each candidate
/// is: in the order of their values, whatever they are called.
pub fn space_of<K: Copy + Ord>(
    names: &[&str],
    configurations: &[(K, Vec<&str>)],
) -> Result<(Space, Vec<K>), SpaceError> {
    let mut parameters = Vec::with_capacity(names.len());
    let mut rows: Vec<(Vec<usize>, K)> = configurations.iter().map(|(key, _)| (Vec::new(), *key)).collect();
    for (column, name) in names.iter().enumerate() {
        let texts: Vec<&str> = configurations.iter().map(|(_, values)| values[column]).collect();
        let (parameter, indices) = values::parameter(name, &texts);
        parameters.push(parameter);
        for ((row, _), index) in rows.iter_mut().zip(indices) {
            row.push(index);
        }
    }
    rows.sort();
    let space = Space::table(parameters, rows.iter().map(|(row, _)| row))?;
    Ok((space, rows.into_iter().map(|(_, key)| key).collect()))
}
