//! The rings inside the engine, and the sizes of things: read off the syntax, not off lines.
//!
//! Every path of a file counts: what it imports, `crate::`, `super::`, and paths that begin
//! at something imported, in macros too. A path that ends at a room alone is no arrow; the
//! file that it leads to is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

/// The rooms of the engine, from the top; arrows go down only.
const ROOMS: [&str; 83] = [
    "unhooked",
    "modes",
    "hook",
    "setup",
    "hook_costs",
    "git_hooks",
    "moved",
    "ref_locks",
    "job_refs",
    "own_dir",
    "named_dirs",
    "agent_settings",
    "acts_of_line",
    "links",
    "scope_words",
    "traces",
    "own_refs",
    "host_sandbox",
    "hosts_here",
    "finding",
    "glance",
    "story",
    "report",
    "cut_short",
    "person",
    "unheard",
    "approving",
    "boundary",
    "vetoes",
    "subjects",
    "signing",
    "untold",
    "briefing",
    "resting",
    "sync",
    "ops",
    "landing",
    "texts",
    "policy",
    "jobs",
    "memory",
    "judge",
    "note_lines",
    "claims",
    "said_there",
    "earlier_runs",
    "proof",
    "records",
    "contents",
    "beside",
    "merge",
    "left_out",
    "refs_moved",
    "other_line",
    "taken_back",
    "absence",
    "fence",
    "lost_pages",
    "guests",
    "no_prompt",
    "repeats",
    "hook_times",
    "bypasses",
    "git_consent",
    "closed_paths",
    "rewrite",
    "record",
    "put_files",
    "unclaimed",
    "merge_mark",
    "git_mark",
    "pushed",
    "closings",
    "tokens",
    "aside",
    "voices",
    "starter",
    "repo",
    "clone_file",
    "said_file",
    "installed",
    "own_state",
    "quote",
];
/// Files outside the engine that stand in a circle today. The lists may only shrink.
const CIRCLES: [(&str, &[&str]); 2] = [("store", &["pins", "worktree"]), ("shell", &[])];
/// Of code; a raw string is a payload, which stands as its host writes it.
const COLUMNS: usize = 100;
const LINES_OF_A_FUNCTION: usize = 60;
const PARAMETERS: usize = 6;
const LINES_OF_A_FILE: usize = 600;
const LINES_OF_A_ROOM: usize = 3000;

/// A module by its path below the crate: `["engine", "fence", "tree"]`.
type Module = Vec<String>;

struct File {
    /// Its path below `src`.
    name: String,
    /// Its lines without its tests.
    lines: usize,
    syntax: syn::File,
}

/// All files below `src/<top>` (all of `src` for an empty one), by module; files of tests
/// are left out.
fn files(top: &str) -> BTreeMap<Module, File> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeMap::new();
    let mut ahead = vec![source.join(top)];
    if let Ok(text) = fs::read_to_string(source.join(format!("{top}.rs"))) {
        add(&mut found, format!("{top}.rs"), &text);
    }
    while let Some(dir) = ahead.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                ahead.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && !path.ends_with("tests.rs")
            {
                let name =
                    path.strip_prefix(&source).expect("below src").to_string_lossy().into_owned();
                add(&mut found, name, &fs::read_to_string(&path).expect("a file"));
            }
        }
    }
    assert!(found.len() > 1, "nothing below src/{top}");
    found
}

fn add(found: &mut BTreeMap<Module, File>, name: String, text: &str) {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    // Some tests are of one system only.
    let code = code.trim_end_matches("#[cfg(unix)]\n");
    let mut module: Module = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    let syntax = syn::parse_file(code).unwrap_or_else(|bad| panic!("{name}: {bad}"));
    found.insert(module, File { name, lines: code.lines().count(), syntax });
}

/// What the paths of one file say.
struct Paths<'m> {
    here: &'m Module,
    /// What a name at the head of a path stands for.
    bound: BTreeMap<String, Module>,
    /// Paths as they are written, and those that were imported, from the crate on.
    written: Vec<Module>,
    found: Vec<Module>,
}

impl Paths<'_> {
    fn of(here: &Module, syntax: &syn::File) -> Vec<Module> {
        let mut paths =
            Paths { here, bound: BTreeMap::new(), written: Vec::new(), found: Vec::new() };
        paths.visit_file(syntax);
        for path in std::mem::take(&mut paths.written) {
            let whole = paths.whole_path(&path).or_else(|| {
                let mut whole = paths.bound.get(&path[0])?.clone();
                whole.extend_from_slice(&path[1..]);
                Some(whole)
            });
            // A module of this file's own, named without `self::`.
            let own = || here.iter().chain(&path).cloned().collect();
            paths.found.push(whole.unwrap_or_else(own));
        }
        paths.found
    }

    /// The path from the crate on, where its head says where it begins.
    fn whole_path(&self, path: &[String]) -> Option<Module> {
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some(self.here.iter().chain(&path[1..]).cloned().collect()),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                let above = self.here.len().checked_sub(up)?;
                Some(self.here[..above].iter().chain(&path[up..]).cloned().collect())
            }
            _ => None,
        }
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String]) {
        let on = |name: &syn::Ident| {
            before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>()
        };
        let (path, name) = match tree {
            syn::UseTree::Path(path) => return self.import(&path.tree, &on(&path.ident)),
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, before));
            }
            syn::UseTree::Glob(_) => (before.to_vec(), None),
            syn::UseTree::Name(name) if name.ident == "self" => {
                (before.to_vec(), before.last().cloned())
            }
            syn::UseTree::Name(name) => (on(&name.ident), Some(name.ident.to_string())),
            syn::UseTree::Rename(name) if name.ident == "self" => {
                (before.to_vec(), Some(name.rename.to_string()))
            }
            syn::UseTree::Rename(name) => (on(&name.ident), Some(name.rename.to_string())),
        };
        // What begins at neither is a module of this file's own, or another crate.
        let own = || self.here.iter().chain(&path).cloned().collect();
        let whole = self.whole_path(&path).unwrap_or_else(own);
        self.bound.extend(name.map(|name| (name, whole.clone())));
        self.found.push(whole);
    }

    /// Paths among the words of a macro.
    fn read(&mut self, words: TokenStream) {
        let mut path: Module = Vec::new();
        let mut colons = 0;
        for word in words {
            match word {
                TokenTree::Ident(name) if colons == 2 => path.push(name.to_string()),
                TokenTree::Ident(name) => {
                    self.written
                        .extend(Some(std::mem::take(&mut path)).filter(|path| path.len() > 1));
                    path = vec![name.to_string()];
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                other => {
                    self.written
                        .extend(Some(std::mem::take(&mut path)).filter(|path| path.len() > 1));
                    if let TokenTree::Group(group) = other {
                        self.read(group.stream());
                    }
                }
            }
            colons = 0;
        }
        self.written.extend(Some(path).filter(|path| path.len() > 1));
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let before = self.found.len();
        self.import(&item.tree, &[]);
        // What a module hands on from its own files, it does not use.
        if !matches!(item.vis, syn::Visibility::Inherited) {
            self.found.truncate(before);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Module = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if names.len() > 1 {
            self.written.push(names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.read(call.tokens.clone());
    }
}

/// Which file uses which, by module.
fn arrows(files: &BTreeMap<Module, File>) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let mut arrows = BTreeMap::new();
    for (here, file) in files {
        let mut to = BTreeSet::new();
        for path in Paths::of(here, &file.syntax) {
            let file = (1..=path.len())
                .rev()
                .find_map(|n| files.get_key_value(&path[..n]).map(|(to, _)| to));
            // A room by itself only gives its name; what is reached through it counts.
            let is_name = |to: &Module| {
                *to == path
                    && files.keys().any(|other| other.len() > to.len() && other.starts_with(to))
            };
            to.extend(file.filter(|to| *to != here && !is_name(to)));
        }
        arrows.insert(here, to);
    }
    arrows
}

/// The files that can be reached from themselves.
fn in_circles<'f>(arrows: &BTreeMap<&'f Module, BTreeSet<&'f Module>>) -> Vec<&'f Module> {
    let reaches_itself = |from: &&&Module| {
        let mut seen: BTreeSet<&Module> = BTreeSet::new();
        let mut ahead: Vec<&Module> = arrows[**from].iter().copied().collect();
        while let Some(next) = ahead.pop() {
            if next == **from {
                return true;
            }
            if seen.insert(next) {
                ahead.extend(&arrows[next]);
            }
        }
        false
    };
    arrows.keys().filter(reaches_itself).copied().collect()
}

fn room(module: &Module) -> Option<usize> {
    ROOMS.iter().position(|room| module.get(1).is_some_and(|part| part == room))
}

#[test]
fn arrows_between_rooms_go_down_only() {
    let files = files("engine");
    let mut up = Vec::new();
    let mut down = 0;
    for (from, all) in arrows(&files) {
        for to in all {
            match (room(from), room(to)) {
                (Some(here), Some(there)) if there < here => {
                    up.push(format!("{} uses {}", files[from].name, files[to].name));
                }
                (Some(here), Some(there)) if there > here => down += 1,
                _ => {}
            }
        }
    }
    assert!(up.is_empty(), "{up:#?}");
    assert!(down > 300, "only {down} arrows were seen");
    for (module, file) in files.iter().filter(|(module, _)| module.len() > 1) {
        assert!(room(module).is_some(), "{} stands in no room", file.name);
    }
}

#[test]
fn no_circle_between_files_of_the_engine() {
    let files = files("engine");
    let circles: Vec<&str> =
        in_circles(&arrows(&files)).into_iter().map(|module| files[module].name.as_str()).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn circles_elsewhere_only_shrink() {
    for (top, known) in CIRCLES {
        let files = files(top);
        let found: BTreeSet<String> =
            in_circles(&arrows(&files)).into_iter().map(|module| module[1..].join("/")).collect();
        let known: BTreeSet<String> = known.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            found, known,
            "circles of src/{top}: what is gone goes from the list, nothing comes in"
        );
    }
}

/// Functions of a file: name, lines, parameters; and whose `impl` blocks stand there.
#[derive(Default)]
struct Sizes {
    functions: Vec<(String, usize, usize)>,
    of_repo: bool,
}

impl Sizes {
    fn take(&mut self, name: &syn::Signature, whole: proc_macro2::Span) {
        let lines = whole.end().line - name.span().start().line + 1;
        self.functions.push((name.ident.to_string(), lines, name.inputs.len()));
    }
}

impl<'ast> Visit<'ast> for Sizes {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.take(&item.sig, item.span());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.take(&item.sig, item.span());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let (syn::Type::Path(of), None) = (&*item.self_ty, &item.trait_) {
            self.of_repo |= of.path.is_ident("Repo");
        }
        visit::visit_item_impl(self, item);
    }
}

#[test]
fn halls_are_cut() {
    let mut bad = Vec::new();
    let mut rooms: BTreeMap<String, usize> = BTreeMap::new();
    for (module, file) in files("") {
        let mut sizes = Sizes::default();
        sizes.visit_file(&file.syntax);
        for (name, lines, parameters) in sizes.functions {
            if lines > LINES_OF_A_FUNCTION {
                bad.push(format!("{}: {name} has {lines} lines", file.name));
            }
            if parameters > PARAMETERS {
                bad.push(format!("{}: {name} has {parameters} parameters", file.name));
            }
        }
        if module.first().is_some_and(|top| top == "engine") {
            if file.lines > LINES_OF_A_FILE {
                bad.push(format!("{} has {} lines", file.name, file.lines));
            }
            if sizes.of_repo && !file.name.starts_with("engine/repo/") {
                bad.push(format!("{} has an `impl Repo`", file.name));
            }
            *rooms.entry(module.get(1).cloned().unwrap_or_default()).or_default() += file.lines;
        }
    }
    let large = rooms.iter().filter(|(_, lines)| **lines > LINES_OF_A_ROOM);
    bad.extend(large.map(|(room, lines)| format!("engine/{room} has {lines} lines")));
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A public item: its name, where it stands, and the names that a caller needs to use it.
struct Public {
    name: String,
    /// `None` for what a trait adds to the needs of a type.
    file: Option<String>,
    needs: BTreeSet<String>,
}

/// The public items of one file: functions, types, modules, methods, names handed on.
struct Publics<'f> {
    file: &'f str,
    found: Vec<Public>,
    /// What macros write; it is not read any closer.
    written: BTreeSet<String>,
}

impl Publics<'_> {
    fn take(&mut self, vis: &syn::Visibility, name: &syn::Ident, needs: BTreeSet<String>) {
        if is_public(vis) {
            let file = Some(self.file.to_owned());
            self.found.push(Public { name: name.to_string(), file, needs });
        }
    }

    /// `pub use a::b as c;` is needed where `c` is, and then needs `b`.
    fn hand_on(&mut self, vis: &syn::Visibility, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.hand_on(vis, &path.tree),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.hand_on(vis, tree));
            }
            syn::UseTree::Name(name) => self.take(vis, &name.ident, BTreeSet::new()),
            syn::UseTree::Rename(name) => {
                self.take(vis, &name.rename, [name.ident.to_string()].into());
            }
            syn::UseTree::Glob(glob) => {
                let star = syn::Ident::new("glob", glob.span());
                self.take(vis, &star, BTreeSet::new());
            }
        }
    }
}

impl<'ast> Visit<'ast> for Publics<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let needs = Names::of(|names| match item {
            syn::Item::Fn(item) => names.visit_signature(&item.sig),
            syn::Item::Struct(item) => {
                names.visit_generics(&item.generics);
                let open = item.fields.iter().filter(|field| is_public(&field.vis));
                open.for_each(|field| names.visit_field(field));
            }
            syn::Item::Enum(item) => names.visit_item_enum(item),
            syn::Item::Const(item) => names.visit_type(&item.ty),
            syn::Item::Static(item) => names.visit_type(&item.ty),
            syn::Item::Type(item) => names.visit_item_type(item),
            syn::Item::Trait(item) => names.visit_item_trait(item),
            _ => {}
        });
        match item {
            syn::Item::Fn(item) => self.take(&item.vis, &item.sig.ident, needs),
            syn::Item::Struct(item) => self.take(&item.vis, &item.ident, needs),
            syn::Item::Enum(item) => self.take(&item.vis, &item.ident, needs),
            syn::Item::Const(item) => self.take(&item.vis, &item.ident, needs),
            syn::Item::Static(item) => self.take(&item.vis, &item.ident, needs),
            syn::Item::Type(item) => self.take(&item.vis, &item.ident, needs),
            syn::Item::Trait(item) => self.take(&item.vis, &item.ident, needs),
            syn::Item::Mod(item) => self.take(&item.vis, &item.ident, needs),
            syn::Item::Use(item) => self.hand_on(&item.vis, &item.tree),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.written.append(&mut words(item.mac.tokens.clone()));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        // Such as the error of `FromStr`.
        let types = item.items.iter().filter_map(|part| match part {
            syn::ImplItem::Type(part) => Some(&part.ty),
            _ => None,
        });
        let needs = Names::of(|names| types.for_each(|of| names.visit_type(of)));
        let of = Names::of(|names| names.visit_type(&item.self_ty));
        self.found.extend(of.into_iter().map(|name| Public {
            name,
            file: None,
            needs: needs.clone(),
        }));
        visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let needs = Names::of(|names| names.visit_signature(&item.sig));
        self.take(&item.vis, &item.sig.ident, needs);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.take(&item.vis, &item.ident, Names::of(|names| names.visit_type(&item.ty)));
    }
}

fn is_public(vis: &syn::Visibility) -> bool {
    matches!(vis, syn::Visibility::Public(_))
}

/// The types and traits that a signature or a field names.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    fn of(read: impl FnOnce(&mut Self)) -> BTreeSet<String> {
        let mut names = Self::default();
        read(&mut names);
        names.0
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_path_segment(&mut self, part: &'ast syn::PathSegment) {
        self.0.insert(part.ident.to_string());
        visit::visit_path_segment(self, part);
    }
}

/// What stands in comments and texts is no word of the code.
fn words(code: TokenStream) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in code {
        match word {
            TokenTree::Ident(name) => drop(found.insert(name.to_string())),
            TokenTree::Group(group) => found.append(&mut words(group.stream())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    found
}

/// The words of all code outside the library that names it: tests, benches, fuzz targets, the
/// binary, and the code in ARCHITECTURE.md that compiles as a doc test.
fn words_outside() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = vec![fs::read_to_string(root.join("src/main.rs")).expect("main.rs")];
    let shown = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let blocks = shown.split("\n```rust\n").skip(1);
    texts.extend(blocks.filter_map(|rest| Some(rest.split_once("\n```")?.0.to_owned())));
    let dirs = ["tests", "benches", "bench", "fuzz/fuzz_targets"];
    let mut ahead: Vec<_> = dirs.map(|dir| root.join(dir)).into();
    while let Some(dir) = ahead.pop() {
        for entry in fs::read_dir(&dir).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                ahead.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                texts.push(fs::read_to_string(&path).expect("text"));
            }
        }
    }
    let found = texts.iter().map(|text| words(text.parse().expect("code")));
    found.filter(|words| words.contains("git_seed")).flatten().collect()
}

#[test]
fn nothing_is_public_that_nobody_outside_names() {
    let mut items = Vec::new();
    // What is named outside, and what the signatures and fields of that need, on and on.
    let mut needed = words_outside();
    for file in files("").values() {
        let (found, written) = (Vec::new(), BTreeSet::new());
        let mut publics = Publics { file: &file.name, found, written };
        publics.visit_file(&file.syntax);
        items.append(&mut publics.found);
        needed.append(&mut publics.written);
    }
    loop {
        let before = needed.len();
        for item in &items {
            if needed.contains(&item.name) {
                needed.extend(item.needs.iter().cloned());
            }
        }
        if needed.len() == before {
            break;
        }
    }
    assert!(items.len() > 100, "only {} public items were seen", items.len());
    let idle = items.iter().filter(|item| !needed.contains(&item.name));
    let idle: Vec<_> =
        idle.filter_map(|item| Some(format!("{}: {}", item.file.as_ref()?, item.name))).collect();
    assert!(idle.is_empty(), "`pub(crate)` is enough for these: {idle:#?}");
}

#[test]
fn lines_are_within_their_columns() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut waiting: Vec<_> =
        ["src", "tests", "benches", "bench", "fuzz/fuzz_targets"].map(|dir| root.join(dir)).into();
    let (mut read, mut long) = (0, Vec::new());
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(&dir).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                read += 1;
                let text = std::fs::read_to_string(&path).expect("text");
                let over = |line: &str| line.chars().count() > COLUMNS && !line.contains("r#\"");
                let found = text.lines().zip(1..).filter(|(line, _)| over(line));
                long.extend(found.map(|(_, number)| format!("{}:{number}", path.display())));
            }
        }
    }
    assert!(read > 300, "{read} files were read");
    assert!(long.is_empty(), "{long:#?}");
}
