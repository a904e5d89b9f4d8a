//! Work that blocks, off the thread that polls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Does something that blocks on a thread of the runtime's. Where the system has no thread to give, it
/// is done here and now: late is better than never. An error says that it panicked, or that the runtime
/// is shutting down.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert_eq!(hook_runner::off_thread(|| 6 * 7).await, Ok(42));
/// # }
/// ```
pub async fn off_thread<T, F>(work: F) -> Result<T, String>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let work = Arc::new(Mutex::new(Some(work)));
    let there = Arc::clone(&work);
    let start = || tokio::task::spawn_blocking(move || taken(&there).map(|work| work()));
    // Without a thread the runtime panics, and leaves the work in line: whoever comes first does it.
    let done = match catch_unwind(AssertUnwindSafe(start)) {
        Ok(started) => started.await.map_err(|error| error.to_string())?,
        Err(_) => taken(&work).map(|work| work()),
    };
    done.ok_or_else(|| "it is done already".to_owned())
}

fn taken<F>(work: &Mutex<Option<F>>) -> Option<F> {
    work.lock().unwrap_or_else(PoisonError::into_inner).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_panics_is_an_error() {
        let error = off_thread(|| panic!("on purpose")).await;
        let error: Result<(), String> = error;
        assert!(error.unwrap_err().contains("panic"));
    }

    #[test]
    fn without_a_thread_it_is_done_here_and_now() {
        // Outside of a runtime there are no threads either.
        let here = std::thread::current().id();
        let work = off_thread(move || std::thread::current().id() == here);
        assert_eq!(futures_util::FutureExt::now_or_never(work), Some(Ok(true)));
    }
}
