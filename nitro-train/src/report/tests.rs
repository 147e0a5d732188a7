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

fn function(name: &str) -> FunctionReport {
    FunctionReport {
        name: name.to_owned(),
        training_inputs: 120,
        test_inputs: 60,
        scores: vec![score("shipped", 0.973, true), score("static", 0.75, false)],
        held_out: Some(HeldOut {
            sensitivity: "The best <variant> differs.".into(),
            selectors: vec!["svm-none".to_owned(), "svm-all".to_owned()],
            devices: vec![
                HeldOutDevice {
                    device: "host:1".to_owned(),
                    means: vec![Some(0.91), None],
                    device_features: vec!["threads".to_owned()],
                },
                HeldOutDevice {
                    device: "host:4".to_owned(),
                    means: vec![Some(0.55), Some(0.99)],
                    device_features: Vec::new(),
                },
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
    check(&page, "<td style=\"--tint:78%\">91.0</td><td class=\"absent\">–</td>");
    check(
        &page,
        "<th scope=\"row\">mean</th><td style=\"--tint:33%\">73.0</td><td style=\"--tint:98%\">99.0</td>",
    );
    check(&page, "<td>75.0</td>");
    check(&page, "120 training inputs, 60 test inputs");
    check(&page, "<dt>L2 cache</dt><dd>1.25 <span class=\"unit\">MiB</span></dd>");
    check(&page, "medians: shipped 50 %");
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
fn chosen_features_are_said_once_where_they_agree() {
    let mut data = data();
    check(
        &page(&data),
        "<li><code>threads</code> without <code>host:1</code></li>\n<li>none without <code>host:4</code>",
    );
    for function in &mut data.functions {
        function.held_out.as_mut().unwrap().devices[1].device_features = vec!["threads".to_owned()];
    }
    check(&page(&data), "Cross-validation chose <code>threads</code> for every device.");
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
            (device.device, device.device_features) = (evil.clone(), vec![evil.clone()]);
        }
    }
    let page = page(&data);
    assert!(!page.contains("<script") && !page.contains("\"\">"), "{page}");
    check(&page, "<h1>&quot;&gt;&lt;script&gt;x=&#39;&amp;&#39;&lt;/script&gt;</h1>");
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
    const VOID: [&str; 2] = ["meta", "!DOCTYPE"];
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
