//! Types of requests and answers.
//!
//! Answers ignore fields that this library does not know, read missing ones as
//! empty, and keep unknown values of enumerations as text. Inputs leave out
//! what is not set; [`Patch`](crate::Patch) fields can also be cleared, and
//! `extra` sends fields that this library does not know yet.
//!
//! Times are Unix seconds, as on the wire.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares an input: its fields (`optional`: may be left out, `patch`: may
/// also be cleared, `as`: has another name on the wire) and a setter for each.
macro_rules! input {
    (
        $(#[$doc:meta])*
        pub struct $name:ident {
            $( $(#[$field_doc:meta])* $kind:ident $field:ident $(as $wire:literal)? : $type:ty, )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$field_doc])*
                $(#[serde(rename(serialize = $wire))])?
                #[serde(skip_serializing_if = "crate::patch::Absent::is_absent")]
                pub $field: crate::models::input!(@type $kind $type),
            )*
            /// Fields that this library does not know; they win over the others.
            #[serde(flatten)]
            pub extra: serde_json::Map<String, serde_json::Value>,
        }

        impl $name {
            /// Leaves everything out.
            pub fn new() -> Self {
                Self::default()
            }

            $( crate::models::input!(@setter $kind $field $type, $(#[$field_doc])*); )*

            /// Sends a field that this library does not know.
            pub fn extra(mut self, field: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
                self.extra.insert(field.into(), value.into());
                self
            }

            /// Names of the fields on the wire.
            #[cfg(test)]
            pub(crate) fn wire_names() -> Vec<&'static str> {
                vec![$( crate::models::input!(@wire $field $($wire)?) ),*]
            }
        }
    };
    (@type optional $type:ty) => { Option<$type> };
    (@type patch $type:ty) => { crate::Patch<$type> };
    (@wire $field:ident $wire:literal) => { $wire };
    (@wire $field:ident) => { stringify!($field) };
    (@setter optional $field:ident $type:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        pub fn $field(mut self, value: impl Into<$type>) -> Self {
            self.$field = Some(value.into());
            self
        }
    };
    (@setter patch $field:ident $type:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        pub fn $field(mut self, value: impl Into<crate::Patch<$type>>) -> Self {
            self.$field = value.into();
            self
        }
    };
}
pub(crate) use input;

/// Declares an enumeration that keeps values it does not know.
macro_rules! open_enum {
    (
        $(#[$doc:meta])*
        pub enum $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $text:literal, )* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_doc])* $variant, )*
            /// A value that this library does not know.
            Other(String),
        }

        impl $name {
            /// The value on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( $name::$variant => $text, )*
                    $name::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $( $text => $name::$variant, )*
                    other => $name::Other(other.to_owned()),
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name::from(text.as_str())
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $name::Other(String::new())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Ok(<String as serde::Deserialize>::deserialize(d)?.into())
            }
        }

        impl From<&str> for crate::Patch<$name> {
            fn from(text: &str) -> Self {
                crate::Patch::Set(text.into())
            }
        }
    };
}

open_enum! {
    /// Which terms.
    pub enum TermsSlug {
        /// The privacy policy.
        PrivacyPolicy = "privacy-policy",
        /// The statement for developers who use the libraries.
        SdkCompliance = "sdk-compliance",
    }
}

/// How serious a log is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogLevel(pub u8);

impl LogLevel {
    /// For developers.
    pub const DEBUG: LogLevel = LogLevel(0);
    /// Worth knowing.
    pub const INFO: LogLevel = LogLevel(1);
    /// Something is odd.
    pub const WARNING: LogLevel = LogLevel(2);
    /// Something failed.
    pub const ERROR: LogLevel = LogLevel(3);
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Page<T> {
    /// How many there are in all.
    pub total: i64,
    /// Whether `total` is only an upper bound.
    pub total_is_estimate: Option<bool>,
    /// Those of this page.
    pub data: Vec<T>,
}

/// A list that comes whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Listing<T> {
    /// All of them.
    pub data: Vec<T>,
}

/// The reply to feedback that the application has sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FeedbackReply {
    /// Id of the feedback.
    pub id: String,
    /// Its state.
    pub status: FeedbackStatus,
    /// The reply.
    pub reply: Option<String>,
    /// Time of its last change.
    pub replied_at: Option<i64>,
}

mod resources;

pub use resources::*;
