//! The gate's rows as the rules in force have them, made once: a server asks for them with each
//! call, and each ruling keeps them as JSON.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::runs::Runs;
use super::table::{GateTable, TableError};

/// The gate's rows, and the same as JSON.
#[derive(Debug)]
pub(crate) struct InForce {
    rows: GateTable,
    json: OnceLock<Vec<u8>>,
}

impl InForce {
    /// The shipped rows, where receipts are read by `runs`.
    ///
    /// # Errors
    ///
    /// A shipped row is wrong.
    pub(crate) fn by(runs: &Runs) -> Result<Arc<Self>, TableError> {
        static LAST: Mutex<Option<Arc<InForce>>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let backs = runs.backs();
        if let Some(known) = last.as_ref().filter(|known| known.rows.backs == backs) {
            return Ok(Arc::clone(known));
        }
        let rows = GateTable::shipped()?.with_runs(runs);
        let made = Arc::new(Self { rows, json: OnceLock::new() });
        *last = Some(Arc::clone(&made));
        Ok(made)
    }

    /// The rows as JSON: the same bytes each time.
    ///
    /// # Errors
    ///
    /// A row cannot be written as JSON.
    pub(crate) fn json(&self) -> Result<&[u8], serde_json::Error> {
        if let Some(json) = self.json.get() {
            return Ok(json);
        }
        let json = serde_json::to_vec(&self.rows)?;
        Ok(self.json.get_or_init(|| json))
    }
}

impl Deref for InForce {
    type Target = GateTable;

    fn deref(&self) -> &GateTable {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_rules_that_are_asked_by() {
        let shipped = Runs::shipped();
        let none = Runs::none();
        for runs in [&shipped, &none, &shipped] {
            let rows = InForce::by(runs).expect("rows");
            let wanted = GateTable::shipped().expect("rows").with_runs(runs);
            assert!(**rows == wanted, "{runs:?}");
            assert_eq!(rows.json().expect("JSON"), serde_json::to_vec(&wanted).expect("JSON"));
            assert!(Arc::ptr_eq(&rows, &InForce::by(runs).expect("rows")), "made once");
        }
    }
}
