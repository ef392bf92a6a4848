//! The shop behind the server: everything in memory, the same at every start.

mod seed;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::Serialize;

pub(crate) use seed::{CITIES, PRODUCTS};

/// What is in every price.
pub(crate) const VAT_PERCENT: u64 = 19;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Customer {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) city: String,
    pub(crate) since: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) sku: String,
    pub(crate) product: String,
    pub(crate) quantity: u64,
    pub(crate) unit_price_cents: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Placed,
    Shipped,
    Delivered,
    Refunded,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) customer_id: String,
    pub(crate) placed_on: String,
    pub(crate) status: Status,
    pub(crate) country: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) total_cents: u64,
    pub(crate) vat_percent: u64,
    pub(crate) tracking: Option<String>,
}

/// Stock of one product in each warehouse.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Stock {
    pub(crate) sku: String,
    pub(crate) product: String,
    pub(crate) warehouses: BTreeMap<String, u64>,
}

pub(crate) struct Shop {
    pub(crate) customers: BTreeMap<String, Customer>,
    pub(crate) orders: Mutex<BTreeMap<String, Order>>,
    pub(crate) stock: BTreeMap<String, Stock>,
    opened: Instant,
}

impl Shop {
    pub(crate) fn open() -> Self {
        seed::shop()
    }

    /// Looks at the orders; a tool that crashed while it held them must not stop the others.
    pub(crate) fn with_orders<T>(&self, look: impl FnOnce(&mut BTreeMap<String, Order>) -> T) -> T {
        look(&mut self.orders.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Where a parcel is. It moves on while agents watch it.
    pub(crate) fn parcel(&self, tracking: &str) -> Option<(&'static str, u64)> {
        static STOPS: [&str; 4] = ["label printed", "in transit", "out for delivery", "delivered"];
        let number: u64 = tracking.strip_prefix("TRK-")?.parse().ok()?;
        let known = self
            .with_orders(|orders| orders.values().any(|order| order.tracking.as_deref() == Some(tracking)));
        let stop = (self.opened.elapsed().as_secs() / 3 + number) % 4;
        let name = STOPS.get(usize::try_from(stop).unwrap_or_default())?;
        known.then_some((*name, stop))
    }
}
