//! Arguments in, exit code out.

fn main() -> std::process::ExitCode {
    git_seed::cli::main()
}
