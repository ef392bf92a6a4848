//! The embedded stores of a data directory, and who a command works for.

use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use mcpulse_store::backup::UNFINISHED;
use mcpulse_store::control::{Account, ControlStore, Server, SqliteControl, User};
use mcpulse_store::duckdb::{DuckEvents, Options};
use mcpulse_store::id::{AccountId, ServerId};

use crate::args::AccountArgs;
use crate::exit::Failure;

/// The file that makes a directory a data directory.
const CONTROL_FILE: &str = "control.sqlite";

/// Opens the control store of a server that was started before; it may be running.
pub(crate) fn existing(data: &Path) -> Result<SqliteControl, Failure> {
    if !data.join(CONTROL_FILE).is_file() {
        let error = anyhow!("{} holds no data: start `mcpulse serve` first, or set --data", data.display());
        return Err(Failure::usage(error));
    }
    control(data)
}

/// Refuses a directory that is not wholly restored, and one whose control store has gone while its event files are there: a new one would hide them.
pub(crate) fn whole(data: &Path) -> Result<(), Failure> {
    if data.join(UNFINISHED).exists() {
        let error =
            anyhow!("{} was not wholly restored: empty it, and restore the backup again", data.display());
        return Err(Failure::data(error));
    }
    let control = data.join(CONTROL_FILE);
    let has_control = control.metadata().is_ok_and(|file| file.len() > 0);
    if !has_control && has_events(&data.join("events"))? {
        let error = anyhow!(
            "{} is missing or empty, and there are event files beside it: put it back from a backup, or move the \
             directory `events` away to begin anew",
            control.display()
        );
        return Err(Failure::data(error));
    }
    Ok(())
}

/// Whether a directory holds event files. One that is not there holds none.
fn has_events(dir: &Path) -> Result<bool, Failure> {
    let entries = match dir.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(anyhow!(error).context(format!("cannot read {}", dir.display())).into()),
    };
    for entry in entries {
        if entry?.path().extension().is_some_and(|end| end == "duckdb") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Opens the control store, making it if need be.
pub(crate) fn control(data: &Path) -> Result<SqliteControl, Failure> {
    Ok(SqliteControl::open(data)
        .with_context(|| format!("the data directory {} cannot be used", data.display()))?)
}

/// Opens the event store, which belongs to one process at a time.
pub(crate) fn events(data: &Path, options: Options) -> Result<Arc<DuckEvents>, Failure> {
    let events = DuckEvents::open(data, options);
    Ok(Arc::new(events.with_context(|| format!("the data directory {} cannot be used", data.display()))?))
}

/// The user, who has to be there.
pub(crate) async fn user(control: &dyn ControlStore, email: Option<&str>) -> Result<User, Failure> {
    let (user, none) = match email {
        Some(email) => (control.user_by_email(email).await?, "there is no user with that email (--user)"),
        None => (control.first_user().await?, "there is no user yet: start `mcpulse serve`"),
    };
    user.ok_or_else(|| Failure::usage(anyhow!(none)))
}

/// The account that a command works in: the one named, or the user's first.
pub(crate) async fn account(control: &dyn ControlStore, args: &AccountArgs) -> Result<Account, Failure> {
    let user = user(control, args.user.as_deref()).await?;
    let wanted: Option<AccountId> = match &args.account {
        Some(id) => {
            Some(id.parse().map_err(|_| Failure::usage(anyhow!("--account must be an id, `acc_…`")))?)
        }
        None => None,
    };
    let mut accounts = control.memberships(user.id).await?.into_iter().map(|one| one.account);
    let account = accounts.find(|account| wanted.is_none_or(|id| id == account.id));
    account.ok_or_else(|| Failure::usage(anyhow!("the user is in no such account")))
}

/// The server, which has to be there.
pub(crate) async fn server(control: &dyn ControlStore, id: &str) -> Result<Server, Failure> {
    let id: ServerId =
        id.parse().map_err(|_| Failure::usage(anyhow!("the server must be an id, `srv_…`")))?;
    let server = control.server(id).await?;
    server.ok_or_else(|| anyhow!("there is no such server").into())
}
