//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::exit::Failure;

/// A file that gets its name once it is whole.
pub(crate) struct WholeFile {
    file: File,
    path: PathBuf,
    partial: Option<PathBuf>,
}

impl WholeFile {
    /// Begins a file for its owner alone. One that is there is not overwritten.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        if path.try_exists().unwrap_or(false) {
            return Err(Failure::usage(anyhow!(
                "{} is there already, and is not overwritten",
                path.display()
            )));
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = PathBuf::from(partial);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options
            .open(&partial)
            .with_context(|| format!("cannot write {}", path.display()))
            .map_err(Failure::usage)?;
        Ok(Self { file, path: path.to_owned(), partial: Some(partial) })
    }

    /// Gives the file its name, durably.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        if let Some(partial) = &self.partial {
            // A link fails where a rename would overwrite what has come there meanwhile. Not every disk has links.
            fs::hard_link(partial, &self.path).or_else(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Err(error),
                _ => fs::rename(partial, &self.path),
            })?;
            let _ = fs::remove_file(partial);
        }
        self.partial = None;
        let dir = self.path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(dir)?.sync_all()
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // What is left behind is named as what it is.
            let _ = fs::remove_file(partial);
        }
    }
}

/// Where something goes: a file that is whole or not there, or standard output.
pub(crate) enum Target {
    File(WholeFile),
    Standard(io::StdoutLock<'static>),
}

impl Target {
    pub(crate) fn of(path: Option<&Path>) -> Result<Self, Failure> {
        Ok(match path {
            Some(path) => Self::File(WholeFile::create(path)?),
            None => Self::Standard(io::stdout().lock()),
        })
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::File(file) => file.finish(),
            Self::Standard(mut out) => out.flush(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Standard(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Standard(out) => out.flush(),
        }
    }
}
