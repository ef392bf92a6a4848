//! The final flush.
//!
//! Rust has no hook for the end of a process; the C library has. `dtor` registers with it, which covers a
//! return from `main` and `std::process::exit`. Signals belong to the host: a process that dies by one, or
//! aborts, sends nothing more.

dtor::declarative::dtor! {
    #[dtor(unsafe, method = at_module_exit)]
    fn final_flush() {
        // A panic must not cross into C.
        let _ = crate::guard::quietly(crate::stream::flush_all);
    }
}
