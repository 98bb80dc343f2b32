//! `ninesixty show`: a page about one start or position.

mod zchess;

use std::fmt::Write as _;
use std::io::Write;

use anyhow::anyhow;
use clap::Args as ClapArgs;
use ninesixty::chess::{Board, Color, Role, Square, figurine};
use ninesixty::job::Rules;
use ninesixty::start::{
    BackRank, Castling, CastlingSide, DoubleNumbering, DoubleStart, KingTableEntry, Letters,
    Selection, StartId,
};
use ninesixty::table::{CommandText, Table};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::list::{self, LettersArgs};
use super::output::OutputArgs;
use super::positions::GameRules;

/// Show a start or a position: diagram, FENs, start id, castling and moves
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty show 518
  ninesixty show 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'
  ninesixty show --rules zchess")]
pub struct Args {
    /// A start id, a back rank, a double start such as 518/0, or a FEN
    #[arg(required_unless_present = "rules", value_name = "START|FEN")]
    position: Vec<String>,
    /// The game: Chess960, or Z-Chess on 77 circles, which shows its start without a FEN [default: chess960]
    #[arg(long, value_name = "GAME")]
    rules: Option<GameRules>,
    #[command(flatten)]
    letters: LettersArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What the page is about.
enum Subject {
    Start(StartId),
    Double(DoubleStart),
    Position(Board),
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
            let subject = Subject::parse(&typed, letters)?;
            if !args.output.is_text() {
                args.output.write(&subject.table(letters)?)?;
                return Ok(Answer::Yes);
            }
            subject.page(letters, color)
        }
    };
    let write = |out: &mut dyn Write| Ok(out.write_all(page.as_bytes())?);
    args.output.write_with(write)?;
    Ok(Answer::Yes)
}

impl Subject {
    fn parse(text: &str, letters: Letters) -> Result<Subject, Failure> {
        if text.contains(' ') {
            let board: Board = text.parse().or_usage()?;
            return Ok(board
                .double_start()
                .map_or(Subject::Position(board), Subject::from));
        }
        match Selection::read(text, letters).or_usage()? {
            Selection::Singles(starts) if starts.len() == 1 => Ok(Subject::Start(starts[0])),
            Selection::Doubles(starts) if starts.len() == 1 => Ok(Subject::Double(starts[0])),
            several => Err(anyhow!(
                "{text} selects {} starts and `show` takes one: use `list`",
                several.len()
            ))
            .or_usage(),
        }
    }

    fn board(&self) -> Board {
        match *self {
            Subject::Start(start) => Board::from_start(start),
            Subject::Double(start) => Board::from_double_start(start),
            Subject::Position(board) => board,
        }
    }

    fn table(&self, letters: Letters) -> Result<Table, Failure> {
        match *self {
            Subject::Start(start) => Ok(list::singles(
                CommandText::new("show").word(start),
                &[start],
                letters,
            )),
            Subject::Double(start) => Ok(list::doubles(
                CommandText::new("show").word(start),
                &[start],
                letters,
            )),
            Subject::Position(_) => Err(anyhow!(
                "this position is not a start and has no row in a table: use --format text"
            ))
            .or_usage(),
        }
    }

    fn page(&self, letters: Letters, color: bool) -> String {
        let board = self.board();
        let page = self.title(letters) + "\n\n" + &draw(&board, color) + "\n";
        let mut lines = vec![
            ("X-FEN", board.x_fen()),
            ("Shredder-FEN", board.shredder_fen()),
        ];
        match *self {
            Subject::Start(start) => lines.extend(start_lines(start, letters)),
            Subject::Double(start) => lines.extend(double_start_lines(start, letters)),
            Subject::Position(board) => lines.extend(position_lines(&board)),
        }
        page + &format_lines(&lines)
    }

    fn title(&self, letters: Letters) -> String {
        match *self {
            Subject::Start(start) => {
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
            Subject::Double(start) => format!("Double start {start}"),
            Subject::Position(_) => "Not a start position".to_owned(),
        }
    }
}

impl From<DoubleStart> for Subject {
    fn from(start: DoubleStart) -> Subject {
        if start.white == start.black {
            Subject::Start(start.white)
        } else {
            Subject::Double(start)
        }
    }
}

/// A labelled line of the page.
type PageLine = (&'static str, String);

fn format_lines(lines: &[PageLine]) -> String {
    let lines = lines
        .iter()
        .map(|(label, text)| format!("{label:<16} {text}\n"));
    lines.collect()
}

fn start_lines(start: StartId, letters: Letters) -> Vec<PageLine> {
    let entry = KingTableEntry::from(start);
    let mirror = start.mirrored();
    let mut lines = vec![(
        "King table",
        format!(
            "row {} ({}), bishop code {}",
            entry.row(),
            entry.order(),
            entry.bishop_code()
        ),
    )];
    let labels = ["Castling a-side", "Castling h-side"];
    lines.extend(castling_lines(labels, start, Color::White));
    lines.extend([
        (
            "Mirror image",
            format!("start {mirror}: {}", letters.write(BackRank::from(mirror))),
        ),
        moves_line(&Board::from_start(start)),
    ]);
    lines
}

fn double_start_lines(start: DoubleStart, letters: Letters) -> Vec<PageLine> {
    let back_rank = |id| format!("start {id}: {}", letters.write(BackRank::from(id)));
    let mut lines = vec![("White", back_rank(start.white))];
    let labels = ["  a-side", "  h-side"];
    lines.extend(castling_lines(labels, start.white, Color::White));
    lines.push(("Black", back_rank(start.black)));
    lines.extend(castling_lines(labels, start.black, Color::Black));
    let numbers =
        DoubleNumbering::ALL.map(|numbering| format!("{} ({numbering})", numbering.number(start)));
    lines.push(("Number", numbers.join(", ")));
    lines.push(moves_line(&Board::from_double_start(start)));
    lines
}

fn castling_lines(labels: [&'static str; 2], start: StartId, color: Color) -> [PageLine; 2] {
    let rank = color.home_rank() + 1;
    let describe = |side| describe_castling(BackRank::from(start).castling(side), rank);
    let [a_side, h_side] = CastlingSide::ALL.map(describe);
    [(labels[0], a_side), (labels[1], h_side)]
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

fn position_lines(board: &Board) -> Vec<PageLine> {
    let turn = if board.is_check() {
        format!("{}, in check", board.turn())
    } else {
        board.turn().to_string()
    };
    vec![("To move", turn), moves_line(board)]
}

fn moves_line(board: &Board) -> PageLine {
    let moves = board.legal_moves().into_iter();
    format_moves(moves.map(|mv| board.san(mv)).collect())
}

fn format_moves(mut moves: Vec<String>) -> PageLine {
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
            .expect("writing to a string never fails");
    }
    drawing + "     a  b  c  d  e  f  g  h\n"
}

/// A piece, or an empty square, in ANSI colours.
fn paint(piece: Option<(Color, Role)>, is_dark: bool) -> String {
    // Filled figurines for both sides, in different colours, read better on coloured squares.
    let (foreground, symbol) = match piece {
        Some((Color::White, role)) => (231, figurine((Color::Black, role))),
        Some((Color::Black, role)) => (16, figurine((Color::Black, role))),
        None => (16, ' '),
    };
    let background = if is_dark { 65 } else { 144 };
    format!("\x1b[38;5;{foreground};48;5;{background}m {symbol} \x1b[0m")
}
