//! The one clock of a client: wall time, monotonic time, waiting, chance.
//! Tests replace it.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike, FixedOffset, Local, NaiveDateTime, Offset, TimeZone, Utc};

use crate::sync::lock;

/// Whether a client is closed; waits end when it becomes so.
#[derive(Default)]
pub(crate) struct Closed {
    flag: Mutex<bool>,
    changed: Condvar,
}

impl Closed {
    pub(crate) fn get(&self) -> bool {
        *lock(&self.flag)
    }

    /// Closes, and returns whether it was open.
    pub(crate) fn set(&self) -> bool {
        let was = std::mem::replace(&mut *lock(&self.flag), true);
        self.changed.notify_all();
        !was
    }

    /// Waits for `limit` or until closed; true when closed.
    fn wait(&self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut closed = lock(&self.flag);
        while !*closed {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            closed = self
                .changed
                .wait_timeout(closed, left)
                .unwrap_or_else(|e| e.into_inner())
                .0;
        }
        *closed
    }
}

pub(crate) enum Clock {
    Real(Instant),
    #[cfg(test)]
    Fake(Mutex<(i64, Duration)>),
}

impl Clock {
    pub(crate) fn real() -> Self {
        Clock::Real(Instant::now())
    }

    /// A clock that stands still at 1800000000000 ms.
    #[cfg(test)]
    pub(crate) fn fake() -> Self {
        Clock::Fake(Mutex::new((1_800_000_000_000, Duration::ZERO)))
    }

    #[cfg(test)]
    pub(crate) fn advance(&self, wall_seconds: f64, monotonic_seconds: f64) {
        if let Clock::Fake(now) = self {
            let mut now = lock(now);
            now.0 += (wall_seconds * 1000.0) as i64;
            now.1 += Duration::from_secs_f64(monotonic_seconds.max(0.0));
        }
    }

    /// Whether time passes by itself, so that a flush becomes due.
    pub(crate) fn runs(&self) -> bool {
        matches!(self, Clock::Real(_))
    }

    /// Milliseconds since 1970.
    pub(crate) fn unix_ms(&self) -> i64 {
        match self {
            Clock::Real(_) => match SystemTime::now().duration_since(UNIX_EPOCH) {
                Ok(d) => d.as_millis() as i64,
                Err(e) => -(e.duration().as_millis() as i64),
            },
            #[cfg(test)]
            Clock::Fake(now) => lock(now).0,
        }
    }

    pub(crate) fn unix_seconds(&self) -> i64 {
        self.unix_ms().div_euclid(1000)
    }

    /// Time since the client was made; never goes back.
    pub(crate) fn monotonic(&self) -> Duration {
        match self {
            Clock::Real(start) => start.elapsed(),
            #[cfg(test)]
            Clock::Fake(now) => lock(now).1,
        }
    }

    /// Waits, and returns whether the client has been closed since.
    pub(crate) fn wait(&self, delay: Duration, closed: &Closed) -> bool {
        match self {
            Clock::Real(_) => closed.wait(delay),
            #[cfg(test)]
            Clock::Fake(now) => {
                let mut now = lock(now);
                now.0 += delay.as_millis() as i64;
                now.1 += delay;
                closed.get()
            }
        }
    }

    /// Waits without blocking the thread.
    #[cfg(feature = "async")]
    pub(crate) async fn wait_async(&self, delay: Duration, closed: &tokio::sync::Notify) {
        match self {
            Clock::Real(_) => {
                let _ = tokio::time::timeout(delay, closed.notified()).await;
            }
            #[cfg(test)]
            Clock::Fake(now) => {
                let mut now = lock(now);
                now.0 += delay.as_millis() as i64;
                now.1 += delay;
            }
        }
    }

    /// A number from 0 up to 1, for spreading waits; 0 on the clock of tests.
    pub(crate) fn random(&self) -> f64 {
        match self {
            Clock::Real(_) => getrandom::u32().unwrap_or(0) as f64 / (u32::MAX as f64 + 1.0),
            #[cfg(test)]
            Clock::Fake(_) => 0.0,
        }
    }
}

/// Value of `x-svc-client-time` now, or `None` when it cannot be told.
pub(crate) fn client_time_now(clock: &Clock) -> Option<String> {
    let ms = clock.unix_ms();
    let local = Local.timestamp_millis_opt(ms).single()?;
    client_time(ms, local.offset().fix().local_minus_utc())
}

/// `YYYY-MM-DDTHH:MM:SS.mmm±HH:MM` of an instant at an offset east of UTC.
pub(crate) fn client_time(unix_ms: i64, offset_seconds: i32) -> Option<String> {
    if offset_seconds % 60 != 0 {
        return None;
    }
    let offset = FixedOffset::east_opt(offset_seconds)?;
    let local = DateTime::<Utc>::from_timestamp_millis(unix_ms)?.with_timezone(&offset);
    if !(0..=9999).contains(&local.year()) {
        return None;
    }
    Some(local.format("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string())
}

/// Seconds of a `Retry-After` header: a whole number, or an HTTP date.
pub(crate) fn retry_after(header: &str, now_unix: i64) -> Option<u64> {
    let header = header.trim();
    if !header.is_empty() && header.bytes().all(|b| b.is_ascii_digit()) {
        return Some(header.parse().unwrap_or(u64::MAX));
    }
    let date = NaiveDateTime::parse_from_str(header, "%a, %d %b %Y %H:%M:%S GMT").ok()?;
    Some(date.and_utc().timestamp().saturating_sub(now_unix).max(0) as u64)
}
