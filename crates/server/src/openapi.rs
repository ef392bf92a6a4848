//! The OpenAPI document: what the handlers say, and what all of them have in common.

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    Components, Content, Info, License, OpenApi, OpenApiBuilder, Ref, RefOr, ResponseBuilder,
    SecurityRequirement, tag::TagBuilder,
};
use utoipa::{PartialSchema, ToSchema};

use crate::examples;
use crate::problem::Problem;

const COOKIE: &str = "cookie";
const TOKEN: &str = "access_token";
const KEY: &str = "ingest_key";
const PASS: &str = "operator_pass";

const TAGS: [(&str, &str); 10] = [
    ("me", "Signing in, and who is signed in"),
    ("accounts", "Accounts and their settings"),
    ("tokens", "Access tokens"),
    ("servers", "Tracked MCP servers"),
    ("keys", "Ingest keys"),
    ("metrics", "Everything that is worked out from what producers sent"),
    ("export", "The calls themselves, as a file"),
    ("live", "What arrives, as it arrives, as server-sent events"),
    ("ingest", "What producers send"),
    ("operations", "For those who run the server"),
];

/// The OpenAPI 3.1 document of the REST API, as `/openapi.json` serves it.
#[must_use]
pub fn document() -> OpenApi {
    crate::router::document()
}

/// What stands above all routes.
pub(crate) fn base() -> OpenApi {
    let mut info = Info::new("MCPulse", env!("CARGO_PKG_VERSION"));
    info.description = Some(
        "Analytics for MCP servers. Times are milliseconds since 1970-01-01T00:00:00Z, sizes are UTF-16 code units, \
         money is US dollars. A share without a denominator is null."
            .to_owned(),
    );
    let mut license = License::new("MIT OR Apache-2.0");
    license.identifier = Some("MIT OR Apache-2.0".to_owned());
    info.license = Some(license);
    let tags = TAGS.map(|(name, about)| TagBuilder::new().name(name).description(Some(about)).build());
    let mut components = Components::new();
    components.add_security_scheme(
        COOKIE,
        SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
            "mcpulse",
            "A signed-in browser. The name is `__Host-mcpulse` behind https, else `mcpulse_` and the port.",
        ))),
    );
    components.add_security_scheme(TOKEN, bearer("An access token, `mp_pat_…`"));
    components.add_security_scheme(KEY, bearer("An ingest key, `mp_live_…`: write only"));
    components
        .add_security_scheme(PASS, bearer("A pass that `mcpulse backup` makes, `mp_pass_…`: works once"));
    components.schemas.insert(Problem::name().into_owned(), Problem::schema());
    let mut schemas = Vec::new();
    <Problem as ToSchema>::schemas(&mut schemas);
    components.schemas.extend(schemas);
    OpenApiBuilder::new().info(info).tags(Some(tags)).components(Some(components)).build()
}

fn bearer(about: &str) -> SecurityScheme {
    SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(about)).build())
}

/// Joins the routes that anybody reaches and those that need somebody, and says of each what it may answer.
pub(crate) fn finish(mut open: OpenApi, mut signed_in: OpenApi) -> OpenApi {
    for (path, item) in &mut open.paths.paths {
        let ingest = path == "/v1/ingest";
        for operation in operations(item) {
            let body = operation.request_body.is_some();
            if ingest {
                operation.security = Some(vec![requirement(KEY)]);
            } else if body {
                add(operation, &[400, 413, 415, 422]);
            }
            add(operation, &[421, 500, 503]);
        }
    }
    for (path, item) in &mut signed_in.paths.paths {
        let named = path.contains('{');
        for operation in operations(item) {
            operation.security = Some(vec![requirement(COOKIE), requirement(TOKEN)]);
            examples::add(operation);
            add(operation, &[401, 403, 421, 500, 503]);
            if named {
                add(operation, &[404]);
            }
            if operation.request_body.is_some() {
                add(operation, &[400, 409, 413, 415, 422]);
            } else if operation
                .tags
                .iter()
                .flatten()
                .any(|tag| matches!(tag.as_str(), "metrics" | "live" | "export"))
            {
                add(operation, &[400, 422]);
            }
        }
    }
    open.merge(signed_in);
    open
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

fn requirement(scheme: &str) -> SecurityRequirement {
    SecurityRequirement::new::<_, [&str; 0], &str>(scheme, [])
}

fn add(operation: &mut Operation, statuses: &[u16]) {
    for status in statuses {
        let about = match status {
            400 => "The request cannot be read",
            401 => "No credential, or one that is not taken",
            403 => "The role or the scopes are not enough",
            404 => "Not there, or not yours",
            409 => "Something like it is there already",
            413 => "The body is too large",
            415 => "The body is not of a type that is taken",
            421 => "The request is for another host",
            422 => "The input breaks a rule: `errors` names the field and the rule",
            500 => "A fault of the server; its log says more",
            _ => "Not possible right now; `Retry-After` says when to try again",
        };
        let content = Content::new(Some(RefOr::Ref(Ref::from_schema_name(Problem::name()))));
        let response =
            ResponseBuilder::new().description(about).content("application/problem+json", content).build();
        operation.responses.responses.entry(status.to_string()).or_insert_with(|| RefOr::T(response));
    }
}
