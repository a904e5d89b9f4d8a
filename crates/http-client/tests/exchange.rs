//! Requests to servers on this machine, byte for byte.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::net::IpAddr;
use std::time::Duration;

use http_client::{Client, End, ErrorKind, Proxies, Request, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server that reads one request, says these bytes, and hangs up; what it was asked.
async fn says(bytes: impl Into<Vec<u8>>) -> (Url, JoinHandle<String>) {
    let bytes = bytes.into();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let asked = request(&mut stream).await;
        // Whoever has enough may hang up first.
        let _ = stream.write_all(&bytes).await;
        let _ = stream.shutdown().await;
        asked
    });
    (
        Url::parse(&format!("http://{address}/hooks?a=b")).unwrap(),
        asked,
    )
}

/// The head and as much body as it announces.
async fn request(stream: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&seen).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await.unwrap() {
            0 => return text,
            read => seen.extend_from_slice(&piece[..read]),
        }
    }
}

fn client() -> Client {
    Client::builder().build().unwrap()
}

#[tokio::test]
async fn a_request_is_sent_as_it_was_made() {
    let (url, asked) = says("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nX-One: 1\r\n\r\n{}").await;
    let host = format!("{}:{}", url.host(), url.port());
    let request = Request::post(url)
        .header("Content-Type", "application/json")
        .unwrap()
        .header("Authorization", "Bearer t")
        .unwrap()
        .body(r#"{"a": 1}"#);

    let mut response = client().send(request).await.unwrap();

    assert_eq!(response.status(), 200);
    assert_eq!(response.header("x-one"), Some("1"));
    let body = response.read_up_to(10).await;
    assert!(body.is_complete());
    assert_eq!(body.text(), "{}");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        asked.await.unwrap(),
        format!(
            "POST /hooks?a=b HTTP/1.1\r\ncontent-type: application/json\r\nauthorization: Bearer t\r\n\
             accept: */*\r\nuser-agent: hookline/{version}\r\nhost: {host}\r\ncontent-length: 8\r\n\r\n{{\"a\": 1}}"
        )
    );
}

#[tokio::test]
async fn a_password_in_the_url_becomes_a_header() {
    let (url, asked) = says("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let url = Url::parse(&url.as_str().replace("http://", "http://me:pass@")).unwrap();
    client().send(Request::get(url)).await.unwrap();
    let asked = asked.await.unwrap();
    assert!(
        asked.contains("authorization: Basic bWU6cGFzcw==\r\n"),
        "{asked}"
    );
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let (url, _) =
        says("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n")
            .await;
    let response = client().send(Request::get(url)).await.unwrap();
    assert_eq!(response.status(), 302);
    assert_eq!(response.header("location"), Some("http://127.0.0.1:1/"));
}

#[tokio::test]
async fn a_body_comes_piece_by_piece() {
    let (url, _) = says(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    )
    .await;
    let mut response = client().send(Request::get(url)).await.unwrap();
    let mut seen = Vec::new();
    while let Some(chunk) = response.chunk().await.unwrap() {
        seen.extend_from_slice(&chunk);
    }
    assert_eq!(seen, b"abcde");
}

#[tokio::test]
async fn a_body_is_kept_up_to_the_limit() {
    let (url, _) = says("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nabcdef").await;
    let body = client()
        .send(Request::get(url))
        .await
        .unwrap()
        .read_up_to(4)
        .await;
    assert_eq!(body.bytes, b"abcd");
    assert!(matches!(body.end, End::Cut));
}

#[tokio::test]
async fn a_body_as_long_as_the_limit_is_complete() {
    let (url, _) = says("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nabcdef").await;
    let body = client()
        .send(Request::get(url))
        .await
        .unwrap()
        .read_up_to(6)
        .await;
    assert_eq!(body.bytes, b"abcdef");
    assert!(body.is_complete());
}

#[tokio::test]
async fn what_came_before_the_connection_broke_is_kept() {
    let (url, _) =
        says("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"decision\":\"block\"}").await;
    let body = client()
        .send(Request::get(url))
        .await
        .unwrap()
        .read_up_to(1000)
        .await;
    assert_eq!(body.text(), r#"{"decision":"block"}"#);
    let End::Failed(error) = body.end else {
        panic!("{body:?}")
    };
    assert_eq!(error.kind(), ErrorKind::Broken);
}

#[tokio::test]
async fn what_is_not_http_is_an_error() {
    for nonsense in [
        "hello, I speak no HTTP\n",
        "",
        "HTTP/1.1 200 OK\r\ncontent-le",
    ] {
        let (url, _) = says(nonsense).await;
        let error = client().send(Request::get(url)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Broken, "{nonsense:?}: {error}");
    }
}

#[tokio::test]
async fn a_head_without_end_is_refused_while_it_is_read() {
    let many: String = "x: y\r\n".repeat(200);
    let long = format!("x: {}\r\n", "y".repeat(1 << 20));
    for head in [many, long] {
        let (url, _) = says(format!("HTTP/1.1 200 OK\r\n{head}\r\n")).await;
        let error = client().send(Request::get(url)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Broken, "{error}");
    }
}

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let error = client().send(Request::get(url)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(error.detail().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_name_that_means_nothing() {
    let url = Url::parse("http://nobody.invalid/").unwrap();
    for client in [
        client(),
        Client::builder().guard(|_| Ok(())).build().unwrap(),
    ] {
        let error = client.send(Request::get(url.clone())).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownHost, "{error}");
    }
}

#[tokio::test]
async fn silence_has_a_limit_where_one_is_set() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let impatient = Client::builder()
        .read_timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    let error = impatient.send(Request::get(url)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ReadTimeout, "{error}");
}

#[tokio::test]
async fn a_guard_sees_what_a_name_means_and_what_a_url_says() {
    let refuse = |address: IpAddr| Err(format!("{address} is not to be asked"));
    let guarded = Client::builder().guard(refuse).build().unwrap();
    for url in [
        "http://localhost:1/",
        "http://127.0.0.1:1/",
        "http://2130706433:1/",
        "http://[::1]:1/",
    ] {
        let error = guarded
            .send(Request::get(Url::parse(url).unwrap()))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{url}: {error}");
        assert!(error.detail().ends_with("is not to be asked"), "{error}");
    }
}

#[tokio::test]
async fn an_address_that_is_not_refused_is_asked() {
    let (url, _) = says("HTTP/1.1 204 No Content\r\n\r\n").await;
    let named = url.as_str().replace("127.0.0.1", "localhost");
    let refuse = |address: IpAddr| {
        if address.is_loopback() {
            Ok(())
        } else {
            Err(String::new())
        }
    };
    let guarded = Client::builder().guard(refuse).build().unwrap();
    let response = guarded
        .send(Request::get(Url::parse(&named).unwrap()))
        .await
        .unwrap();
    assert_eq!(response.status(), 204);
}

#[tokio::test]
async fn a_proxy_is_asked_for_others_and_never_for_this_machine() {
    let (proxy, asked) = says("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let (near, _) = says("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await;
    let proxies = Proxies::from_variables([("http_proxy", proxy.as_str())]);
    let client = Client::builder().proxies(proxies).build().unwrap();

    assert_eq!(client.send(Request::get(near)).await.unwrap().status(), 201);
    let far = Url::parse("http://far.invalid/x").unwrap();
    assert_eq!(client.send(Request::get(far)).await.unwrap().status(), 200);
    assert!(
        asked
            .await
            .unwrap()
            .starts_with("GET http://far.invalid/x HTTP/1.1\r\n")
    );
}

#[tokio::test]
async fn a_dropped_response_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        request(&mut stream).await;
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")
            .await
            .unwrap();
        stream.read(&mut [0; 10]).await
    });
    let response = client().send(Request::get(url)).await.unwrap();
    drop(response);
    // The end of the stream, or a reset: in any case the server hears of it.
    assert!(matches!(server.await.unwrap(), Ok(0) | Err(_)));
}

#[tokio::test]
async fn who_speaks_no_tls_is_not_believed() {
    // A server that speaks no TLS: the certificates were loaded, the handshake fails.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let secure = format!("https://{}", listener.local_addr().unwrap());
    let secure = Url::parse(&secure).unwrap();
    let plain = async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_u8().await.unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    };
    tokio::spawn(plain);
    let error = client().send(Request::get(secure)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
}

#[test]
fn what_is_shown_of_a_request_holds_no_secret() {
    let url = Url::parse("https://me:secret@example.org/?secret").unwrap();
    let request = Request::post(url)
        .header("authorization", "secret")
        .unwrap()
        .body("secret");
    let shown = format!("{request:?}");
    assert!(!shown.contains("secret"), "{shown}");
    assert!(shown.contains("authorization"), "{shown}");
    let bad = request.header("x", "secret\r\nnext: 1").unwrap_err();
    assert!(!bad.to_string().contains("secret"), "{bad}");
}
