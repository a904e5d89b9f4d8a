//! What became of the hooks, for people and for programs.

use hook_config::{Became, Converted, Format, Remark};
use serde_json::{Value, json};

use super::check::Compared;
use crate::render::{Add, Look, Tone, clean_line, first_line};

/// The report, for people.
pub(crate) fn report(converted: &Converted, from: Format, to: Format, look: Look) -> String {
    let mut text = String::new();
    let mut remarks = converted.remarks.iter().peekable();
    while let Some(remark) = remarks.next() {
        text.add(head(remark, look));
        text.add(line(remark, look));
        while let Some(next) = remarks.next_if(|next| is_of(next, remark)) {
            text.add(line(next, look));
        }
    }
    let wrapped = converted
        .remarks
        .iter()
        .filter(|remark| remark.became == Became::Wrapped);
    let mut reasons: Vec<&str> = wrapped.map(|remark| remark.why.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        text.add(format!("wrapped: {}\n", clean_line(reason)));
    }
    let count = |became| {
        let of = |remark: &&Remark| remark.became == became;
        converted.remarks.iter().filter(of).count()
    };
    let counted = [
        Became::Wrapped,
        Became::Approximated,
        Became::Dropped,
        Became::Refused,
    ];
    let counted = counted.into_iter().filter(|became| count(*became) > 0);
    let counted: Vec<String> = counted
        .map(|became| format!("{} {became}", count(became)))
        .collect();
    let counted = if counted.is_empty() {
        "everything can be expressed".to_owned()
    } else {
        counted.join(", ")
    };
    let tone = if converted.refuses() {
        Tone::Bad
    } else {
        Tone::Good
    };
    let hooks = match converted.hooks {
        1 => "one hook".to_owned(),
        hooks => format!("{hooks} hooks"),
    };
    let summary = format!(
        "{hooks} from {} to {}: {counted}",
        from.as_str(),
        to.as_str()
    );
    text.add(look.paint(tone, &summary));
    text.add("\n");
    text
}

/// Whether two remarks are about one hook.
fn is_of(one: &Remark, other: &Remark) -> bool {
    one.hook == other.hook && one.event == other.event && one.place == other.place
}

fn head(remark: &Remark, look: Look) -> String {
    let runs = remark.hook.as_deref().unwrap_or("the file");
    let event = remark
        .event
        .as_ref()
        .map(|event| format!(" {event}"))
        .unwrap_or_default();
    format!(
        "{}{event}  {}\n",
        look.paint(Tone::Strong, &clean_line(&remark.place.to_string())),
        first_line(runs, look.width.saturating_sub(30))
    )
}

fn line(remark: &Remark, look: Look) -> String {
    let tone = match remark.became {
        Became::Wrapped => Tone::Good,
        Became::Approximated | Became::Dropped => Tone::Odd,
        Became::Refused | _ => Tone::Bad,
    };
    let head = format!(
        "  {} {} {}",
        look.mark(tone),
        look.paint(tone, remark.became.as_str()),
        clean_line(&remark.field)
    );
    match remark.became {
        Became::Wrapped => format!("{head}\n"), // said once for all
        Became::Approximated | Became::Dropped | Became::Refused | _ => {
            format!("{head}: {}\n", clean_line(&remark.why))
        }
    }
}

/// What a comparison found, for people.
pub(crate) fn comparison(compared: &[Compared], look: Look) -> String {
    let mut text = String::new();
    for compared in compared {
        let who = who(compared);
        for difference in &compared.differences {
            text.add(format!(
                "{} {who} on {}: {} was {} and is {}\n",
                look.mark(Tone::Bad),
                clean_line(&compared.sample),
                difference.field,
                clean_line(&difference.source.to_string()),
                clean_line(&difference.result.to_string()),
            ));
        }
    }
    for (who, why) in unseen(compared) {
        let line = format!(
            "{who}: nothing was seen of what it does: {}",
            clean_line(why)
        );
        text.add(format!("{} {line}\n", look.mark(Tone::Odd)));
    }
    let differ = compared
        .iter()
        .filter(|compared| !compared.differences.is_empty())
        .count();
    let blind = compared
        .iter()
        .filter(|compared| compared.unseen.is_some())
        .count();
    let (tone, found) = match differ {
        0 if compared.is_empty() => (Tone::Odd, "nothing to compare: no sample fits".to_owned()),
        0 => (Tone::Good, "the same verdicts".to_owned()),
        differ => (Tone::Bad, format!("{differ} of them differ")),
    };
    let mut summary = format!("fired both at {} samples: {found}", compared.len());
    if blind > 0 {
        summary.add(format!(
            "; at {blind} of them a hook could not be started (--check-in DIR runs them elsewhere)"
        ));
    }
    text.add(look.paint(tone, &summary));
    text.add("\n");
    text
}

/// Hooks of which nothing was seen, each once.
fn unseen(compared: &[Compared]) -> Vec<(String, &str)> {
    let mut told: Vec<(String, &str)> = Vec::new();
    for compared in compared.iter().filter(|compared| compared.hook.is_some()) {
        let who = who(compared);
        if let Some(why) = &compared.unseen
            && !told.iter().any(|(known, _)| *known == who)
        {
            told.push((who, why));
        }
    }
    told
}

fn who(compared: &Compared) -> String {
    match &compared.hook {
        Some(place) => clean_line(&place.to_string()).into_owned(),
        None => "all hooks together".to_owned(),
    }
}

/// The same, for programs.
pub(crate) fn json(
    converted: &Converted,
    from: Format,
    to: Format,
    compared: &[Compared],
) -> Value {
    let remark = |remark: &Remark| {
        json!({"hook": remark.hook, "event": remark.event, "field": remark.field,
               "file": remark.place.file.path(), "line": remark.place.line(),
               "column": remark.place.column(), "became": remark.became.as_str(),
               "why": remark.why})
    };
    let sample = |compared: &Compared| {
        let differences = compared.differences.iter().map(|difference| {
            json!({"field": difference.field, "source": difference.source,
                   "result": difference.result})
        });
        json!({"hook": compared.hook.as_ref().map(ToString::to_string),
               "sample": compared.sample, "unseen": compared.unseen,
               "differences": differences.collect::<Vec<_>>()})
    };
    json!({
        "from": from.as_str(),
        "to": to.as_str(),
        "hooks": converted.hooks,
        "report": converted.remarks.iter().map(remark).collect::<Vec<_>>(),
        "checked": compared.iter().map(sample).collect::<Vec<_>>(),
    })
}
