//! The key inside an SSH signature, and the keys of an allowed-signers file.
//!
//! A signature names the key that made it, so most signatures by other keys are known
//! without starting a program. Whether a signature is good is git's to say. Formats:
//! PROTOCOL.sshsig of OpenSSH, ssh-keygen(1).

use std::collections::BTreeSet;

/// The public key that a signature says it was made with.
pub(crate) fn key(armoured: &str) -> Option<Vec<u8>> {
    let (_, rest) = armoured.split_once("-----BEGIN SSH SIGNATURE-----")?;
    let (body, _) = rest.split_once("-----END SSH SIGNATURE-----")?;
    let blob = base64(body)?;
    let rest = blob.strip_prefix(b"SSHSIG")?;
    let (_version, rest) = rest.split_at_checked(4)?;
    let (length, rest) = rest.split_at_checked(4)?;
    let length = u32::from_be_bytes(length.try_into().ok()?);
    rest.get(..usize::try_from(length).ok()?).map(<[u8]>::to_vec)
}

/// The keys of an allowed-signers file; `None` where certificates are allowed, which only
/// git can judge.
pub(crate) fn allowed(text: &str) -> Option<BTreeSet<Vec<u8>>> {
    let mut keys = BTreeSet::new();
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if line.contains("cert-authority") {
            return None;
        }
        let mut words = line.split_whitespace();
        // Principals, perhaps options, the kind of key, the key.
        let kinds = ["ssh-", "ecdsa-", "sk-"];
        words.find(|word| kinds.iter().any(|kind| word.starts_with(kind)));
        keys.extend(words.next().and_then(base64));
    }
    Some(keys)
}

/// The bytes of a text in base64, whatever space is between.
fn base64(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ssh-keygen -Y sign -n git` over two bytes, and the key's public half.
    const SIGNATURE: &str = "-----BEGIN SSH SIGNATURE-----\n\
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAglIrUXJbfnTWrtqyeLPQhxA/Lkl\n\
        tWgal0GwNaFesWbHkAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5\n\
        AAAAQKwAHaPyrpx7C3ohmxIYu7A1GwjYl31SU1a5IJLV2cybnT1ntAHtay82YFGwAlkggu\n\
        alVxwCTLydkorvCTWdqww=\n\
        -----END SSH SIGNATURE-----";
    const PUBLIC: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJSK1FyW3501q7asniz0IcQPy5JbVoGpdBsDWhXrFmx5";

    #[test]
    fn a_signature_names_its_key() {
        let key = key(SIGNATURE).expect("reads");
        let allowed = |text: &str| allowed(text).map(|keys| keys.contains(&key));
        assert_eq!(allowed(&format!("# mine\n\nada@example.org {PUBLIC} ada\n")), Some(true));
        assert_eq!(allowed(&format!("* namespaces=\"git\" {PUBLIC}\n")), Some(true));
        assert_eq!(allowed("ada@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n"), Some(false));
        assert_eq!(allowed(&format!("* cert-authority {PUBLIC}\n")), None);
        for odd in
            ["", "-----BEGIN SSH SIGNATURE-----\n%\n-----END SSH SIGNATURE-----", &SIGNATURE[..60]]
        {
            assert_eq!(super::key(odd), None, "{odd}");
        }
    }

    #[test]
    fn base64_is_read() {
        for (text, bytes) in
            [("", ""), ("TQ==", "M"), ("TWE=", "Ma"), ("TW\nFu", "Man"), ("TWFuTWFu", "ManMan")]
        {
            assert_eq!(base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(base64("T!"), None);
    }
}
