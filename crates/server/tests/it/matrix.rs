//! Every route of the OpenAPI document with every kind of credential: no answer of 2xx that should not be.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::{Person, TestServer, Tracked, answer, text};

/// Routes that anybody reaches. Ingest and sign-in take credentials of their own.
const OPEN: [&str; 3] = ["/health", "/metrics", "/v1/schema"];
const OWN: [&str; 3] = ["/v1/ingest", "/v1/sign-in", "/v1/backup"];

struct Route {
    method: Method,
    path: String,
    pattern: String,
    body: Option<Value>,
}

/// A server with everything that a path can name.
struct World {
    server: TestServer,
    other: Person,
    mine: Tracked,
    theirs: Tracked,
    token: String,
    read_only: String,
    revoked: String,
}

async fn token(server: &TestServer, scopes: Value) -> (String, String) {
    let path = format!("/v1/accounts/{}/tokens", server.owner.account);
    let made = server.post(&path, json!({"name": "matrix", "scopes": scopes})).await.expect(201).json();
    (text(&made["token"]["id"]), text(&made["secret"]))
}

impl World {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let other = server.somebody_else().await;
        let (mine, theirs) = (server.track().await, server.track_for(&other).await);
        let (_, token_) = token(&server, json!(["read", "write"])).await;
        let (_, read_only) = token(&server, json!(["read"])).await;
        let (id, revoked) = token(&server, json!(["read", "write"])).await;
        let path = format!("/v1/accounts/{}/tokens/{id}", server.owner.account);
        answer(server.browser(Method::DELETE, &path)).await.expect(200);
        Self { server, other, mine, theirs, token: token_, read_only, revoked }
    }

    /// Every route, with ids of `tracked`, which is in `account`.
    async fn routes(&self, account: &str, tracked: &Tracked) -> Vec<Route> {
        let document = answer(self.server.anonymous(Method::GET, "/openapi.json")).await.json();
        let mut routes = Vec::new();
        for (pattern, item) in document["paths"].as_object().unwrap() {
            let path = pattern
                .replace("{account_id}", account)
                .replace("{server_id}", &tracked.server)
                .replace("{key_id}", &tracked.key)
                .replace("{token_id}", "tok_01890a5d-ac96-774b-bcce-b302099a8057")
                .replace("{name}", "search")
                .replace("{session_id}", "s_0123456789ab");
            assert!(!path.contains('{'), "a parameter the matrix does not know: {path}");
            // The one route with a parameter that has to be there.
            let path = if pattern.ends_with("/tool") { format!("{path}?name=search") } else { path };
            for (method, operation) in item.as_object().unwrap() {
                let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                let body = operation.get("requestBody").map(|_| body(pattern, &method));
                routes.push(Route { method, path: path.clone(), pattern: pattern.clone(), body });
            }
        }
        assert!(routes.len() >= 35, "the document has lost routes: {}", routes.len());
        // What deletes comes last, so that the others still find something: the larger, the later.
        routes.sort_by_key(|route| {
            let large = ["/v1/servers/{server_id}", "/v1/accounts/{account_id}", "/v1/me"];
            let size = large.iter().position(|pattern| *pattern == route.pattern);
            (route.method == Method::DELETE, size)
        });
        routes
    }

    fn request(&self, route: &Route) -> RequestBuilder {
        let request = self.server.anonymous(route.method.clone(), &route.path);
        match &route.body {
            Some(body) => request.json(body),
            None => request,
        }
    }
}

/// A body that the route would take.
fn body(pattern: &str, method: &Method) -> Value {
    match (method.as_str(), pattern) {
        ("POST", "/v1/ingest") => json!({"batch": []}),
        ("POST", "/v1/sign-in") => json!({"token": "mp_link_none"}),
        ("POST", "/v1/accounts/{account_id}/tokens") => json!({"name": "a", "scopes": ["read"]}),
        ("POST", _) => json!({"name": "a"}),
        ("PATCH", "/v1/accounts/{account_id}") => json!({"usd_per_million_tokens": 3.0}),
        ("PATCH", "/v1/servers/{server_id}") => json!({"name": "renamed"}),
        ("PATCH", "/v1/keys/{key_id}") => json!({"limit_per_minute": 20_000}),
        ("PATCH", "/v1/servers/{server_id}/tool-modes") => json!({"tool": "search", "mode": null}),
        _ => panic!("{method} {pattern} needs a body in the matrix"),
    }
}

fn is_open(route: &Route) -> bool {
    OPEN.contains(&route.pattern.as_str())
}

#[tokio::test]
async fn without_or_with_wrong_credentials_nothing_opens() {
    let world = World::new().await;
    let routes = world.routes(&world.server.owner.account, &world.mine).await;
    let wrong_cookie = format!("mcpulse_{}=mp_login_{}", world.server.address.port(), "0".repeat(32));
    for route in &routes {
        let credentials: [(&str, Option<&str>); 6] = [
            ("authorization", None),
            ("authorization", Some(&format!("Bearer mp_pat_{}", "0".repeat(32)))),
            ("authorization", Some(&format!("Bearer {}", world.revoked))),
            ("authorization", Some(&format!("Bearer mp_live_{}", "0".repeat(32)))),
            ("authorization", Some("Basic b3duZXI6")),
            ("cookie", Some(&wrong_cookie)),
        ];
        for (header, value) in credentials {
            let request = world.request(route);
            let request = match value {
                Some(value) => request.header(header, value),
                None => request,
            };
            let answer = answer(request).await;
            if is_open(route) {
                assert!(answer.status.is_success(), "{} {}: {answer:?}", route.method, route.path);
            } else {
                assert_eq!(answer.status, 401, "{} {} with {value:?}: {answer:?}", route.method, route.path);
            }
        }
    }
}

#[tokio::test]
async fn an_ingest_key_only_ingests() {
    let world = World::new().await;
    for route in world.routes(&world.server.owner.account, &world.mine).await {
        let answer = answer(world.request(&route).bearer_auth(&world.mine.secret)).await;
        let expected = is_open(&route) || route.pattern == "/v1/ingest";
        assert_eq!(answer.status.is_success(), expected, "{} {}: {answer:?}", route.method, route.path);
    }
}

#[tokio::test]
async fn another_account_is_not_found() {
    let world = World::new().await;
    let routes = world.routes(&world.other.account, &world.theirs).await;
    for route in routes.iter().filter(|route| route.pattern.contains('{')) {
        let as_browser = world.request(route).header("cookie", &world.server.owner.cookie);
        let as_token = world.request(route).bearer_auth(&world.token);
        for request in [as_browser, as_token] {
            assert_eq!(answer(request).await.status, 404, "{} {}", route.method, route.path);
        }
    }
}

#[tokio::test]
async fn a_read_only_token_writes_nothing() {
    let world = World::new().await;
    for route in world.routes(&world.server.owner.account, &world.mine).await {
        let answer = answer(world.request(&route).bearer_auth(&world.read_only)).await;
        if route.method != Method::GET {
            let status = if OWN.contains(&route.pattern.as_str()) { 401 } else { 403 };
            assert_eq!(answer.status, status, "{} {}: {answer:?}", route.method, route.path);
        }
    }
}

#[tokio::test]
async fn the_right_credential_opens_every_route() {
    let world = World::new().await;
    for route in world.routes(&world.server.owner.account, &world.mine).await {
        if OWN.contains(&route.pattern.as_str()) || route.pattern == "/v1/sign-out" {
            continue;
        }
        let answer = answer(world.request(&route).header("cookie", &world.server.owner.cookie)).await;
        // What the world does not hold: no call was ever made, and no such token.
        let absent = ["{name}", "/tool", "{session_id}", "{token_id}"]
            .iter()
            .any(|name| route.pattern.ends_with(name));
        let expected = if absent { answer.status == 404 } else { answer.status.is_success() };
        assert!(expected, "{} {}: {answer:?}", route.method, route.path);
    }
}
