//! `mcpulse keys`: on the control store, also while a server runs.

use std::process::ExitCode;

use anyhow::anyhow;
use mcpulse_store::control::{Actor, ControlStore, IngestKey, SqliteControl};
use mcpulse_store::id::KeyId;
use mcpulse_store::secret::{Secret, SecretKind};
use serde::Serialize;

use super::{block_on, stores};
use crate::args::{Global, KeysArgs, KeysCommand};
use crate::exit::Failure;
use crate::output::{self, Output};

/// A key that was just made, with the secret that is shown this once.
#[derive(Serialize)]
struct Created<'a> {
    key: &'a IngestKey,
    secret: &'a str,
}

pub(crate) fn run(global: &Global, args: &KeysArgs) -> Result<ExitCode, Failure> {
    block_on(async {
        let control = stores::existing(&global.data)?;
        let mut output = Output::new(global.json);
        match &args.command {
            KeysCommand::List { server } => {
                let server = stores::server(&control, server).await?;
                let keys = control.keys(server.id).await?;
                let head = ["key", "name", "begins", "limit/min", "created", "revoked"];
                output.rows(head, &keys, cells)?;
            }
            KeysCommand::Create { server, name } => create(&control, &mut output, server, name).await?,
            KeysCommand::Revoke { key } => {
                let id: KeyId =
                    key.parse().map_err(|_| Failure::usage(anyhow!("the key must be an id, `key_…`")))?;
                let key = control.revoke_key(id, Actor::Operator).await?;
                output.say(&key, &[format!("{} is revoked", key.id)])?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn create(
    control: &SqliteControl,
    output: &mut Output,
    server: &str,
    name: &str,
) -> Result<(), Failure> {
    let server = stores::server(control, server).await?;
    let secret = Secret::generate(SecretKind::IngestKey)?;
    let key = control.create_key(server.id, name, &secret.to_stored(), Actor::Operator).await?;
    let lines = [
        format!("{} for {}. The key, shown this once:", key.id, output::plain(&server.name)),
        secret.reveal().to_owned(),
    ];
    Ok(output.say(&Created { key: &key, secret: secret.reveal() }, &lines)?)
}

fn cells(key: &IngestKey) -> [String; 6] {
    [
        key.id.to_string(),
        key.name.clone(),
        format!("{}…", key.prefix),
        key.limit_per_minute.to_string(),
        output::time(key.created_ms),
        key.revoked_ms.map(output::time).unwrap_or_default(),
    ]
}
