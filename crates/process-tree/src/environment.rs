//! A whole environment as a value, built once and shared by many runs.

use std::{
    collections::HashMap,
    ffi::{CString, OsStr, OsString},
    sync::Arc,
};

/// A snapshot of environment variables.
///
/// Cloning copies a pointer. Build one for each session and let every [`Command`](crate::Command)
/// share it; what changes from run to run is added with [`Command::env`](crate::Command::env).
///
/// ```
/// use process_tree::Environment;
///
/// let base: Environment = [("PATH", "/usr/bin:/bin"), ("LANG", "C")].into_iter().collect();
/// let scrubbed = base.without("LANG");
///
/// assert_eq!(base.get("LANG"), Some("C".as_ref()));
/// assert_eq!(scrubbed.get("LANG"), None);
/// assert_eq!(scrubbed.len(), 1);
/// ```
#[derive(Clone, Default)]
pub struct Environment {
    table: Arc<Table>,
}

#[derive(Clone, Default)]
struct Table {
    variables: Vec<(OsString, OsString)>,
    /// `NAME=value`, ready for the kernel; `None` where a NUL byte makes that impossible.
    entries: Vec<Option<CString>>,
    places: HashMap<OsString, usize>,
}

/// One change a run makes to the snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Change {
    Set(OsString, OsString),
    Remove(OsString),
}

/// A variable's name or value holds a NUL byte, which no operating system can pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NulInVariable(pub(crate) OsString);

impl Environment {
    /// The environment of this process, as it is now.
    pub fn inherited() -> Self {
        std::env::vars_os().collect()
    }

    /// No variables at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// This environment with one variable set.
    #[must_use]
    pub fn with(&self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let mut table = Table::clone(&self.table);
        table.set(name.into(), value.into());
        Self {
            table: Arc::new(table),
        }
    }

    /// This environment with one variable taken out.
    #[must_use]
    pub fn without(&self, name: impl AsRef<OsStr>) -> Self {
        let kept = self.iter().filter(|(held, _)| *held != name.as_ref());
        kept.map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// The value of one variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let place = *self.table.places.get(name.as_ref())?;
        self.table
            .variables
            .get(place)
            .map(|(_, value)| value.as_os_str())
    }

    /// Every variable, in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.table
            .variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.table.variables.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.variables.is_empty()
    }

    /// The value a run sees after its changes.
    pub(crate) fn effective<'a>(&'a self, changes: &'a [Change], name: &str) -> Option<&'a OsStr> {
        let last = changes.iter().rev().find_map(|change| match change {
            Change::Set(held, value) if held == name => Some(Some(value.as_os_str())),
            Change::Remove(held) if held == name => Some(None),
            Change::Set(..) | Change::Remove(_) => None,
        });
        last.unwrap_or_else(|| self.get(name))
    }

    /// Hands `body` the entries a run sees: borrowed from the snapshot where nothing changed.
    pub(crate) fn assemble<T>(
        &self,
        changes: &[&[Change]],
        body: impl FnOnce(&[&std::ffi::CStr]) -> T,
    ) -> Result<T, NulInVariable> {
        let changes = || changes.iter().copied().flatten();
        let mut fresh = Vec::with_capacity(changes().count());
        for change in changes() {
            fresh.push(match change {
                Change::Set(name, value) => Some(entry(name, value)?),
                Change::Remove(_) => None,
            });
        }
        let mut slots: Vec<Option<&std::ffi::CStr>> = Vec::with_capacity(self.len() + fresh.len());
        for ((name, _), held) in self.table.variables.iter().zip(&self.table.entries) {
            let held = held.as_deref().ok_or_else(|| NulInVariable(name.clone()));
            slots.push(Some(held?));
        }
        let mut added: HashMap<&OsStr, usize> = HashMap::new();
        for (change, new) in changes().zip(&fresh) {
            let name = change.name();
            let place = self
                .table
                .places
                .get(name)
                .or_else(|| added.get(name))
                .copied();
            if let Some(slot) = place.and_then(|place| slots.get_mut(place)) {
                *slot = new.as_deref();
            } else {
                added.insert(name, slots.len());
                slots.push(new.as_deref());
            }
        }
        let entries: Vec<_> = slots.into_iter().flatten().collect();
        Ok(body(&entries))
    }
}

impl Change {
    fn name(&self) -> &OsStr {
        match self {
            Self::Set(name, _) | Self::Remove(name) => name,
        }
    }
}

impl Table {
    fn set(&mut self, name: OsString, value: OsString) {
        let made = entry(&name, &value).ok();
        if let Some(&place) = self.places.get(&name) {
            self.variables[place].1 = value;
            self.entries[place] = made;
        } else {
            self.places.insert(name.clone(), self.variables.len());
            self.variables.push((name, value));
            self.entries.push(made);
        }
    }
}

fn entry(name: &OsStr, value: &OsStr) -> Result<CString, NulInVariable> {
    let (name_bytes, value_bytes) = (name.as_encoded_bytes(), value.as_encoded_bytes());
    let mut bytes = Vec::with_capacity(name_bytes.len() + value_bytes.len() + 2);
    bytes.extend_from_slice(name_bytes);
    bytes.push(b'=');
    bytes.extend_from_slice(value_bytes);
    CString::new(bytes).map_err(|_| NulInVariable(name.to_owned()))
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let mut table = Table::default();
        for (name, value) in variables {
            table.set(name.into(), value.into());
        }
        Self {
            table: Arc::new(table),
        }
    }
}

/// The same variables with the same values, in the same order.
impl PartialEq for Environment {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) || self.table.variables == other.table.variables
    }
}

impl Eq for Environment {}

/// Shows names only: values are often secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(base: &Environment, changes: &[Change]) -> Vec<String> {
        let text = |all: &[&std::ffi::CStr]| {
            all.iter()
                .map(|e| e.to_string_lossy().into_owned())
                .collect()
        };
        base.assemble(&[changes], text).unwrap()
    }

    #[test]
    fn an_addition_replaces_the_variable_of_the_same_name() {
        let base: Environment = [("A", "1"), ("B", "2")].into_iter().collect();
        let changes = [
            Change::Set("A".into(), "9".into()),
            Change::Set("C".into(), "3".into()),
        ];
        assert_eq!(seen(&base, &changes), ["A=9", "B=2", "C=3"]);
    }

    #[test]
    fn the_last_of_several_changes_to_one_variable_wins() {
        let base: Environment = [("A", "1")].into_iter().collect();
        let changes = [
            Change::Set("N".into(), "1".into()),
            Change::Remove("A".into()),
            Change::Set("N".into(), "2".into()),
        ];
        assert_eq!(seen(&base, &changes), ["N=2"]);
        assert_eq!(base.effective(&changes, "N"), Some("2".as_ref()));
        assert_eq!(base.effective(&changes, "A"), None);
    }

    #[test]
    fn a_nul_byte_names_its_variable() {
        let changes = [Change::Set("BAD".into(), "a\0b".into())];
        let found = Environment::empty().assemble(&[&changes], |_| ());
        assert_eq!(found, Err(NulInVariable("BAD".into())));
    }

    #[test]
    fn values_stay_out_of_debug_output() {
        let base: Environment = [("TOKEN", "secret")].into_iter().collect();
        assert_eq!(format!("{base:?}"), "{\"TOKEN\"}");
    }
}
