//! `git seed mcp --phases`: the phases as tools, for a client that runs no hooks.
//!
//! The texts are those of the command line: a tool that moves the job runs the same command below
//! this process. Calls come one after another, whatever the client does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, Tool};
use serde_json::{Value, json};

use super::tools::{self, FieldKind, Given, McpToolRow, may, must};
use crate::engine::boundary::declare;
use crate::engine::policy;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::scope_words;
use crate::engine::unhooked::look::Looked;
use crate::engine::unhooked::{self, Unhooked};
use crate::phases::{FirstStep, gates};
use crate::voice::{Notice, tell};
use crate::world::{self, Held};

/// How long a boundary may take, with the hooks of the person's.
const MOST: Duration = Duration::from_mins(5);

pub(super) const ABOUT: &str = "git seed leads the work here through phases. Begin with start; \
     look reads a file or says where the job stands; advance goes on to the next phase with a \
     message; complete says that the work is done. Edit files with your own tools: what the phase \
     may not change enters no commit. Run tests as git seed exec -- <command>, which leaves a \
     receipt. Where a text names git seed phase advance, checkpoint or multiplier, use the tools \
     advance, checkpoint and declare. Nothing that is said here approves anything: only a person \
     does, at a terminal.";

/// What a tool does.
pub(super) type PhaseCall = fn(&mut Hands<'_>, &Given) -> Result<Said>;

pub(super) static TABLE: [McpToolRow<PhaseCall>; 7] = [
    McpToolRow {
        name: "start",
        title: "Start a job",
        about: "Begins a job, or goes on with the one of an earlier session of this server: \
                says what it is about. Answers with how the work begins.",
        fields: &[must("objective", FieldKind::Text(1), "What is to be done, in your words.")],
        looks: false,
        call: |hands, given| {
            // A job begins all the same, under the rules that are in force.
            let policy = policy::begin(&hands.open()?).map_or_else(
                |error| vec![tell(Notice::HookTrouble, &[("error", &error.to_string())])],
                |looked| looked.told,
            );
            let repo = hands.open()?;
            let told =
                unhooked::start::start(&repo, hands.own, &given.text("objective"), &hands.call)?;
            let all: Vec<String> = policy.into_iter().chain([told]).collect();
            Ok(Said::well(all.join("\n")))
        },
    },
    McpToolRow {
        name: "look",
        title: "Look at a file, or at where the job stands",
        about: "Reads a file of the work tree or lists a directory of it; without a path, says \
                the phase, what it allows and what is missing. Reading with this counts as work; \
                reading with your own tools does not.",
        fields: &[may(
            "path",
            FieldKind::Text(1),
            "A file or a directory of the work tree; where the job stands when omitted.",
        )],
        looks: true,
        call: |hands, given| hands.look(given),
    },
    McpToolRow {
        name: "declare",
        title: "Declare directories, or how small the work is",
        about: "Directories that execute may change, which the next step declares; and the \
                multiplier of the phase, which says how small its work is.",
        fields: &[
            may(
                "directories",
                FieldKind::List,
                "Exact directories, from the top of the work tree; they replace those that were \
                 said before, and an empty list drops them.",
            ),
            may("multiplier", FieldKind::Dial, "0.5, 1, 1.5, 2, 2.5 or 3; larger is smaller work."),
        ],
        looks: false,
        call: |hands, given| hands.declare(given),
    },
    McpToolRow {
        name: "checkpoint",
        title: "Commit the work so far",
        about: "Commits the work so far and stays in the phase (in execute).",
        fields: &[must("message", FieldKind::Text(1), "What the commit says.")],
        looks: false,
        call: |hands, given| {
            hands.own_job("checkpoint")?;
            hands.run(&["phase", "checkpoint", "-F", "-"], &given.text("message"))
        },
    },
    McpToolRow {
        name: "advance",
        title: "Go on to the next phase",
        about: "Goes on to the next phase, with its message: a first line, then the sections of \
                the phase. If something is missing, nothing changes, and the answer says what.",
        fields: &[
            may("message", FieldKind::Text(0), "The message; the first step needs none."),
            may("small", FieldKind::Flag, "Start on the small lane, in the declared directories."),
            may("up", FieldKind::Flag, "Leave the small lane; the work so far is kept."),
            may("back", FieldKind::Flag, "Go back instead, to the phase that `to` names."),
            may("to", FieldKind::Text(1), "The phase, when there are several."),
        ],
        looks: false,
        call: |hands, given| hands.advance(given),
    },
    McpToolRow {
        name: "ask",
        title: "Keep a question for the person",
        about: "Keeps a question for the person with the job. Nobody answers it here, and no \
                answer that reaches you approves anything.",
        fields: &[must("question", FieldKind::Text(1), "The question, as you would put it.")],
        looks: false,
        call: |hands, given| {
            let (repo, question) = (hands.open()?, given.text("question"));
            unhooked::start::ask(&repo, hands.own, &question, &hands.call).map(Said::well)
        },
    },
    McpToolRow {
        name: "complete",
        title: "Say that the work is done",
        about: "Closes the last phase. What the message says was done and tested is compared with \
                what git and the recorded runs show; then the job rests until a person approves \
                it.",
        fields: &[must("message", FieldKind::Text(1), "The message of the last phase.")],
        looks: false,
        call: |hands, given| hands.complete(given),
    },
];

/// All tools, as clients list them.
pub(super) fn listed() -> Vec<Tool> {
    TABLE.iter().map(described).collect()
}

pub(super) fn described(row: &McpToolRow<PhaseCall>) -> Tool {
    row.shown().with_raw_output_schema(Arc::new(schema()))
}

/// Answers one call.
pub(super) async fn answer(
    desk: Arc<Desk>,
    asked: CallToolRequestParams,
) -> std::result::Result<CallToolResult, ErrorData> {
    let known: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
    let row = named(&asked.name).ok_or_else(|| tools::unknown(&asked.name, &known))?;
    let given = row.read(asked.arguments.unwrap_or_default())?;
    let answered = tokio::task::spawn_blocking(move || desk.calls(row, &given)).await;
    let answered = answered.map_err(|_| super::broke())?;
    Ok(match answered {
        Ok(answer) => {
            let text = vec![ContentBlock::text(answer["text"].as_str().unwrap_or_default())];
            let well = answer["well"] == true;
            let mut result =
                if well { CallToolResult::success(text) } else { CallToolResult::error(text) };
            result.structured_content = Some(answer);
            result
        }
        Err(error) => super::failed(&error),
    })
}

/// The tool of this name.
pub(super) fn named(name: &str) -> Option<&'static McpToolRow<PhaseCall>> {
    TABLE.iter().find(|row| row.name == name)
}

/// What a tool says.
pub(super) struct Said {
    pub well: bool,
    pub text: String,
}

impl Said {
    fn well(text: String) -> Self {
        Self { well: true, text }
    }
}

/// One session: who speaks, and what is kept from call to call.
#[derive(Debug)]
pub(super) struct Desk {
    own: Unhooked,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    calls: u32,
    /// Directories that the next step declares which may.
    dirs: Vec<String>,
}

/// One call at the desk.
pub(super) struct Hands<'d> {
    own: &'d Unhooked,
    kept: &'d mut Kept,
    /// The id of the call.
    call: String,
}

impl Desk {
    pub(super) fn of(cwd: PathBuf) -> Self {
        Self { own: Unhooked::of_this_process(cwd), kept: Mutex::default() }
    }

    /// Calls `row`; others wait meanwhile.
    pub(super) fn calls(&self, row: &McpToolRow<PhaseCall>, given: &Given) -> Result<Value> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.calls += 1;
        let call = format!("{}-{}", self.own.id, kept.calls);
        unhooked::start::enter(&super::open(&self.own.cwd)?, &self.own)?;
        let said = (row.call)(&mut Hands { own: &self.own, kept: &mut kept, call }, given)?;
        let stands = standing(&self.own.cwd)?;
        Ok(json!({ "well": said.well, "text": said.text, "job": stands.0, "phase": stands.1 }))
    }

    /// The server runs: its client is an agent's from now on.
    pub(super) fn begins(&self) {
        // Where no phases are led, or by another host, the first call says so.
        let _ =
            super::open(&self.own.cwd).and_then(|repo| unhooked::start::enter(&repo, &self.own));
    }

    /// The client is gone.
    pub(super) fn ends(&self) {
        // Nobody listens any more; the session is then found to be over by whoever comes next.
        let _ = super::open(&self.own.cwd).and_then(|repo| unhooked::end(&repo, &self.own));
    }
}

/// The job in focus and its phase.
fn standing(cwd: &Path) -> Result<(Option<String>, Option<String>)> {
    let focused = super::open(cwd)?.focused()?;
    let state = focused.map(|focused| focused.state);
    let phase = state.as_ref().map(|state| state.stand.phase.to_string());
    Ok((state.map(|state| state.job.id.to_string()), phase))
}

impl Hands<'_> {
    fn open(&self) -> Result<Repo> {
        super::open(&self.own.cwd)
    }

    /// The job is this session's, which goes on in it with the tool `name`.
    fn own_job(&self, name: &str) -> Result<()> {
        let repo = self.open()?;
        unhooked::own_job(&repo, self.own)?;
        unhooked::note_call(&repo, self.own, name, &self.call)
    }

    /// Runs a command of git seed's, as the agent gives it.
    fn run(&self, words: &[&str], input: &str) -> Result<Said> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let ran = world::run_ourselves(&words, input.as_bytes(), &self.own.cwd, MOST, Held::Free)?;
        Ok(Said { well: ran.passed, text: ran.said.trim_end().to_owned() })
    }

    fn look(&mut self, given: &Given) -> Result<Said> {
        let repo = self.open()?;
        let Some(path) = given.text_if_any("path") else {
            if unhooked::drives(&repo, self.own)? {
                unhooked::note_call(&repo, self.own, "look", &self.call)?;
            }
            let status = self.run(&["status"], "")?;
            let phase = self.run(&["phase", "current"], "")?;
            return Ok(Said { text: format!("{}\n{}", status.text, phase.text), ..status });
        };
        Ok(match unhooked::look::look(&repo, self.own, &path, &self.call)? {
            Looked::Seen(text) => Said::well(text),
            Looked::Refused(text) => Said { well: false, text },
        })
    }

    fn declare(&mut self, given: &Given) -> Result<Said> {
        let dirs = given.list_if_any("directories");
        let multiplier = given.text_if_any("multiplier");
        if dirs.is_none() && multiplier.is_none() {
            return Err(EngineError::Usage(tell(Notice::UnhookedDeclares, &[])));
        }
        self.own_job("declare")?;
        let repo = self.open()?;
        let focused = repo.require_focused()?;
        let row = repo.row(Some(&focused));
        let talk = focused.state.stand.is_talk();
        let dirs = dirs.map(|dirs| scope_words::dirs_of(&repo, &dirs));
        if let Some(dirs) = &dirs {
            let may = if talk { Ok(()) } else { gates::declares(row, first(dirs)) };
            if let Err(refusal) =
                may.and_then(|()| declare::dirs_are_sound(&repo, &focused.state, dirs))
            {
                let text = repo.say(Some(&focused), &refusal, row.name.as_str());
                return Ok(Said { well: false, text });
            }
        }
        let mut said = Vec::new();
        if let Some(value) = &multiplier {
            let set = self.run(&["phase", "multiplier", "--", value], "")?;
            if !set.well {
                return Ok(set);
            }
            said.push(set.text);
        }
        if let Some(dirs) = dirs {
            let key = match (dirs.is_empty(), talk) {
                (true, _) => Notice::UnhookedDeclaredNone,
                (false, true) => Notice::UnhookedDeclaredLater,
                (false, false) => Notice::UnhookedDeclared,
            };
            said.push(tell(key, &[("dirs", &dirs.join(", "))]));
            self.kept.dirs = dirs;
        }
        Ok(Said::well(said.join("\n")))
    }

    /// The step declares what is kept: the small lane does out of talk, and else each phase whose
    /// directories are its to declare.
    fn declares_now(&self, small: bool) -> Result<bool> {
        let repo = self.open()?;
        let focused = repo.require_focused()?;
        if focused.state.stand.is_talk() {
            return Ok(small || repo.first_step(&focused.state) == FirstStep::Small);
        }
        Ok(small || gates::declares(repo.row(Some(&focused)), first(&self.kept.dirs)).is_ok())
    }

    fn advance(&mut self, given: &Given) -> Result<Said> {
        self.own_job("advance")?;
        let message = given.text("message");
        let to = given.text_if_any("to");
        if given.is_set("back") {
            let mut words = vec!["phase", "back", "-F", "-", "--"];
            words.extend(to.as_deref());
            return self.run(&words, &message);
        }
        let (up, small) = (given.is_set("up"), given.is_set("small"));
        let declares = !up && self.declares_now(small)?;
        let dirs = if declares { &*self.kept.dirs } else { &[] };
        let scopes: Vec<String> = dirs.iter().map(|dir| format!("--scope={dir}")).collect();
        let to = to.map(|to| format!("--to={to}"));
        let mut words = vec!["phase", "advance", "-F", "-"];
        words.extend(small.then_some("--small"));
        words.extend(up.then_some("--up"));
        words.extend(to.as_deref());
        words.extend(scopes.iter().map(String::as_str));
        let mut said = self.run(&words, &message)?;
        if said.well && declares {
            self.kept.dirs.clear();
        }
        if said.well && !self.kept.dirs.is_empty() {
            let dirs = self.kept.dirs.join(", ");
            let kept = tell(Notice::UnhookedNotDeclaredYet, &[("dirs", &dirs)]);
            said.text = format!("{}\n{kept}", said.text);
        }
        Ok(said)
    }

    fn complete(&mut self, given: &Given) -> Result<Said> {
        let message = given.text("message");
        let claimed = {
            let repo = self.open()?;
            match unhooked::complete::claim(&repo, self.own, &message, &self.call)? {
                Ok(claimed) => claimed,
                Err(text) => return Ok(Said { well: false, text }),
            }
        };
        let advance = ["phase", "advance", "-F", "-"];
        let mut said = self.run(&advance, &message)?;
        if said.well && unhooked::complete::closes_next(&self.open()?, &claimed)? {
            said = self.run(&advance, &message)?;
        }
        if !said.well {
            return Ok(said);
        }
        Ok(match unhooked::complete::rests(&self.open()?, &claimed)? {
            Some(rests) => Said::well(format!("{}\n{rests}", said.text)),
            None => said,
        })
    }
}

fn first(dirs: &[String]) -> Option<&str> {
    dirs.first().map(String::as_str)
}

/// What each of the tools answers.
fn schema() -> JsonObject {
    let text_or_null = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    let properties = json!({
        "well": {"type": "boolean"}, "text": {"type": "string"},
        "job": text_or_null, "phase": text_or_null,
    });
    let schema = json!({
        "type": "object", "properties": properties, "required": ["well", "text", "job", "phase"],
    });
    if let Value::Object(schema) = schema { schema } else { JsonObject::new() }
}
