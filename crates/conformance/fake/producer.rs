//! A small producer that keeps every rule, except for the fault that is planted in it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mcpulse_conformance::http1::{self, Body};
use mcpulse_wire::{hash, time};
use serde_json::{Value, json};

use crate::faults::has;

const RING: usize = 1_000;
const BATCH: usize = 500;
const RETRY: Duration = Duration::from_secs(5);
const AGENT: &str = "mcpulse-fake/0.1.0";

struct Batch {
    key: String,
    body: String,
    /// Payloads that came from the ring.
    count: usize,
    startup: Option<String>,
    in_flight: bool,
    evicted: bool,
}

/// What became of everything, for the loss report.
#[derive(Default)]
struct Counts {
    recorded: usize,
    sent: usize,
    overflowed: usize,
    refused: usize,
    cancelled: usize,
}

#[derive(Default)]
struct State {
    ring: VecDeque<(Instant, String)>,
    pending: Option<Batch>,
    startup: Option<String>,
    known: HashSet<String>,
    not_before: Option<Instant>,
    hurry: bool,
    failed: bool,
    counts: Counts,
    values: HashMap<(String, String), Value>,
    conversations: HashMap<String, String>,
}

impl State {
    fn held(&self) -> usize {
        self.ring.len() + self.pending.as_ref().filter(|batch| !batch.evicted).map_or(0, |batch| batch.count)
    }

    /// Makes room in a full ring: a batch goes as a whole.
    fn make_room(&mut self) {
        if self.held() < RING || has("ring-without-end") {
            return;
        }
        match &mut self.pending {
            Some(batch) if batch.in_flight && !batch.evicted => batch.evicted = true,
            Some(batch) if !batch.evicted && batch.count > 0 => {
                self.counts.overflowed += batch.count;
                self.pending = None;
            }
            _ => {
                self.counts.overflowed += usize::from(self.ring.pop_front().is_some());
            }
        }
    }
}

pub(crate) struct Producer {
    endpoint: String,
    key: String,
    debug: bool,
    pub(crate) by_conversation: bool,
    age: Duration,
    session: Mutex<String>,
    state: Mutex<State>,
    changed: Condvar,
}

/// What is known of a call.
pub(crate) struct Call<'a> {
    pub(crate) conversation: Option<&'a str>,
    pub(crate) client: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) args: Option<&'a str>,
    pub(crate) began: (i64, Instant),
    pub(crate) outcome: &'a str,
    pub(crate) units: u32,
    pub(crate) is_empty: bool,
}

fn random(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    // Without random bytes there is no test.
    let _ = getrandom::fill(&mut random);
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn new_session() -> String {
    if has("session-constant") { "s_0123456789ab".to_owned() } else { format!("s_{}", random(6)) }
}

impl Producer {
    /// `None`: off.
    pub(crate) fn new(debug: bool, by_conversation: bool, age: Duration) -> Option<Arc<Self>> {
        let variable = |name| std::env::var(name).unwrap_or_default();
        let key = variable("MCPULSE_KEY").trim().to_owned();
        let mut endpoint = variable("MCPULSE_ENDPOINT");
        if !has("slashes-kept") {
            endpoint = endpoint.trim_end_matches('/').to_owned();
        }
        let off = (key.is_empty() && !has("sends-without-key")) || !endpoint.starts_with("http://");
        if off {
            return None;
        }
        let (session, state, changed) = (Mutex::new(new_session()), Mutex::default(), Condvar::new());
        Some(Arc::new(Self { endpoint, key, debug, by_conversation, age, session, state, changed }))
    }

    /// After a fork: a session and a sender of its own.
    pub(crate) fn start(self: &Arc<Self>, forked: bool) {
        if forked && !has("fork-shares-session") {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = new_session();
        }
        let producer = Arc::clone(self);
        thread::spawn(move || producer.work());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self) -> String {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn session_of(&self, conversation: Option<&str>, state: &mut State) -> String {
        match conversation {
            Some(name) if has("conversation-derived") && self.by_conversation => {
                format!("s_{}", hash::Hash12::of_bytes(name.as_bytes()))
            }
            Some(name)
                if self.by_conversation || has("session-per-conversation") || has("session-per-server") =>
            {
                state.conversations.entry(name.to_owned()).or_insert_with(new_session).clone()
            }
            _ if has("session-per-request") => new_session(),
            _ => self.session(),
        }
    }

    fn push(&self, state: &mut State, payload: Value) {
        state.make_room();
        state.counts.recorded += 1;
        state.ring.push_back((Instant::now(), payload.to_string()));
        self.changed.notify_all();
    }

    /// A call that its client gave up.
    pub(crate) fn cancelled(&self) {
        self.lock().counts.cancelled += 1;
    }

    /// The loss report.
    fn report(&self, state: &State) {
        let Counts { recorded, sent, overflowed, refused, cancelled } = state.counts;
        if !self.debug || has("no-report") {
            return;
        }
        let refused = if has("refused-uncounted") { 0 } else { refused };
        let cancelled = if has("cancelled-uncounted") { 0 } else { cancelled };
        let dropped = overflowed + refused;
        let held = state.ring.len() + state.pending.as_ref().map_or(0, |batch| batch.count);
        debug(&format!(
            "recorded {recorded}, sent {sent}, dropped {dropped} (ring full {overflowed}, refused {refused}), \
             not recorded {cancelled} (cancelled {cancelled}), held {held}"
        ));
    }

    pub(crate) fn record(&self, call: &Call<'_>) {
        let mut state = self.lock();
        let session = self.session_of(call.conversation, &mut state);
        let args = call.args.map(str::as_bytes);
        let hash = if has("hash-of-naive") {
            let form = call.args.and_then(crate::text::naive).unwrap_or_else(|| "{}".to_owned());
            hash::Hash12::of_bytes(form.as_bytes())
        } else if has("hash-absent-as-null") && call.args.is_none() {
            hash::Hash12::of_bytes(b"null")
        } else {
            hash::args_hash_raw(args)
        };
        let began = if has("time-of-the-end") { now_ms() + 5 } else { call.began.0 };
        let longest = if has("names-cut-early") { 100 } else { 200 };
        let name = if call.tool.is_empty() { "unknown" } else { mcpulse_wire::text::cut(call.tool, longest) };
        let client = if call.client.is_empty() { "unknown" } else { call.client };
        let client = mcpulse_wire::text::cut(client, if has("clients-cut-early") { 64 } else { 128 });
        let mut payload = json!({
            "v": 1, "type": "call", "session_id": session, "client_name": client, "tool_name": name,
            "started_at": time::format_ms(began),
            "duration_ms": u64::try_from(call.began.1.elapsed().as_millis()).unwrap_or(0),
            "outcome": call.outcome, "response_bytes": call.units, "is_empty": call.is_empty,
            "args_hash": hash.to_string(),
        });
        if has("extra-field") {
            payload["arguments"] = json!(1);
        }
        self.push(&mut state, payload);
        if self.debug && has("debug-prints-arguments") {
            debug(call.args.unwrap_or_default());
        }
        drop(state);
        if has("blocks") {
            self.send_here();
        }
    }

    /// On the path of the call, as it must not be.
    fn send_here(&self) {
        let mut state = self.lock();
        if state.ring.len() >= 30
            && let Some(batch) = self.assemble(&mut state)
        {
            drop(state);
            // Whatever comes of it, the call has waited.
            let _ = self.post(&batch, Duration::from_secs(2));
        }
    }

    /// Reports the tools that clients see.
    pub(crate) fn surface(&self, tools: Value, client: &str, protocol: &str, transport: &str) {
        let mut state = self.lock();
        let known = tools.to_string();
        if state.known.contains(&known) && !has("startup-each-list") {
            return;
        }
        state.known.insert(known);
        let mut startup = json!({
            "v": 1, "type": "startup", "session_id": self.session(), "client_name": client, "tools": tools,
            "sdk": AGENT, "mcp_sdk_version": "1.0.0", "protocol_version": protocol, "transport": transport,
            "agreements": [{ "field": "amount", "tools": ["price_a", "price_b"] }],
        });
        if has("startup-without-transport")
            && let Some(members) = startup.as_object_mut()
        {
            members.remove("transport");
        }
        if has("startup-in-ring") {
            self.push(&mut state, startup);
            return;
        }
        state.counts.recorded += 1;
        if let Some(before) = state.startup.replace(startup.to_string()) {
            let on_its_way = state.pending.as_ref().and_then(|batch| batch.startup.as_ref()) == Some(&before);
            if !on_its_way {
                state.make_room();
                state.ring.push_back((Instant::now(), before));
            }
        }
        self.changed.notify_all();
    }

    /// Compares a declared value with the other tool's latest.
    pub(crate) fn compare(&self, tool: &str, value: &Value, conversation: Option<&str>) {
        let other = if tool == "price_a" { "price_b" } else { "price_a" };
        let among = if has("agreements-across") { None } else { conversation };
        let among = among.unwrap_or_default().to_owned();
        let mut state = self.lock();
        if let Some(theirs) = state.values.get(&(among.clone(), other.to_owned())) {
            let agreed = theirs == value || has("agreements-always");
            let mut verdict = json!({
                "v": 1, "type": "agreement", "session_id": self.session(), "field": "amount", "tool_a": "price_a",
                "tool_b": "price_b", "agreed": agreed, "checked_at": time::format_ms(now_ms()), "window_ms": 300_000,
            });
            if has("agreements-with-hash") {
                verdict["value"] = hash::canonical_hash(value).to_string().into();
            }
            self.push(&mut state, verdict);
        }
        state.values.insert((among, tool.to_owned()), value.clone());
    }

    /// Whether the last try failed: nothing on the path of a call may depend on it.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().failed
    }

    fn assemble(&self, state: &mut State) -> Option<Batch> {
        let most = if has("sends-each") { 1 } else { BATCH - usize::from(state.startup.is_some()) };
        let count = state.ring.len().min(most);
        let payloads: Vec<String> = state.ring.drain(..count).map(|(_, payload)| payload).collect();
        let startup = state.startup.clone();
        let all: Vec<&str> = startup.iter().chain(&payloads).map(String::as_str).collect();
        if all.is_empty() {
            return None;
        }
        let body = format!(r#"{{"batch":[{}]}}"#, all.join(","));
        Some(Batch { key: random(16), body, count, startup, in_flight: false, evicted: false })
    }

    fn is_due(&self, state: &State) -> bool {
        let enough = state.ring.len() >= 30 && !has("waits-for-age") && !has("blocks");
        let old = state.ring.front().is_some_and(|(at, _)| at.elapsed() >= self.age);
        enough || old || state.hurry || has("sends-each") && !state.ring.is_empty()
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let rests = state.not_before.is_some_and(|then| now < then) && !state.hurry;
            let nothing = state.ring.is_empty() && state.startup.is_none() && state.pending.is_none();
            if !rests && !nothing && (state.pending.is_some() || self.is_due(&state)) {
                let hurry = std::mem::take(&mut state.hurry);
                if state.pending.is_none() {
                    state.pending = self.assemble(&mut state);
                }
                if let Some(mut batch) = state.pending.take() {
                    batch.in_flight = true;
                    let sent =
                        Batch { key: batch.key.clone(), body: batch.body.clone(), ..batch_like(&batch) };
                    state.pending = Some(batch);
                    drop(state);
                    let answer = self.post(&sent, if has("gives-up-early") { RETRY / 2 } else { RETRY * 2 });
                    state = self.lock();
                    self.settle(&mut state, answer);
                    // At the end there may be more than one batch.
                    state.hurry |= hurry && !state.failed;
                    self.changed.notify_all();
                    continue;
                }
            }
            if nothing {
                state.hurry = false;
                self.changed.notify_all();
            }
            let tick = Duration::from_millis(50);
            state = self.changed.wait_timeout(state, tick).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn settle(&self, state: &mut State, answer: Option<(u16, Option<u64>)>) {
        let Some(mut batch) = state.pending.take() else { return };
        batch.in_flight = false;
        state.failed = !matches!(answer, Some((200..=299, _)));
        let startup = usize::from(batch.startup.is_some());
        if matches!(answer, Some((200..=299, _))) {
            state.counts.sent += batch.count + startup;
        }
        match answer {
            Some((200..=299, _)) if state.startup == batch.startup => state.startup = None,
            None | Some((429 | 503, _)) if !has("drops-what-failed") => {
                let asked = answer.and_then(|(_, after)| after).filter(|_| !has("ignores-retry-after"));
                let wait = asked.map_or(RETRY, |seconds| RETRY.max(Duration::from_secs(seconds)));
                let wait = if has("tries-at-once") { Duration::from_millis(100) } else { wait };
                state.not_before = Some(Instant::now() + wait);
                if has("new-key-each-try") {
                    batch.key = random(16);
                }
                if batch.evicted {
                    state.counts.overflowed += batch.count;
                } else {
                    state.pending = Some(batch);
                }
            }
            Some((500..=599, _)) if has("tries-refused-again") => {
                state.not_before = Some(Instant::now() + RETRY);
                state.pending = Some(batch);
            }
            Some((200..=299, _)) => {}
            // The startup stays for the next batch.
            _ => state.counts.refused += batch.count,
        }
    }

    /// Sends one request; the status and `Retry-After`, or nothing.
    fn post(&self, batch: &Batch, patience: Duration) -> Option<(u16, Option<u64>)> {
        if self.debug {
            debug(&format!("sending {}", batch.body));
            if has("debug-prints-key") {
                debug(&self.key);
            }
        }
        self.post_to(&self.endpoint, batch, patience)
    }

    fn post_to(&self, endpoint: &str, batch: &Batch, patience: Duration) -> Option<(u16, Option<u64>)> {
        let (authority, path) = endpoint.strip_prefix("http://")?.split_once('/').map_or_else(
            || (endpoint.trim_start_matches("http://"), String::new()),
            |(authority, path)| (authority, format!("/{path}")),
        );
        let address = authority.to_socket_addrs().ok()?.next()?;
        let mut stream = TcpStream::connect_timeout(&address, patience).ok()?;
        stream.set_read_timeout(Some(patience)).ok()?;
        let mut head = format!(
            "POST {path}/v1/ingest HTTP/1.1\r\nhost: {authority}\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\nuser-agent: {AGENT}\r\nidempotency-key: {}\r\ncontent-length: {}\r\n\
             connection: close\r\n",
            self.key,
            batch.key,
            batch.body.len()
        );
        if has("sends-canary") {
            let canary = std::env::var("MCPULSE_HARNESS_CANARY").unwrap_or_default();
            let hex: String = canary.bytes().map(|byte| format!("{byte:02x}")).collect();
            head.push_str(&format!("x-trace: {hex}\r\n"));
        }
        stream.write_all(format!("{head}\r\n{}", batch.body).as_bytes()).ok()?;
        let mut reader = BufReader::new(stream);
        let answer = http1::read_head(&mut reader).ok()??;
        let mut body = Vec::new();
        Body::after(&answer, &mut reader, true).read_to_end(&mut body).ok()?;
        let status = answer.status()?;
        if status == 307 && has("follows-redirects") {
            let to = answer.header("location")?.strip_suffix("/v1/ingest")?.to_owned();
            return self.post_to(&to, batch, patience);
        }
        Some((status, answer.header("retry-after").and_then(seconds)))
    }

    /// The end of the program: what is left goes out, in a second at most.
    pub(crate) fn flush(&self) {
        if has("no-flush") {
            return;
        }
        let endless = has("keeps-alive") || has("waits-at-exit");
        let deadline =
            Instant::now() + if endless { Duration::from_secs(3_600) } else { Duration::from_secs(1) };
        let mut state = self.lock();
        state.failed = false;
        state.hurry = true;
        self.changed.notify_all();
        loop {
            let drained = state.ring.is_empty() && state.startup.is_none() && state.pending.is_none();
            let left = deadline.saturating_duration_since(Instant::now());
            if drained || left.is_zero() || (state.failed && !endless) {
                self.report(&state);
                return;
            }
            let wait = left.min(Duration::from_millis(50));
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// `Retry-After`: seconds, or a date.
fn seconds(value: &str) -> Option<u64> {
    let until = |date: std::time::SystemTime| date.duration_since(std::time::SystemTime::now()).ok();
    // Part of a second counts as one.
    value.parse().ok().or_else(|| Some(until(httpdate::parse_http_date(value).ok()?)?.as_secs() + 1))
}

/// The parts of a batch that stay behind while it is sent.
fn batch_like(batch: &Batch) -> Batch {
    let (key, body) = (String::new(), String::new());
    Batch { key, body, count: batch.count, startup: None, in_flight: true, evicted: false }
}

pub(crate) fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

/// Standard error, as `--debug` has it.
#[expect(clippy::print_stderr, reason = "what `--debug` is for")]
fn debug(text: &str) {
    eprintln!("mcpulse: {text}");
}
