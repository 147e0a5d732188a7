use nitro_launch::{LaunchPlan, PlanError};

/// The text of a launch plan: refused with a sentence that can be shown, or launched for any sizes, which ends.
pub fn launch_plan(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let plan = match LaunchPlan::from_json(text) {
        Ok(plan) => plan,
        Err(error) => return assert!(!error.to_string().contains(char::is_control), "{error}"),
    };
    for size in [0, 1, 33, -7, i64::MIN, i64::MAX] {
        let sizes = vec![size; plan.sizes.len()];
        let mut launched = 0;
        // As many as show that each can be made.
        let end = plan.launches(&sizes, |launch| {
            let kernel = &plan.kernels[launch.kernel];
            assert!(launch.grid.iter().all(|blocks| (1..=i64::from(i32::MAX)).contains(blocks)));
            let sizes = sizes.len() + plan.products.len();
            assert_eq!(launch.integers.len(), sizes + kernel.host_iterators.len());
            launched += 1;
            let enough = || PlanError::Launches { plan: String::new(), most: launched };
            if launched < 1000 { Ok(()) } else { Err(enough()) }
        });
        drop((end, plan.integers(&sizes)));
    }
    assert_eq!(LaunchPlan::from_json(&plan.to_json()), Ok(plan), "what was read can be written");
}
