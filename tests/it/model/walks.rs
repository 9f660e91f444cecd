//! What the search says of a job is what the binary does: walks on real repositories.
//!
//! A coin with a fixed seed picks commands, calls, questions and ends of turns; each is given to
//! the binary and to the model at once. The model keeps every state in which the job may be. After
//! each turn the binary tells where the job stands, and states that say something else are let
//! go: a walk fails where none is left. What passes, what is refused and by which case must be the
//! same in one of them. So a mirror of the engine that goes another way is found where a walk
//! comes by it.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::process::Stdio;
use std::{fs, thread};

use serde_json::{Value, json};

use super::super::world::{CODE, Did, PAGE, Reply, World, objective, page, question};
use super::{
    Act, Around, Came, Class, Cmd, Dial, Life, Plan, Search, Since, State, Text, asked, unique,
};
use git_seed::phases::message::Message;
use git_seed::phases::{PhaseKind, gates};
use git_seed::rules::Rules;
use git_seed::voice;

/// The walks: the coin's seed, how many turns of a hundred lead on, how many there are, and
/// whether the job is a small one.
const WALKS: [(u64, u64, u32, bool); 12] = [
    (1, 100, 34, false),
    (2, 100, 38, false),
    (3, 80, 16, false),
    (4, 85, 20, false),
    (5, 70, 16, false),
    (6, 65, 26, false),
    (7, 50, 14, false),
    (8, 30, 16, false),
    (9, 90, 14, true),
    (10, 75, 14, true),
    (13, 60, 18, true),
    (12, 40, 26, true),
];

/// Nights: as above. Two jobs wait, nobody approves, and each job is a small one.
const NIGHTS: [(u64, u64, u32, bool); 2] = [(21, 100, 80, true), (23, 85, 120, true)];
/// What a walk met where the last job of a night came to rest.
const NIGHT: &str = "a night's end";

/// Walks that go on at once.
const LANES: usize = 3;

/// Calls that the coin may pick.
const CALLS: [Act; 45] = {
    use Act::*;
    [
        ReadProject,
        ReadPage,
        ReadKnowledge,
        ReadState,
        Search,
        Web,
        EditDeclared,
        EditElsewhere,
        PageOwn,
        PageShorter,
        PageEarlier,
        PageBody,
        PageElsewhere,
        PageLost,
        Knowledge,
        GitFile,
        OwnState,
        ShellLook,
        ShellRun,
        ShellTest,
        ShellWrite,
        ShellWriteElsewhere,
        Commit,
        Stash,
        Network,
        Outward,
        Delegate,
        Ask,
        AskWaiting,
        AskWaitingBare,
        AskRepeat,
        AskComplete,
        AskCompleteShort,
        AskCompleteOutstanding,
        AskCompleteBare,
        AskCompleteOptions,
        AskCompleteNameless,
        AskSide,
        AskSideShort,
        AskSideBeside,
        Housekeeping,
        Schedule,
        Foreign,
        Unknown,
        Persons,
    ]
};

/// One thing that a walk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Does(Act),
    Gives(Cmd),
    /// The tests run, and a file that the agent may not change is another one afterwards.
    Strays,
    /// The turn wants to end.
    Stops,
}

/// What came of a turn, as the binary tells it and as the model does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Heard {
    Yes,
    /// By which rule, and the case; else the words, where no line of the journal has them.
    No(String),
    Fails,
}

/// Where the job stands, by what the binary tells.
#[derive(Clone, Debug)]
struct Seen {
    focused: bool,
    phase: String,
    track: String,
    cycle: u64,
    dial: Option<Dial>,
    completed: bool,
    strayed: bool,
    declared: bool,
    decided: bool,
    /// What stands between here and the next step.
    missing: Vec<String>,
    /// Jobs besides this one that wait here.
    queue: u8,
    /// Jobs that rest until a person approves them.
    awaiting: usize,
    /// Nobody is there.
    alone: bool,
}

/// Where the model says that a turn leads.
struct Next {
    heard: Heard,
    /// The track, by its number, and the states there.
    to: (usize, Vec<State>),
    /// The job is closed.
    ends: bool,
}

/// The rules of a night: small jobs, and nobody approves.
const BY_NIGHT: &str = "track = \"quick\"\napproval = \"defer\"\n";

/// What hooks rule on by themselves goes by words and by what ran, which no state here holds: the
/// search has its refusals as [`Around::Unruled`].
const ADVISED: &str = "[claims]\nmode = \"advise\"\n";

/// The same numbers on every machine.
struct Coin(u64);

impl Coin {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % n
    }

    fn chance(&mut self, hundredths: u64) -> bool {
        (self.below(100) as u64) < hundredths
    }
}

struct Walk<'a> {
    world: World,
    searches: Vec<Search<'a>>,
    /// The track where the job goes.
    track: usize,
    /// The job goes on with one more cycle; it enters the side lane on its way.
    goes_on: bool,
    mends: bool,
    /// Nobody is there, and jobs wait.
    night: bool,
    states: Vec<State>,
    /// What was left for the side lane, and what was left for a rest.
    aside: Vec<State>,
    rested: Vec<State>,
    job: String,
    coin: Coin,
    /// How many of the turns of this stay that lead on were taken.
    onward: usize,
    /// What was said of the plan document.
    decided: Option<bool>,
    /// The binary tells that something was said of it.
    has_plan: bool,
    /// What `phase current` told last.
    current: Value,
    /// Refused ends of the turn in a row.
    stops: u32,
    turns: u32,
    log: Vec<String>,
    met: BTreeSet<String>,
}

/// Whether another directory has room on the small lane depends on what was changed so far, which
/// the model has as a surrounding and the walk as it comes: either is said of an undeclared one.
fn has_no_room(model: &str, case: &str) -> bool {
    matches!(case, "place lane/lane-size" | "place lane/lane-beside")
        && model.starts_with("place declaration/file-later ")
}

impl<'a> Walk<'a> {
    fn new(rules: &'a Rules, seed: u64, small: bool, night: bool) -> Self {
        let world = World::new();
        world.puts("CLAUDE.md", &page("# Root\n"));
        world.puts(PAGE, &page("# parser\n"));
        world.git("add -A");
        world.git("commit -qm 'pages with their anchors'");
        let world = world.installed();
        let night_rules = if night { BY_NIGHT } else { "" };
        world.puts("seed.toml", &format!("{night_rules}{ADVISED}"));
        world.person("rules apply").succeeds();
        fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
        if night {
            for name in ["part 1", "part 2"] {
                world.person(&format!("job create '{name}'")).succeeds();
                world.minute();
            }
        }
        world.prompt(if small { "[QUICK] fix the lexer" } else { "fix the lexer" });
        let mut searches: Vec<Search<'a>> = rules
            .maps
            .names()
            .iter()
            .map(|name| Search::new(rules, rules.maps.get(name)))
            .collect();
        let home = |search: &Search<'_>| search.map.lane.is_some() == small;
        let track = searches.iter().position(home).expect("a track of each size");
        let born =
            State { alone: night, queue: if night { 2 } else { 0 }, ..searches[track].born() };
        let states = if small {
            // Where nothing was read yet, the first step opens the phase where one looks.
            world.seed("phase advance").succeeds();
            let on = Cmd::Advance { to: None, text: Text::Line, add: false, scope: false };
            match searches[track].command(&born, on, Around::Nothing) {
                Came::Enters { into, .. } => searches[track].entries[into].clone(),
                came => panic!("the lane does not open: {came:?}"),
            }
        } else {
            vec![born]
        };
        let job = world.job();
        let mut walk = Self {
            world,
            searches,
            track,
            goes_on: seed.is_multiple_of(2),
            mends: seed.is_multiple_of(4),
            night,
            states,
            aside: Vec::new(),
            rested: Vec::new(),
            job,
            coin: Coin(seed),
            onward: 0,
            decided: None,
            has_plan: false,
            current: Value::Null,
            stops: 0,
            turns: 0,
            log: Vec::new(),
            met: BTreeSet::new(),
        };
        walk.narrows(None, "");
        walk
    }

    /// Goes its turns; gives the phases where it was, and the cases of what was refused.
    fn goes(mut self, walk: &(u64, u64, u32, bool)) -> BTreeSet<String> {
        let (_, steady, turns, _) = *walk;
        for _ in 0..turns {
            let row = self.row();
            self.met.insert(format!("{} {}", self.searches[self.track].map.name, row.name));
            let turn = self.picks(steady);
            self.turns += 1;
            if self.takes(turn) {
                self.met.insert("closed".to_owned());
                break;
            }
        }
        self.met
    }

    // ---- what a walk does next

    fn row(&self) -> &'a super::Phase {
        self.searches[self.track].row(&self.states[0])
    }

    fn picks(&mut self, steady: u64) -> Turn {
        if self.coin.chance(steady) {
            let onward = self.leads_on();
            let turn = onward[self.onward.min(onward.len() - 1)];
            self.onward += 1;
            return turn;
        }
        loop {
            let turn = if self.coin.chance(50) {
                Turn::Does(CALLS[self.coin.below(CALLS.len())])
            } else {
                let commands = self.commands();
                commands[self.coin.below(commands.len())]
            };
            if self.is_played(turn) {
                return turn;
            }
        }
    }

    /// What leads on from here, in its order; the last one goes on being tried.
    fn leads_on(&self) -> Vec<Turn> {
        use Turn::{Does, Gives};
        let advance = |text, scope| Gives(Cmd::Advance { to: None, text, add: false, scope });
        let row = self.row();
        if self.states[0].life.rests() {
            return vec![Gives(Cmd::Activate)];
        }
        let small = self.searches[self.track].map.lane.is_some();
        let dial = row.dial.then_some(Gives(Cmd::Multiplier(Dial::Three)));
        let mut turns: Vec<Turn> = match row.kind {
            PhaseKind::Outside | PhaseKind::Rest => vec![advance(Text::None, false)],
            PhaseKind::Side => vec![
                Does(Act::EditElsewhere),
                Gives(Cmd::Exit),
                Does(Act::Commit),
                Gives(Cmd::Exit),
                Does(Act::PageOwn),
                Does(Act::Commit),
                Gives(Cmd::Exit),
            ],
            PhaseKind::Consolidation => vec![
                Does(Act::ReadPage),
                Gives(Cmd::Archive),
                Does(if small { Act::ReadProject } else { Act::PageShorter }),
                Does(if self.goes_on || self.night { Act::ReadProject } else { Act::AskComplete }),
                Gives(Cmd::Advance {
                    to: None,
                    text: Text::Whole,
                    add: self.goes_on,
                    scope: false,
                }),
            ],
            PhaseKind::Work if row.freezes => vec![
                Does(Act::ReadProject),
                Does(Act::EditDeclared),
                Does(Act::ReadProject),
                Does(Act::ShellTest),
                Does(if small { Act::ReadPage } else { Act::PageOwn }),
                advance(if small { Text::Line } else { Text::Whole }, false),
            ],
            PhaseKind::Work if small => {
                vec![
                    Does(Act::ReadProject),
                    Does(Act::ShellTest),
                    advance(Text::Line, row.declares),
                ]
            }
            PhaseKind::Work => {
                let mut turns = vec![Does(Act::ReadPage), Does(Act::ShellTest), Does(Act::PageOwn)];
                if row.exit.iter().any(|gate| gate == "objective") {
                    turns.push(Gives(Cmd::Update { objective: true }));
                }
                if row.decides {
                    turns.push(Gives(Cmd::Decide {
                        document: false,
                        again: self.decided == Some(false),
                    }));
                }
                turns.push(advance(Text::Whole, false));
                turns
            }
        };
        if self.mends && self.aside.is_empty() && row.kind == PhaseKind::Work {
            turns.insert(0, Does(Act::AskSide));
        }
        turns.retain(|turn| match turn {
            Does(Act::ShellTest) => row.opens(Class::ShellCode),
            _ => true,
        });
        dial.into_iter().chain(turns).collect()
    }

    fn commands(&self) -> Vec<Turn> {
        let search = &self.searches[self.track];
        // The small lane is another track, which a walk does not go over to.
        let stays = |cmd: &Cmd| !matches!(cmd, Cmd::Small { .. });
        let all = search.commands(&self.states[0]).into_iter().filter(stays);
        all.map(Turn::Gives).chain([Turn::Strays, Turn::Stops, Turn::Stops]).collect()
    }

    /// What the search does not follow, or needs more than this repository has, is left out.
    fn is_played(&mut self, turn: Turn) -> bool {
        let row = self.row();
        let (side, rests) = (row.kind == PhaseKind::Side, self.states[0].life.rests());
        let search = &mut self.searches[self.track];
        match turn {
            Turn::Strays => row.opens(Class::ShellCode) && row.is_in_cycle(),
            // The third one in a row is let through.
            Turn::Stops => self.stops < 2,
            // What is said anew is another word than the one that was said.
            Turn::Gives(Cmd::Decide { document, again }) => {
                again == (self.decided == Some(document))
            }
            Turn::Gives(Cmd::Activate) => rests,
            Turn::Gives(Cmd::Pause) => !rests && self.states[0].life == Life::Active,
            Turn::Gives(cmd) => !matches!(
                cmd,
                Cmd::Fix | Cmd::Seal | Cmd::SumUp | Cmd::Focus | Cmd::Unlink | Cmd::Create
            ),
            Turn::Does(act) => {
                let leaves_nothing = matches!(
                    act,
                    Act::ReadProject
                        | Act::ReadPage
                        | Act::ReadKnowledge
                        | Act::ReadState
                        | Act::Search
                        | Act::Web
                        | Act::ShellLook
                        | Act::Network
                        | Act::Outward
                        | Act::Housekeeping
                        | Act::Schedule
                        | Act::Foreign
                        | Act::Unknown
                );
                let shorter = act != Act::PageShorter || (row.measures && has_footers(&self.world));
                shorter
                    && (leaves_nothing
                        || self.states.iter().all(|state| {
                            search.act(state, act, Around::Nothing).is_some()
                                || (!rests && !search.effects(state, act).is_empty())
                        }))
                    && (!side || act != Act::EditDeclared)
            }
        }
    }

    // ---- one turn, on both sides

    /// Takes a turn; true where the job is closed.
    fn takes(&mut self, turn: Turn) -> bool {
        let before = (self.row().name.clone(), self.track);
        let next: Vec<(State, Next)> =
            self.states.clone().into_iter().map(|state| (state, self.says(&state, turn))).collect();
        let (heard, words) = self.plays(turn);
        self.log.push(format!("{}: {turn:?}: {heard:?}", before.0));
        if let Heard::No(case) = &heard {
            self.met.insert(case.clone());
        }
        let left = self.states.clone();
        let mut to: Vec<(usize, Vec<State>)> = Vec::new();
        let mut closes = false;
        let mut told = Vec::new();
        for (_, next) in next {
            let same = match (&next.heard, &heard) {
                (Heard::No(by), Heard::No(case)) if case.is_empty() => {
                    words.contains(&by[by.find("Do: ").unwrap_or_default()..])
                }
                (Heard::No(by), Heard::No(case)) => {
                    by.starts_with(&format!("{case} ")) || has_no_room(by, case)
                }
                (one, other) => one == other,
            };
            told.push(next.heard);
            if same {
                closes |= next.ends;
                to.push(next.to);
            }
        }
        told.dedup();
        assert!(!to.is_empty(), "{}\nthe model says {told:?}\n{words}", self.story());
        if closes && !self.seen(None).focused {
            return true;
        }
        let mut track = to[0].0;
        if to.iter().any(|(other, _)| *other != track) {
            let seen = self.seen(None).track;
            let named = |search: &Search<'_>| search.map.name == seen;
            track = self.searches.iter().position(named).unwrap_or(track);
        }
        self.track = track;
        let to = to.into_iter().filter(|(other, _)| *other == track).flat_map(|(_, states)| states);
        self.states = unique(to.collect());
        self.stops = if turn == Turn::Stops { self.stops + 1 } else { 0 };
        if heard == Heard::Yes {
            match turn {
                Turn::Gives(Cmd::Decide { document, .. }) => self.decided = Some(document),
                Turn::Does(Act::AskSide) => self.aside = left,
                Turn::Gives(Cmd::Pause) => self.rested = left,
                _ => {}
            }
        }
        self.narrows(Some(turn), &words);
        if (self.row().name.clone(), self.track) != before {
            self.onward = 0;
        }
        self.night && self.turns_to_the_next()
    }

    /// A night goes on with another job, or is over: every job of it rests.
    fn turns_to_the_next(&mut self) -> bool {
        let state = self.states[0];
        if state.life == Life::Awaiting {
            let jobs = self.json(&["job", "list"]);
            let rests = |job: &Value| job["status"] == json!("awaiting you");
            let jobs = jobs.as_array().cloned().unwrap_or_default();
            assert!(jobs.len() == 3 && jobs.iter().all(rests), "{}\n{jobs:?}", self.story());
            self.met.insert(NIGHT.to_owned());
            return true;
        }
        if state.queued {
            (self.job, self.decided) = (self.world.job(), None);
        }
        false
    }

    /// What the model says of a turn.
    fn says(&mut self, state: &State, turn: Turn) -> Next {
        let track = self.track;
        let search = &mut self.searches[track];
        let stays = |heard| Next { heard, to: (track, vec![*state]), ends: false };
        let act = match turn {
            Turn::Gives(cmd) => return self.commanded(state, cmd),
            Turn::Stops => {
                return match search.stop(state) {
                    Some(no) => stays(refused(search, no)),
                    None => stays(Heard::Yes),
                };
            }
            Turn::Does(act) => act,
            Turn::Strays => Act::ShellTest,
        };
        if let Some(no) = search.act(state, act, Around::Nothing) {
            return stays(refused(search, no));
        }
        let mut to = search.effects(state, act);
        if to.is_empty() {
            to.push(State { prepared: false, ..*state });
        } else if !matches!(act, Act::PageOwn | Act::PageShorter | Act::AskSide) {
            // One look may not be enough yet.
            let more = to.clone();
            to.extend(more.into_iter().map(|to| State { since: state.since, ..to }));
        }
        // On a lane the answer closes the job: `person::answers::closes_at_once`.
        let lane = search.map.lane.is_some();
        let closes = act == Act::AskComplete
            && lane
            && to.iter().any(|to| {
                let on = Cmd::Advance { to: None, text: Text::Line, add: false, scope: false };
                to.life == Life::Completed
                    && matches!(search.cross(to, on, Around::Nothing), Came::On)
            });
        Next { heard: Heard::Yes, to: (track, unique(to)), ends: closes }
    }

    fn commanded(&mut self, state: &State, cmd: Cmd) -> Next {
        let track = self.track;
        self.searches[track].ended.clear();
        let came = self.searches[track].command(state, cmd, Around::Nothing);
        // The model does not tell a document that is there from none at all.
        let no_document = cmd == Cmd::ReadPlan && self.decided != Some(true);
        let came = match came {
            Came::Done(_) if no_document => Came::Fails("there is no document"),
            came => came,
        };
        let search = &mut self.searches[track];
        let to = |states| Next { heard: Heard::Yes, to: (track, states), ends: false };
        match came {
            Came::No(no) => {
                Next { heard: refused(search, no), to: (track, vec![*state]), ends: false }
            }
            Came::Fails(_) => Next { heard: Heard::Fails, ..to(vec![*state]) },
            Came::Done(states) => to(states),
            Came::Enters { into, .. } => {
                let mut all = search.entries[into].clone();
                if let Cmd::Advance { text, .. } = cmd {
                    walked(search, &mut all, text);
                }
                to(all)
            }
            Came::On => match cmd {
                Cmd::Exit => to(unique(
                    self.aside.iter().flat_map(kept).map(|to| search.forget(to)).collect(),
                )),
                Cmd::Activate => to(self.rested.clone()),
                _ if state.life == Life::Completed => Next { ends: true, ..to(Vec::new()) },
                // The next job has the focus, or none.
                _ if !search.ended.is_empty() => {
                    let ends = std::mem::take(&mut search.ended);
                    to(ends.into_iter().flat_map(|end| search.after(end)).collect())
                }
                // The work goes on on the larger track.
                _ => {
                    let risen = search.risen.clone();
                    let larger = self.searches.iter().position(|one| one.map.lane.is_none());
                    let larger = larger.expect("a track without a lane");
                    let states = self.searches[larger].rise(&risen);
                    Next { to: (larger, states), ..to(Vec::new()) }
                }
            },
        }
    }

    // ---- the binary

    fn plays(&self, turn: Turn) -> (Heard, String) {
        match turn {
            Turn::Stops => {
                let reply = self.world.stops();
                self.heard(&reply)
            }
            Turn::Strays => {
                let ran = self.world.runs_and("cargo test", || {
                    let stray = format!("a\nb\nc\nstray {}\n", self.turns);
                    fs::write(self.world.path("todo.txt"), stray).expect("it is written");
                });
                self.heard(&ran.before)
            }
            Turn::Does(act) => {
                if let Some((text, options)) = asked(act) {
                    self.asks(act, &text, options)
                } else {
                    let did = self.does(act);
                    self.heard(&did.before)
                }
            }
            Turn::Gives(cmd) => self.gives(cmd),
        }
    }

    fn heard(&self, reply: &Reply) -> (Heard, String) {
        match reply.refusal() {
            None => (Heard::Yes, String::new()),
            Some(words) => (Heard::No(self.case_of(words)), words.to_owned()),
        }
    }

    /// The rule and the case of the newest refusal, where it has these words.
    fn case_of(&self, words: &str) -> String {
        let rows = self.json(&["why", "--last", "1"]);
        let row = &rows[0];
        if row["do"].as_str().is_none_or(|said| !words.contains(said)) {
            return String::new();
        }
        let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        let case = row["facts"]["case"].as_str().unwrap_or("-");
        format!("{} {}/{case}", text("by"), text("wants"))
    }

    fn asks(&self, act: Act, text: &str, options: &[&str]) -> (Heard, String) {
        let one = question(text, options);
        if act == Act::AskSideBeside {
            let (call, input) = (self.world.next_call(), json!({ "questions": [one, one] }));
            return self.heard(&self.world.before("AskUserQuestion", &input, &call));
        }
        let asked = self.world.asks(&one);
        let heard = self.heard(&asked.reply);
        let answered = !(self.night && act == Act::AskComplete);
        if heard.0 == Heard::Yes && answered {
            let answer = match act {
                Act::AskComplete => options[1],
                Act::AskRepeat => options[3],
                _ => options[0],
            };
            asked.answers(answer);
        }
        heard
    }

    fn gives(&self, cmd: Cmd) -> (Heard, String) {
        let did = self.world.runs(&self.line(cmd));
        let Some(said) = &did.said else { return self.heard(&did.before) };
        let heard = match said.code {
            0 => Heard::Yes,
            _ if said.err.starts_with("error: ") => Heard::Fails,
            2 => Heard::No(self.case_of(&said.err)),
            code => panic!("{}\nended with {code}: {}", self.story(), said.err),
        };
        (heard, said.err.clone())
    }

    /// A command as the agent types it.
    fn line(&self, cmd: Cmd) -> String {
        let search = &self.searches[self.track];
        let name =
            |to: Option<usize>| to.map_or(String::new(), |to| format!("{} ", search.rows[to].name));
        let why = |said: bool| if said { "-m 'why it is so'" } else { "" };
        let document = |text: &str| format!("-F - <<'EOF'\n{text}\nEOF");
        let line = match cmd {
            Cmd::Show => "status".to_owned(),
            Cmd::Restore => "fence restore".to_owned(),
            Cmd::Advance { to, text, add, scope } => {
                let flags = [
                    to.map_or(String::new(), |to| format!("--to {} ", search.rows[to].name)),
                    if add { "--add-cycle 'more is to do' ".to_owned() } else { String::new() },
                    if scope { "--scope src/parser ".to_owned() } else { String::new() },
                ];
                let said = match text {
                    Text::None => String::new(),
                    Text::Line => "-m 'settle it'".to_owned(),
                    _ => document(&self.message(to, text)),
                };
                format!("phase advance {}{said}", flags.concat())
            }
            Cmd::Back { to, said } => format!("phase back {}{}", name(to), why(said)),
            Cmd::Checkpoint { said } => format!("phase checkpoint {}", why(said)),
            Cmd::Multiplier(Dial::Half) => "phase multiplier 0.5".to_owned(),
            Cmd::Multiplier(_) => "phase multiplier 3".to_owned(),
            Cmd::Update { objective: false } => "job update --name 'fix the lexer'".to_owned(),
            Cmd::Update { objective: true } => {
                format!("job update --name 'fix the lexer' --objective '{}'", objective().repeat(3))
            }
            Cmd::Decide { document: false, .. } => "plan set-plan-file false".to_owned(),
            Cmd::Decide { document: true, .. } => "plan set-plan-file plan.md".to_owned(),
            Cmd::Exit => "gmode exit".to_owned(),
            Cmd::Prep { sure, said } => {
                let what = if said { "what it is for ".repeat(5) } else { "x".to_owned() };
                format!("gmode prep {} -m '{what}'", if sure { 90 } else { 10 })
            }
            Cmd::Small { .. } => "phase advance --small --scope src/parser -m x".to_owned(),
            Cmd::Up { said: false } => "phase advance --up".to_owned(),
            Cmd::Up { said: true } => {
                format!("phase advance --up {}", document(&self.message(None, Text::Whole)))
            }
            Cmd::Review => "phase advance --review".to_owned(),
            Cmd::Reflect { thin } => {
                let seen = if thin { "thin".to_owned() } else { "seen ".repeat(30) };
                format!("reflect scope -m '{seen}'")
            }
            Cmd::Archive => "condense archive".to_owned(),
            Cmd::ReadPlan => "plan read".to_owned(),
            Cmd::Pause => "job pause".to_owned(),
            Cmd::Activate => format!("job activate {}", self.job),
            Cmd::Persons => "job move".to_owned(),
            other => panic!("{other:?} is not given on a walk"),
        };
        format!("git seed {}", line.trim_end())
    }

    /// The text that the model takes for the boundary's message.
    fn message(&self, to: Option<usize>, text: Text) -> String {
        let search = &self.searches[self.track];
        let phase = self.states[0].phase;
        let ahead = search.rows[phase].next.first();
        let to = to.or_else(|| ahead.map(|to| search.number(to.as_str()))).unwrap_or(phase);
        // A memory of its own: the walk does not change what the search knows.
        let mut own = Search::new(search.rules, search.map);
        own.message(phase, to, text).text().to_owned()
    }

    fn does(&self, act: Act) -> Did {
        let world = &self.world;
        let n = self.turns;
        let nothing = || json!({ "stdout": "", "stderr": "", "interrupted": false });
        let anchor = self.row().anchor.clone();
        let side = self.row().kind == PhaseKind::Side;
        let below = |page: &str, anchor: &str, text: &str| {
            world.edits(page, &format!("{anchor}\n"), &format!("{anchor}\n\n{text} {n}\n"))
        };
        let shell = |line: &str| world.tool("Bash", &json!({ "command": line }), nothing);
        match act {
            Act::ReadProject => world.reads(CODE),
            Act::ReadPage => world.reads(PAGE),
            Act::ReadKnowledge => world.reads(".claude/knowledge/lexing/x.md"),
            Act::ReadState => world.reads(".git/seed/journal"),
            Act::Search => {
                let input = json!({ "pattern": "lex", "path": world.repo() });
                world.tool("Grep", &input, || json!({ "mode": "content", "content": "" }))
            }
            Act::Web => {
                let input = json!({ "url": "https://example.org", "prompt": "what is it" });
                world.tool("WebFetch", &input, || json!({ "result": "nothing" }))
            }
            Act::EditDeclared => {
                world.edits(CODE, "fn lex() {", &format!("fn lex() {{ step{n}();"))
            }
            Act::EditElsewhere => world.edits("todo.txt", "a\n", &format!("a\nmore {n}\n")),
            Act::PageOwn if side => {
                below("CLAUDE.md", "---Ob---", &format!("[PENDING-JOB]{{generated files {n}}}"))
            }
            Act::PageOwn => match anchor {
                Some(anchor) => below(PAGE, &anchor, "what was found out at"),
                None => below(PAGE, "# parser", "What lasts, at"),
            },
            Act::PageShorter => {
                let text = world.text(PAGE);
                let body = text.split("\n---Ob---").next().unwrap_or_default();
                world.writes(PAGE, &page(body))
            }
            Act::PageEarlier => below(PAGE, "---Ob---", "an afterthought"),
            Act::PageBody => below(PAGE, "# parser", "a body text"),
            Act::PageElsewhere => below("CLAUDE.md", anchor.as_deref().unwrap_or("# Root"), "here"),
            Act::PageLost => world.edits(PAGE, "---Pl---\n", ""),
            Act::Knowledge => world.writes(".claude/knowledge/lexing/x.md", "nothing yet\n"),
            Act::GitFile => world.writes(".git/info/attributes", "* text\n"),
            Act::OwnState => world.writes(".git/seed/journal", "nothing\n"),
            Act::ShellLook => world.runs("git log -1"),
            Act::ShellRun if side => world.runs_and("python3 x.py", || {
                fs::write(world.path("todo.txt"), format!("a\nb\nc\n{n}\n"))
                    .expect("it is written");
            }),
            Act::ShellRun => shell("python3 x.py"),
            Act::ShellTest => {
                let ran = json!({ "stdout": "test result: ok. 1 passed", "stderr": "",
                    "interrupted": false });
                world.tool("Bash", &json!({ "command": "cargo test" }), || ran)
            }
            Act::ShellWrite => world.runs(&format!("echo '// {n}' >> {CODE}")),
            Act::ShellWriteElsewhere => world.runs(&format!("echo {n} >> todo.txt")),
            Act::Commit => world.runs("git commit -qam 'mend the build'"),
            Act::Stash => shell("git stash"),
            Act::Network => shell("curl https://example.org"),
            Act::Outward => shell("npm publish"),
            Act::Delegate => {
                world.delegates("x", || json!({ "status": "completed", "content": [] }))
            }
            Act::Housekeeping => world.tool("TodoWrite", &json!({ "todos": [] }), || json!({})),
            Act::Schedule => world.tool("CronCreate", &json!({ "prompt": "later" }), || json!({})),
            Act::Foreign => world.tool("mcp__db__query", &json!({ "sql": "x" }), || json!({})),
            Act::Unknown => world.tool("Frobnicate", &json!({}), || json!({})),
            Act::Persons => world.runs("git seed off -m x"),
            other => panic!("{other:?} is not done on a walk"),
        }
    }

    // ---- where the job stands

    /// What a command tells a person as JSON.
    fn json(&self, arguments: &[&str]) -> Value {
        let mut command = self.world.beside(env!("CARGO_BIN_EXE_git-seed"));
        command.args(arguments).arg("--json").env("GIT_SEED_TEST_PERSON", "1");
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|bad| {
            let said = String::from_utf8_lossy(&output.stderr);
            panic!("{}\n{arguments:?}: {bad}\n{said}", self.story())
        })
    }

    fn seen(&mut self, turn: Option<Turn>) -> Seen {
        let status = self.json(&["status"]);
        let looks = [Act::ReadProject, Act::ReadPage, Act::Search, Act::ShellLook, Act::ShellTest];
        if !matches!(turn, Some(Turn::Does(act)) if looks.contains(&act)) {
            self.current = self.json(&["phase", "current"]);
        }
        let current = &self.current;
        let focused = status["job"].is_object();
        // Asked where something may have been decided alone: it costs a process.
        if matches!(turn, Some(Turn::Gives(Cmd::Decide { .. } | Cmd::Activate))) {
            self.has_plan = !self.json(&["plan", "show"])["plan_file"].is_null();
        }
        let queue = if self.night && (!focused || status["phase"] == json!("idle")) {
            let jobs = self.json(&["job", "list"]);
            let waits =
                |job: &&Value| job["status"] == json!("pending") && job["id"] != json!(self.job);
            jobs.as_array().map_or(0, |jobs| jobs.iter().filter(waits).count())
        } else {
            0
        };
        let many = |value: &Value| value.as_array().map_or(0, Vec::len);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Seen {
            focused,
            phase: text(&status["phase"]),
            track: text(&status["track"]),
            cycle: status["cycle"].as_u64().unwrap_or_default(),
            dial: match current["entry"]["multiplier"].as_f64() {
                None => Some(Dial::Unset),
                Some(value) if value < 1.0 => Some(Dial::Half),
                Some(_) => Some(Dial::Three),
            },
            completed: text(&status["job"]["status"]) == "completed",
            strayed: many(&status["fence"]["strays"]) > 0,
            declared: many(&current["entry"]["altered"]) > 0,
            decided: self.has_plan,
            missing: serde_json::from_value(status["missing"].clone()).unwrap_or_default(),
            queue: u8::try_from(queue).expect("few jobs"),
            awaiting: many(&status["awaiting"]),
            alone: self.night,
        }
    }

    /// Lets go of the states that the binary does not tell of.
    fn narrows(&mut self, turn: Option<Turn>, words: &str) {
        let seen = self.seen(turn);
        let search = &self.searches[self.track];
        let left: Vec<State> =
            self.states.iter().copied().filter(|state| fits(search, state, &seen)).collect();
        let story = || {
            let mut some: Vec<String> = self
                .states
                .iter()
                .take(6)
                .map(|s| format!("{s:?}\n   {:?}", missing(search, s)))
                .collect();
            some.push(format!("{} states in all", self.states.len()));
            format!("{}\nthe binary tells {seen:?}\n{}", self.story(), some.join("\n"))
        };
        assert!(!left.is_empty(), "{}\n{words}", story());
        self.states = left;
        if let Some(last) = self.log.last_mut() {
            *last += &format!("   {} states; {} missing", self.states.len(), seen.missing.len());
        }
    }

    fn story(&self) -> String {
        format!("on {}:\n  {}", self.searches[self.track].map.name, self.log.join("\n  "))
    }
}

fn fits(search: &Search<'_>, state: &State, seen: &Seen) -> bool {
    let (queue, alone) = (state.queue == seen.queue, state.alone == seen.alone);
    if state.life.rests() {
        let awaits = state.life == Life::Awaiting || state.others;
        let rests = state.life == Life::Pending || awaits == (seen.awaiting > 0);
        return !seen.focused && queue && alone && rests;
    }
    let (row, looks) = (search.rows[state.phase], search.looks[state.phase]);
    let told = [
        (row.name.as_str() == seen.phase, true),
        // The first step chooses the track.
        (search.map.name == seen.track, state.begun),
        (seen.focused, true),
        ((state.life == Life::Completed) == seen.completed, true),
        (state.begun == (seen.cycle > 0), true),
        (state.later == (seen.cycle > 1), looks.inside && !looks.consolidates),
        (Some(state.dial) == seen.dial, looks.dial),
        (state.stray == seen.strayed, looks.inside),
        (state.declared == seen.declared, looks.scoped),
        ((state.plan != Plan::Undecided) == seen.decided, looks.inside),
        (queue, looks.idle),
        (alone, looks.idle || looks.consolidates),
    ];
    told.iter().all(|(same, asked)| *same || !*asked)
        && (!looks.inside || missing(search, state).len() == seen.missing.len())
}

/// What stands between a state and its next step, as `report::status` tells it.
fn missing(search: &Search<'_>, state: &State) -> Vec<String> {
    let row = search.row(state);
    let to = row.next.first().map_or(state.phase, |to| search.number(to.as_str()));
    let mut whys: Vec<String> = Vec::new();
    search.at_boundary(state, to, &Message::default(), false, |crossing| {
        for no in gates::missing(&crossing) {
            let why = voice::say(&no, row.name.as_str()).why.trim_end_matches('.').to_owned();
            if !whys.contains(&why) {
                whys.push(why);
            }
        }
    });
    whys
}

/// A stay that was left for the side lane, as it is found again.
/// What was read and written meanwhile counts for it, also for the size of the work, and a name
/// that was given stays given.
fn kept(left: &State) -> Vec<State> {
    let mut to = Vec::new();
    for since in [left.since, Since::Nothing, Since::Enough, Since::Full] {
        for bits in 0..64_u8 {
            let or = |before: bool, n: u8| before || bits & (1 << n) != 0;
            to.push(State {
                prepared: false,
                since,
                page: or(left.page, 0),
                worth: or(left.worth, 1),
                named: or(left.named, 2),
                told: or(left.told, 3),
                proved: left.proved && bits & 16 == 0,
                outgrown: or(left.outgrown, 5),
                ..*left
            });
        }
    }
    unique(to)
}

/// States that a step on a lane goes on to: `boundary::cross::advance`.
fn walked(search: &mut Search<'_>, all: &mut Vec<State>, text: Text) {
    let mut at = 0;
    while at < all.len() {
        let state = all[at];
        search.ended.clear();
        match search.goes_on(&state, text) {
            Some(Came::Enters { into, .. }) => {
                let more = search.entries[into].clone();
                all.extend(more.into_iter().filter(|more| more.phase != state.phase));
                *all = unique(std::mem::take(all));
            }
            Some(Came::On) => {
                for end in std::mem::take(&mut search.ended) {
                    all.extend(search.after(end));
                }
            }
            _ => {}
        }
        at += 1;
    }
}

fn refused(search: &Search<'_>, no: usize) -> Heard {
    let remedy = &search.remedies[no];
    Heard::No(format!("{} {} Do: {}", remedy.by, remedy.case, remedy.said))
}

/// The page of the job has words below its anchors.
fn has_footers(world: &World) -> bool {
    let text = world.text(PAGE);
    let footers = text.split("\n---Ob---").nth(1).unwrap_or_default();
    footers.lines().any(|line| !line.is_empty() && !line.starts_with("---"))
}

#[test]
fn the_model_goes_where_the_binary_goes() {
    let rules = Rules::shipped().expect("the shipped rules are sound");
    let by_night = Rules::with(BY_NIGHT).expect("the rules are sound");
    let seen: BTreeSet<String> = thread::scope(|scope| {
        let lane = |n: usize| {
            let (rules, by_night) = (&rules, &by_night);
            scope.spawn(move || {
                let days = WALKS.iter().map(|walk| (rules, walk, false));
                let all = NIGHTS.iter().map(|walk| (by_night, walk, true)).chain(days);
                let walks = all.skip(n).step_by(LANES);
                let goes = |(rules, walk, night): (_, &(u64, u64, u32, bool), _)| {
                    Walk::new(rules, walk.0, walk.3, night).goes(walk)
                };
                walks.flat_map(goes).collect()
            })
        };
        let lanes: Vec<thread::ScopedJoinHandle<'_, BTreeSet<String>>> =
            (0..LANES).map(lane).collect();
        let seen = lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|no| resume_unwind(no)));
        seen.flatten().collect()
    });
    // Walks that went past all that there is to see would prove little.
    for name in rules.maps.names() {
        let map = rules.maps.get(name);
        for row in map.phases().filter(|row| row.kind != PhaseKind::Outside) {
            let step = format!("{name} {}", row.name);
            let seldom = map.lane.is_some() && row.kind == PhaseKind::Rest;
            assert!(seldom || seen.contains(&step), "no walk came by {step}: {seen:?}");
        }
    }
    assert!(seen.contains(NIGHT), "no night came to its end: {seen:?}");
    let refusals = seen.iter().filter(|step| step.contains('/')).count();
    assert!(refusals >= 25, "{refusals} kinds of refusals are too few: {seen:?}");
}
