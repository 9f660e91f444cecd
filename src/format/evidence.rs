//! Receipts as files of a job's tree: `evidence/<aa>/<hash>.toml`.

use super::days::day;
use super::short_hash;
use crate::claims::Ran;

/// Digits of a receipt's id.
const ID: usize = 16;
/// The most bytes of a command line that a receipt keeps.
const COMMAND: usize = 2000;

/// The bytes of a receipt's file. A long command line is cut, and ends with `…`.
pub(crate) fn write(ran: &Ran) -> String {
    // A struct of strings and numbers always has a TOML form.
    toml::to_string(ran).unwrap_or_default()
}

/// Reads a receipt's file.
pub(crate) fn read(bytes: &[u8]) -> Option<Ran> {
    toml::from_str(std::str::from_utf8(bytes).ok()?).ok()
}

/// The id of a receipt: a hash of what it says.
pub(crate) fn id(ran: &Ran) -> String {
    short_hash(write(ran).as_bytes(), ID)
}

/// The order of the receipts of a job: by the day, and on one day as their steps kept them. Those
/// of other clones have no more than the day.
pub(crate) fn order(ran: &Ran) -> (i64, (u32, u32), i64) {
    (day(ran.at), ran.place.unwrap_or_default(), ran.at)
}

/// True where `text` could be the id of a receipt.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Where the receipt `id` lies in a job's tree.
pub(crate) fn path(id: &str) -> String {
    format!("{}/{}/{id}.toml", super::names::EVIDENCE, id.get(..2).unwrap_or_default())
}

/// A command line as a receipt keeps it.
pub(crate) fn cut(command: &str) -> String {
    // What is cut in the middle is not known any more.
    let command = &*crate::secrets::mask(command);
    if command.len() <= COMMAND {
        return command.to_owned();
    }
    let end = (0..=COMMAND).rev().find(|at| command.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &command[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_receipt_survives_its_file() {
        let ran = Ran {
            at: 1_795_294_572,
            session: "s".into(),
            command: "cargo test -- \"it's\"\n# two lines".into(),
            status: Some(101),
            failed: true,
            tree_after: Some("ab".repeat(20)),
            ..Ran::default()
        };
        assert_eq!(read(write(&ran).as_bytes()), Some(ran.clone()));
        let id = id(&ran);
        assert!(is_id(&id), "{id}");
        assert_eq!(path(&id), format!("evidence/{}/{id}.toml", &id[..2]));
        assert!(!is_id("deadbeef") && !is_id("ABCDEF0123456789"));
    }

    #[test]
    fn receipts_of_one_day_stand_as_their_steps_kept_them() {
        const DAY: i64 = 1_795_219_200;
        let ran = |at, place| Ran { at, place, command: "cargo test".into(), ..Ran::default() };
        let mut all = [
            ran(DAY + 86_400, Some((2, 0))),
            ran(DAY, Some((10, 1))),
            ran(DAY, Some((10, 0))),
            ran(DAY + 70, Some((9, 3))),
            ran(DAY + 60, None),
            ran(DAY + 50, None),
        ];
        let kept = all[1].clone();
        all.sort_by_key(order);
        let places: Vec<_> = all.iter().map(|ran| ran.place).collect();
        let wanted = [(9, 3), (10, 0), (10, 1), (2, 0)].map(Some);
        assert_eq!(places, [&[None, None][..], &wanted].concat());
        assert!(all[0].at < all[1].at);
        assert_eq!(read(write(&kept).as_bytes()), Some(kept));
    }

    proptest! {
        #[test]
        fn any_bytes_read_or_do_not(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes);
        }

        #[test]
        fn a_long_line_is_cut_between_letters(line in "\\PC{0,900}", times in 1_usize..5) {
            let cut = cut(&line.repeat(times));
            prop_assert!(cut.len() <= COMMAND + '…'.len_utf8());
        }
    }
}
