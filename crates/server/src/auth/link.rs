//! Sign-in links: they live 15 minutes and work once.

use mcpulse_store::control::{Actor, ControlError, ControlStore};
use mcpulse_store::id::UserId;
use mcpulse_store::secret::{NoRandomness, Secret, SecretKind};

use crate::app::now_ms;

/// How long a sign-in link works, in minutes.
pub const LINK_MINUTES: i64 = 15;

/// How long an operator's pass works.
const PASS_MS: i64 = 60_000;

/// Why a sign-in link could not be made.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The operating system gave no random bytes.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// The control store failed.
    #[error(transparent)]
    Control(#[from] ControlError),
}

/// Makes a link with which a user signs in to the server at `url`. The secret follows the `#`, so that it is
/// in no log of a proxy and in no `Referer`; the page that opens sends it with a POST, which uses it up.
///
/// # Errors
/// When the control store fails or there is no such user.
pub async fn sign_in_link(
    control: &dyn ControlStore,
    url: &str,
    user: UserId,
    by: Actor,
) -> Result<String, LinkError> {
    let secret = Secret::generate(SecretKind::LoginLink)?;
    control.create_login_link(user, &secret.to_stored().hash, now_ms() + LINK_MINUTES * 60_000, by).await?;
    Ok(format!("{}/sign-in#{}", url.trim_end_matches('/'), secret.reveal()))
}

/// Makes a pass with which the command line is let in by the running server as its operator, once, within a minute.
///
/// # Errors
/// When the control store fails.
pub async fn operator_pass(control: &dyn ControlStore) -> Result<Secret, LinkError> {
    let secret = Secret::generate(SecretKind::OperatorPass)?;
    control.create_operator_pass(&secret.to_stored().hash, now_ms() + PASS_MS).await?;
    Ok(secret)
}
