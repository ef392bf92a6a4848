//! What a customer's data could be, looked for in everything that leaves the process.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::ingest::Arrived;
use crate::kit::Context;
use crate::tour::Tour;
use crate::verdict::{Fault, ensure, fail};

/// The canary as it could be disguised.
fn disguises(canary: &str) -> Vec<String> {
    let hex: String = canary.bytes().map(|byte| format!("{byte:02x}")).collect();
    let reversed: String = canary.chars().rev().collect();
    let mut all = vec![canary.to_ascii_lowercase(), hex, reversed.to_ascii_lowercase()];
    for shift in 0..3 {
        // The middle of the text in base64 depends only on where it begins.
        let padded = format!("{}{canary}", "x".repeat(shift));
        let text = STANDARD_NO_PAD.encode(padded);
        let begin = if shift == 0 { 0 } else { 4 };
        all.push(text.get(begin..text.len() - 3).unwrap_or_default().to_ascii_lowercase());
    }
    all
}

/// Where in `bytes` the canary is, in any disguise.
fn found(canary: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    // Letters may stand as escapes.
    let plain = unescape(&text);
    disguises(canary).iter().any(|one| text.contains(one) || plain.contains(one))
}

/// `\u0043` and `%43` are `C`.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '%']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let (skip, digits) = if from.starts_with("\\u") { (2, 4) } else { (1, 2) };
        let code = from.get(skip..skip + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(letter) => {
                out.push(letter.to_ascii_lowercase());
                rest = from.get(skip + digits..).unwrap_or_default();
            }
            None => {
                out.push_str(from.get(..1).unwrap_or_default());
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

fn in_request(canary: &str, arrived: &Arrived) -> Option<&'static str> {
    if found(canary, &arrived.head.raw) {
        return Some("the head");
    }
    (found(canary, &arrived.text) || found(canary, &arrived.body)).then_some("the body")
}

fn judge(canary: &str, tour: &Tour) -> Result<(), Fault> {
    ensure(!tour.arrived.is_empty(), || "nothing was sent".to_owned())?;
    for (at, arrived) in (1..).zip(&tour.arrived) {
        if let Some(place) = in_request(canary, arrived) {
            return fail(format!("the canary is in {place} of request {at}"));
        }
    }
    Ok(())
}

pub(super) fn nothing_sent(context: &Context<'_>) -> Result<(), Fault> {
    judge(&context.kit.canary, context.kit.tour(context.link, &[])?.as_ref())
}

pub(super) fn nothing_printed(context: &Context<'_>) -> Result<(), Fault> {
    let canary = &context.kit.canary;
    let tour = context.kit.tour(context.link, &["--debug"])?;
    judge(canary, &tour)?;
    let Some(hash) = tour.recorded.first().map(|call| call.args_hash.to_string()) else {
        return fail("nothing was recorded");
    };
    let stderr = &tour.watched.stderr;
    ensure(stderr.contains(&hash), || "with `--debug` the payloads are not on standard error".to_owned())?;
    // What the program and its MCP SDK print themselves is not the producer's doing.
    let lines = |text: &str| text.lines().filter(|line| found(canary, line.as_bytes())).count();
    let (watched, twin) = (lines(stderr), lines(&tour.twin()?.stderr));
    ensure(watched <= twin, || {
        format!("the canary is in {watched} lines on standard error; unwatched: {twin}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_are_seen_through() {
        let canary = "Canary0123abcd";
        let hex: String = canary.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut texts = vec![
            canary.to_uppercase(),
            hex,
            r"\u0043anary0123abcd".to_owned(),
            "%43anary0123abcd".to_owned(),
        ];
        for before in ["", "a", "ab", "abc"] {
            texts.push(STANDARD_NO_PAD.encode(format!("{before}{canary} and more")));
        }
        for text in &texts {
            assert!(found(canary, format!("xx {text} yy").as_bytes()), "{text}");
        }
        assert!(!found(canary, b"\\ % \\u00 Canary0123abc"));
    }
}
