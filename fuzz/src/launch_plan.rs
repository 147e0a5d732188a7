use nitro_launch::{LaunchPlan, PlanError};

use crate::assert_printable;

/// Launches of a plan that are checked; a plan may have billions.
const MAX_LAUNCHES: u64 = 1000;

/// Reads a launch plan and launches it for any sizes, which ends, or refuses it.
pub fn launch_plan(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let plan = match LaunchPlan::from_json(text) {
        Ok(plan) => plan,
        Err(error) => return assert_printable(&error),
    };
    for size in [0, 1, 33, -7, i64::MIN, i64::MAX] {
        let sizes = vec![size; plan.sizes.len()];
        let mut launched = 0;
        let end = plan.launches(&sizes, |launch| {
            let kernel = &plan.kernels[launch.kernel];
            assert!(launch.grid.iter().all(|blocks| (1..=i64::from(i32::MAX)).contains(blocks)));
            let sizes = sizes.len() + plan.products.len();
            assert_eq!(launch.integers.len(), sizes + kernel.host_iterators.len());
            launched += 1;
            if launched < MAX_LAUNCHES {
                return Ok(());
            }
            Err(PlanError::Launches { plan: String::new(), most: launched })
        });
        drop((end, plan.integers(&sizes)));
    }
    assert_eq!(LaunchPlan::from_json(&plan.to_json()), Ok(plan), "what was read can be written");
}
