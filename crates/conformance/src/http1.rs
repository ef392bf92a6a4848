//! HTTP/1.1 as it is on the wire. The kit looks at every byte, so nothing may stand between it and the socket.

use std::io::{self, BufRead, Read};

/// Longest head that is read, in bytes.
const HEAD_MAX: usize = 1 << 16;

/// The first line and the headers of a request or an answer.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The request line or status line.
    pub start: String,
    /// Names and values in their order, blanks around the values aside.
    pub headers: Vec<(String, String)>,
    /// Everything as it arrived.
    pub raw: Vec<u8>,
}

impl Head {
    /// The first header of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The status of an answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.start.split(' ').nth(1)?.parse().ok()
    }

    fn is_chunked(&self) -> bool {
        self.header("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().contains("chunked"))
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Reads up to and with the line feed.
fn line(reader: &mut impl BufRead, raw: &mut Vec<u8>) -> io::Result<String> {
    let begin = raw.len();
    reader.take((HEAD_MAX - begin.min(HEAD_MAX)) as u64).read_until(b'\n', raw)?;
    if raw.len() >= HEAD_MAX {
        return Err(broken("a head of over 64 KiB"));
    }
    let line = raw.get(begin..).unwrap_or_default();
    Ok(String::from_utf8_lossy(line).trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a head; `None` when the connection was closed before it began.
///
/// # Errors
/// When the connection breaks, or what arrives is no head.
pub fn read_head(reader: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut head = Head::default();
    head.start = line(reader, &mut head.raw)?;
    if head.raw.is_empty() {
        return Ok(None);
    }
    loop {
        let header = line(reader, &mut head.raw)?;
        if header.is_empty() {
            return if head.raw.ends_with(b"\n") { Ok(Some(head)) } else { Err(broken("half a head")) };
        }
        let (name, value) = header.split_once(':').ok_or_else(|| broken("a header without a colon"))?;
        head.headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

enum Framing {
    Length(u64),
    Chunk(u64),
    Close,
    Done,
}

/// The body that follows a head, as it comes in.
pub struct Body<'a, R> {
    reader: &'a mut R,
    framing: Framing,
}

impl<'a, R: BufRead> Body<'a, R> {
    /// `to_the_end`: without a length, the body ends with the connection (answers do, requests do not).
    pub fn after(head: &Head, reader: &'a mut R, to_the_end: bool) -> Self {
        let framing = if head.is_chunked() {
            Framing::Chunk(0)
        } else if let Some(length) = head.header("content-length").and_then(|length| length.parse().ok()) {
            Framing::Length(length)
        } else if to_the_end {
            Framing::Close
        } else {
            Framing::Done
        };
        Self { reader, framing }
    }

    /// Reads the line that begins a chunk.
    fn next_chunk(&mut self) -> io::Result<u64> {
        let mut raw = Vec::new();
        let mut size = line(self.reader, &mut raw)?;
        if size.is_empty() && !raw.is_empty() {
            // The end of the chunk before.
            size = line(self.reader, &mut raw)?;
        }
        let digits = size.split(';').next().unwrap_or_default().trim();
        u64::from_str_radix(digits, 16).map_err(|_| broken("a chunk without a size"))
    }
}

impl<R: BufRead> Read for Body<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Framing::Chunk(0) = self.framing {
            let size = self.next_chunk()?;
            if size == 0 {
                let mut raw = Vec::new();
                while !line(self.reader, &mut raw)?.is_empty() {}
                self.framing = Framing::Done;
            } else {
                self.framing = Framing::Chunk(size);
            }
        }
        let (Framing::Length(left) | Framing::Chunk(left)) = &mut self.framing else {
            return if matches!(self.framing, Framing::Close) { self.reader.read(buffer) } else { Ok(0) };
        };
        if *left == 0 {
            return Ok(0);
        }
        let most = usize::try_from(*left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.reader.read(buffer.get_mut(..most).unwrap_or_default())?;
        if read == 0 && most > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended within a body"));
        }
        *left -= read as u64;
        Ok(read)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    fn read(mut text: &[u8], to_the_end: bool) -> io::Result<(String, String)> {
        let head = read_head(&mut text)?.unwrap();
        let mut body = String::new();
        Body::after(&head, &mut text, to_the_end).read_to_string(&mut body)?;
        Ok((body, String::from_utf8_lossy(text).into_owned()))
    }

    #[test]
    fn bodies_end_where_they_say() {
        let length = b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcnext";
        assert_eq!(read(length, false).unwrap(), ("abc".to_owned(), "next".to_owned()));
        let chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nx: y\r\n\r\nnext";
        assert_eq!(read(chunked, false).unwrap(), ("abcd".to_owned(), "next".to_owned()));
        assert_eq!(read(b"GET / HTTP/1.1\r\n\r\nnext", false).unwrap().1, "next");
        assert_eq!(read(b"HTTP/1.1 200 OK\r\n\r\nrest", true).unwrap().0, "rest");
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        assert!(read(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", false).is_err());
        assert!(read_head(&mut &b"POST / HTTP/1.1\r\nHost: a"[..]).is_err());
        assert!(read_head(&mut &b""[..]).unwrap().is_none());
    }
}
