//! The data directory.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;

/// Makes a directory and its parents; what is made is for its owner alone.
pub(crate) fn create(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}
