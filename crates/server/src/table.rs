//! Calls as lines of text.

use std::io::{self, Write};

use mcpulse_store::metrics::types::{CallRow, Outcome};

/// The names of the fields, as everywhere.
pub(crate) const CSV_HEAD: &str = "seq,received_ms,session_id,client,tool,started_ms,duration_ms,outcome,is_empty,\
                                   response_units,args_hash\r\n";

/// What makes a spreadsheet take a text for a formula, the wide forms of East Asian input among it.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// One line of RFC 4180.
pub(crate) fn csv(call: &CallRow, out: &mut Vec<u8>) -> io::Result<()> {
    write!(out, "{},{},", call.seq, call.received_ms)?;
    for text in [&call.session_id, &call.client, &call.tool] {
        field(text, out)?;
        out.push(b',');
    }
    writeln_crlf(call, out)
}

fn writeln_crlf(call: &CallRow, out: &mut Vec<u8>) -> io::Result<()> {
    write!(
        out,
        "{},{},{},{},{},{}\r\n",
        call.started_ms,
        call.duration_ms,
        outcome(call.outcome),
        call.is_empty,
        call.response_units,
        call.args_hash
    )
}

/// A text: names come from outside, and whoever opens the file must not run them.
fn field(text: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let formula = text.trim_start_matches(' ').starts_with(FORMULA);
    let quoted = formula || text.contains([',', '"', '\r', '\n']) || text.starts_with(' ');
    if !quoted {
        return out.write_all(text.as_bytes());
    }
    write!(out, "\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
}

/// One line of JSON.
pub(crate) fn ndjson(call: &CallRow, out: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, call)?;
    out.push(b'\n');
    Ok(())
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::BadArgs => "bad_args",
        Outcome::ToolError => "tool_error",
        Outcome::Crashed => "crashed",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        field(text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nothing_is_taken_for_a_formula() {
        for (text, expected) in [
            ("search", "search"),
            ("a-b", "a-b"),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "\"'\r=1\""),
            (" =1", "\"' =1\""),
            ("＝1", "\"'＝1\""),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("a,b", "\"a,b\""),
            ("a\nb", "\"a\nb\""),
            ("a\"b", "\"a\"\"b\""),
            ("", ""),
        ] {
            assert_eq!(written(text), expected, "{text:?}");
        }
    }
}
