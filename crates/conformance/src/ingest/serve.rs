//! The listening side: one thread for each connection.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::record::{Arrived, Given};
use super::{Behaviour, Shared};
use crate::http1::{self, Body};

/// How often a held connection is looked at.
const TICK: Duration = Duration::from_millis(50);

pub(super) fn spawn(listener: TcpListener, shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        for stream in listener.incoming() {
            if shared.stop.load(Ordering::Acquire) {
                return;
            }
            let Ok(stream) = stream else { continue };
            let shared = Arc::clone(&shared);
            thread::spawn(move || serve(&shared, stream));
        }
    });
}

/// Serves one connection until either side has had enough.
fn serve(shared: &Shared, stream: TcpStream) {
    let Ok(mut writer) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    while let Ok(Some(head)) = http1::read_head(&mut reader) {
        if head.header("expect").is_some() && writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_err() {
            return;
        }
        let mut body = Vec::new();
        if Body::after(&head, &mut reader, false).read_to_end(&mut body).is_err() {
            return;
        }
        let at = {
            let mut state = shared.lock();
            state.arrived.push(Arrived::new(head, body));
            state.arrived.len() - 1
        };
        shared.changed.notify_all();
        if !answer(shared, at, reader.get_ref(), &mut writer) {
            return;
        }
    }
}

/// Answers the request as the behaviour has it. False when the connection is over.
fn answer(shared: &Shared, at: usize, reader: &TcpStream, writer: &mut TcpStream) -> bool {
    let mut held = None;
    let behaviour = loop {
        let mut state = shared.lock();
        let behaviour = state.behaviour.clone().unwrap_or(Behaviour::Normal);
        if shared.stop.load(Ordering::Acquire) {
            return false;
        }
        let waits = match &behaviour {
            Behaviour::Hold => true,
            Behaviour::Slow(time) => held.get_or_insert_with(Instant::now).elapsed() < *time,
            _ => false,
        };
        if !waits {
            break behaviour;
        }
        let waited = shared.changed.wait_timeout(state, TICK);
        if is_closed(reader) {
            state = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
            settle(&mut state, at, Given::Abandoned);
            shared.changed.notify_all();
            return false;
        }
    };
    let (given, goes_on, bytes) = write(&behaviour);
    settle(&mut shared.lock(), at, given);
    shared.changed.notify_all();
    writer.write_all(&bytes).is_ok() && goes_on
}

fn settle(state: &mut super::State, at: usize, given: Given) {
    if let Some(arrived) = state.arrived.get_mut(at) {
        arrived.given = given;
        arrived.answered = Some(Instant::now());
    }
}

/// What is said, and whether the connection stays open afterwards.
fn write(behaviour: &Behaviour) -> (Given, bool, Vec<u8>) {
    const BODY: &str = r#"{"accepted":1,"rejected":[],"accepts":[1]}"#;
    let text = |status: &str, more: &str, body: &str| {
        let length = body.len();
        format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{more}content-length: {length}\r\n\r\n{body}")
            .into_bytes()
    };
    match behaviour {
        Behaviour::Normal | Behaviour::Hold | Behaviour::Slow(_) => {
            (Given::Taken, true, text("202 Accepted", "", BODY))
        }
        Behaviour::Status(status, retry_after) => {
            let more =
                retry_after.as_ref().map(|value| format!("retry-after: {value}\r\n")).unwrap_or_default();
            (Given::Other, true, text(&format!("{status} Told"), &more, r#"{"title":"told"}"#))
        }
        Behaviour::Redirect(url) => {
            (Given::Other, true, text("307 Elsewhere", &format!("location: {url}/v1/ingest\r\n"), ""))
        }
        Behaviour::Garbage => (Given::Other, false, b"\x00\xff\x16\x03 what? \r\n\r\n\r\n".to_vec()),
        Behaviour::Lying => {
            (Given::Taken, true, text("200 OK", "", "<html>\u{1f600}{\"accepted\":-1e999,\"rejected\":7"))
        }
        Behaviour::CutAnswer => {
            let mut whole = text("202 Accepted", "", BODY);
            whole.truncate(whole.len() - BODY.len() / 2);
            (Given::StoredUnsaid, false, whole)
        }
        Behaviour::NoAnswer => (Given::StoredUnsaid, false, Vec::new()),
    }
}

/// Whether the other side has closed, without taking a byte from it.
fn is_closed(stream: &TcpStream) -> bool {
    if stream.set_nonblocking(true).is_err() {
        return true;
    }
    let closed = match stream.peek(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    };
    closed || stream.set_nonblocking(false).is_err()
}
