//! A plan that is read names only what it has, within what a device takes; what it launches is what its loops and
//! grids say.

use nitro_launch::{
    Affine, Element, Extent, Host, Integers, LaunchPlan, PlanError, PlannedArray, PlannedIndices,
    PlannedKernel, PlannedPtx, Range, SizeProduct, Storage, Variable,
};
use serde_json::{Value, json};

const N: Variable = Variable::Parameter(0);
const T: Variable = Variable::Iterator(0);

fn extent(upper: impl Into<Affine>) -> Extent {
    Extent { lower: vec![Affine::from(0)], upper: vec![upper.into()], step: 1 }
}

/// `for t in 0..m { shift(t); }`, over rows of `n` elements, with a temporary.
fn shift() -> LaunchPlan {
    let (n, m) = (Affine::from(N), Affine::from(Variable::Parameter(1)));
    let range =
        Range { iterator: 0, lower: vec![Affine::from(0)], upper: vec![m], step: 1, is_reversed: false };
    let array = |name: &str, shape| PlannedArray {
        name: name.into(),
        shape,
        is_written: true,
        storage: Storage::Number,
    };
    LaunchPlan {
        name: "shift".into(),
        sizes: vec!["n".into(), "m".into()],
        products: vec![],
        scalars: vec!["by".into()],
        element: Element::F32,
        indices: vec![],
        arrays: vec![array("x", vec![n.clone()])],
        temporaries: vec![array("old", vec![n.clone() - 1])],
        iterators: vec!["t".into(), "i".into()],
        kernels: vec![PlannedKernel {
            name: "shift_0".into(),
            part: "0".into(),
            host_iterators: vec![0],
            grid: vec![extent(n - T)],
            block: [32, 1, 1],
            points: [2, 1, 1],
            shared_bytes: 0,
        }],
        host: vec![Host::Loop(range, vec![Host::Launch(0)])],
        contracts: true,
        target: None,
        cuda: "extern \"C\" __global__ void shift_0(nitro_int n, nitro_int m, nitro_int t, float by, float* x, float* old) {}".into(),
        ptx: None,
        origin: "by hand".into(),
    }
}

/// A grid, and the integers that its kernel takes.
type One = ([i64; 3], Vec<i64>);

fn launches(plan: &LaunchPlan, sizes: &[i64]) -> Result<Vec<One>, PlanError> {
    let mut all = Vec::new();
    plan.launches(sizes, |launch| {
        all.push((launch.grid, launch.integers.clone()));
        Ok::<(), PlanError>(())
    })?;
    Ok(all)
}

#[test]
fn launches_are_those_of_the_loops_and_cover_each_value() {
    let all = launches(&shift(), &[130, 4]).unwrap();
    let grids: Vec<i64> = all.iter().map(|(grid, _)| grid[0]).collect();
    assert_eq!(grids, [3, 3, 2, 2], "130, 129, 128 and 127 values, 64 a block");
    assert_eq!(all[2].1, [130, 4, 2]);
    assert_eq!(launches(&shift(), &[2, 4]).unwrap().len(), 2, "where there is no value there is no launch");
    assert_eq!(launches(&shift(), &[130, 0]).unwrap(), []);
}

#[test]
fn shapes_and_integers_are_those_of_the_sizes() {
    let plan = shift();
    assert_eq!(plan.shapes(&[5, 1]).unwrap(), [[5], [4]]);
    assert_eq!(plan.shapes(&[0, 1]).unwrap(), [[0], [0]], "of a temporary there may be nothing");
    assert_eq!(plan.integers(&[1 << 20, 3]), Ok(Integers::Bits32));
    assert_eq!(plan.integers(&[1 << 20, 1 << 31]), Ok(Integers::Bits64));
    assert_eq!(plan.integers(&[1 << 30, 1]), Ok(Integers::Bits64));
    for (sizes, error) in [
        (&[1][..], "`shift` takes 2 sizes and was given 1"),
        (&[-3, 1], "the array `x` cannot have the shape [-3]"),
        (&[i64::MAX, 1], "the array `x` cannot have the shape [9223372036854775807]"),
    ] {
        assert_eq!(plan.shapes(sizes).unwrap_err().to_string(), error);
    }
}

#[test]
fn more_blocks_or_launches_than_possible_are_refused() {
    let mut plan = shift();
    plan.kernels[0].grid = vec![extent(1), extent(N)];
    assert_eq!(launches(&plan, &[65_535, 1]).unwrap()[0].0, [1, 65_535, 1]);
    plan.kernels[0].grid = vec![extent(N), extent(N)];
    let error = launches(&plan, &[64 * 65_536, 1]).unwrap_err().to_string();
    assert!(
        error.starts_with("kernel `shift_0` takes [65536, 4194304, 1] blocks along x, y and z"),
        "{error}"
    );
    let most = 64 * i64::from(i32::MAX);
    assert!(launches(&shift(), &[most, 1]).is_ok());
    assert!(matches!(launches(&shift(), &[most + 1, 1]), Err(PlanError::Grid { .. })));
    let mut launched = 0_u64;
    let count = |_: &nitro_launch::Launch| {
        launched += 1;
        Ok::<(), PlanError>(())
    };
    let endless = shift().launches(&[1 << 30, i64::MAX], count);
    assert!(matches!(endless, Err(PlanError::Launches { .. })) && launched < 1 << 20, "{endless:?}");
}

#[test]
fn rows_beyond_what_a_device_has_along_y_are_launched_along_x() {
    let (rows, columns) = (70_000, 128);
    let mut plan = shift();
    plan.kernels[0].grid = vec![extent(Variable::Parameter(1)), extent(N)];
    plan.kernels[0].host_iterators.clear();
    plan.host = vec![Host::Launch(0)];
    let mut turned = Vec::new();
    let launched = plan.launches(&[rows, columns], |launch| {
        let first = launch.first_axis().unwrap();
        turned.push((launch.grid, first, launch.turned_grid(first)));
        Ok::<(), PlanError>(())
    });
    assert_eq!((launched, turned), (Ok(()), vec![([2, rows, 1], 1, [rows, 2, 1])]));
    plan.cuda = "a = blockIdx.y * gridDim.x;".into();
    assert_eq!(plan.turned(0), plan, "what fits is launched as it is");
    let text = plan.turned(1).cuda;
    assert!(
        text.ends_with(&format!("#line 1\n{}", plan.cuda)) && text.contains("turned.x = of.y;"),
        "{text}"
    );
    let text = ".target sm_90\n.entry shift_0\nmov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.z;\n";
    let ptx = PlannedPtx { integers: Integers::Bits32, text: text.into() };
    let turned = plan.with_ptx(ptx).unwrap().turned(2).ptx.unwrap().text;
    assert!(turned.ends_with("%r1, %ctaid.z; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;\n"), "{turned}");
}

#[test]
fn plans_that_older_versions_would_take_for_others_are_of_another_format() {
    let n = Affine::from(N);
    let ids = PlannedIndices { name: "ids".into(), shape: vec![n.clone(), 2.into()], below: vec![n] };
    let double = LaunchPlan { element: Element::F64, ..shift() };
    let reading = LaunchPlan { indices: vec![ids.clone()], ..shift() };
    let mut half = shift();
    half.arrays[0].storage = Storage::F16;
    for plan in [double, reading.clone(), half] {
        let text = plan.to_json();
        assert!(text.starts_with("{\"format\":3,"), "{text}");
        assert_eq!(LaunchPlan::from_json(&text).as_ref(), Ok(&plan));
        let older = LaunchPlan::from_json(&text.replacen('3', "1", 1)).unwrap_err().to_string();
        assert!(older.contains("one of `f64`, with subscripts or 16 bits 3"), "{older}");
    }
    assert!(
        !shift().to_json().contains("element")
            && !shift().to_json().contains("storage")
            && !shift().to_json().contains("indices")
    );
    assert_eq!(reading.index_shapes(&[5, 1]), Ok(vec![vec![5, 2]]));
    assert_eq!(
        reading.integers(&[1 << 29, 1]),
        Ok(Integers::Bits64),
        "of subscripts there are twice as many"
    );
    let namesake = PlannedIndices { name: "x".into(), ..ids.clone() };
    let unknown = PlannedIndices { below: vec![Variable::Parameter(7).into()], ..ids };
    for (indices, expected) in
        [(namesake, "two arrays have one name"), (unknown, "a bound of `ids` names a size")]
    {
        let error = LaunchPlan { indices: vec![indices], ..shift() }.check().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn products_count_as_sizes_that_come_after_the_others() {
    let product = |factors| SizeProduct { name: "n_m".into(), factors };
    let mut plan = LaunchPlan { products: vec![product([0, 1])], ..shift() };
    plan.arrays[0].shape = vec![Affine::from(Variable::Parameter(2))];
    plan.kernels[0].grid = vec![extent(Variable::Parameter(2))];
    assert_eq!(LaunchPlan::from_json(&plan.to_json()), Ok(plan.clone()));
    assert_eq!(plan.shapes(&[5, 3]).unwrap(), [[15], [4]]);
    assert_eq!(launches(&plan, &[50, 2]).unwrap()[1], ([2, 1, 1], vec![50, 2, 100, 1]));
    assert_eq!(plan.integers(&[1 << 16, 1 << 15]), Ok(Integers::Bits64));
    let error = plan.shapes(&[-5, -3]).unwrap_err().to_string();
    assert_eq!(error, "the array `x` cannot have the shape [-1]", "two negative sizes make no sound one");
    assert!(plan.shapes(&[i64::MAX, 2]).is_err(), "no overflow");
    plan.products = vec![product([0, 2])];
    assert!(refusal(&plan.to_json()).contains("a product is of a size that there is not"));
    plan.products = vec![SizeProduct { name: "n".into(), ..product([0, 0]) }];
    assert!(refusal(&plan.to_json()).contains("two sizes have one name"));
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let plan = shift();
    let text = plan.to_json();
    assert!(text.starts_with("{\"format\":1,") && !text.contains('\n'), "{text}");
    assert_eq!(LaunchPlan::from_json(&text), Ok(plan));
}

#[test]
fn a_plan_may_leave_out_how_it_was_made() {
    let mut json: Value = serde_json::from_str(&shift().to_json()).unwrap();
    json.as_object_mut().unwrap().remove("origin");
    let read = LaunchPlan::from_json(&json.to_string()).unwrap();
    assert_eq!(read, LaunchPlan { origin: String::new(), ..shift() });
}

/// The text of the plan with a value in another's place.
fn changed(path: &str, value: Value) -> String {
    let mut json: Value = serde_json::from_str(&shift().to_json()).unwrap();
    *json.pointer_mut(path).unwrap_or_else(|| panic!("there is no {path}")) = value;
    json.to_string()
}

fn refusal(text: &str) -> String {
    LaunchPlan::from_json(text).unwrap_err().to_string()
}

#[test]
fn what_is_no_plan_is_refused() {
    for (text, reason) in [
        ("", "this is no launch plan: EOF"),
        ("{}", "this is no launch plan: missing field `format`"),
        ("{\"format\":1}", "this is no launch plan: missing field `name`"),
        ("{\"format\":4}", "this launch plan is of format 4, and this version reads formats up to 3"),
    ] {
        assert!(refusal(text).starts_with(reason), "{}", refusal(text));
    }
    let long = format!("{{\"format\":1}}{}", " ".repeat(17 << 20));
    assert!(refusal(&long).contains("more than 16777216 bytes"));
}

#[test]
fn a_plan_that_contradicts_itself_is_refused() {
    let unknown = json!({"terms": [[{"Parameter": 2}, 1]], "constant": 0});
    let block = json!({"terms": [[{"Block": 0}, 1]], "constant": 0});
    let inner = json!({"terms": [[{"Iterator": 1}, 1]], "constant": 0});
    let twice = json!({"terms": [[{"Parameter": 0}, 1], [{"Parameter": 0}, 1]], "constant": 0});
    let grid = "/kernels/0/grid/0";
    let host = "/host/0/Loop/0";
    let many: Vec<String> = (0..61).map(|index| format!("s{index}")).collect();
    for (path, value, reason) in [
        ("/name".to_owned(), json!("a\u{1b}[31m"), "a plan has no name"),
        ("/sizes/0".into(), json!(""), "a size has no name"),
        ("/sizes/0".into(), json!("m"), "two sizes have one name"),
        ("/temporaries/0/name".into(), json!("x"), "two arrays have one name"),
        ("/scalars".into(), json!(many), "kernel `shift_0` has more than 64 arguments"),
        (
            "/arrays/0/shape/0".into(),
            unknown.clone(),
            "the shape of `x` names a size or an iterator that there is not",
        ),
        ("/arrays/0/shape/0".into(), inner.clone(), "the shape of `x` names"),
        ("/arrays/0/shape/0".into(), twice, "the shape of `x` names a variable twice"),
        ("/kernels/0/block".into(), json!([0, 1, 1]), "kernel `shift_0` has blocks of [0, 1, 1] threads"),
        ("/kernels/0/block".into(), json!([64, 32, 1]), "kernel `shift_0` has blocks of [64, 32, 1] threads"),
        ("/kernels/0/block".into(), json!([1, 1, 128]), "kernel `shift_0` has blocks of [1, 1, 128] threads"),
        (
            "/kernels/0/block".into(),
            json!([4_294_967_295u32, 4_294_967_295u32, 1]),
            "kernel `shift_0` has blocks",
        ),
        ("/kernels/0/points".into(), json!([0, 1, 1]), "kernel `shift_0` has threads of [0, 1, 1] points"),
        ("/kernels/0/grid".into(), json!([]), "kernel `shift_0` has a grid of 0 dimensions"),
        (format!("{grid}/step"), json!(0), "the grid of kernel `shift_0` goes in steps of 0"),
        (format!("{grid}/lower"), json!([]), "the grid of kernel `shift_0` has no bounds"),
        (format!("{grid}/upper/0"), block, "the grid of kernel `shift_0` names"),
        (format!("{grid}/upper/0"), inner.clone(), "the grid of kernel `shift_0` names"),
        (
            "/kernels/0/host_iterators".into(),
            json!([0, 1]),
            "kernel `shift_0` takes an iterator of a loop that is not around its launch",
        ),
        ("/host/0/Loop/1/0/Launch".into(), json!(1), "it launches kernel 1 of 1"),
        (format!("{host}/iterator"), json!(2), "a loop of the host has iterator 2, which there is not"),
        (format!("{host}/upper/0"), unknown, "a loop of the host names"),
        (format!("{host}/upper/0"), inner, "a loop of the host names"),
        (format!("{host}/step"), json!(-1), "a loop of the host goes in steps of -1"),
        ("/cuda".into(), json!("\u{0}"), "its text contains a zero byte"),
        ("/origin".into(), json!("o".repeat(65_537)), "what it says of its origin has more than 65536 bytes"),
    ] {
        let found = refusal(&changed(&path, value));
        assert!(found.starts_with("the launch plan of `") && found.contains(reason), "{path}: {found}");
        assert!(!found.contains('\u{1b}'), "what is shown obeys no terminal");
    }
}

#[test]
fn hosts_are_no_deeper_and_longer_than_a_program_is() {
    let mut plan = shift();
    let Host::Loop(_, body) = &mut plan.host[0] else { panic!("a loop comes first") };
    *body = vec![Host::Launch(0); 5000];
    let found = refusal(&plan.to_json());
    assert!(found.contains("more than 4096 loops and launches"), "{found}");
    let mut plan = shift();
    plan.iterators = (0..40).map(|index| format!("i{index}")).collect();
    let Host::Loop(range, _) = plan.host[0].clone() else { panic!("a loop comes first") };
    let nested = |iterator| Range { iterator, ..range.clone() };
    for (depth, reason) in [(17, "more than 16 loops around each other"), (200, "recursion limit exceeded")] {
        let around = |body, index| vec![Host::Loop(nested(index), body)];
        plan.host = (0..depth).rev().fold(vec![Host::Launch(0)], around);
        let found = refusal(&plan.to_json());
        assert!(found.contains(reason), "{found}");
    }
}

const PTX: &str = ".version 8.7\n.target sm_90a, debug // as NVRTC wrote it\n.address_size 64\n.visible .entry shift_0(\n) { ret; }";

fn with_ptx(text: &str, integers: Integers) -> Result<LaunchPlan, PlanError> {
    shift().with_ptx(PlannedPtx { integers, text: text.into() })
}

#[test]
fn a_plan_of_ptx_is_read_as_it_was_written_and_refused_by_who_knows_none() {
    let plan = with_ptx(PTX, Integers::Bits32).unwrap();
    let text = plan.to_json();
    assert!(text.starts_with("{\"format\":2,"), "{text}");
    assert_eq!(LaunchPlan::from_json(&text), Ok(plan));
    let older = text.replacen("\"format\":2", "\"format\":1", 1);
    assert!(refusal(&older).contains("a plan with PTX has format 2"), "{}", refusal(&older));
}

#[test]
fn ptx_that_is_not_of_the_plan_is_refused() {
    let wrong = |text: &str| with_ptx(text, Integers::Bits32).unwrap_err().to_string();
    for (text, reason) in [
        ("", "does not say `.target sm_90`"),
        (".target sm_x\n.entry shift_0()", "does not say `.target sm_90`"),
        (".target sm_90\n.visible .entry shift_01() {}", "its PTX has no `.entry shift_0`"),
        (".target sm_90\n.entry shift_0() {}\0", "its PTX contains a zero byte"),
    ] {
        assert!(wrong(text).contains(reason), "{}", wrong(text));
    }
    let both = LaunchPlan { cuda: "//".into(), ..with_ptx(PTX, Integers::Bits32).unwrap() };
    assert!(both.check().unwrap_err().to_string().contains("both CUDA C++ and PTX"));
}

#[test]
fn ptx_is_for_its_devices_alone() {
    let runs = |target: &str, architecture| {
        let text = PTX.replace("sm_90a", target);
        with_ptx(&text, Integers::Bits32).unwrap().runs_on(architecture).is_ok()
    };
    for (target, on, not_on) in [
        ("sm_90", [90, 100, 120], [75, 89]),
        ("sm_90a", [90; 3], [89, 100]),
        ("sm_100f", [100, 100, 103], [90, 120]),
    ] {
        assert!(on.iter().all(|architecture| runs(target, *architecture)), "{target}");
        assert!(not_on.iter().all(|architecture| !runs(target, *architecture)), "{target}");
    }
    assert!(shift().runs_on(30).is_ok(), "a compiler makes of CUDA C++ what the device takes");
}

#[test]
fn ptx_counts_in_its_own_integers() {
    let [small, large] =
        [Integers::Bits32, Integers::Bits64].map(|integers| with_ptx(PTX, integers).unwrap());
    let sizes = [1 << 31, 1];
    assert_eq!(small.integers(&[9, 1]), Ok(Integers::Bits32));
    assert_eq!(large.integers(&[9, 1]), Ok(Integers::Bits64));
    assert_eq!(large.integers(&sizes), Ok(Integers::Bits64));
    let error = small.integers(&sizes).unwrap_err().to_string();
    assert!(error.starts_with("the PTX of `shift` counts in 32 bits, and these sizes take 64"), "{error}");
}
