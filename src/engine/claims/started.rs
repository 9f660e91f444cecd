//! Where a line of the shell began: Claude Code tells of a call that has ended with the directory
//! that it left the shell in.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::engine::repo::{self, Repo};
use crate::event::{Act, Event, ToolCall};

/// The event with the directory that the line of `call` began in.
pub(crate) fn as_begun<'e>(repo: &Repo, event: &'e Event, call: &ToolCall) -> Cow<'e, Event> {
    match started(repo, event, call) {
        Some(cwd) => Cow::Owned(Event { cwd, ..event.clone() }),
        None => Cow::Borrowed(event),
    }
}

/// The directory that the line of `call` began in, where `event` names the one that it went to and
/// what it goes to is not there from here.
fn started(repo: &Repo, event: &Event, call: &ToolCall) -> Option<PathBuf> {
    let Act::Shell { command, cwd: None, .. } = &call.act else { return None };
    if !["cd ", "pushd "].iter().any(|goes| command.contains(goes)) {
        return None;
    }
    let goes = repo.rules.runs().places(command).goes;
    let led_to = |from: &Path| goes.iter().fold(from.to_owned(), |dir, next| dir.join(next));
    if goes.is_empty() || led_to(&event.cwd).is_dir() {
        return None;
    }
    let left = repo::paths::real(&event.cwd);
    let above = event.cwd.ancestors().skip(1);
    above.map(Path::to_owned).find(|from| repo::paths::real(&led_to(from)) == left)
}
