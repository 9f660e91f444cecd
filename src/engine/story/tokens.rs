//! What models read and wrote for jobs, beside what git seed put before them.

use serde::Serialize;

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::story::job::stays;
use crate::engine::story::past::Past;
use crate::event::UnixSeconds;
use crate::format::tokens::Tokens;
use crate::jobs::summary;

/// `tokens` in `status --json` and `stats --json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TokensShown {
    /// All that the model was given, with each call anew.
    pub input: u64,
    /// How many of these came from the host's cache.
    pub cached: u64,
    pub output: u64,
    /// What git seed put before the agent, quotations among it: an estimate from its words.
    pub injected: u64,
    /// That, as a part of the input that was not cached; absent where it is more than that.
    pub share: Option<f64>,
}

impl TokensShown {
    /// `words` are all that git seed put before the agent.
    pub(crate) fn of(told: Tokens, words: u64) -> Self {
        let estimate = summary::tokens(usize::try_from(words).unwrap_or(usize::MAX));
        let mut shown = Self {
            input: told.input,
            cached: told.cached,
            output: told.output,
            injected: u64::try_from(estimate).unwrap_or(u64::MAX),
            share: None,
        };
        shown.rate();
        shown
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.injected = self.injected.saturating_add(other.injected);
        self.rate();
    }

    fn rate(&mut self) {
        let fresh = self.input.saturating_sub(self.cached);
        let tells = fresh > 0 && self.injected <= fresh;
        #[expect(clippy::cast_precision_loss, reason = "a part, to four digits")]
        let share = || (self.injected as f64 / fresh as f64 * 10_000.0).round() / 10_000.0;
        self.share = tells.then(share);
    }
}

/// Words that git seed put before the agent of a job, quotations among them.
pub(super) fn words(job: &LoadedJob, past: &Past) -> u64 {
    let told = stays(job, past).0;
    told.iter().map(|stay| u64::from(stay.cost.words) + u64::from(stay.cost.quoted)).sum()
}

/// What is known of the job at hand.
pub(crate) fn of_focused(repo: &Repo) -> Result<Option<TokensShown>> {
    let Some(job) = repo.focused()? else { return Ok(None) };
    let told = repo.store.tokens()?.of(job.state.job.id.as_str(), UnixSeconds::MIN);
    let Some(told) = told else { return Ok(None) };
    let past = Past::of(repo, &job)?;
    Ok(Some(TokensShown::of(told, words(&job, &past))))
}

/// The title of the host that drives the job at hand, where its transcripts tell no tokens.
pub(crate) fn untold_by(repo: &Repo) -> Result<Option<&'static str>> {
    let Some(job) = repo.focused()? else { return Ok(None) };
    let Some(session) = repo.session(&job.state.driver.session)? else { return Ok(None) };
    // A host that this version does not know tells nothing that it knows of.
    let host = crate::hosts::row(&session.host).ok();
    Ok(host.filter(|host| host.transcript().is_none()).map(|host| host.title.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_what_was_not_cached() {
        let told =
            |input, cached, words| TokensShown::of(Tokens { input, cached, output: 1 }, words);
        let cases = [
            (10_000, 9_000, 100, 130, Some(0.13)),
            (10_000, 0, 100, 130, Some(0.013)),
            (10_000, 0, 0, 0, Some(0.0)),
            (0, 0, 0, 0, None),
            (100, 100, 10, 13, None),
            (100, 200, 10, 13, None),
            (100, 0, 100, 130, None),
        ];
        for (input, cached, words, injected, share) in cases {
            let shown = told(input, cached, words);
            assert_eq!(
                (shown.injected, shown.share),
                (injected, share),
                "{input} {cached} {words}"
            );
        }
        let mut sum = told(10_000, 9_000, 100);
        sum.add(&told(10_000, 0, 0));
        assert_eq!((sum.injected, sum.share), (130, Some(0.0118)));
    }
}
