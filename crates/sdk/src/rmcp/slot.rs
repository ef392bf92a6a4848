//! What the author's layer tells the request's layer about the call being served.

use std::cell::Cell;
use std::sync::Arc;

use crate::stream::Stream;

/// How far a call got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reached {
    /// No layer of ours but the outermost has been passed.
    #[default]
    Request,
    /// A route of a watched router was called.
    Route,
    /// Our extractor could not make the parameters out of the arguments.
    Unbound,
    /// Our extractor made the parameters: whatever follows is the author's.
    Bound,
}

struct Slot {
    reached: Cell<Reached>,
    /// Which stream records the call: its address, compared and never followed.
    stream: usize,
}

tokio::task_local! {
    static SLOT: Slot;
}

fn address(stream: &Arc<Stream>) -> usize {
    Arc::as_ptr(stream).addr()
}

/// Runs `call` with a slot of its own, and says how far it got.
pub(super) async fn scope<F: Future>(stream: &Arc<Stream>, call: F) -> (F::Output, Reached) {
    let slot = Slot { reached: Cell::default(), stream: address(stream) };
    SLOT.scope(slot, async {
        let output = call.await;
        (output, SLOT.with(|slot| slot.reached.get()))
    })
    .await
}

/// Whether the call being served is recorded in `stream` already: a server may be watched twice.
pub(super) fn is_recorded_in(stream: &Arc<Stream>) -> bool {
    SLOT.try_with(|slot| slot.stream == address(stream)).unwrap_or(false)
}

/// Notes how far the call has got. Does nothing outside of a watched request, or in a task the author spawned.
pub(super) fn note(reached: Reached) {
    let _ = SLOT.try_with(|slot| slot.reached.set(reached));
}
