//! Builds anew when the dashboard was built anew: its files are embedded.

fn main() {
    println!("cargo:rerun-if-changed=../../dashboard/dist");
    println!("cargo:rerun-if-changed=build.rs");
}
