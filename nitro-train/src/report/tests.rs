mod tuning;

use nitro_learn::Approximation;
use nitro_search::Floor;
use nitro_test_support::pages::assert_fits_narrow_screens;

use super::data::*;
use super::space_data::*;
use super::*;

fn score(selector: &str, mean: f64, highlighted: bool) -> Score {
    Score {
        selector: selector.to_owned(),
        description: format!("how {selector} works"),
        mean,
        p05: mean - 0.2,
        worst: mean - 0.4,
        highlighted,
    }
}

fn left_out(device: &str, means: [Option<f64>; 5], features: &[&str]) -> HeldOutDevice {
    let features = features.iter().map(|&feature| feature.to_owned()).collect();
    HeldOutDevice {
        device: device.to_owned(),
        means: means.to_vec(),
        chosen: vec![("svm-cross-validation".to_owned(), features)],
        auto_is: "svm-none".to_owned(),
    }
}

fn matrix(cells: [[Option<f64>; 2]; 2]) -> Matrix {
    Matrix {
        devices: vec!["host:1".to_owned(), "host:4".to_owned()],
        cells: cells.map(|row| row.to_vec()).to_vec(),
    }
}

fn function(name: &str) -> FunctionReport {
    FunctionReport {
        name: name.to_owned(),
        training_inputs: 120,
        test_inputs: 60,
        doubtful_times: 7,
        scores: vec![score("shipped", 0.973, true), score("static", 0.75, false)],
        held_out: Some(HeldOut {
            selectors: ["static", "svm-none", "svm-all", "auto", "target-trained"]
                .map(str::to_owned)
                .to_vec(),
            devices: vec![
                left_out("host:1", [Some(0.4), Some(0.91), None, Some(0.88), Some(0.97)], &["threads"]),
                left_out("host:4", [Some(0.6), Some(0.55), Some(0.99), Some(0.99), Some(0.96)], &[]),
            ],
        }),
        worst: vec![WorstInput {
            input: "test/long_rows".to_owned(),
            device: "host:4".to_owned(),
            chosen: "csr".to_owned(),
            best: "ell".to_owned(),
            share: 0.432,
            devices: 2,
        }],
        calibration: Some(CalibrationCurve {
            counts: vec![0, 10],
            devices: vec![
                ("host:1".to_owned(), vec![Some(0.88), Some(0.96)]),
                ("host:4".to_owned(), vec![Some(0.99), Some(0.98)]),
            ],
        }),
        one_fewer: Some(OneFewerTable {
            auto: matrix([[None, Some(0.93)], [Some(0.71), None]]),
            majority: matrix([[None, Some(0.5)], [Some(0.6), None]]),
        }),
        selection: Some(Selection {
            strategy: "forest-all".to_owned(),
            device_features: vec!["peak_gbps".to_owned()],
            proxies: Some(vec![("atomics".to_owned(), 2)]),
            profiled_features: vec!["shared_atomic_ms".to_owned()],
            subset_size: 3,
            keep: 1,
            selected_with: "svm",
            selected_features: vec!["cores".to_owned()],
            subsets: vec![(vec!["cores".to_owned()], 0.951), (vec![], 0.902)],
            seconds: SelectionSeconds { profile_based: 0.0025, cross_validation: 1.5, fit: 12.5 },
        }),
        trained_on_run_on: matrix([[Some(0.95), Some(0.62)], [None, Some(0.97)]]),
        sensitivity: Some(DeviceSensitivity {
            inputs: 59,
            best_differs: 0.4,
            none_is_near: 0.1,
            pairs: matrix([[Some(0.0), Some(0.4)], [Some(0.4), Some(0.0)]]),
            best_of_another: matrix([[Some(1.0), Some(0.87)], [Some(0.86), Some(1.0)]]),
            machines: vec![("m".to_owned(), 2, 0.2, 0.05)],
        }),
        learning_curve: Some(LearningCurve {
            device: "d0".into(),
            sizes: vec![8, 20, 50],
            lines: vec![
                ("least certain next".into(), vec![0.8, 0.9, 0.95]),
                ("random order".into(), vec![0.7, 0.8, 0.95]),
            ],
        }),
        overhead: Some(Overhead {
            model_bytes: 2048.0,
            parts: Some(77.0),
            choosing_ns: 1250.0,
            best_variant_ns: 50_000.0,
            with_features: Some(WithFeatures {
                choosing_ns: MedianAndP90 { median: 700.0, p90: 2_500.0 },
                chosen_ns: MedianAndP90 { median: 52_000.0, p90: 1_100_000.0 },
                ratio: MedianAndP90 { median: 0.0135, p90: 0.0425 },
            }),
            benefits: vec![
                Benefit { feature: "row_length".to_owned(), drop: -0.004 },
                Benefit { feature: "rows".to_owned(), drop: 0.123 },
            ],
        }),
        winners: Winners {
            variants: vec!["csr".to_owned(), "ell".to_owned(), "idle".to_owned()],
            devices: vec![("host:1".to_owned(), vec![0.75, 0.235, 0.015])],
            without: vec![0.625, 0.955, 0.9985],
            alone: vec![0.812, 0.55, 0.1],
            may_run: vec![1.0, 0.5, 1.0],
        },
        approximate: vec![ApproximateVariant {
            variant: "ell".to_owned(),
            approximation: Approximation { max_error: 0.003, over: Some("rows < 4096") },
            may_run: Some(0.5),
        }],
        floors: vec![DeviceFloors {
            device: "host:4".to_owned(),
            shares: vec![0.1, 0.25, 0.9],
            limits: [("launch".to_owned(), 1), ("memory".to_owned(), 2)].into(),
            wrong: None,
        }],
        curves: vec![Curve { selector: "shipped".to_owned(), shares: vec![1.0, 0.5, 0.25] }],
        spaces: vec![tuning::space()],
        emitted: Some(tuning::emitted()),
    }
}

fn quantity(name: &str, unit: &str) -> Quantity {
    Quantity { name: name.to_owned(), value: f64::NAN, unit: unit.to_owned() }
}

fn data() -> ReportData {
    ReportData {
        title: "Report".to_owned(),
        about: "About".to_owned(),
        machine: "host:4".to_owned(),
        machine_features: vec![Quantity {
            name: "L2 cache".to_owned(),
            value: 1_310_720.0,
            unit: "B".to_owned(),
        }],
        devices: vec![DeviceTable {
            devices: vec!["host:1".to_owned(), "host:4".to_owned()],
            features: vec![
                (quantity("threads", ""), vec![1.0, 4.0]),
                (quantity("l1", "bytes"), vec![32768.0, 32768.0]),
            ],
            distances: matrix([[Some(0.0), Some(1.41)], [Some(1.41), Some(0.0)]]),
        }],
        glossary: vec![("static".to_owned(), "one variant".to_owned())],
        functions: vec![function("spmv"), function("sort")],
        footer: "Footer".to_owned(),
    }
}

#[track_caller]
fn check(page: &str, expected: &str) {
    assert!(page.contains(expected), "no `{expected}` in\n{page}");
}

/// What is on the page of those that nobody measured, without figures of this machine.
fn unseen() -> ReportData {
    let mut data = data();
    data.functions.iter_mut().for_each(|function| function.scores.clear());
    data
}

#[test]
fn every_number_is_there_in_text() {
    let page = page(&data());
    check(&page, "<td class=\"mean\">97.3</td>");
    check(&page, "<td>77.3</td><td>57.3</td>");
    check(&page, "<td style=\"--tint:64%\">91.0</td>");
    check(&page, "svm-all*</th><td style=\"--tint:96%\">99.0</td><td class=\"absent\">–</td>");
    check(&page, "<td style=\"--tint:80%\">95.0</td><td style=\"--tint:0%\">62.0</td>");
    check(&page, "<td style=\"--tint:100%\">100.0</td><td style=\"--tint:60%\">60.0</td>");
    check(&page, "on 40.0\u{a0}% of 59 test inputs; on 10.0\u{a0}% no variant");
    check(&page, "left out: static 50.0 %, svm-none 73.0 %, svm-all* 99.0 %, auto 93.5 %");
    check(&page, "On its own device a selector reaches 96.0\u{a0}% on average, on another 62.0\u{a0}%");
    check(
        &page,
        "<td>1.25 <span class=\"unit\">µs</span></td><td>50.0 <span class=\"unit\">µs</span></td><td>2.5</td>",
    );
    check(&page, "<td>2.0 <span class=\"unit\">KiB</span></td><td>77</td>");
    check(&page, "<td>75.0</td>");
    check(&page, "120 training inputs, 60 test inputs");
    check(&page, "; 7 times were taken while others used the processors");
    check(&page, "<dt>L2 cache</dt><dd>1.25 <span class=\"unit\">MiB</span></dd>");
    check(&page, "median, 10th percentile and worst: shipped 50 %, ");
}

#[test]
fn the_verdict_comes_first_and_the_glossary_last() {
    let page = page(&unseen());
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let order = [
        "<h2>Verdict",
        "<h2>All functions",
        "<figure",
        "<table",
        "id=\"f-spmv\"",
        "<h2>Devices",
        "<h2>What a choice costs",
    ];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])));
    assert!(place("<h2>What learning costs") < place("<h2>Glossary"));
    assert_eq!(page.rfind("<h2>"), page.find("<h2>Glossary"));
    check(&page, "<strong>93.5\u{a0}%</strong> of exhaustive search (mean of 2 functions, lowest");
    check(
        &page,
        "the best single variant: 50.0\u{a0}%, selectors trained on the device itself: 96.5\u{a0}%.",
    );
}

#[test]
fn what_loses_and_what_to_do_is_told_by_name() {
    let mut data = unseen();
    data.functions[0].held_out.as_mut().unwrap().devices[0].means[0] = Some(0.92);
    let page = page(&data);
    check(&page, "<code>spmv</code></a> on <code>host:1</code>: 88.0\u{a0}%, single variant 92.0\u{a0}%.");
    check(
        &page,
        "ran <code>csr</code> for <code>test/long_<wbr>rows</code>, at 43.2\u{a0}% of the speed of <code>ell</code>.",
    );
    check(
        &page,
        "devices like <code>host:1</code>, which reached 96.0\u{a0}% with at most 10 inputs. <span class=\"worth\">up to 9.0 points",
    );
    check(&page, "reaches only 96.5\u{a0}%");
    check(&page, "with fewer than 4, a device left out");
    check(&page, "may be dropped: <code>idle</code> of ");
    data.functions[0].worst[0].share = 0.0;
    check(
        &super::page(&data),
        "for <code>test/long_<wbr>rows</code>, where it fails; best is <code>ell</code>.",
    );
}

#[test]
fn where_there_is_nothing_to_do_the_verdict_says_so() {
    let mut data = unseen();
    for function in &mut data.functions {
        let held_out = function.held_out.as_mut().unwrap();
        held_out.devices = (0..4).map(|n| left_out(&format!("d{n}"), [Some(0.99); 5], &[])).collect();
        function.winners.devices = (0..4).map(|n| (format!("d{n}"), vec![0.4, 0.3, 0.3])).collect();
        function.worst.clear();
    }
    check(&page(&data), "Nothing simpler is better by a point on any device.");
    check(&page(&data), "Nothing that is worth half a point: ship it.");
    assert!(!page(&data).contains("<h3>Worst inputs"));
}

#[test]
fn few_columns_come_first_and_the_others_on_demand() {
    let page = page(&unseen());
    let part = page.split("<h3>Leaving one device out</h3>").nth(1).unwrap();
    let (first, others) = part.split_at(part.find("<details>").unwrap());
    check(
        first,
        "device left out</th><th scope=\"col\">auto</th><th scope=\"col\">single variant</th><th scope=\"col\">trained there</th></tr>",
    );
    check(
        first,
        "mean</th><td style=\"--tint:74%\">93.5</td><td style=\"--tint:0%\">50.0</td><td style=\"--tint:86%\">96.5</td>",
    );
    assert!(!first.contains("svm-none"));
    check(others, "<th scope=\"row\">svm-none</th><td style=\"--tint:0%\">73.0</td>");
}

#[test]
fn no_figure_has_more_lines_than_styles_and_each_is_named() {
    let mut data = unseen();
    for function in &mut data.functions {
        let names = nitro_learn::evaluate::selector_names().filter(|name| *name != "random");
        let curve = |(place, name): (usize, &str)| {
            let shares = vec![1.0, 0.5, 0.02 * place as f64];
            Curve { selector: name.to_owned(), shares }
        };
        function.curves = names.enumerate().map(curve).collect();
    }
    let page = page(&data);
    for figure in page.split("<figure").skip(1).map(|rest| rest.split("</figure>").next().unwrap()) {
        let styles: Vec<&str> = figure.split("path class=\"line s").skip(1).map(|rest| &rest[..1]).collect();
        let distinct: std::collections::BTreeSet<&&str> = styles.iter().collect();
        assert!(styles.len() <= 5 && distinct.len() == styles.len(), "{styles:?}");
        let named =
            styles.iter().filter(|style| figure.contains(&format!("<span class=\"t{style}\" style=\"top:")));
        assert_eq!(named.count(), styles.len(), "a name for each line, in its colour");
        // Below the lines, as on a phone, their order alone tells which is which height.
        let names = figure.split("class=\"names\"").nth(1).unwrap_or_default();
        let tops = names.split("top:").skip(1).map(|rest| rest.split('%').next().unwrap().parse().unwrap());
        assert!(tops.is_sorted_by(|a: &f64, b: &f64| a <= b), "{names}");
    }
    for name in nitro_learn::evaluate::selector_names().filter(|name| *name != "random") {
        check(&page, &format!("</i>{}</span>", series::heading(name)));
    }
}

#[test]
fn an_axis_that_does_not_start_at_nothing_says_so() {
    let page = page(&unseen());
    for figure in page.split("<figure").skip(1) {
        let (figure, after) = figure.split_once("</figure>").unwrap();
        // Its first label is at the bottom, or at the left.
        let starts = figure.contains(">0</span>");
        assert_eq!(after.starts_with("<p class=\"axis-note\">The axis starts at "), !starts, "{figure}");
    }
}

#[test]
fn tables_and_figures_of_the_paper_are_there() {
    let page = page(&unseen());
    check(
        &page,
        "auto, from all others</th><td style=\"--tint:52%\">88.0</td><td style=\"--tint:96%\">99.0</td>",
    ); // Figure 1
    check(&page, "<th scope=\"row\">m</th><td>2</td><td>20.0</td>"); // Figure 5
    check(&page, "without it too, <code>host:1</code> loses 17.0 points."); // Figure 7
    check(&page, "majority, least</th><td style=\"--tint:0%\">60.0</td><td style=\"--tint:0%\">50.0</td>");
    check(&page, "<th scope=\"row\"><code>threads</code></th><td>1</td><td>4</td>"); // Table 1
    check(&page, "The same on all 2: <code>l1</code> 32 <span class=\"unit\">KiB</span>.");
    check(&page, "<td style=\"--tint:48%\">87.0</td>"); // Table 2
    check(&page, "always this one, % of exhaustive</th><td>81.2</td><td>55.0</td>"); // Table 4
    check(&page, "may run on, % of inputs</th><td>100.0</td><td>50.0</td>");
    check(&page, "<code>atomics</code> (2 variants)"); // Table 5
    check(
        &page,
        "the learner svm, subsets of at most 3, most frequent winners: 1)</dt><dd><code>cores</code></dd>",
    );
    check(&page, "<th scope=\"row\"><span class=\"little\">none</span></th><td>90.2</td>");
    check(&page, "<td>2.50 <span class=\"unit\">ms</span></td><td>1.50 <span class=\"unit\">s</span></td>"); // Table 6
    check(&page, "1.41</td>"); // distances
    check(&page, "<td>700 <span class=\"unit\">ns</span></td><td>2.50 <span class=\"unit\">µs</span></td>"); // with features
    check(&page, "<td>1.35</td><td>4.25</td>");
    check(&page, "by inputs measured: 0: 93.5 (worst 88.0), 10: 97.0 (worst 96.0)");
    check(&page, "test/long_<wbr>rows</code></th><td>43.2</td>");
}

#[test]
fn a_mean_over_some_devices_is_marked_and_explained() {
    let mut data = data();
    let explained = "the mean is over those that it applies to";
    check(&page(&data), "svm-all*</th>");
    check(&page(&data), explained);
    for function in &mut data.functions {
        function.held_out.as_mut().unwrap().devices[0].means[2] = Some(0.9);
    }
    assert!(!page(&data).contains("svm-all*") && !page(&data).contains(explained));
}

#[test]
fn the_overview_has_all_functions_and_their_mean() {
    let mut data = data();
    data.functions[1].scores.remove(1);
    data.functions[1].scores[0].mean = 0.875;
    let page = page(&data);
    check(&page, "<code>sort</code></a></th><td class=\"own\">87.5</td><td>–</td>");
    check(&page, "<th scope=\"row\">mean</th><td class=\"own\">92.4</td><td>75.0</td>");
}

#[test]
fn idle_variants_are_named() {
    let mut data = data();
    check(&page(&data), "on every device: <code>idle</code>.</strong>");
    check(&page(&data), "without it, % of exhaustive</th><td>62.5</td><td>95.5</td><td>99.9</td>");
    for function in &mut data.functions {
        function.winners.devices.push(("host:4".to_owned(), vec![0.5, 0.47, 0.03]));
    }
    check(&page(&data), "Every variant is best on at least 3\u{a0}%");
}

#[test]
fn approximate_variants_are_told_with_where_they_count() {
    let page = page(&data());
    check(&page, "<h3>Approximate variants</h3>");
    check(&page, "and the figures count them only there");
    check(&page, "<td>0.003</td><td>rows &lt; 4096</td><td>50.0</td>");
    let functions = data().functions.into_iter().map(|own| FunctionReport { approximate: Vec::new(), ..own });
    let none = super::page(&ReportData { functions: functions.collect(), ..data() });
    assert!(!none.contains("Approximate variants"), "{none}");
}

#[test]
fn it_is_told_how_near_the_best_are_to_what_devices_allow_and_what_cannot_be() {
    let row = "<th scope=\"row\">host:4</th><td>3</td><td>90.0</td><td>25.0</td><td>10.0</td><td>launch 1, memory 2</td>";
    check(&page(&data()), row);
    let mut impossible = data();
    let floor = Floor { ns: 1e3, limit: "memory".into(), reason: "1e6 bytes, 1000 GB/s".into() };
    impossible.functions[0].floors[0].wrong = floor.check(9e2, || "recorded".into()).err();
    check(
        &page(&impossible),
        "1e6 bytes, 1000 GB/s; either the measurement or a rate of the device is wrong",
    );
}

#[test]
fn a_line_comes_first_in_the_section_of_a_function() {
    check(&page(&data()), "<strong>97.3\u{a0}%</strong> shipped, static 75.0.");
    let page = page(&unseen());
    let expected = "<p class=\"line\"><strong>93.5\u{a0}%</strong> on 2 unseen devices (worst 88.0), one variant for all 50.0, \
                    trained there 96.5; the best differs on 40\u{a0}% of the inputs.</p>";
    check(&page, expected);
}

#[test]
fn chosen_device_features_are_told_for_every_device() {
    let page = page(&data());
    check(&page, "<code>host:1</code></th><td><code>threads</code></td><td>svm-none</td>");
    check(&page, "<code>host:4</code></th><td class=\"little\">none</td><td>svm-none</td>");
}

#[test]
fn features_are_told_with_the_most_useful_first() {
    let page = page(&data());
    let (first, second) =
        (page.find("<code>rows</code>").unwrap(), page.find("<code>row_<wbr>length</code>").unwrap());
    assert!(first < second);
    check(&page, "<td>12.3</td>");
    check(&page, "style=\"--share:0%\"><th scope=\"row\"><code>row_<wbr>length</code></th><td>−0.4</td>");
}

#[test]
fn a_learning_curve_says_in_text_what_each_number_of_inputs_gives() {
    let page = page(&data());
    check(&page, "least certain next: 8: 80 %, 20: 90 %, 50: 95 %; random order: 8: 70 %");
    check(&page, ">8 inputs</span>");
}

#[test]
fn headings_go_down_a_level_at_a_time() {
    let page = page(&data());
    let levels = page.split("<h").skip(1).filter_map(|rest| rest.chars().next()?.to_digit(10));
    let levels: Vec<u32> = levels.collect();
    assert_eq!(levels.iter().filter(|&&level| level == 1).count(), 1);
    assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
}

#[test]
fn figures_say_in_text_what_they_show() {
    let page = page(&data());
    let tags = page.split('<').filter(|tag| tag.starts_with("svg ") || tag.contains("role=\"img\""));
    for tag in tags.filter(|tag| !tag.contains("preserveAspectRatio=\"none\"") || tag.contains("role=")) {
        let tag = tag.split('>').next().unwrap();
        assert!(tag.contains("aria-label=\"") || tag.contains("aria-hidden=\"true\""), "<{tag}>");
    }
}

/// Puts hostile text into every string of the data.
#[test]
fn every_text_is_escaped() {
    let evil = "\"><script>x='&'</script>".to_owned();
    let mut data = data();
    (data.title, data.about, data.machine, data.footer) =
        (evil.clone(), evil.clone(), evil.clone(), evil.clone());
    data.machine_features.iter_mut().for_each(|q| (q.name, q.unit) = (evil.clone(), evil.clone()));
    for function in &mut data.functions {
        function.name.clone_from(&evil);
        function.scores.iter_mut().for_each(|s| (s.selector, s.description) = (evil.clone(), evil.clone()));
        function.curves.iter_mut().for_each(|curve| curve.selector.clone_from(&evil));
        function.winners.variants.iter_mut().for_each(|name| name.clone_from(&evil));
        function.winners.devices.iter_mut().for_each(|(name, _)| name.clone_from(&evil));
        let held_out = function.held_out.as_mut().unwrap();
        held_out.selectors.iter_mut().for_each(|name| name.clone_from(&evil));
        for device in &mut held_out.devices {
            (device.device, device.auto_is) = (evil.clone(), evil.clone());
            device.chosen = vec![(evil.clone(), vec![evil.clone()])];
        }
        function.trained_on_run_on.devices.iter_mut().for_each(|name| name.clone_from(&evil));
        let pairs = &mut function.sensitivity.as_mut().unwrap().pairs;
        pairs.devices.iter_mut().for_each(|name| *name = format!("x@{evil}{}", name.len()));
        pairs.devices[0].push('y');
        let curve = function.learning_curve.as_mut().unwrap();
        curve.device.clone_from(&evil);
        curve.lines.iter_mut().for_each(|(name, _)| name.clone_from(&evil));
        let worst = &mut function.worst[0];
        for text in [&mut worst.input, &mut worst.device, &mut worst.chosen, &mut worst.best] {
            text.clone_from(&evil);
        }
        function.calibration.as_mut().unwrap().devices[0].0.clone_from(&evil);
        let fewer = function.one_fewer.as_mut().unwrap();
        fewer.auto.devices.iter_mut().for_each(|name| name.clone_from(&evil));
        let selection = function.selection.as_mut().unwrap();
        selection.strategy.clone_from(&evil);
        selection.proxies.as_mut().unwrap()[0].0.clone_from(&evil);
        selection.subsets[0].0[0].clone_from(&evil);
        for features in [
            &mut selection.device_features,
            &mut selection.profiled_features,
            &mut selection.selected_features,
        ] {
            features[0].clone_from(&evil);
        }
        function.sensitivity.as_mut().unwrap().machines[0].0.clone_from(&evil);
        function.overhead.as_mut().unwrap().benefits.iter_mut().for_each(|b| b.feature.clone_from(&evil));
        let space = &mut function.spaces[0];
        space.variant.clone_from(&evil);
        space.parameters[0].parameter.clone_from(&evil);
        space.by_device[0].0.clone_from(&evil);
        let map = space.map.as_mut().unwrap();
        for (name, labels) in [&mut map.columns, map.rows.as_mut().unwrap()] {
            name.clone_from(&evil);
            labels[0].clone_from(&evil);
        }
        space.searches.as_mut().unwrap().strategies[0].strategy.clone_from(&evil);
        let emitted = function.emitted.as_mut().unwrap();
        emitted.choices[0].choice.clone_from(&evil);
        emitted.reached[0].0.clone_from(&evil);
        emitted.greedy[0].0.clone_from(&evil);
    }
    for table in &mut data.devices {
        table.devices.iter_mut().for_each(|name| name.clone_from(&evil));
        table.features.iter_mut().for_each(|(own, _)| (own.name, own.unit) = (evil.clone(), evil.clone()));
    }
    data.glossary = vec![(evil.clone(), evil.clone())];
    let page = page(&data);
    assert!(!page.contains("<script") && !page.contains("\"\">"), "{page}");
    check(&page, "<h1>&quot;&gt;&lt;script&gt;x='&amp;'&lt;/script&gt;</h1>");
}

#[test]
fn no_page_is_wider_than_its_screen() {
    for data in [data(), unseen(), ReportData::default()] {
        assert_fits_narrow_screens(&page(&data));
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let page = page(&data());
    for outside in ["http:", "https:", "url(", "@import", "<script", "<link", "<img", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn tags_are_closed_in_order() {
    const VOID: [&str; 3] = ["meta", "wbr", "!DOCTYPE"];
    let page = page(&data());
    let body = page.replace(include_str!("style.css"), "");
    let mut open = Vec::new();
    for tag in body.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
        let name = tag.split([' ', '\n']).next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "in {tag}"),
            None if tag.ends_with('/') || VOID.contains(&name) => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn what_is_missing_leaves_no_empty_part() {
    let bare = page(&ReportData { functions: vec![FunctionReport::default()], ..ReportData::default() });
    for part in ["<h3>", "<table", "<figure", "NaN", "inf"] {
        assert!(!bare.contains(part), "{part} in\n{bare}");
    }
    let mut odd = data();
    odd.functions[0].scores[0].mean = f64::NAN;
    odd.functions[0].curves[0].shares = vec![f64::NAN, f64::INFINITY, -1.0];
    odd.functions[0].winners.devices[0].1 = vec![f64::NAN];
    odd.functions[0].sensitivity =
        Some(DeviceSensitivity { none_is_near: f64::NAN, ..DeviceSensitivity::default() });
    odd.functions[0].trained_on_run_on = matrix([[None, None], [None, Some(f64::NAN)]]);
    odd.functions[0].overhead = Some(Overhead {
        choosing_ns: f64::NAN,
        benefits: vec![Benefit { feature: "useless".to_owned(), drop: 0.0 }],
        ..Overhead::default()
    });
    let odd = page(&odd);
    assert!(!odd.contains("NaN") && !odd.contains("inf,"), "{odd}");
}
