//! A line of a shell as its simple commands.

/// The commands of a line that stand in the open, not in substitutions, loops or functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub commands: Vec<Simple>,
    /// Where it goes first, step by step; `None` is a place that the text does not show.
    pub dirs: Vec<Option<String>>,
    /// Where it goes on from, by a `cd` among its commands: what stood before it ran elsewhere.
    pub later: Vec<String>,
    /// The line is the one command, perhaps behind a `cd`, and ends as the command ends.
    /// With a `cd`, it ends well only if the command did; if it ends badly it may have been
    /// the `cd`, which errs on the strict side.
    pub whole: bool,
    /// Nothing but commands behind `&&`: that the line ended well says so of each of them.
    pub chained: bool,
    /// The first of the commands that stand behind `&&` at the end of a list: that the line ended
    /// well says so of them, and nothing of what stands before them.
    pub heard: Option<usize>,
    /// The last command alone makes the end of the line.
    pub ends: bool,
    /// What commands print may go on to programs that hand on its end, or stand beside words
    /// that say nothing of it: the line's own end is then theirs.
    pub shown: bool,
    /// Something makes words of the line mean another thing: a function, a loop.
    pub(super) opaque: bool,
    /// Something of it runs beside the rest, and nobody waits for it.
    pub detached: bool,
}

/// One command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    /// Variables that are set for it, as `NAME=value` stands there.
    pub sets: Vec<String>,
    /// Its words without quotes.
    pub words: Vec<String>,
    /// What a here-document or a here-string gives it to read, expansions as written.
    pub input: Option<String>,
    /// All of it is in the text: no variable, no substitution, no wildcard that could be a flag.
    pub literal: bool,
    /// It hands on the end of what the command before it prints (`| tail -20`), or prints nothing
    /// that a runner of tests could have printed (`; echo done`).
    pub filters: bool,
    /// Of what it prints, on either way, not all reaches whoever reads what the line printed.
    pub thrown: bool,
}

impl Line {
    pub(super) fn is_opaque(&mut self) {
        self.opaque = true;
        self.holds(false);
    }

    /// What the commands from `start` on print does not reach whoever reads.
    pub(super) fn throw_from(&mut self, start: usize) {
        self.commands[start..].iter_mut().for_each(|one| one.thrown = true);
    }

    /// What does not hold of a command holds of no form of the line.
    pub(super) fn holds(&mut self, fits: bool) {
        self.whole &= fits;
        self.chained &= fits;
        self.shown &= fits;
        self.heard = self.heard.filter(|_| fits);
    }
}
