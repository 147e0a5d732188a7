//! Profiles as CSV tables: `device,variant,input,kernel,launches,shown`, then a column a metric, and
//! `device,proxy,intensity`, then a column a metric. A metric that was not available is an empty field.
//!
//! ```
//! use nitro_train::profile::files::{read_proxies, read_variants, write_proxies, write_variants};
//! use nitro_train::recordings::{Metrics, ProxyProfile, VariantProfile};
//!
//! let metrics = Metrics::from([("dram__sectors_read.sum".to_owned(), 4096.0)]);
//! let device = "cuda:0@nvidia-h200-140gb";
//! let [variant, input, kernel] = ["merge", "train/a", "partition"].map(String::from);
//! let of_variant = VariantProfile { device: device.into(), variant, input, kernel, launches: 9, shown: 8, metrics };
//! let table = write_variants(&[of_variant.clone()]);
//! assert!(table.starts_with("device,variant,input,kernel,launches,shown,dram__sectors_read.sum\n"));
//! assert_eq!(read_variants("profiles.csv", table.as_bytes())?, [of_variant]);
//!
//! let (proxy, metrics) = ("atomics".into(), Metrics::new());
//! let of_proxy = ProxyProfile { device: device.into(), proxy, intensity: 3, metrics };
//! assert_eq!(read_proxies("proxies.csv", write_proxies(&[of_proxy.clone()]).as_bytes())?, [of_proxy]);
//! # Ok::<(), nitro_train::exchange::ImportError>(())
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;

use nitro_store::exchange::csv_table::{CsvTable, Record, number};
use nitro_store::exchange::formula::guard;
use nitro_store::exchange::{ImportError, Problem, compressed, shortest, write};
use nitro_store::printable::excerpt;
use nitro_store::recordings::{Metrics, ProxyProfile, VariantProfile};

const VARIANT_KEYS: [&str; 6] = ["device", "variant", "input", "kernel", "launches", "shown"];
const PROXY_KEYS: [&str; 3] = ["device", "proxy", "intensity"];

/// Returns the table of variants' profiles.
#[must_use]
pub fn write_variants(profiles: &[VariantProfile]) -> String {
    let mut rows = Vec::new();
    for one in profiles {
        let VariantProfile { device, variant, input, kernel, launches, shown, metrics } = one;
        let [launches, shown] = [launches, shown].map(|count| count.to_string());
        let keys = [device.clone(), variant.clone(), input.clone(), kernel.clone(), launches, shown];
        rows.push((keys, metrics));
    }
    table(VARIANT_KEYS, rows)
}

/// Returns the table of proxies' profiles.
#[must_use]
pub fn write_proxies(profiles: &[ProxyProfile]) -> String {
    let mut rows = Vec::new();
    for ProxyProfile { device, proxy, intensity, metrics } in profiles {
        rows.push(([device.clone(), proxy.clone(), intensity.to_string()], metrics));
    }
    table(PROXY_KEYS, rows)
}

fn table<const N: usize>(keys: [&str; N], rows: Vec<([String; N], &Metrics)>) -> String {
    let metrics: BTreeSet<&String> = rows.iter().flat_map(|(_, metrics)| metrics.keys()).collect();
    let header = keys.iter().copied().chain(metrics.iter().map(|name| name.as_str()));
    let mut text = write::line(header.map(guard));
    for (keys, values) in rows {
        let mut fields: Vec<Cow<'_, str>> = keys.iter().map(|key| guard(key)).collect();
        for name in &metrics {
            fields.push(values.get(*name).map_or(Cow::Borrowed(""), |&value| shortest::number(value)));
        }
        text += &write::line(fields);
    }
    text
}

/// Reads a table of variants' profiles, compressed or not; messages call it `name`.
///
/// # Errors
/// When the table has another form, with file and line.
pub fn read_variants(name: &str, bytes: &[u8]) -> Result<Vec<VariantProfile>, ImportError> {
    read(name, bytes, &VARIANT_KEYS, |keys, metrics| {
        let [device, variant, input, kernel] = [0, 1, 2, 3].map(|column| keys.text(column).to_owned());
        let [launches, shown] = [4, 5].map(|column| count(VARIANT_KEYS[column], &keys.fields[column]));
        let (launches, shown) = (launches?, shown?);
        Ok(VariantProfile { device, variant, input, kernel, launches, shown, metrics })
    })
}

/// Reads a table of proxies' profiles, compressed or not; messages call it `name`.
///
/// # Errors
/// When the table has another form, with file and line.
pub fn read_proxies(name: &str, bytes: &[u8]) -> Result<Vec<ProxyProfile>, ImportError> {
    read(name, bytes, &PROXY_KEYS, |keys, metrics| {
        let [device, proxy] = [0, 1].map(|column| keys.text(column).to_owned());
        let intensity = count(PROXY_KEYS[2], &keys.fields[2])? as u32;
        Ok(ProxyProfile { device, proxy, intensity, metrics })
    })
}

/// Reads the rows of a table that begins with these columns, before those of its metrics.
fn read<T>(
    name: &str,
    bytes: &[u8],
    keys: &[&'static str],
    row: impl Fn(&Record<'_>, Metrics) -> Result<T, Problem>,
) -> Result<Vec<T>, ImportError> {
    let text = compressed::unpack(name, bytes)?;
    let table = CsvTable::open(name, &text)?;
    for (index, key) in keys.iter().enumerate() {
        if table.header().get(index).is_none_or(|column| column != key) {
            let (column, expected) = ((*key).to_owned(), keys.join(","));
            return Err(table.in_header(Problem::MissingColumn { column, expected }));
        }
    }
    let mut rows = Vec::new();
    table.for_each(|header, record| {
        let known = header.iter().zip(&record.fields).skip(keys.len()).filter(|(_, field)| !field.is_empty());
        let metrics: Result<Metrics, Problem> =
            known.map(|(column, field)| Ok((column.to_string(), number(column, field)?))).collect();
        rows.push(row(&record, metrics?)?);
        Ok(())
    })?;
    Ok(rows)
}

fn count(column: &'static str, field: &str) -> Result<usize, Problem> {
    let count = field.parse::<u32>().map_err(|_| Problem::NotACount { column, found: excerpt(field) })?;
    Ok(count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(values: &[(&str, f64)]) -> Metrics {
        values.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn what_is_written_reads_back() {
        let variant = |variant: &str, seen: &[(&str, f64)]| VariantProfile {
            device: "cuda:0@h200".into(),
            variant: variant.into(),
            input: "train/a,b".into(),
            kernel: "void step<float, 2>(float *)".into(),
            launches: 40,
            shown: 6,
            metrics: metrics(seen),
        };
        let variants =
            [variant("csr", &[("a.sum", 1e12), ("b.sum", 0.5)]), variant("ell", &[("a.sum", 3.0)])];
        assert_eq!(read_variants("v", write_variants(&variants).as_bytes()).unwrap(), variants);
        let proxies = [ProxyProfile {
            device: "cuda:0@h200".into(),
            proxy: "atomics".into(),
            intensity: 5,
            metrics: metrics(&[("a.sum", 7.0)]),
        }];
        assert_eq!(read_proxies("p", write_proxies(&proxies).as_bytes()).unwrap(), proxies);
    }

    #[test]
    fn another_table_is_refused_with_what_it_needs() {
        let refused = |text: &str| read_proxies("p.csv", text.as_bytes()).unwrap_err().to_string();
        assert!(refused("device,intensity,proxy\n").contains("device,proxy,intensity"));
        let without_kernel = read_variants("v.csv", b"device,variant,input,launches,shown,a.sum\n");
        assert!(
            without_kernel.unwrap_err().to_string().contains("device,variant,input,kernel,launches,shown")
        );
        let message = refused("device,proxy,intensity,a.sum\nd,atomics,x,1\n");
        assert!(message.contains("p.csv:2") && message.contains("`intensity`"), "{message}");
        assert!(refused("device,proxy,intensity,a.sum\nd,atomics,1,nan\n").contains("finite number"));
    }
}
