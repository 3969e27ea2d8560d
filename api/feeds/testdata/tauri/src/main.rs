//! Updates an app with cargo-packager-updater: update VERSION PUBLIC_KEY FILE ENDPOINT... Prints what
//! was offered, and writes what was downloaded and verified to FILE. It then verifies the file again as
//! the updater of Tauri does.
//!
//! verify KEY FILE SIGNATURE... prints for each signature whether it verifies FILE with KEY, all as they
//! are in files of minisign.

use base64::{engine::general_purpose::STANDARD, Engine};
use cargo_packager_updater::{Config, Update, UpdaterBuilder};
use minisign_verify::{PublicKey, Signature};
use semver::Version;
use serde_json::{json, Value};
use std::error::Error;

/// Decodes base64 of a text.
fn text(base64: &str) -> Result<String, Box<dyn Error>> {
    Ok(String::from_utf8(STANDARD.decode(base64)?)?)
}

/// Reports whether the updater of Tauri accepts a file.
fn accepted(
    update: &Update,
    current: &Version,
    key: &str,
    content: &[u8],
) -> Result<bool, Box<dyn Error>> {
    let signature = Signature::decode(&text(&update.signature)?)?;
    PublicKey::decode(&text(key)?)?.verify(content, &signature, true)?;
    Ok(Version::parse(&update.version)? > *current)
}

/// Reports which signatures verify a file.
fn verify(args: &[String]) -> Result<Value, Box<dyn Error>> {
    let [key, file, signatures @ ..] = args else {
        return Err("usage: verify KEY FILE SIGNATURE...".into());
    };
    let key = PublicKey::decode(key)?;
    let content = std::fs::read(file)?;
    let verifies = |text: &String| {
        Signature::decode(text)
            .is_ok_and(|signature| key.verify(&content, &signature, true).is_ok())
    };
    Ok(signatures.iter().map(verifies).collect())
}

fn update(args: &[String]) -> Result<Value, Box<dyn Error>> {
    let [current, key, file, endpoints @ ..] = args else {
        return Err("usage: update VERSION PUBLIC_KEY FILE ENDPOINT...".into());
    };
    let current = Version::parse(current)?;
    let config = Config {
        endpoints: endpoints
            .iter()
            .map(|e| e.parse())
            .collect::<Result<_, _>>()?,
        pubkey: key.clone(),
        ..Config::default()
    };
    let Some(update) = UpdaterBuilder::new(current.clone(), config)
        .build()?
        .check()?
    else {
        return Ok(json!({}));
    };
    let mut result = json!({
        "version": update.version, "notes": update.body, "date": update.date.map(|d| d.unix_timestamp()),
        "format": update.format.to_string(),
    });
    match update.download() {
        Ok(content) => {
            std::fs::write(file, &content)?;
            result["accepted"] = accepted(&update, &current, key, &content)?.into();
        }
        Err(refused) => result["refused"] = refused.to_string().into(),
    }
    Ok(result)
}

fn run() -> Result<Value, Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [first, rest @ ..] if first == "verify" => verify(rest),
        _ => update(&args),
    }
}

fn main() {
    println!(
        "{}",
        run().unwrap_or_else(|failure| json!({"failure": failure.to_string()}))
    );
}
