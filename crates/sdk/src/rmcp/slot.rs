//! What the author's layer tells the request's layer about the call being served.

use std::cell::Cell;

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

tokio::task_local! {
    static SLOT: Cell<Reached>;
}

/// Runs `call` with a slot of its own, and says how far it got.
pub(super) async fn scope<F: Future>(call: F) -> (F::Output, Reached) {
    SLOT.scope(Cell::default(), async {
        let output = call.await;
        (output, SLOT.with(Cell::get))
    })
    .await
}

/// Notes how far the call has got. Does nothing outside of a watched request, or in a task the author spawned.
pub(super) fn note(reached: Reached) {
    let _ = SLOT.try_with(|slot| slot.set(reached));
}
