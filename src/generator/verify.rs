//! Checks published counts with a counter, and counts new suites.
//!
//! [`Claims`] are read from an EPD suite (`FEN ;D1 20 ;D2 400`) or from a CSV table as `perft` writes it (a column `fen`
//! and columns `d1`, `d2`, …). [`verify`] counts every claim again and reports the mismatches. [`count_suite`] makes the
//! counts of a new suite.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use rayon::prelude::*;

use super::{CountRequest, Counter, CounterError, MoveLineBuf, ensure_working};
use crate::chess::{Board, FenError};
use crate::perft::{CountOptions, Sharing};
use crate::run::Cancel;
use crate::table::Builtin;
use crate::table::read::{Sheet, TableReadError, read_epd};

/// A published count of one position at one depth.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The position.
    pub board: Board,
    /// The position as the counter is asked about it.
    pub asked: MoveLineBuf,
    /// The depth of the count.
    pub depth: u32,
    /// The published number of move sequences.
    pub nodes: u128,
}

/// The published counts of a file.
#[derive(Clone, Debug)]
pub struct Claims {
    claims: Vec<Claim>,
}

/// Why claims cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] TableReadError),
    /// A position is not legal.
    #[error("{}, line {line}: {fen}", path.display())]
    Position {
        /// The file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: usize,
        /// The text of the position.
        fen: String,
        /// What is wrong with it.
        source: FenError,
    },
    /// The file holds positions, but no counts.
    #[error("{}: it holds no counts", .0.display())]
    Empty(PathBuf),
}

impl Claims {
    /// Reads a CSV table (by its extension `csv`) or an EPD suite; a path such as `@tricky` names a
    /// [`Builtin`]. A file without counts is an error.
    pub fn read(path: &Path) -> Result<Claims, ClaimsError> {
        let claims = if is_csv(path) {
            Claims::from_sheet(path, &Sheet::read(path)?)?
        } else {
            let lines = read_epd(path)?.into_iter();
            Claims::collect(path, lines.map(|line| (line.line, line.fen, line.counts)))?
        };
        if claims.claims.is_empty() {
            return Err(ClaimsError::Empty(path.to_owned()));
        }
        Ok(claims)
    }

    /// The suite of tricky Chess960 positions that comes with the program: castling, en passant and pins.
    pub fn tricky() -> Claims {
        Claims::read(Path::new("@tricky")).expect("the suite is well-formed")
    }

    /// The claims in the order of the file.
    pub fn as_slice(&self) -> &[Claim] {
        &self.claims
    }

    fn from_sheet(path: &Path, sheet: &Sheet) -> Result<Claims, ClaimsError> {
        let fen = sheet.position("fen")?;
        let depths = sheet.depths();
        let mut rows = Vec::new();
        for record in sheet.records() {
            let mut counts = Vec::new();
            for &(column, depth) in &depths {
                let nodes = sheet.count(record, column)?;
                counts.extend(nodes.map(|nodes| (depth, nodes)));
            }
            rows.push((record.line, record.fields[fen].clone(), counts));
        }
        Claims::collect(path, rows)
    }

    fn collect(
        path: &Path,
        rows: impl IntoIterator<Item = (usize, String, Vec<(u32, u128)>)>,
    ) -> Result<Claims, ClaimsError> {
        let mut claims = Vec::new();
        for (line, fen, counts) in rows {
            let asked: MoveLineBuf = parse(path, line, &fen)?;
            let board = asked.as_line().end();
            claims.extend(counts.into_iter().map(|(depth, nodes)| Claim {
                line,
                board,
                asked: asked.clone(),
                depth,
                nodes,
            }));
        }
        Ok(Claims { claims })
    }
}

/// The positions of a CSV table or EPD suite, with or without counts.
pub fn read_positions(path: &Path) -> Result<Vec<Board>, ClaimsError> {
    if is_csv(path) {
        let sheet = Sheet::read(path)?;
        let fen = sheet.position("fen")?;
        let records = sheet.records().iter();
        records
            .map(|record| parse(path, record.line, &record.fields[fen]))
            .collect()
    } else {
        let lines = read_epd(path)?.into_iter();
        lines
            .map(|line| parse(path, line.line, &line.fen))
            .collect()
    }
}

fn is_csv(path: &Path) -> bool {
    match Builtin::find(path) {
        Ok(Some(builtin)) => builtin.extension == "csv",
        _ => path.extension().is_some_and(|extension| extension == "csv"),
    }
}

fn parse<T: FromStr<Err = FenError>>(
    path: &Path,
    line: usize,
    fen: &str,
) -> Result<T, ClaimsError> {
    fen.parse().map_err(|source| ClaimsError::Position {
        path: path.to_owned(),
        line,
        fen: fen.to_owned(),
        source,
    })
}

/// How [`verify`] checks.
#[derive(Clone, Copy)]
pub struct VerifyOptions<'a> {
    /// Claims of more nodes than this are skipped.
    pub max_nodes: u128,
    /// Ends the check early.
    pub cancel: &'a Cancel,
    /// Called from any thread for every claim that was checked.
    pub progress: Option<&'a (dyn Fn(&Claim) + Sync)>,
}

impl Default for VerifyOptions<'_> {
    /// Every claim, to the end.
    fn default() -> Self {
        VerifyOptions {
            max_nodes: u128::MAX,
            cancel: Cancel::NEVER,
            progress: None,
        }
    }
}

/// The result of checking claims.
#[derive(Debug)]
pub struct VerifyReport {
    /// The number of claims that were checked.
    pub checked: usize,
    /// The number of claims of more than `max_nodes`.
    pub skipped: usize,
    /// The sum of the checked claims.
    pub nodes: u128,
    /// In the order of the claims.
    pub mismatches: Vec<Mismatch>,
}

/// A claim that the counter does not confirm.
#[derive(Debug)]
pub struct Mismatch {
    /// The published count.
    pub claim: Claim,
    /// What the counter returned.
    pub found: MismatchKind,
}

/// What a counter returned instead of the published count.
#[derive(Debug)]
pub enum MismatchKind {
    /// Another count.
    Count(u128),
    /// It does not accept the position, for this reason.
    Refused(String),
    /// It fails on the position, for this reason.
    Failed(String),
}

/// Counts every claim again. The claims are spread over the threads of the current rayon pool. A counter that fails on
/// all of them and on the simplest positions is [unusable](CounterError::Unusable).
///
/// ```
/// use ninesixty::generator::{Claims, Shakmaty, VerifyOptions, verify};
///
/// let options = VerifyOptions { max_nodes: 10_000, ..VerifyOptions::default() };
/// let report = verify(&Claims::tricky(), &Shakmaty, &options)?;
/// assert!(report.checked > 100 && report.mismatches.is_empty());
/// # Ok::<(), ninesixty::generator::CounterError>(())
/// ```
pub fn verify(
    claims: &Claims,
    counter: &dyn Counter,
    options: &VerifyOptions,
) -> Result<VerifyReport, CounterError> {
    let claims = claims.as_slice();
    let is_affordable = |claim: &&Claim| claim.nodes <= options.max_nodes;
    let chosen: Vec<&Claim> = claims.iter().filter(is_affordable).collect();
    let request = CountRequest {
        options: CountOptions {
            sharing: Sharing::Pool,
            cancel: options.cancel,
        },
        ..CountRequest::default()
    };
    let check = |claim: &Claim| {
        let mismatch = check(claim, counter, &request)?;
        if let Some(progress) = options.progress {
            progress(claim);
        }
        Ok(mismatch)
    };
    let checked = chosen.par_iter().with_max_len(1).map(|claim| check(claim));
    let checked = checked.collect::<Result<Vec<_>, CounterError>>()?;
    let has_failed = |mismatch: &Option<Mismatch>| {
        let found = mismatch.as_ref().map(|mismatch| &mismatch.found);
        matches!(found, Some(MismatchKind::Failed(_)))
    };
    if !checked.is_empty() && checked.iter().all(has_failed) {
        ensure_working(counter, options.cancel)?;
    }
    Ok(VerifyReport {
        checked: chosen.len(),
        skipped: claims.len() - chosen.len(),
        nodes: chosen
            .iter()
            .fold(0, |sum, claim| sum.saturating_add(claim.nodes)),
        mismatches: checked.into_iter().flatten().collect(),
    })
}

fn check(
    claim: &Claim,
    counter: &dyn Counter,
    request: &CountRequest,
) -> Result<Option<Mismatch>, CounterError> {
    let found = match counter.count_after(&claim.asked.as_line(), claim.depth, request) {
        Ok(nodes) if nodes == claim.nodes => return Ok(None),
        Ok(nodes) => MismatchKind::Count(nodes),
        Err(CounterError::Refused { reason, .. }) => MismatchKind::Refused(reason),
        Err(CounterError::Failed { source, .. }) => MismatchKind::Failed(source.to_string()),
        Err(error) => return Err(error),
    };
    Ok(Some(Mismatch {
        claim: claim.clone(),
        found,
    }))
}

/// How [`count_suite`] counts.
#[derive(Clone, Copy)]
pub struct SuiteOptions<'a> {
    /// The deepest count.
    pub depth: u32,
    /// The counts of a position end before the first one that is larger than this.
    pub max_nodes: u128,
    /// Ends the count early.
    pub cancel: &'a Cancel,
}

/// The counts of every position at depth 1, 2, …, for a new suite. The positions are spread over the threads of the
/// current rayon pool.
///
/// A position that the counter refuses is an error, so that a suite never lacks counts silently.
pub fn count_suite(
    positions: &[Board],
    counter: &dyn Counter,
    options: &SuiteOptions,
) -> Result<Vec<Vec<u128>>, CounterError> {
    let request = CountRequest {
        options: CountOptions {
            cancel: options.cancel,
            ..CountOptions::default()
        },
        ..CountRequest::default()
    };
    let count = |board: &Board| {
        let mut counts = Vec::new();
        for depth in 1..=options.depth {
            let nodes = counter.count(board, depth, &request)?;
            if nodes > options.max_nodes {
                break;
            }
            counts.push(nodes);
        }
        Ok(counts)
    };
    let counted = positions.par_iter().with_max_len(1).map(count);
    counted.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::generator::{Cozy, Own};

    fn claims(name: &str, text: &str) -> Result<Claims, ClaimsError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        Claims::read(&path)
    }

    #[test]
    fn a_suite_and_a_table_hold_the_same_claims() {
        let suite = claims("s.epd", "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D3 1197\n");
        let table = claims(
            "t.csv",
            "fen,d1,d3\n4k3/8/8/8/8/8/8/4K2R w K - 0 1,15,1197\n",
        );
        let facts = |claims: Claims| {
            let claims = claims.as_slice().iter();
            claims
                .map(|claim| (claim.board.x_fen(), claim.depth, claim.nodes))
                .collect::<Vec<_>>()
        };
        let suite = facts(suite.unwrap());
        assert_eq!(suite, facts(table.unwrap()));
        assert_eq!(suite.len(), 2);
    }

    #[test]
    fn unreadable_claims_are_errors_that_name_the_line() {
        let error = claims("s.epd", "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;id \"x\"\n").unwrap_err();
        assert!(error.to_string().ends_with("it holds no counts"), "{error}");
        let error = claims("s.epd", "\n8/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 1\n").unwrap_err();
        assert!(error.to_string().contains(", line 2: 8/8/8/8"), "{error}");
    }

    #[test]
    fn wrong_counts_and_refusals_are_mismatches_and_large_claims_are_skipped() {
        let text = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 67 ;D3 1000000\n\
                    8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1 ;D1 6\n";
        let claims = claims("s.epd", text).unwrap();
        let done = AtomicUsize::new(0);
        let progress = |_: &Claim| {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let options = VerifyOptions {
            max_nodes: 1_000,
            progress: Some(&progress),
            ..VerifyOptions::default()
        };
        let report = verify(&claims, &Cozy, &options).unwrap();
        assert_eq!((report.checked, report.skipped), (3, 1));
        assert_eq!((report.nodes, done.into_inner()), (88, 3));
        let [wrong, refused] = &report.mismatches[..] else {
            panic!("{report:?}");
        };
        assert!(matches!(wrong.found, MismatchKind::Count(66)), "{wrong:?}");
        assert!(matches!(refused.found, MismatchKind::Refused(_)));
    }

    #[test]
    fn a_suite_ends_before_the_first_count_beyond_the_limit() {
        let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
        let options = SuiteOptions {
            depth: 4,
            max_nodes: 100,
            cancel: Cancel::NEVER,
        };
        assert_eq!(count_suite(&[board], &Own, &options).unwrap(), [[15, 66]]);
    }
}
