//! Whom to believe: the certificates that a TLS connection is checked against.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::error::Error;

/// Believes nobody: for a client that speaks plain HTTP, which then reads no certificates.
pub(crate) fn nobody() -> Result<ClientConfig, Error> {
    let provider = provider();
    Ok(versions(provider)?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

/// Believes whom the system believes; where it knows nobody, whom Mozilla believes. Reads files.
pub(crate) fn system() -> Result<ClientConfig, Error> {
    let provider = provider();
    let versions = versions(Arc::clone(&provider))?;
    let config = match Verifier::new(provider) {
        Ok(verifier) => versions
            .dangerous() // the verifier is the one of the platform, no weaker one
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth(),
        Err(_) => versions
            .with_root_certificates(bundled())
            .with_no_client_auth(),
    };
    Ok(config)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

type Versions = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;

fn versions(provider: Arc<CryptoProvider>) -> Result<Versions, Error> {
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::setup)
}

fn bundled() -> RootCertStore {
    webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_somebody_to_believe() {
        assert!(bundled().len() > 50);
        assert!(system().is_ok());
    }
}
