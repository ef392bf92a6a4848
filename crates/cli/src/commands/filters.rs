//! The filters: one JSON document a line in, one line a line out, in order.
//!
//! They work as a co-process too: whatever was written is flushed before the next read can block.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use mcpulse_wire::canonical::canonicalize_raw;
use mcpulse_wire::hash::args_hash_raw;
use mcpulse_wire::normalize;
use serde::Serialize;

use crate::exit::Failure;

const BUFFER: usize = 256 * 1024;

/// What a line with no canonical form comes to.
const NONE: &[u8] = b"!";

/// `mcpulse canonicalize`
pub(crate) fn canonicalize() -> Result<ExitCode, Failure> {
    standard(canonical_line)
}

/// `mcpulse hash`
pub(crate) fn hash() -> Result<ExitCode, Failure> {
    standard(|line, out| out.write_all(args_hash_raw(Some(line)).as_str().as_bytes()))
}

/// `mcpulse normalize`
pub(crate) fn normalize() -> Result<ExitCode, Failure> {
    standard(normal_line)
}

fn canonical_line(line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    match canonicalize_raw(line) {
        Ok(text) => out.write_all(text.as_bytes()),
        Err(_) => out.write_all(NONE),
    }
}

/// A description's tokens and their hash; `null` when no token is left.
#[derive(Serialize)]
struct Normal<'a> {
    tokens: Vec<String>,
    hash: Option<&'a str>,
}

fn normal_line(line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    // A JSON string, as every line here is one document.
    let Ok(description) = serde_json::from_slice::<String>(line) else { return out.write_all(NONE) };
    let hash = normalize::description_norm(Some(&description));
    let tokens = normalize::tokens(&description);
    serde_json::to_writer(&mut *out, &Normal { tokens, hash: hash.as_ref().map(|hash| hash.as_str()) })?;
    Ok(())
}

fn standard(each: impl FnMut(&[u8], &mut dyn Write) -> io::Result<()>) -> Result<ExitCode, Failure> {
    filter(io::stdin().lock(), io::stdout().lock(), each)?;
    Ok(ExitCode::SUCCESS)
}

/// Bytes in, bytes out: a line that is not UTF-8 is one that is not JSON, and does not end the run.
fn filter(
    input: impl Read,
    output: impl Write,
    mut each: impl FnMut(&[u8], &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(BUFFER, input);
    let mut output = BufWriter::with_capacity(BUFFER, output);
    let mut line = Vec::new();
    loop {
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        each(text.strip_suffix(b"\r").unwrap_or(text), &mut output)?;
        output.write_all(b"\n")?;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn run(input: &[u8], each: impl FnMut(&[u8], &mut dyn Write) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        filter(input, &mut out, each).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_line_has_its_line() {
        let input = b"{\"b\":1.0,\"a\":2}\n\n  \nnull\r\n\xff\n[1,]\n\"\\ud800\"\n7";
        let expected = "{\"a\":2,\"b\":1}\n!\n!\nnull\n!\n!\n!\n7\n";
        assert_eq!(run(input, canonical_line), expected);
    }

    #[test]
    fn descriptions_become_tokens_and_a_hash() {
        let input = b"\"Search orders by customer, date range or status.\"\n\"\"\n7\n";
        let expected = "{\"tokens\":[\"custom\",\"date\",\"order\",\"rang\",\"search\",\"statu\"],\
                        \"hash\":\"8c62680d1394\"}\n{\"tokens\":[],\"hash\":null}\n!\n";
        assert_eq!(run(input, normal_line), expected);
    }

    #[test]
    fn nothing_in_is_nothing_out() {
        assert_eq!(run(b"", canonical_line), "");
    }

    /// A writer that a reader can look at.
    struct Seen<'a>(&'a RefCell<Vec<u8>>);

    impl Write for Seen<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A reader that hands over one piece at a time and notes what had been written when it was asked.
    struct Asks<'a> {
        pieces: Vec<&'static [u8]>,
        written: &'a RefCell<Vec<u8>>,
        seen: &'a RefCell<Vec<usize>>,
    }

    impl Read for Asks<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.seen.borrow_mut().push(self.written.borrow().len());
            if self.pieces.is_empty() {
                return Ok(0);
            }
            let piece = self.pieces.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn what_is_done_is_out_before_the_next_read() {
        let (written, seen) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        let pieces: Vec<&[u8]> = vec![b"1\n2\n", b"3", b"\n"];
        filter(Asks { pieces, written: &written, seen: &seen }, Seen(&written), canonical_line).unwrap();
        assert_eq!(*seen.borrow(), [0, 4, 4, 6]);
    }
}
