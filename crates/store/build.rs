//! Lays libduckdb beside the binaries, where the relative rpath of `.cargo/config.toml` finds it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=DUCKDB_LIB_DIR");
    // Without DUCKDB_LIB_DIR the system's own library is linked, and found where the system keeps it.
    let Some(dir) = env::var_os("DUCKDB_LIB_DIR").map(PathBuf::from) else { return };
    if env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        return;
    }
    if let Err(reason) = place_library(&dir) {
        println!("cargo::error={reason}");
    }
}

fn place_library(dir: &Path) -> Result<(), String> {
    let name = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => "libduckdb.dylib",
        Ok("windows") => "duckdb.dll",
        _ => "libduckdb.so",
    };
    let library = dir.join(name);
    // The directory, not the library: a fetched library may bear the same time as the one before it.
    println!("cargo:rerun-if-changed={}", dir.display());
    let library_name = library.display();
    if !library.exists() {
        return Err(format!(
            "{library_name} is not there: run `make deps` to fetch it, or build with `--features bundled`"
        ));
    }
    let target = profile_dir().ok_or("OUT_DIR lies in no build directory")?;
    let place = target.join(name);
    // Cargo looks after this file too: when it is gone, the script runs again.
    println!("cargo:rerun-if-changed={}", place.display());
    lay(&library, &place).map_err(|error| format!("cannot lay {library_name} beside the binaries: {error}"))
}

/// `target/<profile>`, from `target/<profile>/build/…/out`.
fn profile_dir() -> Option<PathBuf> {
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let build = out.ancestors().find(|dir| dir.file_name().is_some_and(|name| name == "build"))?;
    build.parent().map(Path::to_path_buf)
}

/// A hard link costs nothing; a copy is for a target directory on another file system.
fn lay(library: &Path, place: &Path) -> io::Result<()> {
    // Built under another name and renamed: a program that runs right now keeps the old file.
    let new = place.with_extension(format!("new-{}", std::process::id()));
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if fs::hard_link(library, &new).is_err() {
        fs::copy(library, &new)?;
    }
    fs::rename(&new, place)?;
    // Renaming onto a link to the same file leaves both names.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
