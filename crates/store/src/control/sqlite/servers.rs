//! Servers and how their tools are called.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{audit, check, clock, people, rows};
use crate::control::{Actor, ControlError, Server, ToolMode};
use crate::id::{AccountId, ServerId};

type Result<T> = std::result::Result<T, ControlError>;

pub(super) fn create(tx: &Transaction<'_>, account_id: AccountId, name: &str, by: Actor) -> Result<Server> {
    let name = check::name("name", name)?.to_owned();
    people::account(tx, account_id)?.ok_or(ControlError::NotFound)?;
    let server =
        Server { id: ServerId::new(), account_id, name, retention_days: None, created_ms: clock::now_ms() };
    tx.execute(
        "INSERT INTO servers (id, account_id, name, created_ms) VALUES (?, ?, ?, ?)",
        params![server.id.to_string(), account_id.to_string(), server.name, server.created_ms],
    )?;
    audit::note(tx, account_id, by, "server.create", &server.id.to_string())?;
    Ok(server)
}

pub(super) fn find(conn: &Connection, id: ServerId) -> Result<Option<Server>> {
    let server = conn
        .prepare_cached("SELECT * FROM servers WHERE id = ?")?
        .query_row([id.to_string()], rows::server)
        .optional()?;
    Ok(server)
}

/// Finds a server that something is about to be done to.
pub(super) fn must(conn: &Connection, id: ServerId) -> Result<Server> {
    find(conn, id)?.ok_or(ControlError::NotFound)
}

pub(super) fn list(conn: &Connection, account: AccountId) -> Result<Vec<Server>> {
    let servers = conn
        .prepare_cached("SELECT * FROM servers WHERE account_id = ? ORDER BY created_ms, id")?
        .query_map([account.to_string()], rows::server)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(servers)
}

pub(super) fn all(conn: &Connection) -> Result<Vec<ServerId>> {
    let servers = conn
        .prepare_cached("SELECT id FROM servers ORDER BY created_ms, id")?
        .query_map([], |row| rows::parsed(row, "id"))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(servers)
}

pub(super) fn update(
    tx: &Transaction<'_>,
    id: ServerId,
    name: &str,
    retention_days: Option<u32>,
    by: Actor,
) -> Result<Server> {
    let name = check::name("name", name)?;
    check::retention(retention_days)?;
    let server = tx
        .query_row(
            "UPDATE servers SET name = ?, retention_days = ? WHERE id = ? RETURNING *",
            params![name, retention_days, id.to_string()],
            rows::server,
        )
        .optional()?
        .ok_or(ControlError::NotFound)?;
    audit::note(tx, server.account_id, by, "server.update", &id.to_string())?;
    Ok(server)
}

pub(super) fn delete(tx: &Transaction<'_>, id: ServerId, by: Actor) -> Result<()> {
    let server = must(tx, id)?;
    // Keys and tool modes go with it.
    tx.execute("DELETE FROM servers WHERE id = ?", [id.to_string()])?;
    audit::note(tx, server.account_id, by, "server.delete", &id.to_string())
}

pub(super) fn tool_modes(conn: &Connection, server: ServerId) -> Result<Vec<(String, ToolMode)>> {
    let modes = conn
        .prepare_cached("SELECT tool, mode FROM tool_modes WHERE server_id = ? ORDER BY tool")?
        .query_map([server.to_string()], |row| Ok((row.get("tool")?, rows::mode(row)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(modes)
}

pub(super) fn set_tool_mode(
    tx: &Transaction<'_>,
    id: ServerId,
    tool: &str,
    mode: Option<ToolMode>,
    by: Actor,
) -> Result<()> {
    check::tool(tool)?;
    let server = must(tx, id)?;
    match mode {
        Some(mode) => tx.execute(
            "INSERT INTO tool_modes (server_id, tool, mode) VALUES (?, ?, ?)
             ON CONFLICT (server_id, tool) DO UPDATE SET mode = excluded.mode",
            params![id.to_string(), tool, rows::mode_word(mode)],
        )?,
        None => tx.execute(
            "DELETE FROM tool_modes WHERE server_id = ? AND tool = ?",
            params![id.to_string(), tool],
        )?,
    };
    // The subject is the server: a tool's name is free text and has no place in the log.
    audit::note(tx, server.account_id, by, "tool_mode.set", &id.to_string())
}
