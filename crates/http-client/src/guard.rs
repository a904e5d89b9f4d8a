//! Addresses that are not connected to.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::error::{Error, ErrorKind};
use crate::url::{Host, Url, unmapped};

/// Says whether an address may be connected to; else why not.
type Judge = dyn Fn(IpAddr) -> Result<(), String> + Send + Sync;

/// Looks names up, and refuses what they mean.
#[derive(Clone)]
pub(crate) struct Guard(Arc<Judge>);

/// An address that was refused, and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) String);

impl Guard {
    pub(crate) fn new(
        judge: impl Fn(IpAddr) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(judge))
    }

    /// An address in a URL is never looked up, so that it is judged here.
    pub(crate) fn literal(&self, url: &Url) -> Result<(), Error> {
        match url.host() {
            Host::Address(address) => {
                (self.0)(address).map_err(|why| Error::new(ErrorKind::Refused, why))
            }
            Host::Name(_) => Ok(()),
        }
    }

    /// One address that is refused spoils the name: which one is connected to is a matter of luck.
    fn all(&self, name: &str, addresses: Vec<SocketAddr>) -> Result<Addrs, Refused> {
        for address in &addresses {
            let plain = match address.ip() {
                IpAddr::V6(address) => unmapped(address),
                IpAddr::V4(address) => address.into(),
            };
            (self.0)(plain).map_err(|why| Refused(format!("`{name}` is {plain}: {why}")))?;
        }
        Ok(Box::new(addresses.into_iter()))
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(guard.all(name.as_str(), found.collect())?)
        })
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none_of_version_4() -> Guard {
        Guard::new(|address| match address {
            IpAddr::V4(_) => Err("of version 4".to_owned()),
            IpAddr::V6(_) => Ok(()),
        })
    }

    #[test]
    fn one_refused_address_spoils_a_name() {
        let addresses = ["[2001:db8::1]:0", "192.0.2.1:0"].map(|text| text.parse().unwrap());
        let refused = none_of_version_4().all("two.example", addresses.to_vec());
        assert_eq!(
            refused.err().unwrap().to_string(),
            "`two.example` is 192.0.2.1: of version 4"
        );
    }

    #[test]
    fn an_address_in_the_clothes_of_another_version_is_judged_as_what_it_is() {
        let mapped = ["[::ffff:192.0.2.1]:0"].map(|text| text.parse().unwrap());
        assert!(
            none_of_version_4()
                .all("mapped.example", mapped.to_vec())
                .is_err()
        );
        let url = Url::parse("http://[::ffff:c000:201]/").unwrap();
        assert!(none_of_version_4().literal(&url).is_err());
    }
}
