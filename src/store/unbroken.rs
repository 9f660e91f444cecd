//! Whether a bundle is whole: its header to the end, a ref at least, and a pack that has the sum
//! which stands behind it.
//!
//! `git bundle verify` asks for what a bundle builds on and for no byte of its pack; one without
//! refs, or whose refs are here already, is never opened further.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use super::Store;
use super::error::StoreError;

/// What is wrong with a bundle.
pub(crate) type Broken = &'static str;

const CUT_HEADER: Broken = "its header is cut off";
const OTHER_FORMAT: Broken = "its repository has ids of another kind (SHA-1, SHA-256)";
const NO_REFS: Broken = "it holds no ref";
const CUT_PACK: Broken = "its pack is cut off or damaged";
const NO_BUNDLE: Broken = "it does not begin as a bundle does";

/// As long as a line of the header may be.
const LINE: u64 = 64 << 10;

impl Store {
    /// What is wrong with the bundle `file`, if anything is.
    pub(crate) fn broken_bundle(&self, file: &Path) -> Result<Option<Broken>, StoreError> {
        let mut bundle = BufReader::new(File::open(file)?);
        if let Some(broken) = header(&mut bundle, self.repo.object_hash())? {
            return Ok(Some(broken));
        }
        Ok(pack(&mut bundle, self.repo.object_hash())?)
    }
}

fn header(
    bundle: &mut impl std::io::BufRead,
    kind: gix::hash::Kind,
) -> std::io::Result<Option<Broken>> {
    const FORMAT: &[u8] = b"@object-format=";
    let (mut refs, mut format) = (0_usize, b"sha1".to_vec());
    for n in 0_usize.. {
        let mut line = Vec::new();
        bundle.take(LINE).read_until(b'\n', &mut line)?;
        if n == 0 && !(line.starts_with(b"# v2 git bundle") || line.starts_with(b"# v3 git bundle"))
        {
            return Ok(Some(NO_BUNDLE));
        }
        if line.pop() != Some(b'\n') {
            return Ok(Some(CUT_HEADER));
        }
        if let Some(named) = line.strip_prefix(FORMAT) {
            format = named.to_vec();
        }
        match line.first() {
            None => break,
            Some(b'#' | b'-' | b'@') => {}
            Some(_) => refs += 1,
        }
    }
    let other = format != kind.to_string().into_bytes();
    Ok(other.then_some(OTHER_FORMAT).or_else(|| (refs == 0).then_some(NO_REFS)))
}

/// Reads the pack to its end, whose last bytes are the sum of those before.
fn pack(bundle: &mut impl Read, kind: gix::hash::Kind) -> std::io::Result<Option<Broken>> {
    let (mut hasher, sum) = (gix::hash::hasher(kind), kind.len_in_bytes());
    let (mut held, mut chunk, mut whole) = (Vec::new(), vec![0; 64 << 10], 0_usize);
    loop {
        let read = bundle.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        if whole == 0 && !chunk.starts_with(b"PACK") {
            return Ok(Some(CUT_PACK));
        }
        whole += read;
        held.extend_from_slice(&chunk[..read]);
        let known = held.len().saturating_sub(sum);
        hasher.update(&held[..known]);
        held.drain(..known);
    }
    let found = hasher.try_finalize().ok();
    let same = whole > sum && found.is_some_and(|found| found.as_slice() == held);
    Ok((!same).then_some(CUT_PACK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_ends_with_an_empty_line_and_has_a_ref() {
        let of = |text: &str, kind| header(&mut text.as_bytes(), kind).expect("reads");
        let ask = |text: &str| of(text, gix::hash::Kind::Sha1);
        let id = "1".repeat(40);
        assert_eq!(ask(&format!("# v2 git bundle\n-{id} x\n{id} refs/a\n\nPACK")), None);
        assert_eq!(ask(&format!("# v3 git bundle\n@object-format=sha1\n{id} refs/a\n\n")), None);
        assert_eq!(ask("# v2 git bundle\n"), Some(CUT_HEADER));
        assert_eq!(ask("# v2 git bundle\n\n"), Some(NO_REFS));
        assert_eq!(ask(&format!("# v2 git bundle\n{id} re")), Some(CUT_HEADER));
        assert_eq!(ask(""), Some(NO_BUNDLE));
        // Who has ids of another kind reads none of it.
        let longer = format!("# v3 git bundle\n@object-format=sha256\n{id} refs/a\n\n");
        assert_eq!(ask(&longer), Some(OTHER_FORMAT));
        assert_eq!(of(&longer, gix::hash::Kind::Sha256), None);
        let older = format!("# v2 git bundle\n{id} refs/a\n\n");
        assert_eq!(of(&older, gix::hash::Kind::Sha256), Some(OTHER_FORMAT));
    }

    #[test]
    fn a_pack_ends_with_its_sum() {
        let kind = gix::hash::Kind::Sha1;
        let mut hasher = gix::hash::hasher(kind);
        let body = [b"PACK".to_vec(), vec![7; 200_000]].concat();
        hasher.update(&body);
        let sum = hasher.try_finalize().expect("a sum");
        let whole = [body.as_slice(), sum.as_slice()].concat();
        let ask = |bytes: &[u8]| pack(&mut &*bytes, kind).expect("reads");
        assert_eq!(ask(&whole), None);
        for cut in [0, 3, 21, 100_000, whole.len() - 1] {
            assert_eq!(ask(&whole[..cut]), Some(CUT_PACK), "{cut}");
        }
        let mut changed = whole;
        changed[150_000] ^= 1;
        assert_eq!(ask(&changed), Some(CUT_PACK));
    }
}
