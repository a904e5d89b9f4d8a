//! Timing by hand: all variants in one process, in turn, so that noise falls on all of them alike.

#![allow(dead_code, reason = "each benchmark uses its own part of this")]

use std::time::{Duration, Instant};

/// One thing to measure.
pub(crate) struct Variant<'a> {
    name: String,
    /// Does it `per_batch` times and says how long that took.
    batch: Box<dyn FnMut() -> Duration + 'a>,
    per_batch: u32,
    samples: Vec<f64>,
}

impl<'a> Variant<'a> {
    pub(crate) fn new(
        name: impl Into<String>,
        per_batch: u32,
        batch: impl FnMut() -> Duration + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            batch: Box::new(batch),
            per_batch,
            samples: Vec::new(),
        }
    }

    fn sample(&mut self) -> f64 {
        (self.batch)().as_secs_f64() * 1e9 / f64::from(self.per_batch)
    }
}

/// What was measured: nanoseconds each.
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) median: f64,
    pub(crate) lowest: f64,
}

/// Measures all variants, one batch of each in turn, `rounds` times.
pub(crate) fn measure(mut variants: Vec<Variant<'_>>, rounds: usize) -> Vec<Figure> {
    for variant in &mut variants {
        variant.sample(); // warm, and not counted
    }
    for _ in 0..rounds {
        for variant in &mut variants {
            let sample = variant.sample();
            variant.samples.push(sample);
        }
    }
    variants.into_iter().map(figure).collect()
}

fn figure(variant: Variant<'_>) -> Figure {
    let mut samples = variant.samples;
    samples.sort_by(f64::total_cmp);
    Figure {
        name: variant.name,
        median: samples[samples.len() / 2],
        lowest: samples[0],
    }
}

/// How long it takes.
pub(crate) fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}
