//! The promise: results of a job never change without a new `RESULTS`.
//!
//! A ledger stores the `RESULTS` of the job that wrote it, and another version refuses a ledger with a different number.
//! That only works if every change of results raises the number. Each case below runs a small job and compares a digest
//! of everything that the job stored with the recorded one.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ninesixty::job::{
    Game, PerftJob, PerftKind, Positions, SearchJob, StatsJob, StatsReport, find_inputs,
};
use ninesixty::run::{Cancel, Job, Memory, Outcome, RunOptions, execute};
use ninesixty::search::SearchLimits;
use ninesixty::stats::StatsSettings;
use ninesixty::{chess, zchess};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::tempdir;

/// A job's results at one value of `RESULTS`.
type Recorded = (u32, &'static str);

/// The last pair of each case is the current one; earlier ones stay as a record of the versions.
const PERFT: &[Recorded] = &[(
    1,
    "b1625f2d2a9969eb665bcd428c7795834762be4a43f48014a30f85f849f35be5",
)];
const ZCHESS: &[Recorded] = &[(
    1,
    "5b232fecacbf2c584b843a40cccc450e1d40052d36454bba78d195a0f22d196e",
)];
const UNIQUE: &[Recorded] = &[(
    1,
    "0c1bdb310b226d581012f1b198e6eebf9365e93e3fc2d4b062d6c4fe113b90c5",
)];
const BREAKDOWN: &[Recorded] = &[(
    1,
    "60c7db5ba39b740902627e7acb65d464e258eda6744afcf36fb4521fa95e5bcd",
)];
const SEARCH: &[Recorded] = &[(
    1,
    "b242aea8b90d4741e1340f802dc6089a4fc77107599a2e1a70e1c718cfc26376",
)];
const STATS: &[Recorded] = &[
    (
        1,
        "7c875bebafefb8c1753db86423183231d32951f03d7480307d82ef9ecceccced",
    ),
    (
        2,
        "0539b29a69418398493c878b639ad90bc242a25bb74ab1d61280ba43a49650a1",
    ),
];
const OPENING_TREE: &[Recorded] = &[
    (
        1,
        "d74b4dc1cdf5cf48866b611e749d05c266f67bd9e19e8d83081393f6b799f86f",
    ),
    (
        2,
        "65cdc90c19dbb905d6ee386cad5577d606151f6adc48067040ca70e304ca79fe",
    ),
];

#[test]
fn perft_results_match_the_recorded_digests() {
    check_outputs("PERFT", PERFT, &perft::<chess::Board>(PerftKind::Nodes));
    check_outputs("ZCHESS", ZCHESS, &zchess_perft());
    check_outputs("UNIQUE", UNIQUE, &perft::<chess::Board>(PerftKind::Unique));
    check_outputs(
        "BREAKDOWN",
        BREAKDOWN,
        &perft::<chess::Board>(PerftKind::Breakdown),
    );
}

#[test]
fn search_results_match_the_recorded_digests() {
    let limits = SearchLimits {
        nodes: Some(20_000),
        ..SearchLimits::default()
    };
    let positions = Positions::starts("sample:6").unwrap();
    let job = SearchJob::new(positions, limits, 2, 1 << 20);
    check_outputs("SEARCH", SEARCH, &job);
}

#[test]
fn stats_results_match_the_recorded_digests() {
    let job = StatsJob::new(
        find_inputs(&[data("pgn")]).unwrap(),
        StatsSettings::everything(20),
    );
    check_outputs("STATS", STATS, &job);
    for threads in THREADS {
        let report: StatsReport = run(&job, threads, None);
        let mut records = Vec::new();
        report.tree.write_to(&mut records).unwrap();
        assert!(!records.is_empty());
        check::<StatsJob>("OPENING_TREE", OPENING_TREE, &digest([records]));
    }
}

/// Results must not depend on the number of threads.
const THREADS: [usize; 2] = [1, 3];

fn perft<G: Game>(kind: PerftKind) -> PerftJob<G> {
    let positions = Positions::starts("sample:6").unwrap();
    PerftJob::new(positions, kind, 4.try_into().unwrap())
}

fn zchess_perft() -> PerftJob<zchess::Board> {
    let positions = Positions::boards([zchess::Board::start()]);
    PerftJob::new(positions, PerftKind::Nodes, 3.try_into().unwrap())
}

/// Runs a job with a ledger and checks the digest of the outputs in it.
fn check_outputs<J: Job>(case: &str, recorded: &[Recorded], job: &J) {
    for threads in THREADS {
        let directory = tempdir().unwrap();
        let ledger = directory.path().join("ledger.jsonl");
        run(job, threads, Some(&ledger));
        let outputs = stored_outputs(job, &ledger);
        check::<J>(case, recorded, &digest(outputs));
    }
}

fn run<J: Job>(job: &J, threads: usize, ledger: Option<&Path>) -> J::Report {
    let options = RunOptions {
        ledger: ledger.map(Path::to_owned),
        threads: NonZeroUsize::new(threads),
        memory: Memory::Off,
        ..RunOptions::default()
    };
    match execute(job, &options, Cancel::NEVER, &|_| ()) {
        Ok(Outcome::Complete(complete)) => {
            assert!(complete.failed.is_empty(), "{:?}", complete.failed);
            complete.report
        }
        Ok(_) => panic!("the whole job runs"),
        Err(error) => panic!("{error}"),
    }
}

/// The JSON of each task's output, in the order of the plan.
fn stored_outputs<J: Job>(job: &J, ledger: &Path) -> Vec<Vec<u8>> {
    let job = job.identified(Cancel::NEVER);
    let plan = job.unwrap_or_else(|_| panic!("the inputs exist")).plan();
    let text = fs::read_to_string(ledger).unwrap();
    let mut outputs = vec![None; plan.tasks().len()];
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let Some(task) = line["task"].as_str() else {
            continue;
        };
        let index = plan.task(task).unwrap().index();
        let mut output = line["output"].take();
        // The digest of a compressed file, which depends on the compressor. Its content is checked by OPENING_TREE.
        if let Some(fields) = output.as_object_mut() {
            fields.remove("tree_file");
        }
        outputs[index] = Some(output.to_string().into_bytes());
    }
    let outputs: Option<Vec<Vec<u8>>> = outputs.into_iter().collect();
    outputs.expect("every task has an output")
}

fn digest(parts: impl IntoIterator<Item = Vec<u8>>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(&part);
    }
    hex::encode(hash.finalize())
}

fn check<J: Job>(case: &str, recorded: &[Recorded], digest: &str) {
    let &(results, expected) = recorded.last().unwrap();
    assert!(
        recorded.is_sorted_by(|a, b| a.0 < b.0),
        "{case}: the numbers of a case ascend"
    );
    assert_eq!(
        J::RESULTS,
        results,
        "{case}: RESULTS of the {} job is not the recorded one: append ({}, \"{digest}\") to {case} in {}",
        J::VERB,
        J::RESULTS,
        file!()
    );
    assert_eq!(
        digest,
        expected,
        "{case}: results changed: raise RESULTS of the {} job from {results} to {}, and append ({}, \"{digest}\") to \
         {case} in {}. Ledgers that an earlier version wrote must not be mixed with these results: only a new RESULTS \
         makes this version refuse them.",
        J::VERB,
        results + 1,
        results + 1,
        file!()
    );
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name)
}
