//! Streamable HTTP: one connection for each request, so that a request can be given up by closing it.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::message::{Answer, answered_id};
use super::{Connection, Pending, Protocol, Request};
use crate::http1::{self, Body};
use crate::verdict::{Fault, fail};

/// One MCP endpoint, and the protocol session that the server opened there.
pub(crate) struct HttpConnection {
    /// `127.0.0.1:PORT`
    authority: String,
    path: String,
    protocol: Protocol,
    session: Arc<Mutex<Option<String>>>,
    /// Sent with each request.
    authorization: Option<String>,
}

impl HttpConnection {
    pub(crate) fn new(url: &str, protocol: Protocol, authorization: Option<String>) -> Result<Self, Fault> {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let Some((authority, path)) = rest.split_once('/') else {
            return fail(format!("not a URL of the harness: {url}"));
        };
        let (authority, path) = (authority.to_owned(), format!("/{path}"));
        Ok(Self { authority, path, protocol, session: Arc::default(), authorization })
    }

    /// The id of the protocol session, if there is one.
    pub(crate) fn session(&self) -> Option<String> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn post(&self, body: &str, method: &str, name: Option<&str>) -> Result<TcpStream, Fault> {
        let opened = TcpStream::connect(&self.authority);
        let mut stream = opened.or_else(|error| fail(format!("connecting to the harness: {error}")))?;
        let mut head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n",
            self.path,
            self.authority,
            body.len()
        );
        let mut header = |name: &str, value: &str| head.push_str(&format!("{name}: {value}\r\n"));
        if let Some(authorization) = &self.authorization {
            header("Authorization", authorization);
        }
        if method != "initialize" {
            header("MCP-Protocol-Version", self.protocol.version());
        }
        if let Some(session) = self.session() {
            header("Mcp-Session-Id", &session);
        }
        if self.protocol == Protocol::Meta {
            header("Mcp-Method", method);
            if let Some(name) = name {
                header("Mcp-Name", &header_value(name));
            }
        }
        head.push_str("\r\n");
        let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        sent.or_else(|error| fail(format!("sending to the harness: {error}")))?;
        Ok(stream)
    }
}

/// A name as a header takes it.
fn header_value(name: &str) -> String {
    let plain = name.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && name.trim() == name;
    if plain { name.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(name)) }
}

impl Connection for HttpConnection {
    fn begin(&self, request: &Request<'_>) -> Result<Box<dyn Pending>, Fault> {
        let stream = self.post(&request.line(), request.method, request.name)?;
        let socket = stream.try_clone().or_else(|error| fail(format!("a socket: {error}")))?;
        let (sender, answer) = channel();
        let (id, session) = (request.id, Arc::clone(&self.session));
        thread::spawn(move || {
            // Nobody waits any more once the check is over.
            let _ = sender.send(read(stream, id, &session));
        });
        Ok(Box::new(Waiting { socket, answer }))
    }

    fn notify(&self, method: &str, params: &str) -> Result<(), Fault> {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        let mut reader = BufReader::new(self.post(&body, method, None)?);
        match http1::read_head(&mut reader) {
            Ok(Some(head)) if head.status().is_some_and(|status| status < 300) => Ok(()),
            Ok(head) => fail(format!("a notification was answered by {:?}", head.map(|head| head.start))),
            Err(error) => fail(format!("a notification: {error}")),
        }
    }
}

/// Reads until the answer to `id` is there.
fn read(stream: TcpStream, id: u64, session: &Mutex<Option<String>>) -> Result<Answer, Fault> {
    let mut reader = BufReader::new(stream);
    let head = match http1::read_head(&mut reader) {
        Ok(Some(head)) => head,
        Ok(None) => return fail("the server closed the connection without an answer"),
        Err(error) => return fail(format!("the answer: {error}")),
    };
    if let Some(id) = head.header("mcp-session-id") {
        *session.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.to_owned());
    }
    let kind = head.header("content-type").unwrap_or_default().to_owned();
    let how = format!("{} {kind}", head.status().unwrap_or_default());
    let mut body = BufReader::new(Body::after(&head, &mut reader, true));
    if !kind.starts_with("text/event-stream") {
        let mut message = Vec::new();
        let read = std::io::Read::read_to_end(&mut body, &mut message);
        read.or_else(|error| fail(format!("the answer: {error}")))?;
        return Ok(Answer { how, message });
    }
    let mut data = Vec::new();
    loop {
        let mut line = Vec::new();
        match body.read_until(b'\n', &mut line) {
            Ok(0) => return fail("the stream ended without an answer"),
            Err(error) => return fail(format!("the stream: {error}")),
            Ok(_) => {}
        }
        let line = line.trim_ascii_end();
        if let Some(part) = line.strip_prefix(b"data:") {
            data.extend_from_slice(part.strip_prefix(b" ").unwrap_or(part));
        } else if line.is_empty() && !data.is_empty() {
            let message = std::mem::take(&mut data);
            if answered_id(&message) == Some(id) {
                return Ok(Answer { how, message });
            }
        }
    }
}

struct Waiting {
    socket: TcpStream,
    answer: Receiver<Result<Answer, Fault>>,
}

impl Pending for Waiting {
    fn wait(self: Box<Self>, patience: Duration) -> Result<Answer, Fault> {
        match self.answer.recv_timeout(patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => fail(format!("no answer within {} s", patience.as_secs())),
            Err(RecvTimeoutError::Disconnected) => fail("the answer could not be read"),
        }
    }

    fn cancel(&mut self) {
        // It may be closed already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}
