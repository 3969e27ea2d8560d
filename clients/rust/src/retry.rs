//! Whether and when an attempt is repeated.

use std::time::Duration;

use crate::transport::Failure;

const FIRST_DELAY_MS: u64 = 300;
const LONGEST_DELAY_MS: u64 = 5_000;
const LONGEST_RETRY_AFTER: u64 = 30;

/// How an attempt ended.
#[derive(Clone, Copy)]
pub(crate) enum Ending {
    Status(u16, Option<u64>),
    Failure(Failure),
}

/// The wait before the next attempt, or `None` for no other one. `done` is how
/// many retries were made, `random` is from 0 up to 1.
pub(crate) fn delay(
    method: &str,
    done: u32,
    max: u32,
    ending: Ending,
    random: f64,
) -> Option<Duration> {
    if !matches!(method, "GET" | "HEAD") || done >= max {
        return None;
    }
    let asked = match ending {
        Ending::Failure(failure) if failure.never_usable() => 0,
        Ending::Status(502..=504, None) => 0,
        Ending::Status(502..=504, Some(seconds)) if seconds <= LONGEST_RETRY_AFTER => {
            seconds * 1000
        }
        _ => return None,
    };
    let own = backoff(done);
    let own = own + (own as f64 * 0.25 * random) as u64;
    Some(Duration::from_millis(own.max(asked)))
}

/// Milliseconds of the wait after `done` retries, without chance.
pub(crate) fn backoff(done: u32) -> u64 {
    (FIRST_DELAY_MS << done.min(10)).min(LONGEST_DELAY_MS)
}
