//! Rows as the types of the trait.

use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::Type;

use crate::control::{AccessToken, Account, IngestKey, Role, Scope, Server, ToolMode, User};

type Result<T> = rusqlite::Result<T>;

/// A column that holds the text of a type.
pub(super) fn parsed<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(
    row: &Row<'_>,
    column: &str,
) -> Result<T> {
    let index = row.as_ref().column_index(column)?;
    let text = row.get_ref(index)?.as_str()?;
    text.parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error)))
}

/// A column that holds one word of an enumeration.
fn word<T>(row: &Row<'_>, column: &str, known: impl Fn(&str) -> Option<T>) -> Result<T> {
    let index = row.as_ref().column_index(column)?;
    known(row.get_ref(index)?.as_str()?).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(index, Type::Text, "a word of an unknown meaning".into())
    })
}

pub(super) fn user(row: &Row<'_>) -> Result<User> {
    Ok(User { id: parsed(row, "id")?, email: row.get("email")?, created_ms: row.get("created_ms")? })
}

pub(super) fn account(row: &Row<'_>) -> Result<Account> {
    Ok(Account {
        id: parsed(row, "id")?,
        name: row.get("name")?,
        usd_per_million_tokens: row.get("usd_per_million_tokens")?,
        created_ms: row.get("created_ms")?,
    })
}

pub(super) fn server(row: &Row<'_>) -> Result<Server> {
    Ok(Server {
        id: parsed(row, "id")?,
        account_id: parsed(row, "account_id")?,
        name: row.get("name")?,
        retention_days: row.get("retention_days")?,
        created_ms: row.get("created_ms")?,
    })
}

pub(super) fn key(row: &Row<'_>) -> Result<IngestKey> {
    Ok(IngestKey {
        id: parsed(row, "id")?,
        server_id: parsed(row, "server_id")?,
        name: row.get("name")?,
        prefix: row.get("prefix")?,
        limit_per_minute: row.get("limit_per_minute")?,
        created_ms: row.get("created_ms")?,
        revoked_ms: row.get("revoked_ms")?,
    })
}

pub(super) fn token(row: &Row<'_>) -> Result<AccessToken> {
    Ok(AccessToken {
        id: parsed(row, "id")?,
        user_id: parsed(row, "user_id")?,
        account_id: parsed(row, "account_id")?,
        name: row.get("name")?,
        prefix: row.get("prefix")?,
        scopes: word(row, "scopes", |text| text.split(' ').map(scope_of).collect())?,
        created_ms: row.get("created_ms")?,
        expires_ms: row.get("expires_ms")?,
        revoked_ms: row.get("revoked_ms")?,
    })
}

pub(super) fn role(row: &Row<'_>) -> Result<Role> {
    word(row, "role", |text| match text {
        "member" => Some(Role::Member),
        "admin" => Some(Role::Admin),
        "owner" => Some(Role::Owner),
        _ => None,
    })
}

pub(super) fn mode(row: &Row<'_>) -> Result<ToolMode> {
    word(row, "mode", |text| match text {
        "in_series" => Some(ToolMode::InSeries),
        "one_answer" => Some(ToolMode::OneAnswer),
        _ => None,
    })
}

pub(super) fn mode_word(mode: ToolMode) -> &'static str {
    match mode {
        ToolMode::InSeries => "in_series",
        ToolMode::OneAnswer => "one_answer",
    }
}

fn scope_of(word: &str) -> Option<Scope> {
    match word {
        "read" => Some(Scope::Read),
        "write" => Some(Scope::Write),
        _ => None,
    }
}

pub(super) fn scope_words(scopes: &[Scope]) -> String {
    let words: Vec<_> = scopes
        .iter()
        .map(|scope| match scope {
            Scope::Read => "read",
            Scope::Write => "write",
        })
        .collect();
    words.join(" ")
}
