//! `ninesixty list`: a table of starts with their numbers, FENs and castling methods.

use clap::Args as ClapArgs;
use ninesixty::chess::Board;
use ninesixty::start::{
    BackRank, CastlingSide, DoubleNumbering, DoubleStart, KingTableEntry, Letters, Selection,
    StartId,
};
use ninesixty::table::{self, Cell, CommandText, Table};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::output::OutputArgs;

/// List starts with their numbers, FENs and castling methods
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty list 0-9
  ninesixty list 'R??K???R' --format csv")]
pub struct Args {
    /// Starts: all, 518, 0-99, 0,5,10-20, RNBQKBNR, R??K???R, sample:96; WHITE/BLACK for double starts, such as 518/0
    #[arg(default_value = "all", hide_default_value = true)]
    selection: String,
    #[command(flatten)]
    letters: LettersArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The language of the piece letters in arguments and output.
#[derive(ClapArgs)]
pub struct LettersArgs {
    /// Piece letters: english, german, hungarian, russian or figurines
    #[arg(long, value_name = "LANGUAGE", default_value_t = Letters::English)]
    pub letters: Letters,
}

pub fn run(args: &Args, _: &Console) -> Result<Answer, Failure> {
    let letters = args.letters.letters;
    let selection = Selection::read(&args.selection, letters).or_usage()?;
    let command = CommandText::new("list")
        .word(&args.selection)
        .flag("--letters", letters);
    let table = match &selection {
        Selection::Singles(starts) => singles(command, starts, letters),
        Selection::Doubles(starts) => doubles(command, starts, letters),
    };
    args.output.write(&table)?;
    Ok(Answer::Yes)
}

/// The table of starts.
pub fn singles(command: CommandText, starts: &[StartId], letters: Letters) -> Table {
    type Column = table::Column<StartId>;
    let columns = [
        Column::new("id", |start| start.number().into()),
        Column::new("back_rank", move |&start| {
            letters.write(BackRank::from(start)).into()
        }),
        Column::new("fen", |&start| Board::from_start(start).x_fen().into()),
        Column::new("shredder_fen", |&start| {
            Board::from_start(start).shredder_fen().into()
        }),
        Column::new("king_table_row", |&start| {
            number(KingTableEntry::from(start).row())
        }),
        Column::new("bishop_code", |&start| {
            number(KingTableEntry::from(start).bishop_code())
        }),
        Column::new("castling_a_side", |&start| {
            method(start, CastlingSide::ASide)
        }),
        Column::new("castling_h_side", |&start| {
            method(start, CastlingSide::HSide)
        }),
        Column::new("castles_on_move_1", |&start| {
            castles_on_move_1(start).into()
        }),
        Column::new("mirror_id", |&start| start.mirrored().number().into()),
    ];
    Table::from_rows("ninesixty.list/1", command, &columns, starts)
}

/// The table of double starts.
pub fn doubles(command: CommandText, starts: &[DoubleStart], letters: Letters) -> Table {
    type Column = table::Column<DoubleStart>;
    let back_rank = move |start| letters.write(BackRank::from(start)).into();
    let mut columns = vec![
        Column::new("id", |start| start.to_string().into()),
        Column::new("white_back_rank", move |start| back_rank(start.white)),
        Column::new("black_back_rank", move |start| back_rank(start.black)),
        Column::new("fen", |&start| {
            Board::from_double_start(start).x_fen().into()
        }),
        Column::new("shredder_fen", |&start| {
            Board::from_double_start(start).shredder_fen().into()
        }),
    ];
    columns.extend(DoubleNumbering::ALL.map(|numbering| {
        let name = numbering.to_string().replace('-', "_");
        Column::new(name, move |&start| {
            i64::from(numbering.number(start)).into()
        })
    }));
    Table::from_rows("ninesixty.list-doubles/1", command, &columns, starts)
}

/// Whether White can castle on move 1.
pub fn castles_on_move_1(start: StartId) -> bool {
    CastlingSide::ALL
        .into_iter()
        .any(|side| BackRank::from(start).castling(side).is_possible_at_once())
}

fn method(start: StartId, side: CastlingSide) -> Cell {
    BackRank::from(start)
        .castling(side)
        .method()
        .to_string()
        .into()
}

fn number(value: usize) -> Cell {
    Cell::Integer(value as i64)
}
