//! Users, accounts and memberships.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{audit, check, clock, rows, servers};
use crate::control::{Account, Actor, ControlError, Membership, Role, User};
use crate::id::{AccountId, ServerId, UserId};

type Result<T> = std::result::Result<T, ControlError>;

pub(super) fn create(
    tx: &Transaction<'_>,
    email: &str,
    account_name: &str,
    by: Actor,
) -> Result<(User, Account)> {
    let (email, account_name) = (check::email(email)?, check::name("account_name", account_name)?);
    if by_email(tx, email)?.is_some() {
        return Err(ControlError::Exists("a user with this email"));
    }
    let created_ms = clock::now_ms();
    let user = User { id: UserId::new(), email: email.to_owned(), created_ms };
    tx.execute(
        "INSERT INTO users (id, email, email_folded, created_ms) VALUES (?, ?, ?, ?)",
        params![user.id.to_string(), user.email, user.email.to_lowercase(), created_ms],
    )?;
    let id = AccountId::new();
    tx.execute(
        "INSERT INTO accounts (id, name, created_ms) VALUES (?, ?, ?)",
        params![id.to_string(), account_name, created_ms],
    )?;
    tx.execute(
        "INSERT INTO memberships (account_id, user_id, role, created_ms) VALUES (?, ?, 'owner', ?)",
        params![id.to_string(), user.id.to_string(), created_ms],
    )?;
    audit::note(tx, id, by, "user.create", &user.id.to_string())?;
    audit::note(tx, id, by, "account.create", &id.to_string())?;
    Ok((user, account(tx, id)?.ok_or(ControlError::NotFound)?))
}

pub(super) fn by_email(conn: &Connection, email: &str) -> Result<Option<User>> {
    let user = conn
        .prepare_cached("SELECT * FROM users WHERE email_folded = ?")?
        .query_row([email.trim().to_lowercase()], rows::user)
        .optional()?;
    Ok(user)
}

pub(super) fn user(conn: &Connection, id: UserId) -> Result<Option<User>> {
    let user = conn
        .prepare_cached("SELECT * FROM users WHERE id = ?")?
        .query_row([id.to_string()], rows::user)
        .optional()?;
    Ok(user)
}

pub(super) fn memberships(conn: &Connection, user: UserId) -> Result<Vec<Membership>> {
    let memberships = conn
        .prepare_cached(
            "SELECT accounts.*, role FROM memberships JOIN accounts ON accounts.id = account_id
             WHERE user_id = ? ORDER BY accounts.created_ms, accounts.id",
        )?
        .query_map([user.to_string()], |row| {
            Ok(Membership { account: rows::account(row)?, role: rows::role(row)? })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(memberships)
}

pub(super) fn account(conn: &Connection, id: AccountId) -> Result<Option<Account>> {
    let account = conn
        .prepare_cached("SELECT * FROM accounts WHERE id = ?")?
        .query_row([id.to_string()], rows::account)
        .optional()?;
    Ok(account)
}

pub(super) fn set_price(
    tx: &Transaction<'_>,
    id: AccountId,
    usd_per_million_tokens: f64,
    by: Actor,
) -> Result<Account> {
    check::price(usd_per_million_tokens)?;
    let account = tx
        .query_row(
            "UPDATE accounts SET usd_per_million_tokens = ? WHERE id = ? RETURNING *",
            params![usd_per_million_tokens, id.to_string()],
            rows::account,
        )
        .optional()?
        .ok_or(ControlError::NotFound)?;
    audit::note(tx, id, by, "account.price", &id.to_string())?;
    Ok(account)
}

/// The user who was made first.
pub(super) fn first(conn: &Connection) -> Result<Option<User>> {
    let user = conn
        .prepare_cached("SELECT * FROM users ORDER BY created_ms, id LIMIT 1")?
        .query_row([], rows::user)
        .optional()?;
    Ok(user)
}

/// The accounts that are lost with a user: those in which nobody else is. An account with others in it needs
/// another owner first.
pub(super) fn lost_with(conn: &Connection, user: UserId) -> Result<Vec<AccountId>> {
    self::user(conn, user)?.ok_or(ControlError::NotFound)?;
    let mut lost = Vec::new();
    for membership in memberships(conn, user)? {
        let id = membership.account.id;
        let (others, owners): (u32, u32) = conn.query_row(
            "SELECT count(*), count(*) FILTER (WHERE role = 'owner') FROM memberships WHERE account_id = ? AND user_id <> ?",
            params![id.to_string(), user.to_string()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        if others == 0 {
            lost.push(id);
        } else if owners == 0 && membership.role == Role::Owner {
            return Err(ControlError::LastOwner);
        }
    }
    Ok(lost)
}

/// Deletes an account, and says which servers were still in it.
pub(super) fn delete_account(tx: &Transaction<'_>, id: AccountId, by: Actor) -> Result<Vec<ServerId>> {
    let servers = servers::list(tx, id)?.into_iter().map(|server| server.id).collect();
    // Memberships, servers with all that is theirs, and tokens go with it.
    if tx.execute("DELETE FROM accounts WHERE id = ?", [id.to_string()])? == 0 {
        return Err(ControlError::NotFound);
    }
    audit::note(tx, id, by, "account.delete", &id.to_string())?;
    Ok(servers)
}

/// The accounts that are lost with the user must have gone.
pub(super) fn delete_user(tx: &Transaction<'_>, id: UserId, by: Actor) -> Result<()> {
    if !lost_with(tx, id)?.is_empty() {
        return Err(ControlError::LastOwner);
    }
    // While the memberships are there, which say whom it concerns.
    audit::note_user(tx, id, by, "user.delete")?;
    // Memberships, tokens, logins and links go with them.
    tx.execute("DELETE FROM users WHERE id = ?", [id.to_string()])?;
    Ok(())
}
