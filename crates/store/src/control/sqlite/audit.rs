//! The audit log: one line for every change, in the transaction of the change.

use rusqlite::{Connection, Transaction, params};

use super::clock;
use crate::control::{Actor, AuditEntry, ControlError};
use crate::id::{AccountId, UserId};

/// Lines beyond this are not read at once.
const MAX_LINES: u32 = 1000;

fn name(actor: Actor) -> String {
    match actor {
        Actor::Operator => "operator".to_owned(),
        Actor::User(user) => user.to_string(),
    }
}

/// Notes what was done to something of one account.
pub(super) fn note(
    tx: &Transaction<'_>,
    account: AccountId,
    by: Actor,
    action: &str,
    subject: &str,
) -> Result<(), ControlError> {
    tx.prepare_cached(
        "INSERT INTO audit_log (at_ms, account_id, actor, action, subject) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![clock::now_ms(), account.to_string(), name(by), action, subject])?;
    Ok(())
}

/// Notes what concerns a user, in every account of theirs.
pub(super) fn note_user(
    tx: &Transaction<'_>,
    user: UserId,
    by: Actor,
    action: &str,
) -> Result<(), ControlError> {
    tx.prepare_cached(
        "INSERT INTO audit_log (at_ms, account_id, actor, action, subject)
         SELECT ?, account_id, ?, ?, user_id FROM memberships WHERE user_id = ?",
    )?
    .execute(params![clock::now_ms(), name(by), action, user.to_string()])?;
    Ok(())
}

/// The newest lines first.
pub(super) fn newest(
    conn: &Connection,
    account: AccountId,
    limit: u32,
) -> Result<Vec<AuditEntry>, ControlError> {
    let lines = conn
        .prepare_cached(
            "SELECT at_ms, actor, action, subject FROM audit_log WHERE account_id = ? ORDER BY id DESC LIMIT ?",
        )?
        .query_map(params![account.to_string(), limit.min(MAX_LINES)], |row| {
            Ok(AuditEntry { at_ms: row.get(0)?, actor: row.get(1)?, action: row.get(2)?, subject: row.get(3)? })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(lines)
}
