//! Lines over standard input and output.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::message::{Answer, answered_id};
use super::{Connection, Pending, Request};
use crate::verdict::{Fault, fail};

#[derive(Default)]
struct State {
    lines: Vec<Vec<u8>>,
    /// Where the answer to each id stands among the lines.
    answers: HashMap<u64, usize>,
    ended: bool,
}

#[derive(Default)]
struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn until<T>(&self, patience: Duration, mut look: impl FnMut(&State) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + patience;
        let mut state = self.lock();
        loop {
            if let Some(found) = look(&state) {
                return Some(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.ended {
                return None;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The two streams of a child.
pub(crate) struct StdioConnection {
    stdin: Mutex<Option<ChildStdin>>,
    inbox: Arc<Inbox>,
}

impl StdioConnection {
    pub(crate) fn new(stdin: ChildStdin, stdout: ChildStdout) -> Self {
        let inbox = Arc::new(Inbox::default());
        let filling = Arc::clone(&inbox);
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let read = reader.read_until(b'\n', &mut line).unwrap_or(0);
                let mut state = filling.lock();
                if read == 0 {
                    state.ended = true;
                    filling.changed.notify_all();
                    return;
                }
                let at = state.lines.len();
                if let Some(id) = answered_id(&line) {
                    state.answers.insert(id, at);
                }
                state.lines.push(line);
                filling.changed.notify_all();
            }
        });
        Self { stdin: Mutex::new(Some(stdin)), inbox }
    }

    pub(crate) fn write(&self, line: &str) -> Result<(), Fault> {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stdin) = stdin.as_mut() else { return fail("standard input is closed already") };
        let written = stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
        written.and_then(|()| stdin.flush()).or_else(|error| fail(format!("standard input: {error}")))
    }

    /// Ends the input.
    pub(crate) fn close(&self) {
        self.stdin.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Every line so far.
    pub(crate) fn lines(&self) -> Vec<Vec<u8>> {
        self.inbox.lock().lines.clone()
    }

    /// Waits for the first line.
    pub(crate) fn first_line(&self, patience: Duration) -> Option<Vec<u8>> {
        self.inbox.until(patience, |state| state.lines.first().cloned())
    }

    /// Waits for the end of the output.
    pub(crate) fn wait_for_end(&self, patience: Duration) -> bool {
        self.inbox.until(patience, |state| state.ended.then_some(())).is_some() || self.inbox.lock().ended
    }
}

impl Connection for StdioConnection {
    fn begin(&self, request: &Request<'_>) -> Result<Box<dyn Pending>, Fault> {
        self.write(&request.line())?;
        Ok(Box::new(Waiting { id: request.id, inbox: Arc::clone(&self.inbox) }))
    }

    fn notify(&self, method: &str, params: &str) -> Result<(), Fault> {
        self.write(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#))
    }
}

struct Waiting {
    id: u64,
    inbox: Arc<Inbox>,
}

impl Pending for Waiting {
    fn wait(self: Box<Self>, patience: Duration) -> Result<Answer, Fault> {
        let found = self.inbox.until(patience, |state| {
            let at = *state.answers.get(&self.id)?;
            Some(Answer { how: String::new(), message: state.lines.get(at)?.clone() })
        });
        match found {
            Some(answer) => Ok(answer),
            None if self.inbox.lock().ended => fail("the program ended without answering"),
            None => fail(format!("no answer within {} s", patience.as_secs())),
        }
    }

    /// The caller sends the notification.
    fn cancel(&mut self) {}
}
