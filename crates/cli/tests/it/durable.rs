//! Each 202 follows an fsync of its event file, not only a write: what the server asks of the system says so.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Serve, call, mcpulse, track};

const BATCHES: usize = 8;

/// What matters of one system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// Bytes went to the event file or its log.
    Written,
    /// The system said that they are on disk.
    Synced,
    /// A log may have been made: it is lost in a power cut as long as only the file is on disk, and not its name.
    Created,
    /// The system said that the names in the directory are on disk.
    Named,
    /// An answer of 202 went out.
    Answered,
}

/// One line of the trace: the call's name and its arguments, or that it went on.
fn event(line: &str, open: &mut HashMap<String, Event>) -> Option<Event> {
    let (thread, rest) = line.split_once(' ')?;
    let rest = rest.trim_start();
    if rest.starts_with("<... ") {
        // A sync counts once it is over, and only if it went well.
        return open.remove(thread).filter(|_| rest.ends_with(" = 0"));
    }
    let name = rest.split('(').next()?;
    let of_events = rest.contains("/events/srv_");
    let synced = if of_events { Event::Synced } else { Event::Named };
    match name {
        "fsync" | "fdatasync" if of_events || rest.contains("/events>") => {
            if rest.ends_with("<unfinished ...>") {
                open.insert(thread.to_owned(), synced);
                return None;
            }
            rest.ends_with(" = 0").then_some(synced)
        }
        "openat" if of_events && rest.contains(".wal\"") && rest.contains("O_CREAT") => Some(Event::Created),
        // A write counts when it begins: then it is certain that no sync before covers it.
        "write" | "pwrite64" | "writev" | "pwritev" if of_events => Some(Event::Written),
        "write" | "writev" | "sendto" | "sendmsg" if rest.contains("HTTP/1.1 202") => Some(Event::Answered),
        _ => None,
    }
}

fn events(trace: &str) -> Vec<Event> {
    let mut open = HashMap::new();
    trace.lines().filter_map(|line| event(line, &mut open)).collect()
}

/// Sends batches one after the other to a server whose system calls are written down.
fn traced(data: &Path, trace: &Path) -> String {
    let mut command = Command::new("strace");
    // `-D`: the server is our child, and the tracer somebody else's.
    command.args(["-D", "-f", "-qq", "-y", "-s", "32", "-e"]);
    command.arg("trace=openat,fsync,fdatasync,write,pwrite64,writev,pwritev,sendto,sendmsg");
    command.arg("-o").arg(trace).arg(mcpulse().get_program());
    command.args(["--json", "--data"]).arg(data).args(["serve", "--listen", "127.0.0.1:0", "--log", "warn"]);
    let mut server = Serve::spawn(command.stderr(Stdio::piped()));
    let (_, _, secret) = track(data);
    for batch in 0..BATCHES {
        let batch: Vec<_> = (0..3).map(|payload| call(&format!("s-{batch}-{payload}"))).collect();
        assert_eq!(server.send(&secret, &batch), 202);
    }
    let mut stderr = server.stderr();
    assert!(server.terminate());
    // The tracer has the pipe as well: its end is the end of the trace.
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    std::fs::read_to_string(trace).unwrap_or_else(|error| panic!("no trace ({error}): {said}"))
}

#[test]
fn every_202_follows_an_fsync_of_what_was_written() {
    if Command::new("strace").arg("--version").output().is_err() {
        let all = std::env::var_os("MCPULSE_REQUIRE_ALL").is_some();
        assert!(!all, "strace is missing: apt-get install strace");
        return;
    }
    let (data, traces) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let trace = traced(data.path(), &traces.path().join("trace"));
    let mut answered = 0;
    let (mut written, mut on_disk, mut named, mut logs) = (false, false, true, 0);
    for event in events(&trace) {
        match event {
            Event::Written => (written, on_disk) = (true, false),
            Event::Synced => on_disk = written,
            Event::Created => (named, logs) = (false, logs + 1),
            Event::Named => named = true,
            Event::Answered => {
                assert!(on_disk, "answer {answered} went out before its payloads were on disk:\n{trace}");
                assert!(named, "answer {answered} went out before the name of its log was on disk:\n{trace}");
                answered += 1;
                (written, on_disk) = (false, false);
            }
        }
    }
    assert_eq!(answered, BATCHES);
    assert!(logs > 0, "no log was made:\n{trace}");
}

#[test]
fn a_trace_without_a_sync_is_told_from_one_with() {
    let write = "7 pwrite64(12</d/events/srv_1.duckdb.wal>, \"x\"..., 9, 0) = 9\n";
    let sync = "7 fdatasync(12</d/events/srv_1.duckdb.wal> <unfinished ...>\n8 fsync(3</d/control.sqlite>) = 0\n\
                7 <... fdatasync resumed>) = 0\n";
    let answer = "9 sendto(20<socket:[5]>, \"HTTP/1.1 202 Accepted\\r\\n\"..., 99, 0, NULL, 0) = 99\n";
    use Event::{Answered, Created, Named, Synced, Written};
    assert_eq!(events(&format!("{write}{sync}{answer}")), [Written, Synced, Answered]);
    assert_eq!(events(&format!("{write}{answer}")), [Written, Answered]);
    assert_eq!(events(&sync.replace("resumed>) = 0", "resumed>) = -1 EIO (Input/output error)")), []);
    let create = "7 openat(AT_FDCWD</d>, \"/d/events/srv_1.duckdb.wal\", O_RDWR|O_CREAT|O_CLOEXEC, 0666) = 12</d/events/srv_1.duckdb.wal>\n";
    let name = "7 fsync(13</d/events>) = 0\n";
    assert_eq!(
        events(&format!("{create}{write}{sync}{name}{answer}")),
        [Created, Written, Synced, Named, Answered]
    );
}
