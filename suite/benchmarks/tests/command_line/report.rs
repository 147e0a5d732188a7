//! The page of `train report` says what `train evaluate` says, and stands alone.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::trainer::success;
use serde_json::Value;

/// Two machines whole, and a part of each: all seven recorded devices take several times as long.
const DEVICES: [&str; 4] = [
    "host:16@intel-xeon-16cpu-69c24e",
    "host:4@intel-xeon-16cpu-69c24e",
    "host:2@intel-xeon-2cpu-da6e7f",
    "host:1@intel-xeon-2cpu-da6e7f",
];

/// The page and the evaluation of a function that is recorded on two machines.
static REPORT: LazyLock<(String, Vec<Value>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    import_transpose(folder.path());
    success(folder.path(), &["report", "--store", "s.db", "--out", "page.html"]);
    let json = success(folder.path(), &["evaluate", "--store", "s.db", "--json"]);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    (page, json.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
});

/// Makes a store of what is carried of a function and was recorded on those devices.
fn import_transpose(folder: &Path) {
    let files =
        ["--function", "transpose", "--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];
    success(folder, &[&["export"], &files[..]].concat());
    for name in ["m.csv", "d.csv"] {
        let table = fs::read_to_string(folder.join(name)).unwrap();
        let is_kept = |row: &&str| {
            row.starts_with("device,") || DEVICES.iter().any(|id| row.starts_with(&format!("{id},")))
        };
        let rows: Vec<&str> = table.lines().filter(is_kept).collect();
        fs::write(folder.join(name), rows.join("\n")).unwrap();
    }
    success(folder, &[&["import", "--store", "s.db"], &files[..]].concat());
}

/// The section of a function, from the heading of this text on, up to the next heading.
pub(crate) fn part<'p>(page: &'p str, function: &str, heading: &str) -> &'p str {
    let section = &page[page.find(&format!("<h2><code>{function}</code></h2>")).expect(function)..];
    let part = &section[section.find(&format!("<h3>{heading}</h3>")).expect(heading) + 4..];
    &part[..part.find("<h3>").unwrap_or(part.len())]
}

/// The table of this name in a piece of HTML.
fn table<'p>(html: &'p str, label: &str) -> &'p str {
    let table = &html[html.find(&format!("aria-label=\"{label}\"")).expect(label)..];
    &table[..table.find("</table>").expect("a table")]
}

/// The texts of the cells of one kind in a piece of HTML.
fn cells(html: &str, tag: &str) -> Vec<String> {
    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
    let cells = html.split(&open).skip(1).filter(|cell| cell.starts_with([' ', '>']));
    let content = cells.map(|cell| cell[cell.find('>').unwrap() + 1..].split(&close).next().unwrap());
    content.map(|cell| cell.split('<').map(|piece| piece.rsplit('>').next().unwrap()).collect()).collect()
}

/// The rows of the first table in a piece of HTML: what each is of, and its cells.
fn rows(html: &str) -> Vec<(String, Vec<String>)> {
    let body = html.split("<tbody>").nth(1).and_then(|rest| rest.split("</tbody>").next()).expect("a table");
    body.split("<tr").skip(1).map(|row| (cells(row, "th").concat(), cells(row, "td"))).collect()
}

fn percent(share: &Value) -> String {
    format!("{:.1}", 100.0 * share.as_f64().expect("a figure"))
}

/// How the page writes a device: without `@`, and without the machine where it is the only one.
fn is_device(shown: &str, device: &Value) -> bool {
    let device = device.as_str().unwrap();
    shown == device.replace('@', "") || device.starts_with(&format!("{shown}@"))
}

/// What the page calls the selectors that it shows first.
const SHOWN_FIRST: [(&str, &str); 6] = [
    ("auto", "auto"),
    ("static", "single variant"),
    ("target-trained", "trained there"),
    ("majority", "majority"),
    ("forest-none", "no device features"),
    ("nitro-2014", "Nitro 2014"),
];

#[test]
fn every_figure_of_the_evaluation_is_in_the_leave_one_out_table() {
    let (page, evaluations) = &*REPORT;
    for evaluation in evaluations {
        let part = part(page, evaluation["function"].as_str().unwrap(), "Leaving one device out");
        let all = table(part, "All selectors");
        let heads = cells(all.split("</thead>").next().unwrap(), "th");
        let rows = rows(all);
        let devices = evaluation["devices"].as_array().unwrap();
        assert_eq!(heads.len(), devices.len() + 2, "the selector and its mean come first");
        for device in devices {
            let column =
                heads.iter().position(|head| is_device(head, &device["held_out"])).expect("a column") - 1;
            for (selector, figures) in device["selectors"].as_object().unwrap() {
                let (_, row) = rows.iter().find(|(name, _)| name == selector).expect(selector);
                let expected = percent(&figures["mean"]);
                assert_eq!(row[column], expected, "{selector} without {}", device["held_out"]);
            }
        }
    }
}

#[test]
fn the_first_table_has_the_few_selectors_that_a_reader_needs() {
    let (page, evaluations) = &*REPORT;
    for evaluation in evaluations {
        let part = part(page, evaluation["function"].as_str().unwrap(), "Leaving one device out");
        let first = table(part, "Leaving one device out");
        let heads = cells(first.split("</thead>").next().unwrap(), "th");
        assert_eq!(heads[1..], SHOWN_FIRST.map(|(_, heading)| heading));
        for device in evaluation["devices"].as_array().unwrap() {
            let rows = rows(first);
            let (_, row) = rows.iter().find(|(name, _)| is_device(name, &device["held_out"])).expect("a row");
            assert_eq!(
                row[..],
                SHOWN_FIRST.map(|(selector, _)| percent(&device["selectors"][selector]["mean"]))
            );
        }
    }
}

#[test]
fn every_selector_has_its_bar_and_its_mean_and_all_but_random_a_curve() {
    let (page, evaluations) = &*REPORT;
    for evaluation in evaluations {
        let function = evaluation["function"].as_str().unwrap();
        let (bars, curves) =
            (part(page, function, "Leaving one device out"), part(page, function, "Choice by choice"));
        let devices = evaluation["devices"].as_array().unwrap();
        for selector in devices[0]["selectors"].as_object().unwrap().keys() {
            let shares = devices.iter().map(|device| device["selectors"][selector]["mean"].as_f64().unwrap());
            let mean = 100.0 * shares.sum::<f64>() / devices.len() as f64;
            assert!(bars.contains(&format!("<span>{selector}</span>")), "{selector}");
            assert!(bars.contains(&format!("{selector} {mean:.1} %")), "{selector}: the text alternative");
            let shown =
                SHOWN_FIRST.iter().find(|(own, _)| own == selector).map_or(&**selector, |(_, shown)| shown);
            assert_eq!(curves.contains(&format!("</i>{shown}</span>")), selector != "random", "{selector}");
        }
    }
}

#[test]
fn who_is_trained_on_the_device_itself_is_the_diagonal_of_the_heat_map_and_auto_its_last_row() {
    let (page, evaluations) = &*REPORT;
    for evaluation in evaluations {
        let function = evaluation["function"].as_str().unwrap();
        let transfer = part(page, function, "Trained on one device, run on another");
        let (rows, tuned) =
            (rows(transfer), cells(transfer.split("<tfoot>").nth(1).expect("a last row"), "td"));
        for device in evaluation["devices"].as_array().unwrap() {
            let place = rows
                .iter()
                .position(|(name, _)| is_device(name, &device["held_out"]))
                .expect("a row a device");
            assert_eq!(rows[place].1[place], percent(&device["selectors"]["target-trained"]["mean"]));
            assert_eq!(tuned[place], percent(&device["selectors"]["auto"]["mean"]));
        }
        let same = table(
            part(page, function, "How alike the devices are"),
            "Share of the test inputs whose best variant is the same",
        );
        let same = self::rows(same);
        for (place, (_, row)) in same.iter().enumerate() {
            assert_eq!(row[place], "100.0", "a device agrees with itself");
            let mirrored: Vec<&String> = same.iter().map(|(_, row)| &row[place]).collect();
            assert_eq!(row.iter().collect::<Vec<_>>(), mirrored, "and pairs have no order");
        }
    }
}

#[test]
fn one_source_fewer_is_judged_on_every_device_without_every_other() {
    let (page, evaluations) = &*REPORT;
    for evaluation in evaluations {
        let rows =
            rows(part(page, evaluation["function"].as_str().unwrap(), "One more source device removed"));
        assert_eq!(rows.len(), evaluation["devices"].as_array().unwrap().len());
        for (place, (_, row)) in rows.iter().enumerate() {
            let judged = row.iter().map(|cell| cell.parse::<f64>().is_ok());
            assert!(judged.enumerate().all(|(column, judged)| judged == (column != place)), "{row:?}");
        }
    }
}

#[test]
fn the_worst_inputs_are_those_that_evaluate_prints() {
    let (page, _) = &*REPORT;
    let folder = tempfile::tempdir().unwrap();
    import_transpose(folder.path());
    let table = success(folder.path(), &["evaluate", "--wide", "--store", "s.db"]);
    let told: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("lost most: ")).collect();
    assert!((1..=5).contains(&told.len()), "some choice of transpose is not the best: {table}");
    let rows = rows(part(page, "transpose", "Worst inputs"));
    assert_eq!(rows.len(), told.len());
    for (told, (input, row)) in told.iter().zip(rows) {
        let words: Vec<&str> = told.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
        assert_eq!(words[0], input, "{told}");
        assert!(told.contains(&format!(": {} where {} is best", row[1], row[2])), "{told}: {row:?}");
    }
}

#[test]
fn the_device_features_of_cross_validation_are_told() {
    let (page, evaluations) = &*REPORT;
    for evaluation in evaluations {
        let part = part(page, evaluation["function"].as_str().unwrap(), "Device features selected");
        let rows = rows(table(part, "Device features chosen"));
        for device in evaluation["devices"].as_array().unwrap() {
            let (_, row) =
                rows.iter().find(|(name, _)| is_device(name, &device["held_out"])).expect("a row a device");
            let features = device["device_features"]["svm-cross-validation"].as_array().unwrap();
            let missing = features.iter().find(|feature| !row.concat().contains(feature.as_str().unwrap()));
            assert_eq!(missing, None, "{row:?}");
            assert_eq!(row.last(), device["auto_is"].as_str().map(str::to_owned).as_ref());
        }
    }
}

#[test]
fn the_seconds_of_learning_were_measured() {
    let (page, evaluations) = &*REPORT;
    let rows = rows(page.split("<h2>What learning costs</h2>").nth(1).expect("the table"));
    assert_eq!(rows.len(), evaluations.len());
    for (function, row) in rows {
        assert_eq!(row[0], "–", "{function}: a host has no profiles");
        let above_0 =
            |cell: &String| cell.split(' ').next().unwrap().parse::<f64>().is_ok_and(|time| time > 0.0);
        assert!(row[1..3].iter().all(above_0), "{function}: {row:?}");
    }
}

#[test]
fn the_recorded_devices_are_described() {
    let (page, _) = &*REPORT;
    let table = table(page.split("<h2>Devices</h2>").nth(1).expect("a section"), "Device features");
    let heads = cells(table.split("</thead>").next().unwrap(), "th");
    assert!(
        DEVICES.iter().all(|id| heads.iter().any(|head| is_device(head, &Value::from(*id)))),
        "{heads:?}"
    );
    let (_, threads) = rows(table).into_iter().find(|(name, _)| name == "threads").expect("a feature");
    assert_eq!(threads, ["4", "16", "1", "2"]);
}

#[test]
fn costs_were_measured() {
    let (page, evaluations) = &*REPORT;
    let costs = page.split("<h2>What a choice costs</h2>").nth(1).expect("the table");
    let rows = rows(costs);
    assert_eq!(rows.len(), evaluations.len());
    for (function, row) in rows {
        // Thousands are set apart by a narrow space.
        let number = |text: &String| {
            let digits = text.split(' ').next().unwrap().replace('\u{202f}', "");
            digits.parse::<f64>().unwrap_or(f64::NAN)
        };
        assert!(row.iter().all(|cell| number(cell) > 0.0), "{function}: {row:?}");
    }
}

#[test]
fn the_page_needs_no_network() {
    let (page, _) = &*REPORT;
    for outside in ["http:", "https:", "url(", "@import", "<script", "<link", "<img", "<iframe", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("<html lang=\"en\">") && page.contains("<title>"));
}

#[test]
fn a_function_of_one_device_alone_does_not_keep_the_others_from_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let import = |function: &str, devices: &[&str]| {
        let rows = devices.iter().map(|device| {
            format!("{device},train/x,slow,200\n{device},train/x,fast,100\n{device},test/y,slow,30\n{device},test/y,fast,20\n")
        });
        let described = devices.iter().map(|device| format!("{device},1\n"));
        let tables = [
            ("m.csv", format!("device,input,variant,time_ns\n{}", rows.collect::<String>())),
            ("i.csv", "input,size\ntrain/x,1\ntest/y,2\n".to_owned()),
            ("d.csv", format!("device,gbps\n{}", described.collect::<String>())),
        ];
        tables.iter().for_each(|(name, table)| fs::write(folder.path().join(name), table).unwrap());
        let files = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv", "--store", "s.db"];
        success(folder.path(), &[&["import", "--function", function], &files[..]].concat());
    };
    import("alone", &["A"]);
    import("both", &["A", "B"]);
    success(folder.path(), &["report", "--store", "s.db"]);
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(part(&page, "both", "Leaving one device out").contains("<code>B</code>"));
    assert_eq!(
        rows(part(&page, "alone", "Best variants")),
        [("A".to_owned(), vec!["0.0".to_owned(), "100.0".to_owned()])]
    );
}
