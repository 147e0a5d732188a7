//! The parts about tuning parameters.

use super::*;

/// A variant of three parameters, searched by two strategies.
pub(super) fn space() -> SpaceReport {
    let parameter = |name: &str, values, alone, with_others| ParameterImportance {
        parameter: name.to_owned(),
        values,
        alone,
        with_others,
    };
    let curve = |name: &str, mean: [f64; 3], to_95| SearchCurve {
        strategy: name.to_owned(),
        least: mean.map(|share| share - 0.05).to_vec(),
        most: mean.map(|share| share + 0.02).to_vec(),
        mean: mean.to_vec(),
        to_95,
    };
    SpaceReport {
        variant: "tiled".to_owned(),
        configurations: 77,
        sampled_of: None,
        pairs: 40,
        parameters: vec![parameter("tile_rows", 3, 0.5, 0.625), parameter("order", 2, 0.125, 0.25)],
        by_device: vec![("host:1".to_owned(), vec![0.7, 0.2]), ("host:4".to_owned(), vec![0.55, 0.3])],
        map: Some(SpaceMap {
            columns: ("tile_rows".to_owned(), vec!["1".to_owned(), "8".to_owned(), "64".to_owned()]),
            rows: Some(("order".to_owned(), vec!["down".to_owned(), "up".to_owned()])),
            cells: vec![vec![Some(0.4), Some(0.987), None], vec![Some(0.0), Some(0.7), Some(0.55)]],
        }),
        searches: Some(SearchCurves {
            seeds: 5,
            pairs: 12,
            evaluations: vec![1, 10, 77],
            strategies: vec![
                curve("transfer", [0.9, 0.97, 0.98], Some(2.5)),
                curve("random", [0.5, 0.8, 0.98], Some(31.0)),
                curve("climb", [0.4, 0.6, 0.9], None),
            ],
        }),
    }
}

pub(super) fn emitted() -> EmittedChoices {
    let choice = |name: &str, wins| EmittedChoice {
        choice: name.to_owned(),
        wins,
        inputs: wins / 2,
        devices: 2,
        alone: 0.8125,
    };
    EmittedChoices {
        choices: (0..10)
            .map(|tile| choice(&format!("tiled{{tile={tile},order=up}}"), 20 - 2 * tile))
            .collect(),
        of: 78,
        pairs: 110,
        reached: vec![("training inputs".to_owned(), 0.995), ("test inputs".to_owned(), 0.952)],
        greedy: vec![
            ("training inputs".to_owned(), vec![0.8, 0.9, 0.97]),
            ("test inputs".to_owned(), vec![0.75, 0.91, 0.95]),
        ],
    }
}

/// From the heading of this text on, up to the next one.
fn part<'p>(page: &'p str, heading: &str) -> &'p str {
    let part =
        &page[page.find(&format!("<h3>{heading}")).unwrap_or_else(|| panic!("no {heading} in {page}")) + 4..];
    &part[..part.find("<h3>").unwrap_or(part.len())]
}

#[test]
fn how_soon_each_strategy_is_good_comes_in_words_first() {
    let page = page(&unseen());
    let searches = part(&page, "How soon searches find the best</h3>");
    let (words, figure) = searches.split_at(searches.find("<figure").unwrap());
    check(
        words,
        "takes <code>transfer</code> 2.5 of 77 evaluations</strong> in the median, <code>random</code> 31.",
    );
    check(words, "Not there in half of the searches or more: <code>climb</code>.");
    check(words, "12 of the 40 pairs of a device and an input. A line is the mean of 5 searches");
    check(figure, "random: 1: 50.0, 10: 80.0, 77: 98.0;");
    check(figure, "<th scope=\"row\">climb</th><td>40.0</td><td>60.0</td><td>90.0</td><td>–</td>");
}

#[test]
fn a_band_goes_along_its_best_seeds_and_back_along_its_worst() {
    let page = page(&unseen());
    let figure = part(&page, "How soon searches find the best</h3>");
    // The axis starts at 0, as the worst climb begins at 35 %.
    check(
        figure,
        "<path class=\"band b0\" d=\"M0.0 32.0L530.1 4.0L1000.0 0.0L1000.0 28.0L530.1 32.0L0.0 60.0Z\">",
    );
    assert_eq!((figure.matches("class=\"band b").count(), figure.matches("class=\"line s").count()), (3, 3));
    check(figure, "class=\"band b1\"");
}

#[test]
fn parameters_are_told_with_what_they_explain_alone_and_with_the_others() {
    let page = page(&unseen());
    let importance = part(&page, "Which parameters matter</h3>");
    check(
        importance,
        "<strong>Most of all <code>tile_<wbr>rows</code></strong>, which takes part in 62.5\u{a0}%",
    );
    let row = "<tr style=\"--share:62.5%;--inner:80%\"><th scope=\"row\"><code>tile_<wbr>rows</code></th>\
               <td>3</td><td>50.0</td><td>62.5</td>";
    check(importance, row);
    check(
        importance,
        "<code>host:4</code></th><td style=\"--tint:55%\">55.0</td><td style=\"--tint:30%\">30.0</td>",
    );
}

#[test]
fn of_a_sample_the_page_says_what_it_tells_and_what_not() {
    let mut data = unseen();
    let space = &mut data.functions[0].spaces[0];
    space.sampled_of = Some(4096);
    space.parameters.iter_mut().for_each(|own| own.with_others = f64::NAN);
    let page = page(&data);
    let importance = part(&page, "Which parameters matter</h3>");
    check(importance, "over all 77 measured of 4096 configurations that have one");
    check(importance, "What it decides with the others a sample does not tell.");
    check(importance, "<tr style=\"--share:50%;--inner:100%\">");
    check(importance, "<td>50.0</td><td>–</td>");
    assert!(!importance.contains("The devices one by one"));
}

#[test]
fn the_best_cell_of_a_map_is_marked_and_named() {
    let page = page(&unseen());
    let map = part(&page, "Where the fast configurations lie</h3>");
    let best = "<code>tile_rows = 8</code> with <code>order = down</code> reaches 98.7\u{a0}%";
    check(map, best);
    check(map, "<code>tile_rows = 1</code> with <code>order = up</code> at best 0.0.");
    check(
        map,
        "<th scope=\"row\">down</th><td style=\"--tint:0%\">40.0</td><td class=\"best\" style=\"--tint:100%\">98.7</td><td class=\"absent\">–</td>",
    );
}

#[test]
fn a_map_of_one_parameter_has_one_row() {
    let mut data = unseen();
    let map = data.functions[0].spaces[0].map.as_mut().unwrap();
    (map.rows, map.cells) = (None, vec![vec![Some(0.5), Some(1.0), None]]);
    let page = page(&data);
    let map = part(&page, "Where the fast configurations lie</h3>");
    check(
        map,
        "<strong><code>tile_rows = 8</code> reaches 100.0\u{a0}%</strong>, <code>tile_rows = 1</code> at best 50.0.",
    );
    check(map, "<th scope=\"row\">best</th><td style=\"--tint:17%\">50.0</td>");
}

#[test]
fn choices_are_told_with_where_they_win_and_how_many_are_enough() {
    let page = page(&unseen());
    let emitted = part(&page, "Choices that are told apart</h3>");
    check(
        emitted,
        "<strong>A model may choose among 10 of 78 choices: 99.5\u{a0}% on training inputs, 95.2\u{a0}% on test inputs.</strong>",
    );
    let row =
        "<code>tiled{<wbr>tile=0,<wbr>order=up}</code></th><td>20</td><td>10</td><td>2</td><td>81.2</td>";
    let (first, others) = emitted.split_at(emitted.find("<details>").unwrap());
    check(first, row);
    assert!(!first.contains("tile=8") && others.contains("tile=8"), "the last two are on demand");
    check(others, "by number of choices; training inputs: 1: 80.0, 2: 90.0, 3: 97.0; test inputs: 1: 75.0");
}

#[test]
fn variants_are_named_where_several_have_parameters() {
    let mut data = unseen();
    let other = SpaceReport { variant: "other".to_owned(), searches: None, ..space() };
    data.functions[0].spaces.push(other);
    let page = page(&data);
    check(&page, "<h3>How soon searches find the best of <code>tiled</code></h3>");
    assert!(!page.contains("find the best of <code>other</code>"), "it was not searched");
    check(&page, "<h3>Which parameters matter in <code>other</code></h3>");
    let function = &page[..page.find("id=\"f-sort\"").unwrap()];
    assert_eq!(function.matches("exact sums").count(), 1, "how to read it is said once");
    check(&page, "3 variants, 154 configurations, ");
}

#[test]
fn a_space_without_figures_leaves_no_part() {
    let mut data = unseen();
    for function in &mut data.functions {
        function.spaces = vec![SpaceReport::default()];
        function.emitted = Some(EmittedChoices::default());
    }
    let bare = page(&data);
    for heading in ["How soon", "Which parameters", "Where the fast", "Choices that are told"] {
        assert!(!bare.contains(&format!("<h3>{heading}")), "{heading}");
    }
    let mut odd = unseen();
    let space = &mut odd.functions[0].spaces[0];
    space.parameters[0].alone = f64::NAN;
    space.map.as_mut().unwrap().cells = vec![vec![Some(f64::NAN)]];
    space.searches.as_mut().unwrap().strategies[0].mean = vec![f64::NAN; 3];
    assert!(!page(&odd).contains("NaN"));
}
