//! What the table's rows become.

/// Turns the rows of the table into [`EventName`](super::EventName), the erased
/// [`HookEvent`](super::HookEvent), the constant rows, and what the compiler knows of each event.
macro_rules! event_table {
    ($(
        $name:ident {
            subject: $how:ident $(($subject:ident))?, within: $deadline:ident($($time:literal),+),
            block: $effect:ident by $spelling:ident,
            stdout: $stdout:ident, exit2: $exit:ident, flags: [$($flag:ident $(($arg:literal))?)*],
            honours: [$($field:ident)*]
        }
    )*) => {
        use super::field::{Field, Fields, Honours, part};
        use super::row::{Effect, EventRow, ExitTwo, Names, Spelling, Stdout};
        use super::subject::Subject;
        use super::Event;
        use super::{$($name),*};
        use super::erased::{names, row_flag, row_subject, subject_of, block_part};

        /// The name of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum EventName {
            $(
                #[doc = concat!("See [`", stringify!($name), "`](struct@super::", stringify!($name), ").")]
                $name,
            )*
        }

        impl EventName {
            /// Every event, in the table's order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$name => stringify!($name), )*
                }
            }

            /// The schema of the event's struct.
            #[cfg(feature = "schema")]
            pub(crate) fn struct_schema(self) -> serde_json::Value {
                match self {
                    $( Self::$name => crate::schema::of::<$name>(), )*
                }
            }
        }

        pub(super) const TABLE: &[EventRow] = &[$(
            {
                #[allow(unused_mut, reason = "rows without flags change nothing")]
                let mut row = EventRow {
                    name: EventName::$name,
                    subject: row_subject!($how $($subject)?),
                    names: names!($how),
                    deadline: super::erased::deadline::$deadline($($time),+),
                    effect: Effect::$effect,
                    spelling: Spelling::$spelling,
                    stdout: Stdout::$stdout,
                    exit_two: ExitTwo::$exit,
                    guard: false,
                    timeout_blocks: false,
                    exempt: None,
                    honours: Fields::of(&[$(Field::$field),*]),
                };
                $( row_flag!(row $flag $($arg)?); )*
                row
            },
        )*];

        /// Any event, with its type erased. This is what passes between the layers: two words, however
        /// much the event has to say.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum HookEvent {
            $(
                #[doc = concat!("See [`", stringify!($name), "`](struct@super::", stringify!($name), ").")]
                $name(Box<$name>),
            )*
        }

        impl HookEvent {
            /// Reads an event whose name is known from its object.
            pub(super) fn read(name: EventName, object: super::object::Object) -> Result<Self, super::object::FieldError> {
                match name {
                    $( EventName::$name => super::wire::Fields::read(object).map(|event| Self::$name(Box::new(event))), )*
                }
            }

            /// Which event it is.
            pub fn name(&self) -> EventName {
                match self {
                    $( Self::$name(_) => EventName::$name, )*
                }
            }

            /// What every event carries.
            pub fn base(&self) -> &crate::Base {
                match self {
                    $( Self::$name(event) => &event.base, )*
                }
            }

            /// What every event carries, to be filled in.
            pub fn base_mut(&mut self) -> &mut crate::Base {
                match self {
                    $( Self::$name(event) => &mut event.base, )*
                }
            }

            /// What a matcher is tested against.
            pub fn subject(&self) -> Subject<'_> {
                match self {
                    $( Self::$name(event) => event.subject(), )*
                }
            }
        }

        impl serde::Serialize for HookEvent {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$name(event) => event.serialize(serializer), )*
                }
            }
        }

        $(
            impl From<$name> for HookEvent {
                #[inline]
                fn from(event: $name) -> Self {
                    Self::$name(Box::new(event))
                }
            }

            impl Event for $name {
                const NAME: EventName = EventName::$name;

                fn base(&self) -> &crate::Base {
                    &self.base
                }

                fn base_mut(&mut self) -> &mut crate::Base {
                    &mut self.base
                }

                fn extra(&self) -> &serde_json::Map<String, serde_json::Value> {
                    &self.extra
                }

                fn subject(&self) -> Subject<'_> {
                    subject_of!(self $how $($subject)?)
                }

                fn of(event: &HookEvent) -> Option<&Self> {
                    match event {
                        HookEvent::$name(event) => Some(event),
                        #[allow(clippy::wildcard_enum_match_arm, reason = "any other event is another type")]
                        _ => None,
                    }
                }

                #[inline]
                fn taken_from(event: HookEvent) -> Option<Box<Self>> {
                    match event {
                        HookEvent::$name(event) => Some(event),
                        #[allow(clippy::wildcard_enum_match_arm, reason = "any other event is another type")]
                        _ => None,
                    }
                }
            }

            $( impl Honours<part::$field> for $name {} )*
            block_part!($name $effect);
        )*
    };
}

/// The deadlines that a row can ask for, in the row's own words.
pub(super) mod deadline {
    use std::time::Duration;

    use crate::event::row::Deadline;

    /// Seconds for each hook.
    pub(crate) const fn each(seconds: u64) -> Deadline {
        Deadline::Each(Duration::from_secs(seconds))
    }

    /// Milliseconds for all hooks, and how far they may be raised.
    pub(crate) const fn shared(budget: u64, at_most: u64) -> Deadline {
        Deadline::Shared {
            budget: Duration::from_millis(budget),
            at_most: Duration::from_millis(at_most),
        }
    }
}

macro_rules! row_subject {
    (none) => {
        None
    };
    ($how:ident $field:ident) => {
        Some(stringify!($field))
    };
}

macro_rules! names {
    (narrow) => {
        Names::Narrow
    };
    (basename) => {
        Names::Narrow
    };
    ($how:ident) => {
        Names::Usual
    };
}

macro_rules! row_flag {
    ($row:ident guard) => {
        $row.guard = true
    };
    ($row:ident timeout_blocks) => {
        $row.timeout_blocks = true
    };
    ($row:ident exempt $subject:literal) => {
        $row.exempt = Some($subject)
    };
}

macro_rules! subject_of {
    ($event:ident none) => {
        Subject::Ignored
    };
    ($event:ident of $field:ident) => {
        Subject::Text($event.$field.as_ref())
    };
    ($event:ident narrow $field:ident) => {
        Subject::Text($event.$field.as_ref())
    };
    ($event:ident basename $field:ident) => {
        Subject::basename(&$event.$field)
    };
    ($event:ident model $field:ident) => {
        Subject::model(&$event.$field)
    };
}

macro_rules! block_part {
    ($name:ident Prevent) => {
        impl Honours<part::Deny> for $name {}
    };
    ($name:ident Ignore) => {};
    ($name:ident $effect:ident) => {
        impl Honours<part::$effect> for $name {}
    };
}

pub(super) use {block_part, event_table, names, row_flag, row_subject, subject_of};
