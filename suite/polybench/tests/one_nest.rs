//! Every nest can be followed from its loops to its kernels, and what the guide shows of one is what the program
//! makes today.
//!
//! `UPDATE_EXPECT=1 cargo test -p nitro-polybench --features show --test one_nest` writes the guide's pictures
//! anew; read the difference.

mod support;

use std::path::{Path, PathBuf};

use nitro_cuda::{Executable, Options, device};
use nitro_nest::{Integers, Mapping, NestView, Occupancy};
use nitro_polybench::kernels;
use support::nest_of;

fn assert_shows_everything(view: &NestView) {
    let (program, schedule, page) = (view.program(), view.schedule(), view.page());
    // Where one launch runs several iterations, other kernels have the same statements for those that are left.
    for index in 0..program.nest.statements().len() {
        let kernels = program.kernels.iter().filter(|kernel| kernel.statements.contains(&index)).count();
        let shown = format!("─ S{index} ");
        assert!(kernels > 0, "S{index} has no kernel in\n{schedule}");
        assert_eq!(schedule.matches(&shown).count(), kernels, "{shown} in\n{schedule}");
    }
    for kernel in &program.kernels {
        assert!(schedule.contains(&format!("─ {} → blocks of", kernel.name)), "{schedule}");
        assert!(page.contains(&kernel.name));
    }
    assert!(page.contains("was not compiled") && view.text().contains("It was not compiled."));
}

#[test]
fn every_nest_can_be_followed() {
    for kernel in kernels() {
        assert_shows_everything(&NestView::new(&(kernel.nest)(), &Mapping::sane()).unwrap());
    }
    for name in ["gemm", "doitgen", "jacobi_2d"] {
        for (_, mapping) in Mapping::presets() {
            assert_shows_everything(&NestView::new(&nest_of(name), &mapping).unwrap());
        }
    }
    let fused = NestView::with_fused_loops(&nest_of("mvt"), &Mapping::sane()).unwrap();
    assert_shows_everything(&fused);
    assert!(fused.text().contains("\n- ") && fused.program().kernels.len() == 1, "{}", fused.text());
}

/// The files of the guide's page: their names and what is in them.
fn shown() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (name, pictures) in [
        ("gemm", &["dependences", "schedule", "tile-0"][..]),
        ("doitgen", &["dependences", "dependences-changed", "schedule"]),
    ] {
        let view = NestView::new(&nest_of(name), &Mapping::sane()).unwrap();
        let wanted = view.pictures().into_iter().filter(|picture| pictures.contains(&picture.name.as_str()));
        files.extend(wanted.map(|picture| (format!("{name}-{}.svg", picture.name), picture.svg)));
        files.push((format!("{name}-schedule.txt"), view.schedule()));
    }
    let naive = NestView::new(&nest_of("gemm"), &Mapping::naive().with_register_promotion()).unwrap();
    files.push(("gemm-naive.cu".to_owned(), naive.program().cuda(Integers::Bits32)));
    files
}

#[test]
fn the_guide_shows_what_the_program_makes() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide/src/one-nest");
    let page = include_str!("../../../guide/src/one-nest.md");
    let files = shown();
    assert_eq!(files.len(), 9);
    for (name, content) in files {
        let file = folder.join(&name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &content).unwrap();
        }
        let kept =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(kept == content, "{name} is not what the program makes: UPDATE_EXPECT=1 writes it anew");
        assert!(page.contains(&format!("one-nest/{name}")), "the page does not show {name}");
    }
}

/// What the page says of a multiprocessor is what its driver says.
#[test]
#[ignore = "needs a CUDA device"]
fn occupancy_is_what_the_driver_says() {
    let device = device(0).unwrap();
    let mut compared = 0;
    for kernel in kernels() {
        let nest = (kernel.nest)().with_temporaries().unwrap();
        let dependences = nest.dependences().unwrap();
        for (_, mapping) in Mapping::presets() {
            let plan = nest.map(&dependences, &mapping).plan();
            let image = Executable::image(&plan, Integers::Bits32, Options::for_device(device)).unwrap();
            let executable =
                Executable::new(plan, device).unwrap().with_image(Integers::Bits32, &image).unwrap();
            for (index, planned) in executable.plan().kernels.iter().enumerate() {
                let threads: u32 = planned.block.iter().product();
                let usage = image.usage(&planned.name).unwrap();
                let Some(occupancy) = Occupancy::of(usage, threads, device.architecture()) else { return };
                let loaded = executable.kernel(Integers::Bits32, index).unwrap();
                let blocks = loaded.max_blocks_per_multiprocessor(threads, 0);
                assert_eq!(occupancy.blocks as usize, blocks, "{} takes {usage:?}", planned.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 100);
}
