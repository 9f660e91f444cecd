//! The clients: where npm puts them, how they are told of the model, and how one is started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use git_seed::hosts;
use serde_json::{Value, json};

use super::place::Place;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

/// What one session is started with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    pub prompt: &'a str,
    /// It goes on with the last session.
    pub resumes: bool,
    /// Gemini asks as it does for a person, and nobody is there to answer.
    pub asks: bool,
    /// The server of `git seed mcp --phases` is registered.
    pub phases: bool,
    /// A model of Codex without a tool for patches, which has subagents and all tools of servers.
    pub plain_model: bool,
    /// Codex's `sandbox_mode`; its default, where there is none.
    pub sandbox: Option<&'static str>,
}

impl Client {
    pub fn host(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// The version that the row of the host was tried with.
    fn version(self) -> &'static str {
        hosts::row(self.host()).expect("it loads").tried.as_deref().expect("it was tried")
    }

    fn packages(self) -> Vec<String> {
        let names: &[&str] = match self {
            Self::Claude => &["@anthropic-ai/claude-code"],
            Self::Codex => &["@openai/codex"],
            Self::Gemini => &["@google/gemini-cli"],
            // It installs the second one itself where it reaches a registry, and waits for it.
            Self::Opencode => &["opencode-ai", "@opencode-ai/plugin"],
        };
        names.iter().map(|name| format!("{name}@{}", self.version())).collect()
    }

    /// The directory that npm puts this version into; it is asked once.
    pub fn installed(self) -> PathBuf {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(|dir| Path::new(&dir).join("git-seed"));
        let cache = cache.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned());
        let dir = cache.join("clients").join(format!("{}-{}", self.host(), self.version()));
        let done = dir.join("installed");
        if !done.is_file() {
            fs::create_dir_all(&dir).expect("a directory");
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"]);
            let said = npm.arg(&dir).args(self.packages()).output().expect("npm runs");
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
            fs::write(done, "").expect("it is written");
        }
        dir.join("node_modules")
    }

    /// The program, with the words that every start of it begins with.
    pub fn program(self) -> Vec<PathBuf> {
        let modules = self.installed();
        let below = |pattern: &str| {
            matching(&modules, pattern).unwrap_or_else(|| panic!("{self:?} has no {pattern}"))
        };
        match self {
            Self::Claude => vec![below("@anthropic-ai/claude-code-*/claude")],
            Self::Codex => vec![below("@openai/codex-*/vendor/*/bin/codex")],
            Self::Gemini => vec!["node".into(), below("@google/gemini-cli/bundle/gemini.js")],
            Self::Opencode => vec![below("opencode-*/bin/opencode")],
        }
    }

    /// Writes what the client reads as it starts.
    pub fn configure(self, place: &Place, port: u16, start: Start<'_>) {
        let base = format!("http://127.0.0.1:{port}");
        let served =
            start.phases.then(|| json!({ "command": "git-seed", "args": ["mcp", "--phases"] }));
        match self {
            Self::Claude => {
                let project = json!({ "hasTrustDialogAccepted": true, "allowedTools": [] });
                place.home_has_unless(".claude.json", || {
                    json!({ "hasCompletedOnboarding": true,
                        "projects": { place.top(): project, place.start(): project } })
                    .to_string()
                });
                if let Some(served) = served {
                    let servers = json!({ "mcpServers": { "seed": served } });
                    place.home_has("servers.json", &servers.to_string());
                }
            }
            Self::Codex => {
                let model = if start.plain_model { "gpt-5.4" } else { "gpt-5.5" };
                let set = |mode: &str| format!("sandbox_mode = \"{mode}\"\n");
                let sandbox = start.sandbox.map(set).unwrap_or_default();
                let mut text = CODEX
                    .replace("@MODEL@", model)
                    .replace("@BASE@", &format!("{base}/v1"))
                    .replace("@SANDBOX@", &sandbox)
                    .replace("@TOP@", &place.top());
                if served.is_some() {
                    text += "[mcp_servers.seed]\ncommand = \"git-seed\"\n";
                    text += "args = [\"mcp\", \"--phases\"]\n";
                }
                place.home_has(".codex/config.toml", &text);
                // It starts a login shell, which sets a PATH of its own.
                place.home_has(".bash_profile", &format!("export PATH='{}'\n", place.path()));
            }
            Self::Gemini => {
                let mut settings = gemini();
                if let Some(mut served) = served {
                    served["trust"] = json!(true);
                    settings["mcpServers"] = json!({ "seed": served });
                }
                place.home_has(".gemini/settings.json", &settings.to_string());
            }
            Self::Opencode => {
                let mut settings = opencode(&base);
                if served.is_some() {
                    let command = ["git-seed", "mcp", "--phases"];
                    let local = json!({ "type": "local", "command": command, "enabled": true });
                    settings["mcp"] = json!({ "seed": local });
                }
                place.home_has(".config/opencode/opencode.json", &settings.to_string());
                self.with_its_plugin(place);
            }
        }
    }

    /// Puts opencode's own package where it would install it.
    fn with_its_plugin(self, place: &Place) {
        let modules = self.installed();
        let top = Path::new(&place.top()).join(".opencode");
        for dir in [place.home().join(".config/opencode"), top] {
            if dir.is_dir() && !dir.join("node_modules").exists() {
                let copied = Command::new("cp").arg("-R").arg(&modules).arg(&dir).status();
                assert!(copied.expect("cp runs").success());
                let version = self.version();
                let package = json!({ "dependencies": { "@opencode-ai/plugin": version } });
                fs::write(dir.join("package.json"), package.to_string()).expect("it is written");
            }
        }
    }

    /// The words of one start.
    pub fn words(self, place: &Place, start: Start<'_>) -> Vec<String> {
        let Start { prompt, resumes, .. } = start;
        let mut words: Vec<&str> = Vec::new();
        let (top, servers) =
            (place.start(), place.home().join("servers.json").display().to_string());
        match self {
            Self::Claude => {
                words.extend(["-p", prompt, "--output-format", "stream-json", "--verbose"]);
                words.extend(["--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits"]);
                words.extend(["--allowedTools", "Bash,Read,Write,Edit,Task,Agent,mcp__seed"]);
                words.extend(if resumes { &["--continue"][..] } else { &[] });
                if start.phases {
                    words.extend(["--strict-mcp-config", "--mcp-config", &servers]);
                }
            }
            Self::Codex => {
                words.extend(["exec", "--dangerously-bypass-hook-trust", "--json", "-C", &top]);
                words.extend(if resumes { &["resume", "--last"][..] } else { &[] });
                words.push(prompt);
            }
            Self::Gemini => {
                words.extend(["-p", prompt, "-m", "gemini-2.5-flash"]);
                words.extend(["--output-format", "stream-json", "--approval-mode"]);
                words.push(if start.asks { "default" } else { "yolo" });
                words.extend(if resumes { &["--resume", "latest"][..] } else { &[] });
            }
            Self::Opencode => {
                words.extend(["run", "--format", "json"]);
                words.extend(if resumes { &["--continue"][..] } else { &[] });
                words.push(prompt);
            }
        }
        words.into_iter().map(str::to_owned).collect()
    }

    /// What the client finds in its environment: the model, and nothing that it would fetch.
    pub fn environment(self, place: &Place, port: u16) -> Vec<(&'static str, String)> {
        let base = format!("http://127.0.0.1:{port}");
        let home = place.home();
        let below = |dir: &str| home.join(dir).display().to_string();
        let set = |names: &[&'static str], value: &str| {
            names.iter().map(|name| (*name, value.to_owned())).collect::<Vec<_>>()
        };
        match self {
            Self::Claude => [
                set(&["ANTHROPIC_BASE_URL"], &base),
                set(&["ANTHROPIC_API_KEY"], "none"),
                set(&["CLAUDE_CODE_AUTO_COMPACT_WINDOW"], "100000"),
                set(
                    &[
                        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                        "DISABLE_TELEMETRY",
                        "DISABLE_AUTOUPDATER",
                        "DISABLE_ERROR_REPORTING",
                    ],
                    "1",
                ),
            ]
            .concat(),
            Self::Codex => {
                [set(&["CODEX_HOME"], &below(".codex")), set(&["SCRIPTED_KEY"], "none")].concat()
            }
            Self::Gemini => [
                set(&["GEMINI_API_KEY"], "none"),
                set(&["GOOGLE_GEMINI_BASE_URL"], &base),
                set(&["GEMINI_CLI_NO_RELAUNCH", "GEMINI_CLI_TRUST_WORKSPACE"], "true"),
            ]
            .concat(),
            Self::Opencode => [
                set(&["npm_config_offline"], "true"),
                set(
                    &[
                        "OPENCODE_DISABLE_MODELS_FETCH",
                        "OPENCODE_DISABLE_AUTOUPDATE",
                        "OPENCODE_DISABLE_LSP_DOWNLOAD",
                        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
                        "OPENCODE_DISABLE_SHARE",
                    ],
                    "1",
                ),
                set(&["XDG_CONFIG_HOME"], &below(".config")),
                set(&["XDG_DATA_HOME"], &below(".local/share")),
                set(&["XDG_CACHE_HOME"], &below(".cache")),
                set(&["XDG_STATE_HOME"], &below(".local/state")),
            ]
            .concat(),
        }
    }
}

/// The first file below `dir` that a pattern fits; a `*` stands for the rest of a name.
fn matching(dir: &Path, pattern: &str) -> Option<PathBuf> {
    let (name, rest) = match pattern.split_once('/') {
        Some((name, rest)) => (name, Some(rest)),
        None => (pattern, None),
    };
    let mut found: Vec<PathBuf> = match name.strip_suffix('*') {
        None => vec![dir.join(name)],
        Some(head) => fs::read_dir(dir)
            .ok()?
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(head))
            .map(|entry| entry.path())
            .collect(),
    };
    found.sort();
    found.into_iter().find_map(|path| match rest {
        Some(rest) => matching(&path, rest),
        None => path.is_file().then_some(path),
    })
}

/// Without a word of its sandbox: in its default one the agent's shell cannot write to `.git`.
const CODEX: &str = r#"model = "@MODEL@"
model_provider = "scripted"
approval_policy = "never"
@SANDBOX@check_for_update_on_startup = false
model_auto_compact_token_limit = 50000
[model_providers.scripted]
name = "scripted"
base_url = "@BASE@"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[feedback]
enabled = false
[features]
enable_request_compression = false
apps = false
plugins = false
[projects."@TOP@"]
trust_level = "trusted"
"#;

fn gemini() -> Value {
    json!({
        "security": { "auth": { "selectedType": "gemini-api-key" },
            "folderTrust": { "enabled": false } },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "experimental": { "enableAgents": true },
        // Of a million tokens: an answer that fills the context is beyond it.
        "model": { "compressionThreshold": 0.05 },
    })
}

fn opencode(base: &str) -> Value {
    let model = json!({ "name": "scripted", "tool_call": true,
        "limit": { "context": 200_000, "output": 8_192 } });
    let options = json!({ "baseURL": format!("{base}/v1"), "apiKey": "none" });
    json!({
        "provider": { "scripted": { "npm": "@ai-sdk/openai-compatible", "name": "scripted",
            "options": options, "models": { "scripted": model } } },
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "share": "disabled",
        "autoupdate": false,
        "permission": "allow",
        "enabled_providers": ["scripted"],
    })
}
