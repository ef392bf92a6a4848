//! Ingest keys.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{audit, check, clock, rows, servers};
use crate::control::{Actor, ControlError, IngestKey, NewSecret, SecretHash};
use crate::id::{KeyId, ServerId};

type Result<T> = std::result::Result<T, ControlError>;

pub(super) fn create(
    tx: &Transaction<'_>,
    server_id: ServerId,
    name: &str,
    secret: &NewSecret,
    by: Actor,
) -> Result<IngestKey> {
    let name = check::name("name", name)?;
    let server = servers::must(tx, server_id)?;
    let key = tx.query_row(
        "INSERT INTO ingest_keys (id, server_id, name, prefix, hash, created_ms) VALUES (?, ?, ?, ?, ?, ?) RETURNING *",
        params![
            KeyId::new().to_string(),
            server_id.to_string(),
            name,
            secret.prefix,
            secret.hash,
            clock::now_ms()
        ],
        rows::key,
    )?;
    audit::note(tx, server.account_id, by, "key.create", &key.id.to_string())?;
    Ok(key)
}

pub(super) fn list(conn: &Connection, server: ServerId) -> Result<Vec<IngestKey>> {
    let keys = conn
        .prepare_cached("SELECT * FROM ingest_keys WHERE server_id = ? ORDER BY created_ms, id")?
        .query_map([server.to_string()], rows::key)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(keys)
}

pub(super) fn find(conn: &Connection, id: KeyId) -> Result<Option<IngestKey>> {
    let key = conn
        .prepare_cached("SELECT * FROM ingest_keys WHERE id = ?")?
        .query_row([id.to_string()], rows::key)
        .optional()?;
    Ok(key)
}

pub(super) fn by_secret(conn: &Connection, hash: &SecretHash) -> Result<Option<IngestKey>> {
    let key = conn
        .prepare_cached("SELECT * FROM ingest_keys WHERE hash = ? AND revoked_ms IS NULL")?
        .query_row([hash], rows::key)
        .optional()?;
    Ok(key)
}

pub(super) fn set_limit(
    tx: &Transaction<'_>,
    id: KeyId,
    limit_per_minute: u32,
    by: Actor,
) -> Result<IngestKey> {
    check::limit(limit_per_minute)?;
    let sql = "UPDATE ingest_keys SET limit_per_minute = ? WHERE id = ? RETURNING *";
    let key = tx
        .query_row(sql, params![limit_per_minute, id.to_string()], rows::key)
        .optional()?
        .ok_or(ControlError::NotFound)?;
    note(tx, &key, by, "key.limit")?;
    Ok(key)
}

pub(super) fn revoke(tx: &Transaction<'_>, id: KeyId, by: Actor) -> Result<IngestKey> {
    let sql = "UPDATE ingest_keys SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL RETURNING *";
    let revoked = tx.query_row(sql, params![clock::now_ms(), id.to_string()], rows::key).optional()?;
    match revoked {
        Some(key) => {
            note(tx, &key, by, "key.revoke")?;
            Ok(key)
        }
        // Revoked before, and nothing changes; or never there.
        None => find(tx, id)?.ok_or(ControlError::NotFound),
    }
}

fn note(tx: &Transaction<'_>, key: &IngestKey, by: Actor, action: &str) -> Result<()> {
    let server = servers::must(tx, key.server_id)?;
    audit::note(tx, server.account_id, by, action, &key.id.to_string())
}
