//! `mcpulse servers`: on the control store, also while a server runs.

use std::process::ExitCode;

use mcpulse_store::control::{Actor, ControlStore, Server};

use super::{block_on, stores};
use crate::args::{Global, ServersArgs, ServersCommand};
use crate::exit::Failure;
use crate::output::{self, Output};

pub(crate) fn run(global: &Global, args: &ServersArgs) -> Result<ExitCode, Failure> {
    block_on(async {
        let control = stores::existing(&global.data)?;
        let servers = match &args.command {
            ServersCommand::List(account) => {
                control.servers(stores::account(&control, account).await?.id).await?
            }
            ServersCommand::Create { name, account } => {
                let account = stores::account(&control, account).await?;
                vec![control.create_server(account.id, name, Actor::Operator).await?]
            }
        };
        Output::new(global.json).rows(["server", "name", "retention", "created"], &servers, cells)?;
        Ok(ExitCode::SUCCESS)
    })
}

fn cells(server: &Server) -> [String; 4] {
    let retention = server.retention_days.map_or_else(|| "kept".to_owned(), |days| format!("{days} days"));
    [server.id.to_string(), server.name.clone(), retention, output::time(server.created_ms)]
}
