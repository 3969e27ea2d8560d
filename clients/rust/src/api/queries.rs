//! Options of reads: they become the query of the request.

use crate::error::Result;
use crate::models::{FeedbackStatus, FileStatus, LogLevel, Platform};
use crate::request::Call;
use crate::settings::Settings;

use super::Arguments;

/// Declares options (`optional`; `locale` and `version`: the client's own when
/// left out, nothing when cleared) and a setter for each.
macro_rules! query {
    (
        $(#[$doc:meta])*
        $name:ident { $( $(#[$field_doc:meta])* $kind:ident $field:ident : $type:ty, )* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        #[cfg_attr(test, derive(serde::Deserialize))]
        #[cfg_attr(test, serde(default))]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$field_doc])* pub $field: query!(@type $kind $type), )*
        }

        impl $name {
            /// Leaves everything to the server.
            pub fn new() -> Self {
                Self::default()
            }

            $( query!(@setter $kind $field $type, $(#[$field_doc])*); )*
        }

        impl Arguments for $name {
            fn fill(&self, _settings: &Settings, call: &mut Call) -> Result<()> {
                $( query!(@push $kind self _settings call $field); )*
                Ok(())
            }
        }
    };
    (@type optional $type:ty) => { Option<$type> };
    (@type only_true $type:ty) => { Option<$type> };
    (@type $other:ident $type:ty) => { crate::Patch<$type> };
    (@setter optional $field:ident $type:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        pub fn $field(mut self, value: impl Into<$type>) -> Self {
            self.$field = Some(value.into());
            self
        }
    };
    (@setter only_true $field:ident $type:ty, $(#[$doc:meta])*) => {
        query!(@setter optional $field $type, $(#[$doc])*);
    };
    (@setter $other:ident $field:ident $type:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        pub fn $field(mut self, value: impl Into<crate::Patch<$type>>) -> Self {
            self.$field = value.into();
            self
        }
    };
    (@push optional $self:ident $settings:ident $call:ident $field:ident) => {
        if let Some(value) = &$self.$field {
            $call.query.push((stringify!($field), value.to_string()));
        }
    };
    (@push only_true $self:ident $settings:ident $call:ident $field:ident) => {
        if $self.$field == Some(true) {
            $call.query.push((stringify!($field), "true".to_owned()));
        }
    };
    (@push locale $self:ident $settings:ident $call:ident $field:ident) => {
        if let Some(value) = super::or_default(&$self.$field, &$settings.locale) {
            $call.query.push((stringify!($field), value));
        }
    };
    (@push version $self:ident $settings:ident $call:ident $field:ident) => {
        if let Some(value) = super::or_default(&$self.$field, &$settings.app_version) {
            $call.query.push((stringify!($field), value));
        }
    };
}

query! {
    /// Options of a public read.
    ReadOptions {
        /// Preferred language; the client's own when left out.
        locale locale: String,
    }
}

query! {
    /// Which versions to list.
    ListPublicVersions {
        /// At most so many, 1 to 100.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Preferred language; the client's own when left out.
        locale locale: String,
        /// Only those that contain this text.
        optional search: String,
        /// Only those for this platform.
        optional platform: Platform,
        /// Only previews, or none.
        optional is_preview: bool,
        /// Only deprecated ones, or none.
        optional is_deprecated: bool,
        /// Only milestones, or none.
        optional is_milestone: bool,
        /// Only forced ones, or none.
        optional forced: bool,
    }
}

query! {
    /// Which announcements to list.
    ListPublicAnnouncements {
        /// At most so many, 1 to 100.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Only those for this platform.
        optional platform: Platform,
        /// Version of the application; the client's own when left out.
        version version: String,
        /// Preferred language; the client's own when left out.
        locale locale: String,
        /// Only those that contain this text.
        optional search: String,
    }
}

query! {
    /// Which announcement counts as the latest.
    LatestAnnouncement {
        /// Only those for this platform.
        optional platform: Platform,
        /// Version of the application; the client's own when left out.
        version version: String,
        /// Preferred language; the client's own when left out.
        locale locale: String,
    }
}

query! {
    /// Which projects to list.
    ListProjects {
        /// At most so many, 1 to 100.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Only those that contain this text.
        optional search: String,
    }
}

query! {
    /// Which repository to look at.
    PreviewRepo {
        /// Address of the repository.
        optional repo_url: String,
    }
}

query! {
    /// Which versions to list.
    ListVersions {
        /// At most so many, 1 to 100.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Only those that contain this text.
        optional search: String,
        /// Only those for this platform.
        optional platform: Platform,
        /// Only previews, or none.
        optional is_preview: bool,
        /// Only deprecated ones, or none.
        optional is_deprecated: bool,
        /// Only milestones, or none.
        optional is_milestone: bool,
        /// Only forced ones, or none.
        optional forced: bool,
    }
}

query! {
    /// Which release to look at.
    PreviewRelease {
        /// Its tag; the newest release when left out.
        optional tag: String,
    }
}

query! {
    /// Which announcements to list.
    ListAnnouncements {
        /// At most so many, 1 to 100.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Only those that contain this text.
        optional search: String,
        /// Only those for this platform.
        optional platform: Platform,
        /// Only pinned ones, or none.
        optional is_pinned: bool,
        /// Only hidden ones, or none.
        optional is_hidden: bool,
    }
}

query! {
    /// Which feedback to list.
    ListFeedbacks {
        /// At most so much, 1 to 100.
        optional limit: u32,
        /// Skip so much.
        optional offset: u64,
        /// Only what contains this text.
        optional search: String,
        /// Only what came from this platform.
        optional platform: Platform,
        /// Only what has this rating.
        optional rating: u32,
        /// Only what is in this state.
        optional status: FeedbackStatus,
        /// Whether hidden feedback is listed, too.
        optional include_hidden: bool,
    }
}

query! {
    /// Which logs to list.
    ListLogs {
        /// At most so many, 1 to 100.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Only those of this level.
        optional level: LogLevel,
        /// Only those from this platform.
        optional platform: Platform,
        /// Not before.
        optional start_time: i64,
        /// Not after.
        optional end_time: i64,
        /// Only those that contain this text.
        optional search: String,
        /// Whether hidden logs are listed, too.
        optional include_hidden: bool,
    }
}

query! {
    /// Which event definitions to list.
    ListEventDefinitions {
        /// Start of the range of `range_count`.
        optional start_time: i64,
        /// End of the range of `range_count`.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
        /// At most so many, 1 to 200.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Only those that contain this text.
        optional search: String,
        /// Whether archived ones are listed, too.
        optional include_archived: bool,
    }
}

query! {
    /// A range of time.
    TimeRange {
        /// First second.
        optional start_time: i64,
        /// Last second.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
    }
}

query! {
    /// Which series of events.
    EventTimeseries {
        /// First second.
        optional start_time: i64,
        /// Last second.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
        /// `hour` or `day`.
        optional granularity: String,
        /// Only events of this name.
        optional event_name: String,
        /// `event`, `platform` or `region`.
        optional group_by: String,
        /// At most so many series.
        optional limit: u32,
    }
}

query! {
    /// Which breakdown of events.
    EventBreakdownQuery {
        /// First second.
        optional start_time: i64,
        /// Last second.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
        /// `event`, `platform`, `region` or `property`.
        optional dimension: String,
        /// The property.
        optional property_key: String,
        /// Only events of this name.
        optional event_name: String,
        /// At most so many values.
        optional limit: u32,
    }
}

query! {
    /// Which heatmap of events.
    EventHeatmap {
        /// First second.
        optional start_time: i64,
        /// Last second.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
        /// Only events of this name.
        optional event_name: String,
    }
}

query! {
    /// How to read the templates in a repository.
    RepoTemplate {
        /// Read them again now.
        only_true refresh: bool,
    }
}

query! {
    /// How to look for updates of the server.
    AboutServer {
        /// Ask again now.
        only_true refresh: bool,
    }
}

query! {
    /// Which series of requests.
    RequestTimeseries {
        /// First second.
        optional start_time: i64,
        /// Last second.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
        /// `hour` or `day`.
        optional granularity: String,
        /// Only requests of this endpoint.
        optional endpoint: String,
        /// `endpoint` or `platform`.
        optional group_by: String,
    }
}

query! {
    /// Which series of versions.
    VersionAdoptionQuery {
        /// First second.
        optional start_time: i64,
        /// Last second.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
        /// `hour` or `day`.
        optional granularity: String,
        /// At most so many versions.
        optional limit: u32,
    }
}

query! {
    /// A range of time and a limit.
    LimitedRange {
        /// First second.
        optional start_time: i64,
        /// Last second.
        optional end_time: i64,
        /// Minutes east of UTC.
        optional tz_offset_minutes: i32,
        /// At most so many entries.
        optional limit: u32,
    }
}

query! {
    /// Which files to list.
    ListFiles {
        /// At most so many, 1 to 100.
        optional limit: u32,
        /// Skip so many.
        optional offset: u64,
        /// Only those that contain this text.
        optional search: String,
        /// Only those in this state.
        optional status: FileStatus,
    }
}

query! {
    /// What to search for, in all projects.
    Search {
        /// The text.
        optional q: String,
        /// Only in this project.
        optional project: String,
        /// `project`, `version`, `announcement`, `feedback` or `log`.
        optional kind: String,
        /// At most so many.
        optional limit: u32,
        /// Whether hidden records are found, too.
        optional include_hidden: bool,
    }
}
