//! The promise: what README.md and docs/ show is what the program does.
//!
//! Every `console` block is run. A line that begins with `$ ` is a command, the lines up to the next command are what it
//! prints: standard output and standard error as a terminal shows them, in the order in which they were written. An empty
//! last line is ignored. `bash` runs the commands, one shell each, in a directory that looks like the repository after
//! `cargo build --release --bins --examples`: all its files are there, `ninesixty` is on the PATH, `target/release` holds
//! the programs, and new files vanish after the test. All blocks of a page share that directory.
//!
//! What readers need not see stands in HTML comments before a block:
//!
//! - `<!-- exit: 1 -->`: the exit code of the last command; without it, and for the commands before, it is 0;
//! - `<!-- numbers vary -->`: all numbers and spaces are ignored, as are `faster` and `slower`;
//! - `<!-- needs: stockfish -->`: without this program the block is not run, which is reported, and fails if `CI` is `true`;
//! - `<!-- not tested: reason -->`: the block is not run;
//! - `<!-- file: examples/mine.rs -->`, before a block of any language: the block is the text of this file.
//!
//! Seconds (`in 0.3 s`), numbers of threads and the version of the program are always ignored. A line that is only `…` stands
//! for any lines.
//!
//! `DOCS=overwrite cargo test --test docs` writes what the commands print into the pages.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{env, fs, io, thread};

use assert_cmd::cargo::cargo_bin;
use tempfile::TempDir;

/// Held by tests that may overwrite the pages.
static PAGES: Mutex<()> = Mutex::new(());

/// One command of a page and what the page says that it prints.
#[derive(Debug)]
struct Step {
    /// The line of the command, from 1.
    line: usize,
    command: String,
    expected: Vec<String>,
    exit_code: i32,
    numbers_vary: bool,
}

/// A page, cut into the text that is kept and the commands.
struct Page {
    path: PathBuf,
    lines: Vec<String>,
    steps: Vec<Step>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md and every page of docs/.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

impl Page {
    fn read(path: &Path) -> Page {
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let steps = steps(path, &lines);
        Page {
            path: path.to_owned(),
            lines,
            steps,
        }
    }

    /// Runs the commands in order; what differs from the page.
    fn run(&self, program: &Path) -> Vec<(usize, Vec<String>, String)> {
        let directory = scratch_directory(program);
        let mut differences = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let (printed, exit_code) = run(step, directory.path(), program);
            let place = format!("{}, line {}", self.name(), step.line);
            let mut message = String::new();
            if exit_code != Some(step.exit_code) {
                let expected = step.exit_code;
                _ = writeln!(message, "{place}: exit code {exit_code:?}, not {expected}");
            }
            if !matches(step, &printed) {
                let (expected, found) = (step.expected.join("\n"), printed.join("\n"));
                _ = writeln!(
                    message,
                    "{place}: the output differs\n--- page\n{expected}\n--- program\n{found}\n---"
                );
            }
            if !message.is_empty() {
                _ = writeln!(message, "$ {}", step.command);
                differences.push((index, printed, message));
            }
        }
        differences
    }

    fn name(&self) -> String {
        let path = self.path.strip_prefix(root()).unwrap_or(&self.path);
        path.display().to_string()
    }

    /// Puts what was printed in the place of what was expected.
    fn overwrite(mut self, differences: Vec<(usize, Vec<String>, String)>) {
        for (index, printed, _) in differences.into_iter().rev() {
            let step = &self.steps[index];
            let outputs = step.line..step.line + step.expected.len();
            self.lines.splice(outputs, printed);
        }
        fs::write(&self.path, self.lines.join("\n") + "\n").unwrap();
    }
}

/// The commands of all `console` blocks of a page.
fn steps(path: &Path, lines: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut comments: Vec<&str> = Vec::new();
    let mut numbered = (1..).zip(lines);
    while let Some((number, line)) = numbered.next() {
        let comment = line
            .strip_prefix("<!-- ")
            .and_then(|rest| rest.strip_suffix(" -->"));
        if let Some(comment) = comment {
            comments.push(comment);
        } else if line.starts_with("```") {
            let block: Vec<(usize, &String)> = numbered
                .by_ref()
                .take_while(|(_, line)| !line.starts_with("```"))
                .collect();
            if line == "```console" {
                let place = format!("{}, line {number}", path.display());
                steps.extend(block_steps(&place, &block, &comments));
            }
            comments.clear();
        } else if !line.is_empty() {
            comments.clear();
        }
    }
    steps
}

fn block_steps(place: &str, block: &[(usize, &String)], comments: &[&str]) -> Vec<Step> {
    let value = |name: &str| comments.iter().find_map(|text| text.strip_prefix(name));
    if let Some(reason) = value("not tested:") {
        assert!(!reason.trim().is_empty(), "{place}: not tested, but why?");
        return Vec::new();
    }
    if let Some(program) = value("needs:").map(str::trim)
        && !is_installed(program)
    {
        let message = format!("{place}: not run, because {program} is not installed\n");
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "{message}");
        // Not by `eprintln`, which is not shown for a test that passes.
        io::stderr().write_all(message.as_bytes()).unwrap();
        return Vec::new();
    }
    let mut steps: Vec<Step> = Vec::new();
    for (line, text) in block {
        if let Some(command) = text.strip_prefix("$ ") {
            steps.push(Step {
                line: *line,
                command: command.to_owned(),
                expected: Vec::new(),
                exit_code: 0,
                numbers_vary: comments.contains(&"numbers vary"),
            });
        } else {
            let step = steps.last_mut();
            let step = step.unwrap_or_else(|| panic!("{place}: output before any command"));
            step.expected.push((*text).clone());
        }
    }
    let last = steps.last_mut();
    let last = last.unwrap_or_else(|| panic!("{place}: a block without a command"));
    if let Some(code) = value("exit:") {
        last.exit_code = code.trim().parse().unwrap();
    }
    steps
}

fn is_installed(program: &str) -> bool {
    search_path().any(|directory| directory.join(program).is_file())
}

/// The PATH, and the directory of Debian's games, which is not on root's.
fn search_path() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = env::split_paths(&path).collect();
    directories.into_iter().chain([PathBuf::from("/usr/games")])
}

/// A directory that looks like the repository with a release build in it.
fn scratch_directory(program: &Path) -> TempDir {
    let directory = TempDir::new().unwrap();
    for entry in fs::read_dir(root()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "target" {
            symlink(entry.path(), directory.path().join(entry.file_name())).unwrap();
        }
    }
    fs::create_dir(directory.path().join("target")).unwrap();
    let programs = program.parent().unwrap();
    let has_examples = programs.join("examples/uci_generator").exists();
    assert!(has_examples, "run `cargo build --examples` first");
    symlink(programs, directory.path().join("target/release")).unwrap();
    directory
}

/// What a command prints, and its exit code.
fn run(step: &Step, directory: &Path, program: &Path) -> (Vec<String>, Option<i32>) {
    let path = [program.parent().unwrap().to_owned()];
    let path = path.into_iter().chain(search_path());
    let (mut reader, writer) = io::pipe().unwrap();
    let mut command = Command::new("bash");
    command
        .args(["-c", &step.command])
        .current_dir(directory)
        .env("PATH", env::join_paths(path).unwrap())
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(writer.try_clone().unwrap())
        .stderr(writer);
    let mut child = command.spawn().unwrap();
    // Our ends of the pipe have to be closed, or it never ends.
    drop(command);
    let mut printed = Vec::new();
    reader.read_to_end(&mut printed).unwrap();
    let status = child.wait().unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let lines = printed
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    (lines, status.code())
}

/// Whether the page shows what was printed, but for what varies.
fn matches(step: &Step, printed: &[String]) -> bool {
    let normalise = |lines: &[String]| -> Vec<String> {
        let lines = lines.iter();
        let mut lines: Vec<String> = lines
            .map(|line| normalise(line.trim_end(), step.numbers_vary))
            .collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    };
    lines_match(&normalise(&step.expected), &normalise(printed))
}

/// Compares line by line; an expected `…` stands for any lines.
fn lines_match(expected: &[String], printed: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed.first() == Some(first) && lines_match(rest, &printed[1..]),
    }
}

/// A line without what differs from run to run.
fn normalise(line: &str, numbers_vary: bool) -> String {
    if numbers_vary {
        let line = line.replace("slower", "faster").replace('─', " ");
        let words = line.split_whitespace().map(|word| {
            let is_number = |c: char| c.is_ascii_digit() || ".,-%".contains(c);
            let is_digits = word.starts_with(|c: char| c.is_ascii_digit());
            // A figure that is still to be measured.
            if word == "TBD" || is_digits && word.chars().all(is_number) {
                "#"
            } else {
                word
            }
        });
        return words.collect::<Vec<_>>().join(" ");
    }
    let mut words: Vec<&str> = line.split(' ').collect();
    for index in 0..words.len() {
        let is_number = words[index].starts_with(|c: char| c.is_ascii_digit());
        let next = words.get(index + 1).copied().unwrap_or("");
        let is_time = next.trim_end_matches([',', ';', '.']) == "s";
        let is_threads = next.starts_with("thread");
        let is_version = index > 0 && words[index - 1].ends_with("ninesixty");
        if is_number && (is_time || is_threads || is_version) {
            words[index] = "#";
        }
    }
    let line = words.join(" ");
    match line.strip_prefix("\"version\":\"") {
        Some(_) => "\"version\":\"#\",".to_owned(),
        None => line,
    }
}

#[test]
fn every_command_of_the_pages_prints_what_is_shown() {
    let _lock = PAGES.lock();
    let program = cargo_bin!("ninesixty");
    let pages: Vec<Page> = pages().iter().map(|path| Page::read(path)).collect();
    let differences: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> = pages
            .iter()
            .map(|page| scope.spawn(|| page.run(program)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let messages: String = differences
        .iter()
        .flatten()
        .map(|(.., message)| message.as_str())
        .collect();
    if is_overwriting() {
        for (page, differences) in pages.into_iter().zip(differences) {
            page.overwrite(differences);
        }
        // Outputs can be overwritten, exit codes cannot: a page says them on purpose.
        let codes = messages
            .lines()
            .filter(|line| line.contains(": exit code "));
        let codes: Vec<&str> = codes.collect();
        assert!(codes.is_empty(), "{}", codes.join("\n"));
        return;
    }
    assert!(messages.is_empty(), "{messages}");
}

#[test]
fn programs_on_the_pages_are_those_of_the_repository() {
    let _lock = PAGES.lock();
    let mut shown = 0;
    for path in pages() {
        let mut text = fs::read_to_string(&path).unwrap();
        let mut from = 0;
        while let Some(at) = text[from..].find("<!-- file: ") {
            let at = from + at;
            let (name, rest) = text[at + 11..].split_once(" -->\n").unwrap();
            let (fence, block) = rest.split_once('\n').unwrap();
            assert!(fence.starts_with("```"), "{name}: a block follows");
            let block = &block[..block.find("```").unwrap()];
            let file = fs::read_to_string(root().join(name)).unwrap();
            if is_overwriting() {
                let begin = text.len() - rest.len() + fence.len() + 1;
                let end = begin + block.len();
                text.replace_range(begin..end, &file);
            } else {
                assert_eq!(block, file, "{}: {name}", path.display());
            }
            shown += 1;
            from = at + 11;
        }
        if is_overwriting() {
            fs::write(&path, text).unwrap();
        }
    }
    assert!(shown > 0);
}

fn is_overwriting() -> bool {
    env::var("DOCS").is_ok_and(|value| value == "overwrite")
}

#[test]
fn every_page_has_a_command_that_is_run() {
    for path in pages() {
        let page = Page::read(&path);
        assert!(!page.steps.is_empty(), "{} runs nothing", page.name());
    }
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut paths = pages();
    paths.push(root().join("data/README.md"));
    let mut broken = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        for (_, rest) in text
            .match_indices("](")
            .map(|(at, _)| text.split_at(at + 2))
        {
            let target = rest.split(')').next().unwrap_or_default();
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.starts_with("http") {
                continue;
            }
            let linked = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let has_anchor = || anchor.is_empty() || anchors(&linked).contains(anchor);
            if !linked.exists() || !has_anchor() {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The names under which the headings of a page can be linked to.
fn anchors(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        });
        kept.collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn the_ideas_of_architecture_md_are_where_it_says() {
    let page = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let rows = page
        .lines()
        .skip_while(|line| *line != "## Where the ideas are");
    let rows: Vec<Vec<&str>> = rows
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 20, "{rows:?}");
    for row in rows {
        let [_, idea, file, names, _] = row[..] else {
            panic!("{row:?}");
        };
        let source = fs::read_to_string(root().join(file.trim_matches('`'))).unwrap();
        for name in names.split(", ").map(|name| name.trim_matches('`')) {
            let is_defined = ["fn", "struct"].iter().any(|kind| {
                let definition = format!("{kind} {name}");
                source.match_indices(&definition).any(|(at, _)| {
                    let rest = &source[at + definition.len()..];
                    rest.starts_with(['(', '<', ' ', ';'])
                })
            });
            assert!(is_defined, "{idea}: {file} does not define {name}");
        }
    }
}

#[test]
fn columns_md_describes_every_column_of_every_table() {
    let text = fs::read_to_string(root().join("docs/COLUMNS.md")).unwrap();
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let games = "data/pgn/mainz-2009.pgn";
    let commands: [&[&str]; 17] = [
        &["list", "518"],
        &["list", "518/0"],
        &["random", "--dice"],
        &["show", "518"],
        &["perft", "518", "--depth", "2"],
        &["perft", "518", "--depth", "2", "--unique"],
        &["perft", "518", "--depth", "2", "--breakdown"],
        &["perft", "518", "--depth", "2", "--divide"],
        &["perft", "--rules", "zchess", "--depth", "2", "--divide"],
        &["search", "518", "--depth", "2", "--multipv", "2"],
        &[
            "search",
            "518,0",
            "--depth",
            "2",
            "--compare",
            "data/stockfish18.csv",
        ],
        &["stats", games],
        &[
            "stats",
            games,
            "--output",
            "/dev/null",
            "--moves",
            "/dev/stdout",
        ],
        &[
            "stats",
            games,
            "--output",
            "/dev/null",
            "--castling",
            "/dev/stdout",
        ],
        &["verify", "tests/wrong.epd", "--generator", "shakmaty"],
        &["diff", "--b", "shakmaty", "--fen", kiwipete],
        &["bench", "518", "--depth", "2", "--rounds", "1"],
    ];
    for command in commands {
        let run = Command::new(cargo_bin!("ninesixty"))
            .args(command)
            .args(["--format", "json", "--quiet"])
            .current_dir(root())
            .output()
            .unwrap();
        let printed: serde_json::Value = serde_json::from_slice(&run.stdout)
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let schema = printed["schema"].as_str().unwrap();
        let heading = format!("## `{schema}`");
        let section = text.split("\n## ").find(|section| {
            section
                .lines()
                .next()
                .is_some_and(|line| line.contains(&heading[3..]))
        });
        let section = section.unwrap_or_else(|| panic!("COLUMNS.md has no section {heading}"));
        for column in printed["columns"].as_array().unwrap() {
            let column = column.as_str().unwrap();
            let is_depth = column.len() > 1
                && column.starts_with(['d', 'u'])
                && column[1..].bytes().all(|byte| byte.is_ascii_digit());
            let name = match (is_depth, &column[..1]) {
                (true, letter) => format!("`{letter}1`"),
                (false, _) => format!("`{column}`"),
            };
            let is_described = |line: &str| {
                let cell = line
                    .strip_prefix("| ")
                    .and_then(|rest| rest.split(" | ").next());
                cell.is_some_and(|cell| cell.contains(&name))
            };
            assert!(
                section.lines().any(is_described),
                "COLUMNS.md, {schema}: no row for {name}"
            );
        }
    }
}

#[test]
fn every_page_with_rust_is_a_documentation_test() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    for path in pages() {
        let has_rust = fs::read_to_string(&path).unwrap().contains("```rust");
        let name = Page::read(&path).name();
        let is_included = lib.contains(&format!("include_str!(\"../{name}\")"));
        assert_eq!(has_rust, is_included, "{name}");
    }
}
