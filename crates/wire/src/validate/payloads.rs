//! The rules of the three payloads, each in the order of the schema.

use super::fields::Fields;
use super::{Checked, Violation, values};
use crate::json::node::Node;
use crate::json::order::utf16_cmp;
use crate::payload::{Agreement, Call, DeclaredAgreement, Outcome, Startup, Tool, limit};

#[derive(Clone, Copy)]
enum Kind {
    Call,
    Startup,
    Agreement,
}

pub(super) fn payload<'a, N: Node<'a>>(node: N) -> Result<Checked, Violation> {
    let fields = Fields::of(node)?;
    let v = fields.required("v", values::wire_version)?;
    let kinds = [("call", Kind::Call), ("startup", Kind::Startup), ("agreement", Kind::Agreement)];
    match fields.required("type", |node| values::word(node, &kinds))? {
        Kind::Call => call(&fields, v),
        Kind::Startup => startup(&fields, v),
        Kind::Agreement => agreement(&fields, v),
    }
}

fn call<'a, N: Node<'a>>(fields: &Fields<'a, N>, v: u32) -> Result<Checked, Violation> {
    fields.only(&[
        "v",
        "type",
        "session_id",
        "client_name",
        "tool_name",
        "started_at",
        "duration_ms",
        "outcome",
        "response_bytes",
        "is_empty",
        "args_hash",
    ])?;
    let session_id = fields.required("session_id", values::session_id)?;
    let client_name = fields.required("client_name", values::client_name)?;
    let tool_name = fields.required("tool_name", values::name)?;
    let (started_at, started_ms) = fields.required("started_at", values::time)?;
    let duration_ms = fields.required("duration_ms", |node| values::integer(node, 0, limit::DURATION_MS))?;
    let outcome = fields.required("outcome", values::outcome)?;
    let response_bytes = fields.required("response_bytes", values::units)?;
    let is_empty = fields.required("is_empty", values::boolean)?;
    if is_empty && outcome != Outcome::Ok {
        return Err(Violation::field("is_empty", "const"));
    }
    let args_hash = fields.required("args_hash", values::hash)?;
    let call = Call {
        v,
        session_id,
        client_name,
        tool_name,
        started_at,
        duration_ms,
        outcome,
        response_bytes,
        is_empty,
        args_hash,
    };
    Ok(Checked::Call { call, started_ms })
}

fn startup<'a, N: Node<'a>>(fields: &Fields<'a, N>, v: u32) -> Result<Checked, Violation> {
    fields.only(&[
        "v",
        "type",
        "session_id",
        "client_name",
        "tools",
        "sdk",
        "mcp_sdk_version",
        "protocol_version",
        "transport",
        "agreements",
    ])?;
    Ok(Checked::Startup(Startup {
        v,
        session_id: fields.required("session_id", values::session_id)?,
        client_name: fields.required("client_name", values::client_name)?,
        tools: fields.required("tools", |node| values::array(node, 0, limit::TOOLS, tool))?,
        sdk: fields.optional("sdk", values::version)?,
        mcp_sdk_version: fields.optional("mcp_sdk_version", values::version)?,
        protocol_version: fields.optional("protocol_version", values::version)?,
        transport: fields.optional("transport", values::transport)?,
        agreements: fields
            .optional("agreements", |node| values::array(node, 0, limit::AGREEMENTS, declared_agreement))?,
    }))
}

fn tool<'a, N: Node<'a>>(node: N) -> Result<Tool, Violation> {
    let fields = Fields::of(node)?;
    fields.only(&[
        "name",
        "schema_bytes",
        "schema_hash",
        "description_hash",
        "description_norm",
        "policy",
    ])?;
    Ok(Tool {
        name: fields.required("name", values::name)?,
        schema_bytes: fields.required("schema_bytes", values::units)?,
        schema_hash: fields.optional("schema_hash", values::hash)?,
        description_hash: fields.optional("description_hash", values::hash)?,
        description_norm: fields.optional("description_norm", values::hash)?,
        policy: fields.optional("policy", values::policy)?,
    })
}

fn declared_agreement<'a, N: Node<'a>>(node: N) -> Result<DeclaredAgreement, Violation> {
    let fields = Fields::of(node)?;
    fields.only(&["field", "tools"])?;
    Ok(DeclaredAgreement {
        field: fields.required("field", values::name)?,
        tools: fields.required("tools", |node| {
            let tools =
                values::array(node, limit::AGREEMENT_TOOLS_MIN, limit::AGREEMENT_TOOLS_MAX, values::name)?;
            let repeated =
                tools.iter().enumerate().any(|(index, name)| tools.iter().take(index).any(|n| n == name));
            if repeated { Err(Violation::here("uniqueItems")) } else { Ok(tools) }
        })?,
    })
}

fn agreement<'a, N: Node<'a>>(fields: &Fields<'a, N>, v: u32) -> Result<Checked, Violation> {
    fields.only(&[
        "v",
        "type",
        "session_id",
        "field",
        "tool_a",
        "tool_b",
        "agreed",
        "checked_at",
        "window_ms",
    ])?;
    let session_id = fields.required("session_id", values::session_id)?;
    let field = fields.required("field", values::name)?;
    let tool_a = fields.required("tool_a", values::name)?;
    let tool_b = fields.required("tool_b", values::name)?;
    if utf16_cmp(tool_a.as_bytes(), tool_b.as_bytes()).is_ge() {
        return Err(Violation::field("tool_b", "order"));
    }
    let agreed = fields.required("agreed", values::boolean)?;
    let (checked_at, checked_ms) = fields.required("checked_at", values::time)?;
    let window_ms = fields.required("window_ms", |node| values::integer(node, 1, limit::DURATION_MS))?;
    let agreement = Agreement { v, session_id, field, tool_a, tool_b, agreed, checked_at, window_ms };
    Ok(Checked::Agreement { agreement, checked_ms })
}
