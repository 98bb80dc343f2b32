//! What was found of each position: how it is kept, and the table that comes of it.

use anyhow::Context;
use ninesixty::chess::{Board, Move};
use ninesixty::run::Plan;
use ninesixty::search::{Chances, Found, Limits, Line, Score};
use ninesixty::table::{Cell, Column, Table};
use serde_json::{Value, json};

use super::super::exit::{Failure, OrFail};
use super::super::job::{Tabled, setting};
use super::super::output::OutputArgs;
use super::super::positions;
use super::Named;

/// What is searched for, by whom, and when it is enough.
pub struct Kind {
    pub limits: Limits,
    pub lines: usize,
    /// The engine with all its settings that decide what it finds, as it is recorded.
    pub engine: String,
}

/// A position and what was found; nothing if the engine failed.
pub struct Row {
    pub named: Named,
    pub finding: Option<Found>,
}

impl Kind {
    /// The plan of a run: all that decides its results, and a task per position.
    pub fn plan(&self, selected: &str, positions: &[Named]) -> Result<Plan, Failure> {
        let settings = [
            ("verb", "search".to_owned()),
            ("positions", selected.to_owned()),
            ("limits", self.flags()),
            ("engine", self.engine.clone()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        let tasks = positions.iter().map(|named| (named.name.clone(), 1));
        Plan::new(settings, tasks).or_usage()
    }

    /// The flags that say what is searched for.
    fn flags(&self) -> String {
        let Limits { depth, nodes, time } = self.limits;
        let depth = depth.map(|depth| format!("--depth {depth}"));
        let nodes = nodes.map(|nodes| format!("--nodes {nodes}"));
        let time = time.map(|time| format!("--time {}", time.as_secs_f64()));
        let lines = (self.lines > 1).then(|| format!("--multipv {}", self.lines));
        let flags = [depth, nodes, time, lines].into_iter().flatten();
        flags.collect::<Vec<_>>().join(" ")
    }

    fn from_flags(flags: &str, engine: &str) -> Option<Kind> {
        let mut kind = Kind {
            limits: Limits::default(),
            lines: 1,
            engine: engine.to_owned(),
        };
        let mut words = flags.split(' ');
        while let Some(flag) = words.next() {
            let value = words.next()?;
            match flag {
                "--depth" => kind.limits.depth = Some(value.parse().ok()?),
                "--nodes" => kind.limits.nodes = Some(value.parse().ok()?),
                "--time" => kind.limits.time = Some(super::seconds(value).ok()?),
                "--multipv" => kind.lines = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(kind)
    }

    /// The table of the rows: one per position, or per line of a position.
    pub fn table(&self, selected: &str, rows: &[Row]) -> Table {
        let flags = self.flags();
        let command = format!("search {selected} {flags} --engine '{}'", self.engine);
        let lines: Vec<Cells> = rows.iter().flat_map(Cells::of).collect();
        Table::from_rows(
            "ninesixty.search/1",
            command,
            &columns(self.lines > 1),
            &lines,
        )
    }

    /// The rows of the table, from the results of its tasks.
    pub fn rows(&self, positions: Vec<Named>, results: &[Value]) -> Result<Vec<Row>, Failure> {
        let pairs = positions.into_iter().zip(results);
        let row = |(named, result): (Named, &Value)| {
            let finding = match result {
                Value::Null => None,
                result => {
                    let finding = read(&named.board, result)
                        .with_context(|| format!("{result} is no result of {:?}", named.name));
                    Some(finding.or_input()?)
                }
            };
            Ok(Row { named, finding })
        };
        pairs.map(row).collect()
    }
}

impl Tabled<Board> for Kind {
    fn rehearse(&self, selected: &str, output: &OutputArgs) -> Result<(), Failure> {
        output.rehearse(&self.table(selected, &[]))
    }

    fn tabulate(
        &self,
        selected: &str,
        positions: Vec<Named>,
        results: &[Value],
    ) -> Result<Table, Failure> {
        Ok(self.table(selected, &self.rows(positions, results)?))
    }
}

/// What a ledger's plan says was searched for, and which positions were selected.
pub fn plan_of_ledger(plan: &Plan) -> anyhow::Result<(Kind, &str)> {
    let limits = setting(plan, "limits")?;
    let kind = Kind::from_flags(limits, setting(plan, "engine")?);
    let kind = kind.with_context(|| format!("this version does not know the limits {limits:?}"))?;
    Ok((kind, setting(plan, "positions")?))
}

/// What was found, as a ledger keeps it. Scores are the side to move's.
pub fn record(found: &Found) -> Value {
    let lines = found.lines.iter().map(|line| {
        let moves: Vec<String> = line.moves.iter().map(Move::to_string).collect();
        let mut record = json!({
            "score": line.score.to_string(),
            "depth": line.depth,
            "line": moves.join(" "),
        });
        if let Some(Chances { win, draw, loss }) = line.chances {
            record["wdl"] = json!([win, draw, loss]);
        }
        record
    });
    let mut record = json!({"nodes": found.nodes, "lines": lines.collect::<Value>()});
    if let Some(steady) = found.steady {
        record["steady"] = json!(steady.to_string());
    }
    record
}

fn read(board: &Board, result: &Value) -> Option<Found> {
    let lines = result["lines"].as_array()?.iter();
    let lines = lines.map(|line| {
        let chances = match &line["wdl"] {
            Value::Null => None,
            wdl => Some(read_chances(wdl)?),
        };
        Some(Line {
            score: line["score"].as_str()?.parse().ok()?,
            chances,
            depth: u32::try_from(line["depth"].as_u64()?).ok()?,
            moves: board.parse_line(
                &line["line"]
                    .as_str()?
                    .split_whitespace()
                    .collect::<Vec<_>>(),
            )?,
        })
    });
    let lines = lines.collect::<Option<Vec<Line>>>()?;
    let steady = match &result["steady"] {
        Value::Null => None,
        steady => Some(steady.as_str()?.parse().ok()?),
    };
    (!lines.is_empty()).then_some(Found {
        lines,
        steady,
        nodes: result["nodes"].as_u64()?,
    })
}

fn read_chances(wdl: &Value) -> Option<Chances> {
    let part = |index: usize| u16::try_from(wdl[index].as_u64()?).ok();
    Chances::new(part(0)?, part(1)?, part(2)?)
}

/// One line of a position, as the table shows it.
struct Cells {
    named: Named,
    rank: u64,
    nodes: u64,
    /// Of the best line.
    steady: Option<Score>,
    line: Option<Line>,
}

impl Cells {
    fn of(row: &Row) -> Vec<Cells> {
        let cells = |rank, nodes, steady, line| Cells {
            named: row.named.clone(),
            rank,
            nodes,
            steady,
            line,
        };
        match &row.finding {
            None => vec![cells(1, 0, None, None)],
            Some(found) => (1..)
                .zip(&found.lines)
                .map(|(rank, line)| {
                    let steady = found.steady.filter(|_| rank == 1);
                    cells(rank, found.nodes, steady, Some(line.clone()))
                })
                .collect(),
        }
    }

    fn score(&self) -> Option<Score> {
        let turn = self.named.board.turn();
        self.line.as_ref().map(|line| line.score.for_white(turn))
    }

    /// White's chances.
    fn chances(&self) -> Option<Chances> {
        let line = self.line.as_ref()?;
        let chances = line.chances.unwrap_or_else(|| Chances::of(line.score));
        Some(chances.for_white(self.named.board.turn()))
    }

    fn best_move(&self) -> Option<Move> {
        self.line.as_ref()?.moves.first().copied()
    }
}

/// Every column has its name here. `rank` tells lines apart where there may be several.
fn columns(has_ranks: bool) -> Vec<Column<Cells>> {
    let mut columns = positions::naming_columns(|cells: &Cells| &cells.named);
    let mut add = |name, cell: fn(&Cells) -> Cell| columns.push(Column::new(name, cell));
    add("score_cp", |cells| centipawns(cells.score()));
    add("best_move", |cells| {
        cells.best_move().map(|mv| mv.to_string()).into()
    });
    if has_ranks {
        add("rank", |cells| cells.rank.into());
    }
    add("best_san", |cells| {
        let best = cells.best_move();
        best.map(|mv| cells.named.board.san(mv)).into()
    });
    add("mate", |cells| match cells.score() {
        Some(Score::Mate(moves)) => i64::from(moves).into(),
        _ => Cell::Missing,
    });
    add("steady_cp", |cells| {
        let turn = cells.named.board.turn();
        centipawns(cells.steady.map(|score| score.for_white(turn)))
    });
    add("win", |cells| cells.chances().map(|found| found.win).into());
    add("draw", |cells| {
        cells.chances().map(|found| found.draw).into()
    });
    add("loss", |cells| {
        cells.chances().map(|found| found.loss).into()
    });
    add("depth", |cells| {
        let line = cells.line.as_ref();
        line.map(|line| i64::from(line.depth)).into()
    });
    add("nodes", |cells| {
        cells.line.as_ref().map(|_| cells.nodes).into()
    });
    add("line", |cells| {
        let line = cells.line.as_ref();
        line.map(|line| sans(&cells.named.board, &line.moves))
            .into()
    });
    columns
}

pub fn centipawns(score: Option<Score>) -> Cell {
    score.and_then(Score::centipawns).map(i64::from).into()
}

fn sans(board: &Board, moves: &[Move]) -> String {
    let mut board = *board;
    let sans = moves.iter().map(|&mv| {
        let san = board.san(mv);
        board = board.play(mv);
        san
    });
    sans.collect::<Vec<_>>().join(" ")
}

/// What was searched in all.
pub fn summary(rows: &[Row]) -> String {
    let found = rows.iter().filter_map(|row| row.finding.as_ref());
    let nodes = found.fold(0, |sum: u64, found| sum.saturating_add(found.nodes));
    format!("{} positions searched, {nodes} nodes", rows.len())
}
