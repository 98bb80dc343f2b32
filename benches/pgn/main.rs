//! `stats` against the contender, a program with pgn-reader and shakmaty that counts the same (`contender/`).
//!
//!     cargo bench --bench pgn [-- [--size SIZE] [--rounds N] [KIND | compressed | FILE ...]]
//!
//! Both run as processes of their own, with the same arguments, and write their tables to files: without a tree, with a
//! tree of 8 plies and with one of 20, on one thread and on two. The rounds are interleaved, so that a busy machine slows
//! both, and the smallest values count. Before the times are taken, all tables of both are compared.
//!
//! The kinds are those of `scripts/make-pgn`; their files are made once and kept in the target directory. `compressed` reads
//! `zipf` and `lichess` with two threads from one zstd frame, from gzip and from many zstd frames, and compares with the
//! decoder alone. Without arguments, everything is measured, with files of 100 MB and 5 rounds. pgn-extract, if it is
//! installed, shows what a reader costs that checks every move.

mod child;
mod compare;
mod contender;
mod files;

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use child::Measured;
use compare::{Tables, compare};
use files::{Compression, KINDS};

/// A tree's depth (`None` for no tree) and the number of threads.
type Case = (Option<usize>, u64);

const CASES: [Case; 6] = [
    (None, 1),
    (None, 2),
    (Some(8), 1),
    (Some(8), 2),
    (Some(20), 1),
    (Some(20), 2),
];

const MIN_GAMES: &str = "5";

struct Request {
    size: String,
    rounds: usize,
    /// Kinds, `compressed`, or paths.
    subjects: Vec<String>,
}

/// The best of both programs, case by case.
struct Comparison {
    letter: String,
    cases: Vec<[Measured; 2]>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.first().map(String::as_str) {
        // The roles of child processes.
        Some("contender") => count(&args[1..]),
        Some("decode") => decode(Path::new(&args[1])),
        Some("compare") => compare_files(&args[1..]),
        _ => {
            bench(&parse(args));
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: Vec<String>) -> Request {
    let mut request = Request {
        size: "100M".to_owned(),
        rounds: 5,
        subjects: Vec::new(),
    };
    // `cargo bench` adds `--bench`.
    let mut args = args.into_iter().filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
        match arg.as_str() {
            "--size" => request.size = value(),
            "--rounds" => request.rounds = value().parse().expect("a number of rounds"),
            _ => request.subjects.push(arg),
        }
    }
    if request.subjects.is_empty() {
        let kinds = KINDS.iter().map(|(kind, ..)| (*kind).to_owned());
        request.subjects = kinds.chain(["compressed".to_owned()]).collect();
    }
    request
}

fn bench(request: &Request) {
    let mut comparisons = Vec::new();
    for subject in &request.subjects {
        if subject == "compressed" {
            // Text without comments and text with clocks.
            for (kind, _, flags) in &KINDS[..2] {
                let pgn = files::pgn(kind, &request.size);
                for compression in Compression::ALL {
                    let path = files::compressed(&pgn, compression);
                    bench_compressed(&path, flags, request.rounds);
                }
            }
        } else if let Some((kind, letter, flags)) = KINDS.iter().find(|(kind, ..)| kind == subject)
        {
            let path = files::pgn(kind, &request.size);
            comparisons.push(Comparison {
                letter: letter.to_string(),
                cases: bench_plain(&path, flags, request.rounds),
            });
        } else {
            let path = PathBuf::from(subject);
            let flags = ["--doubles", "--include-standard", "--repair"];
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("zst" | "gz") => bench_compressed(&path, &flags, request.rounds),
                _ => comparisons.push(Comparison {
                    letter: subject.clone(),
                    cases: bench_plain(&path, &flags, request.rounds),
                }),
            }
        }
    }
    if comparisons.len() > 1 {
        print_ratios("time", &comparisons, |run| run.seconds);
        print_ratios("processor time", &comparisons, |run| run.cpu_seconds);
    }
}

/// Measures both programs on a file, and returns the best of them for each case.
fn bench_plain(path: &Path, flags: &[&str], rounds: usize) -> Vec<[Measured; 2]> {
    for case in CASES {
        check(path, flags, case);
    }
    let mut cases = vec![[None, None]; CASES.len()];
    for _ in 0..rounds {
        for (case, best) in CASES.into_iter().zip(&mut cases) {
            for (program, best) in Program::BOTH.into_iter().zip(best) {
                keep_best(best, child::run(&mut program.command(path, flags, case)));
            }
        }
    }
    let cases: Vec<[Measured; 2]> = cases
        .into_iter()
        .map(|case| case.map(|best| best.expect("at least one round")))
        .collect();
    let megabytes = print_title(path, &cases[0][0].stderr, rounds);
    println!(
        "              | ours                             | contender                        | contender"
    );
    println!(
        "tree  threads |  seconds      cpu     MB/s peak MB |  seconds      cpu     MB/s peak MB |     /ours"
    );
    for ((tree, threads), both) in CASES.into_iter().zip(&cases) {
        let tree = tree.map_or("none".to_owned(), |plies| plies.to_string());
        let [ours, theirs] = both.each_ref().map(|run| {
            format!(
                "{:8.3} {:8.3} {:8.0} {:7.0}",
                run.seconds,
                run.cpu_seconds,
                megabytes / run.seconds,
                run.peak_bytes as f64 / 1e6
            )
        });
        let ratio = both[1].seconds / both[0].seconds;
        println!("{tree:4}  {threads:7} | {ours} | {theirs} | {ratio:9.2}");
    }
    if was_busy(&cases) {
        println!(
            "The machine was busy: runs on one thread waited for a processor. Compare `cpu`, or measure again."
        );
    }
    if let Some(mut command) = pgn_extract(path) {
        let seconds = child::run(&mut command).seconds;
        println!(
            "pgn-extract, 1 thread, one run: {seconds:.2} s, {:.0} MB/s",
            megabytes / seconds
        );
    }
    println!();
    cases
}

/// Whether a run on one thread has taken much longer than it has computed. The files are cached, so it waited for others.
fn was_busy(cases: &[[Measured; 2]]) -> bool {
    let single = CASES
        .iter()
        .zip(cases)
        .filter(|((_, threads), _)| *threads == 1);
    let mut runs = single.flat_map(|(_, both)| both);
    runs.any(|run| run.seconds > 1.2 * run.cpu_seconds + 0.01)
}

fn bench_compressed(path: &Path, flags: &[&str], rounds: usize) {
    let case = (None, 2);
    let (mut ours, mut decoder) = (None, None);
    for _ in 0..rounds {
        keep_best(
            &mut ours,
            child::run(&mut Program::Ours.command(path, flags, case)),
        );
        keep_best(&mut decoder, child::run(&mut own_role("decode", [path])));
    }
    let [ours, decoder] = [ours, decoder].map(|best| best.expect("at least one round"));
    print_title(path, &ours.stderr, rounds);
    println!(
        "ours, no tree, 2 threads: {:.3} s ({:.3} s cpu), {:.0} MB peak; decoder alone, 1 thread: {:.3} s ({:.3} s cpu); \
         decoder/ours {:.2}\n",
        ours.seconds,
        ours.cpu_seconds,
        ours.peak_bytes as f64 / 1e6,
        decoder.seconds,
        decoder.cpu_seconds,
        decoder.seconds / ours.seconds
    );
}

/// Prints what was read, and returns the size in megabytes. `messages` are those of `stats`.
fn print_title(path: &Path, messages: &str, rounds: usize) -> f64 {
    let megabytes = fs::metadata(path).map_or(0.0, |found| found.len() as f64 / 1e6);
    let name = path.file_name().unwrap_or(path.as_os_str());
    println!(
        "{}: {megabytes:.1} MB; best of {rounds} rounds\n{}",
        name.display(),
        messages.lines().next().unwrap_or_default()
    );
    megabytes
}

/// The ratios of all files in one table: how much more the contender needs of a measure.
fn print_ratios(name: &str, comparisons: &[Comparison], measure: fn(&Measured) -> f64) {
    let letters = comparisons.iter().map(|comparison| &comparison.letter);
    let letters: Vec<String> = letters.map(|letter| format!("{letter:>6}")).collect();
    println!("contender/ours, {name:15} {}", letters.join(" "));
    for (index, (tree, threads)) in CASES.into_iter().enumerate() {
        let tree = tree.map_or("no tree".to_owned(), |plies| format!("tree {plies}"));
        let ratios = comparisons.iter().map(|comparison| {
            let [ours, theirs] = comparison.cases[index].each_ref().map(measure);
            format!("{:6.2}", theirs / ours)
        });
        let ratios: Vec<String> = ratios.collect();
        let case = format!("{tree}, {threads} threads").replace(" 1 threads", " 1 thread");
        println!("{case:31} {}", ratios.join(" "));
    }
    println!();
}

/// Keeps the smallest of each measure.
fn keep_best(best: &mut Option<Measured>, run: Measured) {
    *best = Some(match best.take() {
        None => run,
        Some(best) => Measured {
            seconds: best.seconds.min(run.seconds),
            cpu_seconds: best.cpu_seconds.min(run.cpu_seconds),
            peak_bytes: best.peak_bytes.min(run.peak_bytes),
            stderr: run.stderr,
        },
    });
}

/// The programs that are compared.
#[derive(Clone, Copy)]
enum Program {
    Ours,
    Contender,
}

impl Program {
    const BOTH: [Program; 2] = [Program::Ours, Program::Contender];

    fn command(self, path: &Path, flags: &[&str], (tree, threads): Case) -> Command {
        let mut command = match self {
            Program::Ours => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_ninesixty"));
                command.args(["stats", "--format=csv"]);
                command
            }
            Program::Contender => own_role::<&str>("contender", []),
        };
        let [starts, moves] = self.tables();
        command.arg(path).args(flags).arg("--output").arg(starts);
        command.args(["--threads", &threads.to_string()]);
        command.args(["--plies", &tree.unwrap_or(8).to_string()]);
        if tree.is_some() {
            command.arg("--moves").arg(moves);
            command.args(["--min-games", MIN_GAMES]);
        }
        command
    }

    /// The files of the table of starts and of the table of moves.
    fn tables(self) -> [PathBuf; 2] {
        let name = match self {
            Program::Ours => "ours",
            Program::Contender => "contender",
        };
        ["starts", "moves"].map(|table| files::directory().join(format!("{name}-{table}.csv")))
    }
}

/// This program in another role.
fn own_role<S: AsRef<std::ffi::OsStr>>(role: &str, args: impl IntoIterator<Item = S>) -> Command {
    let program = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(program);
    command.arg(role).args(args);
    command
}

/// Panics unless both programs find the same.
fn check(path: &Path, flags: &[&str], case: Case) {
    let [ours, theirs] =
        Program::BOTH.map(|program| child::run(&mut program.command(path, flags, case)).stderr);
    let games = theirs.trim_end();
    assert!(ours.contains(games), "{ours}contender: {games}");
    let tables = case.0.map_or(1, |_| 2);
    let names = Program::BOTH.map(|program| program.tables().into_iter().take(tables));
    child::run(&mut own_role("compare", names.into_iter().flatten()));
}

/// The contender, with flags of `stats`.
fn count(args: &[String]) -> Result<(), String> {
    let mut options = contender::Options {
        plies: 8,
        moves: None,
        min_games: 5,
        include_standard: false,
        doubles: false,
        repair: false,
        threads: 1,
        output: PathBuf::new(),
    };
    let number = |text: &String| text.parse().map_err(|_| format!("{text} is not a number"));
    let (path, flags) = args.split_first().ok_or("no file")?;
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let mut value = || flags.next().ok_or_else(|| format!("{flag} needs a value"));
        match flag.as_str() {
            "--output" => options.output = value()?.into(),
            "--moves" => options.moves = Some(value()?.into()),
            "--min-games" => options.min_games = number(value()?)?,
            "--plies" => options.plies = number(value()?)? as usize,
            "--threads" => options.threads = number(value()?)?,
            "--include-standard" => options.include_standard = true,
            "--doubles" => options.doubles = true,
            "--repair" => options.repair = true,
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    let summary = contender::run(Path::new(path), &options).map_err(|error| error.to_string())?;
    eprintln!("{} games read: {} counted", summary.read, summary.counted);
    // The end of the process frees the memory at once, which is faster than to drop the tree edge by edge.
    std::process::exit(0)
}

/// Decodes a file and drops the text.
fn decode(path: &Path) -> Result<(), String> {
    let decode = || -> io::Result<()> {
        let file = BufReader::with_capacity(1 << 17, File::open(path)?);
        let mut text: Box<dyn Read> = if path.extension().is_some_and(|name| name == "gz") {
            Box::new(flate2::bufread::MultiGzDecoder::new(file))
        } else {
            Box::new(zstd::Decoder::with_buffer(file)?)
        };
        let mut buffer = vec![0; 1 << 17];
        while text.read(&mut buffer)? > 0 {}
        Ok(())
    };
    decode().map_err(|error| format!("{}: {error}", path.display()))
}

/// Compares the tables of both: the files of ours, then those of the contender.
fn compare_files(files: &[String]) -> Result<(), String> {
    let (ours, theirs) = files.split_at(files.len() / 2);
    let tables = |files: &'_ [String]| -> [Option<PathBuf>; 2] {
        [
            files.first().map(PathBuf::from),
            files.get(1).map(PathBuf::from),
        ]
    };
    let (ours, theirs) = (tables(ours), tables(theirs));
    fn pair(files: &[Option<PathBuf>; 2]) -> Option<Tables<'_>> {
        Some(Tables {
            starts: files[0].as_deref()?,
            moves: files[1].as_deref(),
        })
    }
    let (ours, theirs) = pair(&ours).zip(pair(&theirs)).ok_or("no tables")?;
    compare(ours, theirs)
}

/// pgn-extract, told to check all games without output. Debian installs it to a directory that is not on every user's
/// PATH.
fn pgn_extract(path: &Path) -> Option<Command> {
    let candidates = ["pgn-extract", "/usr/games/pgn-extract"];
    let program = candidates.into_iter().find(|program| {
        let mut command = Command::new(program);
        command.arg("--version").output().is_ok()
    })?;
    let mut command = Command::new(program);
    command.arg("-r").arg(path);
    Some(command)
}
