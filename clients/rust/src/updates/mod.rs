//! Checking for updates at most once an interval, and downloading them.
//! Nothing is installed.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::api::{CheckUpdate, Public};
use crate::core::{Core, Handle};
use crate::error::{Error, Result};
use crate::events::state::Place;
use crate::models::{DownloadLink, ReasonCode, UpdateCheck, Version};
use crate::patch::Patch;
use crate::settings::Settings;
use crate::sync::lock;
use crate::{detect, request, version};

pub(crate) mod download;
pub(crate) mod link;

#[cfg(test)]
pub(crate) use download::run as download_for_tests;
pub use download::{Downloaded, Progress};

/// Answers that are larger are remembered without release notes.
pub(crate) const LARGEST_MEMORY: usize = 256 << 10;
pub(crate) const INTERVAL: Duration = Duration::from_secs(6 * 3600);
/// Checks are spread over the interval divided by this.
pub(crate) const SPREAD: i64 = 5;

/// The recommended reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Nothing is newer.
    None,
    /// Something is newer; the user decides.
    Optional,
    /// The installed version must no longer be used.
    Required,
    /// Something is newer, and the target must not be skipped.
    Milestone,
}

impl Decision {
    /// The decision as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Decision::None => "none",
            Decision::Optional => "optional",
            Decision::Required => "required",
            Decision::Milestone => "milestone",
        }
    }

    pub(crate) fn of(answer: &UpdateCheck) -> Decision {
        if answer.required {
            Decision::Required
        } else if !answer.should_update {
            Decision::None
        } else if answer.milestone.target_is_milestone {
            Decision::Milestone
        } else {
            Decision::Optional
        }
    }
}

/// Options of [`Updates::check`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// How long an answer is remembered; 6 h unless set.
    pub interval: Option<Duration>,
    /// Asks the server in any case.
    pub force: bool,
    /// Whether previews count.
    pub include_preview: Option<bool>,
    /// Preferred language; the client's own when left out.
    pub locale: Patch<String>,
    /// Display version that is installed; the client's own when left out.
    pub current_version: Option<String>,
    /// Comparable version that is installed.
    pub current_comparable_version: Option<String>,
}

impl CheckOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long an answer is remembered.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = Some(interval);
        self
    }

    /// Asks the server in any case.
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Whether previews count.
    pub fn include_preview(mut self, include: bool) -> Self {
        self.include_preview = Some(include);
        self
    }

    /// Preferred language.
    pub fn locale(mut self, locale: impl Into<Patch<String>>) -> Self {
        self.locale = locale.into();
        self
    }

    /// Display version that is installed.
    pub fn current_version(mut self, version: impl Into<String>) -> Self {
        self.current_version = Some(version.into());
        self
    }

    /// Comparable version that is installed.
    pub fn current_comparable_version(mut self, version: impl Into<String>) -> Self {
        self.current_comparable_version = Some(version.into());
        self
    }
}

/// Result of a check.
#[derive(Clone)]
#[non_exhaustive]
pub struct Update {
    /// The recommended reaction.
    pub decision: Decision,
    /// The version to install, if there is one.
    pub target: Option<Version>,
    /// The target's link for this platform and architecture, if there is one.
    pub link: Option<DownloadLink>,
    /// Why.
    pub reason_codes: Vec<ReasonCode>,
    /// The whole answer.
    pub answer: UpdateCheck,
    /// Time of the request, in Unix seconds.
    pub checked_at: i64,
    /// Whether no request was made.
    pub remembered: bool,
    core: Arc<Core>,
}

impl fmt::Debug for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Update")
            .field("decision", &self.decision)
            .field("target", &self.target.as_ref().map(|t| &t.version))
            .field("link", &self.link)
            .field("checked_at", &self.checked_at)
            .field("remembered", &self.remembered)
            .finish_non_exhaustive()
    }
}

impl Update {
    fn new(
        core: &Arc<Core>,
        settings: &Settings,
        answer: UpdateCheck,
        checked_at: i64,
        remembered: bool,
    ) -> Update {
        let links = answer
            .target_version
            .as_ref()
            .map_or(&[][..], |t| &t.download_links);
        let best = link::best(
            links,
            settings.platform.as_deref(),
            detect::own_architecture(),
        );
        Update {
            decision: Decision::of(&answer),
            target: answer.target_version.clone(),
            link: best.map(|at| links[at].clone()),
            reason_codes: answer.reason_codes.clone(),
            answer,
            checked_at,
            remembered,
            core: core.clone(),
        }
    }

    fn own_link(&self) -> Result<&DownloadLink> {
        let missing = || Error::invalid("the update has no link for this system: give one");
        self.link.as_ref().ok_or_else(missing)
    }

    /// Downloads [`Self::link`] to the file `to`, and checks it: files of the
    /// service by size and SHA-256, others by their size. `to` changes only
    /// when all of it is here and right.
    ///
    /// `on_progress` receives the number of bytes so far; when it breaks, the
    /// download is cancelled. A broken connection is resumed.
    pub fn download(
        &self,
        to: impl AsRef<Path>,
        on_progress: impl FnMut(Progress) -> std::ops::ControlFlow<()>,
    ) -> Result<Downloaded> {
        self.download_link(self.own_link()?, to, on_progress)
    }

    /// Downloads another link than [`Self::link`].
    pub fn download_link(
        &self,
        link: &DownloadLink,
        to: impl AsRef<Path>,
        on_progress: impl FnMut(Progress) -> std::ops::ControlFlow<()>,
    ) -> Result<Downloaded> {
        download::run(&self.core, &link.url, to.as_ref(), on_progress)
    }

    /// Like [`Self::download`], on tokio's threads for blocking work. Dropping
    /// the future gives the download up.
    #[cfg(feature = "async")]
    pub async fn download_async(
        &self,
        to: impl Into<std::path::PathBuf>,
        mut on_progress: impl FnMut(Progress) -> std::ops::ControlFlow<()> + Send + 'static,
    ) -> Result<Downloaded> {
        use std::ops::ControlFlow;
        use std::sync::atomic::{AtomicBool, Ordering};

        struct GiveUp(Arc<AtomicBool>);
        impl Drop for GiveUp {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let (core, url, to) = (self.core.clone(), self.own_link()?.url.clone(), to.into());
        let given_up = GiveUp(Arc::default());
        let flag = given_up.0.clone();
        let work = move || {
            download::run(&core, &url, &to, |progress| {
                match flag.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => on_progress(progress),
                }
            })
        };
        let result = tokio::task::spawn_blocking(work).await;
        drop(given_up);
        result.unwrap_or_else(|_| Err(Error::connection("the download was ended")))
    }
}

/// The last result in memory; files may fail.
#[derive(Default)]
pub(crate) struct Memory {
    /// Of the latest namespace, by its key.
    text: Mutex<Option<(String, String)>>,
    /// Checks of this process share one request.
    checking: Mutex<()>,
    #[cfg(feature = "async")]
    checking_async: tokio::sync::Mutex<()>,
}

#[derive(Serialize, Deserialize)]
struct Remembered {
    checked_at: i64,
    next_at: i64,
    key: String,
    answer: UpdateCheck,
}

/// Whether the server is to be asked again, after an answer at `checked_at`.
pub(crate) fn is_due(remembered: Option<(i64, i64)>, interval: i64, now: i64) -> bool {
    let Some((checked_at, next_at)) = remembered else {
        return true;
    };
    let latest = checked_at.saturating_add(interval + interval / SPREAD);
    now >= next_at || now < checked_at || now >= latest
}

/// One check: its request, and the key under which the answer is stored.
struct Check {
    key: String,
    question: CheckUpdate,
    interval: i64,
    force: bool,
    place: Place,
    place_key: String,
}

impl Check {
    fn new(core: &Core, settings: &Settings, options: &CheckOptions) -> Result<Check> {
        core.ensure_open()?;
        settings.project()?;
        let comparable = options.current_comparable_version.clone();
        let version = match (&options.current_version, &comparable) {
            (None, None) => settings.app_version.clone(),
            (given, _) => given.clone(),
        };
        if version.is_none() && comparable.is_none() {
            return Err(Error::invalid(
                "an update check needs the version of the application: set app_version",
            ));
        }
        let locale = match &options.locale {
            Patch::Keep => settings.locale.clone(),
            Patch::Clear => None,
            Patch::Set(locale) => Some(locale.clone()),
        };
        let (place, place_key) = core
            .events
            .updates_place(&settings.base_url, settings.project_key.as_deref());
        let key = format!(
            "{}|{}|{}|{}",
            version.as_deref().unwrap_or(""),
            comparable.as_deref().unwrap_or(""),
            options.include_preview.unwrap_or(false),
            locale.as_deref().unwrap_or(""),
        );
        let key = match &settings.channel {
            Some(channel) => format!("{key}|{channel}"),
            None => key,
        };
        Ok(Check {
            key,
            question: CheckUpdate {
                current_version: version,
                current_comparable_version: comparable,
                include_preview: Some(options.include_preview.unwrap_or(false)),
                locale: options.locale.clone(),
                ..CheckUpdate::default()
            },
            interval: options
                .interval
                .unwrap_or(INTERVAL)
                .as_secs()
                .min(i64::MAX as u64 / 2) as i64,
            force: options.force,
            place,
            place_key,
        })
    }

    /// The remembered answer, unless the server is to be asked.
    fn recall(&self, core: &Core) -> Option<(UpdateCheck, i64)> {
        if self.force {
            return None;
        }
        let keys = [self.place_key.clone()];
        let kept = self.place.read(&keys).remove(&self.place_key);
        let in_memory = || match lock(&core.updates.text).as_ref() {
            Some((key, text)) if *key == self.place_key => Some(text.clone()),
            _ => None,
        };
        let text = kept.or_else(in_memory)?;
        let memory: Remembered = serde_json::from_str(&text).ok()?;
        let times = Some((memory.checked_at, memory.next_at));
        let fresh =
            memory.key == self.key && !is_due(times, self.interval, core.clock.unix_seconds());
        fresh.then_some((memory.answer, memory.checked_at))
    }

    /// Returns the request to send when the server knows neither the running
    /// version nor a comparable version for it: the one derived from its text.
    fn derived(&self, refused: &Error) -> Option<CheckUpdate> {
        if refused.status() != Some(400) || self.question.current_comparable_version.is_some() {
            return None;
        }
        let comparable = version::derive(self.question.current_version.as_deref()?)?;
        Some(CheckUpdate {
            current_comparable_version: Some(comparable.to_owned()),
            ..self.question.clone()
        })
    }

    /// Remembers an answer, and says when it came.
    fn remember(&self, core: &Core, answer: &UpdateCheck) -> i64 {
        let checked_at = core.clock.unix_seconds();
        let spread = ((self.interval / SPREAD) as f64 * core.clock.random()) as i64;
        let mut memory = Remembered {
            checked_at,
            next_at: checked_at
                .saturating_add(self.interval)
                .saturating_add(spread),
            key: self.key.clone(),
            answer: answer.clone(),
        };
        let mut text = serde_json::to_string(&memory).unwrap_or_default();
        if text.len() > LARGEST_MEMORY {
            let answer = &mut memory.answer;
            answer.latest_version.content = None;
            let others = [
                &mut answer.latest_preview_version,
                &mut answer.target_version,
            ];
            for version in others.into_iter().flatten() {
                version.content = None;
            }
            text = serde_json::to_string(&memory).unwrap_or_default();
        }
        let (_, written) = self
            .place
            .update(std::slice::from_ref(&self.place_key), |texts| {
                texts.insert(self.place_key.clone(), text.clone());
            });
        if written.is_err() {
            core.note("the update check cannot be remembered on the device");
        }
        *lock(&core.updates.text) = Some((self.place_key.clone(), text));
        checked_at
    }
}

/// Checks for updates.
#[derive(Clone)]
pub struct Updates(pub(crate) Arc<Handle>);

impl Updates {
    /// Checks for an update. It sends at most one request per interval and
    /// otherwise returns the last answer, even after a restart.
    ///
    /// A version that was never published is compared by its numbers, as
    /// `1.4.0` or `v1.4.0`; one without any is an `Api` error with status 400
    /// unless `current_comparable_version` is given.
    pub fn check(&self, options: &CheckOptions) -> Result<Update> {
        let core = &self.0.core;
        let settings = core.settings();
        let check = Check::new(core, &settings, options)?;
        let _checking = lock(&core.updates.checking);
        if let Some((answer, at)) = check.recall(core) {
            return Ok(Update::new(core, &settings, answer, at, true));
        }
        let public = Public(self.0.clone(), Default::default());
        let answer = public.check_update(&check.question).or_else(|refused| {
            match check.derived(&refused) {
                Some(question) => public.check_update(&question),
                None => Err(refused),
            }
        })?;
        let at = check.remember(core, &answer);
        Ok(Update::new(core, &settings, answer, at, false))
    }
}

/// Checks for updates without blocking.
#[cfg(feature = "async")]
#[derive(Clone)]
pub struct AsyncUpdates(pub(crate) Arc<Handle>);

#[cfg(feature = "async")]
impl AsyncUpdates {
    /// Checks for an update. It sends at most one request per interval and
    /// otherwise returns the last answer, even after a restart.
    ///
    /// A version that was never published is compared by its numbers, as
    /// `1.4.0` or `v1.4.0`; one without any is an `Api` error with status 400
    /// unless `current_comparable_version` is given.
    pub async fn check(&self, options: &CheckOptions) -> Result<Update> {
        let core = &self.0.core;
        let settings = core.settings();
        let check = Check::new(core, &settings, options)?;
        let _checking = core.updates.checking_async.lock().await;
        if let Some((answer, at)) = check.recall(core) {
            return Ok(Update::new(core, &settings, answer, at, true));
        }
        let public = crate::AsyncPublic(self.0.clone(), Default::default());
        let answer = match public.check_update(&check.question).await {
            Err(refused) => match check.derived(&refused) {
                Some(question) => public.check_update(&question).await?,
                None => return Err(refused),
            },
            answer => answer?,
        };
        let at = check.remember(core, &answer);
        Ok(Update::new(core, &settings, answer, at, false))
    }
}

/// Value of a header of a download.
fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    request::header(headers, name).map(str::trim)
}
