//! How the server is reached, and where it is watched.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use mcpulse::{AgreementOptions, Mcpulse, Options, Sessions};
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Orders, Release};
use crate::shop::Shop;

/// Options of `orders serve`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("how").required(true).args(["stdio", "http"]))]
pub(crate) struct ServeArgs {
    /// Speak MCP over standard input and output.
    #[arg(long)]
    stdio: bool,
    /// Speak MCP over streamable HTTP at /mcp on this address.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    http: Option<String>,
    /// With --http: end when standard input closes, so that no server outlives who started it.
    #[arg(long, requires = "http")]
    until_stdin_closes: bool,
    /// Which wording of the tools is deployed.
    #[arg(long, value_enum, default_value = "1")]
    release: Release,
    /// Print every payload sent on standard error.
    #[arg(long)]
    debug: bool,
}

/// Serves until the client leaves. The ingest key and endpoint come from MCPULSE_KEY and MCPULSE_ENDPOINT; without
/// a key nothing is recorded.
pub(crate) async fn serve(args: ServeArgs) -> anyhow::Result<()> {
    let shop = Arc::new(Shop::open());
    let vat = AgreementOptions::new().tool("get_order", "/vat_percent").tool("get_invoice", "/vat_percent");
    let options = Options::new().debug(args.debug).agreement("VAT rate", vat);
    match args.http {
        None => {
            let orders = mcpulse::watch_with(Orders::new(shop, args.release), options);
            orders.serve(stdio()).await?.waiting().await?;
            Ok(())
        }
        Some(address) => {
            // Many users at once: each conversation that the protocol names is a session of its own.
            let pulse = Mcpulse::new(options.sessions(Sessions::Conversation));
            let service = StreamableHttpService::new(
                move || Ok(pulse.watch(Orders::new(Arc::clone(&shop), args.release))),
                Arc::new(LocalSessionManager::default()),
                StreamableHttpServerConfig::default(),
            );
            let app = axum::Router::new().nest_service("/mcp", service);
            let listener = tokio::net::TcpListener::bind(&address)
                .await
                .with_context(|| format!("binding {address}"))?;
            writeln!(std::io::stdout(), "listening on http://{}/mcp", listener.local_addr()?)?;
            let serving = axum::serve(listener, app).into_future();
            if args.until_stdin_closes {
                tokio::select! {
                    ended = serving => ended?,
                    () = crate::stdin::closed() => {},
                }
            } else {
                serving.await?;
            }
            Ok(())
        }
    }
}
