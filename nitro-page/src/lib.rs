//! Pages of Nitro: one kit for HTML documents, numbers, tables, plots and drawings.
//!
//! A [`document`] needs no script, link or file besides itself. It follows the reader's light or dark preference,
//! prints, fits a telephone, and says in text what it shows in colour. What only one page has, such as a figure of its
//! own, stays with that page, as does its style sheet.
//!
//! This crate knows no other crate of Nitro: pages give it plain numbers and names.
//!
//! ```
//! use maud::html;
//! use nitro_page::{Nanoseconds, Percent, document, wide};
//!
//! let times = html! { td { (Percent(0.973)) } td { (Nanoseconds(1250.0)) } };
//! let table = html! { table.numbers { tr { th scope="row" { "a < b" } (times) } } };
//! let page = document("Sizes", "", &html! { h1 { "Sizes" } (wide("", "sizes", &table)) });
//! assert!(page.contains("a &lt; b</th><td>97.3</td><td>1.25 <span class=\"unit\">µs</span></td>"));
//! ```

mod axis;
mod changes;
mod document;
mod drawing;
mod element;
mod mark;
mod number;
mod plot;

pub use self::axis::Axis;
pub use self::changes::{Change, changes, compared};
pub use self::document::document;
pub use self::drawing::{Drawing, LETTER, LINE, at, short, text_at, text_width};
pub use self::element::{anchor, choice, code_box, columns, list, name, on_demand, tint, wide};
pub use self::mark::{STYLES, mark};
pub use self::number::{Nanoseconds, Percent, number, plural, width};
pub use self::plot::{HEIGHT, Plot, Series, Tick, WIDTH, apart, path};
