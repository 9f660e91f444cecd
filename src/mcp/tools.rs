//! The tools: one table for their names, their schemas, how arguments are read, and the call.
//!
//! What a schema says is what reading accepts: both come from the same row. An argument
//! that is missing, unknown, of another kind or out of range is an error that names it and
//! what may stand there; nothing is guessed.

use crate::engine::claims;
use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::answers;
use crate::claims::table::KINDS as EVIDENCE;
use crate::claims::{ActionType, Claim, EvidenceType};
use crate::engine::claims::gate::{ACTIONS, Answer, Response, Tell, items, word};
use crate::engine::repo::installation::ALIAS;
use crate::engine::repo::{Repo, Result};
use crate::phases::Multiplier;

/// Most characters of a text, and of an item of a list.
const TEXT: usize = 16 * 1024;
const ITEM: usize = 2 * 1024;
/// Most items of a list.
const ITEMS: usize = 2000;

/// One tool.
#[derive(Debug)]
pub(super) struct McpToolRow<C = ClaimCall> {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) fields: &'static [Field],
    /// It changes nothing that anybody but git seed reads.
    pub(super) looks: bool,
    pub(super) call: C,
}

/// What a function for claims does.
pub(super) type ClaimCall = fn(&Repo, &Given, Tell<'_>) -> Result<Value>;

/// One argument.
#[derive(Debug)]
pub(super) struct Field {
    name: &'static str,
    kind: FieldKind,
    optional: bool,
    about: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FieldKind {
    /// At least so many characters.
    Text(usize),
    /// A list, or the same with commas between.
    List,
    /// Steps of a chain: a list, or the same with arrows between.
    Chain,
    /// From 0 to 1.
    Share,
    Count,
    Flag,
    Evidence,
    Action,
    /// How small the work of a phase is: a number, or its text.
    Dial,
}

pub(super) const fn must(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
    Field { name, kind, optional: false, about }
}

pub(super) const fn may(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
    Field { name, kind, optional: true, about }
}

static TABLE: [McpToolRow; 6] = [
    McpToolRow {
        name: "verify_claim",
        title: "Verify a claim",
        about: "Before you say that something is fixed, tested or done: compares the claim with \
                what git shows and with the runs that were seen, and answers with a directive \
                and its reasons. The verdict is recorded.",
        fields: &[
            must(
                "claim",
                FieldKind::Text(1),
                "What you are about to say, with what was done to what.",
            ),
            must("evidence", FieldKind::Text(0), "What shows it; empty where nothing does."),
            must("evidence_type", FieldKind::Evidence, "The kind of that evidence."),
            must(
                "code_paths_tested",
                FieldKind::List,
                "Paths, ends of paths or names of functions that were tested.",
            ),
            must("code_paths_affected", FieldKind::List, "The same for what the change touches."),
            may("referenced_sources", FieldKind::List, "Artifacts that the claim speaks of."),
            may("read_paths", FieldKind::List, "Artifacts that you opened."),
        ],
        looks: false,
        call: |repo, given, tell| {
            let claim = Claim {
                text: given.text("claim"),
                evidence: given.text("evidence"),
                evidence_type: given.evidence("evidence_type"),
                code_paths_tested: given.list("code_paths_tested"),
                code_paths_affected: given.list("code_paths_affected"),
                referenced_sources: given.list_if_any("referenced_sources"),
                read_paths: given.list_if_any("read_paths"),
                as_said: false,
            };
            claims::gate::verify_claim(repo, claim, tell).map(json_of)
        },
    },
    McpToolRow {
        name: "verify_paths",
        title: "Compare declared paths with the repository",
        about: "Compares what you say a change touches and tests with the files and functions \
                that git shows as changed. Nothing is recorded.",
        fields: &[
            must(
                "claimed_affected",
                FieldKind::List,
                "Paths or functions that the change touches, as you see it.",
            ),
            must(
                "claimed_tested",
                FieldKind::List,
                "Paths or functions that were tested, as you see it.",
            ),
        ],
        looks: true,
        call: |repo, given, tell| {
            claims::gate::verify_paths(
                repo,
                &given.list("claimed_affected"),
                &given.list("claimed_tested"),
                tell,
            )
            .map(json_of)
        },
    },
    McpToolRow {
        name: "causal_trace",
        title: "Check a causal chain",
        about: "Checks that an explanation leads from a cause to the symptom through named \
                places of the code: solid, weak or incomplete.",
        fields: &[
            must("symptom", FieldKind::Text(1), "What goes wrong."),
            must(
                "causal_chain",
                FieldKind::Chain,
                "The steps from the cause to the symptom: a list, or a text with → between.",
            ),
        ],
        looks: false,
        call: |repo, given, tell| {
            claims::gate::causal_trace(
                repo,
                &given.text("symptom"),
                &given.list("causal_chain"),
                tell,
            )
            .map(json_of)
        },
    },
    McpToolRow {
        name: "response_gate",
        title: "Ask before an act or an assertion",
        about: "Before you commit, deploy, push or assert something: says whether the evidence \
                carries it, and what to do first where it does not. The verdict is recorded.",
        fields: &[
            must("action_type", FieldKind::Action, "What you are about to do."),
            must("confidence", FieldKind::Share, "How sure you are, from 0 to 1."),
            must("evidence_count", FieldKind::Count, "How many pieces of evidence you have."),
            must("evidence_type", FieldKind::Evidence, "The best kind among them."),
            must(
                "affects_user_facing",
                FieldKind::Flag,
                "Whether people who use the product notice it.",
            ),
            may("artifact_references", FieldKind::List, "Artifacts that you speak of."),
            may("artifact_paths_read", FieldKind::List, "Artifacts that you opened."),
            may(
                "claim_authority",
                FieldKind::Text(1),
                "Whose claim it is, where it is not your own.",
            ),
        ],
        looks: false,
        call: |repo, given, tell| {
            let asked = Response {
                action_type: given.action("action_type"),
                confidence: given.share("confidence"),
                evidence_count: given.count("evidence_count"),
                evidence_type: given.evidence("evidence_type"),
                affects_user_facing: given.flag("affects_user_facing"),
                artifact_references: given.list_if_any("artifact_references"),
                artifact_paths_read: given.list_if_any("artifact_paths_read"),
                claim_authority: given.text_if_any("claim_authority"),
            };
            claims::gate::response_gate(repo, asked, tell).map(json_of)
        },
    },
    McpToolRow {
        name: "checkpoint",
        title: "Note where the work stands",
        about: "Says which session and trace this is and what the gate has counted. It opens \
            nothing.",
        fields: &[must("context", FieldKind::Text(1), "What you are doing, in a sentence.")],
        looks: true,
        call: |repo, given, _| {
            claims::gate::claim_checkpoint(repo, &given.text("context")).map(json_of)
        },
    },
    McpToolRow {
        name: "session_report",
        title: "Report on the session's claims",
        about: "Totals, directives, kinds of evidence, the last claims, and whether the chain of \
            records holds.",
        fields: &[],
        looks: true,
        call: |repo, _, _| claims::gate::session_report(repo).map(json_of),
    },
];

fn json_of(answer: Answer) -> Value {
    answer.json
}

/// All tools, as clients list them.
pub(super) fn listed() -> Vec<Tool> {
    TABLE.iter().map(McpToolRow::described).collect()
}

/// The tool of this name, or of this alias.
pub(super) fn named(name: &str) -> Option<&'static McpToolRow> {
    let name = name.strip_prefix(ALIAS).unwrap_or(name);
    TABLE.iter().find(|row| row.name == name)
}

/// The names of all tools.
pub(super) fn names() -> Vec<&'static str> {
    TABLE.iter().map(|row| row.name).collect()
}

/// There is no such tool among those that are `known`.
pub(super) fn unknown(name: &str, known: &[&str]) -> ErrorData {
    let name: String = name.chars().take(100).collect();
    let text = format!("there is no tool `{name}`; known: {}", known.join(", "));
    bad("name", text, json!(known))
}

/// A refusal of arguments: which, and what may stand there.
fn bad(field: &str, text: impl Into<String>, allowed: Value) -> ErrorData {
    let data = json!({"field": field, "allowed": allowed});
    ErrorData::new(ErrorCode::INVALID_PARAMS, text.into(), Some(data))
}

impl McpToolRow {
    pub(super) fn described(&self) -> Tool {
        let tool = self.shown();
        match answers::schema(self.name) {
            Some(answer) => tool.with_raw_output_schema(Arc::new(answer)),
            None => tool,
        }
    }
}

impl<C> McpToolRow<C> {
    /// The tool as clients list it, but for what it answers.
    pub(super) fn shown(&self) -> Tool {
        let properties: serde_json::Map<String, Value> =
            self.fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
        let required: Vec<&str> =
            self.fields.iter().filter(|field| !field.optional).map(|field| field.name).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        });
        let Value::Object(schema) = schema else { return Tool::default() };
        let notes = ToolAnnotations::from_raw(
            Some(self.title.to_owned()),
            Some(self.looks),
            Some(false),
            Some(self.looks),
            Some(false),
        );
        let tool = Tool::new(self.name, self.about, schema);
        tool.with_title(self.title).with_annotations(notes)
    }

    /// The arguments, each as its field wants it.
    pub(super) fn read(&self, mut arguments: JsonObject) -> Result<Given, ErrorData> {
        let mut given = BTreeMap::new();
        for field in self.fields {
            let value = match arguments.remove(field.name) {
                None | Some(Value::Null) if field.optional => continue,
                None | Some(Value::Null) => {
                    let text = format!("`{}` is missing; {}", field.name, field.kind.said());
                    return Err(bad(field.name, text, field.kind.allowed()));
                }
                Some(value) => value,
            };
            given.insert(field.name, field.read(value)?);
        }
        if let Some(name) = arguments.keys().next() {
            let known: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
            let list = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let name: String = name.chars().take(100).collect();
            let text = format!("`{name}` is no argument of {}; it takes: {list}", self.name);
            return Err(bad(&name, text, json!(known)));
        }
        Ok(Given(given))
    }
}

impl Field {
    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), json!(self.about));
        }
        schema
    }

    fn read(&self, value: Value) -> Result<Arg, ErrorData> {
        let shown: String = value.to_string().chars().take(60).collect();
        let refused = || {
            let text = format!("`{}` is {shown}; {}", self.name, self.kind.said());
            bad(self.name, text, self.kind.allowed())
        };
        let list = |value: Value, mark: char| match value {
            Value::String(text) => Some(items(&text, mark)),
            Value::Array(list) => list
                .into_iter()
                .map(|item| item.as_str().map(|item| item.trim().to_owned()))
                .collect(),
            _ => None,
        };
        let sized = |list: Vec<String>| {
            let list: Vec<String> = list.into_iter().filter(|item| !item.is_empty()).collect();
            (list.len() <= ITEMS && list.iter().all(|item| item.chars().count() <= ITEM))
                .then_some(Arg::List(list))
        };
        match self.kind {
            FieldKind::Text(least) => match value {
                Value::String(text) => Some(text)
                    .filter(|text| {
                        text.trim().chars().count() >= least && text.chars().count() <= TEXT
                    })
                    .map(Arg::Text),
                _ => None,
            },
            FieldKind::List => list(value, ',').and_then(sized),
            FieldKind::Chain => list(value, '→').filter(|steps| !steps.is_empty()).and_then(sized),
            FieldKind::Share => {
                value.as_f64().filter(|share| (0.0..=1.0).contains(share)).map(Arg::Share)
            }
            FieldKind::Count => {
                whole(&value).and_then(|count| u32::try_from(count).ok()).map(Arg::Count)
            }
            FieldKind::Flag => value.as_bool().map(Arg::Flag),
            FieldKind::Evidence => serde_json::from_value(value).ok().map(Arg::Evidence),
            FieldKind::Action => serde_json::from_value(value).ok().map(Arg::Action),
            FieldKind::Dial => {
                let text = value.as_str().map(str::trim).map(str::to_owned);
                let text = text.or_else(|| value.as_f64().map(|number| number.to_string()));
                text.filter(|text| text.parse::<Multiplier>().is_ok()).map(Arg::Text)
            }
        }
        .ok_or_else(refused)
    }
}

impl FieldKind {
    fn schema(self) -> Value {
        let list = |about: &str| {
            json!({"anyOf": [
                {"type": "array", "items": {"type": "string", "maxLength": ITEM},
                    "maxItems": ITEMS},
                {"type": "string", "maxLength": TEXT, "description": about},
            ]})
        };
        match self {
            Self::Text(least) => json!({"type": "string", "minLength": least, "maxLength": TEXT}),
            Self::List => list("the same with commas between"),
            Self::Chain => list("the same with → between"),
            Self::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Self::Count => json!({"type": "integer", "minimum": 0, "maximum": u32::MAX}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Evidence | Self::Action => json!({"type": "string", "enum": self.allowed()}),
            Self::Dial => {
                json!({"enum": [0.5, 1, 1.5, 2, 2.5, 3, "0.5", "1", "1.5", "2", "2.5", "3"]})
            }
        }
    }

    /// What may stand there, for programs.
    fn allowed(self) -> Value {
        match self {
            Self::Evidence => json!(EVIDENCE),
            Self::Action => json!(ACTIONS),
            kind => kind.schema(),
        }
    }

    /// The same for readers.
    fn said(self) -> String {
        match self {
            Self::Text(0) => format!("a text of at most {TEXT} characters"),
            Self::Text(least) => format!("a text of {least} to {TEXT} characters"),
            Self::List => {
                format!(
                    "a list of at most {ITEMS} texts of at most {ITEM} characters, or the same \
                     with commas between"
                )
            }
            Self::Chain => format!(
                "one step or more: a list of at most {ITEMS} texts of at most {ITEM} characters, \
                 or a text with → between"
            ),
            Self::Share => "a number from 0 to 1".to_owned(),
            Self::Count => format!("a whole number from 0 to {}", u32::MAX),
            Self::Flag => "true or false".to_owned(),
            Self::Evidence => format!("one of {}", EVIDENCE.map(word).join(", ")),
            Self::Action => format!("one of {}", ACTIONS.map(word).join(", ")),
            Self::Dial => "0.5, 1, 1.5, 2, 2.5 or 3".to_owned(),
        }
    }
}

/// A whole number, also one that was written with a point: `2.0` is 2 in JSON.
pub(super) fn whole(value: &Value) -> Option<i64> {
    /// From here on neighbours are no longer told apart.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.as_i64().or_else(|| {
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < EXACT);
        // What has no point and is small has a text that reads as a whole number.
        whole.and_then(|number| format!("{number:.0}").parse().ok())
    })
}

/// Arguments that were read.
#[derive(Debug)]
pub(super) struct Given(BTreeMap<&'static str, Arg>);

#[derive(Clone, Debug)]
enum Arg {
    Text(String),
    List(Vec<String>),
    Share(f64),
    Count(u32),
    Flag(bool),
    Evidence(EvidenceType),
    Action(ActionType),
}

/// Each asks for a field of its row, which `McpToolRow::read` has filled; where a row and its call
/// disagree the weakest value stands, and a test finds it.
impl Given {
    pub(super) fn text(&self, name: &str) -> String {
        self.text_if_any(name).unwrap_or_default()
    }

    pub(super) fn text_if_any(&self, name: &str) -> Option<String> {
        if let Some(Arg::Text(text)) = self.0.get(name) { Some(text.clone()) } else { None }
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        self.list_if_any(name).unwrap_or_default()
    }

    pub(super) fn list_if_any(&self, name: &str) -> Option<Vec<String>> {
        if let Some(Arg::List(list)) = self.0.get(name) { Some(list.clone()) } else { None }
    }

    fn share(&self, name: &str) -> f64 {
        if let Some(Arg::Share(share)) = self.0.get(name) { *share } else { 0.0 }
    }

    fn count(&self, name: &str) -> u32 {
        if let Some(Arg::Count(count)) = self.0.get(name) { *count } else { 0 }
    }

    fn flag(&self, name: &str) -> bool {
        // Without a word the stricter case counts.
        if let Some(Arg::Flag(flag)) = self.0.get(name) { *flag } else { true }
    }

    /// The flag was given, and says yes.
    pub(super) fn is_set(&self, name: &str) -> bool {
        matches!(self.0.get(name), Some(Arg::Flag(true)))
    }

    fn evidence(&self, name: &str) -> EvidenceType {
        if let Some(Arg::Evidence(kind)) = self.0.get(name) { *kind } else { EvidenceType::None }
    }

    fn action(&self, name: &str) -> ActionType {
        if let Some(Arg::Action(kind)) = self.0.get(name) { *kind } else { ActionType::Other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tool: &str, arguments: Value) -> Result<Given, ErrorData> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        named(tool).expect("a tool").read(arguments)
    }

    fn whole() -> Value {
        json!({
            "action_type": "deploy", "confidence": 0.5, "evidence_count": 1,
            "evidence_type": "unit_test",
            "affects_user_facing": false,
        })
    }

    #[test]
    fn what_a_schema_says_is_what_reading_accepts() {
        let cases = [
            ("confidence", json!(1.0), ""),
            ("confidence", json!(0), ""),
            ("confidence", json!(1.01), "`confidence` is 1.01; a number from 0 to 1"),
            ("confidence", json!(-0.1), "`confidence` is -0.1; a number from 0 to 1"),
            ("confidence", json!("0.5"), "`confidence` is \"0.5\"; a number from 0 to 1"),
            ("evidence_count", json!(2.0), ""),
            ("evidence_count", json!(1e300), "`evidence_count` is 1e+300; a whole number from 0"),
            ("evidence_count", json!(-1), "`evidence_count` is -1; a whole number from 0"),
            ("evidence_count", json!(1.5), "`evidence_count` is 1.5; a whole number from 0"),
            (
                "evidence_type",
                json!("vibes"),
                "`evidence_type` is \"vibes\"; one of browser_test, manual_repro",
            ),
            ("evidence_type", json!("Unit_Test"), "`evidence_type` is \"Unit_Test\"; one of"),
            ("evidence_type", json!(null), "`evidence_type` is missing; one of browser_test"),
            ("action_type", json!("ship"), "`action_type` is \"ship\"; one of claim_fixed"),
            (
                "affects_user_facing",
                json!("yes"),
                "`affects_user_facing` is \"yes\"; true or false",
            ),
            ("artifact_references", json!(null), ""),
            (
                "artifact_references",
                json!(["a", 1]),
                "`artifact_references` is [\"a\",1]; a list of",
            ),
            ("claim_authority", json!(" "), "`claim_authority` is \" \"; a text of 1 to"),
            (
                "evidenceType",
                json!("none"),
                "`evidenceType` is no argument of response_gate; it takes: action_type",
            ),
        ];
        for (field, value, expected) in cases {
            let mut given = whole();
            given[field] = value;
            let said = read("response_gate", given).map_err(|error| error.message.into_owned());
            match said {
                Ok(_) => assert!(expected.is_empty(), "{field}: {expected}"),
                Err(said) => assert!(!expected.is_empty() && said.starts_with(expected), "{said}"),
            }
        }
        for field in
            ["action_type", "confidence", "evidence_count", "evidence_type", "affects_user_facing"]
        {
            let mut given = whole();
            given.as_object_mut().expect("an object").remove(field);
            let error = read("response_gate", given).expect_err("it is missing");
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
            assert_eq!(error.data.expect("what may stand there")["field"], field);
        }
    }

    #[test]
    fn lists_arrive_as_arrays_or_with_commas() {
        for (value, expected) in [
            (json!("a.rs, b.rs ,, c"), vec!["a.rs", "b.rs", "c"]),
            (json!(["a.rs", " b.rs ", ""]), vec!["a.rs", "b.rs"]),
            (json!(""), vec![]),
            (json!([]), vec![]),
        ] {
            let given = json!({"claimed_affected": value, "claimed_tested": []});
            assert_eq!(
                read("verify_paths", given).expect("it reads").list("claimed_affected"),
                expected
            );
        }
        for (value, expected) in [
            (json!("a breaks → b is empty → c fails"), vec!["a breaks", "b is empty", "c fails"]),
            (json!("a -> b"), vec!["a", "b"]),
            (json!(["a, b", "c"]), vec!["a, b", "c"]),
        ] {
            let given = json!({"symptom": "c", "causal_chain": value});
            assert_eq!(
                read("causal_trace", given).expect("it reads").list("causal_chain"),
                expected
            );
        }
        let many = json!({"claimed_affected": vec!["x"; ITEMS + 1], "claimed_tested": []});
        assert!(read("verify_paths", many).is_err());
    }

    #[test]
    fn both_names_of_each_tool_answer() {
        for tool in listed() {
            assert!(named(&format!("{ALIAS}{}", tool.name)).is_some(), "{}", tool.name);
            let schema = Value::Object((*tool.input_schema).clone());
            assert_eq!(schema["type"], "object");
        }
        assert_eq!(
            TABLE.each_ref().map(|row| row.name),
            crate::engine::repo::installation::FUNCTIONS
        );
        for name in ["phionyx_", "verify", "seed_verify_claim"] {
            assert!(named(name).is_none(), "{name}");
        }
    }
}
