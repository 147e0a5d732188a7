//! What the models at hand choose for some matrices, and what a call of it runs: `choose ROWSxCOLUMNS...`

use std::error::Error;

use nitro_tuning::transpose;

fn main() -> Result<(), Box<dyn Error>> {
    for shape in std::env::args().skip(1) {
        let (rows, columns) = shape.split_once('x').ok_or("a shape is written ROWSxCOLUMNS")?;
        let (rows, columns): (usize, usize) = (rows.parse()?, columns.parse()?);
        let (from, mut into) = (vec![1.0; rows * columns], vec![0.0; rows * columns]);
        println!("{shape}: {}", transpose::select(&from, rows, &mut into));
        transpose(&from, rows, &mut into);
        assert_eq!(from, into);
    }
    print!("{}", nitro::stats());
    Ok(())
}
