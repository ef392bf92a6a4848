//! The embedded control store: one SQLite file in WAL mode, shared with other processes such as the command line.

mod audit;
mod check;
mod clock;
mod keys;
mod logins;
mod operator;
mod people;
mod retention;
mod rows;
mod schema;
mod servers;
mod tokens;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{
    AccessToken, Account, Actor, AuditEntry, ControlError, ControlStore, IngestKey, Membership, NewSecret,
    NewToken, Result, Retained, RetentionRun, SecretHash, Server, ToolMode, User,
};
use crate::id::{AccountId, KeyId, LoginId, ServerId, TokenId, UserId};

/// Readers kept for the next question; more are opened when more is asked at once, and closed afterwards.
const IDLE_READERS: usize = 8;

/// What the names of copies begin with.
const COPY: &str = "control.copy-";

/// Users, accounts, servers and credentials in `<data directory>/control.sqlite`.
///
/// Nothing is cached outside SQLite, so what another process changed is seen by the next question. Must be used
/// within a Tokio runtime.
pub struct SqliteControl {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl SqliteControl {
    /// Opens the control store of a data directory, creating both if needed.
    ///
    /// # Errors
    /// [`ControlError::Unreadable`] when the file is damaged or of a newer version; [`ControlError::Engine`] when
    /// it cannot be made or written.
    pub fn open(data_dir: &Path) -> Result<Self> {
        crate::dir::create(data_dir).map_err(|error| {
            ControlError::Engine(format!("the directory {} cannot be made: {error}", data_dir.display()))
        })?;
        let path = data_dir.join("control.sqlite");
        let writer = Mutex::new(schema::open_writer(&path)?);
        Ok(Self { inner: Arc::new(Inner { path, writer, readers: Mutex::default() }) })
    }

    /// Removes copies that a process left behind which ended early. For whoever works on the data directory alone.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn clear_copies(&self) -> Result<()> {
        let failed = |error: io::Error| ControlError::Engine(format!("a copy cannot be removed: {error}"));
        let Some(dir) = self.inner.path.parent() else { return Ok(()) };
        for entry in dir.read_dir().map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(COPY)) {
                fs::remove_file(path).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Changes something, in one transaction: a commit waits for the disk, so it leaves the async threads.
    async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.blocking(move |inner| {
            let mut conn = inner.writer.lock();
            // Immediate: what the change reads is still so when it writes.
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = change(&tx)?;
            tx.commit()?;
            Ok(done)
        })
        .await
    }

    async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.blocking(move |inner| inner.ask(question)).await
    }

    /// Leaves no byte of what was deleted.
    async fn scrub(&self) -> Result<()> {
        self.blocking(|inner| {
            // A reader that waits for its next question holds no version of the file.
            schema::scrub(&inner.writer.lock())
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || work(&inner))
            .await
            .map_err(|error| ControlError::Engine(error.to_string()))?
    }
}

impl Inner {
    fn ask<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.readers.lock().pop();
        let conn = idle.map_or_else(|| schema::open_reader(&self.path), Ok)?;
        let answer = question(&conn)?;
        // After an error the connection is dropped: whatever ails it ends with it.
        let mut readers = self.readers.lock();
        if readers.len() < IDLE_READERS {
            readers.push(conn);
        }
        drop(readers);
        Ok(answer)
    }
}

#[async_trait]
impl ControlStore for SqliteControl {
    async fn create_user(&self, email: &str, account_name: &str, by: Actor) -> Result<(User, Account)> {
        let (email, account_name) = (email.to_owned(), account_name.to_owned());
        self.write(move |tx| people::create(tx, &email, &account_name, by)).await
    }

    async fn user_by_email(&self, email: &str) -> Result<Option<User>> {
        let email = email.to_owned();
        self.read(move |conn| people::by_email(conn, &email)).await
    }

    async fn first_user(&self) -> Result<Option<User>> {
        self.read(people::first).await
    }

    async fn user(&self, id: UserId) -> Result<Option<User>> {
        self.read(move |conn| people::user(conn, id)).await
    }

    async fn memberships(&self, user: UserId) -> Result<Vec<Membership>> {
        self.read(move |conn| people::memberships(conn, user)).await
    }

    async fn account(&self, id: AccountId) -> Result<Option<Account>> {
        self.read(move |conn| people::account(conn, id)).await
    }

    async fn set_price(&self, account: AccountId, usd_per_million_tokens: f64, by: Actor) -> Result<Account> {
        self.write(move |tx| people::set_price(tx, account, usd_per_million_tokens, by)).await
    }

    async fn create_server(&self, account: AccountId, name: &str, by: Actor) -> Result<Server> {
        let name = name.to_owned();
        self.write(move |tx| servers::create(tx, account, &name, by)).await
    }

    async fn server(&self, id: ServerId) -> Result<Option<Server>> {
        self.read(move |conn| servers::find(conn, id)).await
    }

    async fn servers(&self, account: AccountId) -> Result<Vec<Server>> {
        self.read(move |conn| servers::list(conn, account)).await
    }

    async fn update_server(
        &self,
        id: ServerId,
        name: &str,
        retention_days: Option<u32>,
        by: Actor,
    ) -> Result<Server> {
        let name = name.to_owned();
        self.write(move |tx| servers::update(tx, id, &name, retention_days, by)).await
    }

    async fn delete_server(&self, id: ServerId, by: Actor) -> Result<()> {
        self.write(move |tx| servers::delete(tx, id, by)).await?;
        self.scrub().await
    }

    async fn delete_account(&self, id: AccountId, by: Actor) -> Result<Vec<ServerId>> {
        let servers = self.write(move |tx| people::delete_account(tx, id, by)).await?;
        self.scrub().await?;
        Ok(servers)
    }

    async fn accounts_lost_with(&self, user: UserId) -> Result<Vec<AccountId>> {
        self.read(move |conn| people::lost_with(conn, user)).await
    }

    async fn delete_user(&self, id: UserId, by: Actor) -> Result<()> {
        self.write(move |tx| people::delete_user(tx, id, by)).await?;
        self.scrub().await
    }

    async fn retained(&self) -> Result<Vec<Retained>> {
        self.read(retention::list).await
    }

    async fn retention_run(&self, server: ServerId) -> Result<Option<RetentionRun>> {
        self.read(move |conn| retention::last(conn, server)).await
    }

    async fn note_retention(&self, server: ServerId, run: RetentionRun) -> Result<()> {
        self.write(move |tx| retention::note(tx, server, &run)).await
    }

    async fn tool_modes(&self, server: ServerId) -> Result<Vec<(String, ToolMode)>> {
        self.read(move |conn| servers::tool_modes(conn, server)).await
    }

    async fn set_tool_mode(
        &self,
        server: ServerId,
        tool: &str,
        mode: Option<ToolMode>,
        by: Actor,
    ) -> Result<()> {
        let tool = tool.to_owned();
        self.write(move |tx| servers::set_tool_mode(tx, server, &tool, mode, by)).await
    }

    async fn create_key(
        &self,
        server: ServerId,
        name: &str,
        secret: &NewSecret,
        by: Actor,
    ) -> Result<IngestKey> {
        let (name, secret) = (name.to_owned(), secret.clone());
        self.write(move |tx| keys::create(tx, server, &name, &secret, by)).await
    }

    async fn keys(&self, server: ServerId) -> Result<Vec<IngestKey>> {
        self.read(move |conn| keys::list(conn, server)).await
    }

    async fn key(&self, id: KeyId) -> Result<Option<IngestKey>> {
        self.read(move |conn| keys::find(conn, id)).await
    }

    // The three questions that every request asks are answered where they are asked: an indexed look-up in a small
    // file that the page cache holds takes microseconds, less than handing it to another thread, and in WAL mode it
    // waits for no writer.

    async fn key_by_secret(&self, hash: &SecretHash) -> Result<Option<IngestKey>> {
        self.inner.ask(|conn| keys::by_secret(conn, hash))
    }

    async fn token_by_secret(&self, hash: &SecretHash, now_ms: i64) -> Result<Option<AccessToken>> {
        self.inner.ask(|conn| tokens::by_secret(conn, hash, now_ms))
    }

    async fn login(&self, cookie: &SecretHash, now_ms: i64) -> Result<Option<(LoginId, User)>> {
        self.inner.ask(|conn| logins::find(conn, cookie, now_ms))
    }

    async fn set_key_limit(&self, id: KeyId, limit_per_minute: u32, by: Actor) -> Result<IngestKey> {
        self.write(move |tx| keys::set_limit(tx, id, limit_per_minute, by)).await
    }

    async fn revoke_key(&self, id: KeyId, by: Actor) -> Result<IngestKey> {
        self.write(move |tx| keys::revoke(tx, id, by)).await
    }

    async fn create_token(&self, token: NewToken<'_>, by: Actor) -> Result<AccessToken> {
        let (name, scopes, secret) = (token.name.to_owned(), token.scopes.to_vec(), token.secret.clone());
        let (user, account, expires_ms) = (token.user, token.account, token.expires_ms);
        self.write(move |tx| {
            let token = NewToken { user, account, name: &name, scopes: &scopes, expires_ms, secret: &secret };
            tokens::create(tx, &token, by)
        })
        .await
    }

    async fn tokens(&self, account: AccountId) -> Result<Vec<AccessToken>> {
        self.read(move |conn| tokens::list(conn, account)).await
    }

    async fn revoke_token(&self, id: TokenId, by: Actor) -> Result<AccessToken> {
        self.write(move |tx| tokens::revoke(tx, id, by)).await
    }

    async fn create_login_link(
        &self,
        user: UserId,
        hash: &SecretHash,
        expires_ms: i64,
        by: Actor,
    ) -> Result<()> {
        let hash = *hash;
        self.write(move |tx| logins::create_link(tx, user, &hash, expires_ms, by)).await
    }

    async fn redeem_login_link(
        &self,
        link: &SecretHash,
        cookie: &SecretHash,
        now_ms: i64,
        expires_ms: i64,
    ) -> Result<Option<(LoginId, User)>> {
        let (link, cookie) = (*link, *cookie);
        self.write(move |tx| logins::redeem(tx, &link, &cookie, now_ms, expires_ms)).await
    }

    async fn login_is_open(&self, id: LoginId, now_ms: i64) -> Result<bool> {
        self.read(move |conn| logins::is_open(conn, id, now_ms)).await
    }

    async fn token_is_open(&self, id: TokenId, now_ms: i64) -> Result<bool> {
        self.read(move |conn| tokens::is_open(conn, id, now_ms)).await
    }

    async fn create_operator_pass(&self, hash: &SecretHash, expires_ms: i64) -> Result<()> {
        let hash = *hash;
        self.write(move |tx| operator::create(tx, &hash, expires_ms)).await
    }

    async fn redeem_operator_pass(&self, hash: &SecretHash, now_ms: i64) -> Result<bool> {
        let hash = *hash;
        if !self.inner.ask(|conn| operator::is_there(conn, &hash))? {
            return Ok(false);
        }
        self.write(move |tx| operator::redeem(tx, &hash, now_ms)).await
    }

    async fn end_login(&self, id: LoginId) -> Result<()> {
        self.write(move |tx| logins::end(tx, id)).await
    }

    async fn audit_log(&self, account: AccountId, limit: u32) -> Result<Vec<AuditEntry>> {
        self.read(move |conn| audit::newest(conn, account, limit)).await
    }

    async fn all_servers(&self) -> Result<Vec<ServerId>> {
        self.read(servers::all).await
    }

    async fn copy(&self) -> Result<File> {
        self.blocking(|inner| {
            // Beside the file, where names may be, and for a moment.
            let path = inner.path.with_file_name(format!("{COPY}{}", LoginId::new()));
            let failed = |error: io::Error| ControlError::Engine(format!("a copy cannot be made: {error}"));
            let copied = schema::copy(&inner.path, &path);
            let file = copied.and_then(|()| File::open(&path).map_err(failed));
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
                _ => file,
            }
        })
        .await
    }

    async fn ping(&self) -> Result<()> {
        self.read(|conn| Ok(conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?)).await
    }
}
