//! Where canonical bytes go.

/// Takes canonical bytes, piece by piece.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Takes `bytes` with something before and after. Sinks that write into memory can make room once.
    fn put_between<const B: usize, const A: usize>(
        &mut self,
        before: &[u8; B],
        bytes: &[u8],
        after: &[u8; A],
    ) {
        self.put(before);
        self.put(bytes);
        self.put(after);
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
