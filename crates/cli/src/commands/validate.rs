//! `mcpulse validate`: payloads against the wire format, with reasons.

use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use mcpulse_wire::validate::{Checked, EnvelopeError, Violation, decode_batch, validate_raw};
use serde::Serialize;

use crate::args::{Global, ValidateArgs};
use crate::exit::{self, Failure};
use crate::output::Output;

/// What one payload came to.
#[derive(Serialize)]
struct Judged {
    /// Position in the batch or line of the input, from 1.
    payload: usize,
    valid: bool,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
}

impl Judged {
    fn new(payload: usize, result: Result<Checked, Violation>) -> Self {
        match result {
            Ok(checked) => {
                let kind = match checked {
                    Checked::Call { .. } => "call",
                    Checked::Startup(_) => "startup",
                    Checked::Agreement { .. } => "agreement",
                };
                Self { payload, valid: true, kind: Some(kind), path: None, rule: None }
            }
            Err(Violation { path, rule }) => {
                Self { payload, valid: false, kind: None, path: Some(path), rule: Some(rule) }
            }
        }
    }

    fn cells(&self) -> [String; 4] {
        let verdict = if self.valid { "valid" } else { "invalid" };
        let path = match self.path.as_deref() {
            Some("") => "(the payload)",
            Some(path) => path,
            None => "",
        };
        let what = self.kind.or(self.rule).unwrap_or_default();
        [self.payload.to_string(), verdict.to_owned(), what.to_owned(), path.to_owned()]
    }
}

/// `mcpulse validate [FILE]`
pub(crate) fn run(global: &Global, args: &ValidateArgs) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    match &args.file {
        Some(path) => File::open(path)
            .and_then(|mut file| file.read_to_end(&mut text))
            .with_context(|| format!("cannot read {}", path.display()))
            .map_err(Failure::usage)?,
        None => io::stdin().lock().read_to_end(&mut text)?,
    };
    if text.trim_ascii().is_empty() {
        return Err(anyhow!("there is nothing to validate: the input is empty").into());
    }
    let judged = judge(&text)?;
    Output::new(global.json).rows(["payload", "verdict", "type or rule", "path"], &judged, Judged::cells)?;
    let bad = judged.iter().filter(|one| !one.valid).count();
    if bad > 0 {
        return Ok(ExitCode::from(exit::FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

/// A batch, one payload, or a payload a line: whichever the text is.
fn judge(text: &[u8]) -> Result<Vec<Judged>, Failure> {
    match decode_batch(text) {
        Ok(batch) => Ok((1..).zip(batch.payloads).map(|(at, one)| Judged::new(at, one)).collect()),
        Err(error @ (EnvelopeError::TooManyPayloads(_) | EnvelopeError::BatchNotAnArray)) => {
            Err(error.into())
        }
        Err(EnvelopeError::NotJson) => Ok(lines(text)),
        Err(_) => Ok(vec![Judged::new(1, validate_raw(text))]),
    }
}

fn lines(text: &[u8]) -> Vec<Judged> {
    let lines = (1..).zip(text.split(|byte| *byte == b'\n'));
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(at, line)| Judged::new(at, validate_raw(line)))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    const CALL: &str = r#"{"v":1,"type":"call","session_id":"s","client_name":"c","tool_name":"t","started_at":"2026-07-01T00:00:00.000Z","duration_ms":1,"outcome":"ok","response_bytes":1,"is_empty":false,"args_hash":"44136fa355b3"}"#;

    fn verdicts(text: &str) -> Vec<(usize, bool)> {
        judge(text.as_bytes()).unwrap().iter().map(|one| (one.payload, one.valid)).collect()
    }

    #[test]
    fn a_batch_a_payload_and_lines_are_told_apart() {
        assert_eq!(verdicts(&format!("{{\"batch\":[{CALL},7]}}")), [(1, true), (2, false)]);
        assert_eq!(verdicts(CALL), [(1, true)]);
        assert_eq!(verdicts(&CALL.replace(',', ",\n")), [(1, true)]);
        assert_eq!(verdicts(&format!("{CALL}\n\nnope\n{CALL}\n")), [(1, true), (3, false), (4, true)]);
    }

    #[test]
    fn a_batch_too_large_is_refused_whole() {
        let all = vec!["7"; 501].join(",");
        assert!(judge(format!("{{\"batch\":[{all}]}}").as_bytes()).is_err());
    }
}
