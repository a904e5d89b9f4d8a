//! Which loader a program asks for. Where it is missing, as with a program for another C library,
//! the system says no more than that a file does not exist.

use std::{fs::File, io::Read, path::Path};

/// The table of segments stands at the start of the file, and the loader's name right after it.
const START: u64 = 64 << 10;
/// The kind of segment that holds the loader's name.
const INTERPRETER: u64 = 3;

/// The loader that a program names.
pub(crate) fn loader(program: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(program)
        .ok()?
        .take(START)
        .read_to_end(&mut bytes)
        .ok()?;
    Image::new(&bytes)?.loader()
}

/// The start of a program in ELF format.
struct Image<'a> {
    bytes: &'a [u8],
    wide: bool,
    little: bool,
}

impl<'a> Image<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        match bytes.get(..6)? {
            [0x7F, b'E', b'L', b'F', class, order] => Some(Self {
                bytes,
                wide: *class == 2,
                little: *order == 1,
            }),
            _ => None,
        }
    }

    fn loader(&self) -> Option<String> {
        let word = self.either(8, 4);
        let table = self.number(self.either(32, 28), word)?;
        let size = self.number(self.either(54, 42), 2)?;
        let count = self.number(self.either(56, 44), 2)?;
        let segments = (0..count).filter_map(|index| table.checked_add(size.checked_mul(index)?));
        let is_wanted = |at: &u64| self.number(*at, 4) == Some(INTERPRETER);
        let segment = segments.into_iter().find(is_wanted)?;
        let start = self.number(segment.checked_add(self.either(8, 4))?, word)?;
        let length = self.number(segment.checked_add(self.either(32, 16))?, word)?;
        let name = self.part(start, length)?.split(|&byte| byte == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    /// What holds in the 64-bit form, or in the 32-bit form.
    fn either(&self, wide: u64, narrow: u64) -> u64 {
        if self.wide { wide } else { narrow }
    }

    fn part(&self, start: u64, length: u64) -> Option<&'a [u8]> {
        let end = usize::try_from(start.checked_add(length)?).ok()?;
        self.bytes.get(usize::try_from(start).ok()?..end)
    }

    fn number(&self, at: u64, size: u64) -> Option<u64> {
        let part = self.part(at, size)?;
        let push = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        Some(if self.little {
            part.iter().rev().fold(0, push)
        } else {
            part.iter().fold(0, push)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program of one segment, in the given form.
    fn program(wide: bool, little: bool, loader: &str) -> Vec<u8> {
        let mut bytes = vec![0; 200];
        bytes[..6].copy_from_slice(&[
            0x7F,
            b'E',
            b'L',
            b'F',
            1 + u8::from(wide),
            2 - u8::from(little),
        ]);
        let mut put = |at: usize, size: usize, value: u64| {
            let all = if little {
                value.to_le_bytes()
            } else {
                value.to_be_bytes()
            };
            let part = if little {
                &all[..size]
            } else {
                &all[8 - size..]
            };
            bytes[at..at + size].copy_from_slice(part);
        };
        let word = if wide { 8 } else { 4 };
        put(if wide { 32 } else { 28 }, word, 64);
        put(if wide { 54 } else { 42 }, 2, 56);
        put(if wide { 56 } else { 44 }, 2, 1);
        put(64, 4, INTERPRETER);
        put(64 + if wide { 8 } else { 4 }, word, 150);
        put(
            64 + if wide { 32 } else { 16 },
            word,
            loader.len() as u64 + 1,
        );
        bytes[150..150 + loader.len()].copy_from_slice(loader.as_bytes());
        bytes
    }

    #[test]
    fn the_loader_is_found_in_every_form() {
        for (wide, little) in [(true, true), (true, false), (false, true), (false, false)] {
            let bytes = program(wide, little, "/lib/ld.so.1");
            let found = Image::new(&bytes).and_then(|image| image.loader());
            assert_eq!(found.as_deref(), Some("/lib/ld.so.1"));
        }
    }

    #[test]
    fn a_file_that_is_cut_or_lies_names_no_loader() {
        let whole = program(true, true, "/lib/ld.so.1");
        for length in 0..150 {
            let found = Image::new(&whole[..length]).and_then(|image| image.loader());
            assert_eq!(found, None, "{length} bytes");
        }
        let mut huge = whole;
        huge[32..40].fill(0xFF);
        assert_eq!(Image::new(&huge).and_then(|image| image.loader()), None);
        assert!(Image::new(b"#!/bin/sh").is_none());
    }
}
