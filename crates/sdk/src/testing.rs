//! For users' own tests: a transport that keeps what would be sent.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use mcpulse::testing::TestTransport;
//! use mcpulse::{Mcpulse, Options};
//!
//! let sent = Arc::new(TestTransport::new());
//! let pulse = Mcpulse::with_transport(Options::new().key("mp_live_test"), sent.clone());
//! pulse.call("search").client("cursor").record(|| serde_json::json!({"content": []}));
//!
//! assert!(pulse.flush(Duration::from_secs(10)));
//! let calls = sent.calls();
//! assert_eq!(calls[0].tool_name, "search");
//! assert!(calls[0].is_empty);
//! ```

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use mcpulse_wire::payload::{Agreement, Call, Payload, Startup};

use crate::guard::lock;
use crate::transport::{Request, Response, Transport, TransportError};

/// Keeps every request and answers as told; 202 when not told otherwise.
#[derive(Debug, Default)]
pub struct TestTransport {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<Request>,
    taken: Vec<Payload>,
    answers: VecDeque<Result<Response, ()>>,
}

impl TestTransport {
    /// Takes everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers the next request with `status`, and with `Retry-After` if given. Answers queue up.
    pub fn answer(&self, status: u16, retry_after: Option<Duration>) {
        let response = Response { status, retry_after, body: Vec::new() };
        lock(&self.state).answers.push_back(Ok(response));
    }

    /// Answers the next request with nothing.
    pub fn answer_nothing(&self) {
        lock(&self.state).answers.push_back(Err(()));
    }

    /// Every request so far, tries included.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// The payloads of every request that was answered with success.
    #[must_use]
    pub fn payloads(&self) -> Vec<Payload> {
        lock(&self.state).taken.clone()
    }

    /// The calls among [`payloads`](Self::payloads).
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.payloads()
            .into_iter()
            .filter_map(|p| if let Payload::Call(call) = p { Some(call) } else { None })
            .collect()
    }

    /// The startups among [`payloads`](Self::payloads).
    #[must_use]
    pub fn startups(&self) -> Vec<Startup> {
        let startup = |p| if let Payload::Startup(startup) = p { Some(startup) } else { None };
        self.payloads().into_iter().filter_map(startup).collect()
    }

    /// The agreements among [`payloads`](Self::payloads).
    #[must_use]
    pub fn agreements(&self) -> Vec<Agreement> {
        let agreement = |p| if let Payload::Agreement(agreement) = p { Some(agreement) } else { None };
        self.payloads().into_iter().filter_map(agreement).collect()
    }
}

/// The payloads of a request's body.
#[must_use]
pub fn payloads_of(request: &Request) -> Vec<Payload> {
    #[derive(serde::Deserialize)]
    struct Body {
        batch: Vec<Payload>,
    }
    serde_json::from_slice::<Body>(request.body()).map(|body| body.batch).unwrap_or_default()
}

impl Transport for TestTransport {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let mut state = lock(&self.state);
        state.requests.push(request.clone());
        let answer = state.answers.pop_front().unwrap_or(Ok(Response { status: 202, ..Response::default() }));
        let response = answer.map_err(|()| TransportError::new("told to answer nothing"))?;
        if (200..300).contains(&response.status) {
            state.taken.extend(payloads_of(request));
        }
        Ok(response)
    }
}
