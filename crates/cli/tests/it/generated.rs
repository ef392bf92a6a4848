//! The reference pages are what the command line says. `make gen` writes them again.

use std::path::Path;

use crate::support::{run, stdout};

fn check(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/reference/{page}.md"));
    let fresh = stdout(&run(&["reference", page]));
    if std::env::var_os("MCPULSE_GEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == fresh, "docs/reference/{page}.md is not what the command line says: run `make gen`");
}

#[test]
fn generated_cli_reference() {
    check("cli");
}

#[test]
fn generated_configuration_reference() {
    check("configuration");
}
