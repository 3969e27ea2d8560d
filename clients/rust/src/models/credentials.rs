//! The administrator and API keys.

use serde::{Deserialize, Serialize};

/// Login.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Login {
    /// Send it as `Authorization: Bearer …`.
    pub access_token: String,
    /// Seconds until the token ends.
    pub expires_in: i64,
    /// User.
    pub user: AuthUser,
}

/// Auth user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AuthUser {
    /// Id of the account.
    pub id: String,
    /// Name to sign in with.
    pub username: String,
    /// There is one role.
    pub role: String,
    /// Always false.
    pub must_change_password: bool,
}

/// Scope list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ScopeList {
    /// All scopes.
    pub data: Vec<String>,
    /// The scopes of a key for which none are named.
    pub default: Vec<String>,
}

/// API key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ApiKey {
    /// Id of the key.
    pub id: String,
    /// What the key is for.
    pub name: String,
    /// What the key may do.
    pub scopes: Vec<String>,
    /// Whether the key is for every project.
    pub all_projects: bool,
    /// Current keys of the projects it is limited to; empty when it is for all.
    pub project_ids: Vec<String>,
    /// False once revoked. A key that has ended by itself is still active.
    pub is_active: bool,
    /// When it was made.
    pub created_at: i64,
    /// When it ends; null if never.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
    /// When its present text was last used; exact to a minute.
    pub last_used_at: Option<i64>,
    /// When the former text stops working.
    pub previous_key_expires_at: Option<i64>,
}

/// API key created.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ApiKeyCreated {
    /// Id of the key.
    pub id: String,
    /// What the key is for.
    pub name: String,
    /// The text of the key. Keep it; it is not shown again.
    pub token: String,
    /// What the key may do.
    pub scopes: Vec<String>,
    /// Whether the key is for every project.
    pub all_projects: bool,
    /// Keys of the projects it is limited to; empty when it is for all.
    pub project_ids: Vec<String>,
    /// When it ends; null if never.
    pub expires_at: Option<i64>,
    /// When it was made.
    pub created_at: i64,
}

/// API key updated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ApiKeyUpdated {
    /// Id of the key.
    pub id: String,
    /// What the key is for.
    pub name: String,
    /// What the key may do.
    pub scopes: Vec<String>,
    /// Whether the key is for every project.
    pub all_projects: bool,
    /// Keys of the projects it is limited to; empty when it is for all.
    pub project_ids: Vec<String>,
    /// When it ends; null if never.
    pub expires_at: Option<i64>,
    /// When it was made.
    pub created_at: i64,
}

/// API key rotated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ApiKeyRotated {
    /// Id of the key.
    pub id: String,
    /// The new text. Keep it; it is not shown again.
    pub token: String,
    /// The grace period asked for.
    pub grace_period_minutes: i64,
    /// When the former text stops working; null if it already has.
    pub previous_key_expires_at: Option<i64>,
}

input! {
    /// What can be written: profile.
    pub struct ProfileInput {
        /// The password as it is, to prove who asks.
        optional current_password: String,
        /// New user name; trimmed.
        optional username: String,
        /// New password; taken exactly as sent.
        optional new_password: String,
    }
}

input! {
    /// What can be written: password.
    pub struct PasswordInput {
        /// The password as it is.
        optional current_password: String,
        /// New password; taken exactly as sent.
        optional new_password: String,
    }
}

input! {
    /// What can be written: account.
    pub struct AccountInput {
        /// The password as it is.
        optional current_password: String,
        /// New user name; trimmed.
        optional username: String,
    }
}

input! {
    /// What can be written: api key.
    pub struct ApiKeyFields {
        /// What the key is for. Trimmed; blank leaves an existing name as it is.
        optional name: String,
        /// What the key may do. A new key without any gets `versions:write`; an existing one
        /// must keep at least one.
        optional scopes: Vec<String>,
        /// Days from now until the key ends. Left out in an update: the end stays.
        optional expires_in_days: i64,
        /// True: the key does not end, whatever `expires_in_days` says. False in an update,
        /// without days: it ends in 30 days.
        optional never_expires: bool,
        /// True: the key is for every project and `project_ids` is ignored. Left out: true,
        /// or false when `project_ids` names some.
        optional all_projects: bool,
        /// Keys or former keys of the projects that the key is for. Needed when
        /// `all_projects` is false. Renaming a project does not take it away.
        optional project_ids: Vec<String>,
    }
}

input! {
    /// What can be written: api key rotate.
    pub struct ApiKeyRotateInput {
        /// How long the former text keeps working.
        optional grace_period_minutes: i64,
    }
}
