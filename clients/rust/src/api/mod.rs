//! The methods of the interface, as tables: one row is one method of the
//! blocking and of the async client.

use serde_json::Value;

use crate::error::Result;
use crate::models::Page;
use crate::patch::Patch;
use crate::request::{Body, Call};
use crate::settings::Settings;

mod admin;
mod methods;
mod public;
mod queries;
mod upload;

pub use admin::Chunk;
pub use methods::{Admin, Public};
#[cfg(feature = "async")]
pub use methods::{AsyncAdmin, AsyncPublic};
pub use public::CheckUpdate;
pub use queries::*;
pub use upload::Upload;

/// Arguments of a method besides the parts of its path.
pub(crate) trait Arguments {
    /// Checks the arguments and puts them into the call.
    fn fill(&self, settings: &Settings, call: &mut Call) -> Result<()>;

    /// Merges fields into the body, for the player.
    #[cfg(test)]
    fn extend(&mut self, _extra: serde_json::Map<String, Value>) {}
}

/// An argument that the client has a default for: nothing when cleared.
fn or_default(given: &Patch<String>, default: &Option<String>) -> Option<String> {
    match given {
        Patch::Keep => default.clone(),
        Patch::Clear => None,
        Patch::Set(value) => Some(value.clone()),
    }
}

/// The JSON of an input.
fn json(input: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(input)
        .map_err(|e| crate::Error::invalid(format!("the input is no JSON: {e}")))
}

impl Arguments for Value {
    fn fill(&self, _settings: &Settings, call: &mut Call) -> Result<()> {
        call.body = Body::Json(self.clone());
        Ok(())
    }

    #[cfg(test)]
    fn extend(&mut self, extra: serde_json::Map<String, Value>) {
        if let Some(fields) = self.as_object_mut() {
            fields.extend(extra);
        }
    }
}

/// Inputs that are sent unchanged.
macro_rules! bodies {
    ($($type:ident),* $(,)?) => { $(
        impl super::Arguments for crate::models::$type {
            fn fill(
                &self,
                _settings: &crate::settings::Settings,
                call: &mut crate::request::Call,
            ) -> crate::Result<()> {
                call.body = crate::request::Body::Json(super::json(self)?);
                Ok(())
            }

            #[cfg(test)]
            fn extend(&mut self, extra: serde_json::Map<String, serde_json::Value>) {
                self.extra.extend(extra);
            }
        }
    )* };
}
pub(crate) use bodies;

/// Declares the two clients of a namespace from one table. A row is
/// `VERB "path" name [parts of the path] (type of the arguments) -> answer`,
/// and `pages iter_name` when the answer is a page.
macro_rules! endpoints {
    (
        $(#[$blocking_doc:meta])*
        $blocking:ident,
        $(#[$async_doc:meta])*
        $asynchronous:ident,
        credential $credential:literal;
        $(
            $(#[$doc:meta])*
            $verb:ident $path:literal $name:ident [$($part:ident),*] ($($args:ty)?) -> $answer:ty
            $(, pages $iter:ident($page_args:ty) of $item:ty)?;
        )*
    ) => {
        $(#[$blocking_doc])*
        #[derive(Clone)]
        pub struct $blocking(
            pub(crate) std::sync::Arc<crate::core::Handle>,
            pub(crate) crate::etag::Condition,
        );

        impl $blocking {
            /// The same methods; `etag` gets the state of the record that they answer.
            pub fn noting(&self, etag: &crate::ETag) -> Self {
                let mut noting = self.clone();
                noting.1.note = Some(etag.clone());
                noting
            }

            /// The same methods, which change a record only while it has this state.
            /// Otherwise the error has status 412.
            pub fn if_match(&self, etag: &crate::ETag) -> Self {
                let mut matching = self.clone();
                matching.1.if_match = etag.get();
                matching
            }

            $(
                $(#[$doc])*
                #[doc = concat!("\n\n`", stringify!($verb), " ", $path, "`")]
                pub fn $name(&self $(, $part: &str)* $(, options: &$args)?) -> crate::Result<$answer> {
                    let core = &self.0.core;
                    let settings = core.settings();
                    let mut call = crate::request::Call::new(
                        &settings, stringify!($verb), $path,
                        &[$((stringify!($part), $part)),*], $credential,
                    )?;
                    $( <$args as super::Arguments>::fill(options, &settings, &mut call)?; )?
                    self.1.apply(&mut call);
                    core.call(&settings, call)
                }

                $(
                    #[doc = concat!("Walks all pages of [`Self::", stringify!($name), "`].")]
                    pub fn $iter(&self, options: &$page_args) -> crate::Pages<$item> {
                        let client = self.clone();
                        let mut options = options.clone();
                        crate::Pages::new(move |offset| {
                            options.limit = Some(crate::pages::SIZE);
                            options.offset = Some(offset);
                            client.$name(&options)
                        })
                    }
                )?
            )*

            /// Calls a method by its name, for tests and the player.
            #[cfg(test)]
            #[allow(unused_mut, unused_variables)]
            pub(crate) fn dispatch(
                &self,
                name: &str,
                mut args: serde_json::Map<String, serde_json::Value>,
            ) -> Option<crate::Result<serde_json::Value>> {
                match name {
                    $(
                        stringify!($name) => {
                            $( let $part = crate::tests::take(&mut args, stringify!($part)); )*
                            $( let options: $args = crate::tests::arguments(name, args); )?
                            let result = self.$name($(&$part,)* $(&options as &$args)?);
                            Some(result.map(|v| serde_json::to_value(v).expect("an answer is JSON")))
                        }
                    )*
                    _ => None,
                }
            }
        }

        #[cfg(feature = "async")]
        $(#[$async_doc])*
        #[derive(Clone)]
        pub struct $asynchronous(
            pub(crate) std::sync::Arc<crate::core::Handle>,
            pub(crate) crate::etag::Condition,
        );

        #[cfg(feature = "async")]
        impl $asynchronous {
            /// The same methods; `etag` gets the state of the record that they answer.
            pub fn noting(&self, etag: &crate::ETag) -> Self {
                let mut noting = self.clone();
                noting.1.note = Some(etag.clone());
                noting
            }

            /// The same methods, which change a record only while it has this state.
            /// Otherwise the error has status 412.
            pub fn if_match(&self, etag: &crate::ETag) -> Self {
                let mut matching = self.clone();
                matching.1.if_match = etag.get();
                matching
            }

            $(
                $(#[$doc])*
                #[doc = concat!("\n\n`", stringify!($verb), " ", $path, "`")]
                pub async fn $name(&self $(, $part: &str)* $(, options: &$args)?) -> crate::Result<$answer> {
                    let core = &self.0.core;
                    let settings = core.settings();
                    let mut call = crate::request::Call::new(
                        &settings, stringify!($verb), $path,
                        &[$((stringify!($part), $part)),*], $credential,
                    )?;
                    $( <$args as super::Arguments>::fill(options, &settings, &mut call)?; )?
                    self.1.apply(&mut call);
                    core.call_async(&settings, call).await
                }

                $(
                    #[doc = concat!("Walks all pages of [`Self::", stringify!($name), "`].")]
                    pub fn $iter(&self, options: &$page_args) -> crate::AsyncPages<$item> {
                        let (client, options) = (self.clone(), options.clone());
                        crate::AsyncPages::new(move |offset| {
                            let (client, mut options) = (client.clone(), options.clone());
                            Box::pin(async move {
                                options.limit = Some(crate::pages::SIZE);
                                options.offset = Some(offset);
                                client.$name(&options).await
                            })
                        })
                    }
                )?
            )*

            /// Calls a method by its name, for tests.
            #[cfg(test)]
            #[allow(unused_mut, unused_variables)]
            pub(crate) async fn dispatch(
                &self,
                name: &str,
                mut args: serde_json::Map<String, serde_json::Value>,
            ) -> Option<crate::Result<serde_json::Value>> {
                match name {
                    $(
                        stringify!($name) => Some(Box::pin(async {
                            $( let $part = crate::tests::take(&mut args, stringify!($part)); )*
                            $( let options: $args = crate::tests::arguments(name, args); )?
                            let result = self.$name($(&$part,)* $(&options as &$args)?).await;
                            result.map(|v| serde_json::to_value(v).expect("an answer is JSON"))
                        }).await),
                    )*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use endpoints;

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
            $( $(#[$field_doc])* pub $field: crate::api::query!(@type $kind $type), )*
        }

        impl $name {
            /// Leaves everything to the server.
            pub fn new() -> Self {
                Self::default()
            }

            $( crate::api::query!(@setter $kind $field $type, $(#[$field_doc])*); )*
        }

        impl super::Arguments for $name {
            fn fill(&self, _settings: &crate::settings::Settings, call: &mut crate::request::Call) -> crate::Result<()> {
                $( crate::api::query!(@push $kind self _settings call $field); )*
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
        crate::api::query!(@setter optional $field $type, $(#[$doc])*);
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
pub(crate) use query;

pub(crate) type PageResult<T> = Result<Page<T>>;
