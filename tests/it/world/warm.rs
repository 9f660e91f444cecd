//! How the binary under test lies in memory.
//!
//! A linker writes a file piece by piece, and so it lies in the page cache. A process that starts
//! from it maps page after page: 2.9 ms of a processor where the same bytes, read back in one go,
//! take 1.7. The tests start it sixty thousand times.

/// Has the system forget what it holds of the file, and read it again from front to back. Nothing
/// depends on it: where it does not work the tests take longer.
#[cfg(target_os = "linux")]
pub fn lies_in_one_piece(file: &str) {
    use std::sync::Once;

    use rustix::fs::{Advice, fadvise, fdatasync};

    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let Ok(open) = std::fs::File::open(file) else { return };
        // What is not on the disk yet cannot be forgotten.
        if fdatasync(&open).and_then(|()| fadvise(&open, 0, None, Advice::DontNeed)).is_ok() {
            drop(std::fs::read(file));
        }
    });
}

#[cfg(not(target_os = "linux"))]
pub fn lies_in_one_piece(_: &str) {}
