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

fn left_out(device: &str, means: [Option<f64>; 3], features: &[&str]) -> HeldOutDevice {
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
        scores: vec![score("shipped", 0.973, true), score("static", 0.75, false)],
        held_out: Some(HeldOut {
            selectors: vec!["svm-none".to_owned(), "svm-all".to_owned(), "auto".to_owned()],
            devices: vec![
                left_out("host:1", [Some(0.91), None, Some(0.88)], &["threads"]),
                left_out("host:4", [Some(0.55), Some(0.99), Some(0.99)], &[]),
            ],
        }),
        trained_on_run_on: matrix([[Some(0.95), Some(0.62)], [None, Some(0.97)]]),
        sensitivity: Some(DeviceSensitivity {
            inputs: 59,
            best_differs: 0.4,
            none_is_near: 0.1,
            pairs: matrix([[Some(0.0), Some(0.4)], [Some(0.4), Some(0.0)]]),
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
            benefits: vec![
                Benefit { feature: "row_length".to_owned(), drop: -0.004 },
                Benefit { feature: "rows".to_owned(), drop: 0.123 },
            ],
        }),
        winners: Winners {
            variants: vec!["csr".to_owned(), "ell".to_owned(), "idle".to_owned()],
            devices: vec![("host:1".to_owned(), vec![0.75, 0.235, 0.015])],
            without: vec![0.625, 0.955, 0.9985],
        },
        curves: vec![Curve { selector: "shipped".to_owned(), shares: vec![1.0, 0.5, 0.25] }],
    }
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
        glossary: vec![("static".to_owned(), "one variant".to_owned())],
        functions: vec![function("spmv"), function("sort")],
        footer: "Footer".to_owned(),
    }
}

#[track_caller]
fn check(page: &str, expected: &str) {
    assert!(page.contains(expected), "no `{expected}` in\n{page}");
}

#[test]
fn every_number_is_there_in_text() {
    let page = page(&data());
    check(&page, "<td class=\"mean\">97.3</td>");
    check(&page, "<td>77.3</td><td>57.3</td>");
    check(&page, "<td style=\"--tint:64%\">91.0</td><td class=\"absent\">–</td>");
    check(
        &page,
        "<th scope=\"row\">mean</th><td style=\"--tint:0%\">73.0</td><td style=\"--tint:96%\">99.0</td>",
    );
    check(&page, "<td style=\"--tint:80%\">95.0</td><td style=\"--tint:0%\">62.0</td>");
    check(&page, "<td style=\"--tint:0%\">0.0</td><td style=\"--tint:40%\">40.0</td>");
    check(&page, "on 40.0\u{a0}% of 59 test inputs; on 10.0\u{a0}% no variant");
    check(&page, "left out: svm-none 73.0 %, svm-all* 99.0 %, auto 93.5 %");
    check(&page, "On its own device a selector reaches 96.0\u{a0}% on average, on another 62.0\u{a0}%");
    check(
        &page,
        "<td>1.25 <span class=\"unit\">µs</span></td><td>50.0 <span class=\"unit\">µs</span></td><td>2.5</td><td>77</td>",
    );
    check(&page, "<td>2.0 <span class=\"unit\">KiB</span></td>");
    check(&page, "<td>75.0</td>");
    check(&page, "120 training inputs, 60 test inputs");
    check(&page, "<dt>L2 cache</dt><dd>1.25 <span class=\"unit\">MiB</span></dd>");
    check(&page, "medians: shipped 50 %");
}

#[test]
fn a_mean_over_some_devices_is_marked_and_explained() {
    let mut data = data();
    let explained = "the mean is over those that it applies to";
    check(
        &page(&data),
        "<th scope=\"col\">svm-none</th><th scope=\"col\">svm-all*</th><th scope=\"col\">auto</th>",
    );
    check(&page(&data), explained);
    for function in &mut data.functions {
        function.held_out.as_mut().unwrap().devices[0].means[1] = Some(0.9);
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
    check(&page(&data), "without it</th><td>62.5</td><td>95.5</td><td>99.9</td>");
    for function in &mut data.functions {
        function.winners.devices.push(("host:4".to_owned(), vec![0.5, 0.47, 0.03]));
    }
    check(&page(&data), "Every variant is best on at least 3 %");
}

#[test]
fn a_line_a_function_comes_first() {
    let mut data = data();
    check(&page(&data), "<strong>97.3</strong> shipped, static 75.0.");
    data.functions.iter_mut().for_each(|function| function.scores.clear());
    let page = page(&data);
    check(&page, "<strong>93.5</strong> on 2 unseen devices (worst 88.0); the best differs on 40\u{a0}%");
    assert!(page.find("<strong>93.5").unwrap() < page.find("<table").unwrap(), "before any table");
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
    check(&page, "style=\"--share:0%\"><th scope=\"row\"><code>row_<wbr>length</code></th><td>-0.4</td>");
}

#[test]
fn a_learning_curve_says_in_text_what_each_number_of_inputs_gives() {
    let page = page(&data());
    check(&page, "least certain next: 8: 80 %, 20: 90 %, 50: 95 %; random order: 8: 70 %");
    check(&page, "<span>8 inputs</span>");
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
        function.overhead.as_mut().unwrap().benefits.iter_mut().for_each(|b| b.feature.clone_from(&evil));
    }
    data.glossary = vec![(evil.clone(), evil.clone())];
    let page = page(&data);
    assert!(!page.contains("<script") && !page.contains("\"\">"), "{page}");
    check(&page, "<h1>&quot;&gt;&lt;script&gt;x='&amp;'&lt;/script&gt;</h1>");
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

#[test]
fn numbers_have_four_digits() {
    let cases = [
        (0.0, "0"),
        (4.0, "4"),
        (0.12345, "0.123"),
        (2.3456, "2.346"),
        (64.5, "64.5"),
        (123.456, "123.5"),
        (2400.0, "2400"),
        (33_554_432.0, "33\u{202F}554\u{202F}432"),
        (-12_345.6, "-12\u{202F}346"),
        (1e-9, "1.000e-9"),
        (f64::NAN, "–"),
    ];
    for (value, expected) in cases {
        assert_eq!(html::number(value), expected);
    }
}
