//! The flags that say which games count.

use anyhow::anyhow;
use clap::Args;
use ninesixty::start::{DoubleStart, Selection};
use ninesixty::stats::{Date, Filter, Outcome, RatingOf, Speed, Termination};

use crate::cli::exit::{Failure, OrFail};

#[derive(Args)]
#[command(next_help_heading = "Which games count")]
pub struct FilterArgs {
    /// From these starts: 518, 0-99, R??K???R, sample:96; W/B for double starts
    #[arg(long, value_name = "SELECTION")]
    starts: Option<String>,
    /// Both players are rated at least so high
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u16>,
    /// Both players are rated at most so high
    #[arg(long, value_name = "ELO")]
    max_rating: Option<u16>,
    /// The average of the two ratings counts instead of each
    #[arg(long)]
    average_rating: bool,
    /// The ratings differ by at most so much
    #[arg(long, value_name = "ELO")]
    max_difference: Option<u16>,
    /// On this day or later: 2024, 2024-06 or 2024-06-30
    #[arg(long, value_name = "DATE")]
    since: Option<Date>,
    /// On this day or before
    #[arg(long, value_name = "DATE")]
    until: Option<Date>,
    /// As fast as this: ultrabullet, bullet, blitz, rapid, classical, correspondence, unknown
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    time_control: Vec<Speed>,
    /// With this result: 1-0, 1/2-1/2, 0-1 or *
    #[arg(long, value_name = "RESULT", value_delimiter = ',')]
    result: Vec<Outcome>,
    /// Ended like this: normal, time-forfeit, abandoned, adjudication, rules-infraction, unterminated, other, unknown
    #[arg(long, value_name = "HOW", value_delimiter = ',')]
    termination: Vec<Termination>,
    /// One of the players has this name
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// The Variant tag says this
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Neither player has the title BOT
    #[arg(long)]
    no_bots: bool,
    /// At least so many plies were played
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_plies: u32,
}

impl FilterArgs {
    pub fn read(&self) -> Result<Filter, Failure> {
        self.check()?;
        let starts = match &self.starts {
            Some(text) => {
                let selection: Selection = text.parse().or_usage()?;
                let mut starts: Vec<DoubleStart> = selection.doubles().collect();
                starts.sort();
                Some(starts)
            }
            None => None,
        };
        Ok(Filter {
            min_rating: self.min_rating,
            max_rating: self.max_rating,
            rating_of: if self.average_rating {
                RatingOf::Average
            } else {
                RatingOf::Both
            },
            max_difference: self.max_difference,
            since: self.since,
            until: self.until,
            speeds: self.time_control.clone(),
            outcomes: self.result.clone(),
            terminations: self.termination.clone(),
            player: self.player.clone(),
            variant: self.variant.clone(),
            without_bots: self.no_bots,
            min_plies: self.min_plies,
            starts,
        })
    }

    /// Fails where no game could pass.
    fn check(&self) -> Result<(), Failure> {
        if let (Some(min), Some(max)) = (self.min_rating, self.max_rating)
            && min > max
        {
            return Err(anyhow!(
                "no rating is at least {min} (--min-rating) and at most {max} (--max-rating)"
            ))
            .or_usage();
        }
        if let (Some(since), Some(until)) = (self.since, self.until)
            && since > until.latest()
        {
            return Err(anyhow!(
                "no day is {since} or later (--since) and {until} or before (--until)"
            ))
            .or_usage();
        }
        Ok(())
    }

    /// The flags as they are recorded with a result, each after a space.
    pub fn command(&self) -> String {
        let mut flags = String::new();
        let mut add = |flag: &str, value: Option<String>| {
            if let Some(value) = value {
                flags += &format!(" {flag} '{value}'");
            }
        };
        fn shown<T: ToString>(value: &Option<T>) -> Option<String> {
            value.as_ref().map(T::to_string)
        }
        fn listed<T: ToString>(values: &[T]) -> Option<String> {
            let values: Vec<String> = values.iter().map(T::to_string).collect();
            (!values.is_empty()).then(|| values.join(","))
        }
        add("--starts", self.starts.clone());
        add("--min-rating", shown(&self.min_rating));
        add("--max-rating", shown(&self.max_rating));
        add("--max-difference", shown(&self.max_difference));
        add("--since", shown(&self.since));
        add("--until", shown(&self.until));
        add("--time-control", listed(&self.time_control));
        add("--result", listed(&self.result));
        add("--termination", listed(&self.termination));
        add("--player", self.player.clone());
        add("--variant", self.variant.clone());
        add(
            "--min-plies",
            (self.min_plies > 0).then(|| self.min_plies.to_string()),
        );
        for (is_set, flag) in [
            (self.average_rating, " --average-rating"),
            (self.no_bots, " --no-bots"),
        ] {
            if is_set {
                flags += flag;
            }
        }
        flags
    }
}
