//! Step 1, second half: bodies that come compressed, bounded after expansion.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header};
use ruzstd::decoding::StreamingDecoder;

use super::MAX_BODY;
use crate::problem::Problem;

/// Bodies up to this size are expanded in place; larger ones move off the async threads.
const INLINE: usize = 16 * 1024;

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Zstd,
}

impl Encoding {
    /// What the headers say.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let refuse = || Problem::unsupported().detail("the Content-Encoding must be gzip, zstd or identity");
        let mut values = headers.get_all(header::CONTENT_ENCODING).iter();
        let Some(value) = values.next() else { return Ok(Self::Identity) };
        if values.next().is_some() {
            return Err(refuse());
        }
        match value.to_str().map(|value| value.trim().to_ascii_lowercase()).as_deref() {
            Ok("identity" | "") => Ok(Self::Identity),
            Ok("gzip" | "x-gzip") => Ok(Self::Gzip),
            Ok("zstd") => Ok(Self::Zstd),
            _ => Err(refuse()),
        }
    }
}

/// Expands a body to at most the allowed size.
pub(super) async fn expand(body: Bytes, encoding: Encoding) -> Result<Bytes, Problem> {
    if encoding == Encoding::Identity {
        return Ok(body);
    }
    if body.len() <= INLINE {
        return expanded(&body, encoding);
    }
    tokio::task::spawn_blocking(move || expanded(&body, encoding))
        .await
        .unwrap_or_else(|_| Err(Problem::internal()))
}

fn expanded(body: &[u8], encoding: Encoding) -> Result<Bytes, Problem> {
    let result = match encoding {
        Encoding::Identity => Ok(body.to_vec()),
        Encoding::Gzip => bounded(MultiGzDecoder::new(body)),
        Encoding::Zstd => zstd(body),
    };
    match result {
        Ok(all) if all.len() <= MAX_BODY => Ok(Bytes::from(all)),
        Ok(_) => Err(super::too_large()),
        Err(_) => Err(Problem::malformed().detail("the body is not what its Content-Encoding says")),
    }
}

/// Reads until the end or just past the bound: a bomb is left unread.
fn bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    reader.take(MAX_BODY as u64 + 1).read_to_end(&mut all)?;
    Ok(all)
}

/// Frames may follow each other.
fn zstd(mut body: &[u8]) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    while !body.is_empty() && all.len() <= MAX_BODY {
        let mut frame = StreamingDecoder::new(&mut body).map_err(io::Error::other)?;
        all.append(&mut bounded(&mut frame)?);
    }
    Ok(all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use http::{HeaderValue, StatusCode};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn both_encodings_expand() {
        assert_eq!(expanded(&gzip(b"{\"batch\":[]}"), Encoding::Gzip).unwrap(), "{\"batch\":[]}");
        let mut two = compress_to_vec(&b"{\"batch\""[..], CompressionLevel::Fastest);
        two.extend(compress_to_vec(&b":[]}"[..], CompressionLevel::Fastest));
        assert_eq!(expanded(&two, Encoding::Zstd).unwrap(), "{\"batch\":[]}");
    }

    #[test]
    fn a_bomb_is_too_large() {
        let bomb = vec![b' '; 64 * 1024 * 1024];
        let zipped = gzip(&bomb);
        assert!(zipped.len() < MAX_BODY / 8);
        let status = |body: &[u8], encoding| expanded(body, encoding).unwrap_err().status();
        assert_eq!(status(&zipped, Encoding::Gzip), StatusCode::PAYLOAD_TOO_LARGE);
        let zipped = compress_to_vec(bomb.as_slice(), CompressionLevel::Fastest);
        assert_eq!(status(&zipped, Encoding::Zstd), StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[test]
    fn what_is_not_compressed_is_malformed() {
        for encoding in [Encoding::Gzip, Encoding::Zstd] {
            let cut = &gzip(b"{\"batch\":[]}")[..15];
            assert_eq!(expanded(cut, encoding).unwrap_err().status(), StatusCode::BAD_REQUEST);
        }
    }

    #[test]
    fn unknown_encodings_are_unsupported() {
        let mut headers = HeaderMap::new();
        assert_eq!(Encoding::of(&headers).unwrap(), Encoding::Identity);
        for (value, known) in [("gzip", true), ("ZSTD", true), ("br", false), ("gzip, gzip", false)] {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(Encoding::of(&headers).is_ok(), known, "{value}");
        }
    }
}
