//! What is seldom there takes the room of a pointer.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::Serialize;

/// A type of which there is mostly nothing to say.
pub trait Blank: Default + PartialEq + 'static {
    /// The one that says nothing: the default.
    #[doc(hidden)]
    fn blank() -> &'static Self;
}

/// A `T` that takes no room until something of it is set. Reading and setting go through it.
///
/// ```
/// use hook_types::Specific;
///
/// let mut specific = Specific::default();
/// assert_eq!(specific.retry, None);
/// specific.retry = Some(true);
/// assert!(!specific.is_blank());
/// ```
#[derive(Clone)]
pub struct Seldom<T>(Option<Box<T>>);

impl<T> Seldom<T> {
    /// Nothing is set.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Makes room for `value`, whatever is set of it.
    pub(crate) fn some(value: T) -> Self {
        Self(Some(Box::new(value)))
    }
}

impl<T: Blank> Seldom<T> {
    /// Whether nothing is set.
    pub fn is_blank(&self) -> bool {
        self.0.as_deref().is_none_or(|value| value == T::blank())
    }

    /// The value itself.
    pub fn into_inner(self) -> T {
        self.0.map_or_else(T::default, |value| *value)
    }
}

impl<T> Default for Seldom<T> {
    fn default() -> Self {
        Self::none()
    }
}

impl<T: Blank> Deref for Seldom<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::blank())
    }
}

impl<T: Blank> DerefMut for Seldom<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: Blank> From<T> for Seldom<T> {
    fn from(value: T) -> Self {
        if value == *T::blank() {
            Self::none()
        } else {
            Self::some(value)
        }
    }
}

/// Whether room was made for what is not set makes no difference.
impl<T: Blank> PartialEq for Seldom<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.0.is_none() && other.0.is_none()) || **self == **other
    }
}

impl<T: Blank + Eq> Eq for Seldom<T> {}

/// A value is compared to what may have no room, without making any.
impl<T: Blank> PartialEq<T> for Seldom<T> {
    fn eq(&self, other: &T) -> bool {
        **self == *other
    }
}

impl<T: Blank + fmt::Debug> fmt::Debug for Seldom<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Blank + Serialize> Serialize for Seldom<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, Specific, SyncOutput};

    #[test]
    fn fields_that_are_unset_again_are_as_if_they_had_never_been_set() {
        let mut specific = Specific::none();
        specific.retry = Some(true);
        assert_ne!(specific, Specific::default());
        specific.retry = None;
        assert_eq!(specific, Specific::default());
        assert!(specific.is_blank());
        assert_eq!(serde_json::to_string(&specific).unwrap(), "{}");
    }

    #[test]
    fn nothing_takes_the_room_of_a_pointer() {
        assert_eq!(size_of::<Seldom<SyncOutput>>(), size_of::<usize>());
    }

    #[test]
    fn what_says_nothing_is_the_default() {
        assert_eq!(*SyncOutput::blank(), SyncOutput::default());
        assert_eq!(*Evidence::blank(), Evidence::default());
        assert_eq!(*Specific::none(), Specific::none().into_inner());
    }

    #[test]
    fn what_is_set_comes_back() {
        let output = SyncOutput::deny("no");
        let seldom = Seldom::from(output.clone());
        assert_eq!(seldom, output);
        assert_eq!(seldom.into_inner(), output);
        assert!(Seldom::from(SyncOutput::default()).0.is_none());
    }
}
