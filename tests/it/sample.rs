//! Long suites: a plain run plays a part of their cases, always the same ones, and
//! `cargo test -- --ignored` plays them whole.
//!
//! A suite is long if it takes more than twenty seconds. `.ci/full` plays them.

/// How much of a suite is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One case in eight, by a fixed seed.
    Part,
    /// Every case.
    Whole,
}

impl Extent {
    /// True if the case of this number is played.
    pub fn takes(self, number: usize) -> bool {
        self == Self::Whole || mixed(number as u64).is_multiple_of(8)
    }

    /// The cases that are played.
    pub fn of<T>(self, cases: impl IntoIterator<Item = T>) -> Vec<T> {
        let numbered = cases.into_iter().enumerate().filter(|(number, _)| self.takes(*number));
        numbered.map(|(_, case)| case).collect()
    }
}

/// `SplitMix64`: neighbours share nothing, so that no row of a table is left out as a whole.
fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[test]
fn a_part_is_an_eighth_spread_evenly_and_the_same_each_time() {
    let part = Extent::Part.of(0..1000);
    assert!((90..160).contains(&part.len()), "{}", part.len());
    assert_eq!(part, Extent::Part.of(0..1000));
    let widest = part.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(widest.is_some_and(|gap| gap < 60), "{widest:?}");
    assert_eq!(Extent::Whole.of(0..7), (0..7).collect::<Vec<_>>());
}
