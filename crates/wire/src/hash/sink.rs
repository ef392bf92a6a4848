//! Hashes canonical bytes as they come.

use sha2::{Digest, Sha256};

use crate::canonical::Sink;

/// A multiple of SHA-256's block, small enough to stay in the first-level cache.
const BUFFER: usize = 1024;

/// Collects the many small pieces of the canonical form into blocks, so that hashing needs no allocation.
pub(crate) struct HashSink {
    buffer: [u8; BUFFER],
    len: usize,
    sha: Sha256,
}

impl HashSink {
    pub(crate) fn new() -> Self {
        Self { buffer: [0; BUFFER], len: 0, sha: Sha256::new() }
    }

    pub(crate) fn finish(mut self) -> [u8; 32] {
        self.flush();
        self.sha.finalize().into()
    }

    fn flush(&mut self) {
        self.sha.update(self.buffer.get(..self.len).unwrap_or_default());
        self.len = 0;
    }

    #[cold]
    fn put_across(&mut self, bytes: &[u8]) {
        let room = BUFFER - self.len;
        let (head, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        if let Some(free) = self.buffer.get_mut(self.len..self.len + head.len()) {
            free.copy_from_slice(head);
            self.len += head.len();
        }
        self.flush();
        // Full blocks need not pass through the buffer.
        let (blocks, tail) = rest.split_at(rest.len() - rest.len() % BUFFER);
        self.sha.update(blocks);
        if let Some(free) = self.buffer.get_mut(..tail.len()) {
            free.copy_from_slice(tail);
            self.len = tail.len();
        }
    }
}

impl Sink for HashSink {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        match self.buffer.get_mut(self.len..self.len + bytes.len()) {
            Some(free) => {
                free.copy_from_slice(bytes);
                self.len += bytes.len();
            }
            None => self.put_across(bytes),
        }
    }

    #[inline]
    fn put_between<const B: usize, const A: usize>(
        &mut self,
        before: &[u8; B],
        bytes: &[u8],
        after: &[u8; A],
    ) {
        let total = B + bytes.len() + A;
        let Some(free) = self.buffer.get_mut(self.len..self.len + total) else {
            self.put_across(before);
            self.put_across(bytes);
            self.put_across(after);
            return;
        };
        self.len += total;
        let (head, rest) = free.split_at_mut(B);
        let (body, tail) = rest.split_at_mut(bytes.len());
        head.copy_from_slice(before);
        body.copy_from_slice(bytes);
        tail.copy_from_slice(after);
    }
}
