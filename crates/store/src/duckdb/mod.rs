//! The embedded event store: one DuckDB file per tracked server.
//!
//! Each open file has one thread that writes it. The thread takes every batch that waits, stores them in one
//! transaction, and answers all of them after the commit, which syncs the file's write-ahead log. Readers have
//! connections of their own. A file that nobody needs is closed, and opened again when somebody does.

mod disk;
mod export;
mod file;
mod keeper;
mod lock;
mod options;
mod registry;
mod rewrite;
mod schema;
pub(crate) mod settle;
mod writer;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use duckdb::Connection;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};

use self::file::{Reader, Replacing, Waiting};
use self::lock::DirLock;
pub use self::lock::is_in_use;
pub use self::options::Options;
use self::registry::Registry;
use self::rewrite::Rewrite;
use self::schema::Limits;
use crate::events::{Appended, EventError, EventStore, Forgotten, NewBatch};
use crate::id::ServerId;

/// Events in DuckDB files under `<data directory>/events`. Must be used within a Tokio runtime.
///
/// Dropping it closes the files, as [`close`](EventStore::close) does, and waits for that.
pub struct DuckEvents {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Arc<Registry>,
    /// What a server without a file reads as.
    empty: Mutex<Connection>,
    reads: Semaphore,
    /// Held for work on whole files, which is heavy: one at a time.
    whole_files: tokio::sync::Mutex<()>,
}

impl DuckEvents {
    /// Opens the event store of a data directory, creating the directory if needed. Files are opened when they are
    /// asked for.
    ///
    /// # Errors
    /// [`EventError::InUse`] when another process works on the directory; [`EventError::Engine`] when it cannot be
    /// made or the engine does not start.
    pub fn open(data_dir: &Path, options: Options) -> Result<Self, EventError> {
        let dir = data_dir.join("events");
        crate::dir::create(&dir).map_err(|error| {
            EventError::Engine(format!("the directory {} cannot be made: {error}", dir.display()))
        })?;
        let lock = DirLock::take(data_dir)?;
        let limits = Limits { threads: 1, memory_bytes: 64 << 20 };
        let inner = Inner {
            empty: Mutex::new(schema::open_empty(limits, &disk::empty_work_dir(&dir))?),
            reads: Semaphore::new(options.concurrent_reads.max(1)),
            whole_files: tokio::sync::Mutex::default(),
            registry: Arc::new(Registry::new(dir, options, lock)),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What it may use.
    pub(crate) fn options(&self) -> &Options {
        &self.inner.registry.options
    }

    /// Whether everything that arrived is worked out.
    ///
    /// # Errors
    /// Those of the engine.
    #[cfg(feature = "testing")]
    pub async fn is_settled(&self, server: ServerId) -> Result<bool, EventError> {
        self.read(server, |conn| {
            Ok(conn.query_row("SELECT upto_seq >= (SELECT max(seq) FROM calls) FROM worked", [], |row| {
                row.get(0)
            })?)
        })
        .await
    }

    /// Does one step of working out what is settled, on a connection of its own and with another clock. Only where
    /// [`Options::settle`] is off: two at a time would be in each other's way. `before_commit` is called when
    /// everything is written and nothing is there yet; when it fails, nothing will be. Answers whether there is more
    /// to do.
    ///
    /// # Errors
    /// Those of `before_commit` and of the engine.
    #[cfg(feature = "testing")]
    pub async fn settle(
        &self,
        server: ServerId,
        now_ms: i64,
        most: i64,
        before_commit: impl FnOnce() -> Result<(), EventError> + Send + 'static,
    ) -> Result<bool, EventError> {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || match inner.reader(server)? {
            Some(reader) => reader.work(|conn| {
                // So that whoever asks for many steps sees both.
                let fold = now_ms % 2 == 0;
                let mut settler =
                    if fold { settle::Settler::about_to_fold() } else { settle::Settler::default() };
                settler.pass(conn, now_ms, most, before_commit).map(|pass| pass.more)
            }),
            None => Ok(false),
        })
        .await
        .map_err(|error| EventError::Engine(error.to_string()))?
    }

    /// Runs queries about one server on a connection of their own, off the async threads.
    ///
    /// All of them see one state of the file, which holds every append that returned before; they may make
    /// temporary tables, and nothing else. A server without a file reads as empty. When the server is deleted or the
    /// store closed meanwhile, queries are interrupted.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        server: ServerId,
        query: impl FnOnce(&Connection) -> Result<T, EventError> + Send + 'static,
    ) -> Result<T, EventError> {
        let inner = Arc::clone(&self.inner);
        let _permit = self
            .inner
            .reads
            .acquire()
            .await
            .map_err(|_| EventError::Unavailable("shutting down".to_owned()))?;
        tokio::task::spawn_blocking(move || match inner.reader(server)? {
            // A question that a deletion interrupts fails in the engine's words.
            Some(reader) => reader
                .run(query)
                .map_err(|error| if inner.registry.is_deleted(server) { EventError::Deleted } else { error }),
            None => {
                let conn = inner.empty.lock().try_clone()?;
                query(&conn)
            }
        })
        .await
        .map_err(|error| EventError::Engine(error.to_string()))?
    }
}

impl Inner {
    /// `None` when the server has no file.
    fn reader(&self, server: ServerId) -> Result<Option<Reader>, EventError> {
        // A file may end between being found and being asked; the next one is asked then.
        while let Some(file) = self.registry.existing(server)? {
            if let Ok(reader) = file.reader() {
                return reader.map(Some);
            }
        }
        Ok(None)
    }

    /// Copies what is kept, and asks the writer to go on with the copy. `None`: nothing is old.
    fn rewrite(&self, server: ServerId, before_ms: i64) -> Result<Option<Rewriting>, EventError> {
        let Some(reader) = self.reader(server)? else { return Ok(None) };
        let file = Arc::clone(reader.file());
        let limits = Limits { threads: 1, memory_bytes: 64 << 20 };
        let rewrite = reader.work(|conn| Rewrite::prepare(conn, &file.path, limits, before_ms))?;
        let Some(rewrite) = rewrite else { return Ok(None) };
        let (answer, answered) = oneshot::channel();
        match file.replace(Box::new(Replacing { rewrite, answer })) {
            Ok(()) => Ok(Some(answered)),
            // Its engine is closed, or about to be; the next opening clears what was made.
            Err(_) => Err(EventError::Unavailable("the event file was closed meanwhile".to_owned())),
        }
    }

    fn push(
        &self,
        server: ServerId,
        batch: NewBatch,
    ) -> Result<oneshot::Receiver<Result<Appended, EventError>>, EventError> {
        let (answer, answered) = oneshot::channel();
        let mut waiting = Box::new(Waiting { batch, answer });
        loop {
            match self.registry.file(server)?.push(waiting) {
                Ok(taken) => return taken.map(|()| answered),
                Err(back) => waiting = back,
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.registry.close();
    }
}

type Rewriting = oneshot::Receiver<Result<Forgotten, EventError>>;

#[async_trait]
impl EventStore for DuckEvents {
    async fn append(&self, server: ServerId, batch: NewBatch) -> Result<Appended, EventError> {
        let answered = self.inner.push(server, batch)?;
        answered.await.unwrap_or_else(|_| {
            Err(EventError::Unavailable("the writer of this server has ended".to_owned()))
        })
    }

    async fn forget_before(&self, server: ServerId, before_ms: i64) -> Result<Forgotten, EventError> {
        let _alone = self.inner.whole_files.lock().await;
        let inner = Arc::clone(&self.inner);
        let Some(rewriting) = blocking(move || inner.rewrite(server, before_ms)).await? else {
            return Ok(Forgotten::default());
        };
        rewriting.await.unwrap_or_else(|_| {
            Err(EventError::Unavailable("the event file ended before it was rewritten".to_owned()))
        })
    }

    async fn delete_server(&self, server: ServerId) -> Result<(), EventError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || inner.registry.delete(server)).await
    }

    async fn close(&self) -> Result<(), EventError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || {
            inner.reads.close();
            inner.registry.close();
            Ok(())
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EventError> + Send + 'static,
) -> Result<T, EventError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| EventError::Engine(error.to_string()))?
}
