//! The checks, by topic. A number never changes its meaning; a check that goes leaves a gap.

mod agreements;
mod calls;
mod canaries;
mod clients;
mod exit;
mod failures;
mod losses;
mod options;
mod property;
mod retry;
mod scale;
mod sessions;
mod startup;
mod tasks;
mod text;
mod twin;
mod wire;

use crate::kit::Context;
use crate::mcp::{Link, Protocol, Transport};
use crate::verdict::Fault;

/// One check.
pub(crate) struct Check {
    /// `K-` and three digits; the first says the topic.
    pub(crate) id: &'static str,
    /// What must be so.
    pub(crate) title: &'static str,
    /// Rules of `spec/protocol.md`.
    pub(crate) rules: &'static [&'static str],
    /// The links it is made over; none for what needs no traffic.
    pub(crate) links: &'static [Link],
    pub(crate) run: fn(&Context<'_>) -> Result<(), Fault>,
}

const STDIO_OLD: Link = Link { transport: Transport::Stdio, protocol: Protocol::Initialize };
const STDIO_NEW: Link = Link { transport: Transport::Stdio, protocol: Protocol::Meta };
const HTTP_OLD: Link = Link { transport: Transport::Http, protocol: Protocol::Initialize };
const HTTP_NEW: Link = Link { transport: Transport::Http, protocol: Protocol::Meta };

/// Both transports and both generations.
const EVERY: &[Link] = &[STDIO_OLD, STDIO_NEW, HTTP_OLD, HTTP_NEW];
/// Both transports, in the generation that every MCP SDK speaks.
const TRANSPORTS: &[Link] = &[STDIO_OLD, HTTP_OLD];
const NEWER: &[Link] = &[STDIO_NEW, HTTP_NEW];
const STDIO: &[Link] = &[STDIO_OLD];
const HTTP: &[Link] = &[HTTP_OLD];
const BOTH_HTTP: &[Link] = &[HTTP_OLD, HTTP_NEW];
/// No traffic at all.
const NONE: &[Link] = &[];

/// What a check without traffic is told.
pub(crate) const NO_LINK: Link = STDIO_OLD;

macro_rules! checks {
    ($($id:literal $links:ident $topic:ident::$run:ident [$($rule:literal)*] $title:literal;)*) => {
        &[$(Check { id: $id, title: $title, rules: &[$($rule),*], links: $links, run: $topic::$run }),*]
    };
}

/// All of them.
pub(crate) const ALL: &[Check] = checks! {
    "K-101" NONE text::canonical ["C-001" "C-002" "C-003" "C-005" "C-008"] "canonical.json: canonical forms and hashes";
    "K-102" NONE text::canonical_extra ["C-003" "C-004" "C-005" "C-006" "C-007" "C-009" "C-010" "C-012"] "canonical-extra.json: raw text";
    "K-103" NONE text::sizes ["S-001" "S-002" "S-003"] "sizes.json: sizes in UTF-16 units";
    "K-104" NONE text::emptiness ["E-002" "E-003" "E-004" "E-005" "E-006" "E-007" "E-008" "E-009" "E-010" "E-011"] "empty.json: what answers nothing";
    "K-105" NONE text::tools ["T-001" "T-002" "T-003" "T-004"] "tools.json: entries of tools/list";
    "K-106" NONE text::descriptions ["N-001" "N-002" "N-003" "N-005" "N-006"] "description-norm.json: tokens and hashes";
    "K-107" NONE text::stems ["N-004"] "porter.json: stems";
    "K-108" NONE text::results ["S-010"] "response_bytes leaves out what is not the answer";
    "K-109" NONE property::documents ["C-001" "C-008" "S-001"] "random documents are as ECMAScript has them";
    "K-201" EVERY calls::traffic ["C-009" "C-010" "C-011"] "every fixture of traffic comes back as its hash";
    "K-202" EVERY calls::tour_hashes ["C-008" "C-011"] "arguments are hashed as the client sent them";
    "K-203" EVERY calls::outcomes ["P-070" "P-071" "P-072" "P-073" "P-074" "A-004"] "outcomes";
    "K-204" EVERY calls::sizes ["S-010" "S-011" "S-012"] "response_bytes is the size of what the client got";
    "K-205" EVERY calls::emptiness ["E-001" "W-027"] "is_empty, of calls that are ok only";
    "K-206" EVERY calls::replies ["S-010" "S-012" "E-002"] "results of every kind: size and emptiness";
    "K-207" EVERY calls::times ["W-023" "W-024" "P-075"] "started_at and duration_ms";
    "K-208" EVERY calls::names ["W-022" "W-040" "W-042"] "names of tools are sent, and made to fit";
    "K-209" EVERY calls::cancelled ["P-076"] "a cancelled call is not recorded";
    "K-210" NEWER calls::input_required ["P-077"] "only the final request is a call";
    "K-211" TRANSPORTS calls::low_level ["A-001" "P-071" "P-072" "P-073"] "outcomes with the low-level server API";
    "K-212" TRANSPORTS calls::late_and_early ["A-002"] "tools registered after watch are recorded";
    "K-213" TRANSPORTS calls::twice ["P-054"] "a server watched twice records each call once";
    "K-214" EVERY calls::not_representable ["C-007" "C-010" "W-041"] "arguments without a canonical form, where the MCP SDK lets them through";
    "K-215" EVERY tasks::at_its_end ["P-077"] "a task is recorded once, when it ends";
    "K-301" NEWER clients::each_request ["P-060" "W-021"] "the client's name comes from the request";
    "K-302" HTTP clients::each_session ["P-060"] "the client's name comes from its protocol session";
    "K-303" EVERY clients::made_to_fit ["W-040" "W-042"] "clients' names are made to fit";
    "K-401" EVERY twin::answers ["A-003" "P-010"] "answers are those of the unwatched twin, byte for byte";
    "K-402" EVERY twin::lists ["A-003"] "tools/list is that of the unwatched twin, byte for byte";
    "K-403" STDIO twin::notifications ["A-003"] "notifications are those of the unwatched twin, in their order";
    "K-404" TRANSPORTS twin::pure_output ["P-013" "P-004"] "nothing but the program's own on standard output";
    "K-405" TRANSPORTS twin::low_level ["A-003"] "the same with the low-level server API";
    "K-406" BOTH_HTTP twin::stateless ["A-003" "P-053"] "the same with a server object for each request";
    "K-501" EVERY canaries::nothing_sent ["W-050" "W-051"] "no canary in any byte that is sent";
    "K-502" TRANSPORTS canaries::nothing_printed ["P-004" "W-050"] "debug shows what is sent, and no canary";
    "K-503" EVERY wire::requests ["W-001" "W-002" "W-003" "W-004" "W-005" "W-006" "W-010" "W-011" "W-012" "W-014"] "every request and payload is valid";
    "K-504" TRANSPORTS wire::key ["P-001" "W-002"] "the key stands in its header and nowhere else";
    "K-505" STDIO losses::report ["P-093" "P-076"] "debug reports what became of everything recorded";
    "K-601" EVERY startup::tools ["P-040" "P-041" "T-001" "T-002" "T-003" "T-004" "W-030"] "startups hold the tools as clients receive them";
    "K-602" EVERY startup::about ["P-043" "W-031" "W-032"] "startups say who sends them";
    "K-603" EVERY startup::changes ["P-040"] "one startup for each surface and session";
    "K-604" EVERY startup::never_listed ["P-040" "P-041"] "a client that lists nothing leaves a startup too";
    "K-605" TRANSPORTS startup::policies ["T-005" "P-005"] "declared policies are sent";
    "K-606" TRANSPORTS startup::leads ["P-042" "P-035"] "the newest startup leads every batch until one is taken";
    "K-607" TRANSPORTS startup::pages ["P-041" "P-040" "A-003"] "several pages of tools/list make one startup";
    "K-701" TRANSPORTS failures::dead ["P-022" "P-010"] "a dead ingest changes no answer";
    "K-702" TRANSPORTS failures::black_hole ["P-020" "P-021" "P-022"] "an ingest that never answers holds up no call";
    "K-703" TRANSPORTS failures::slow ["P-021" "P-022"] "a slow ingest holds up no call, and gets everything once";
    "K-704" TRANSPORTS failures::refusing ["P-022" "P-035"] "413, 500 and 401 change no answer and end the batch";
    "K-705" TRANSPORTS failures::lying ["P-022" "P-010"] "garbage and lies change no answer";
    "K-706" STDIO retry::back_again ["P-034" "P-042" "P-032"] "a dead ingest comes back: everything arrives once";
    "K-707" STDIO retry::unsaid ["P-034" "W-005"] "no answer, or half of one: the same batch again, and nothing doubled";
    "K-708" STDIO retry::later ["P-034" "W-005"] "429 and 503 are tried again after Retry-After with the same batch";
    "K-709" STDIO retry::ring ["P-032" "P-031" "P-042"] "the ring keeps the newest 1000, and the startup outside it";
    "K-710" STDIO retry::thirty ["P-030" "P-031"] "30 payloads are sent at once, fewer after a while";
    "K-711" STDIO retry::redirect ["P-036"] "redirects are not followed";
    "K-712" STDIO retry::given_up ["P-033" "P-034"] "a request may take 10 s, then the same batch is tried again";
    "K-801" EVERY sessions::one ["P-050" "P-051"] "one session for a process";
    "K-802" BOTH_HTTP sessions::stateless ["P-053" "P-050"] "a server object for each request: one session, one startup";
    "K-803" HTTP sessions::conversations ["P-052"] "conversations have ids of their own, startups have not";
    "K-804" HTTP_NEW_ONLY sessions::no_conversation ["P-052"] "where no conversation is named, calls stay with the process";
    "K-805" BOTH_HTTP sessions::two_servers ["P-050" "P-040"] "two servers with one key in one process";
    "K-806" TRANSPORTS sessions::two_processes ["P-051"] "each process has a session of its own";
    "K-807" HTTP sessions::forked ["P-092"] "a forked child has a session and a sender of its own";
    "K-901" STDIO exit::end_of_input ["P-090" "P-091"] "the end of input: the same exit, and everything sent";
    "K-902" TRANSPORTS exit::own_exit ["P-090" "P-091"] "the language's own exit: the same code, and everything sent";
    "K-903" TRANSPORTS exit::handled_signal ["P-090" "P-091"] "SIGTERM with a handler of the host's: its code, and everything sent";
    "K-904" TRANSPORTS exit::signal ["P-091"] "SIGTERM without one ends the program as it would the twin";
    "K-905" STDIO exit::uncaught ["P-010" "P-090" "P-091"] "an uncaught error: the twin's exit, and everything sent";
    "K-906" STDIO exit::dead ["P-090" "P-091"] "a dead ingest keeps no program alive";
    "K-907" STDIO exit::black_hole ["P-090" "P-091"] "an ingest that never answers keeps no program alive";
    "K-910" TRANSPORTS scale::at_once ["P-010" "P-060"] "200 calls at once from several clients";
    "K-911" NONE scale::churn ["P-053" "P-055"] "a thousand watched servers leave nothing behind";
    "K-912" STDIO scale::memory ["P-020" "P-032"] "memory is flat while the ingest is dead";
    "K-921" TRANSPORTS agreements::verdicts ["P-080" "P-081" "P-082" "W-033"] "one verdict for each comparison";
    "K-922" TRANSPORTS agreements::values_stay ["P-083"] "values leave the process not even as hashes";
    "K-923" HTTP agreements::conversations ["P-081"] "values of two conversations are not compared";
    "K-931" TRANSPORTS options::no_key ["P-001"] "an empty key turns everything off";
    "K-932" TRANSPORTS options::slashes ["P-001" "P-002"] "the key is trimmed, and slashes after the endpoint are dropped";
    "K-933" TRANSPORTS options::nonsense ["P-012"] "an endpoint that is none changes no answer";
};

/// Those that mostly wait, as the protocol has producers wait.
pub(crate) const WAITING: &[&str] =
    &["K-606", "K-703", "K-706", "K-707", "K-708", "K-709", "K-710", "K-712", "K-807"];

const HTTP_NEW_ONLY: &[Link] = &[HTTP_NEW];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn numbers_are_unique_and_in_order() {
        let ids: Vec<_> = ALL.iter().map(|check| check.id).collect();
        let sorted: Vec<_> = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(ids, sorted);
    }

    #[test]
    fn every_rule_that_is_cited_exists() {
        let protocol = include_str!("../../../../spec/protocol.md");
        for check in ALL {
            assert!(!check.rules.is_empty(), "{} cites nothing", check.id);
            for rule in check.rules {
                assert!(protocol.contains(&format!("- **{rule}** ")), "{}: no rule {rule}", check.id);
            }
        }
    }
}
