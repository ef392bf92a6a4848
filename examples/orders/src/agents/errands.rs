//! What agents are sent to do.

use serde_json::{Value, json};

use super::conversation::{Conversation, Reply};
use crate::shop::{CITIES, Order, PRODUCTS, Shop};

/// Does two or three errands and ends the conversation.
pub(super) async fn run(mut agent: Conversation, shop: &Shop) {
    for _ in 0..agent.random.between(2, 4) {
        match agent.random.between(0, 100) {
            0..32 => find_an_order(&mut agent, shop).await,
            32..54 => review_a_customer(&mut agent, shop).await,
            54..66 => check_a_list(&mut agent, shop).await,
            66..76 => check_stock(&mut agent).await,
            76..84 => follow_a_parcel(&mut agent, shop).await,
            84..90 => refund(&mut agent, shop).await,
            90..93 => export(&mut agent).await,
            _ => quote(&mut agent, shop).await,
        }
    }
    agent.close().await;
}

fn any_order(agent: &mut Conversation, shop: &Shop) -> Option<Order> {
    let orders = shop.with_orders(|orders| orders.values().cloned().collect::<Vec<_>>());
    (!orders.is_empty()).then(|| agent.random.pick(&orders).clone())
}

/// Looks for one customer's order. A tool that does not say what it searches is asked again in other words.
async fn find_an_order(agent: &mut Conversation, shop: &Shop) {
    if agent.random.chance(12) {
        // Somebody who never bought anything: an empty answer, and one more try.
        agent.call("search_orders", json!({ "query": "Xaver Quill" })).await;
        agent.call("search_orders", json!({ "query": "quill" })).await;
        return;
    }
    let Some(order) = any_order(agent, shop) else { return };
    let Some(customer) = shop.customers.get(&order.customer_id) else { return };
    let product = order.lines.first().map(|line| line.product.clone()).unwrap_or_default();
    let short = product.split(' ').next_back().unwrap_or_default();
    let by_name = customer.name.clone();
    let queries = if agent.search_is_described {
        // Now and then one word too few, even so.
        let precise = format!("{by_name} {product}");
        if agent.random.chance(15) { vec![short.to_owned(), precise] } else { vec![precise] }
    } else {
        // Models mend a query once or twice, then know better or give up.
        let mut queries = vec![format!("order of a {short}")];
        if agent.random.chance(30) {
            queries.push(format!("recent {short} orders to {}", agent.random.pick(&CITIES)));
        }
        queries.push(by_name);
        queries
    };
    for (tries, query) in queries.into_iter().enumerate() {
        if tries > 0 {
            agent.remark("not the one that was meant; asking in other words");
        }
        let reply = agent.call("search_orders", json!({ "query": query })).await;
        let is_found = |hits: &Value| {
            hits.as_array().into_iter().flatten().any(|hit| hit.get("id") == Some(&json!(order.id)))
        };
        if reply.answer().is_some_and(|hits| is_found(&hits)) {
            agent.call("get_order", json!({ "order_id": order.id })).await;
            return;
        }
    }
}

/// A customer and all their orders, page by page. This is where the weaker client slips.
async fn review_a_customer(agent: &mut Conversation, shop: &Shop) {
    let Some(order) = any_order(agent, shop) else { return };
    let id = order.customer_id;
    if agent.random.chance(agent.persona.slips) {
        let name = shop.customers.get(&id).map(|customer| customer.name.clone()).unwrap_or_default();
        agent.call("get_customer", json!({ "name": name })).await;
        if agent.random.chance(agent.persona.slips / 2) {
            agent.call("get_customer", json!({ "customer": id })).await;
        }
    }
    agent.call("get_customer", json!({ "customer_id": id })).await;
    let mut cursor = Value::Null;
    for _ in 0..5 {
        let mut args = json!({ "customer_id": id });
        if !cursor.is_null() {
            args["cursor"] = cursor;
        }
        let page = agent.call("list_orders", args).await.answer();
        cursor = page.and_then(|page| page.get("next_cursor").cloned()).unwrap_or_default();
        if cursor.is_null() {
            break;
        }
    }
}

/// A list of ids, one after the other, some with their invoice.
async fn check_a_list(agent: &mut Conversation, shop: &Shop) {
    let count = agent.random.between(4, 8);
    for _ in 0..count {
        let Some(order) = any_order(agent, shop) else { return };
        agent.call("get_order", json!({ "order_id": order.id })).await;
        if agent.random.chance(45) {
            agent.call("get_invoice", json!({ "order_id": order.id })).await;
        }
    }
}

/// Several products at once.
async fn check_stock(agent: &mut Conversation) {
    let first = agent.random.between(0, PRODUCTS.len() as u64 - 6);
    let skus = (0..agent.random.between(3, 7))
        .map(|step| json!({ "sku": format!("SKU-{:03}", 100 + first + step) }));
    agent.call_all("get_inventory", skus.collect()).await;
}

/// The same question until the answer changes.
async fn follow_a_parcel(agent: &mut Conversation, shop: &Shop) {
    let tracking = loop {
        let Some(order) = any_order(agent, shop) else { return };
        if let Some(tracking) = order.tracking {
            break tracking;
        }
    };
    for _ in 0..6 {
        let place = agent.call("track_shipment", json!({ "tracking": tracking })).await.answer();
        if place.is_none_or(|place| place.get("status") == Some(&json!("delivered"))) {
            break;
        }
    }
}

/// Often refused: the order is on its way, or the amount is wrong.
async fn refund(agent: &mut Conversation, shop: &Shop) {
    let Some(order) = any_order(agent, shop) else { return };
    let greedy = agent.random.chance(35);
    let amount = if greedy { order.total_cents + 500 } else { order.total_cents / 2 + 1 };
    let args =
        |amount: u64| json!({ "order_id": order.id, "amount_cents": amount, "reason": "arrived damaged" });
    if matches!(agent.call("refund_order", args(amount)).await, Reply::Failed) && greedy {
        agent.call("refund_order", args(order.total_cents)).await;
    }
}

/// Slow, and far more than anybody reads.
async fn export(agent: &mut Conversation) {
    let month = format!("2026-{:02}", agent.random.between(1, 8));
    agent.call("export_report", json!({ "month": month })).await;
}

/// Crashes for large orders.
async fn quote(agent: &mut Conversation, shop: &Shop) {
    for _ in 0..2 {
        let Some(order) = any_order(agent, shop) else { return };
        let country = order.country.clone();
        let reply = agent.call("quote_shipping", json!({ "order_id": order.id, "country": country })).await;
        if matches!(reply, Reply::Silence) {
            agent.remark("the tool has crashed: nobody will ever answer");
            return;
        }
    }
}
