//! What no hook reaches unless the user says so: link-local addresses, and where clouds keep the
//! credentials of a machine.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use http_client::Host;

/// Services that hand out a machine's credentials, beyond those that are link-local.
const METADATA: [IpAddr; 5] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)), // Alibaba
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),   // Azure
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),     // Oracle
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)), // Amazon
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)), // Google
];

/// Their names: whoever looks a name up for us, a proxy for one, may know them.
const NAMES: [&str; 5] = [
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.goog",
    "metadata.google.internal",
];

/// Why a host is refused by its name; its address is judged when it is known.
pub(crate) fn refused_name(host: &Host, exceptions: &[Exception]) -> Option<String> {
    let Host::Name(name) = host else {
        return None;
    };
    let excepted = exceptions
        .iter()
        .any(|known| *known == Exception::Name(name.clone()));
    let refused = NAMES.contains(&name.as_str()) && !excepted;
    refused.then(|| format!("`{name}` is where a cloud keeps a machine's credentials; {REMEDY}"))
}

/// What to do about it.
const REMEDY: &str = "`allowedHttpHookAddresses` in your own settings can allow it";

/// Judges an address.
pub(crate) fn judge(address: IpAddr, exceptions: &[Exception]) -> Result<(), String> {
    let what = inside(address).find_map(what_it_is);
    match what {
        Some(what) if !exceptions.iter().any(|known| known.covers(address)) => {
            Err(format!("{address} is {what}; {REMEDY}"))
        }
        Some(_) | None => Ok(()),
    }
}

/// The address, and those that it stands for in other networks.
fn inside(address: IpAddr) -> impl Iterator<Item = IpAddr> {
    let embedded = match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => embedded(address),
    };
    [Some(address), embedded.map(IpAddr::V4)]
        .into_iter()
        .flatten()
}

/// The address of version 4 that a translator or a tunnel would reach.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] // NAT64
        | [0, 0, 0, 0, 0, 0xffff, high, low] // mapped
        | [0, 0, 0, 0, 0xffff, 0, high, low] // translated
        | [0x2002, high, low, ..] => of(high, low), // 6to4
        _ => None,
    }
}

fn what_it_is(address: IpAddr) -> Option<&'static str> {
    if METADATA.contains(&address) {
        return Some("where a cloud keeps a machine's credentials");
    }
    let link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    link_local.then_some("a link-local address")
}

/// What the user allows all the same: an address, a network, or a name.
///
/// ```
/// use hook_http::Exception;
///
/// let all: Result<Vec<Exception>, _> =
///     ["169.254.169.254", "fe80::/10", "metadata.google.internal"].into_iter().map(str::parse).collect();
/// assert!(all.is_ok());
/// assert!("169.254.0.0/99".parse::<Exception>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exception {
    /// The addresses that begin like this one, for so many bits.
    Network(IpAddr, u8),
    /// A name. What it means must be allowed as well.
    Name(String),
}

/// A text that is no address, network or name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address, no network such as 169.254.0.0/16, and no name of a host")]
pub struct BadException(String);

impl Exception {
    fn covers(&self, address: IpAddr) -> bool {
        let Self::Network(network, bits) = self else {
            return false;
        };
        match (network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => same_start(
                network.to_bits().into(),
                address.to_bits().into(),
                32,
                *bits,
            ),
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                same_start(network.to_bits(), address.to_bits(), 128, *bits)
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

fn same_start(one: u128, other: u128, width: u8, bits: u8) -> bool {
    let differ = (one ^ other).checked_shr(u32::from(width.saturating_sub(bits)));
    differ.is_none_or(|differ| differ == 0)
}

impl FromStr for Exception {
    type Err = BadException;

    fn from_str(text: &str) -> Result<Self, BadException> {
        let bad = || BadException(text.to_owned());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| bad())?)),
            None => (text, None),
        };
        if let Ok(address) = address.parse::<IpAddr>() {
            let width = if address.is_ipv4() { 32 } else { 128 };
            let bits = bits.unwrap_or(width);
            return if bits <= width {
                Ok(Self::Network(address, bits))
            } else {
                Err(bad())
            };
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if bits.is_some() || text.is_empty() || !text.chars().all(is_name) {
            return Err(bad());
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        Ok(Self::Name(name.to_ascii_lowercase()))
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(address, bits) => write!(f, "{address}/{bits}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(address: &str, exceptions: &[&str]) -> bool {
        let exceptions: Vec<Exception> = exceptions
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        judge(address.parse().unwrap(), &exceptions).is_err()
    }

    #[test]
    fn link_local_and_metadata_addresses_are_refused() {
        for address in [
            "169.254.169.254",
            "169.254.170.2",
            "169.254.0.1",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fe80::1",
            "febf::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1",
            "::ffff:0:169.254.169.254",
        ] {
            assert!(refused(address, &[]), "{address}");
        }
    }

    #[test]
    fn this_machine_private_networks_and_the_rest_are_not() {
        for address in [
            "127.0.0.1",
            "::1",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "169.253.255.255",
            "8.8.8.8",
            "fd00::1",
            "fec0::1",
            "2001:db8::1",
        ] {
            assert!(!refused(address, &[]), "{address}");
        }
    }

    #[test]
    fn the_user_allows_an_address_or_a_network_and_no_more() {
        assert!(!refused("169.254.169.254", &["169.254.169.254"]));
        assert!(refused("169.254.169.253", &["169.254.169.254"]));
        assert!(!refused("169.254.3.4", &["169.254.0.0/16"]));
        assert!(!refused("fe80::1", &["fe80::/10"]));
        assert!(!refused("fe80::1", &["::/0"]));
        assert!(refused("fe80::1", &["0.0.0.0/0"]));
        assert!(refused("169.254.169.254", &["metadata.google.internal"]));
    }

    #[test]
    fn names_of_metadata_services_are_refused_unless_they_are_allowed() {
        let host = Host::Name("metadata.google.internal".to_owned());
        let allowed = [Exception::Name("metadata.google.internal".to_owned())];
        assert!(
            refused_name(&host, &[])
                .unwrap()
                .contains("allowedHttpHookAddresses")
        );
        assert_eq!(refused_name(&host, &allowed), None);
        assert_eq!(
            refused_name(&Host::Name("metadata.example.org".to_owned()), &[]),
            None
        );
    }

    #[test]
    fn what_is_no_exception_is_told() {
        for text in [
            "",
            "169.254.0.0/33",
            "fe80::/x",
            "two words",
            "http://a",
            "a/8",
        ] {
            assert!(text.parse::<Exception>().is_err(), "{text}");
        }
    }
}
