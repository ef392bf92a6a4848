//! Sign-in links and the logins they open.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{audit, people, rows};
use crate::control::{Actor, ControlError, SecretHash, User};
use crate::id::{LoginId, UserId};

type Result<T> = std::result::Result<T, ControlError>;

pub(super) fn create_link(
    tx: &Transaction<'_>,
    user: UserId,
    hash: &SecretHash,
    expires_ms: i64,
    by: Actor,
) -> Result<()> {
    people::user(tx, user)?.ok_or(ControlError::NotFound)?;
    tx.execute(
        "INSERT INTO login_links (hash, user_id, expires_ms) VALUES (?, ?, ?)",
        params![hash, user.to_string(), expires_ms],
    )?;
    audit::note_user(tx, user, by, "login_link.create")
}

pub(super) fn redeem(
    tx: &Transaction<'_>,
    link: &SecretHash,
    cookie: &SecretHash,
    now_ms: i64,
    expires_ms: i64,
) -> Result<Option<(LoginId, User)>> {
    forget_expired(tx, now_ms)?;
    // Used up by being removed: of two that come at once, one finds it.
    let user = tx
        .query_row(
            "DELETE FROM login_links WHERE hash = ? AND expires_ms > ? RETURNING user_id AS id",
            params![link, now_ms],
            |row| rows::parsed::<UserId>(row, "id"),
        )
        .optional()?;
    let Some(user) = user else { return Ok(None) };
    let id = LoginId::new();
    tx.execute(
        "INSERT INTO logins (id, cookie_hash, user_id, expires_ms) VALUES (?, ?, ?, ?)",
        params![id.to_string(), cookie, user.to_string(), expires_ms],
    )?;
    audit::note_user(tx, user, Actor::User(user), "login.open")?;
    Ok(people::user(tx, user)?.map(|user| (id, user)))
}

pub(super) fn find(conn: &Connection, cookie: &SecretHash, now_ms: i64) -> Result<Option<(LoginId, User)>> {
    let login = conn
        .prepare_cached(
            "SELECT logins.id AS login, users.* FROM logins JOIN users ON users.id = user_id
             WHERE cookie_hash = ? AND expires_ms > ?",
        )?
        .query_row(params![cookie, now_ms], |row| Ok((rows::parsed(row, "login")?, rows::user(row)?)))
        .optional()?;
    Ok(login)
}

pub(super) fn is_open(conn: &Connection, id: LoginId, now_ms: i64) -> Result<bool> {
    let mut statement = conn.prepare_cached("SELECT 1 FROM logins WHERE id = ? AND expires_ms > ?")?;
    Ok(statement.exists(params![id.to_string(), now_ms])?)
}

pub(super) fn end(tx: &Transaction<'_>, id: LoginId) -> Result<()> {
    let user = tx
        .query_row("DELETE FROM logins WHERE id = ? RETURNING user_id AS id", [id.to_string()], |row| {
            rows::parsed::<UserId>(row, "id")
        })
        .optional()?;
    match user {
        Some(user) => audit::note_user(tx, user, Actor::User(user), "login.end"),
        None => Ok(()),
    }
}

fn forget_expired(tx: &Transaction<'_>, now_ms: i64) -> Result<()> {
    tx.execute("DELETE FROM login_links WHERE expires_ms <= ?", [now_ms])?;
    tx.execute("DELETE FROM logins WHERE expires_ms <= ?", [now_ms])?;
    Ok(())
}
