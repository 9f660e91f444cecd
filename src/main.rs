//! Arguments in, exit code out.

/// That of musl gives each larger piece back to the system at once, and asks for it again.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    git_seed::cli::main()
}
