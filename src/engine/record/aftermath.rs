//! What a call of the agent left in the work tree, as the fence found it.

/// What a shell call left behind.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShellEffects {
    pub paths: Vec<String>,
    pub strays: Vec<String>,
    pub unclaimed: Vec<String>,
    /// Of `paths`, those that somebody else had changed just before.
    pub mixed: Vec<String>,
    /// Pages that were changed where the phase may change them.
    pub page_edits: u32,
    /// The call changed something; what an earlier call is known for does not count again.
    pub changed: bool,
    /// Work changed since the fence looked last, by this call or before it.
    pub late: bool,
    /// Anything changed since the fence looked last.
    pub moved: bool,
}

impl ShellEffects {
    /// Paths that hold what no call accounts for, those that hold work of the agent's as well too.
    pub(crate) fn all_unclaimed(&self) -> Vec<String> {
        self.unclaimed.iter().chain(&self.mixed).cloned().collect()
    }
}
