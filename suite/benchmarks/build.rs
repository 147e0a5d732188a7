//! With the feature `vendor`, compiles the shim around CUB. Otherwise there is nothing to do.
//!
//! `NVCC` names the compiler (default `nvcc`), `NITRO_CUDA_ARCH` what it compiles for (default `all-major`;
//! `native` is the GPU at hand and quicker).

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "src/cuda/vendor/cub.cu";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_VENDOR").is_none() {
        return;
    }
    println!("cargo:rerun-if-changed={SOURCE}");
    println!("cargo:rerun-if-env-changed=NVCC");
    println!("cargo:rerun-if-env-changed=NITRO_CUDA_ARCH");
    let nvcc = env::var_os("NVCC").unwrap_or_else(|| "nvcc".into());
    let architecture = env::var("NITRO_CUDA_ARCH").unwrap_or_else(|_| "all-major".into());
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut command = Command::new(&nvcc);
    command.args(["-lib", "-O3", "-std=c++17", "--threads", "0", "-Xcompiler", "-fPIC"]);
    command.arg(format!("-arch={architecture}")).arg("-o").arg(folder.join("libnitro_cub.a")).arg(SOURCE);
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{command:?} ended with {status}"),
        Err(error) => panic!(
            "the feature `vendor` needs CUDA's compiler: {nvcc:?} cannot be run ({error}); install the CUDA toolkit, \
             or name its nvcc in the environment variable NVCC"
        ),
    }
    println!("cargo:rustc-link-search=native={}", folder.display());
    runtime_folders(&nvcc).for_each(|found| println!("cargo:rustc-link-search=native={}", found.display()));
    println!("cargo:rustc-link-lib=static=nitro_cub");
    println!("cargo:rustc-link-lib=static=cudart_static");
    for library in ["stdc++", "dl", "rt", "pthread"] {
        println!("cargo:rustc-link-lib={library}");
    }
}

/// Where toolkits keep the static runtime, beside the folder of their compiler.
fn runtime_folders(nvcc: &std::ffi::OsStr) -> impl Iterator<Item = PathBuf> {
    let on_path = || {
        env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(nvcc)).find(|file| file.is_file())
    };
    let compiler = if Path::new(nvcc).is_file() { Some(nvcc.into()) } else { on_path() };
    let compiler = compiler.and_then(|compiler: PathBuf| compiler.canonicalize().ok());
    let toolkit = compiler.and_then(|compiler| Some(compiler.parent()?.parent()?.to_owned()));
    let folders = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    toolkit
        .into_iter()
        .flat_map(move |toolkit| folders.map(|folder| toolkit.join(folder)))
        .filter(|folder| folder.is_dir())
}
