//! `mcpulse login-link`: on the control store, also while a server runs.

use std::path::Path;
use std::process::ExitCode;

use mcpulse_server::{LINK_MINUTES, sign_in_link};
use mcpulse_store::control::Actor;
use serde_json::json;

use super::serve::ADDRESS_FILE;
use super::{block_on, stores};
use crate::args::{Global, LoginLinkArgs};
use crate::exit::Failure;
use crate::output::Output;

/// Where a server is that has not said otherwise.
const DEFAULT_URL: &str = "http://127.0.0.1:7077";

pub(crate) fn run(global: &Global, args: &LoginLinkArgs) -> Result<ExitCode, Failure> {
    block_on(async {
        let control = stores::existing(&global.data)?;
        let user = stores::user(&control, &args.user).await?;
        let url = args.public_url.clone().unwrap_or_else(|| running(&global.data));
        let link = sign_in_link(&control, &url, user.id, Actor::Operator).await?;
        let value = json!({ "sign_in": link, "expires_in_minutes": LINK_MINUTES });
        Output::new(global.json).say(&value, &[link])?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Where the running server said it is.
fn running(data: &Path) -> String {
    std::fs::read_to_string(data.join(ADDRESS_FILE))
        .map(|text| text.trim().to_owned())
        .ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| DEFAULT_URL.to_owned())
}
