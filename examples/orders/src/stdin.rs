//! Standard input as a lifeline: it closes when whoever started this process is gone, however that went.

use tokio::io::AsyncReadExt;

/// Ready when standard input has ended.
pub(crate) async fn closed() {
    let mut byte = [0];
    let mut stdin = tokio::io::stdin();
    while matches!(stdin.read(&mut byte).await, Ok(1..)) {}
}
