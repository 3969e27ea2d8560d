//! Values that can be left out, cleared or set.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field of a change: absent is not null.
///
/// | Variant | On the wire | At the server |
/// |---|---|---|
/// | `Keep` | left out | stays as it is |
/// | `Clear` | `null` | is cleared |
/// | `Set(v)` | `v` | becomes `v` |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Leave the field out.
    #[default]
    Keep,
    /// Send null.
    Clear,
    /// Send the value.
    Set(T),
}

impl<T> Patch<T> {
    /// Whether the field is left out.
    pub fn is_keep(&self) -> bool {
        matches!(self, Patch::Keep)
    }

    /// The value to be set.
    pub fn value(&self) -> Option<&T> {
        match self {
            Patch::Set(v) => Some(v),
            _ => None,
        }
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Patch::Set(value)
    }
}

impl From<&str> for Patch<String> {
    fn from(value: &str) -> Self {
        Patch::Set(value.to_owned())
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Patch::Set(v) => s.serialize_some(v),
            _ => s.serialize_none(),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(match Option::<T>::deserialize(d)? {
            Some(v) => Patch::Set(v),
            None => Patch::Clear,
        })
    }
}

/// Reports whether a field of an input is left out.
pub(crate) trait Absent {
    fn is_absent(&self) -> bool;
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Absent for Patch<T> {
    fn is_absent(&self) -> bool {
        self.is_keep()
    }
}
