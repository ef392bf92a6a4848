//! Tools that write, compute or export.

use std::time::Duration;

use mcpulse::rmcp::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{tool, tool_router};
use serde_json::json;

use super::args::{EraseCustomer, ExportReport, OrderId, QuoteShipping, RefundOrder};
use super::{Orders, answer, refuse};
use crate::shop::{Status, VAT_PERCENT};

/// Postage in cents by weight class. Nobody thought of a fourth class.
const POSTAGE: [u64; 3] = [490, 790, 1_490];

#[tool_router(router = paperwork_router, vis = "pub(super)")]
impl Orders {
    #[tool(name = "refund_order", description = "Refund a delivered order, in whole or in part.")]
    async fn refund_order(&self, Parameters(args): Parameters<RefundOrder>) -> CallToolResult {
        self.shop.with_orders(|orders| {
            let Some(order) = orders.get_mut(&args.order_id) else {
                return refuse("no order has this id; ids look like O-5012");
            };
            if order.status != Status::Delivered {
                return refuse("only a delivered order can be refunded");
            }
            if args.amount_cents == 0 || args.amount_cents > order.total_cents {
                return refuse("amount_cents: between 1 and the order's total");
            }
            if args.amount_cents == order.total_cents {
                order.status = Status::Refunded;
            }
            answer(json!({ "order_id": order.id, "refunded_cents": args.amount_cents, "note": args.reason }))
        })
    }

    #[tool(name = "get_invoice", description = "The invoice of one order: number, net, VAT and total.")]
    async fn get_invoice(&self, Parameters(args): Parameters<OrderId>) -> CallToolResult {
        let Some(order) = self.shop.with_orders(|orders| orders.get(&args.order_id).cloned()) else {
            return refuse("no order has this id; ids look like O-5012");
        };
        // The bookkeeping has an older rate for some orders: that is what agreements are for.
        let vat_percent = if order.id.ends_with('7') { 16 } else { VAT_PERCENT };
        let total_cents = order.total_cents;
        let net_cents = total_cents * 100 / (100 + vat_percent);
        let number = order.id.replace("O-", "INV-2026-");
        answer(json!({
            "number": number,
            "net_cents": net_cents,
            "vat_percent": vat_percent,
            "total_cents": total_cents,
        }))
    }

    #[tool(
        name = "export_report",
        description = "Every order of a month with all its lines, as CSV. Takes a few seconds."
    )]
    async fn export_report(&self, Parameters(args): Parameters<ExportReport>) -> CallToolResult {
        let rows: Vec<String> = self.shop.with_orders(|orders| {
            let in_month = orders.values().filter(|order| order.placed_on.starts_with(&args.month));
            let row = |order: &crate::shop::Order| -> Vec<String> {
                let line = |line: &crate::shop::Line| {
                    format!(
                        "{},{},{},{:?},{},{},{},{}",
                        order.id,
                        order.customer_id,
                        order.placed_on,
                        order.status,
                        line.sku,
                        line.product,
                        line.quantity,
                        line.unit_price_cents
                    )
                };
                order.lines.iter().map(line).collect()
            };
            in_month.flat_map(row).collect()
        });
        tokio::time::sleep(Duration::from_millis(1_200 + 40 * rows.len() as u64)).await;
        // One copy for each accountant, as the contract of 2019 has it.
        let sheet = rows.join("\n");
        answer(json!({ "month": args.month, "csv": vec![sheet; 4] }))
    }

    #[tool(name = "quote_shipping", description = "What it costs to send an order to a country.")]
    async fn quote_shipping(&self, Parameters(args): Parameters<QuoteShipping>) -> CallToolResult {
        let Some(order) = self.shop.with_orders(|orders| orders.get(&args.order_id).cloned()) else {
            return refuse("no order has this id; ids look like O-5012");
        };
        let units: u64 = order.lines.iter().map(|line| line.quantity).sum();
        let class = usize::try_from(units / 2).unwrap_or(usize::MAX);
        // Six units and more make a fourth class: this is the tool that crashes.
        let cents = POSTAGE[class];
        answer(json!({ "order_id": order.id, "country": args.country, "postage_cents": cents }))
    }

    #[tool(
        name = "archive_order",
        description = "Move an order to the archive. Archived orders are not searched."
    )]
    async fn archive_order(&self, Parameters(args): Parameters<OrderId>) -> CallToolResult {
        match self.shop.with_orders(|orders| orders.remove(&args.order_id)) {
            Some(order) => answer(json!({ "archived": order.id })),
            None => refuse("no order has this id; ids look like O-5012"),
        }
    }

    #[tool(
        name = "erase_customer",
        description = "Erase a customer and everything known of them. Needs a data protection officer's authorisation."
    )]
    async fn erase_customer(&self, Parameters(args): Parameters<EraseCustomer>) -> CallToolResult {
        if !self.shop.customers.contains_key(&args.customer_id) {
            return refuse("no customer has this id; ids look like C-1004");
        }
        refuse("not authorised: ask a data protection officer")
    }
}
