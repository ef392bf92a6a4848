//! Agents that use the server as models do, so that every number on the dashboard comes from real traffic.

mod conversation;
mod errands;
mod servers;
mod tally;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use self::conversation::{Conversation, Persona};
use self::servers::{Deployment, HttpServer, Target};
use self::tally::{Tally, say};
use crate::random::Random;
use crate::server::Release;
use crate::shop::Shop;

/// Two clients of different skill: `cursor` often gets `get_customer` wrong at the first try.
static PERSONAS: [Persona; 2] = [
    Persona { name: "claude-desktop", version: "1.12.0", slips: 6 },
    Persona { name: "cursor", version: "3.2.1", slips: 65 },
];

/// Options of `orders agents`.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentsArgs {
    /// Ingest key (mp_live_…) of the MCPulse server's record of this shop.
    #[arg(long, env = "MCPULSE_KEY", hide_env_values = true)]
    ingest_key: String,
    /// Where the MCPulse server is.
    #[arg(long, env = "MCPULSE_ENDPOINT", default_value = mcpulse::DEFAULT_ENDPOINT)]
    endpoint: String,
    /// Conversations at a time.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=50))]
    agents: u64,
    /// Seconds until the reworded release is deployed.
    #[arg(long, default_value_t = 75)]
    redeploy_after: u64,
    /// Seconds to run; until Ctrl-C if not given.
    #[arg(long)]
    stop_after: Option<u64>,
    /// End when standard input closes, so that no agents outlive who started them.
    #[arg(long)]
    until_stdin_closes: bool,
    /// Where the story starts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the agents until Ctrl-C.
pub(crate) async fn run(args: AgentsArgs) -> anyhow::Result<()> {
    let target = Arc::new(Target::new(args.ingest_key, args.endpoint)?);
    let tally = Arc::new(Tally::default());
    say("two kinds of agents use a shop's MCP server, over stdio and over HTTP; Ctrl-C ends it");
    let mut http = HttpServer::start(&target, Release::First).await?;
    let (deploy, deployed) = watch::channel(http.deployment());

    let mut work = JoinSet::new();
    for worker in 0..args.agents {
        let random = Random::new(args.seed.wrapping_mul(1_000).wrapping_add(worker));
        work.spawn(agent(worker, random, Arc::clone(&target), deployed.clone(), Arc::clone(&tally)));
    }

    let mut report = tokio::time::interval(Duration::from_secs(15));
    report.tick().await;
    let redeploy = tokio::time::sleep(Duration::from_secs(args.redeploy_after));
    tokio::pin!(redeploy);
    let stop = stopped(args.stop_after, args.until_stdin_closes);
    tokio::pin!(stop);
    let mut is_second = false;
    loop {
        tokio::select! {
            () = &mut stop => break,
            () = &mut redeploy, if !is_second => {
                is_second = true;
                say("── redeploying: 1.5.0 says what search_orders searches; watch it being reworded less ──");
                let next = HttpServer::start(&target, Release::Second).await?;
                let _ = deploy.send(next.deployment());
                // Conversations on the old server come to their end; agents begin new ones on the new.
                let old = std::mem::replace(&mut http, next);
                tokio::spawn(old.retire());
            },
            _ = report.tick() => say(&tally.summary()),
        }
    }
    work.shutdown().await;
    http.stop().await;
    say(&tally.summary());
    Ok(())
}

/// One conversation after the other.
async fn agent(
    worker: u64,
    mut random: Random,
    target: Arc<Target>,
    deployed: watch::Receiver<Deployment>,
    tally: Arc<Tally>,
) {
    let shop = Shop::open();
    // Not all at once: a crowd that moves in step is no crowd.
    tokio::time::sleep(Duration::from_millis(worker * 350)).await;
    loop {
        let persona = &PERSONAS[usize::from(random.chance(45))];
        let over_http = random.chance(55);
        let deployment = deployed.borrow().clone();
        match Conversation::open(persona, over_http, &target, &deployment, random.clone(), Arc::clone(&tally))
            .await
        {
            Ok(conversation) => errands::run(conversation, &shop).await,
            Err(error) => {
                say(&format!("{}: cannot reach the server: {error:#}", persona.name));
                tokio::time::sleep(Duration::from_secs(2)).await;
            }
        }
        // The conversation worked on a copy; the next one goes on from somewhere else.
        random = Random::new(random.between(0, u64::MAX));
        tokio::time::sleep(Duration::from_millis(random.between(300, 1_500))).await;
    }
}

async fn stopped(after: Option<u64>, until_stdin_closes: bool) {
    let time = async {
        match after {
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
    };
    let orphaned = async {
        if until_stdin_closes { crate::stdin::closed().await } else { std::future::pending().await }
    };
    tokio::select! {
        () = time => {},
        () = orphaned => {},
        _ = tokio::signal::ctrl_c() => {},
        () = terminated() => {},
    }
}

#[cfg(unix)]
async fn terminated() {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
