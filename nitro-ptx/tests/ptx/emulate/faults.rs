//! What goes wrong is found and named, in every order of threads.

use nitro_ptx::emulate::{Emulator, Fault, Launch, Launched, Memory, Options, Races};
use nitro_ptx::{Base, Module};

use super::support::{Bytes, emulator, kernels, launch, orders, pack, unpack};

/// All texts that lack one barrier of a kernel, and which.
fn without_one_barrier(module: &Module, kernel: &str) -> Vec<(String, Module)> {
    let base = Base::new(module.kernels(&[kernel]).unwrap());
    let barriers = |module: &Module| module.to_string().matches("bar.sync").count();
    let deleted = |number| {
        let patch = format!("patch of {}\ndelete b{number}\n", base.module().digest()).parse().unwrap();
        let edited = base.apply(&base.check(&patch).unwrap().edits).ok()?;
        (barriers(&edited) < barriers(base.module())).then(|| (format!("b{number}"), edited))
    };
    (0..base.module().instructions()).filter_map(deleted).collect()
}

/// What nobody has written is found earlier than some races.
fn looking_for_races() -> impl Iterator<Item = Options> {
    orders().map(|options| Options { uninitialised: false, ..options })
}

/// Runs each without one barrier: that is a race for all seeds, but for barriers that nothing needs.
fn check(kernel: &str, sizes: ([u32; 3], [u32; 3]), buffers: &[usize], numbers: &[i32], needless: usize) {
    let Some(module) = kernels() else { return };
    let edited = without_one_barrier(&module, kernel);
    assert!(edited.len() > needless, "{kernel} has barriers");
    let mut without_race = 0;
    for (barrier, text) in &edited {
        let emulator = Emulator::new(text).unwrap();
        let run = |options: Options| {
            let mut memory = Memory::new();
            let buffers = buffers
                .iter()
                .map(|&bytes| pack(&[memory.allocate((0..bytes).map(|at| (at % 251) as u8).collect())]));
            let mut parameters: Vec<Vec<u8>> = buffers.collect();
            parameters.extend(numbers.iter().map(|number| pack(&[*number])));
            launch(&emulator, kernel, sizes, &parameters, &mut memory, &options)
        };
        let races: Vec<bool> =
            looking_for_races().map(|options| matches!(run(options), Err(Fault::Race(_)))).collect();
        assert!(
            races.iter().all(|race| *race == races[0]),
            "{kernel} without {barrier} races for some seeds alone"
        );
        without_race += usize::from(!races[0]);
    }
    assert_eq!(without_race, needless, "{kernel}");
}

#[test]
fn a_reduction_without_its_barrier_races() {
    check("reduce", ([2, 1, 1], [128, 1, 1]), &[4000, 8], &[1000], 0);
}

#[test]
fn so_do_a_transpose_and_a_histogram() {
    check("transpose", ([2, 2, 1], [16, 16, 1]), &[2400, 2400], &[20, 30], 0);
    check("histogram", ([2, 1, 1], [96, 1, 1]), &[3000, 1024], &[3000], 0);
}

#[test]
fn so_do_a_product_and_a_stencil() {
    // Seven tiles: the compiler takes four at once, and three remain; after the last one nothing is written to
    // shared memory.
    check("multiply", ([2, 2, 1], [8, 8, 1]), &[12544; 3], &[56], 1);
    check("stencil", ([2, 1, 1], [128, 1, 1]), &[1024, 1024], &[256], 0);
}

/// After the last one each thread reads its own sum, and before that half of them add nothing to theirs.
#[test]
fn so_does_a_scan_but_for_its_last_two_barriers() {
    check("scan", ([1; 3], [256, 1, 1]), &[1024, 1024], &[], 2);
}

/// A kernel with one buffer, `%rd2`, and `%r1`, the index of the thread.
fn by_hand(body: &str) -> Emulator {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to)\n{{\n\
        .shared .align 4 .b8 tile[512];\n\
         .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n\
         add.s64 %rd4, %rd2, %rd3; mov.u32 %r2, %ctaid.x; mov.u32 %r3, tile; shl.b32 %r4, %r1, 2; \
         add.u32 %r5, %r3, %r4;\n{body}\nret;\n}}\n"
    );
    Emulator::new(&Module::parse(&text).unwrap()).unwrap_or_else(|unsupported| panic!("{unsupported}"))
}

/// Two blocks of 64 threads with a buffer of 256 bytes.
fn run(emulator: &Emulator, options: &Options) -> Result<(Launched, Vec<u32>), Fault> {
    let mut memory = Memory::new();
    let to = memory.allocate_uninitialised(256);
    let parameters = [to.to_bytes()];
    let launch =
        Launch { kernel: "k", grid: [2, 1, 1], block: [64, 1, 1], shared_bytes: 0, parameters: &parameters };
    emulator.launch(&launch, &mut memory, options).map(|launched| (launched, unpack(memory.bytes(to))))
}

/// The sentence for each order, which begins and ends as it should; the thread differs.
fn refused(body: &str, beginning: &str, end: &str) {
    let emulator = by_hand(body);
    for options in orders() {
        let uninitialised = end.ends_with("has written");
        let options = Options { max_instructions: 100_000, uninitialised, ..options };
        let sentence = run(&emulator, &options).map(|(launched, _)| launched).unwrap_err().to_string();
        assert!(sentence.starts_with(beginning) && sentence.ends_with(end), "{sentence}");
    }
}

#[test]
fn endless_loops() {
    refused(
        "again: bra again;",
        "b9 `bra` of thread (",
        "comes after 100000 instructions, and the launch has not ended",
    );
    let waits = "again: ld.volatile.global.u32 %r6, [%rd2]; setp.ne.u32 %p1, %r6, 7; @%p1 bra again;";
    let emulator = by_hand(&format!("st.volatile.global.u32 [%rd2], 1; {waits}"));
    for options in orders() {
        let options = Options { max_instructions: 100_000, ..options };
        assert!(matches!(run(&emulator, &options), Err(Fault::Endless { .. })));
    }
}

#[test]
fn what_is_out_of_bounds() {
    refused(
        "st.global.u32 [%rd4+4], %r1;",
        "b9 `st.global.u32` of thread (63, 0, 0) in block (",
        "where nothing is",
    );
    refused(
        "st.global.u32 [%rd4+-4], %r1;",
        "b9 `st.global.u32` of thread (0, 0, 0) in block (",
        "where nothing is",
    );
    refused(
        "ld.shared.u32 %r6, [%r5+260];",
        "b9 `ld.shared.u32` of thread (63, 0, 0) in block (",
        "touches 4 bytes at 0x200, where nothing is",
    );
    refused(
        "mov.u64 %rd5, 16; ld.u32 %r6, [%rd5];",
        "b10 `ld.u32` of thread (",
        "touches 4 bytes at 0x10, where nothing is",
    );
    refused(
        "ld.param.u32 %r6, [to+8];",
        "b9 `ld.param.u32` of thread (",
        "touches 4 bytes at 0x8, where nothing is",
    );
}

#[test]
fn what_is_misaligned() {
    refused(
        "ld.shared.v2.u32 {%r6, %r7}, [%r5];",
        "b9 `ld.shared.v2.u32` of thread (",
        ", which is not aligned for that",
    );
}

#[test]
fn what_nobody_has_written() {
    refused("ld.global.u32 %r6, [%rd4];", "b9 `ld.global.u32` of thread (", "which nobody has written");
    refused("ld.shared.u32 %r6, [%r5];", "b9 `ld.shared.u32` of thread (", "which nobody has written");
    refused(
        "st.shared.u16 [%r5], 1; ld.shared.u32 %r6, [%r5];",
        "b10 `ld.shared.u32` of thread (",
        "which nobody has written",
    );
    let local =
        ".local .align 8 .b8 own[8]; mov.u64 %rd5, own; st.local.u32 [%rd5], 1; ld.local.u64 %rd6, [own];";
    refused(local, "b11 `ld.local.u64` of thread (", "reads 8 bytes at 0x0, which nobody has written");
}

#[test]
fn barriers_that_not_all_come_to() {
    let half = "setp.lt.u32 %p1, %r1, 16; @%p1 bra first; bar.sync 0; bra.uni end; first: bar.sync 0; end:";
    refused(half, "b", ", which is another barrier");
    refused(
        "setp.eq.u32 %p1, %r1, 5; @%p1 bar.sync 1; bar.sync 0;",
        "b1",
        " threads come there, and the others never do",
    );
    refused("bar.sync 1, 96;", "b9 `bar.sync` of thread (", "there are no whole warps of the block");
    refused("setp.eq.u32 %p1, %r1, 5; @%p1 bra end; bar.warp.sync 0xffffffff; end: bar.sync 0;", "b1", "");
    refused("bar.sync 16;", "b9 `bar.sync` of thread (", "there is no barrier 16");
    refused(
        "shl.b32 %r6, 1, 5; bar.warp.sync %r6;",
        "b10 `bar.warp.sync` of thread (",
        "does not name itself",
    );
}

#[test]
fn traps_and_calls() {
    refused(
        "setp.eq.u32 %p1, %r1, 5; @%p1 trap;",
        "b10 `trap` of thread (5, 0, 0) in block (",
        "stops the kernel",
    );
}

#[test]
fn races_between_blocks() {
    let both = "st.global.u32 [%rd4], %r2;";
    refused(both, "b9 `st.global.u32` of thread (", "");
    let one = "setp.ne.u32 %p1, %r1, 62; @%p1 bra end; st.global.u32 [%rd4], %r2; end:";
    refused(one, "b11 `st.global.u32` of thread (62, 0, 0) in block (", " race for address 0x10000000f8");
}

/// PTX asks that nobody writes it while the kernel runs, be it the same thread.
#[test]
fn what_goes_by_the_read_only_path_races_with_every_write() {
    let own = |body: &str| by_hand(&format!("setp.ne.u32 %p1, %r2, 0; @%p1 bra end; {body} end:"));
    let store = "st.global.u32 [%rd4], %r1;";
    for (body, is_race) in [
        (format!("ld.global.nc.u32 %r6, [%rd4]; {store}"), true),
        (format!("{store} ld.global.nc.u32 %r6, [%rd4];"), true),
        (format!("{store} bar.sync 0; ld.global.nc.u32 %r6, [%rd2];"), true),
        ("ld.global.nc.u32 %r6, [%rd4]; red.global.add.u32 [%rd4], 1;".to_owned(), true),
        (format!("ld.global.u32 %r6, [%rd4]; {store} ld.global.u32 %r6, [%rd4];"), false),
        ("ld.global.nc.u32 %r6, [%rd4]; ld.global.u32 %r7, [%rd2];".to_owned(), false),
    ] {
        for options in looking_for_races() {
            let found = run(&own(&body), &options);
            assert_eq!(matches!(found, Err(Fault::Race(_))), is_race, "{body}: {found:?}");
        }
    }
}

#[test]
fn races_are_listed_if_that_is_wanted_and_those_without_difference_apart() {
    let list = |body: &str, same_value_races| {
        let emulator = by_hand(body);
        let options = Options { races: Races::Listed, same_value_races, ..Options::default() };
        let mut races = run(&emulator, &options).unwrap().0.races;
        races.sort_by_key(|race| (race.first.instruction, race.second.instruction));
        races
            .iter()
            .map(|race| {
                (race.first.instruction.to_string(), race.second.instruction.to_string(), race.is_same_value)
            })
            .collect::<Vec<_>>()
    };
    let own = |value: &str| vec![("b9".to_owned(), "b9".to_owned(), value == "same")];
    assert_eq!(list("st.global.u32 [%rd4], %r2;", false), own("other"));
    // Both blocks write the same, of which the first write changes something.
    assert_eq!(list("st.global.u32 [%rd4], 7;", false), []);
    assert_eq!(list("st.global.u32 [%rd4], 7;", true), own("same"));
    // Which of the two comes first differs from thread to thread.
    let pairs = list("atom.global.add.u32 %r6, [%rd2], 1; ld.global.u32 %r7, [%rd2];", false);
    assert!(!pairs.is_empty() && pairs.iter().all(|(first, second, _)| first != second), "{pairs:?}");
    assert_eq!(list("st.volatile.global.u32 [%rd4], %r2; ld.relaxed.gpu.global.u32 %r7, [%rd4];", true), []);
    assert_eq!(list("red.shared.add.u32 [%r3], 1; bar.sync 0; ld.shared.u32 %r7, [%r3];", true), []);
}

#[test]
fn threads_of_a_warp_race_where_nothing_orders_them() {
    let neighbour = |between: &str| {
        format!(
            "st.shared.u32 [%r5], %r1; {between} xor.b32 %r6, %r4, 4; add.u32 %r6, %r3, %r6; ld.shared.u32 %r7, [%r6];"
        )
    };
    for (between, is_race) in [
        ("", true),
        ("shfl.sync.idx.b32 %r8, %r1, 0, 31, 0xffffffff;", true),
        ("bar.warp.sync 0xffffffff;", false),
        ("setp.lt.u32 %p1, %r1, 99; @%p1 bar.warp.sync -1;", false),
        ("and.b32 %r9, %r1, 31; and.b32 %r10, %r9, 28; shl.b32 %r11, 15, %r10; bar.warp.sync %r11;", false),
        ("and.b32 %r9, %r1, 31; shl.b32 %r11, 1, %r9; bar.warp.sync %r11;", true),
        ("bar.sync 0;", false),
        ("bar.sync 3, 64;", false),
        ("bar.arrive 3, 96; bar.sync 4, 32;", true),
    ] {
        let emulator = by_hand(&neighbour(between));
        for options in looking_for_races() {
            let found = run(&emulator, &options);
            let is_found = matches!(found, Err(Fault::Race(_)));
            let is_deadlock = matches!(found, Err(Fault::Barrier { .. }));
            assert!(is_found == is_race || is_deadlock && between.contains("arrive"), "{between}: {found:?}");
        }
    }
}

/// One warp writes for the other, which says when it has read: `bar.arrive` orders too.
#[test]
fn named_barriers_order_those_who_take_part() {
    let pairs = |arrive: &str| {
        format!(
            "setp.lt.u32 %p1, %r1, 32; @%p1 bra write; bar.sync 1, 64; ld.shared.u32 %r7, [%r5+-128]; bra end;\n\
             write: st.shared.u32 [%r5], %r1; {arrive} end:"
        )
    };
    for options in looking_for_races() {
        let ordered = run(&by_hand(&pairs("bar.arrive 1, 64;")), &options);
        assert!(ordered.is_ok(), "{ordered:?}");
        let late = "bar.arrive 1, 64; st.shared.u32 [%r5], 5;";
        let found = run(&by_hand(&pairs(late)), &options);
        assert!(matches!(found, Err(Fault::Race(_))), "{found:?}");
    }
}

/// As in a reduction whose last block adds up what all have written.
#[test]
fn blocks_that_tell_each_other() {
    let last = |fence: &str, meet: &str| {
        format!(
            ".shared .align 4 .b8 flag[4]; setp.eq.u32 %p1, %r1, 5; shl.b32 %r6, %r2, 2; cvt.u64.u32 %rd5, \
            %r6; add.u64 %rd6, %rd2, %rd5;\n\
             @%p1 st.global.u32 [%rd6+64], %r2; {meet} setp.ne.u32 %p2, %r1, 0; @%p2 bra joined; {fence}\n\
             atom.global.add.u32 %r8, [%rd2], 1; st.shared.u32 [flag], %r8;\n\
             joined: bar.sync 0; ld.shared.u32 %r9, [flag]; setp.ne.u32 %p3, %r9, 7; @%p3 bra end;\n\
             setp.gt.u32 %p4, %r1, 7; @%p4 bra end; ld.global.u32 %r10, [%rd4+64]; end: mov.u32 %r11, 0;"
        )
    };
    let run = |text: &str, options: &Options| {
        let mut memory = Memory::new();
        let parameters = [memory.allocate(vec![0; 512]).to_bytes()];
        let launch = Launch {
            kernel: "k",
            grid: [8, 1, 1],
            block: [64, 1, 1],
            shared_bytes: 0,
            parameters: &parameters,
        };
        by_hand(text).launch(&launch, &mut memory, options)
    };
    for options in looking_for_races() {
        let told = run(&last("membar.gl;", "bar.sync 0;"), &options);
        assert!(told.is_ok(), "{told:?}");
        let released = last("", "bar.sync 0;").replace("atom.global.add", "atom.acq_rel.gpu.global.add");
        assert!(run(&released, &options).is_ok());
        for (fence, meet) in [("", "bar.sync 0;"), ("membar.gl;", "")] {
            let found = run(&last(fence, meet), &options);
            assert!(matches!(found, Err(Fault::Race(_))), "{fence} {meet}: {found:?}");
        }
    }
}

#[test]
fn launches_that_do_not_fit() {
    let emulator = by_hand("");
    let sentence = |launch: &Launch, max_instructions| {
        let options = Options { max_instructions, ..Options::default() };
        emulator.launch(launch, &mut Memory::new(), &options).unwrap_err().to_string()
    };
    let parameters = [vec![0; 8]];
    let fits = Launch { kernel: "k", grid: [1; 3], block: [1; 3], shared_bytes: 0, parameters: &parameters };
    let cases = [
        (Launch { kernel: "l", ..fits }, "there is no kernel `l`"),
        (Launch { parameters: &[], ..fits }, "`k` takes parameters of [8] bytes and was given []"),
        (Launch { parameters: &[vec![0; 4]], ..fits }, "`k` takes parameters of [8] bytes and was given [4]"),
        (Launch { block: [1025, 1, 1], ..fits }, "there are no blocks of [1025, 1, 1] threads"),
        (Launch { grid: [0, 1, 1], ..fits }, "there are no grids of [0, 1, 1] blocks"),
        (Launch { shared_bytes: 1 << 20, ..fits }, "`k` takes more than 232448 bytes of shared memory"),
        (
            Launch { grid: [1_000_000, 1, 1], ..fits },
            "a grid of [1000000, 1, 1] blocks takes more than 1000 instructions",
        ),
    ];
    for (launch, expected) in cases {
        assert_eq!(sentence(&launch, 1000), expected);
    }
}

/// What waits for a block that begins later comes to its end, as on a device where both fit.
#[test]
fn blocks_that_wait_for_each_other() {
    let meet = "setp.ne.u32 %p1, %r1, 0; @%p1 bra end; atom.global.add.u32 %r6, [%rd2], 1;\n\
        again: ld.volatile.global.u32 %r6, [%rd2]; setp.lt.u32 %p2, %r6, 40; @%p2 bra again; end:";
    let emulator = by_hand(meet);
    for options in orders() {
        let mut memory = Memory::new();
        let parameters = [memory.allocate(vec![0; 256]).to_bytes()];
        let launch = Launch {
            kernel: "k",
            grid: [40, 1, 1],
            block: [64, 1, 1],
            shared_bytes: 0,
            parameters: &parameters,
        };
        emulator.launch(&launch, &mut memory, &options).unwrap();
    }
}

/// Threads of one warp may wait for each other, since each goes on by itself.
#[test]
fn threads_of_a_warp_that_wait_for_each_other() {
    let lock = "and.b32 %r6, %r1, 31; setp.ne.u32 %p1, %r6, 9;\n\
        again: ld.volatile.shared.u32 %r7, [%r3]; setp.eq.u32 %p2, %r7, 7; @%p2 bra end; @%p1 bra again;\n\
        st.volatile.shared.u32 [%r3], 7; end: mov.u32 %r8, 1;";
    let emulator = by_hand(lock);
    for options in orders() {
        let done = run(&emulator, &Options { uninitialised: false, max_instructions: 1 << 20, ..options });
        assert!(done.is_ok(), "{done:?}");
    }
}

#[test]
fn a_kernel_that_was_not_edited_is_not_refused() {
    let Some(module) = kernels() else { return };
    let emulator = emulator(&module, "scan");
    let mut memory = Memory::new();
    let parameters = [memory.allocate(vec![1; 1024]), memory.allocate(vec![0; 1024])].map(Bytes::to_bytes);
    for options in orders() {
        let options = Options { same_value_races: true, ..options };
        launch(&emulator, "scan", ([1; 3], [256, 1, 1]), &parameters, &mut memory, &options).unwrap();
    }
}
