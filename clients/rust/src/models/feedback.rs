//! Feedback.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{FeedbackStatus, Platform};

/// Feedback.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Feedback {
    /// Id of the feedback.
    pub id: String,
    /// Who the app says it is.
    pub user_id: Option<String>,
    /// 1, the worst, to 5.
    pub rating: Option<i64>,
    /// What they have to say.
    pub content: String,
    /// Where to answer.
    pub contact: Option<String>,
    /// Left out of lists that do not ask for hidden ones.
    pub is_hidden: bool,
    /// How far it has been dealt with. Any state may follow any other.
    pub status: FeedbackStatus,
    /// What came of it.
    pub result: Option<String>,
    /// What it was sent from; null when not known.
    pub platform: Option<Platform>,
    /// Version of the system.
    pub platform_version: Option<String>,
    /// Whatever was kept with it.
    pub custom_data: Option<Map<String, Value>>,
    /// An issue at the code host was made of it.
    pub forwarded_to_codehost: bool,
    /// Number of that issue.
    pub codehost_issue_number: Option<i64>,
    /// Address of that issue.
    pub codehost_issue_url: Option<String>,
    /// Address of the client that sent it. Null, like the next five, for what an
    /// administrator added.
    pub ip: Option<String>,
    /// What its program calls itself, at most 512 characters.
    pub user_agent: Option<String>,
    /// Country of the address, ISO 3166-1; `LOCAL` for one of a private network.
    pub country_code: Option<String>,
    /// Name of the country.
    pub country_name: Option<String>,
    /// Name of the state or province.
    pub region_name: Option<String>,
    /// Name of the city.
    pub city: Option<String>,
    /// When it was stored.
    pub created_at: i64,
}

/// Feedback options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FeedbackOptions {
    /// Key of the project.
    pub project_key: String,
    /// Whether feedback can become an issue at the code host.
    pub codehost_forward_available: bool,
    /// Whether that needs a contact. The same as the field before.
    pub contact_required_for_forward: bool,
}

/// Feedback statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FeedbackStatistics {
    /// How much feedback there is in all projects.
    pub count: i64,
    /// How many of them have a rating.
    pub rate_count: i64,
    /// Mean of the ratings, not rounded; null without any.
    pub rate_avg: Option<f64>,
}

/// Feedback ratings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FeedbackRatings {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// All feedback in it, with and without a rating.
    pub total: i64,
    /// How many of them have no rating.
    pub unrated: i64,
    /// Mean of the ratings, not rounded; null without any.
    pub average_rating: Option<f64>,
    /// One entry for each rating, ascending.
    pub by_rating: Vec<RatingCount>,
}

/// Rating count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RatingCount {
    /// The rating.
    pub rating: i64,
    /// How many have it.
    pub count: i64,
}

input! {
    /// What can be written: feedback.
    pub struct FeedbackFields {
        /// Who the app says it is.
        patch user_id: String,
        /// 1, the worst, to 5.
        patch rating: i64,
        /// What they have to say; may be empty.
        optional content: String,
        /// Where to answer; any text.
        patch contact: String,
        /// What it was sent from.
        patch platform: Platform,
        /// Version of the system.
        patch platform_version: String,
        /// Whatever the app wants to keep with it.
        patch custom_data: Map<String, Value>,
        /// Make an issue of it at the code host. Refused with 400 where that is not possible,
        /// see the options.
        optional forward_to_codehost: bool,
    }
}

input! {
    /// Fields of feedback that an administrator may write.
    pub struct AdminFeedbackFields {
        /// Who it is from.
        patch user_id: String,
        /// 1, the worst, to 5.
        patch rating: i64,
        /// What they have to say; may be empty.
        optional content: String,
        /// Where to answer; any text.
        patch contact: String,
        /// Left out of lists that do not ask for hidden ones. It still counts.
        optional is_hidden: bool,
        /// How far it has been dealt with. Any state may follow any other.
        optional status: FeedbackStatus,
        /// What came of it.
        patch result: String,
        /// What it was sent from.
        patch platform: Platform,
        /// Version of the system.
        patch platform_version: String,
        /// Whatever you want to keep with it.
        patch custom_data: Map<String, Value>,
    }
}
