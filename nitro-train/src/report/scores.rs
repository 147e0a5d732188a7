//! What the selectors achieved on this machine.

use super::data::Score;
use super::html::{Escaped, Percent, wide, width};

pub(super) fn part(scores: &[Score]) -> String {
    if scores.is_empty() {
        return String::new();
    }
    let rows: String = scores.iter().map(row).collect();
    let open = wide("bars", "Share of exhaustive search on this machine");
    format!(
        "<h3>Share of exhaustive search on this machine</h3>\n{open}<table class=\"numbers scores\">\n\
         <thead><tr><th scope=\"col\">selector</th><th scope=\"col\">mean %</th>\
         <td class=\"bar-head\" aria-hidden=\"true\"><span>0</span><span>50</span><span>100</span></td>\
         <th scope=\"col\">5th percentile</th><th scope=\"col\">worst input</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn row(score: &Score) -> String {
    let class = if score.highlighted { " class=\"own\"" } else { "" };
    let description = match score.description.as_str() {
        "" => String::new(),
        text => format!("<small>{}</small>", Escaped(text)),
    };
    format!(
        "<tr{class} style=\"--share:{width}%\"><th scope=\"row\">{name}{description}</th><td class=\"mean\">{mean}</td>\
         <td class=\"bar\" aria-hidden=\"true\"><span></span></td>\
         <td>{p05}</td><td>{worst}</td></tr>\n",
        name = Escaped(&score.selector),
        mean = Percent(score.mean),
        width = width(score.mean),
        p05 = Percent(score.p05),
        worst = Percent(score.worst),
    )
}
