//! The methods: the endpoint table, inputs, models against `openapi.yaml`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::server::{Recorder, header};
use super::vectors::vectors;
use crate::models::*;
use crate::{Error, Patch, Result, SvcClient};

/// Arguments with which a method gets past its local checks.
fn minimal(method: &str) -> Map<String, Value> {
    let mut args = json!({
        "id": "1", "version": "1", "alias": "1", "locale": "1", "slug": "1", "distinct_id": "1",
        "upload_id": "1", "index": "1", "did": "1",
    });
    let object = args.as_object_mut().expect("an object");
    match method {
        "update_version_asset" => object.insert("name".into(), json!("1")),
        "check_update" => object.insert("current_version".into(), json!("1")),
        "run_event_query" => object.insert("query".into(), json!({})),
        "put_upload_chunk" => object.insert("data".into(), json!([1, 2, 3])),
        "put_asset_signature" => {
            object.insert("name".into(), json!("1"));
            object.insert("scheme".into(), json!("1"));
            object.insert("data".into(), json!([1, 2, 3]))
        }
        "delete_asset_signature" => {
            object.insert("name".into(), json!("1"));
            object.insert("scheme".into(), json!("1"))
        }
        _ => None,
    };
    object.clone()
}

fn rows() -> Vec<[&'static str; 4]> {
    let rows = vectors()["endpoints"].as_array().expect("rows");
    assert!(rows.len() > 100, "the endpoint table is short");
    rows.iter()
        .map(|row| std::array::from_fn(|i| row[i].as_str().expect("a text")))
        .collect()
}

/// The path that a row leads to with the arguments of `minimal`.
fn path(template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').expect("a closing brace");
        out += before;
        out += if name == "k" { "acme" } else { "1" };
        rest = after;
    }
    out + rest
}

fn client(transport: &Recorder, project: bool, token: bool) -> SvcClient {
    let mut builder = SvcClient::builder("http://svc.test/api/v1")
        .transport(transport.clone())
        .without_analytics();
    if project {
        builder = builder.project_key("acme");
    }
    if token {
        builder = builder.token("t");
    }
    builder.build().expect("a client")
}

/// The values are null: only the requests are of interest.
fn sent(result: Result<Value>) -> Option<Error> {
    match result {
        Ok(_) => None,
        Err(Error::Api(_)) => None,
        Err(e) => Some(e),
    }
}

fn check_request(transport: &Recorder, row: [&str; 4]) {
    let [namespace, method, verb, template] = row;
    let requests = transport.taken();
    assert_eq!(requests.len(), 1, "{method} sends one request");
    let request = &requests[0];
    let address = request
        .url
        .strip_prefix("http://svc.test/api/v1")
        .expect("the base address");
    let got = address.split('?').next().unwrap_or("");
    assert_eq!(
        (request.method, got),
        (verb, path(template).as_str()),
        "{method}"
    );
    let expected = (namespace == "admin").then(|| "Bearer t".to_owned());
    assert_eq!(header(request, "authorization"), expected, "{method}");
}

#[test]
fn every_endpoint_has_its_method() {
    let transport = Recorder::always(200, "null");
    let client = client(&transport, true, true);
    for row in rows() {
        client.set_token("t");
        let result = super::call(&client, row[0], row[1], minimal(row[1]));
        assert!(sent(result).is_none(), "{}", row[1]);
        check_request(&transport, row);
    }
}

#[test]
fn no_credential_means_no_admin_request() {
    let transport = Recorder::always(200, "null");
    let client = client(&transport, true, false);
    for [namespace, method, ..] in rows() {
        if namespace == "admin" {
            let error = sent(super::call(&client, namespace, method, minimal(method)));
            assert!(matches!(error, Some(Error::Auth(_))), "{method}: {error:?}");
        }
    }
    assert!(transport.taken().is_empty());
}

#[test]
fn no_project_means_no_project_request() {
    let transport = Recorder::always(200, "null");
    let client = client(&transport, false, true);
    for [namespace, method, _, template] in rows() {
        if template.contains("{k}") {
            let error = sent(super::call(&client, namespace, method, minimal(method)));
            assert!(
                matches!(error, Some(Error::Invalid(_))),
                "{method}: {error:?}"
            );
        }
    }
    assert!(transport.taken().is_empty());
}

#[cfg(feature = "async")]
#[test]
fn every_endpoint_has_its_async_method() {
    let transport = Recorder::always(200, "null");
    let client = SvcClient::builder("http://svc.test/api/v1")
        .project_key("acme")
        .token("t")
        .async_transport(transport.clone())
        .without_analytics()
        .build_async()
        .expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    for row in rows() {
        let [namespace, method, ..] = row;
        let args = minimal(method);
        client.set_token("t");
        let result = runtime.block_on(async {
            match (namespace, method) {
                ("client", "health") => Some(client.health().await.map(|_| Value::Null)),
                ("client", _) => Some(client.login("1", "2").await.map(|_| Value::Null)),
                ("public", "export_my_data") => Some(
                    client
                        .public()
                        .export_my_data(Some("1"))
                        .await
                        .map(|_| Value::Null),
                ),
                ("public", "delete_my_data") => Some(
                    client
                        .public()
                        .delete_my_data(Some("1"))
                        .await
                        .map(|_| Value::Null),
                ),
                ("public", _) => client.public().dispatch(method, args).await,
                _ => client.admin().dispatch(method, args).await,
            }
        });
        let result = result.unwrap_or_else(|| panic!("the async client has no method {method}"));
        assert!(sent(result).is_none(), "{method}");
        check_request(&transport, row);
    }
}

#[test]
fn absent_is_not_null() {
    let transport = Recorder::always(200, "null");
    let admin = client(&transport, true, true).admin();
    let body = |fields: VersionFields| {
        let _ = admin.update_version("1", &fields);
        let request = transport.taken().remove(0);
        String::from_utf8(request.body.expect("a body")).expect("text")
    };
    assert_eq!(body(VersionFields::new()), "{}");
    assert_eq!(
        body(VersionFields::new().title(Patch::Clear)),
        r#"{"title":null}"#
    );
    assert_eq!(
        body(VersionFields::new().title("One")),
        r#"{"title":"One"}"#
    );
    assert_eq!(
        body(VersionFields::new().is_latest(true)),
        r#"{"is_latest":true}"#
    );
    let later = VersionFields::new()
        .title("One")
        .extra("added_later", 7)
        .extra("title", "two");
    assert_eq!(body(later), r#"{"added_later":7,"title":"two"}"#);
    let link = DownloadLinkInput::new().url("https://dl.test/a");
    let links = VersionFields::new().download_links(vec![link]);
    assert_eq!(
        body(links),
        r#"{"download_links":[{"url":"https://dl.test/a"}]}"#
    );
}

#[test]
fn a_change_can_be_meant_for_one_state() {
    let transport = Recorder::new(|request| {
        let tag = |text: &str| vec![("ETag".to_owned(), text.to_owned())];
        match (request.method, header(request, "if-match").as_deref()) {
            ("GET", None) => Ok((200, tag("\"1\""), b"{}".to_vec())),
            ("DELETE", Some("\"1\"")) => Ok((200, Vec::new(), b"{}".to_vec())),
            ("PATCH", Some("\"1\"" | "*")) => Ok((412, tag("\"2\""), b"{}".to_vec())),
            other => panic!("{other:?}"),
        }
    });
    let admin = SvcClient::builder("http://svc.test/api/v1")
        .project_key("acme")
        .token("t")
        .header("If-Match", "of all")
        .transport(transport.clone())
        .without_analytics()
        .build()
        .expect("a client")
        .admin();
    let tag = crate::ETag::new();
    assert_eq!(tag.get(), None);
    let noting = admin.noting(&tag);
    noting.get_version("1").expect("an answer");
    assert_eq!(tag.get().as_deref(), Some("\"1\""));
    // Reads are never conditional.
    noting.if_match(&tag).get_version("1").expect("an answer");
    noting
        .if_match(&tag)
        .delete_version("1")
        .expect("an answer");
    for state in [&tag, &crate::ETag::from("*")] {
        let error = noting
            .if_match(state)
            .update_version("1", &VersionFields::new());
        assert!(matches!(error, Err(Error::Api(e)) if e.status == 412));
    }
    assert_eq!(tag.get().as_deref(), Some("\"1\""));
}

#[cfg(feature = "async")]
#[test]
fn a_change_of_the_async_client_can_be_meant_for_one_state() {
    let transport = Recorder::new(|request| {
        let tag = vec![("etag".to_owned(), "\"1\"".to_owned())];
        assert_eq!(header(request, "if-match").as_deref(), Some("*"));
        Ok((200, tag, b"{}".to_vec()))
    });
    let client = SvcClient::builder("http://svc.test/api/v1")
        .project_key("acme")
        .token("t")
        .async_transport(transport)
        .without_analytics()
        .build_async()
        .expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let tag = crate::ETag::new();
    let admin = client.admin().noting(&tag).if_match(&"*".into());
    runtime
        .block_on(admin.delete_version("1"))
        .expect("an answer");
    assert_eq!(tag.get().as_deref(), Some("\"1\""));
}

#[test]
fn other_names_on_the_wire() {
    let transport = Recorder::always(200, "null");
    let admin = client(&transport, true, true).admin();
    let body =
        || String::from_utf8(transport.taken().remove(0).body.expect("a body")).expect("text");
    let _ = admin.update_project(&ProjectChanges::new().new_project_key("acme-2"));
    assert_eq!(body(), r#"{"project_key":"acme-2"}"#);
    let _ = admin.update_project_locale("pt", &ProjectLanguageChanges::new().new_locale("pt-BR"));
    assert_eq!(body(), r#"{"locale":"pt-BR"}"#);
    let _ = admin.create_project(&ProjectFields::new().name("Acme"));
    assert_eq!(body(), r#"{"name":"Acme","project_key":"acme"}"#);
}

#[test]
fn client_defaults_fill_reads() {
    let transport = Recorder::always(200, "null");
    let client = SvcClient::builder("http://svc.test/api/v1")
        .project_key("acme")
        .locale("pt")
        .app_version("1.2")
        .channel("beta")
        .rollout_key("7")
        .transport(transport.clone())
        .build()
        .expect("a client");
    let query = || {
        transport
            .taken()
            .remove(0)
            .url
            .split_once('?')
            .map(|(_, q)| q.to_owned())
    };
    let public = client.public();
    let _ = public.get_project(&crate::ReadOptions::new());
    assert_eq!(query().as_deref(), Some("locale=pt"));
    let _ = public.get_project(&crate::ReadOptions::new().locale("de DE"));
    assert_eq!(query().as_deref(), Some("locale=de%20DE"));
    let _ = public.get_project(&crate::ReadOptions::new().locale(Patch::Clear));
    assert_eq!(query(), None);
    let _ = public.get_latest_announcement(&crate::LatestAnnouncement::new());
    assert_eq!(query().as_deref(), Some("version=1.2&locale=pt"));
    let _ = public.check_update(&crate::CheckUpdate::new());
    let body = transport.taken().remove(0).body.expect("a body");
    assert_eq!(
        String::from_utf8_lossy(&body),
        r#"{"channel":"beta","current_version":"1.2","locale":"pt","rollout_key":"7"}"#
    );
    let nothing = crate::CheckUpdate::new()
        .channel(Patch::Clear)
        .rollout_key(Patch::Clear);
    let _ = public.check_update(&nothing);
    let body = transport.taken().remove(0).body.expect("a body");
    assert_eq!(
        String::from_utf8_lossy(&body),
        r#"{"current_version":"1.2","locale":"pt"}"#
    );
}

#[test]
fn forwarding_needs_a_contact() {
    let transport = Recorder::always(201, "null");
    let public = client(&transport, true, false).public();
    for contact in [None, Some("  ")] {
        let mut fields = FeedbackFields::new()
            .content("hi")
            .forward_to_codehost(true);
        if let Some(contact) = contact {
            fields = fields.contact(contact);
        }
        assert!(matches!(
            public.create_feedback(&fields),
            Err(Error::Invalid(_))
        ));
    }
    assert!(transport.taken().is_empty());
}

#[test]
fn pages_are_walked_to_their_end() {
    let transport = Recorder::new(|request| {
        let body = match request.url.split_once("offset=").map(|(_, o)| o) {
            Some("0") => r#"{"total":3,"data":[{"name":"a"},{"name":"b"}]}"#,
            Some("2") => r#"{"total":3,"data":[{"name":"c"}]}"#,
            other => panic!("offset {other:?}"),
        };
        Ok((200, Vec::new(), body.into()))
    });
    let admin = client(&transport, true, true).admin();
    let names: Result<Vec<_>> = admin
        .iter_projects(&crate::ListProjects::new())
        .map(|p| p.map(|p| p.name))
        .collect();
    assert_eq!(names.expect("pages"), ["a", "b", "c"]);
    let requests = transport.taken();
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|r| r.url.contains("limit=100")));
}

#[test]
fn upload_sends_what_is_missing_again() {
    let failed = std::sync::atomic::AtomicBool::new(false);
    let transport = Recorder::new(move |request| {
        let first = !failed.load(std::sync::atomic::Ordering::Relaxed);
        let session = |received: &str| {
            format!(
                r#"{{"upload_id":"u","size":7,"chunk_size":3,"total_chunks":3,"received_chunks":{received}}}"#
            )
        };
        let body = match (request.method, request.url.rsplit('/').next().unwrap_or("")) {
            ("POST", "uploads") => session("[]"),
            ("GET", "u") => session("[0]"),
            ("PUT", "1") if first => {
                failed.store(true, std::sync::atomic::Ordering::Relaxed);
                return Ok((503, Vec::new(), b"{}".to_vec()));
            }
            ("PUT", _) => r#"{"index":0,"bytes":3}"#.to_owned(),
            ("POST", "complete") => r#"{"id":"f"}"#.to_owned(),
            other => panic!("{other:?}"),
        };
        Ok((200, Vec::new(), body.into_bytes()))
    });
    let admin = client(&transport, true, true).admin();
    let source = std::io::Cursor::new(b"abcdefg".to_vec());
    let file = admin
        .upload_file(source, &crate::Upload::new("a.txt"))
        .expect("an upload");
    assert_eq!(file.id, "f");
    let chunks: Vec<(String, Vec<u8>)> = transport
        .taken()
        .into_iter()
        .filter(|r| r.method == "PUT")
        .map(|r| {
            (
                r.url.rsplit('/').next().unwrap_or("").to_owned(),
                r.body.unwrap_or_default(),
            )
        })
        .collect();
    let chunk = |index: &str, bytes: &[u8]| (index.to_owned(), bytes.to_vec());
    assert_eq!(
        chunks,
        [
            chunk("0", b"abc"),
            chunk("1", b"def"),
            chunk("1", b"def"),
            chunk("2", b"g")
        ]
    );
}

#[test]
fn unknown_values_stay_as_text() {
    let version: Version = serde_json::from_str(
        r#"{"version":"1","platform":"haiku","platforms":["windows","beos"],"new":1}"#,
    )
    .expect("a version");
    assert_eq!(version.platform, Some(Platform::Other("haiku".to_owned())));
    assert_eq!(
        version.platforms,
        [Platform::Windows, Platform::Other("beos".to_owned())]
    );
    assert_eq!(version.title, None);
}

/// Fields of schemas in `openapi.yaml`, with what they are made of.
fn schema_fields(schemas: &serde_yaml_ng::Value, name: &str) -> BTreeSet<String> {
    let schema = &schemas[name];
    assert!(schema.is_mapping(), "openapi.yaml has no schema {name}");
    let mut fields = properties(schema);
    for part in schema["allOf"].as_sequence().into_iter().flatten() {
        match part["$ref"].as_str().and_then(|r| r.rsplit('/').next()) {
            Some(other) => fields.extend(schema_fields(schemas, other)),
            None => fields.extend(properties(part)),
        }
    }
    fields
}

fn properties(schema: &serde_yaml_ng::Value) -> BTreeSet<String> {
    let mapping = schema["properties"].as_mapping();
    mapping
        .into_iter()
        .flat_map(|m| m.keys())
        .filter_map(|k| k.as_str().map(str::to_owned))
        .collect()
}

/// Names of an answer's fields.
fn fields_of<T: Default + serde::Serialize>() -> BTreeSet<String> {
    let value = serde_json::to_value(T::default()).expect("JSON");
    value
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect()
}

fn wire(names: Vec<&str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn models_have_the_fields_of_openapi() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.yaml");
    let text = std::fs::read_to_string(path).expect("openapi.yaml is in the repository");
    let document: serde_yaml_ng::Value = serde_yaml_ng::from_str(&text).expect("YAML");
    let schemas = &document["components"]["schemas"];
    let mut wrong = Vec::new();
    let mut compare = |names: &[&str], got: BTreeSet<String>| {
        let want: BTreeSet<String> = names
            .iter()
            .flat_map(|n| schema_fields(schemas, n))
            .collect();
        if got != want {
            wrong.push(format!("{names:?}: {:?}", got.symmetric_difference(&want)));
        }
    };
    macro_rules! answers {
        ($($type:ident = $($schema:literal)+),* $(,)?) => {
            $( compare(&[$($schema),+], fields_of::<$type>()); )*
        };
    }
    macro_rules! inputs {
        ($($type:ident = $($schema:literal)+),* $(,)?) => {
            $( compare(&[$($schema),+], wire($type::wire_names())); )*
        };
    }
    answers!(
        Done = "Done", Health = "Health", Login = "Login", AuthUser = "AuthUser", ScopeList = "ScopeList",
        ApiKey = "ApiKey", ApiKeyCreated = "ApiKeyCreated", ApiKeyUpdated = "ApiKeyUpdated",
        ApiKeyRotated = "ApiKeyRotated", Project = "Project" "PublicProject",
        ProjectTranslation = "ProjectTranslation", ProjectAlias = "Alias", ProjectLanguage = "Language",
        ProjectStatistics = "ProjectStatistics", Version = "Version" "PublicVersion",
        VersionTranslation = "VersionTranslation", DownloadLink = "DownloadLink",
        Rollout = "Rollout", RolloutDefault = "RolloutDefault", RolloutStep = "RolloutStep", RolloutCohort = "RolloutCohort", RolloutEvent = "RolloutEvent",
        RolloutHealth = "RolloutHealth", RolloutHealthRule = "RolloutHealthRule", HealthBucket = "HealthBucket",
        VersionStatistics = "VersionStatistics", UpdateCheck = "UpdateCheck", MilestoneState = "MilestoneState",
        Announcement = "Announcement" "PublicAnnouncement", AnnouncementTranslation = "AnnouncementTranslation",
        AnnouncementStatistics = "AnnouncementStatistics", Feedback = "Feedback",
        FeedbackOptions = "FeedbackOptions", FeedbackStatistics = "FeedbackStatistics",
        FeedbackRatings = "FeedbackRatings", RatingCount = "RatingCount", Log = "Log",
        PrunedLogs = "PrunedLogs", LogStatistics = "LogStatistics", LogLevels = "LogLevels", LevelCount = "LevelCount",
        EventsAccepted = "EventsAccepted", RejectedEvent = "RejectedEvent", SubjectExport = "SubjectExport",
        StoredEvent = "StoredEvent", EventsErased = "EventsErased", EventDefinition = "EventDefinition",
        EventOverview = "EventOverview", EventSeries = "EventSeries", EventBreakdown = "EventBreakdown",
        ValueCount = "ValueCount", Funnel = "Funnel", FunnelStep = "FunnelStep", Retention = "Retention",
        Cohort = "Cohort", CohortCell = "CohortCell", Paths = "Paths", PathEdge = "PathEdge",
        DashboardCard = "Card", RequestOverview = "RequestOverview", EndpointCount = "EndpointCount",
        PlatformCount = "PlatformCount", RegionCount = "RegionCount", ProvinceCount = "ProvinceCount",
        TimeBucket = "Bucket", RequestSeries = "RequestSeries", ValueSeries = "ValueSeries",
        VersionAdoption = "VersionAdoption", VersionSeries = "VersionSeries", ClientVersions = "ClientVersions",
        ClientVersionCount = "ClientVersionCount", PlatformVersions = "PlatformVersions",
        PlatformVersionCount = "PlatformVersionCount", Heatmap = "Heatmap", HeatmapCell = "HeatmapCell",
        SearchHit = "SearchHit", FileRecord = "File", FileDeleted = "FileDeleted", CdnRefresh = "CdnRefresh",
        UploadSession = "UploadSession", OpenUpload = "OpenUpload", ChunkReceipt = "ChunkReceipt", MirrorResult = "MirrorResult",
        StorageOverview = "StorageOverview", StorageBackend = "StorageBackend", CdnOrigin = "CdnOrigin",
        StorageProbe = "StorageProbe", CdnConfig = "CdnConfig", CdnTest = "CdnTest", CodehostApp = "CodehostApp",
        Distribution = "Distribution", Channel = "Channel", HealthRules = "HealthRules", HealthRule = "HealthRule",
        NativeVersions = "NativeVersions",
        CodehostAppTest = "CodehostAppTest", CodehostIntegration = "CodehostIntegration",
        CodehostCommand = "CodehostCommand", CodehostRepoTemplate = "CodehostRepoTemplate",
        CodehostRepoPreview = "CodehostRepoPreview", CodehostReleasePreview = "CodehostReleasePreview",
        CodehostImport = "CodehostImport", CodehostWebhook = "Webhook",
        CodehostWebhookDelivery = "WebhookDelivery", CodehostWebhookSecret = "WebhookRevealed",
        TermsSummary = "TermsSummary", Terms = "Terms", TermsDocument = "TermsDocument",
        TermsPlaceholder = "TermsPlaceholder", TranslationConfig = "TranslationConfig",
        TranslationTest = "TranslationTest", TranslatedTexts = "TranslatedTexts",
        ProjectContents = "ProjectContents", UpdateCheckSimulation = "UpdateCheckSimulation",
        UpdateCheckReason = "UpdateCheckReason", InstanceStatus = "InstanceStatus",
        About = "About", AboutRelease = "AboutRelease", AboutUpdate = "AboutUpdate",
        InstanceBackup = "InstanceBackup", InstanceCheck = "InstanceCheck", InstanceFinding = "InstanceFinding",
        MarkdownPreview = "MarkdownPreview",
        Asset = "Asset", PublicAsset = "PublicAsset", AssetPackage = "AssetPackage",
        AssetSignature = "AssetSignature", TrustKey = "TrustKey", PublicTrustKey = "PublicTrustKey",
        Hook = "Hook", HookCreated = "HookCreated", HookSecret = "HookSecret", HookTest = "HookTest",
        HookDelivery = "HookDelivery", HookDeliveryWhole = "HookDeliveryWhole",
        LogGroup = "LogGroup", LogGroupSummary = "LogGroupSummary", LogGroupVersion = "LogGroupVersion",
        LogGroupPlatform = "LogGroupPlatform",
        VersionNotes = "VersionNotes", VersionNote = "VersionNote",
    );
    inputs!(
        ProjectFields = "ProjectFields",
        ProjectChanges = "ProjectFields",
        ProjectTranslationInput = "ProjectTranslationInput",
        ProjectLanguageFields = "LanguageFields",
        ProjectLanguageChanges = "LanguageFields",
        VersionFields = "VersionFields",
        VersionTranslationInput = "VersionTranslationInput",
        RolloutFields = "RolloutFields",
        RolloutStepInput = "RolloutStepInput",
        RolloutCohortInput = "RolloutCohortInput",
        RolloutReason = "RolloutReason",
        DownloadLinkInput = "DownloadLinkInput",
        AssetFields = "AssetFields",
        NativeVersionsInput = "NativeVersionsInput",
        YankInput = "YankInput",
        DistributionFields = "DistributionFields",
        ChannelInput = "ChannelInput",
        TrustKeyCreate = "TrustKeyCreate",
        TrustKeyUpdate = "TrustKeyUpdate",
        HookCreate = "HookCreate",
        HookFields = "HookFields",
        HookRotate = "HookRotate",
        HealthRulesFields = "HealthRulesFields",
        HealthRuleInput = "HealthRuleInput",
        AnnouncementFields = "AnnouncementFields",
        AnnouncementTranslationInput = "AnnouncementTranslationInput",
        FeedbackFields = "FeedbackInput",
        AdminFeedbackFields = "FeedbackFields",
        LogFields = "LogInput",
        LogCreate = "LogCreate",
        LogChange = "LogChange",
        LogGroupUpdate = "LogGroupUpdate",
        FeedbackBulk = "FeedbackBulk",
        LogBulk = "LogBulk",
        LogPrune = "LogPrune",
        EventBatch = "EventBatch",
        EventInput = "EventInput",
        EventDefinitionChange = "EventDefinitionChange",
        FunnelInput = "FunnelInput",
        FunnelStepInput = "FunnelStepInput",
        EventFilter = "EventFilter",
        RetentionInput = "RetentionInput",
        PathsInput = "PathsInput",
        DashboardCardFields = "CardFields",
        UploadCreate = "UploadCreate",
        StorageBackendFields = "StorageBackendCreate",
        CdnConfigFields = "CdnConfigFields",
        CodehostAppFields = "CodehostAppFields",
        CodehostIntegrationFields = "CodehostIntegrationFields",
        CodehostCommandFields = "CodehostCommandFields",
        CodehostWebhookSecretFields = "WebhookSecretFields",
        TermsDocumentFields = "TermsDocumentFields",
        ProfileInput = "ProfileInput",
        PasswordInput = "PasswordInput",
        AccountInput = "AccountInput",
        ApiKeyFields = "ApiKeyFields",
        ApiKeyRotateInput = "ApiKeyRotateInput",
        TranslationConfigFields = "TranslationConfigFields",
        TranslateFields = "TranslateFields",
        UpdateCheckSimulationInput = "UpdateCheckSimulationInput",
        MarkdownInput = "MarkdownInput",
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
