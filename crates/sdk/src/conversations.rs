//! Session ids for conversations that the protocol names.

use std::sync::{Arc, Mutex};

use crate::bounded::BoundedMap;
use crate::guard::lock;
use crate::stream::session_id;

/// Conversations remembered. One that comes back after being forgotten gets a new id.
const BOUND: usize = 10_000;

/// From what the protocol calls a conversation to the random id its calls carry: the protocol's own id can be a
/// credential and must not leave the process.
#[derive(Debug)]
pub(crate) struct Conversations {
    ids: Mutex<BoundedMap<Box<str>, Arc<str>>>,
}

impl Default for Conversations {
    fn default() -> Self {
        Self { ids: Mutex::new(BoundedMap::new(BOUND)) }
    }
}

impl Conversations {
    /// The session id of `conversation`. `None` when the system gives no random bytes.
    pub(crate) fn session(&self, conversation: &str) -> Option<Arc<str>> {
        let mut ids = lock(&self.ids);
        if let Some(id) = ids.get_mut(conversation) {
            return Some(Arc::clone(id));
        }
        let id = session_id()?;
        ids.insert(conversation.into(), Arc::clone(&id));
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

    use super::*;

    #[test]
    fn a_conversation_keeps_its_id_and_shares_it_with_no_other() {
        let conversations = Conversations::default();
        let first = conversations.session("a").unwrap();
        assert_eq!(conversations.session("a").unwrap(), first);
        assert_ne!(conversations.session("b").unwrap(), first);
        assert!(first.starts_with("s_") && first.len() == 14);
    }
}
