//! What is in the shop.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use super::{Customer, Line, Order, Shop, Status, Stock, VAT_PERCENT};
use crate::random::Random;

const NAMES: [&str; 24] = [
    "Ada Holm",
    "Ben Okafor",
    "Chiara Rossi",
    "Dmitri Volkov",
    "Elif Kaya",
    "Farah Nasser",
    "Gustav Lind",
    "Hana Suzuki",
    "Ines Moreira",
    "Jonas Weber",
    "Keiko Tanaka",
    "Liam Byrne",
    "Maja Nowak",
    "Noor Haddad",
    "Olga Petrova",
    "Pablo Reyes",
    "Quynh Tran",
    "Rosa Jiménez",
    "Søren Kjær",
    "Tomás Vega",
    "Ursula Frei",
    "Viktor Dahl",
    "Wen Li",
    "Zoë Laurent",
];
pub(crate) const CITIES: [&str; 8] =
    ["Berlin", "Lisbon", "Kraków", "Göteborg", "Porto", "Zürich", "Lyon", "Dublin"];
pub(crate) const PRODUCTS: [(&str, u64); 16] = [
    ("brass desk lamp", 7_900),
    ("walnut desk", 64_900),
    ("linen curtain", 5_400),
    ("oak bookshelf", 32_900),
    ("ceramic mug", 1_450),
    ("wool blanket", 8_900),
    ("cast iron pan", 4_990),
    ("paper lantern", 2_300),
    ("reading chair", 41_900),
    ("cork board", 1_990),
    ("steel kettle", 5_990),
    ("glass vase", 3_150),
    ("cotton rug", 12_900),
    ("wall clock", 4_450),
    ("garden bench", 22_900),
    ("floor lamp", 11_900),
];
const COUNTRIES: [&str; 6] = ["DE", "PT", "PL", "SE", "CH", "FR"];
const ORDERS: u64 = 240;

pub(super) fn shop() -> Shop {
    let mut random = Random::new(20_260_728);
    let customers: BTreeMap<_, _> =
        (0u64..).zip(NAMES).map(|(index, name)| customer(&mut random, index, name)).collect();
    let ids: Vec<String> = customers.keys().cloned().collect();
    let orders = (0..ORDERS).map(|index| order(&mut random, index, &ids)).collect();
    let stock =
        (0u64..).zip(PRODUCTS).map(|(index, (product, _))| stock(&mut random, index, product)).collect();
    Shop { customers, orders: Mutex::new(orders), stock, opened: Instant::now() }
}

fn customer(random: &mut Random, index: u64, name: &str) -> (String, Customer) {
    let id = format!("C-{:04}", 1_000 + index);
    let email = format!("{}@example.com", name.to_lowercase().replace(' ', "."));
    let since = format!("{}-{:02}-01", random.between(2019, 2026), random.between(1, 13));
    let city = (*random.pick(&CITIES)).to_owned();
    (id.clone(), Customer { id, name: name.to_owned(), email, city, since })
}

fn order(random: &mut Random, index: u64, customers: &[String]) -> (String, Order) {
    let id = format!("O-{}", 5_000 + index);
    let lines: Vec<Line> = (0..random.between(1, 4)).map(|_| line(random)).collect();
    let total_cents = lines.iter().map(|line| line.quantity * line.unit_price_cents).sum();
    let status = *random.pick(&[
        Status::Placed,
        Status::Shipped,
        Status::Shipped,
        Status::Delivered,
        Status::Delivered,
    ]);
    let tracking = (status != Status::Placed).then(|| format!("TRK-{}", 70_000 + index));
    let order = Order {
        id: id.clone(),
        customer_id: random.pick(customers).clone(),
        placed_on: format!("2026-{:02}-{:02}", random.between(1, 8), random.between(1, 29)),
        status,
        country: (*random.pick(&COUNTRIES)).to_owned(),
        lines,
        total_cents,
        vat_percent: VAT_PERCENT,
        tracking,
    };
    (id, order)
}

fn line(random: &mut Random) -> Line {
    let index = random.between(0, PRODUCTS.len() as u64);
    let (product, unit_price_cents) = PRODUCTS[usize::try_from(index).unwrap_or_default()];
    Line { sku: sku(index), product: product.to_owned(), quantity: random.between(1, 4), unit_price_cents }
}

fn stock(random: &mut Random, index: u64, product: &str) -> (String, Stock) {
    let warehouses =
        ["Hamburg", "Porto", "Gdańsk"].map(|place| (place.to_owned(), random.between(0, 60))).into();
    let sku = sku(index);
    (sku.clone(), Stock { sku, product: product.to_owned(), warehouses })
}

fn sku(index: u64) -> String {
    format!("SKU-{:03}", 100 + index)
}
