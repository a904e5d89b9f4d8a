//! How an event's struct is declared.

/// Declares one event: its struct, its short constructor, its setters and its wire form.
///
/// * `needs`: must be on the wire; the arguments of `new`, in this order. `as object` demands a
///   JSON object when the event is read.
/// * `sets`: always on the wire; the type's default until somebody sets it.
/// * `may`: absent when absent; `as object` as above.
///
/// Every field in `sets` and `may` gets a setter of its own name.
macro_rules! event {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( needs { $( $(#[$ndoc:meta])* $need:ident : $nty:ty $(as $shape:ident)? ),+ $(,)? } )?
            $( sets { $( $(#[$sdoc:meta])* $set:ident : $sty:ty ),+ $(,)? } )?
            $( may { $( $(#[$mdoc:meta])* $may:ident : $mty:ty $(as $mshape:ident)? ),+ $(,)? } )?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub struct $name {
            /// What every event carries; the runner fills in what is empty.
            #[cfg_attr(feature = "schema", schemars(flatten))]
            pub base: $crate::Base,
            $( $(
                $(#[$ndoc])*
                $( #[cfg_attr(feature = "schema", schemars(extend("type" = stringify!($shape))))] )?
                pub $need: $nty,
            )+ )?
            $( $( $(#[$sdoc])* pub $set: $sty, )+ )?
            $( $(
                $(#[$mdoc])*
                $( #[cfg_attr(feature = "schema", schemars(extend("type" = stringify!($mshape))))] )?
                #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
                pub $may: Option<$mty>,
            )+ )?
            /// Fields that this version does not know; written back as they were read.
            #[cfg_attr(feature = "schema", schemars(skip))]
            pub extra: serde_json::Map<String, serde_json::Value>,
        }

        impl $name {
            /// The event with its own fields; the runner fills in the rest.
            #[allow(clippy::new_without_default, reason = "an event is made where it happens")]
            pub fn new($( $( $need: impl Into<$nty> ),+ )?) -> Self {
                Self {
                    base: $crate::Base::default(),
                    $( $( $need: $need.into(), )+ )?
                    $( $( $set: Default::default(), )+ )?
                    $( $( $may: None, )+ )?
                    extra: serde_json::Map::new(),
                }
            }

            $( $(
                #[doc = concat!("Sets [`", stringify!($set), "`](field@Self::", stringify!($set), ").")]
                #[must_use]
                pub fn $set(mut self, $set: impl Into<$sty>) -> Self {
                    self.$set = $set.into();
                    self
                }
            )+ )?
            $( $(
                #[doc = concat!("Sets [`", stringify!($may), "`](field@Self::", stringify!($may), ").")]
                #[must_use]
                pub fn $may(mut self, $may: impl Into<$mty>) -> Self {
                    self.$may = Some($may.into());
                    self
                }
            )+ )?
        }

        impl $crate::event::wire::Fields for $name {
            const OWN: &'static [&'static str] = &[
                $( $( $crate::event::wire::key(stringify!($need)), )+ )?
                $( $( $crate::event::wire::key(stringify!($set)), )+ )?
                $( $( $crate::event::wire::key(stringify!($may)), )+ )?
            ];

            fn read(mut object: $crate::event::object::Object) -> Result<Self, $crate::event::object::FieldError> {
                Ok(Self {
                    $( $( $need: object.required($crate::event::wire::key(stringify!($need)), $crate::event::macros::shape!($($shape)?))?, )+ )?
                    $( $( $set: object.filled($crate::event::wire::key(stringify!($set)))?, )+ )?
                    $( $( $may: object.optional_of($crate::event::wire::key(stringify!($may)), $crate::event::macros::shape!($($mshape)?))?, )+ )?
                    // The base comes last: a field that the event declares itself is the event's.
                    base: $crate::Base::read(&mut object)?,
                    extra: object.into_rest(),
                })
            }

            fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $( $( map.serialize_entry($crate::event::wire::key(stringify!($need)), &self.$need)?; )+ )?
                $( $( map.serialize_entry($crate::event::wire::key(stringify!($set)), &self.$set)?; )+ )?
                $( $(
                    if let Some(value) = &self.$may {
                        map.serialize_entry($crate::event::wire::key(stringify!($may)), value)?;
                    }
                )+ )?
                let _ = map;
                Ok(())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::event::wire::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::event::wire::deserialize(deserializer)
            }
        }
    };
}

/// What a field must be beyond its type.
macro_rules! shape {
    () => {
        $crate::event::object::Shape::Any
    };
    (object) => {
        $crate::event::object::Shape::Object
    };
}

pub(crate) use {event, shape};
