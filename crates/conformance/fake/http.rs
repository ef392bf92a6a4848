//! Streamable HTTP, one thread for each connection.

use std::collections::HashMap;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mcpulse_conformance::http1::{self, Body};

use crate::after;
use crate::faults::has;
use crate::server::{Heard, Origin, Server};

/// Clients of the protocol sessions, by session.
type Sessions = Arc<Mutex<HashMap<String, String>>>;
/// Requests that were given up, by session and id.
type GivenUp = Arc<Mutex<Vec<(String, String)>>>;

pub(crate) fn serve(listener: &TcpListener, server: &Arc<Server>, stateless: bool) {
    let (sessions, given_up) = (Sessions::default(), GivenUp::default());
    for stream in listener.incoming().flatten() {
        let (server, sessions, given_up) = (Arc::clone(server), Arc::clone(&sessions), Arc::clone(&given_up));
        thread::spawn(move || {
            // A client that goes away is no concern of ours.
            let _ = connection(&server, &sessions, &given_up, stateless, stream);
        });
    }
}

fn connection(
    server: &Server,
    sessions: &Sessions,
    given_up: &GivenUp,
    stateless: bool,
    stream: TcpStream,
) -> std::io::Result<()> {
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    let Some(head) = http1::read_head(&mut reader)? else { return Ok(()) };
    let mut body = String::new();
    Body::after(&head, &mut reader, false).read_to_string(&mut body)?;
    let session = head.header("mcp-session-id").filter(|_| !stateless).map(str::to_owned);
    let client = session
        .as_ref()
        .and_then(|id| sessions.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned());
    let events = Mutex::new(String::new());
    let socket = reader.get_ref();
    // Only 2026-07-28 takes a closed connection for a cancellation.
    let closing_cancels = head.header("mcp-protocol-version") == Some("2026-07-28");
    let named = session.clone().unwrap_or_default();
    let wait = |id: &str, ms: u64| {
        let deadline = Instant::now() + Duration::from_millis(ms);
        while Instant::now() < deadline {
            after(Duration::from_millis(10));
            let told = given_up
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .contains(&(named.clone(), id.to_owned()));
            if told || (closing_cancels && is_closed(socket)) {
                return true;
            }
        }
        false
    };
    let notify = |method: &str| {
        let event = format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"}}\n\n");
        events.lock().unwrap_or_else(PoisonError::into_inner).push_str(&event);
    };
    let per_request = closing_cancels && has("conversation-per-request");
    let made_up = format!("{:?}", Instant::now());
    let conversation = if per_request { Some(made_up.as_str()) } else { session.as_deref() };
    let origin = Origin { transport: "http", conversation, client, wait: &wait, notify: &notify };
    let written = match server.hear(&body, &origin) {
        Heard::Initialize { answer, client } => {
            let id = format!("session-{}", uuid_like());
            sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), client);
            let header = if stateless { String::new() } else { format!("mcp-session-id: {id}\r\n") };
            write!(
                writer,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{header}content-length: {}\r\nconnection: close\r\n\r\n{answer}",
                answer.len()
            )
        }
        Heard::Answer(answer) => {
            let events = events.into_inner().unwrap_or_else(PoisonError::into_inner);
            let text = format!(": hello\n\n{events}event: message\ndata: {answer}\n\n");
            write!(
                writer,
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n{:x}\r\n{text}\r\n0\r\n\r\n",
                text.len()
            )
        }
        Heard::Cancelled(id) => {
            given_up.lock().unwrap_or_else(PoisonError::into_inner).push((session.unwrap_or_default(), id));
            write!(writer, "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
        Heard::Nothing => {
            write!(writer, "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
    };
    crate::quit_if_asked(server, &body);
    written
}

fn uuid_like() -> String {
    let mut random = [0; 16];
    // Two sessions with one id would fail the kit's checks.
    let _ = getrandom::fill(&mut random);
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_closed(stream: &TcpStream) -> bool {
    let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let closed = match looked {
        Ok(read) => read == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    };
    closed || stream.set_nonblocking(false).is_err()
}
