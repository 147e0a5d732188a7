//! Configurations with their values become a space.

use nitro_search::{Space, SpaceError};

use super::values;

/// The space of these configurations, each with the text of its value for each parameter, and whose each candidate
/// is: in the order of their values, whatever they are called.
pub fn space_of<K: Copy + Ord>(
    parameters: &[&str],
    configurations: &[(K, Vec<&str>)],
) -> Result<(Space, Vec<K>), SpaceError> {
    let columns = parameters.iter().enumerate().map(|(column, name)| {
        let texts: Vec<&str> = configurations.iter().map(|(_, values)| values[column]).collect();
        values::parameter(name, &texts)
    });
    let (parameters, indices): (Vec<_>, Vec<_>) = columns.unzip();
    let row = |at: usize| indices.iter().map(|column: &Vec<usize>| column[at]).collect::<Vec<_>>();
    let mut rows: Vec<(Vec<usize>, K)> =
        configurations.iter().enumerate().map(|(at, (name, _))| (row(at), *name)).collect();
    rows.sort();
    let space = Space::table(parameters, rows.iter().map(|(row, _)| row))?;
    Ok((space, rows.into_iter().map(|(_, name)| name).collect()))
}
