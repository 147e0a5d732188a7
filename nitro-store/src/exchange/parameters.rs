//! The table of configurations: those that exist, measured or not.

use std::collections::{BTreeMap, HashMap};

use super::csv_table::{CsvTable, Record};
use super::error::{ImportError, Problem, check_name};
use super::features;
use crate::printable::{excerpt, list};
use crate::recordings::{Recordings, SpaceRecord};

const CONFIGURATION: &str = "configuration";
const VARIANT: &str = "variant";

/// The rows of the table, before it is known whose configurations they are.
#[derive(Default)]
pub(super) struct ConfigurationTable {
    /// The spaces by the name of their variant, where the table has a column for it.
    spaces: BTreeMap<Option<String>, TableSpace>,
}

#[derive(Default)]
struct TableSpace {
    parameters: Vec<String>,
    configurations: BTreeMap<String, Vec<String>>,
    /// The names of the configurations by themselves with their entries sorted: parameters may come in any order.
    names: HashMap<String, String>,
}

impl ConfigurationTable {
    pub(super) fn read(table: CsvTable<'_>) -> Result<Self, ImportError> {
        features::check_first_column(&table, CONFIGURATION, "parameter")?;
        let mut listed = Self::default();
        table.for_each(|header, record| listed.row(header, &record))?;
        Ok(listed)
    }

    /// Returns the name that the table has for a configuration.
    pub(super) fn name_of(&self, configuration: &str) -> Option<&str> {
        let mut spaces = self.spaces.values();
        if let Some((name, _)) = spaces.find_map(|space| space.configurations.get_key_value(configuration)) {
            return Some(name);
        }
        let sorted = sorted(configuration);
        self.spaces.values().find_map(|space| space.names.get(&sorted)).map(String::as_str)
    }

    fn row(&mut self, header: &[String], record: &Record<'_>) -> Result<(), Problem> {
        let row = Row::of(header, record)?;
        let configuration = row.configuration.to_owned();
        let parameters: Vec<String> = row.values.iter().map(|(name, _)| (*name).to_owned()).collect();
        let values = row.values.iter().map(|(_, value)| (*value).to_owned()).collect();
        let space = self
            .spaces
            .entry(row.variant.map(str::to_owned))
            .or_insert_with(|| TableSpace { parameters: parameters.clone(), ..TableSpace::default() });
        if space.parameters != parameters {
            let (configuration, expected) = (excerpt(&configuration), list(&space.parameters));
            return Err(Problem::OtherParameters { configuration, expected });
        }
        if space.names.insert(sorted(&configuration), configuration.clone()).is_some() {
            return Err(Problem::Repeated { key: format!("configuration `{}`", excerpt(row.configuration)) });
        }
        space.configurations.insert(configuration, values);
        Ok(())
    }

    /// Gives the spaces to the variants of recordings that have their measurements.
    pub(super) fn assign(self, into: &mut Recordings) -> Result<(), Problem> {
        for (name, space) in self.spaces {
            let variant = match name {
                None => implied_variant(into)
                    .ok_or_else(|| Problem::WhichVariant { variants: list(&into.variants) })?,
                Some(name) => into.variant_index(&name).unwrap_or_else(|| {
                    into.variants.push(name);
                    into.variants.len() - 1
                }),
            };
            let TableSpace { parameters, configurations, .. } = space;
            into.spaces.push(SpaceRecord { variant, parameters, configurations });
        }
        into.spaces.sort_by_key(|space| space.variant);
        Ok(())
    }
}

/// A configuration's name with its entries in alphabetical order.
fn sorted(configuration: &str) -> String {
    let mut entries: Vec<&str> = configuration.split(',').map(str::trim).collect();
    entries.sort_unstable();
    entries.join(",")
}

/// The variant that configurations are of if nobody says so: the only one that has any, or the only one at all.
pub(super) fn implied_variant(recordings: &Recordings) -> Option<usize> {
    let configured = recordings.measurements.iter().filter(|one| !one.configuration.is_empty());
    let mut variants: Vec<usize> = configured.map(|one| one.variant).collect();
    variants.sort_unstable();
    variants.dedup();
    match variants[..] {
        [variant] => Some(variant),
        [] if recordings.variants.len() == 1 => Some(0),
        _ => None,
    }
}

struct Row<'r> {
    configuration: &'r str,
    variant: Option<&'r str>,
    /// The values of the parameters that the configuration has.
    values: Vec<(&'r str, &'r str)>,
}

impl<'r> Row<'r> {
    fn of(header: &'r [String], record: &'r Record<'_>) -> Result<Self, Problem> {
        let mut row = Row { configuration: record.text(0), variant: None, values: Vec::new() };
        if row.configuration.is_empty() {
            return Err(Problem::MissingName { column: CONFIGURATION });
        }
        check_name(CONFIGURATION, row.configuration)?;
        for (index, column) in header.iter().enumerate().skip(1) {
            match record.text(index) {
                "" if column == VARIANT => return Err(Problem::MissingName { column: VARIANT }),
                "" => {}
                name if column == VARIANT => {
                    check_name(VARIANT, name)?;
                    row.variant = Some(name);
                }
                value => {
                    check_name("value of a parameter", value)?;
                    row.values.push((column, value));
                }
            }
        }
        row.check_name_against_values()?;
        Ok(row)
    }

    /// A name such as `block=256,unroll=4` says values itself.
    fn check_name_against_values(&self) -> Result<(), Problem> {
        for (parameter, named) in self.configuration.split(',').filter_map(|entry| entry.split_once('=')) {
            let own = self.values.iter().find(|(name, _)| *name == parameter.trim());
            if let Some((parameter, value)) = own.filter(|(_, value)| *value != named.trim()) {
                let [configuration, parameter, value] = [self.configuration, parameter, value].map(excerpt);
                return Err(Problem::OtherValue { configuration, parameter, value });
            }
        }
        Ok(())
    }
}

/// The header and rows of the table, as fields.
pub(super) fn rows(recordings: &Recordings) -> Vec<Vec<&str>> {
    let mut columns: Vec<&str> = Vec::new();
    for name in recordings.spaces.iter().flat_map(|space| &space.parameters) {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let implied = implied_variant(recordings);
    let says_variant = recordings.spaces.iter().any(|space| Some(space.variant) != implied);
    let mut header = vec![CONFIGURATION];
    header.extend(says_variant.then_some(VARIANT));
    header.extend(&columns);
    let mut rows = vec![header];
    for space in &recordings.spaces {
        let variant = recordings.variants[space.variant].as_str();
        let column_of: Vec<Option<usize>> =
            columns.iter().map(|column| space.parameters.iter().position(|name| name == column)).collect();
        for (name, values) in &space.configurations {
            let mut row = vec![name.as_str()];
            row.extend(says_variant.then_some(variant));
            row.extend(column_of.iter().map(|column| column.map_or("", |at| values[at].as_str())));
            rows.push(row);
        }
    }
    rows
}
