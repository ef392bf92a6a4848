//! The thread that sends. Nothing on the call path ever waits for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use super::core::{Answer, Batch, Step};
use super::{Carrier, Run, Stream, batch};
use crate::debug;
use crate::guard::{lock, quietly};
use crate::transport::{Request, Response, Transport, TransportError};

/// Starts the sender of this process. When the system refuses a thread, the next payload tries again.
pub(super) fn start(stream: &Arc<Stream>, run: &Run) {
    if run.has_sender.swap(true, Ordering::AcqRel) {
        return;
    }
    let sender = Arc::clone(stream);
    let started = thread::Builder::new().name("mcpulse".to_owned()).spawn(move || {
        let ended = quietly(|| work(&sender));
        if let Some(run) = sender.run() {
            if ended.is_none() {
                lock(&run.core).recover();
            }
            run.has_sender.store(false, Ordering::Release);
            run.progress.notify_all();
        }
    });
    if let Err(error) = started {
        run.has_sender.store(false, Ordering::Release);
        if stream.debugs() {
            debug::line(&format!("cannot start the sender, trying again with the next payload: {error}"));
        }
    }
}

fn work(stream: &Arc<Stream>) {
    let Some(run) = stream.run() else { return };
    let transport: Arc<dyn Transport> = match &stream.carrier {
        #[cfg(feature = "http")]
        Carrier::Http => Arc::new(crate::transport::HttpTransport::new()),
        Carrier::Custom(transport) => Arc::clone(transport),
    };
    let mut core = lock(&run.core);
    loop {
        let now = Instant::now();
        match core.next(now) {
            Step::Wait(until) => {
                run.progress.notify_all();
                if stream.closed.load(Ordering::Relaxed) {
                    return;
                }
                core = match until {
                    None => match run.work.wait(core) {
                        Ok(core) => core,
                        Err(poisoned) => poisoned.into_inner(),
                    },
                    Some(then) => match run.work.wait_timeout(core, then.saturating_duration_since(now)) {
                        Ok((core, _)) => core,
                        Err(poisoned) => poisoned.into_inner().0,
                    },
                };
            }
            Step::Assemble(draft) => {
                drop(core);
                let assembled = batch::assemble(draft);
                core = lock(&run.core);
                match assembled {
                    Ok((batch, rest)) => core.adopt(batch, rest),
                    Err(draft) => core.give_back(draft, Instant::now()),
                }
            }
            Step::Send(batch) => {
                drop(core);
                let answer = send(stream, transport.as_ref(), &batch);
                core = lock(&run.core);
                core.settle(answer, Instant::now());
                run.progress.notify_all();
                if stream.debugs() {
                    let losses = *core.losses();
                    drop(core);
                    debug::line(&losses.to_string());
                    core = lock(&run.core);
                }
            }
        }
    }
}

fn send(stream: &Stream, transport: &dyn Transport, batch: &Batch) -> Answer {
    let request = Request {
        url: format!("{}/v1/ingest", stream.destination.endpoint),
        authorization: format!("Bearer {}", stream.destination.key),
        idempotency_key: batch.idempotency_key.clone(),
        body: Arc::clone(&batch.body),
    };
    if stream.debugs() {
        debug::line(&format!("sending {} {}", batch.idempotency_key, String::from_utf8_lossy(&batch.body)));
    }
    // A transport of the user's own may panic; that counts as no answer.
    let result = quietly(|| transport.send(&request))
        .unwrap_or_else(|| Err(TransportError::new("the transport panicked")));
    if stream.debugs() {
        debug::line(&match &result {
            Ok(response) => describe(response),
            Err(error) => format!("no answer, trying again: {error}"),
        });
    }
    match result {
        Ok(Response { status: 200..=299, .. }) => Answer::Taken,
        Ok(Response { status: 429 | 503, retry_after, .. }) => Answer::Later(retry_after),
        Ok(_) => Answer::Refused,
        Err(_) => Answer::Later(None),
    }
}

/// The answer without anything a lying ingest could have put into it.
fn describe(response: &Response) -> String {
    let mut text = format!("answered {}", response.status);
    let Ok(body) = serde_json::from_slice::<serde_json::Value>(&response.body) else { return text };
    let plain = |value: &serde_json::Value| {
        let text = value.as_str()?;
        let plain = text.len() <= 80
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-'));
        plain.then(|| text.to_owned())
    };
    if let Some(accepted) = body.get("accepted").and_then(serde_json::Value::as_u64) {
        text.push_str(&format!(", {accepted} accepted"));
    }
    for rejected in body.get("rejected").and_then(serde_json::Value::as_array).into_iter().flatten().take(20)
    {
        let part = |name: &str| rejected.get(name).and_then(plain).unwrap_or_else(|| "?".to_owned());
        let index = rejected.get("index").and_then(serde_json::Value::as_u64).unwrap_or_default();
        text.push_str(&format!("; payload {index} rejected: {} {}", part("path"), part("rule")));
    }
    text
}
