//! The program that the conformance kit drives, for the Rust producer. `docs/harness.md` says what it must do.

mod fixtures;
mod servers;
mod tools;

use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, ExitCode};
use std::sync::{Arc, RwLock};

use clap::Parser;
use mcpulse::{AgreementOptions, Mcpulse, Options, Policy, Sessions, Watched};
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use servers::LowLevel;
use tools::{Kit, Quit};

/// The flags of `docs/harness.md`.
#[derive(Parser)]
struct Flags {
    /// Nothing, `fixtures` or `churn`, and its number.
    mode: Vec<String>,
    #[arg(long, default_value = "stdio")]
    transport: String,
    #[arg(long, default_value = "high")]
    api: String,
    #[arg(long, default_value = "stateful")]
    http: String,
    #[arg(long, default_value = "process")]
    sessions: String,
    #[arg(long)]
    unwatched: bool,
    #[arg(long)]
    early: bool,
    #[arg(long)]
    twice: bool,
    #[arg(long)]
    debug: bool,
    #[arg(long, default_value_t = 1)]
    servers: usize,
    #[arg(long)]
    on_sigterm: Option<i32>,
    #[arg(long, default_value_t = 0)]
    fork: usize,
    #[arg(long)]
    page: Option<usize>,
}

impl Flags {
    fn options(&self) -> Options {
        let amount =
            AgreementOptions::new().tool("price_a", "/order/amount").tool("price_b", "/order/amount");
        let sessions =
            if self.sessions == "conversation" { Sessions::Conversation } else { Sessions::Process };
        Options::new()
            .policy("strict", Policy::Authorization)
            .policy("never_called", Policy::Identity)
            .agreement("amount", amount)
            .sessions(sessions)
            .debug(self.debug)
    }

    /// Makes server objects that share their tools.
    fn maker(
        &self,
        quit: &UnboundedSender<Quit>,
    ) -> impl Fn() -> Kit + Clone + Send + Sync + 'static + use<> {
        let first = Kit::new(Arc::new(RwLock::default()), quit.clone());
        if !self.early {
            *first.router.write().unwrap_or_else(std::sync::PoisonError::into_inner) =
                mcpulse::rmcp::routes(tools::tools());
        }
        move || first.another()
    }
}

#[expect(clippy::print_stderr, reason = "how a harness says what it cannot do")]
fn main() -> ExitCode {
    let flags = match Flags::try_parse() {
        Ok(flags) => flags,
        Err(error) => {
            eprintln!("unsupported: {}", error.kind());
            return ExitCode::from(64);
        }
    };
    if flags.page.is_some() && flags.api != "low" {
        eprintln!("unsupported: --page: with --api low only");
        return ExitCode::from(64);
    }
    match run(flags) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    match flags.mode.first().map(String::as_str) {
        Some("fixtures") => {
            fixtures::answer()?;
            return Ok(ExitCode::SUCCESS);
        }
        Some("churn") => return churn(&flags, flags.mode.get(1).map_or(Ok(1_000), |count| count.parse())?),
        _ => {}
    }
    let (quit, quits) = unbounded_channel();
    if flags.transport != "http" {
        return block_on(flags.on_sigterm, quits, over_stdio(&flags, &quit));
    }
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let more: Vec<String> = (2..=flags.servers).map(|at| format!("{url}{at}")).collect();
    // The session begins before the fork, as that of a server that was watched when it was made.
    let before = if flags.unwatched { Mcpulse::off() } else { Mcpulse::new(flags.options()) };
    let _ = before.session_id();
    writeln!(std::io::stdout(), "{}", serde_json::json!({ "url": url, "more": more }))?;
    let children = fork_children(flags.fork)?;
    match children {
        Some(children) if flags.fork > 0 => parent(children, flags.on_sigterm, quits),
        _ => block_on(flags.on_sigterm, quits, over_http(&flags, &quit, listener)),
    }
}

/// Runs until the server has nothing left to do, or is told to end.
#[expect(
    clippy::disallowed_methods,
    clippy::panic,
    reason = "ways for a host to end, which the kit asks for"
)]
fn block_on(
    on_sigterm: Option<i32>,
    mut quits: UnboundedReceiver<Quit>,
    serving: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let serving = Box::pin(serving);
    let ended = runtime.block_on(async {
        if let Some(code) = on_sigterm {
            let mut terminations = signal(SignalKind::terminate())?;
            tokio::spawn(async move {
                terminations.recv().await;
                std::process::exit(code);
            });
        }
        tokio::select! {
            ended = serving => ended.map(|()| None),
            quit = quits.recv() => Ok(quit),
        }
    });
    match ended? {
        None => Ok(ExitCode::SUCCESS),
        Some(Quit::Exit(code)) => std::process::exit(code),
        Some(Quit::Uncaught) => {
            // A thread of the runtime still reads standard input, and nothing would end it.
            runtime.shutdown_background();
            panic!("nobody catches this")
        }
    }
}

/// What is served: as `--unwatched`, `--twice` and `--api` have it.
macro_rules! attached {
    ($flags:ident, $make:ident, |$each:ident| $serve:expr) => {{
        let pulse = if $flags.unwatched { None } else { Some(Mcpulse::new($flags.options())) };
        match (pulse, $flags.twice, $flags.api.as_str()) {
            (None, _, "low") => {
                let page = $flags.page;
                let $each = move || LowLevel($make(), page);
                $serve
            }
            (None, ..) => {
                let $each = $make;
                $serve
            }
            (Some(pulse), true, _) => {
                let $each = move || pulse.watch(pulse.watch($make()));
                $serve
            }
            (Some(pulse), _, "low") => {
                let page = $flags.page;
                let $each = move || pulse.watch(LowLevel($make(), page));
                $serve
            }
            (Some(pulse), ..) => {
                let $each = move || pulse.watch($make());
                $serve
            }
        }
    }};
}

/// With `--early`, the tools come after `watch`.
fn register_late(flags: &Flags, make: &impl Fn() -> Kit) {
    if flags.early {
        *make().router.write().unwrap_or_else(std::sync::PoisonError::into_inner) =
            mcpulse::rmcp::routes(tools::tools());
    }
}

async fn over_stdio(flags: &Flags, quit: &UnboundedSender<Quit>) -> anyhow::Result<()> {
    let make = flags.maker(quit);
    let again = make.clone();
    attached!(flags, make, |each| {
        let server = each();
        register_late(flags, &again);
        server.serve(stdio()).await?.waiting().await?;
    });
    Ok(())
}

async fn over_http(flags: &Flags, quit: &UnboundedSender<Quit>, listener: TcpListener) -> anyhow::Result<()> {
    let mut app = axum::Router::new();
    for at in 1..=flags.servers {
        let make = flags.maker(quit);
        register_late(flags, &make);
        let path = if at == 1 { "/mcp".to_owned() } else { format!("/mcp{at}") };
        attached!(flags, make, |each| app =
            app.nest_service(&path, service(each, flags.http != "stateless")));
    }
    Ok(axum::serve(tokio::net::TcpListener::from_std(listener)?, app).await?)
}

fn service<H: ServerHandler>(
    each: impl Fn() -> H + Send + Sync + 'static,
    stateful: bool,
) -> StreamableHttpService<H, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(stateful);
    StreamableHttpService::new(move || Ok(each()), Arc::new(LocalSessionManager::default()), config)
}

/// Forks; `None` in a child.
fn fork_children(count: usize) -> anyhow::Result<Option<Vec<i32>>> {
    let mut children = Vec::new();
    for _ in 0..count {
        match fork::fork()? {
            fork::Fork::Child => return Ok(None),
            fork::Fork::Parent(child) => children.push(child),
        }
    }
    Ok(Some(children))
}

/// Passes the end on to the children, and ends after them.
fn parent(
    children: Vec<i32>,
    on_sigterm: Option<i32>,
    quits: UnboundedReceiver<Quit>,
) -> anyhow::Result<ExitCode> {
    block_on(None, quits, async {
        signal(SignalKind::terminate())?.recv().await;
        for child in children {
            Command::new("kill").args(["-TERM", &child.to_string()]).status()?;
            fork::waitpid(child)?;
        }
        Ok(())
    })?;
    Ok(ExitCode::from(on_sigterm.and_then(|code| u8::try_from(code).ok()).unwrap_or(0)))
}

/// Makes, watches and drops server objects, and counts those that are left.
fn churn(flags: &Flags, count: usize) -> anyhow::Result<ExitCode> {
    let (quit, _quits) = unbounded_channel();
    let make = flags.maker(&quit);
    let pulse = Mcpulse::new(flags.options());
    let mut alive = Vec::new();
    for _ in 0..count {
        let watched: Watched<Kit> = pulse.watch(make());
        alive.push(Arc::downgrade(&watched._alive));
    }
    let alive = alive.iter().filter(|one| one.strong_count() > 0).count();
    writeln!(std::io::stdout(), "{}", serde_json::json!({ "created": count, "alive": alive }))?;
    Ok(ExitCode::SUCCESS)
}
