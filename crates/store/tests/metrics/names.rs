//! Names are data: whatever they hold, they are bound, compared exactly and handed back unchanged.

use mcpulse_store::events::NewPayload;
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{CallPage, Scope, SessionCursor, SessionPage, TapePage};
use mcpulse_store::testing::{agreement, call, startup};

use crate::help::{NOON, Tweak, days, store_of};

const ODD: [&str; 7] = [
    "'; DROP TABLE calls; --",
    "\"quoted\" {tools} $1 ? %s",
    "naïve\u{0301} \u{1f680}",
    "\u{202e}right to left",
    "tab\tand\nline",
    "\u{ff61}",
    "a",
];

#[tokio::test]
async fn every_list_hands_names_back_unchanged() {
    let mut payloads = Vec::new();
    for (at, name) in (0..).zip(ODD) {
        payloads.push(NewPayload::Startup(startup(name, &ODD)));
        payloads.push(NewPayload::Call(call(name, name, NOON + at * 1_000).client(name)));
    }
    payloads.push(NewPayload::Agreement(agreement(ODD[0], ODD[1], [ODD[2], ODD[5]], false, NOON)));
    let events = store_of(NOON, payloads).await;
    let (store, server, scope) = (&events.store, events.server, days("2026-03-01", "2026-03-01"));
    let mut sorted = ODD.map(str::to_owned).to_vec();
    sorted.sort();

    let tools = store.tools(server, &scope).await.unwrap().tools;
    assert_eq!(tools.iter().map(|row| row.tool.clone()).collect::<Vec<_>>(), sorted);
    let clients = store.clients(server, &scope).await.unwrap().clients;
    assert_eq!(clients.iter().map(|row| row.client.clone()).collect::<Vec<_>>(), sorted);
    let agreements = store.agreements(server, &scope).await.unwrap().agreements;
    assert_eq!((agreements[0].field.as_str(), agreements[0].tool_a.as_str()), (ODD[1], ODD[2]));

    for name in ODD {
        let one = Scope { tools: vec![name.to_owned()], clients: vec![name.to_owned()], ..scope.clone() };
        let overview = store.overview(server, &one).await.unwrap();
        assert_eq!((overview.figures.calls, overview.clients[0].client.as_str()), (1, name));
        let detail = store.tool(server, name, &scope).await.unwrap();
        assert_eq!((detail.row.tool.as_str(), detail.row.figures.calls), (name, 1));
        let page = TapePage { after: None, limit: 10 };
        let tape = store.session(server, name, &scope, &page).await.unwrap();
        assert_eq!((tape.calls[0].call.session_id.as_str(), tape.startups.len()), (name, 1));
        let crossed = Scope { clients: vec![format!("{name} ")], ..one };
        assert_eq!(store.overview(server, &crossed).await.unwrap().figures.calls, 0);
    }
    let page = CallPage::After { seq: 0, limit: 10 };
    let calls = store.calls(server, &scope, &page).await.unwrap().calls;
    assert_eq!(calls.iter().map(|row| row.tool.as_str()).collect::<Vec<_>>(), ODD);
    assert_eq!(store.pairs(server, &scope).await.unwrap().pairs.len(), 0);

    // Session by session through the cursor, newest first.
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.sessions(server, &scope, &SessionPage { after, limit: 2 }).await.unwrap();
        assert_eq!(page.total, 7);
        seen.extend(page.sessions.into_iter().map(|row| row.session_id));
        let Some(next) = page.next else { break };
        after = Some(next.parse::<SessionCursor>().unwrap());
    }
    let mut newest_first = ODD.map(str::to_owned).to_vec();
    newest_first.reverse();
    assert_eq!(seen, newest_first);
}

#[test]
fn a_cursor_is_one_that_an_answer_gave() {
    let cursor = SessionCursor { first_call_ms: -5, session_id: "ü.\u{0}".to_owned() };
    assert_eq!(cursor.to_string().parse::<SessionCursor>().unwrap(), cursor);
    for broken in ["", "5", "x.00", "5.0", "5.zz", "5.ff", "5.ü0"] {
        assert!(broken.parse::<SessionCursor>().is_err(), "{broken}");
    }
}
