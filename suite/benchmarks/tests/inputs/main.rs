//! Inputs of the suite, built in and from files. One program, since each would be linked with the whole suite.

mod built_in;
mod image_files;
mod malformed_matrix_files;
