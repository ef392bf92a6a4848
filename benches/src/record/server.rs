//! What watching adds to a call, beside the same server unwatched.

use std::time::Instant;

use mcpulse::{Mcpulse, Options};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;

const ROUNDS: usize = 3_000;

struct Server(String);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text(self.0.clone())]).into())
    }
}

async fn connect(handler: impl ServerHandler) -> anyhow::Result<RunningService<RoleClient, ()>> {
    let (near, far) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        if let Ok(serving) = handler.serve(far).await {
            let _ = serving.waiting().await;
        }
    });
    Ok(().serve(near).await?)
}

pub(super) fn run(arguments: &Value, text: &str, endpoint: &str) -> anyhow::Result<()> {
    let pulse = Mcpulse::new(Options::new().key("mp_live_bench_rmcp").endpoint(endpoint));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let plain = connect(Server(text.to_owned())).await?;
        let watched = connect(pulse.watch(Server(text.to_owned()))).await?;
        let mut added = Vec::with_capacity(ROUNDS);
        for round in 0..ROUNDS {
            // They take turns at going first.
            let (first, second) = if round % 2 == 0 { (&plain, &watched) } else { (&watched, &plain) };
            let (one, other) = (call(first, arguments).await?, call(second, arguments).await?);
            added.push(if round % 2 == 0 { other - one } else { one - other });
        }
        added.sort_by(f64::total_cmp);
        let median = added.get(ROUNDS / 2).copied().unwrap_or(f64::NAN) * 1e6;
        println!("watching an rmcp server, 2 KB of arguments and 10 KB of result");
        println!(
            "  {} {median:.2} µs added to a call at the median, wanted < 5 µs\n",
            if median < 5.0 { "reached" } else { "MISSED " }
        );
        Ok(())
    })
}

/// Seconds that one call took.
async fn call(client: &RunningService<RoleClient, ()>, arguments: &Value) -> anyhow::Result<f64> {
    let params =
        CallToolRequestParams::new("t").with_arguments(arguments.as_object().cloned().unwrap_or_default());
    let begin = Instant::now();
    client.call_tool(params).await?;
    Ok(begin.elapsed().as_secs_f64())
}
