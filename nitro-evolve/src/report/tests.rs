mod made_up;

use nitro_search::evolve::Fitness;
use nitro_test_support::pages::assert_fits_narrow_screens;

use self::made_up::{evolved, nothing_tried};
use super::page;
use crate::EvolveResult;
use crate::check::{CheckOutcome, Objection};
use crate::difference::DiffLine;
use crate::finding::{Finding, Verdict};

/// How often a text is on a page.
fn count(page: &str, text: &str) -> usize {
    page.matches(text).count()
}

#[track_caller]
fn has(page: &str, text: &str) {
    assert!(page.contains(text), "{text} is not in\n{page}");
}

/// The page without its styles.
fn body(evolved: &EvolveResult) -> String {
    let page = page("hotspot", evolved);
    page.split_once("</style>").expect("pages have styles").1.to_owned()
}

/// Pages of evolutions that came to different ends.
fn all_kinds() -> Vec<EvolveResult> {
    let nothing_found =
        EvolveResult { findings: Vec::new(), lineages: Vec::new(), together: Vec::new(), ..evolved() };
    let mut refused = evolved();
    refused.findings.truncate(1);
    refused.findings[0].verdict = Verdict::Refused("it is wrong with n=3".to_owned());
    refused.findings[0].test.clear();
    vec![evolved(), nothing_tried(), nothing_found, refused, odd()]
}

/// Nothing in it is a number that can be drawn.
fn odd() -> EvolveResult {
    let mut odd = evolved();
    let nothing = Fitness { time_ns: f64::NAN, error: f64::NAN };
    odd.original.iter_mut().for_each(|case| case.1 = f64::INFINITY);
    odd.history.tried.iter_mut().skip(1).step_by(2).for_each(|tried| tried.fitness = nothing);
    odd.history.tried[2].fitness = Fitness { time_ns: 1e300, error: f64::INFINITY };
    odd.history.tried[4].fitness = Fitness { time_ns: 0.0, error: f64::MIN_POSITIVE };
    odd.history.moments.iter_mut().for_each(|moment| {
        (moment.best_ns, moment.best_exact_ns, moment.seconds) = (f64::INFINITY, f64::NAN, f64::NAN);
    });
    (odd.seconds, odd.max_error) = (f64::INFINITY, f64::INFINITY);
    odd.front.push((nothing, 3));
    odd.lineages[0].iter_mut().for_each(|lineage| lineage.shares.fill(f64::NAN));
    for finding in &mut odd.findings {
        finding.search = nothing;
        finding
            .edits
            .iter_mut()
            .for_each(|edit| (edit.alone, edit.loss) = (Some(f64::NAN), Some(f64::INFINITY)));
        finding.pairs.iter_mut().for_each(|pair| pair.more = f64::NAN);
        finding.test.iter_mut().for_each(|case| (case.patched_ns, case.error) = (0.0, f64::NAN));
    }
    odd
}

#[test]
fn what_came_of_it_is_said_first() {
    let page = body(&evolved());
    has(
        &page,
        "<strong>1.42 times as fast</strong> with inputs that the search never saw, by <a href=\"#patch-2\">4 edits</a>, off by up to 0.008 over n from 64 to 4096.",
    );
    has(&page, "<a href=\"#patch-1\">1.28 times as fast, exact</a>, 3 edits");
    has(&page, "; error up to 0.01 was allowed.");
    has(&page, "<code>n=1024 seed=1</code></th><td>120 <span class=\"unit\">µs</span></td>");
    assert!(page.find("What came of it") < page.find("Time and error"));
}

#[test]
fn nothing_and_refusals_are_said_as_such() {
    let [_, tried, found, refused, _] = &all_kinds()[..] else { panic!("there are five") };
    has(&body(tried), "<strong>Nothing was tried.</strong>");
    has(&body(found), "<strong>Nothing was found</strong> that is faster than the original");
    has(
        &body(refused),
        "A patch of <a href=\"#patch-1\">3 edits</a> was found and <strong>refused</strong>: it is wrong with n=3.",
    );
    for part in ["<svg", "<h3", "class=\"stack\""] {
        assert_eq!(count(&body(tried), part), 0, "{part} of nothing");
    }
}

#[test]
fn what_an_emulator_counts_is_never_taken_for_a_time() {
    let measured = body(&evolved());
    assert!(!measured.contains("ounted"), "{measured}");
    let counted = EvolveResult { on: vec!["emulator (counted, not measured)".to_owned()], ..evolved() };
    let page = body(&counted);
    has(&page, "<strong>Counted, not measured.</strong>");
    has(&page, "1.42 times as fast</strong> (counted, not measured)");
    assert_eq!(count(&page, "; counted, not measured</p>"), counted.findings.len(), "with each patch");
    has(&page, "<td>120\u{202F}000 <span class=\"unit\">counted</span></td>");
    assert!(!page.contains("µs") && !page.contains(">ms<"), "{page}");
    assert!(page.find("Counted, not measured") < page.find("times as fast"), "before any figure");
}

#[test]
fn what_was_tried_its_front_and_the_patches_are_drawn() {
    let page = body(&evolved());
    has(
        &page,
        "aria-label=\"Time and error of 4001 candidates that ran; none better than: 1.30 times as fast, exact; ",
    );
    has(&page, "<a class=\"spot\" href=\"#patch-1\"");
    has(&page, "aria-label=\"patch 2: 1.45 times as fast, error 0.006\"");
    has(&page, "<path class=\"line s0\" d=\"M1000.0 400.0L");
    has(&page, ">slower</span>");
    has(&page, "not at 0");
    has(&page, "<th scope=\"row\">exact</th><td>1.30</td><td>3</td>");
}

#[test]
fn where_all_is_exact_there_is_one_lane() {
    let mut exact = evolved();
    exact.max_error = 0.0;
    exact.history.tried.iter_mut().for_each(|tried| tried.fitness.error = 0.0);
    exact.front.truncate(1);
    let page = body(&exact);
    has(&page, "All that ran were exact; later ones stand higher.");
    assert!(!page.contains("logarithm") && !page.contains("error up to"), "{page}");
}

#[test]
fn the_course_and_what_became_of_the_candidates_are_there() {
    let page = body(&evolved());
    has(
        &page,
        "aria-label=\"The best after generation 39: exact: 1.30 times as fast; error up to 0.01: 1.45 times as fast\"",
    );
    has(&page, "<b>gen. 39</b><b>5200 tried</b><b>9 min</b>");
    has(&page, "</i><b>wrong</b> 120 candidates, 2.3 %: results are no numbers");
    has(&page, "style=\"flex:4001\" title=\"ran: 4001\">76.9 %</span>");
    for stage in crate::stages::STAGES {
        let row = format!(
            "<th scope=\"row\">{}</th><td class=\"text\">{}</td>",
            stage.about().name,
            stage.about().demand
        );
        has(&page, &row);
    }
}

#[test]
fn what_the_assembler_makes_of_a_patch_is_there_or_why_it_is_not() {
    let page = body(&evolved());
    has(
        &page,
        "<strong>54 to 50 instructions, 3 to 2 barriers, 30 to 27 arithmetic</strong> for <code>sm_90</code>",
    );
    has(&page, "<th scope=\"row\">barriers</th><td>3</td><td>2</td><td>−1</td>");
    assert_eq!(count(&page, "<th scope=\"row\">atomics</th>"), 0, "there are none");
    has(&page, "<del>-     BAR.SYNC.DEFER_BLOCKING 0x0</del>");
    has(&page, "<td>+1<small>barriers +1</small></td>");
    has(&page, "<td><small>not known</small></td>");
    has(&page, "It is not shown: there is no nvdisasm &lt;anywhere&gt;.");
    assert_eq!(count(&page, "machine code without it"), 1, "where it is known");
}

#[test]
fn genealogy_tells_when_edits_came_and_how_they_came_together() {
    let page = body(&evolved());
    has(&page, "<code>delete b12</code><small>first in generation 2, candidate 300</small>");
    has(&page, "aria-label=\"of 3: 1 in generation 2, 2 in generation 9, 3 in generation 20\"");
    let rows: Vec<usize> = ["delete b12", "move b30 before b22", "operand b41 slot 2 = 3"]
        .map(|edit| page.find(&format!("<code>{edit}</code><small>first")).expect(edit))
        .to_vec();
    assert!(rows.is_sorted(), "in the order in which they came");
}

#[test]
fn a_patch_is_explained_edit_by_edit() {
    let page = body(&evolved());
    has(&page, "<section class=\"function\" id=\"patch-1\"><h2>Patch 1: 1.28 times as fast, exact</h2>");
    has(&page, "3 edits, of 41 that the search had; it changes where threads wait for each other");
    has(
        &page,
        "<code>delete b12</code> <strong class=\"badge\">barrier</strong><code class=\"instruction\">bar.sync \t0;</code>",
    );
    has(&page, "<td>12.0 %</td><td>12.1 %</td><td class=\"text\">independent</td>");
    has(&page, "<td><small>cannot be made alone</small></td><td>9.0 %</td><td class=\"text\">epistatic</td>");
    has(&page, "style=\"--tint:100%\">+7.5</td>");
    has(&page, "class=\"less\" style=\"--tint:40%\">−3.0</td>");
    has(
        &page,
        "<code>n=4096 seed=7</code></th><td>2.00 <span class=\"unit\">ms</span></td><td>1.56 <span class=\"unit\">ms</span></td><td>1.28</td><td>exact</td>",
    );
    has(&page, "<li class=\"clean\"><b>racecheck</b>: nothing is wrong</li>");
    has(&page, "<li class=\"not-run\"><b>memcheck</b>: was not made: there is no compute-sanitizer</li>");
    has(&page, "<del>- \tbar.sync \t0;</del>");
    has(&page, "<span class=\"gap\">  … 120 lines</span>");
    has(&page, "patch of 0123");
}

#[test]
fn many_edits_have_a_list_of_pairs_instead_of_a_matrix() {
    let mut many = evolved();
    let edit = many.findings[0].edits[0].clone();
    many.findings[0].edits.resize(20, edit);
    let page = body(&many);
    has(&page, "<li>edits 2 and 3: +7.5 %</li>");
}

#[test]
fn nothing_is_drawn_that_is_no_number() {
    for kind in all_kinds() {
        let page = body(&kind);
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    }
}

#[test]
fn tags_are_closed_in_order_and_headings_go_down_a_level_at_a_time() {
    const VOID: [&str; 3] = ["meta", "wbr", "!DOCTYPE"];
    for kind in all_kinds() {
        let page = body(&kind);
        let mut open = vec!["html", "head"];
        for tag in page.split('<').skip(1).map(|rest| rest.split('>').next().expect("tags end")) {
            let name = tag.split([' ', '\n']).next().expect("tags have names");
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "in {tag}"),
                None if tag.ends_with('/') || VOID.contains(&name) => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
        let levels = page.split("<h").skip(1).filter_map(|rest| rest.chars().next()?.to_digit(10));
        let levels: Vec<u32> = levels.collect();
        assert!(
            levels[0] == 1 && levels.windows(2).all(|pair| pair[1] > 1 && pair[1] <= pair[0] + 1),
            "{levels:?}"
        );
    }
}

#[test]
fn pictures_are_told_and_what_is_wide_is_reached_by_keyboard() {
    let page = body(&evolved());
    for tag in page.split('<').filter(|tag| tag.starts_with("svg ")) {
        assert!(tag.contains("role=\"img\"") && tag.contains("aria-label=\""), "<{tag}");
    }
    for tag in page.split('<').filter(|tag| tag.starts_with("div class=\"wide")) {
        assert!(tag.contains("tabindex=\"0\"") && tag.contains("aria-label=\""), "<{tag}");
    }
    for at in page.match_indices("href=\"#").map(|(at, found)| at + found.len()) {
        let target = page[at..].split('"').next().expect("values end");
        has(&page, &format!("id=\"{target}\""));
    }
}

#[test]
fn every_text_is_escaped() {
    let evil = "\"><script>x='&'</script>".to_owned();
    let mut all = evolved();
    all.base.clone_from(&evil);
    (all.kernels, all.on) = (vec![evil.clone()], vec![evil.clone()]);
    all.original[0].0.clone_from(&evil);
    all.history.counts.failed.insert(evil.clone(), 600);
    all.lineages[0][0].edit.clone_from(&evil);
    let finding = &mut all.findings[0];
    finding.verdict = Verdict::Refused(evil.clone());
    finding.patch.clone_from(&evil);
    finding.edits[0].edit.clone_from(&evil);
    finding.edits[0].instructions = vec![evil.clone()];
    finding.test[0].case.clone_from(&evil);
    finding.checks[0].check.clone_from(&evil);
    finding.checks[0].outcome = CheckOutcome::Found(Objection::with(&evil, &evil));
    finding.checks[1].outcome = CheckOutcome::NotRun(evil.clone());
    finding.diff =
        vec![DiffLine::Both(evil.clone()), DiffLine::Removed(evil.clone()), DiffLine::Added(evil.clone())];
    if let Verdict::Accepted(crate::Contract::Approx { over, .. }) = &mut all.findings[1].verdict {
        over.clone_from(&evil);
    }
    let page = page(&evil, &all);
    assert!(!page.contains("<script") && !page.contains("\"\">"), "{page}");
    has(&page, "<h1><code>&quot;&gt;&lt;script&gt;x='&amp;'&lt;/script&gt;</code>, evolved</h1>");
}

#[test]
fn no_page_is_wider_than_its_screen() {
    for evolved in all_kinds() {
        assert_fits_narrow_screens(&page("hotspot", &evolved));
        for (number, finding) in (1..).zip(&evolved.findings) {
            assert_fits_narrow_screens(&super::finding_page("hotspot", number, finding, &evolved.on));
        }
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let page = page("hotspot", &evolved());
    for outside in ["http:", "https:", "url(", "@import", "<script", "<link", "<img", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_long_evolution_has_a_page_of_a_bounded_size() {
    let mut long = evolved();
    let scattered = |at: usize| {
        let (x, y) = ((at * 7919 % 1000) as f64, (at * 104_729 % 997) as f64);
        let fitness = Fitness { time_ns: 60_000.0 + 100.0 * x, error: 10f64.powf(-6.0 * y / 997.0) };
        crate::history::Attempt { fitness, edits: 1 }
    };
    long.history.tried.extend((0..100_000).map(scattered));
    let moment = long.history.moments[0].clone();
    long.history
        .moments
        .extend((40..50_000).map(|generation| crate::history::Moment { generation, ..moment.clone() }));
    long.lineages.iter_mut().flatten().for_each(|lineage| lineage.shares.resize(50_000, 0.3));
    long.together.iter_mut().for_each(|together| together.resize(50_000, 3));
    long.front = (0..5000)
        .map(|at| (Fitness { time_ns: 90_000.0 - f64::from(at), error: 1e-6 * f64::from(at) }, 3))
        .collect();
    let bytes = body(&long).len();
    assert!(bytes < 400_000, "{bytes} bytes");
}

/// Files of versions that proved nothing are still read.
#[test]
fn findings_without_a_ground_are_read() {
    let mut finding = serde_json::to_value(&evolved().findings[0]).unwrap();
    let ground = finding.as_object_mut().unwrap().remove("exactness");
    assert_eq!(ground, Some(serde_json::json!({ "proved": { "over": "all data with n=1" } })));
    assert_eq!(serde_json::from_value::<Finding>(finding).unwrap().exactness, None);
}
