//! Where a boundary goes. What is pending keeps it, so that another process can end the step.

use serde::{Deserialize, Serialize};

use crate::phases::PhaseName;

/// Which way a boundary is crossed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Transition {
    Forward {
        to: Option<PhaseName>,
        /// Why another cycle is added, if one is.
        add_cycle: Option<String>,
        /// Directories declared with the step.
        scope: Vec<String>,
    },
    Back {
        to: Option<PhaseName>,
    },
    /// The first step, onto the small lane.
    Small,
    /// Off the small lane, onto the larger track.
    Up,
    /// A person says that the work is small: off the larger track, onto the small lane.
    Down,
    /// The cycle closes for a person who looked at it and wants more.
    Review,
    /// A commit in between; the phase stays.
    Checkpoint,
}
