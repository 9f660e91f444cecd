//! What the tools answer: the schema of each answer's structured content, and the same as text.
//!
//! Figures stand in the structured content alone: the text has the directive, its reasons, what is
//! missing and the next step. Keys may be added to an answer and are never renamed, so a schema
//! says what is always there and forbids nothing.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The schema of what the tool `name` gives; `None` for one that is not known.
pub(super) fn schema(name: &str) -> Option<JsonObject> {
    let schema = match name {
        "verify_claim" => verify_claim(),
        "verify_paths" => verify_paths(),
        "causal_trace" => causal_trace(),
        "response_gate" => response_gate(),
        "checkpoint" => checkpoint(),
        "session_report" => session_report(),
        _ => return None,
    };
    if let Value::Object(schema) = schema { Some(schema) } else { None }
}

fn text() -> Value {
    json!({"type": "string"})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn number() -> Value {
    json!({"type": "number"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn share() -> Value {
    json!({"type": "number", "minimum": 0, "maximum": 1})
}

fn texts() -> Value {
    json!({"type": "array", "items": text()})
}

fn some_object() -> Value {
    json!({"type": "object"})
}

fn words(known: &[&str]) -> Value {
    json!({"type": "string", "enum": known})
}

/// The same, or `null`.
fn or_null(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// An object with these keys; those in `open` may be missing.
fn object(keys: &[(&str, Value)], open: &[&str]) -> Value {
    let properties: JsonObject =
        keys.iter().map(|(key, schema)| ((*key).to_owned(), schema.clone())).collect();
    let required: Vec<&str> =
        keys.iter().map(|(key, _)| *key).filter(|key| !open.contains(key)).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn directive() -> Value {
    words(&["pass", "damp", "rewrite", "regenerate", "reject"])
}

fn require_tool() -> Value {
    let keys = [("needed", flag()), ("tool", or_null(&text())), ("why", or_null(&text()))];
    object(&keys, &[])
}

fn audit() -> Value {
    let keys = [
        ("n", count()),
        ("previous", or_null(&text())),
        ("tree", or_null(&text())),
        ("head", or_null(&text())),
        ("truth", or_null(&text())),
        ("at", text()),
        ("job", or_null(&text())),
        ("run", count()),
        ("cycle", count()),
        ("phase", or_null(&text())),
        ("session", or_null(&text())),
        ("trace", or_null(&text())),
        ("signed", text()),
        ("unsigned_because", or_null(&text())),
    ];
    object(&keys, &["unsigned_because"])
}

fn verify_claim() -> Value {
    let input = [
        ("declaration_trust", share()),
        ("declaration_coverage", share()),
        ("repo_surface_size", count()),
        ("missed_by_llm", texts()),
        ("warnings", texts()),
    ];
    let binding = [("bound", flag()), ("unopened", texts()), ("source", text())];
    let fusion = ["confidence", "phi", "coverage", "evidence"].map(|key| (key, number()));
    let physics = ["phi", "entropy", "valence", "arousal", "stability", "drift"];
    let keys = [
        ("directive", directive()),
        ("revision_reasons", texts()),
        ("next", or_null(&text())),
        ("because", or_null(&text())),
        ("coverage", share()),
        ("declared_coverage", share()),
        ("evidence_weight", share()),
        ("gaps", texts()),
        ("untested_paths", texts()),
        ("input_verification", object(&input, &[])),
        ("require_tool", require_tool()),
        ("continuity_binding", object(&binding, &[])),
        ("trust_evaluation", object(&[("trust", number()), ("risk", number())], &[])),
        ("confidence_fusion", object(&fusion, &[])),
        ("physics", object(&physics.map(|key| (key, number())), &[])),
        ("receipts", json!({"type": "array", "items": some_object()})),
        ("audit", audit()),
        ("record", text()),
    ];
    object(&keys, &["next", "because"])
}

fn verify_paths() -> Value {
    let keys = [
        ("declaration_trust", share()),
        ("declaration_coverage", share()),
        ("repo_changed_files", texts()),
        ("repo_changed_functions", texts()),
        ("repo_surface_size", count()),
        ("claimed_affected_size", count()),
        ("missed_by_llm", texts()),
        ("phantom_claims", texts()),
        ("untested_repo_paths", texts()),
        ("warnings", texts()),
    ];
    object(&keys, &[])
}

fn causal_trace() -> Value {
    let keys = [
        ("directive", words(&["solid", "weak", "incomplete"])),
        ("chain_length", count()),
        ("code_specificity", share()),
        ("issues", texts()),
        ("suggestions", texts()),
        ("links_parsed", texts()),
        ("audit", audit()),
        ("record", text()),
    ];
    object(&keys, &[])
}

fn response_gate() -> Value {
    let authority = [("claim_authority", text()), ("is_self_claim", flag()), ("unopened", texts())];
    let keys = [
        ("directive", directive()),
        ("revision_reasons", texts()),
        ("next", or_null(&text())),
        ("require_tool", require_tool()),
        ("authority", object(&authority, &[])),
        ("trace_id", or_null(&text())),
        ("chain_head", or_null(&text())),
        ("audit", audit()),
        ("record", text()),
    ];
    object(&keys, &["next"])
}

fn checkpoint() -> Value {
    let counters = ["rulings", "opened", "sent_back"].map(|key| (key, count()));
    let keys = [
        ("session_id", or_null(&text())),
        ("trace_id", or_null(&text())),
        ("job", or_null(&text())),
        ("phase", or_null(&text())),
        ("at", text()),
        ("context_hash", text()),
        ("counters", object(&counters, &[])),
        ("opens", flag()),
    ];
    object(&keys, &[])
}

fn session_report() -> Value {
    let chain = [
        ("count", count()),
        ("head", or_null(&text())),
        ("valid", or_null(&flag())),
        ("broken_at", or_null(&text())),
        ("reason", or_null(&text())),
    ];
    let keys = [
        ("session_id", or_null(&text())),
        ("trace_id", or_null(&text())),
        ("total", count()),
        ("opened", count()),
        ("required_tool", count()),
        ("contradicted", count()),
        ("directives", some_object()),
        ("evidence_types_used", some_object()),
        ("drift", number()),
        ("mean_coverage", or_null(&number())),
        ("mean_trust", or_null(&number())),
        ("mean_integrity", or_null(&number())),
        ("last_claims", json!({"type": "array", "items": some_object()})),
        ("persistent_drift", number()),
        ("chain", object(&chain, &[])),
    ];
    object(&keys, &[])
}

/// What stands in the text, in this order: the key in an answer, and the word before it.
const SHOWN: [(&str, &str); 12] = [
    ("directive", "directive"),
    ("revision_reasons", "reason"),
    ("issues", "issue"),
    ("gaps", "gap"),
    ("phantom_claims", "not changed"),
    ("missed_by_llm", "not declared"),
    ("untested_repo_paths", "not tested"),
    ("warnings", "warning"),
    ("suggestions", "do"),
    ("next", "next"),
    ("trace_id", "trace"),
    ("record", "record"),
];

/// The answer as text, without figures.
pub(super) fn said(answer: &Value) -> String {
    let mut lines = Vec::new();
    for (key, word) in SHOWN {
        match &answer[key] {
            Value::String(text) => lines.push(format!("{word}: {text}")),
            Value::Array(list) => {
                let texts = list.iter().filter_map(Value::as_str);
                lines.extend(texts.map(|text| format!("{word}: {text}")));
            }
            _ => {}
        }
        if key == "gaps"
            && let Some(tool) = answer["require_tool"]["tool"].as_str()
        {
            lines.push(format!("needs: {tool}"));
        }
    }
    let chain = &answer["chain"];
    if chain.is_object() {
        let valid = match chain["valid"].as_bool() {
            Some(true) => "verified",
            Some(false) => "broken",
            None => "not measured",
        };
        lines.push(format!("chain: {valid}"));
    }
    for claim in answer["last_claims"].as_array().into_iter().flatten() {
        if let (Some(directive), Some(claim)) =
            (claim["directive"].as_str(), claim["claim"].as_str())
        {
            lines.push(format!("{directive}: {claim}"));
        }
    }
    lines.join("\n")
}
