//! Asking a running server over REST.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use mcpulse_server::sign_in_link;
use mcpulse_store::control::{Actor, ControlStore};
use mcpulse_store::duckdb::is_in_use;
use mcpulse_store::id::UserId;
use serde::Deserialize;
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

use crate::exit::Failure;

/// Holds where the running server is: first for browsers, then for programs on this machine.
pub(crate) const ADDRESS_FILE: &str = "server.url";

/// How long a server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Where a running server is.
pub(crate) struct Running {
    /// For browsers.
    pub(crate) url: String,
    /// For programs on this machine.
    pub(crate) local: String,
}

/// The server that works on a data directory; `None` when none does, whatever one that was killed left behind.
pub(crate) fn running(data: &Path) -> Result<Option<Running>, Failure> {
    if !is_in_use(data)? {
        return Ok(None);
    }
    let path = data.join(ADDRESS_FILE);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("something works on {} and has not said where it is", data.display()))?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let url = lines.next().ok_or_else(|| anyhow!("{} is empty", path.display()))?.to_owned();
    let local = lines.next().unwrap_or(&url).to_owned();
    Ok(Some(Running { url, local }))
}

/// What to say when nothing works on a data directory.
pub(crate) fn not_running(data: &Path) -> Failure {
    anyhow!("no server runs on {}: start `mcpulse serve`", data.display()).into()
}

/// What a server says of an error.
#[derive(Deserialize)]
struct Problem {
    title: String,
    detail: Option<String>,
    #[serde(default)]
    errors: Vec<FieldError>,
}

#[derive(Deserialize)]
struct FieldError {
    field: String,
    rule: String,
}

/// A client of one server.
pub(crate) struct Client {
    agent: Agent,
    url: String,
    /// The header that says who asks.
    credential: Option<(header::HeaderName, String)>,
}

impl Client {
    pub(crate) fn new(url: &str, local: bool) -> Self {
        let mut config = Agent::config_builder().http_status_as_error(false).timeout_connect(Some(CONNECT));
        // A proxy leads out of this machine.
        if local {
            config = config.proxy(None);
        }
        let agent = config.build().into();
        Self { agent, url: url.trim_end_matches('/').to_owned(), credential: None }
    }

    pub(crate) fn with_bearer(mut self, secret: &str) -> Self {
        self.credential = Some((header::AUTHORIZATION, format!("Bearer {secret}")));
        self
    }

    /// Signs a user in by a link that is made for it, as a browser would be.
    pub(crate) async fn signed_in(
        mut self,
        control: &dyn ControlStore,
        user: UserId,
    ) -> Result<Self, Failure> {
        let link = sign_in_link(control, &self.url, user, Actor::Operator).await?;
        let token = link.split_once('#').map(|(_, token)| token).unwrap_or_default();
        let answer = self.post("/v1/sign-in", Some(&serde_json::json!({ "token": token })))?;
        let cookie = answer.headers().get(header::SET_COOKIE).and_then(|cookie| cookie.to_str().ok());
        let cookie = cookie.and_then(|cookie| cookie.split(';').next());
        let cookie = cookie.ok_or_else(|| anyhow!("the server signed nobody in"))?.to_owned();
        self.credential = Some((header::COOKIE, cookie));
        Ok(self)
    }

    pub(crate) fn sign_out(&self) -> Result<(), Failure> {
        self.post("/v1/sign-out", None).map(|_| ())
    }

    /// A GET whose answer is to be read bit by bit.
    pub(crate) fn get(&self, path: &str, query: &[(&str, String)]) -> Result<impl Read + use<>, Failure> {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        for (name, value) in query {
            request = request.query(name, value);
        }
        if let Some((name, value)) = &self.credential {
            request = request.header(name, value);
        }
        let answer = request.call().with_context(|| format!("no answer from {}", self.url))?;
        Ok(taken(answer)?.into_body().into_reader())
    }

    /// A POST; the answer may be read bit by bit.
    pub(crate) fn post(
        &self,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> Result<Response<Body>, Failure> {
        let mut request = self.agent.post(format!("{}{path}", self.url));
        if let Some((name, value)) = &self.credential {
            request = request.header(name, value);
        }
        let answer = match body {
            Some(body) => request.content_type("application/json").send(body.to_string()),
            None => request.send_empty(),
        };
        taken(answer.with_context(|| format!("no answer from {}", self.url))?)
    }
}

/// The answer, if it is one to what was asked.
fn taken(mut answer: Response<Body>) -> Result<Response<Body>, Failure> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let text = answer.body_mut().read_to_string().unwrap_or_default();
    let said = match serde_json::from_str::<Problem>(&text) {
        Ok(problem) => {
            let errors = problem.errors.iter().map(|error| format!("{} {}", error.field, error.rule));
            let parts: Vec<String> = problem.detail.into_iter().chain(errors).collect();
            if parts.is_empty() { problem.title } else { format!("{}: {}", problem.title, parts.join("; ")) }
        }
        Err(_) => format!("the server answered {status}"),
    };
    let error = anyhow!("{said}");
    Err(if status == StatusCode::UNPROCESSABLE_ENTITY { Failure::usage(error) } else { error.into() })
}
