//! The control store: users, accounts, memberships, servers, credentials, settings and the audit log.
//!
//! Small, transactional, and read on every request: a key revoked by another process is refused at once.

mod sqlite;

use std::fs::File;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::sqlite::SqliteControl;
use crate::events::Forgotten;
use crate::id::{AccountId, KeyId, LoginId, ServerId, TokenId, UserId};

/// SHA-256 of a secret: all that is stored of one, besides its first 12 characters.
pub type SecretHash = [u8; 32];

/// What a member may do in an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads, and creates servers and keys.
    Member,
    /// Also manages members, tokens and settings.
    Admin,
    /// Also deletes the account.
    Owner,
}

/// What an access token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub enum Scope {
    /// Read metrics and settings.
    #[serde(rename = "read")]
    Read,
    /// Create and change servers, keys and settings.
    #[serde(rename = "write")]
    Write,
}

/// A person who signs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// `usr_…`
    #[schema(value_type = String)]
    pub id: UserId,
    /// Unique, compared without case.
    pub email: String,
    /// Milliseconds since 1970.
    pub created_ms: i64,
}

/// What servers belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Account {
    /// `acc_…`
    #[schema(value_type = String)]
    pub id: AccountId,
    /// Shown to members (1–100).
    pub name: String,
    /// US dollars per million input tokens.
    pub usd_per_million_tokens: f64,
    /// Milliseconds since 1970.
    pub created_ms: i64,
}

/// One user's place in one account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Membership {
    /// The account.
    pub account: Account,
    /// What the user may do there.
    pub role: Role,
}

/// How an owner says a tool is called, which decides its first-call estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolMode {
    /// Follow-ups are lists or pages: the estimate is the lenient figure.
    InSeries,
    /// Follow-ups are rewordings: the estimate is the strict figure.
    OneAnswer,
}

/// A tracked MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Server {
    /// `srv_…`
    #[schema(value_type = String)]
    pub id: ServerId,
    /// The account it belongs to.
    #[schema(value_type = String)]
    pub account_id: AccountId,
    /// Shown to members (1–100).
    pub name: String,
    /// Days that calls are kept; `null` keeps them.
    pub retention_days: Option<u32>,
    /// Milliseconds since 1970.
    pub created_ms: i64,
}

/// An ingest key as shown after its creation: never the secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IngestKey {
    /// `key_…`
    #[schema(value_type = String)]
    pub id: KeyId,
    /// The server it writes to.
    #[schema(value_type = String)]
    pub server_id: ServerId,
    /// Given by its creator (1–100).
    pub name: String,
    /// The first 12 characters.
    pub prefix: String,
    /// Payloads a minute.
    pub limit_per_minute: u32,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// When it was revoked, if it was.
    pub revoked_ms: Option<i64>,
}

/// An access token as shown after its creation: never the secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AccessToken {
    /// `tok_…`
    #[schema(value_type = String)]
    pub id: TokenId,
    /// Whose token it is: it reads what this user may read.
    #[schema(value_type = String)]
    pub user_id: UserId,
    /// The account it was made in, and is confined to.
    #[schema(value_type = String)]
    pub account_id: AccountId,
    /// Given by its creator (1–100).
    pub name: String,
    /// The first 12 characters.
    pub prefix: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// When it stops working, if ever.
    pub expires_ms: Option<i64>,
    /// When it was revoked, if it was.
    pub revoked_ms: Option<i64>,
}

/// Who did something, in the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The command line on the server's own machine.
    Operator,
    /// A signed-in user, or a token of theirs.
    User(UserId),
}

/// One line of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AuditEntry {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// `operator` or a user id.
    pub actor: String,
    /// For example `key.revoke`.
    pub action: String,
    /// The id of what it was done to.
    pub subject: String,
}

/// One time that a server's retention was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetentionRun {
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// What is older was to go, milliseconds since 1970.
    pub before_ms: i64,
    /// Whether it could not be done; nothing went then, and it is tried again within the hour.
    pub failed: bool,
    /// What went.
    pub deleted: Forgotten,
}

/// A server that has a retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retained {
    /// The server.
    pub server: ServerId,
    /// Days that calls are kept.
    pub days: u32,
    /// The newest time that it was applied.
    pub last: Option<RetentionRun>,
}

/// Why the control store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// There is no such thing.
    #[error("not found")]
    NotFound,
    /// A field breaks a rule.
    #[error("{field}: {rule}")]
    Invalid {
        /// The field's name.
        field: &'static str,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// Something with that name is there already.
    #[error("{0} already exists")]
    Exists(&'static str),
    /// An account with other members would be left without an owner.
    #[error("an account with other members needs another owner first")]
    LastOwner,
    /// The file was written by a newer version, or is damaged; nothing was changed.
    #[error("the control store cannot be opened: {0}")]
    Unreadable(String),
    /// The engine failed.
    #[error("the control store failed: {0}")]
    Engine(String),
}

type Result<T> = std::result::Result<T, ControlError>;

/// An engine that keeps who may do what. Every change and its audit line are one transaction.
#[async_trait]
pub trait ControlStore: Send + Sync + 'static {
    /// Creates a user and an account of theirs with the role owner.
    async fn create_user(&self, email: &str, account_name: &str, by: Actor) -> Result<(User, Account)>;
    /// Finds a user by email, without regard to case.
    async fn user_by_email(&self, email: &str) -> Result<Option<User>>;
    /// The user who was made first.
    async fn first_user(&self) -> Result<Option<User>>;
    /// Finds a user.
    async fn user(&self, id: UserId) -> Result<Option<User>>;
    /// The user's accounts with the role in each, oldest first.
    async fn memberships(&self, user: UserId) -> Result<Vec<Membership>>;
    /// Finds an account.
    async fn account(&self, id: AccountId) -> Result<Option<Account>>;
    /// Sets the price of a million input tokens.
    async fn set_price(&self, account: AccountId, usd_per_million_tokens: f64, by: Actor) -> Result<Account>;

    /// Creates a server.
    async fn create_server(&self, account: AccountId, name: &str, by: Actor) -> Result<Server>;
    /// Finds a server.
    async fn server(&self, id: ServerId) -> Result<Option<Server>>;
    /// The account's servers, oldest first.
    async fn servers(&self, account: AccountId) -> Result<Vec<Server>>;
    /// Renames a server and sets its retention.
    async fn update_server(
        &self,
        id: ServerId,
        name: &str,
        retention_days: Option<u32>,
        by: Actor,
    ) -> Result<Server>;
    /// Forgets a server, its keys and its settings: no byte of them is left on disk. The event store is deleted
    /// separately, first.
    async fn delete_server(&self, id: ServerId, by: Actor) -> Result<()>;
    /// Forgets an account with everything in it, as [`delete_server`](Self::delete_server) does. The servers that were
    /// still in it.
    async fn delete_account(&self, id: AccountId, by: Actor) -> Result<Vec<ServerId>>;
    /// The accounts that nobody would be in without a user. [`ControlError::LastOwner`] when an account with other
    /// members would be left without an owner.
    async fn accounts_lost_with(&self, user: UserId) -> Result<Vec<AccountId>>;
    /// Forgets a user, their tokens and their sign-ins, as [`delete_server`](Self::delete_server) does. The accounts
    /// that nobody would be in are deleted before.
    async fn delete_user(&self, id: UserId, by: Actor) -> Result<()>;
    /// The servers that have a retention.
    async fn retained(&self) -> Result<Vec<Retained>>;
    /// The newest time that a server's retention was applied.
    async fn retention_run(&self, server: ServerId) -> Result<Option<RetentionRun>>;
    /// Notes that a server's retention was applied.
    async fn note_retention(&self, server: ServerId, run: RetentionRun) -> Result<()>;
    /// How the owner says each tool is called.
    async fn tool_modes(&self, server: ServerId) -> Result<Vec<(String, ToolMode)>>;
    /// Sets or clears how a tool is called.
    async fn set_tool_mode(
        &self,
        server: ServerId,
        tool: &str,
        mode: Option<ToolMode>,
        by: Actor,
    ) -> Result<()>;

    /// Stores a new ingest key.
    async fn create_key(
        &self,
        server: ServerId,
        name: &str,
        secret: &NewSecret,
        by: Actor,
    ) -> Result<IngestKey>;
    /// The server's keys, oldest first, revoked ones too.
    async fn keys(&self, server: ServerId) -> Result<Vec<IngestKey>>;
    /// Finds a key by id.
    async fn key(&self, id: KeyId) -> Result<Option<IngestKey>>;
    /// Finds a key that is not revoked by the hash of its secret. Sees a revocation by any process at once.
    async fn key_by_secret(&self, hash: &SecretHash) -> Result<Option<IngestKey>>;
    /// Sets the payloads a minute a key may bring.
    async fn set_key_limit(&self, id: KeyId, limit_per_minute: u32, by: Actor) -> Result<IngestKey>;
    /// Revokes a key. Revoking it again changes nothing.
    async fn revoke_key(&self, id: KeyId, by: Actor) -> Result<IngestKey>;

    /// Stores a new access token.
    async fn create_token(&self, token: NewToken<'_>, by: Actor) -> Result<AccessToken>;
    /// The account's tokens, oldest first, revoked ones too.
    async fn tokens(&self, account: AccountId) -> Result<Vec<AccessToken>>;
    /// Finds a token that is neither revoked nor expired by the hash of its secret.
    async fn token_by_secret(&self, hash: &SecretHash, now_ms: i64) -> Result<Option<AccessToken>>;
    /// Revokes a token. Revoking it again changes nothing.
    async fn revoke_token(&self, id: TokenId, by: Actor) -> Result<AccessToken>;

    /// Stores a sign-in link that works once, until `expires_ms`.
    async fn create_login_link(
        &self,
        user: UserId,
        hash: &SecretHash,
        expires_ms: i64,
        by: Actor,
    ) -> Result<()>;
    /// Uses up a sign-in link and opens a login under the hash of the cookie. `None`: unknown, used or expired.
    async fn redeem_login_link(
        &self,
        link: &SecretHash,
        cookie: &SecretHash,
        now_ms: i64,
        expires_ms: i64,
    ) -> Result<Option<(LoginId, User)>>;
    /// The user of a login that has not ended.
    async fn login(&self, cookie: &SecretHash, now_ms: i64) -> Result<Option<(LoginId, User)>>;
    /// Whether a login has not ended.
    async fn login_is_open(&self, id: LoginId, now_ms: i64) -> Result<bool>;
    /// Whether a token is neither revoked nor expired.
    async fn token_is_open(&self, id: TokenId, now_ms: i64) -> Result<bool>;
    /// Stores a pass for the server's operator that works once, until `expires_ms`.
    async fn create_operator_pass(&self, hash: &SecretHash, expires_ms: i64) -> Result<()>;
    /// Uses up a pass. Whether it was there.
    async fn redeem_operator_pass(&self, hash: &SecretHash, now_ms: i64) -> Result<bool>;
    /// Ends a login.
    async fn end_login(&self, id: LoginId) -> Result<()>;

    /// The newest lines of an account's audit log.
    async fn audit_log(&self, account: AccountId, limit: u32) -> Result<Vec<AuditEntry>>;
    /// Every server of every account, oldest first.
    async fn all_servers(&self) -> Result<Vec<ServerId>>;
    /// A copy of the whole store, without a name: it is gone when it is closed.
    async fn copy(&self) -> Result<File>;
    /// Whether the store answers at all.
    async fn ping(&self) -> Result<()>;
}

/// What is stored of a fresh secret.
#[derive(Clone, Debug)]
pub struct NewSecret {
    /// SHA-256 of the whole secret.
    pub hash: SecretHash,
    /// Its first 12 characters.
    pub prefix: String,
}

/// A token about to be stored.
#[derive(Clone, Debug)]
pub struct NewToken<'a> {
    /// Whose token it is.
    pub user: UserId,
    /// The account it is confined to.
    pub account: AccountId,
    /// Given by its creator.
    pub name: &'a str,
    /// What it may do.
    pub scopes: &'a [Scope],
    /// When it stops working, if ever.
    pub expires_ms: Option<i64>,
    /// What is stored of the secret.
    pub secret: &'a NewSecret,
}
