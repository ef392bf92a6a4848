//! `spec/openapi.json` is what the handlers say. `make gen` writes it again.

use std::path::Path;

#[test]
fn generated_openapi() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/openapi.json");
    let mut fresh = mcpulse_server::openapi_document().to_pretty_json().unwrap();
    fresh.push('\n');
    if std::env::var_os("MCPULSE_GEN").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == fresh, "spec/openapi.json is not what the handlers say: run `make gen`");
}
