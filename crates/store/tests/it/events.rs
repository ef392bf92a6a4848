use mcpulse_store::events::NewPayload;
use mcpulse_store::testing::{TempEvents, agreement, call, startup};

#[tokio::test]
async fn an_append_answers_how_many_it_stored() {
    let events = TempEvents::open().unwrap();
    let payloads = vec![
        NewPayload::Startup(startup("s_1", &["search", "orders"])),
        NewPayload::Call(call("s_1", "search", 1_000)),
        NewPayload::Agreement(agreement("s_1", "price", ["orders", "search"], true, 2_000)),
    ];
    let answer = events.append(3_000, payloads).await.unwrap();
    assert_eq!(answer.accepted, 3);
    assert!(!answer.replayed);
}
