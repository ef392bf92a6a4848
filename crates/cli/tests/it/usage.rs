//! Exit codes and messages of commands that cannot do what they are asked.

use crate::support::{run, stderr, stdout};

#[test]
fn wrong_usage_is_2_and_says_why() {
    let empty = tempfile::tempdir().unwrap();
    let data = empty.path().to_str().unwrap();
    for (arguments, says) in [
        (vec!["nonsense"], "nonsense"),
        (vec!["serve", "--listen", "nowhere"], "--listen"),
        (vec!["--data", data, "keys", "list", "srv_1"], "mcpulse serve"),
        (vec!["--data", data, "login-link"], "mcpulse serve"),
        (vec!["--data", data, "serve", "--public-url", "ftp://x"], "public_url"),
        (vec!["--config", "/nowhere.toml", "serve"], "/nowhere.toml"),
        (vec!["--data", data, "serve", "--log", "nonsense"], "--log"),
        (vec!["demo", "--example", "/nowhere/orders"], "/nowhere/orders"),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}

#[test]
fn help_documents_the_exit_codes() {
    let output = run(&["--help"]);
    assert!(output.status.success());
    assert!(stdout(&output).contains("Exit codes:"));
}

#[test]
fn a_setting_in_the_file_is_checked_like_a_flag() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mcpulse.toml");
    for (text, says) in
        [("listen = \"nowhere\"", "--listen"), ("colour = \"red\"", "colour is not a setting")]
    {
        std::fs::write(&file, text).unwrap();
        let output = run(&["--config", file.to_str().unwrap(), "serve"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
}

#[test]
fn a_data_directory_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let data = file.join("data");
    let output = run(&["--data", data.to_str().unwrap(), "serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(data.to_str().unwrap()), "{}", stderr(&output));
}
