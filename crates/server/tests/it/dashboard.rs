//! The embedded dashboard. Both with files and without: a test run needs no Node.

use reqwest::Method;

use crate::support::{TestServer, answer};

#[tokio::test]
async fn every_page_of_the_dashboard_is_its_page() {
    let server = TestServer::start().await;
    let root = answer(server.anonymous(Method::GET, "/")).await.expect(200);
    assert_eq!(root.header("content-type"), "text/html; charset=utf-8");
    for path in ["/sign-in", "/servers/srv_x/tools/a%2Fb"] {
        assert_eq!(answer(server.anonymous(Method::GET, path)).await.expect(200).body, root.body, "{path}");
    }
    answer(server.anonymous(Method::HEAD, "/")).await.expect(200);
}

#[tokio::test]
async fn a_missing_asset_is_no_page() {
    let server = TestServer::start().await;
    answer(server.anonymous(Method::GET, "/assets/index-00000000.js")).await.expect(404);
}

#[tokio::test]
async fn paths_stay_inside() {
    let server = TestServer::start().await;
    for path in ["/..%2f..%2fCargo.toml", "/assets/..%2f..%2f..%2fCargo.toml", "/%2e%2e/%2e%2e/Cargo.toml"] {
        let answer = answer(server.anonymous(Method::GET, path)).await;
        assert!(!answer.body.contains("[package]") && !answer.body.contains("[workspace]"), "{path}");
    }
}
