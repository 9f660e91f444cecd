//! What a host lets us do, as its row says it: the table of `docs/hosts.md`.

use super::{Happening, Host};

/// One thing that a host can do, and what of its row says so.
type Capability = (&'static str, fn(&Host) -> bool);

/// What hosts can do or not, in the order of the table in `docs/hosts.md`.
const CAPABILITIES: [Capability; 12] = [
    ("run-hooks", Host::runs_hooks),
    ("refuse-tool", |host| host.reply.refuse.contains(&Happening::Before)),
    ("refuse-stop", |host| host.reply.refuse.contains(&Happening::Stop) && !host.asks_again()),
    ("inject-prompt", |host| host.reply.context.contains(&Happening::Prompt)),
    ("ask-person", |host| host.consent.is_some()),
    ("question-tool", |host| host.can_ask() && host.asks_with.is_empty()),
    ("grant", |host| host.reply.grant.contains(&Happening::Before)),
    ("mark-subagents", |host| host.fields.agent.is_some()),
    ("tell-exits", |host| host.outcome.status.is_some() || host.outcome.exit.is_some()),
    ("tell-tokens", |host| host.transcript.is_some()),
    ("replace-input", Host::rewrites),
    ("inject-start", |host| host.reply.context.contains(&Happening::SessionStart)),
];

impl Host {
    /// A refused stop ends the turn all the same, and its reason is sent as the next prompt.
    pub(crate) fn asks_again(&self) -> bool {
        self.reply.asks_again
    }

    /// What hosts can do, each by its name, and whether this one can.
    pub fn capabilities(&self) -> impl Iterator<Item = (&'static str, bool)> {
        CAPABILITIES.iter().map(|(name, can)| (*name, can(self)))
    }
}
