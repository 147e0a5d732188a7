//! What is learned from recordings. One program, since each would be linked with the whole trainer.

mod agrees_with_libsvm;
mod agrees_with_linfa;
mod by_profiles;
mod calibrates;
mod explains_far_inputs;
mod few_admissible;
mod few_sources;
mod hardly_varying;
mod is_deterministic;
mod many_features;
mod objectives;
mod regimes;
mod selects_device_features;
mod synthetic;
mod tells_near_from_far;
mod under_load;
mod weighs_features;
mod when_unsure;
mod with_units;
