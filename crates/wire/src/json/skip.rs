//! Walking over a value without keeping it. No recursion, so no nesting can exhaust the stack.

use super::number::read_number;
use super::scan::read_string;
use super::skip_blank;

/// Which containers are open, one bit each.
#[derive(Default)]
struct Nesting {
    top: u128,
    depth: usize,
    below: Vec<u128>,
}

impl Nesting {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(128) {
            self.below.push(self.top);
        }
        self.top = (self.top << 1) | u128::from(is_object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.top >>= 1;
        self.depth -= 1;
        if self.depth > 0
            && self.depth.is_multiple_of(128)
            && let Some(below) = self.below.pop()
        {
            self.top = below;
        }
    }

    fn in_object(&self) -> bool {
        self.top & 1 == 1
    }
}

/// The position behind the value that starts at `at` (no whitespace before it). `None` when it is not JSON.
pub(crate) fn skip_value(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut open = Nesting::default();
    loop {
        // Here a value starts.
        match bytes.get(at)? {
            b'{' => {
                open.push(true);
                at = skip_blank(bytes, at + 1);
                if bytes.get(at) != Some(&b'}') {
                    at = skip_key(bytes, at)?;
                    continue;
                }
            }
            b'[' => {
                open.push(false);
                at = skip_blank(bytes, at + 1);
                if bytes.get(at) != Some(&b']') {
                    continue;
                }
            }
            _ => at = skip_scalar(bytes, at)?,
        }
        // Here a value has ended, or an empty container is about to.
        loop {
            if open.depth == 0 {
                return Some(at);
            }
            at = skip_blank(bytes, at);
            match (bytes.get(at)?, open.in_object()) {
                (b',', true) => {
                    at = skip_key(bytes, skip_blank(bytes, at + 1))?;
                    break;
                }
                (b',', false) => {
                    at = skip_blank(bytes, at + 1);
                    break;
                }
                (b'}', true) | (b']', false) => {
                    open.pop();
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

/// From a key's opening quote to the start of its value.
fn skip_key(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let colon = skip_blank(bytes, read_string(bytes, at)?.end + 1);
    (bytes.get(colon) == Some(&b':')).then(|| skip_blank(bytes, colon + 1))
}

fn skip_scalar(bytes: &[u8], at: usize) -> Option<usize> {
    let literal: &[u8] = match bytes.get(at)? {
        b'"' => return Some(read_string(bytes, at)?.end + 1),
        b'-' | b'0'..=b'9' => return Some(read_number(bytes, at)?.end),
        b't' => b"true",
        b'f' => b"false",
        b'n' => b"null",
        _ => return None,
    };
    bytes.get(at..)?.starts_with(literal).then_some(at + literal.len())
}
