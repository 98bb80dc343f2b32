//! The flags that select games.

use anyhow::anyhow;
use clap::Args;
use ninesixty::stats::{Date, Filter, GameOutcome, RatingOf, Speed, StartSet, Termination};

use crate::cli::exit::{Failure, OrFail};

#[derive(Args)]
#[command(next_help_heading = "Filters (a game has to pass all of them)")]
pub struct FilterArgs {
    /// Games from these starts: 518, 0-99, R??K???R, sample:96; WHITE/BLACK for double starts
    #[arg(long, value_name = "SELECTION")]
    starts: Option<StartSet>,
    /// Both ratings are at least this
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u16>,
    /// Both ratings are at most this
    #[arg(long, value_name = "ELO")]
    max_rating: Option<u16>,
    /// Apply --min-rating and --max-rating to the average of both ratings
    #[arg(long)]
    average_rating: bool,
    /// The ratings differ by at most this
    #[arg(long, value_name = "ELO")]
    max_difference: Option<u16>,
    /// Played on this date or later: 2024, 2024-06 or 2024-06-30
    #[arg(long, value_name = "DATE")]
    since: Option<Date>,
    /// Played on this date or earlier
    #[arg(long, value_name = "DATE")]
    until: Option<Date>,
    /// Time control: ultrabullet, bullet, blitz, rapid, classical, correspondence, unknown
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    time_control: Vec<Speed>,
    /// Result: 1-0, 1/2-1/2, 0-1 or *
    #[arg(long, value_name = "RESULT", value_delimiter = ',')]
    result: Vec<GameOutcome>,
    /// Termination: normal, time-forfeit, abandoned, adjudication, rules-infraction, unterminated, other, unknown
    #[arg(long, value_name = "HOW", value_delimiter = ',')]
    termination: Vec<Termination>,
    /// One of the players has this name
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// The Variant tag has this value
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Neither player is a bot, by the title BOT
    #[arg(long)]
    no_bots: bool,
    /// The game has at least this many plies
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_plies: u32,
}

impl FilterArgs {
    pub fn filter(&self) -> Result<Filter, Failure> {
        self.check()?;
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
            starts: self.starts.clone(),
        })
    }

    /// Fails if the filters contradict each other.
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
                "no date is {since} or later (--since) and {until} or earlier (--until)"
            ))
            .or_usage();
        }
        Ok(())
    }
}
