//! Numbers as people read them.

/// `12.3%`
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// `12,300`
pub(super) fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{percent, whole};

    #[test]
    fn numbers_read_well() {
        assert_eq!(percent(0.1234), "12.3%");
        assert_eq!(whole(1_234_567.4), "1,234,567");
        assert_eq!(whole(999.0), "999");
        assert_eq!(whole(0.0), "0");
    }
}
