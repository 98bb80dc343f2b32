//! `ninesixty show`: one start or position, as a person enjoys looking at it.

mod zchess;

use std::fmt::Write as _;
use std::io::Write;

use anyhow::anyhow;
use clap::Args as ClapArgs;
use ninesixty::chess::{Board, Color, Role, Square, figurine};
use ninesixty::start::{
    BackRank, Castling, CastlingSide, DoubleNumbering, DoubleStart, KingTableEntry, Letters,
    Selection, StartId,
};
use ninesixty::table::{CommandText, Table};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use ninesixty::job::Rules;

use super::list::{self, LettersArgs};
use super::output::OutputArgs;
use super::positions::GameRules;

/// Show a start or a position: board, FENs, and which start it is
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty show 518
  ninesixty show 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'
  ninesixty show --rules zchess")]
pub struct Args {
    /// A start id, a back rank, a double start such as 518/0, or a FEN
    #[arg(required_unless_present = "rules", value_name = "START|FEN")]
    position: Vec<String>,
    /// The game: Chess960, or Z-Chess on 77 circles, whose start is shown if no FEN is given [default: chess960]
    #[arg(long, value_name = "GAME")]
    rules: Option<GameRules>,
    #[command(flatten)]
    letters: LettersArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What the user pointed at.
enum Shown {
    Start(StartId),
    Double(DoubleStart),
    Other(Board),
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let typed = args.position.join(" ");
    let (letters, color) = (
        args.letters.letters,
        console.has_color(args.output.is_terminal()),
    );
    let page = match args.rules.map(|rules| rules.0) {
        Some(Rules::Zchess) => zchess::page(&typed, args, color)?,
        Some(Rules::Chess960) | None => {
            let shown = Shown::read(&typed, letters)?;
            if !args.output.is_text() {
                args.output.write(&shown.table(letters)?)?;
                return Ok(Answer::Yes);
            }
            shown.page(letters, color)
        }
    };
    let write = |out: &mut dyn Write| Ok(out.write_all(page.as_bytes())?);
    args.output.write_with(write)?;
    Ok(Answer::Yes)
}

impl Shown {
    fn read(text: &str, letters: Letters) -> Result<Shown, Failure> {
        if text.contains(' ') {
            let board: Board = text.parse().or_usage()?;
            return Ok(board
                .double_start()
                .map_or(Shown::Other(board), Shown::from));
        }
        match Selection::read(text, letters).or_usage()? {
            Selection::Singles(starts) if starts.len() == 1 => Ok(Shown::Start(starts[0])),
            Selection::Doubles(starts) if starts.len() == 1 => Ok(Shown::Double(starts[0])),
            several => Err(anyhow!(
                "{text} is {} starts; `list` shows more than one",
                several.len()
            ))
            .or_usage(),
        }
    }

    fn board(&self) -> Board {
        match *self {
            Shown::Start(start) => Board::from_start(start),
            Shown::Double(start) => Board::from_double_start(start),
            Shown::Other(board) => board,
        }
    }

    fn table(&self, letters: Letters) -> Result<Table, Failure> {
        match *self {
            Shown::Start(start) => Ok(list::singles(
                CommandText::new("show").word(start),
                &[start],
                letters,
            )),
            Shown::Double(start) => Ok(list::doubles(
                CommandText::new("show").word(start),
                &[start],
                letters,
            )),
            Shown::Other(_) => Err(anyhow!(
                "this position is not a start, so there is no row to write: use --format text"
            ))
            .or_usage(),
        }
    }

    fn page(&self, letters: Letters, color: bool) -> String {
        let board = self.board();
        let page = self.title(letters) + "\n\n" + &draw(&board, color) + "\n";
        let mut facts = vec![
            ("X-FEN", board.x_fen()),
            ("Shredder-FEN", board.shredder_fen()),
        ];
        match *self {
            Shown::Start(start) => facts.extend(facts_of_start(start, letters)),
            Shown::Double(start) => facts.extend(facts_of_double(start, letters)),
            Shown::Other(board) => facts.extend(facts_of_position(&board)),
        }
        page + &list_facts(&facts)
    }

    fn title(&self, letters: Letters) -> String {
        match *self {
            Shown::Start(start) => {
                let classical = if start == StartId::CLASSICAL {
                    ", classical chess"
                } else {
                    ""
                };
                format!(
                    "Start {start}: {}{classical}",
                    letters.write(BackRank::from(start))
                )
            }
            Shown::Double(start) => format!("Double start {start}"),
            Shown::Other(_) => "Not one of the starts".to_owned(),
        }
    }
}

impl From<DoubleStart> for Shown {
    fn from(start: DoubleStart) -> Shown {
        if start.white == start.black {
            Shown::Start(start.white)
        } else {
            Shown::Double(start)
        }
    }
}

type Fact = (&'static str, String);

fn list_facts(facts: &[Fact]) -> String {
    let lines = facts
        .iter()
        .map(|(name, fact)| format!("{name:<16} {fact}\n"));
    lines.collect()
}

fn facts_of_start(start: StartId, letters: Letters) -> Vec<Fact> {
    let entry = KingTableEntry::from(start);
    let mirror = start.mirrored();
    let mut facts = vec![(
        "King table",
        format!(
            "row {} ({}), bishop code {}",
            entry.row(),
            entry.order(),
            entry.bishop_code()
        ),
    )];
    let names = ["Castling a-side", "Castling h-side"];
    facts.extend(facts_of_castling(names, start, Color::White));
    facts.extend([
        (
            "Mirror image",
            format!("start {mirror}: {}", letters.write(BackRank::from(mirror))),
        ),
        first_moves(&Board::from_start(start)),
    ]);
    facts
}

fn facts_of_double(start: DoubleStart, letters: Letters) -> Vec<Fact> {
    let back_rank = |id| format!("start {id}: {}", letters.write(BackRank::from(id)));
    let mut facts = vec![("White", back_rank(start.white))];
    let names = ["  a-side", "  h-side"];
    facts.extend(facts_of_castling(names, start.white, Color::White));
    facts.push(("Black", back_rank(start.black)));
    facts.extend(facts_of_castling(names, start.black, Color::Black));
    let numbers =
        DoubleNumbering::ALL.map(|numbering| format!("{} ({numbering})", numbering.number(start)));
    facts.push(("Number", numbers.join(", ")));
    facts.push(first_moves(&Board::from_double_start(start)));
    facts
}

fn facts_of_castling(names: [&'static str; 2], start: StartId, color: Color) -> [Fact; 2] {
    let rank = color.home_rank() + 1;
    let describe = |side| describe_castling(BackRank::from(start).castling(side), rank);
    let [a_side, h_side] = CastlingSide::ALL.map(describe);
    [(names[0], a_side), (names[1], h_side)]
}

fn describe_castling(castling: Castling, rank: u8) -> String {
    let vacant: Vec<String> = castling
        .vacant_files()
        .map(|file| format!("{file}{rank}"))
        .collect();
    let condition = if castling.is_possible_at_once() {
        "possible on move 1".to_owned()
    } else {
        format!("{} must be vacant", vacant.join(" "))
    };
    format!(
        "{}: {}; {condition}",
        castling.method(),
        castling.on_rank(rank)
    )
}

fn facts_of_position(board: &Board) -> Vec<Fact> {
    let turn = if board.is_check() {
        format!("{}, in check", board.turn())
    } else {
        board.turn().to_string()
    };
    vec![("To move", turn), first_moves(board)]
}

fn first_moves(board: &Board) -> Fact {
    let moves = board.legal_moves().into_iter();
    list_moves(moves.map(|mv| board.san(mv)).collect())
}

fn list_moves(mut moves: Vec<String>) -> Fact {
    moves.sort();
    let list = format!("{}: {}", moves.len(), moves.join(" "));
    ("Moves", list.trim_end_matches(": ").to_owned())
}

/// The board as a diagram, on coloured squares where the output has colour.
pub fn draw(board: &Board, color: bool) -> String {
    if !color {
        return board.diagram();
    }
    let mut drawing = String::new();
    for rank in (0..8).rev() {
        let squares: String = (0..8)
            .map(|file| {
                paint(
                    board.piece_at(Square::at(file, rank)),
                    (file + rank).is_multiple_of(2),
                )
            })
            .collect();
        writeln!(drawing, "  {} {}", rank + 1, squares.trim_end())
            .expect("a string takes everything");
    }
    drawing + "     a  b  c  d  e  f  g  h\n"
}

/// A piece, or an empty square, in ANSI colours.
fn paint(piece: Option<(Color, Role)>, is_dark: bool) -> String {
    // Filled figurines for both sides, in different colours, read better on coloured squares.
    let (ink, symbol) = match piece {
        Some((Color::White, role)) => (231, figurine((Color::Black, role))),
        Some((Color::Black, role)) => (16, figurine((Color::Black, role))),
        None => (16, ' '),
    };
    let paper = if is_dark { 65 } else { 144 };
    format!("\x1b[38;5;{ink};48;5;{paper}m {symbol} \x1b[0m")
}
