//! What `init` puts in, `uninstall` takes out, and `doctor` looks at.

pub(crate) mod anchors;
pub(crate) mod doctor;
pub(crate) mod doctor_hosts;
pub(crate) mod grants;
pub(crate) mod heartbeat;
pub(crate) mod host_settings;
pub(crate) mod in_force;
pub(crate) mod init;
pub(crate) mod mcp_servers;
pub(crate) mod merging;
pub(crate) mod own_record;
pub(crate) mod pages;
pub(crate) mod plugins;
pub(crate) mod pushes;
pub(crate) mod raw_memory;
pub(crate) mod reach;
pub(crate) mod uninstall;

pub(crate) use crate::engine::git_hooks;
