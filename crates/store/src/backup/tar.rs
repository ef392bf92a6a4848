//! The little of POSIX `ustar` that a backup needs: plain files with short names. `tar` reads it too.

/// Files begin at multiples of this, and are filled up to it.
pub(super) const BLOCK: usize = 512;

/// The end of an archive.
pub(super) const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// Sizes beyond eleven octal digits are written in binary, as GNU `tar` and others do.
const MAX_OCTAL: u64 = 0o77_777_777_777;

/// Bytes between the end of a file and the next.
pub(super) fn padding(bytes: u64) -> usize {
    let over = usize::try_from(bytes % BLOCK as u64).unwrap_or_default();
    if over == 0 { 0 } else { BLOCK - over }
}

/// What stands before a file. The name must be short; those of a backup are.
pub(super) fn head(name: &str, bytes: u64) -> [u8; BLOCK] {
    let mut head = [0; BLOCK];
    put(&mut head, 0, name.as_bytes());
    put(&mut head, 100, b"0000600\0");
    put(&mut head, 108, b"0000000\0");
    put(&mut head, 116, b"0000000\0");
    if bytes <= MAX_OCTAL {
        put(&mut head, 124, format!("{bytes:011o}\0").as_bytes());
    } else {
        head[124] = 0x80;
        put(&mut head, 128, &bytes.to_be_bytes());
    }
    put(&mut head, 136, b"00000000000\0");
    head[156] = b'0';
    put(&mut head, 257, b"ustar\x0000");
    let sum = sum(&head);
    put(&mut head, 148, format!("{sum:06o}\0 ").as_bytes());
    head
}

/// The name and the length in a head; `None` when it is none.
pub(super) fn read_head(head: &[u8; BLOCK]) -> Option<(String, u64)> {
    let text = |from: usize, to: usize| {
        let field = &head[from..to];
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        std::str::from_utf8(&field[..end]).ok()
    };
    let octal = |from: usize, to: usize| u64::from_str_radix(text(from, to)?.trim(), 8).ok();
    if octal(148, 156)? != u64::from(sum(head)) || head[156] != b'0' {
        return None;
    }
    let bytes = if head[124] == 0x80 {
        u64::from_be_bytes(head[128..136].try_into().ok()?)
    } else {
        octal(124, 136)?
    };
    Some((text(0, 100)?.to_owned(), bytes))
}

fn put(head: &mut [u8; BLOCK], at: usize, bytes: &[u8]) {
    head[at..at + bytes.len()].copy_from_slice(bytes);
}

/// The sum of all bytes, those of the sum itself taken as blanks.
fn sum(head: &[u8; BLOCK]) -> u32 {
    (0..).zip(head).map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_were_written() {
        for bytes in [0, 1, 511, 512, MAX_OCTAL, MAX_OCTAL + 1, 1 << 50] {
            let head = head("events/srv_01890a5d-ac96-774b-bcce-b302099a8057.duckdb", bytes);
            let expected = "events/srv_01890a5d-ac96-774b-bcce-b302099a8057.duckdb".to_owned();
            assert_eq!(read_head(&head), Some((expected, bytes)));
            let mut damaged = head;
            damaged[130] ^= 1;
            assert_eq!(read_head(&damaged), None);
        }
    }

    #[test]
    fn files_are_filled_up_to_whole_blocks() {
        assert_eq!([0, 1, 511, 512, 513].map(padding), [0, 511, 1, 0, 511]);
    }
}
