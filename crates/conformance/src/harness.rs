//! A running program under test.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::mcp::{Client, HttpConnection, Link, Protocol, Shared, StdioConnection, Transport};
use crate::verdict::{Fault, fail, skip};

/// How a program says that it cannot do what a flag asks for.
const UNSUPPORTED: i32 = 64;

/// How to start it.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) command: Vec<String>,
    pub(crate) transport: Transport,
    pub(crate) flags: Vec<String>,
    pub(crate) environment: Vec<(&'static str, String)>,
    pub(crate) patience: Duration,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        Self { code: status.code(), signal: status.signal() }
    }
}

#[derive(Deserialize)]
struct Listening {
    url: String,
    #[serde(default)]
    more: Vec<String>,
}

/// A program that the kit started.
struct Program {
    child: Mutex<Child>,
    stdio: Arc<StdioConnection>,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Hears when standard error has been read to its end.
    all_read: Mutex<Receiver<()>>,
}

pub(crate) struct Harness {
    /// `None`: a server that somebody else started.
    program: Option<Program>,
    transport: Transport,
    urls: Vec<String>,
    patience: Duration,
}

impl Harness {
    pub(crate) fn start(launch: &Launch) -> Result<Self, Fault> {
        let mut child = spawn(launch, &launch.flags)?;
        let streams = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
        let Some(((stdin, stdout), errors)) = streams else { return fail("the program has no streams") };
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let all_read = Mutex::new(collect(errors, Arc::clone(&stderr)));
        let stdio = Arc::new(StdioConnection::new(stdin, stdout));
        let mut harness = Self {
            program: Some(Program { child: Mutex::new(child), stdio: Arc::clone(&stdio), stderr, all_read }),
            transport: launch.transport,
            urls: Vec::new(),
            patience: launch.patience,
        };
        if launch.transport == Transport::Http {
            let Some(line) = stdio.first_line(launch.patience) else {
                return harness.explain("the program printed no URL");
            };
            let Ok(Listening { url, more }) = serde_json::from_slice(&line) else {
                return harness.explain("the first line on standard output is not the URL");
            };
            harness.urls = std::iter::once(url).chain(more).collect();
        }
        Ok(harness)
    }

    /// A server that runs already, and goes on when the kit has done with it.
    pub(crate) fn running(url: &str, patience: Duration) -> Self {
        Self { program: None, transport: Transport::Http, urls: vec![url.to_owned()], patience }
    }

    fn program(&self) -> Result<&Program, Fault> {
        match &self.program {
            Some(program) => Ok(program),
            None => skip("the kit did not start this server"),
        }
    }

    fn child(&self) -> Result<MutexGuard<'_, Child>, Fault> {
        Ok(self.program()?.child.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says why something did not work: a skip when the program said that it cannot do it.
    pub(crate) fn explain<T>(&self, what: &str) -> Result<T, Fault> {
        // A program that is ending needs a moment until its status can be read.
        let Some(program) = &self.program else { return fail(what) };
        let moment = if program.stdio.wait_for_end(Duration::ZERO) { self.patience } else { Duration::ZERO };
        match self.ended_within(moment) {
            Some(Ended { code: Some(UNSUPPORTED), .. }) => {
                let stderr = self.stderr();
                let reason = stderr.lines().find_map(|line| line.strip_prefix("unsupported: "));
                skip(reason.unwrap_or("the program exited with 64").to_owned())
            }
            Some(ended) => fail(format!("{what}; it ended with {ended:?}")),
            None => fail(what),
        }
    }

    /// Connects a client and makes its handshake.
    pub(crate) fn connect(&self, link: Link, name: &str) -> Result<Client, Fault> {
        self.connect_to(0, link.protocol, Some(name))
    }

    /// Connects to one of several servers in the program.
    pub(crate) fn connect_to(
        &self,
        server: usize,
        protocol: Protocol,
        name: Option<&str>,
    ) -> Result<Client, Fault> {
        Ok(self.connect_with(server, protocol, name, None)?.0)
    }

    /// Connects with the header `Authorization`, and hands out the connection too.
    pub(crate) fn connect_with(
        &self,
        server: usize,
        protocol: Protocol,
        name: Option<&str>,
        authorization: Option<String>,
    ) -> Result<(Client, Option<Arc<HttpConnection>>), Fault> {
        let (client, http) = match self.transport {
            Transport::Stdio => {
                let connection = Box::new(Shared(Arc::clone(&self.program()?.stdio)));
                (Client::new(connection, protocol, name, self.patience), None)
            }
            Transport::Http => {
                let Some(url) = self.urls.get(server) else {
                    return fail("the program serves fewer servers than it was asked for");
                };
                let http = Arc::new(HttpConnection::new(url, protocol, authorization)?);
                let connection = Box::new(Shared(Arc::clone(&http)));
                (Client::new(connection, protocol, name, self.patience), Some(http))
            }
        };
        match client.open() {
            Ok(()) => Ok((client, http)),
            Err(Fault::Failed(what)) => self.explain(&what),
            Err(skipped) => Err(skipped),
        }
    }

    /// Every line on standard output so far.
    pub(crate) fn lines(&self) -> Vec<Vec<u8>> {
        self.program.as_ref().map(|program| program.stdio.lines()).unwrap_or_default()
    }

    /// Ends the program's input.
    pub(crate) fn close(&self) -> Result<(), Fault> {
        self.program()?.stdio.close();
        Ok(())
    }

    pub(crate) fn stderr(&self) -> String {
        let Some(program) = &self.program else { return String::new() };
        let bytes = program.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(crate) fn servers(&self) -> usize {
        self.urls.len()
    }

    /// Asks it to end: the end of input, or SIGTERM for a program that serves HTTP. Waits for the end.
    pub(crate) fn end(&self) -> Result<Ended, Fault> {
        if self.program.is_none() {
            return Ok(Ended { code: Some(0), signal: None });
        }
        match self.transport {
            Transport::Stdio => self.close()?,
            Transport::Http => self.signal("TERM")?,
        }
        self.wait()
    }

    pub(crate) fn wait(&self) -> Result<Ended, Fault> {
        let Some(ended) = self.ended_within(self.patience) else {
            return fail(format!("the program did not end within {} s", self.patience.as_secs()));
        };
        let program = self.program()?;
        program.stdio.wait_for_end(self.patience);
        // Nothing is ever sent: the other side goes away at the end.
        let _ = program.all_read.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(self.patience);
        Ok(ended)
    }

    /// How it ended, if it does within `patience`.
    pub(crate) fn ended_within(&self, patience: Duration) -> Option<Ended> {
        let deadline = Instant::now() + patience;
        loop {
            let status = self.child().ok()?.try_wait();
            if let Ok(Some(status)) = status {
                return Some(status.into());
            }
            if Instant::now() >= deadline {
                return None;
            }
            pause(Duration::from_millis(10));
        }
    }

    /// Memory in use by the program and what it started, in KiB. `None` where the system does not tell.
    pub(crate) fn memory(&self) -> Option<u64> {
        let group = self.child().ok()?.id().to_string();
        let listed = Command::new("ps").args(["-A", "-o", "pgid=,rss="]).output().ok()?;
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        let sizes = text.lines().filter_map(|line| {
            let mut columns = line.split_whitespace();
            columns.next().filter(|one| *one == group)?;
            columns.next()?.parse::<u64>().ok()
        });
        Some(sizes.sum()).filter(|total| *total > 0)
    }

    pub(crate) fn signal(&self, name: &str) -> Result<(), Fault> {
        let pid = self.child()?.id();
        let done = Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status()?;
        if done.success() { Ok(()) } else { fail(format!("SIG{name} could not be sent")) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        // It leads a group of its own: forked children go with it.
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn spawn(launch: &Launch, arguments: &[String]) -> Result<Child, Fault> {
    let Some((program, first)) = launch.command.split_first() else { return fail("no command was given") };
    let mut command = Command::new(program);
    command.args(first).args(arguments).process_group(0);
    for name in ["MCPULSE_KEY", "MCPULSE_ENDPOINT", "MCPULSE_HARNESS_CANARY"] {
        command.env_remove(name);
    }
    command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().or_else(|error| fail(format!("starting {program}: {error}")))
}

/// Reads in a thread of its own; the receiver's sender goes away at the end.
fn collect(mut from: impl Read + Send + 'static, into: Arc<Mutex<Vec<u8>>>) -> Receiver<()> {
    let (reading, all_read) = channel();
    thread::spawn(move || {
        let _reading = reading;
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let read = buffer.get(..read).unwrap_or_default();
            into.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(read);
        }
    });
    all_read
}

/// Runs a mode that reads standard input to its end and writes standard output.
pub(crate) fn filter(launch: &Launch, arguments: &[&str], input: String) -> Result<Vec<u8>, Fault> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let mut child = spawn(launch, &arguments)?;
    let Some((mut stdin, stderr)) = child.stdin.take().zip(child.stderr.take()) else {
        return fail("the program has no streams");
    };
    let errors = Arc::new(Mutex::new(Vec::new()));
    let all_read = collect(stderr, Arc::clone(&errors));
    thread::spawn(move || {
        // A program that ends early is judged by what it wrote.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output()?;
    let _ = all_read.recv_timeout(launch.patience);
    if output.status.code() == Some(UNSUPPORTED) {
        let errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&errors).into_owned();
        return skip(text.trim().trim_start_matches("unsupported: ").to_owned());
    }
    if !output.status.success() {
        return fail(format!("the program ended with {:?}", Ended::from(output.status)));
    }
    Ok(output.stdout)
}

/// Waits, without holding anything.
pub(crate) fn pause(time: Duration) {
    let (_keep, never) = channel::<()>();
    let _ = never.recv_timeout(time);
}
