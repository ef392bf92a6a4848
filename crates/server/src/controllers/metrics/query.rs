//! The query string that every metric shares, and what it comes to.

use std::collections::BTreeMap;

use axum::extract::FromRequestParts;
use http::request::Parts;
use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::MetricsError;
use mcpulse_store::metrics::range::{Granularity, RangeInput};
use mcpulse_store::metrics::types::Scope;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::{Shared, now_ms};
use crate::auth::{Need, Principal};
use crate::problem::Problem;

/// Tools or clients that one question may name.
const MAX_NAMES: usize = 100;
/// Rows a page may have.
const MAX_LIMIT: u32 = 1_000;
/// Rows a page has when nothing is asked for.
const DEFAULT_LIMIT: u32 = 100;

/// Time, tools and clients, combined freely.
#[derive(Clone, Debug, Default, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MetricsQuery {
    /// First day, as `2026-07-01`. Default: 29 days before `to`.
    #[param(format = Date, example = "2026-07-01")]
    pub(crate) from: Option<String>,
    /// Last day, inclusive. Default: today.
    #[param(format = Date, example = "2026-07-31")]
    pub(crate) to: Option<String>,
    /// The last so many days, today included; instead of `from` and `to`.
    #[param(minimum = 1, maximum = 3660, example = 7)]
    pub(crate) last_days: Option<u32>,
    /// Only these tools: exact names; give the parameter once per name.
    #[param(explode = true, max_items = 100, required = false)]
    pub(crate) tools: Vec<String>,
    /// Only these clients: exact names; give the parameter once per name.
    #[param(explode = true, max_items = 100, required = false)]
    pub(crate) clients: Vec<String>,
    /// How long the points of a series are. Default: `hour` up to two days, else `day`.
    #[param(inline)]
    pub(crate) granularity: Option<Granularity>,
    /// IANA time zone whose midnights part the days. Default: UTC.
    #[param(example = "Europe/Vienna")]
    pub(crate) tz: Option<String>,
}

/// Which page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// `next` of the page before; left out for the first page.
    pub(crate) cursor: Option<String>,
    /// Rows a page. Default: 100.
    #[param(minimum = 1, maximum = 1000, example = 100)]
    pub(crate) limit: Option<u32>,
}

/// The whole query string of a metric, parsed. A parameter that is not known is an error: a filter that was
/// misspelt would silently show everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) metrics: MetricsQuery,
    pub(crate) page: PageQuery,
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Self::parse(parts.uri.query().unwrap_or_default())
    }
}

fn invalid(field: &str, rule: &str) -> Problem {
    Problem::invalid().field(field, rule)
}

impl Query {
    fn parse(text: &str) -> Result<Self, Problem> {
        Ok(Self::parse_with(text, None)?.0)
    }

    /// Reads a query string that may hold one parameter more.
    pub(crate) fn parse_with(
        text: &str,
        more: Option<&'static str>,
    ) -> Result<(Self, Option<String>), Problem> {
        let unreadable = || Problem::malformed().detail("the query string is not percent-encoded UTF-8");
        percent_decode_str(text).decode_utf8().map_err(|_| unreadable())?;
        let pairs: Vec<(String, String)> = serde_urlencoded::from_str(text).map_err(|_| unreadable())?;
        let (mut query, mut other) = (Self::default(), None);
        for (name, value) in pairs {
            let Self { metrics, page } = &mut query;
            match name.as_str() {
                "from" => once(&mut metrics.from, "from", value)?,
                "to" => once(&mut metrics.to, "to", value)?,
                "last_days" => once(&mut metrics.last_days, "last_days", number("last_days", &value)?)?,
                "granularity" => once(&mut metrics.granularity, "granularity", granularity(&value)?)?,
                "tz" => once(&mut metrics.tz, "tz", value)?,
                "tools" => add(&mut metrics.tools, "tools", value)?,
                "clients" => add(&mut metrics.clients, "clients", value)?,
                "cursor" => once(&mut page.cursor, "cursor", value)?,
                "limit" => once(&mut page.limit, "limit", number("limit", &value)?)?,
                name if Some(name) == more => once(&mut other, name, value)?,
                _ => return Err(invalid(&shown(&name), "is not a parameter of this route")),
            }
        }
        if query.page.limit.is_some_and(|limit| !(1..=MAX_LIMIT).contains(&limit)) {
            return Err(invalid("limit", "must be 1 to 1000"));
        }
        Ok((query, other))
    }

    /// The tools and the clients, where nothing else can be chosen.
    pub(crate) fn only_names(self) -> Result<(Vec<String>, Vec<String>), Problem> {
        self.no_page()?;
        let MetricsQuery { from, to, last_days, granularity, tz, tools, clients } = self.metrics;
        let others = [
            ("from", from.is_some()),
            ("to", to.is_some()),
            ("last_days", last_days.is_some()),
            ("granularity", granularity.is_some()),
            ("tz", tz.is_some()),
        ];
        match others.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => Err(invalid(field, "is not a parameter of this route")),
            None => Ok((tools, clients)),
        }
    }

    /// Refuses a page where the answer comes whole.
    pub(crate) fn no_page(&self) -> Result<(), Problem> {
        if self.page == PageQuery::default() {
            return Ok(());
        }
        let field = if self.page.cursor.is_some() { "cursor" } else { "limit" };
        Err(invalid(field, "is not a parameter of this route"))
    }

    /// The days, where nothing else can be chosen.
    pub(crate) fn only_days(&self) -> Result<RangeInput<'_>, Problem> {
        self.no_page()?;
        let MetricsQuery { tools, clients, granularity, tz, .. } = &self.metrics;
        let others = [
            ("tools", !tools.is_empty()),
            ("clients", !clients.is_empty()),
            ("granularity", granularity.is_some()),
            ("tz", tz.is_some()),
        ];
        match others.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => Err(invalid(field, "is not a parameter of this route")),
            None => Ok(self.metrics.range()),
        }
    }

    /// Rows that a page may have.
    pub(crate) fn limit(&self) -> u32 {
        self.page.limit.unwrap_or(DEFAULT_LIMIT)
    }

    /// The cursor, read as what the list goes by.
    pub(crate) fn cursor<T: std::str::FromStr>(&self) -> Result<Option<T>, Problem> {
        let Some(text) = &self.page.cursor else { return Ok(None) };
        text.parse().map(Some).map_err(|_| invalid("cursor", "must be one that an answer gave"))
    }

    /// The server that is asked about and the scope of the question, if the asker may read it.
    pub(crate) async fn scope(
        &self,
        app: &Shared,
        principal: &Principal,
        server: &str,
    ) -> Result<(ServerId, Scope), Problem> {
        let (server, membership) = principal.server(&*app.control, server, Need::READ).await?;
        let now_ms = now_ms();
        let days = self.metrics.range().resolve(now_ms)?;
        let modes: BTreeMap<_, _> = app.control.tool_modes(server.id).await?.into_iter().collect();
        let scope = Scope {
            range: days.range,
            edges: days.edges,
            tools: self.metrics.tools.clone(),
            clients: self.metrics.clients.clone(),
            now_ms,
            modes,
            usd_per_million_tokens: membership.account.usd_per_million_tokens,
        };
        Ok((server.id, scope))
    }
}

impl MetricsQuery {
    fn range(&self) -> RangeInput<'_> {
        RangeInput {
            from: self.from.as_deref(),
            to: self.to.as_deref(),
            last_days: self.last_days,
            tz: self.tz.as_deref(),
            granularity: self.granularity,
        }
    }
}

fn once<T>(slot: &mut Option<T>, field: &str, value: T) -> Result<(), Problem> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(invalid(field, "must be given once")),
    }
}

fn add(list: &mut Vec<String>, field: &str, value: String) -> Result<(), Problem> {
    if value.is_empty() {
        return Err(invalid(field, "must not be empty"));
    }
    if list.len() == MAX_NAMES {
        return Err(invalid(field, "must name at most 100"));
    }
    if !list.contains(&value) {
        list.push(value);
    }
    Ok(())
}

fn number(field: &str, value: &str) -> Result<u32, Problem> {
    value.parse().map_err(|_| invalid(field, "must be a whole number"))
}

fn granularity(value: &str) -> Result<Granularity, Problem> {
    let value = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(value);
    Granularity::deserialize(value).map_err(|_| invalid("granularity", "must be hour, day or week"))
}

/// The name of an unknown parameter, if it looks like a name at all.
fn shown(name: &str) -> String {
    let plain = name.len() <= 32 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if plain && !name.is_empty() { name.to_owned() } else { "query".to_owned() }
}

impl From<MetricsError> for Problem {
    fn from(error: MetricsError) -> Self {
        match error {
            MetricsError::Invalid { field, rule } => invalid(field, rule),
            MetricsError::NotFound => Self::not_found(),
            MetricsError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    #[test]
    fn everything_combines() {
        let query = Query::parse(
            "from=2026-07-01&to=2026-07-31&tools=a%26b&tools=c&tools=c&clients=cursor&granularity=week&tz=Pacific%2FApia&limit=5",
        )
        .unwrap();
        assert_eq!(query.metrics.tools, ["a&b", "c"]);
        assert_eq!(query.metrics.clients, ["cursor"]);
        assert_eq!(query.metrics.granularity, Some(Granularity::Week));
        assert_eq!(query.metrics.tz.as_deref(), Some("Pacific/Apia"));
        assert_eq!(query.limit(), 5);
    }

    #[test]
    fn errors_name_the_parameter_and_the_rule() {
        for (text, field, rule) in [
            ("last_days=x", "last_days", "must be a whole number"),
            ("tz=UTC&tz=UTC", "tz", "must be given once"),
            ("granularity=month", "granularity", "must be hour, day or week"),
            ("limit=0", "limit", "must be 1 to 1000"),
            ("tool=a", "tool", "is not a parameter of this route"),
            ("%3Cscript%3E=a", "query", "is not a parameter of this route"),
            ("tools=", "tools", "must not be empty"),
        ] {
            let problem = serde_json::to_value(Query::parse(text).unwrap_err()).unwrap();
            assert_eq!(problem["errors"][0]["field"], field, "{text}");
            assert_eq!(problem["errors"][0]["rule"], rule, "{text}");
        }
    }
}
