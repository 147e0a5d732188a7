//! Pictures of figures: files beside the pages of the guide that show them.

mod chart;
mod foreign;

use nitro_page::Drawing;

use crate::Error;
use crate::blocks::paragraph;
use crate::figures::Figures;

/// What draws a picture.
type Draw = fn(&Figures) -> Result<Drawing, Error>;

/// Every picture, by its path beside the pages.
const PICTURES: [(&str, Draw); 5] = [
    ("transfer/convolutions.svg", foreign::convolutions),
    ("transfer/sources.svg", foreign::sources),
    ("transfer/sorts.svg", foreign::sorts),
    ("transfer/device-features.svg", foreign::device_features),
    ("transfer/distance.svg", foreign::distance),
];

/// Returns each picture's path from the root of the repository, and its file's text.
///
/// # Errors
/// When a figure is missing.
pub fn files(figures: &Figures) -> Result<Vec<(String, String)>, Error> {
    let mut files = Vec::with_capacity(PICTURES.len());
    for (name, draw) in PICTURES {
        let drawing = draw(figures).map_err(|error| format!("{name}: {error}"))?;
        files.push((format!("guide/src/{name}"), drawing.alone()));
    }
    Ok(files)
}

/// Returns what shows the picture of a name on a page: the words of who does not see it are its title. None where there
/// is no such picture.
///
/// # Errors
/// When a figure is missing.
pub fn shown(name: &str, figures: &Figures) -> Result<Option<String>, Error> {
    let Some((_, draw)) = PICTURES.iter().find(|(own, _)| *own == name) else { return Ok(None) };
    Ok(Some(paragraph(&format!("![{}]({name})", draw(figures)?.title))))
}

/// The names of all pictures.
pub fn names() -> impl Iterator<Item = &'static str> {
    PICTURES.iter().map(|(name, _)| *name)
}
