//! Tells a host of our MCP server, and takes that back byte for byte.
//!
//! As with hook lines the text is the person's: one piece is put between its bytes, and the
//! record says which. While the piece stands as it was put, exactly it is cut. Hosts write
//! some of these files anew all the time; there the entry goes by structure, and with it
//! what we made around it and nobody else used. Files and records are the caller's.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::document::{
    BadSettings, Document, Edit, NO_COMMENTS, Node, Style, applied, is_blank, newline, value_of,
};
use super::install::{Installed, Removed};
use super::toml_document;

/// The server's name, by which hosts and agents call it.
pub(crate) const NAME: &str = "seed";

/// What stands for the work tree in a row's path of keys.
const WORK_TREE: &str = "{work tree}";

/// Where a host's own table of MCP servers for one project lies.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerRow {
    /// Below the work tree, or from `~`.
    pub file: String,
    /// A variable that names another directory for a file from `~`.
    pub dir: Option<String>,
    form: Form,
    /// The host passes over comments in it.
    #[serde(default)]
    comments: bool,
    /// The keys that lead to the table.
    at: Vec<String>,
    /// Further keys of the entry.
    #[serde(default)]
    also: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    Json,
    Toml,
}

/// What was put in: a line of the record, as JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Piece {
    text: String,
    /// How many of the keys that lead to the entry were there before.
    before: usize,
    /// The file itself was not there, or had nothing in it.
    file: bool,
}

impl ServerRow {
    /// The keys that lead to our entry.
    fn keys(&self, work_tree: &str) -> Vec<String> {
        let keys = self.at.iter().map(|key| key.replace(WORK_TREE, work_tree));
        keys.chain([NAME.to_owned()]).collect()
    }

    fn entry(&self, binary: &str) -> Value {
        let mut entry = self.also.clone();
        entry.insert("command".to_owned(), json!(binary));
        entry.insert("args".to_owned(), json!(["mcp"]));
        Value::Object(entry)
    }

    /// The text with our entry, there once. Another server of our name is left alone: an error.
    pub(crate) fn add(
        &self,
        existing: Option<&str>,
        work_tree: &str,
        binary: &str,
    ) -> Result<Installed, BadSettings> {
        let text = existing.unwrap_or_default();
        let (new, piece) = match self.form {
            Form::Json => self.add_json(existing, work_tree, binary)?,
            Form::Toml => self.add_toml(existing, work_tree, binary)?,
        };
        let undo = piece.map(|piece| format!("{}\n", json!(piece))).unwrap_or_default();
        Ok(Installed { changed: existing.is_none() || new != text, text: new, undo })
    }

    /// The text without our entry. `undo` is what [`ServerRow::add`] returned, all of it.
    pub(crate) fn remove(
        &self,
        text: &str,
        work_tree: &str,
        undo: &str,
    ) -> Result<Removed, BadSettings> {
        let pieces: Vec<Piece> =
            undo.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let file = pieces.iter().any(|piece| piece.file);
        let done = |rest: String| {
            let changed = rest != text;
            let empty = is_blank(&rest) || rest.trim() == "{}";
            Removed { text: (!(changed && file && empty)).then_some(rest), changed }
        };
        let whole =
            |piece: &&Piece| !piece.text.is_empty() && text.matches(&piece.text).count() == 1;
        if let Some(piece) = pieces.iter().rev().find(whole) {
            let rest = text.replacen(&piece.text, "", 1);
            let sound = match self.form {
                Form::Json => is_blank(&rest) || Document::parse(&rest).is_ok(),
                // The host may have put tables of the entry below the piece.
                Form::Toml => toml_document::Document::parse(&rest)
                    .is_ok_and(|rest| rest.place(&self.keys(work_tree)).is_none()),
            };
            if sound {
                return Ok(done(rest));
            }
        }
        let before = pieces.iter().map(|piece| piece.before).min().unwrap_or(usize::MAX);
        match self.form {
            Form::Json => self.remove_json(text, work_tree, before).map(done),
            Form::Toml => self.remove_toml(text, work_tree).map(done),
        }
    }

    /// Whether the text has our entry, running `binary`.
    pub(crate) fn has(&self, text: &str, work_tree: &str, binary: &str) -> bool {
        self.program(text, work_tree).is_some_and(|program| program == binary)
    }

    /// The program of our entry; `None` where there is none, or where it is another server.
    fn program(&self, text: &str, work_tree: &str) -> Option<String> {
        let all = match self.form {
            Form::Json => value_of(text, self.comments)?,
            Form::Toml => serde_json::to_value(text.parse::<toml::Table>().ok()?).ok()?,
        };
        let entry =
            self.keys(work_tree).iter().try_fold(&all, |value: &Value, key| value.get(key))?;
        ours(entry).map(str::to_owned)
    }

    fn add_json(
        &self,
        existing: Option<&str>,
        work_tree: &str,
        binary: &str,
    ) -> Result<(String, Option<Piece>), BadSettings> {
        let text = existing.unwrap_or_default();
        let keys = self.keys(work_tree);
        // The keys from `depth` on, and what they lead to.
        let nested = |depth: usize| {
            let inner = keys[depth + 1..].iter().rev();
            inner.fold(self.entry(binary), |value, key| json!({ key.as_str(): value }))
        };
        if is_blank(text) {
            let style = Style { newline: newline(text), unit: "  ".to_owned(), compact: false };
            let file = json!({ keys[0].as_str(): nested(0) });
            let piece = format!("{}{}", style.spelled(&file, ""), style.newline);
            let new = format!("{text}{piece}");
            return Ok((new, Some(Piece { text: piece, before: 0, file: existing.is_none() })));
        }
        let document = Document::parse(text)?;
        if !self.comments {
            document.refuse_comments(NO_COMMENTS)?;
        }
        let mut holder = document.object(&document.root, "the settings")?;
        for (depth, key) in keys.iter().enumerate() {
            let Some(next) = holder.member(key) else {
                let edit = document.put(holder, &[(Some(key.clone()), nested(depth))], "");
                let piece = Piece { text: edit.text.clone(), before: depth, file: false };
                return Ok((applied(text, vec![edit]), Some(piece)));
            };
            holder = document.object(next, &format!("`{key}`"))?;
        }
        let entry = document.value(holder);
        let Some(command) = holder.member("command").filter(|_| ours(&entry).is_some()) else {
            return Err(document.bad(holder, taken()));
        };
        let edit = Edit { at: command.span.clone(), text: json!(binary).to_string(), into: None };
        Ok((applied(text, vec![edit]), None))
    }

    fn remove_json(
        &self,
        text: &str,
        work_tree: &str,
        before: usize,
    ) -> Result<String, BadSettings> {
        let document = Document::parse(text)?;
        let mut way: Vec<(&Node, usize)> = Vec::new();
        let mut holder = &document.root;
        for key in self.keys(work_tree) {
            let Some(at) = holder.members().iter().rposition(|member| member.name == key) else {
                return Ok(text.to_owned());
            };
            way.push((holder, at));
            holder = &holder.members()[at].value;
        }
        if ours(&document.value(holder)).is_none() {
            return Ok(text.to_owned());
        }
        // Outwards, as long as what we made holds nothing else.
        let mut depth = way.len() - 1;
        while depth > before && way[depth].0.items().len() == 1 {
            depth -= 1;
        }
        let (holder, at) = way[depth];
        let mut rest = text.to_owned();
        rest.replace_range(holder.without(at), "");
        Ok(rest)
    }

    fn header(&self, work_tree: &str) -> String {
        format!("[{}]", self.keys(work_tree).join("."))
    }

    fn add_toml(
        &self,
        existing: Option<&str>,
        work_tree: &str,
        binary: &str,
    ) -> Result<(String, Option<Piece>), BadSettings> {
        let text = existing.unwrap_or_default();
        let document = toml_document::Document::parse(text)?;
        let end = newline(text);
        let lines = |entry: &Value| -> String {
            let pairs = entry.as_object().into_iter().flatten();
            // What these values are, JSON and TOML spell alike.
            pairs.map(|(key, value)| format!("{key} = {value}{end}")).collect()
        };
        let block = format!("{}{end}{}", self.header(work_tree), lines(&self.entry(binary)));
        if let Some(old) = self.program(text, work_tree) {
            let command = [self.keys(work_tree), vec!["command".to_owned()]].concat();
            let mut new = text.to_owned();
            if let Some(place) = document.place(&command).filter(|_| old != binary) {
                new.replace_range(place, &json!(binary).to_string());
            }
            return Ok((new, None));
        }
        let gap = match text {
            "" => String::new(),
            text if text.ends_with('\n') => end.to_owned(),
            _ => format!("{end}{end}"),
        };
        let piece = format!("{gap}{block}");
        let new = format!("{text}{piece}");
        // A table of this name that is no ours makes the text unsound.
        toml_document::Document::parse(&new).map_err(|bad| BadSettings { why: taken(), ..bad })?;
        Ok((new, Some(Piece { text: piece, before: 0, file: existing.is_none() })))
    }

    fn remove_toml(&self, text: &str, work_tree: &str) -> Result<String, BadSettings> {
        if self.program(text, work_tree).is_none() {
            return Ok(text.to_owned());
        }
        let rest = toml_document::Document::parse(text)?.without(&self.keys(work_tree));
        Ok(rest.unwrap_or_else(|| text.to_owned()))
    }
}

/// The program of an entry that runs our server.
fn ours(entry: &Value) -> Option<&str> {
    let program = entry.get("command")?.as_str()?;
    let file = program.rsplit(['/', '\\']).next()?;
    let runs = matches!(file, "git-seed" | "git-seed.exe") && entry.get("args")? == &json!(["mcp"]);
    runs.then_some(program)
}

fn taken() -> String {
    format!("an MCP server called `{NAME}` is there that is not git seed's")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::row;
    use super::*;

    const BINARY: &str = "/opt/bin/git-seed";
    const TREE: &str = "/work/some.where";

    fn server(host: &str) -> &'static ServerRow {
        row(host).expect("a host").server.as_ref().expect("it takes servers")
    }

    #[test]
    fn an_entry_goes_in_and_comes_out_byte_for_byte() {
        let json = [
            "",
            "\n",
            "{}",
            "{\n}\n",
            "{\"a\":1}",
            "{\n    \"a\": {\"b\": []},\n    \"mcpServers\": {}\n}",
            "{\n\t\"projects\": {\n\t\t\"/work/some.where\": {\n\t\t\t\"x\": 1\n\t\t}\n\t}\n}\r\n",
            "{\"projects\":{\"/work/some.where\":{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}}\
             ,\"z\":\"é\"}",
            "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  }\n}\n",
        ];
        let toml = [
            "",
            "model = \"x\"",
            "model = \"x\"\n",
            "[mcp_servers.other]\ncommand = \"x\"\n\n",
            "a = 1\r\n",
        ];
        let texts = |host| if host == "codex" { toml.to_vec() } else { json.to_vec() };
        for host in ["claude", "gemini", "codex"] {
            for before in texts(host) {
                let row = server(host);
                let added = row.add(Some(before), TREE, BINARY).expect("it goes in");
                assert!(row.has(&added.text, TREE, BINARY), "{host}: {}", added.text);
                let again = row.add(Some(&added.text), TREE, BINARY).expect("it is there");
                assert!(!again.changed && again.undo.is_empty(), "{host}: {}", again.text);
                let out = row.remove(&added.text, TREE, &added.undo).expect("it comes out");
                assert_eq!(out.text.as_deref(), Some(before), "{host}");
            }
            let made = server(host).add(None, TREE, BINARY).expect("it goes in");
            let out = server(host).remove(&made.text, TREE, &made.undo).expect("it comes out");
            assert_eq!((out.text, out.changed), (None, true), "{host}: the file was ours");
        }
    }

    #[test]
    fn another_binary_takes_the_entry_over() {
        for host in ["claude", "gemini", "codex"] {
            let row = server(host);
            let old = row.add(None, TREE, "/old/git-seed").expect("it goes in");
            let new = row.add(Some(&old.text), TREE, BINARY).expect("it is taken over");
            assert!(
                new.changed && row.has(&new.text, TREE, BINARY) && !new.text.contains("/old/"),
                "{}",
                new.text
            );
            let out = row.remove(&new.text, TREE, &old.undo).expect("it comes out");
            assert_eq!(out.text, None, "{host}");
        }
    }

    /// Claude Code writes its file anew, in its own layout and with keys of its own.
    #[test]
    fn an_entry_that_the_host_wrote_anew_comes_out_by_structure() {
        let row = server("claude");
        let before = "{\"a\":1}";
        let added = row.add(Some(before), TREE, BINARY).expect("it goes in");
        let mut value: Value = serde_json::from_str(&added.text).expect("JSON");
        let written = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
        let out = row.remove(&written(&value), TREE, &added.undo).expect("it comes out");
        assert_eq!(out.text.as_deref(), Some("{\n  \"a\": 1\n}"));
        value["projects"][TREE]["history"] = json!([1]);
        let out = row.remove(&written(&value), TREE, &added.undo).expect("it comes out");
        let left: Value = serde_json::from_str(&out.text.expect("the file stays")).expect("JSON");
        assert_eq!(left, json!({"a": 1, "projects": {TREE: {"history": [1]}}}));
    }

    #[test]
    fn another_server_of_our_name_is_left_alone() {
        let foreign =
            json!({"mcpServers": {"seed": {"command": "/bin/other", "args": ["mcp"]}}}).to_string();
        let row = server("gemini");
        let bad = row.add(Some(&foreign), TREE, BINARY).expect_err("it is somebody else's");
        assert!(bad.why.contains("not git seed's"), "{bad}");
        assert!(!row.has(&foreign, TREE, "/bin/other"));
        let out = row.remove(&foreign, TREE, "").expect("nothing to take out");
        assert_eq!((out.text.as_deref(), out.changed), (Some(foreign.as_str()), false));
        let codex = "[mcp_servers.seed]\ncommand = \"x\"\n";
        assert!(server("codex").add(Some(codex), TREE, BINARY).is_err());
        assert!(server("codex").add(Some("mcp_servers = 1"), TREE, BINARY).is_err());
        for (text, why) in [("{\"mcpServers\": 1}", "must be an object"), ("{", "EOF")] {
            let bad = row.add(Some(text), TREE, BINARY).expect_err("it does not fit");
            assert!(bad.why.contains(why), "{bad}");
        }
    }

    #[test]
    fn an_entry_in_toml_comes_out_however_the_host_spells_it() {
        let row = server("codex");
        let spelled = [
            "[ mcp_servers . \"seed\" ] # of the host\ncommand = '/opt/bin/git-seed'\n\
             args = [\n  \"mcp\",\n]\n",
            "[mcp_servers.seed]\nargs = ['mcp']\ncommand = '/opt/bin/git-seed'\n\n\
             [mcp_servers.seed.env]\nA = \"1\"\n",
            "[mcp_servers.seed]\ncommand = \"/opt/bin/git-seed\"\nargs = [\"mcp\"]\n\
             [mcp_servers.seed.env]\nA = \"1\"\n",
            "[mcp_servers]\nseed = { command = \"/opt/bin/git-seed\", args = [\"mcp\"] }\n",
        ];
        for entry in spelled {
            let text = format!("[a]\ncommand = \"/opt/bin/git-seed\"\n{entry}[z]\nb = 1\n");
            assert!(row.has(&text, TREE, BINARY), "{text}");
            let same = row.add(Some(&text), TREE, BINARY).expect("it is there");
            assert!(!same.changed, "{}", same.text);
            let moved = row.add(Some(&text), TREE, "/new/git-seed").expect("it is taken over");
            assert!(row.has(&moved.text, TREE, "/new/git-seed"), "{}", moved.text);
            assert!(
                moved.text.starts_with("[a]\ncommand = \"/opt/bin/git-seed\"\n"),
                "{}",
                moved.text
            );
            let own = row.add(Some(""), TREE, BINARY).expect("it goes in").undo;
            let out =
                row.remove(&text, TREE, &own).expect("it comes out").text.expect("the file stays");
            let rest = out.replace("[mcp_servers]\n", "");
            assert_eq!(rest, "[a]\ncommand = \"/opt/bin/git-seed\"\n[z]\nb = 1\n");
        }
    }

    /// TOML texts in many layouts: keys and tables of their own, comments, blank lines, both
    /// ends of lines, and strings that look like our table.
    fn toml_texts() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "key\\.?'?[a-c]'? = (1|true|'x'|\"é\"|\\[ 1, 2 \\]|\\{ a = 1 \\})( # c)?".boxed(),
            "\\[ ?table\\.[a-c] ?\\]( # \\[mcp_servers.seed\\])?".boxed(),
            "\\[mcp_servers\\.[a-c]\\]".boxed(),
            "\\[\\[list\\]\\]".boxed(),
            "# \\[mcp_servers.seed\\]| *".boxed(),
            Just("long = '''\n[mcp_servers.seed]\ncommand = \"x\"\n'''".to_owned()).boxed(),
            Just("more = [\n  1, # one\n\n  2,\n]".to_owned()).boxed(),
        ];
        let lines = prop::collection::vec((line, "\r?\n"), 0..8);
        (lines, any::<bool>(), "\u{feff}?").prop_map(|(lines, whole, bom)| {
            // What TOML does not allow, such as a key twice, is left out again.
            let sound = |kept: String, (line, end): (String, String)| {
                let more = format!("{kept}{line}{end}");
                if more.parse::<toml::Table>().is_ok() { more } else { kept }
            };
            let kept = lines.into_iter().fold(bom, sound);
            let short = kept.trim_end();
            if whole || short.parse::<toml::Table>().is_err() { kept } else { short.to_owned() }
        })
    }

    proptest! {
        #[test]
        fn any_toml_comes_back_byte_for_byte(before in toml_texts()) {
            let row = server("codex");
            let added = row.add(Some(&before), TREE, BINARY).expect("it goes in");
            prop_assert!(row.has(&added.text, TREE, BINARY), "{}", added.text);
            let out = row.remove(&added.text, TREE, &added.undo).expect("it comes out");
            prop_assert_eq!(out.text.as_deref(), Some(before.as_str()));
        }

        /// Without the record the lines of the entry go, wherever the host moved them.
        #[test]
        fn any_toml_loses_the_lines_of_the_entry_only(
            before in toml_texts(), after in toml_texts(), crlf in any::<bool>(),
        ) {
            let row = server("codex");
            let after = after.find("[table").map_or("", |at| &after[at..]);
            let end = if crlf { "\r\n" } else { "\n" };
            let lines = ["[mcp_servers.seed]", "command = '/opt/bin/git-seed' # moved",
                "args = [\"mcp\"]", ""];
            let text = format!("{before}{end}{}{after}", lines.join(end));
            prop_assume!(row.has(&text, TREE, BINARY));
            let out = row.remove(&text, TREE, "").expect("it comes out");
            prop_assert_eq!(out.text, Some(format!("{before}{end}{after}")));
        }
    }
}
