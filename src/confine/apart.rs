//! A process that reaches no other program: what no rule on files holds, refused by seccomp.
//!
//! Landlock leaves open the sockets of programs that act for others, such as those of docker or of
//! a person's session, and the input of a terminal. Who can speak to those can have them write
//! where it cannot write itself. So no socket can be made but a pair, which leads nowhere else, and
//! nothing is put into a terminal as if it had been typed.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::CannotConfine;

/// Calls that are refused whatever they are given: each way to a socket that is no pair, and
/// `io_uring`, which has ways of its own that no filter sees.
const REFUSED: [i64; 6] = [
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// On `x86_64` the calls have these numbers as well, with this bit.
const X32: i64 = 0x4000_0000;

/// `ioctl` has a number of its own there.
const X32_IOCTL: i64 = X32 + 514;

/// What of a socket's type says how it speaks.
const TYPE: u64 = 0xf;

/// Refuses the calls to this thread, and to all that it starts.
pub(super) fn enter() -> Result<(), CannotConfine> {
    let failed = |error: &dyn std::fmt::Display| CannotConfine::Kernel(error.to_string());
    let program = filter().map_err(|error| failed(&error))?;
    seccompiler::apply_filter(&program).map_err(|error| failed(&error))
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let argument = |number: u8, how: SeccompCmpOp, value: u64| {
        SeccompCondition::new(number, SeccompCmpArgLen::Dword, how, value)
    };
    let kind = |kind: libc::c_int| -> Result<SeccompRule, seccompiler::BackendError> {
        SeccompRule::new(vec![argument(1, SeccompCmpOp::MaskedEq(TYPE), number(kind))?])
    };
    let asks = |request: u64| -> Result<SeccompRule, seccompiler::BackendError> {
        SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, request)?])
    };
    let family = argument(0, SeccompCmpOp::Ne, number(libc::AF_UNIX))?;
    // A pair that sends single messages can send them to a name.
    let pair =
        vec![SeccompRule::new(vec![family])?, kind(libc::SOCK_DGRAM)?, kind(libc::SOCK_RAW)?];
    let typed = vec![asks(libc::TIOCSTI)?, asks(libc::TIOCLINUX)?];
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_socketpair, pair);
    rules.insert(libc::SYS_ioctl, typed.clone());
    if cfg!(target_arch = "x86_64") {
        let others: Vec<_> =
            rules.iter().map(|(call, rules)| (call | X32, rules.clone())).collect();
        rules.extend(others);
        rules.insert(X32_IOCTL, typed);
    }
    let refuse = SeccompAction::Errno(EPERM);
    let target = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, target)?.try_into()
}

/// What is refused is not permitted.
const EPERM: u32 = libc::EPERM.unsigned_abs();

/// A number of the system's headers, as an argument of a call holds it.
fn number(value: libc::c_int) -> u64 {
    u64::from(value.unsigned_abs())
}
