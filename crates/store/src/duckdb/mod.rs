//! The embedded event store: one DuckDB file per tracked server.

mod options;
mod schema;
mod writer;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use duckdb::Connection;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

pub use self::options::Options;
use self::schema::Limits;
use self::writer::Writer;
use crate::events::{Appended, EventError, EventStore, NewBatch};
use crate::id::ServerId;

/// Events in DuckDB files under `<data directory>/events`.
pub struct DuckEvents {
    inner: Arc<Inner>,
}

struct Inner {
    dir: PathBuf,
    limits: Limits,
    files: Mutex<HashMap<ServerId, Arc<Mutex<Writer>>>>,
    empty: Mutex<Connection>,
    reads: Semaphore,
}

impl DuckEvents {
    /// Opens the event store of a data directory, creating the directory if needed.
    ///
    /// # Errors
    /// When the directory cannot be made or the engine does not start.
    pub fn open(data_dir: &Path, options: Options) -> Result<Self, EventError> {
        let dir = data_dir.join("events");
        std::fs::create_dir_all(&dir).map_err(|error| EventError::Engine(error.to_string()))?;
        let limits = Limits { threads: options.threads, memory_bytes: options.memory_bytes };
        let inner = Inner {
            dir,
            limits,
            files: Mutex::default(),
            empty: Mutex::new(schema::open_empty(limits)?),
            reads: Semaphore::new(options.concurrent_reads),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs queries about one server on a connection of their own, off the async threads.
    ///
    /// All of them see one state of the file, which holds every append that returned before. A server without a
    /// file reads as empty. Must be called within a Tokio runtime.
    #[allow(dead_code, reason = "called by the metrics, which are being written")]
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        server: ServerId,
        query: impl FnOnce(&Connection) -> Result<T, EventError> + Send + 'static,
    ) -> Result<T, EventError> {
        let inner = Arc::clone(&self.inner);
        let _permit =
            self.inner.reads.acquire().await.map_err(|_| EventError::Unavailable("closing".to_owned()))?;
        tokio::task::spawn_blocking(move || {
            let conn = inner.reader(server)?;
            conn.execute_batch("BEGIN TRANSACTION READ ONLY")?;
            query(&conn)
        })
        .await
        .map_err(|error| EventError::Engine(error.to_string()))?
    }
}

impl Inner {
    fn path(&self, server: ServerId) -> PathBuf {
        self.dir.join(format!("{server}.duckdb"))
    }

    fn writer(&self, server: ServerId) -> Result<Arc<Mutex<Writer>>, EventError> {
        let mut files = self.files.lock();
        if let Some(file) = files.get(&server) {
            return Ok(Arc::clone(file));
        }
        let writer = Writer::new(schema::open_file(&self.path(server), self.limits)?)?;
        let file = Arc::new(Mutex::new(writer));
        files.insert(server, Arc::clone(&file));
        Ok(file)
    }

    fn reader(&self, server: ServerId) -> Result<Connection, EventError> {
        if !self.path(server).exists() {
            return Ok(self.empty.lock().try_clone()?);
        }
        let writer = self.writer(server)?;
        let conn = writer.lock().connection().try_clone()?;
        Ok(conn)
    }
}

#[async_trait]
impl EventStore for DuckEvents {
    async fn append(&self, server: ServerId, batch: NewBatch) -> Result<Appended, EventError> {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || {
            let writer = inner.writer(server)?;
            let mut answers = writer.lock().commit(&[batch])?;
            answers.pop().ok_or_else(|| EventError::Engine("no answer".to_owned()))
        })
        .await
        .map_err(|error| EventError::Engine(error.to_string()))?
    }

    async fn delete_server(&self, server: ServerId) -> Result<(), EventError> {
        self.inner.files.lock().remove(&server);
        for end in ["", ".wal"] {
            let path = self.inner.dir.join(format!("{server}.duckdb{end}"));
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(EventError::Engine(error.to_string()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    async fn close(&self) -> Result<(), EventError> {
        self.inner.files.lock().clear();
        Ok(())
    }
}
