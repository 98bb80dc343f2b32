//! SELECTION, `--fen`, `--epd` and `--rules`: the positions that a verb works on.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum, builder::PossibleValue};
use ninesixty::job::{Game, PositionSource, Positions, Rules};

use super::exit::{Failure, OrFail};
use super::input_path::input_path;

#[derive(Args)]
pub struct PositionArgs {
    /// Starts: all, 518, 0-99, 0,5,10-20, RNBQKBNR, R??K???R, sample:96; WHITE/BLACK for double starts, such as 518/0
    #[arg(value_name = "SELECTION")]
    selection: Option<String>,
    /// A position instead of starts; can be repeated
    #[arg(long, value_name = "FEN", conflicts_with_all = ["selection", "epd"])]
    fen: Vec<String>,
    /// The positions of an EPD file instead of starts; `@tricky` and `@fischer` are built in
    #[arg(long, value_name = "FILE", value_parser = input_path(), conflicts_with = "selection")]
    epd: Option<PathBuf>,
}

impl PositionArgs {
    /// Whether positions are given on the command line.
    pub fn is_given(&self) -> bool {
        self.selection.is_some() || !self.fen.is_empty() || self.epd.is_some()
    }

    /// The EPD file that the positions come from.
    pub fn file(&self) -> Option<&Path> {
        self.epd.as_deref()
    }

    /// The values of `--fen` as they were typed.
    pub fn fens(&self) -> &[String] {
        &self.fen
    }

    /// Reads the positions.
    pub fn read<G: Game>(&self) -> Result<Positions<G>, Failure> {
        if let Some(path) = &self.epd {
            return Ok(Positions::epd(path)?);
        }
        if self.fen.is_empty() {
            let source = match &self.selection {
                Some(selection) => PositionSource::Starts(selection.clone()),
                None => PositionSource::AllStarts,
            };
            return Ok(Positions::try_from(vec![source])?);
        }
        let boards = self.fen.iter().map(|fen| parse(fen));
        Ok(Positions::boards(boards.collect::<Result<Vec<G>, _>>()?))
    }
}

fn parse<G: Game>(fen: &str) -> Result<G, Failure> {
    let board = fen.parse::<G>();
    board
        .with_context(|| format!("invalid value '{fen}' for '--fen <FEN>'"))
        .or_usage()
}

/// The value of `--rules`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GameRules(pub Rules);

impl ValueEnum for GameRules {
    fn value_variants<'a>() -> &'a [GameRules] {
        &[GameRules(Rules::Chess960), GameRules(Rules::Zchess)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self.0 {
            Rules::Chess960 => "chess960",
            Rules::Zchess => "zchess",
        }))
    }
}
