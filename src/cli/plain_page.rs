//! A man page as plain text, for who has no `man`, or no terminal.
//!
//! Reads the few requests of roff that the pages of git seed use, no more.

use super::width::wrapped;

/// Columns by which a text stands in, and the text of an item below its name.
const INDENT: usize = 4;

/// What a page says, in lines of at most `columns`; lines of code stay whole.
pub(super) fn plain(page: &str, columns: usize) -> String {
    let mut text = Page { columns, ..Page::default() };
    for line in page.lines() {
        text.line(line);
    }
    text.end_paragraph();
    text.out.trim_start_matches('\n').to_owned()
}

#[derive(Default)]
struct Page {
    columns: usize,
    out: String,
    words: String,
    code: bool,
    /// The next line is the name of an item.
    names: bool,
    in_item: bool,
}

impl Page {
    fn line(&mut self, line: &str) {
        let Some(request) = line.strip_prefix('.') else { return self.text(&readable(line)) };
        let (name, rest) = request.split_once(' ').unwrap_or((request, ""));
        match name {
            "SH" | "SS" => {
                self.end_paragraph();
                self.in_item = false;
                let (before, indent) = if name == "SH" { ("\n", "") } else { ("\n", "  ") };
                self.out += &format!("{before}{indent}{}\n", readable(rest.trim_matches('"')));
            }
            "TP" => {
                self.end_paragraph();
                self.blank();
                (self.names, self.in_item) = (true, true);
            }
            "PP" => {
                self.end_paragraph();
                self.blank();
                self.in_item = false;
            }
            "br" => self.end_paragraph(),
            "nf" => {
                self.end_paragraph();
                self.code = true;
            }
            "fi" => self.code = false,
            _ => {}
        }
    }

    fn text(&mut self, line: &str) {
        if self.code {
            let indent = " ".repeat(2 * INDENT);
            self.out += &format!("{}\n", format!("{indent}{line}").trim_end());
        } else if self.names {
            self.names = false;
            self.out += &format!("{}{line}\n", " ".repeat(INDENT));
        } else if line.is_empty() {
            self.end_paragraph();
        } else {
            self.words += &format!(" {line}");
        }
    }

    fn blank(&mut self) {
        if !self.out.ends_with("\n\n") && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn end_paragraph(&mut self) {
        let indent = if self.in_item { 2 * INDENT } else { INDENT };
        for line in wrapped(&self.words, self.columns.saturating_sub(indent)) {
            self.out += &format!("{}{line}\n", " ".repeat(indent));
        }
        self.words.clear();
    }
}

/// A line without the marks of roff.
fn readable(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.strip_prefix("\\&").unwrap_or(line);
    while let Some((before, after)) = rest.split_once('\\') {
        text += before;
        let mut letters = after.chars();
        match letters.next() {
            Some('f') => {
                letters.next();
            }
            Some('e') => text.push('\\'),
            Some('*') if after.starts_with("*(Aq") => {
                text.push('\'');
                letters = after[4..].chars();
            }
            Some('(') if after.starts_with("(aq") => {
                text.push('\'');
                letters = after[3..].chars();
            }
            Some('&') | None => {}
            Some(letter) => text.push(letter),
        }
        rest = letters.as_str();
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_readable_without_man() {
        let page = ".ie \\n(.g .ds Aq \\(aq\n.TH x 1\n.SH NAME\nx\\-y \\- says\n.SH OPTIONS\n.TP\n\
            \\fB\\-\\-to\\fR \\fI<dir>\\fR\nwhere the person\\*(Aqs pages go\n.PP\n.nf\n\
            \\&.x  y\n.fi\nend \\e\n";
        let wanted = "NAME\n    x-y - says\n\nOPTIONS\n\n    --to <dir>\n        where the \
            person's pages go\n\n        .x  y\n    end \\\n";
        assert_eq!(plain(page, 80), wanted);
    }

    #[test]
    fn every_page_reads_without_marks() {
        for (name, page) in super::super::man::pages().expect("pages") {
            let page = String::from_utf8(page).expect("text");
            for columns in [50, 100] {
                let text = plain(&page, columns);
                let bare = ["\\fB", "\\-", "\n.SH", "\\*("];
                assert!(bare.iter().all(|mark| !text.contains(mark)), "{name}:\n{text}");
                let title = text.lines().next();
                assert_eq!(title, Some("NAME"), "{name}");
            }
        }
    }
}
