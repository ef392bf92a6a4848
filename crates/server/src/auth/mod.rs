//! Who asks: one layer makes a [`Principal`] from a cookie or an access token, and takes both away, so that
//! no handler ever sees a credential.

mod cookies;
mod layer;
pub(crate) mod link;
mod principal;

pub(crate) use cookies::Cookies;
pub(crate) use layer::{authenticate, bearer};
pub(crate) use principal::{Need, Principal, Via, ViaKind};
