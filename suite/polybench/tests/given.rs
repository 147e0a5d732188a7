//! Mappings that someone wrote down are read, or it is said what is wrong with them.

use std::fs;

use nitro_nest::{Mapping, Tiling};
use nitro_polybench::given::read;

fn read_text(name: &str, text: &str) -> Result<Vec<(usize, Mapping)>, String> {
    let file = std::env::temp_dir().join(format!("nitro-given-{}-{name}.jsonl", std::process::id()));
    fs::write(&file, text).unwrap();
    let given = read(&file);
    fs::remove_file(&file).unwrap();
    given
}

#[test]
fn a_line_is_a_tiling_or_a_mapping() {
    let mapping = serde_json::to_string(&Mapping::ppcg_default()).unwrap();
    let given =
        read_text("both", &format!("{{\"block\": [16, 16, 1], \"inner\": 8}}\n\n{mapping}\n")).unwrap();
    let tiling = Tiling { block: [16, 16, 1], tile_k: 8, ..Tiling::default() };
    let usual = [tiling.clone(), tiling.clone(), tiling];
    assert_eq!(given, [(1, Mapping::sane().with_usual_tilings(usual)), (3, Mapping::ppcg_default())]);
}

#[test]
fn what_is_neither_is_named_by_its_line() {
    for (text, wrong) in [
        ("{\"block\": [16, 16, 1]}\n{\"blocks\": 3}", "line 2: no tiling: unknown field `blocks`"),
        ("{\"block\": [64, 64, 1]}", "line 1: write a block of 1 to 1024 threads"),
        ("{\"points\": [4, 0, 1]}", "no axis without points"),
        ("{\"schedule\": 1}", "line 1: no mapping: "),
        ("16x16", "line 1: "),
    ] {
        let error = read_text("wrong", text).unwrap_err();
        assert!(error.contains(wrong), "{error}");
    }
    assert!(read("no/such/file".as_ref()).unwrap_err().starts_with("no/such/file: "));
}
