//! Names and places of memory pages, as repository paths with `/` between their parts.
//!
//! Exact in every byte: links, `..` and the case rules of a disk are resolved before a
//! path comes here. The root directory is the empty string.

/// Says whether a file of this name is a page.
pub(crate) fn is_page(file_name: &str, page_names: &[&str]) -> bool {
    page_names.contains(&file_name)
}

/// The directory that holds `path`; empty for a file in the root.
pub(crate) fn dir_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// The last part of `path`.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The page called `page_name` that speaks for `dir`.
pub(crate) fn page_of_dir(dir: &str, page_name: &str) -> String {
    if dir.is_empty() { page_name.to_owned() } else { format!("{dir}/{page_name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_speaks_for_the_directory_it_lies_in() {
        for (dir, page) in
            [("", "CLAUDE.md"), ("src", "src/CLAUDE.md"), ("a/b c", "a/b c/CLAUDE.md")]
        {
            assert_eq!(page_of_dir(dir, "CLAUDE.md"), page);
            assert_eq!(dir_of(page), dir);
            assert_eq!(name_of(page), "CLAUDE.md");
        }
    }

    #[test]
    fn a_page_is_known_by_its_exact_name() {
        let names = ["CLAUDE.md", "AGENTS.md"];
        assert!(is_page("AGENTS.md", &names));
        for other in ["claude.md", "CLAUDE.md.bak", "MY-CLAUDE.md", ""] {
            assert!(!is_page(other, &names), "{other}");
        }
    }
}
