//! `mcpulse export`: the calls of a server as a file, through REST, as a running server owns its event files.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::anyhow;
use serde_json::json;

use super::backup::pour;
use super::{block_on, stores};
use crate::args::Global;
use crate::args_transfer::{ExportArgs, ExportFormat};
use crate::exit::Failure;
use crate::output::{Output, Progress};
use crate::rest::{self, Client};
use crate::whole_file::Target;

pub(crate) fn run(global: &Global, args: &ExportArgs) -> Result<ExitCode, Failure> {
    if args.format == ExportFormat::Parquet && args.output.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::usage(anyhow!("a terminal cannot show Parquet: set --output")));
    }
    if !args.server.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return Err(Failure::usage(anyhow!("the server must be an id, `srv_…`")));
    }
    block_on(async {
        if let Some(token) = &args.token {
            let client = match &args.url {
                Some(url) => Client::new(url, false),
                None => Client::new(&local(global)?, true),
            };
            return export(global, args, &client.with_bearer(token));
        }
        let control = stores::existing(&global.data)?;
        let user = stores::user(&control, args.user.as_deref()).await?;
        let client = Client::new(&local(global)?, true).signed_in(&control, user.id).await?;
        let done = export(global, args, &client);
        let signed_out = client.sign_out();
        let code = done?;
        signed_out?;
        Ok(code)
    })
}

/// The server that runs on the data directory.
fn local(global: &Global) -> Result<String, Failure> {
    match rest::running(&global.data)? {
        Some(running) => Ok(running.local),
        None => Err(rest::not_running(&global.data)),
    }
}

fn export(global: &Global, args: &ExportArgs, client: &Client) -> Result<ExitCode, Failure> {
    let one = |name, value: &Option<String>| value.clone().map(|value| (name, value));
    let mut query = vec![("format", args.format.name().to_owned())];
    query.extend(
        [("from", &args.from), ("to", &args.to), ("tz", &args.tz)].into_iter().filter_map(|(n, v)| one(n, v)),
    );
    query.extend(args.last_days.map(|days| ("last_days", days.to_string())));
    query.extend(args.tools.iter().map(|name| ("tools", name.clone())));
    query.extend(args.clients.iter().map(|name| ("clients", name.clone())));
    let answer = client.get(&format!("/v1/servers/{}/export", args.server), &query)?;
    let mut target = Target::of(args.output.as_deref())?;
    let mut progress = Progress::new("exported");
    pour(answer, &mut target, &mut progress)?;
    let bytes = progress.end();
    target.finish()?;
    if let Some(path) = &args.output {
        let value = json!({ "file": path, "bytes": bytes });
        Output::new(global.json).say(&value, &[format!("{bytes} bytes in {}", path.display())])?;
    }
    Ok(ExitCode::SUCCESS)
}
