//! Access tokens.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{audit, check, clock, rows};
use crate::control::{AccessToken, Actor, ControlError, NewToken, SecretHash};
use crate::id::{AccountId, TokenId};

type Result<T> = std::result::Result<T, ControlError>;

pub(super) fn create(tx: &Transaction<'_>, new: &NewToken<'_>, by: Actor) -> Result<AccessToken> {
    let name = check::name("name", new.name)?;
    let scopes = check::scopes(new.scopes)?;
    let (user, account) = (new.user.to_string(), new.account.to_string());
    // A token reads what its user may read, so the user must be a member.
    tx.query_row(
        "SELECT 1 FROM memberships WHERE user_id = ? AND account_id = ?",
        params![user, account],
        |_| Ok(()),
    )
    .optional()?
    .ok_or(ControlError::NotFound)?;
    let token = tx.query_row(
        "INSERT INTO access_tokens (id, user_id, account_id, name, prefix, hash, scopes, created_ms, expires_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
        params![
            TokenId::new().to_string(),
            user,
            account,
            name,
            new.secret.prefix,
            new.secret.hash,
            rows::scope_words(&scopes),
            clock::now_ms(),
            new.expires_ms,
        ],
        rows::token,
    )?;
    audit::note(tx, token.account_id, by, "token.create", &token.id.to_string())?;
    Ok(token)
}

pub(super) fn list(conn: &Connection, account: AccountId) -> Result<Vec<AccessToken>> {
    let tokens = conn
        .prepare_cached("SELECT * FROM access_tokens WHERE account_id = ? ORDER BY created_ms, id")?
        .query_map([account.to_string()], rows::token)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(tokens)
}

pub(super) fn by_secret(conn: &Connection, hash: &SecretHash, now_ms: i64) -> Result<Option<AccessToken>> {
    // A member who left the account takes their tokens' rights with them.
    let token = conn
        .prepare_cached(
            "SELECT * FROM access_tokens WHERE hash = ? AND revoked_ms IS NULL
               AND (expires_ms IS NULL OR expires_ms > ?)
               AND EXISTS (SELECT 1 FROM memberships
                           WHERE memberships.user_id = access_tokens.user_id
                             AND memberships.account_id = access_tokens.account_id)",
        )?
        .query_row(params![hash, now_ms], rows::token)
        .optional()?;
    Ok(token)
}

pub(super) fn is_open(conn: &Connection, id: TokenId, now_ms: i64) -> Result<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT 1 FROM access_tokens WHERE id = ? AND revoked_ms IS NULL
           AND (expires_ms IS NULL OR expires_ms > ?)",
    )?;
    Ok(statement.exists(params![id.to_string(), now_ms])?)
}

pub(super) fn revoke(tx: &Transaction<'_>, id: TokenId, by: Actor) -> Result<AccessToken> {
    let sql = "UPDATE access_tokens SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL RETURNING *";
    let revoked = tx.query_row(sql, params![clock::now_ms(), id.to_string()], rows::token).optional()?;
    if let Some(token) = revoked {
        audit::note(tx, token.account_id, by, "token.revoke", &token.id.to_string())?;
        return Ok(token);
    }
    // Revoked before, and nothing changes; or never there.
    tx.query_row("SELECT * FROM access_tokens WHERE id = ?", [id.to_string()], rows::token)
        .optional()?
        .ok_or(ControlError::NotFound)
}
