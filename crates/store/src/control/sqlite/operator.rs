//! Passes with which the command line is let in by a running server: whoever can write the control store operates it.

use rusqlite::{Connection, Transaction, params};

use crate::control::{ControlError, SecretHash};

type Result<T> = std::result::Result<T, ControlError>;

pub(super) fn create(tx: &Transaction<'_>, hash: &SecretHash, expires_ms: i64) -> Result<()> {
    tx.execute("INSERT INTO operator_passes (hash, expires_ms) VALUES (?, ?)", params![hash, expires_ms])?;
    Ok(())
}

/// Whether there is such a pass: a stranger's guess must not cost a write.
pub(super) fn is_there(conn: &Connection, hash: &SecretHash) -> Result<bool> {
    Ok(conn.prepare_cached("SELECT 1 FROM operator_passes WHERE hash = ?")?.exists(params![hash])?)
}

/// Uses a pass up. Whether there was one.
pub(super) fn redeem(tx: &Transaction<'_>, hash: &SecretHash, now_ms: i64) -> Result<bool> {
    let used =
        tx.execute("DELETE FROM operator_passes WHERE hash = ? AND expires_ms > ?", params![hash, now_ms])?;
    tx.execute("DELETE FROM operator_passes WHERE expires_ms <= ?", [now_ms])?;
    Ok(used > 0)
}
