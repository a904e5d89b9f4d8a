//! The keys that somebody presses, read by a thread of its own: reading a terminal cannot be called off.

use std::io::Read;
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::keys::{Decoder, Key};

/// How many keys wait until somebody looks at them.
const WAITING: usize = 4096;

/// The keys that somebody presses. Clones share them: whoever reads first gets a key.
#[derive(Clone)]
pub(crate) struct Keyboard(Arc<Mutex<Receiver<Key>>>);

impl Keyboard {
    /// Reads the keys of stdin.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (sender, receiver) = channel(WAITING);
        std::thread::Builder::new()
            .name("keyboard".to_owned())
            .spawn(move || read(&sender))?;
        Ok(Self(Arc::new(Mutex::new(receiver))))
    }

    /// The next key; none when no more will come. Can be called off without losing one.
    pub(crate) async fn next(&self) -> Option<Key> {
        self.0.lock().await.recv().await
    }

    /// Forgets what was pressed before anybody asked: it was not meant as an answer.
    pub(crate) async fn forget(&self) {
        let mut keys = self.0.lock().await;
        while keys.try_recv().is_ok() {}
    }
}

fn read(keys: &Sender<Key>) {
    let mut decoder = Decoder::default();
    let mut bytes = [0; 1024];
    let mut stdin = std::io::stdin().lock();
    loop {
        let count = match stdin.read(&mut bytes) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        for key in decoder.feed(&bytes[..count]) {
            if keys.blocking_send(key).is_err() {
                return;
            }
        }
    }
}
