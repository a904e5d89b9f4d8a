//! What the program is asked to do.

use crate::rows;

pub(crate) const USAGE: &str = "\
usage: hookline-benches [--only ROW]... [--quick] [--list]
       hookline-benches counts [--renew]
  --only ROW   only the rows whose name is ROW or begins with it; may be said more than once
  --quick      a twentieth of the pairs: to see that everything runs, not to quote
  --list       the rows, and what each is about
  counts       how many instructions things take, beside those on record; needs valgrind
  --renew      puts what is counted now on record";

/// One thing that the program can do.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    List,
    Run(Options),
    /// Counts instructions, and compares them to those on record.
    Count {
        renew: bool,
    },
    /// One piece of work, under whoever counts.
    Counted(String),
    /// How much of this program is resident, bare or with an engine.
    Resident(String),
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    only: Vec<String>,
    quick: bool,
}

impl Options {
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Command, String> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => return Ok(Command::List),
                "counts" => return count(arguments),
                "counted" => return named(arguments).map(Command::Counted),
                "resident" => return named(arguments).map(Command::Resident),
                "--quick" => options.quick = true,
                "--only" => options.only.push(known(arguments.next())?),
                other => return Err(format!("`{other}` is no option")),
            }
        }
        Ok(Command::Run(options))
    }

    pub(crate) fn wants(&self, row: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| row.starts_with(only.as_str()))
    }

    /// By what the number of pairs is divided.
    pub(crate) fn share(&self) -> usize {
        if self.quick { 20 } else { 1 }
    }
}

fn count(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    match arguments.next().as_deref() {
        None => Ok(Command::Count { renew: false }),
        Some("--renew") => Ok(Command::Count { renew: true }),
        Some(other) => Err(format!("`{other}` is no option of `counts`")),
    }
}

fn named(mut arguments: impl Iterator<Item = String>) -> Result<String, String> {
    arguments.next().ok_or_else(|| "what?".to_owned())
}

/// A name that no row has would measure nothing, and look as if all were well.
fn known(row: Option<String>) -> Result<String, String> {
    let row = row.ok_or("`--only` needs the name of a row")?;
    let mut names = rows::ALL.iter().copied().flatten().map(|entry| entry.name);
    if names.any(|name| name.starts_with(row.as_str())) {
        Ok(row)
    } else {
        Err(format!("no row is called `{row}`; `--list` names them"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Command, String> {
        Options::parse(arguments.iter().map(ToString::to_string))
    }

    #[test]
    fn a_row_is_wanted_by_its_name_or_the_beginning_of_it() {
        let Ok(Command::Run(options)) = parse(&["--only", "firing", "--quick"]) else {
            panic!("these are options");
        };
        assert!(options.wants("firing-nothing"));
        assert!(!options.wants("planning-exact"));
        assert_eq!(options.share(), 20);
    }

    #[test]
    fn what_would_measure_nothing_is_refused() {
        assert!(parse(&["--only", "no-such-row"]).is_err());
        assert!(parse(&["--only"]).is_err());
        assert!(parse(&["--fast"]).is_err());
    }
}
