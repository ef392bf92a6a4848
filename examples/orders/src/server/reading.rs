//! Tools that look things up.

use mcpulse::rmcp::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{tool, tool_router};
use serde_json::json;

use super::args::{GetCustomer, GetInventory, ListOrders, OrderId, SearchOrders, TrackShipment};
use super::{Orders, Release, answer, refuse};

const PAGE: usize = 4;

#[tool_router(router = reading_router, vis = "pub(super)")]
impl Orders {
    #[tool(name = "search_orders")]
    async fn search_orders(&self, Parameters(args): Parameters<SearchOrders>) -> CallToolResult {
        let words: Vec<String> = args.query.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let limit = args.limit.unwrap_or(10).min(50);
        let customers = &self.shop.customers;
        let hits: Vec<_> = self.shop.with_orders(|orders| {
            orders
                .values()
                .filter(|order| {
                    let customer = customers.get(&order.customer_id);
                    let who = customer.map(|c| format!("{} {}", c.name, c.city)).unwrap_or_default();
                    let what: String = order.lines.iter().map(|line| format!(" {}", line.product)).collect();
                    let text = format!("{who}{what}").to_lowercase();
                    match self.release {
                        // The first release matched any word: many answers, few of them meant.
                        Release::First => words.iter().any(|word| text.contains(word)),
                        Release::Second => words.iter().all(|word| text.contains(word)),
                    }
                })
                .take(limit)
                .map(|order| {
                    let customer = customers.get(&order.customer_id).map(|customer| customer.name.clone());
                    let products: Vec<_> = order.lines.iter().map(|line| line.product.clone()).collect();
                    json!({ "id": order.id, "customer": customer, "products": products, "total_cents": order.total_cents })
                })
                .collect()
        });
        answer(hits)
    }

    #[tool(
        name = "get_order",
        description = "One order with its lines, status, total and tracking number, by id."
    )]
    async fn get_order(&self, Parameters(args): Parameters<OrderId>) -> CallToolResult {
        match self.shop.with_orders(|orders| orders.get(&args.order_id).cloned()) {
            Some(order) => answer(order),
            None => refuse("no order has this id; ids look like O-5012"),
        }
    }

    #[tool(
        name = "list_orders",
        description = "All orders of one customer, oldest first, a few at a time. Pass next_cursor on to get the next page."
    )]
    async fn list_orders(&self, Parameters(args): Parameters<ListOrders>) -> CallToolResult {
        let start = match args.cursor.as_deref().map(str::parse) {
            None => 0usize,
            Some(Ok(start)) => start,
            Some(Err(_)) => return refuse("cursor: pass next_cursor on as it is"),
        };
        let (page, more) = self.shop.with_orders(|orders| {
            let mut theirs =
                orders.values().filter(|order| order.customer_id == args.customer_id).skip(start);
            let page: Vec<_> = theirs.by_ref().take(PAGE).cloned().collect();
            (page, theirs.next().is_some())
        });
        if page.is_empty() {
            return answer(json!([]));
        }
        answer(json!({ "orders": page, "next_cursor": more.then(|| (start + PAGE).to_string()) }))
    }

    #[tool(name = "get_customer", description = "One customer by customer id.")]
    async fn get_customer(&self, Parameters(args): Parameters<GetCustomer>) -> CallToolResult {
        match self.shop.customers.get(&args.customer_id) {
            Some(customer) => answer(customer),
            None => refuse("no customer has this id; ids look like C-1004"),
        }
    }

    #[tool(name = "get_inventory", description = "Units in stock of one product in each warehouse, by SKU.")]
    async fn get_inventory(&self, Parameters(args): Parameters<GetInventory>) -> CallToolResult {
        match self.shop.stock.get(&args.sku) {
            Some(stock) => answer(stock),
            None => refuse("no product has this SKU; they look like SKU-104"),
        }
    }

    #[tool(name = "track_shipment", description = "Where a parcel is now. Ask again until it is delivered.")]
    async fn track_shipment(&self, Parameters(args): Parameters<TrackShipment>) -> CallToolResult {
        match self.shop.parcel(&args.tracking) {
            Some((place, stop)) => {
                answer(json!({ "tracking": args.tracking, "status": place, "stops_left": 3 - stop }))
            }
            None => refuse("no parcel has this tracking number"),
        }
    }
}
