//! Tests of the rules that all libraries share, and the player of stories.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::api::Arguments;
use crate::{Result, SvcClient};

mod api;
mod events;
mod feedback;
mod helpers;
mod live;
mod player;
mod requests;
mod server;
mod vectors;

/// Takes a part of the path out of the arguments.
pub(crate) fn take(args: &mut Map<String, Value>, name: &str) -> String {
    match args.remove(name) {
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// The arguments of a method as its options. A body that is sent as it is
/// comes as the argument `query`; `extra` is merged into a body last.
pub(crate) fn arguments<T: DeserializeOwned + Arguments>(
    method: &str,
    mut args: Map<String, Value>,
) -> T {
    let extra = args.remove("extra");
    let value = match method {
        "run_event_query" => args.remove("query").unwrap_or_default(),
        _ => Value::Object(args),
    };
    let mut arguments: T =
        serde_json::from_value(value).unwrap_or_else(|e| panic!("arguments of {method}: {e}"));
    if let Some(Value::Object(extra)) = extra {
        arguments.extend(extra);
    }
    arguments
}

/// Calls a method by its name.
pub(crate) fn call(
    client: &SvcClient,
    namespace: &str,
    method: &str,
    mut args: Map<String, Value>,
) -> Result<Value> {
    let json = |v: &dyn erased::Json| v.json();
    match (namespace, method) {
        ("client", "health") => client.health().map(|v| json(&v)),
        ("client", "login") => {
            let (user, password) = (take(&mut args, "username"), take(&mut args, "password"));
            let extra = match args.remove("extra") {
                Some(Value::Object(extra)) => extra,
                _ => Map::new(),
            };
            client.login_with(&user, &password, extra).map(|v| json(&v))
        }
        ("public", "export_my_data" | "delete_my_data") => {
            let id = args.get("distinct_id").and_then(Value::as_str);
            match method {
                "export_my_data" => client.public().export_my_data(id).map(|v| json(&v)),
                _ => client.public().delete_my_data(id).map(|v| json(&v)),
            }
        }
        ("public", _) => known(client.public().dispatch(method, args), method),
        _ => known(client.admin().dispatch(method, args), method),
    }
}

fn known(result: Option<Result<Value>>, method: &str) -> Result<Value> {
    result.unwrap_or_else(|| panic!("the library has no method {method}"))
}

mod erased {
    /// A value that becomes JSON.
    pub trait Json {
        fn json(&self) -> serde_json::Value;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> serde_json::Value {
            serde_json::to_value(self).expect("an answer is JSON")
        }
    }
}
