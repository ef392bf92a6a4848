//! What a server sent, day by day: ingest health without keys, producers and rules.

use std::collections::BTreeMap;

use super::types::{IngestHealth, Usage, UsageDay};

impl From<&IngestHealth> for Usage {
    fn from(health: &IngestHealth) -> Self {
        let mut days: BTreeMap<&str, UsageDay> = BTreeMap::new();
        for row in &health.accepted_days {
            let day = entry(&mut days, &row.day);
            day.calls += row.calls;
            day.startups += row.startups;
            day.agreements += row.agreements;
        }
        for row in &health.rejections {
            entry(&mut days, &row.day).rejected += row.count;
        }
        let days: Vec<UsageDay> = days.into_values().rev().collect();
        Self {
            calls: days.iter().map(|day| day.calls).sum(),
            startups: days.iter().map(|day| day.startups).sum(),
            agreements: days.iter().map(|day| day.agreements).sum(),
            rejected: days.iter().map(|day| day.rejected).sum(),
            days,
        }
    }
}

fn entry<'a, 'd>(days: &'a mut BTreeMap<&'d str, UsageDay>, day: &'d str) -> &'a mut UsageDay {
    days.entry(day).or_insert_with(|| UsageDay {
        day: day.to_owned(),
        calls: 0,
        startups: 0,
        agreements: 0,
        rejected: 0,
    })
}
