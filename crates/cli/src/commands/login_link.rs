//! `mcpulse login-link`: on the control store, also while a server runs.

use std::process::ExitCode;

use mcpulse_server::{LINK_MINUTES, sign_in_link};
use mcpulse_store::control::Actor;
use serde_json::json;

use super::{block_on, stores};
use crate::args::{Global, LoginLinkArgs};
use crate::exit::Failure;
use crate::output::Output;
use crate::rest;

pub(crate) fn run(global: &Global, args: &LoginLinkArgs) -> Result<ExitCode, Failure> {
    block_on(async {
        let control = stores::existing(&global.data)?;
        let user = stores::user(&control, args.user.as_deref()).await?;
        let url = match &args.public_url {
            Some(url) => url.clone(),
            // A link that leads nowhere helps nobody; `serve` prints one when it starts.
            None => rest::running(&global.data)?.ok_or_else(|| rest::not_running(&global.data))?.url,
        };
        let link = sign_in_link(&control, &url, user.id, Actor::Operator).await?;
        let value = json!({ "sign_in": link, "expires_in_minutes": LINK_MINUTES });
        Output::new(global.json).say(&value, &[link])?;
        Ok(ExitCode::SUCCESS)
    })
}
