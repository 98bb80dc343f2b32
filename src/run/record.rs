//! The text of a ledger, format 2.
//!
//! A ledger is a file of JSON lines: a header that says what decides the results, then in any order one line per run
//! (the job with its selection, and its shard) and one per finished task. Every line ends in a checksum of all that
//! stands before it, and the checksums of all lines but the header also cover the header's identity: a line that is
//! damaged, or belongs to another ledger, is never taken for a result.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use super::files::FileRef;
use super::shard::Shard;

/// What decides the results in a ledger: equal identities have equal results for equal task ids.
#[derive(Clone, Debug)]
pub struct Identity {
    verb: String,
    results: u32,
    settings: Box<RawValue>,
    digest: String,
}

/// One run that wrote to a ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunRecord {
    /// The whole job, with its selection of tasks.
    pub job: Box<RawValue>,
    pub shard: Option<Shard>,
}

impl PartialEq for RunRecord {
    fn eq(&self, other: &RunRecord) -> bool {
        (self.job.get(), self.shard) == (other.job.get(), other.shard)
    }
}

/// The result of a task as a ledger holds it.
#[derive(Clone, Debug)]
pub(super) struct StoredOutput {
    /// For people.
    pub name: String,
    pub output: Box<RawValue>,
    /// Parts of the output that are kept in files of their own.
    pub files: Vec<FileRef>,
}

/// Everything that a ledger holds.
#[derive(Debug)]
pub(super) struct Contents {
    pub identity: Identity,
    pub last_run: Option<RunRecord>,
    pub outputs: HashMap<String, StoredOutput>,
    pub torn: Option<Torn>,
    /// The length of the ledger without a torn last line.
    pub whole_bytes: usize,
}

/// A last line that was not written completely. Its task counts as unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is incomplete ({bytes} bytes): its task counts as unfinished")]
pub struct Torn {
    /// From 1.
    pub line: usize,
    /// How much of it there is.
    pub bytes: usize,
}

/// Why a ledger cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The file is something else, or its first line is damaged.
    #[error("line 1 is not the complete header of a ledger")]
    Header,
    /// A ledger of another format.
    #[error(
        "it has the format {found:?}, and this version reads {SCHEMA:?}: finish and merge it with the version that wrote \
         it, or start a new ledger"
    )]
    Format {
        /// The format that the header names.
        found: String,
    },
    /// There is no line that says what job it is for.
    #[error("it has no valid description of its job")]
    NoJob,
    /// A checksum does not match.
    #[error("line {0} is damaged: delete it, and its task is computed again")]
    Damaged(usize),
    /// Two lines of one task differ.
    #[error("line {line} has another result for task {task:?} than an earlier line")]
    Conflict {
        /// The later one of the two.
        line: usize,
        /// The id of the task.
        task: String,
    },
}

pub(super) const SCHEMA: &str = concat!(env!("CARGO_PKG_NAME"), ".ledger/2");

#[derive(Serialize, Deserialize)]
struct Header {
    schema: String,
    verb: String,
    results: u32,
    settings: Box<RawValue>,
    /// The version that began the ledger: a note, and no part of its identity.
    version: String,
}

/// A line behind the header, of either kind.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<RunRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileRef>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "even_if_null"
    )]
    output: Option<Box<RawValue>>,
}

/// An output that is `null` is an output all the same.
fn even_if_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(deserializer).map(Some)
}

impl Identity {
    pub(super) fn new(
        verb: &str,
        results: u32,
        settings: &impl Serialize,
    ) -> Result<Identity, serde_json::Error> {
        Ok(Identity::from_parts(
            verb.to_owned(),
            results,
            to_raw_value(settings)?,
        ))
    }

    fn from_parts(verb: String, results: u32, settings: Box<RawValue>) -> Identity {
        let digest = digest(&[&verb, &results.to_string(), settings.get()]);
        Identity {
            verb,
            results,
            settings,
            digest,
        }
    }

    /// The verb whose ledger it is.
    pub fn verb(&self) -> &str {
        &self.verb
    }

    /// The settings as JSON.
    pub fn settings(&self) -> &str {
        self.settings.get()
    }

    pub(super) fn is_same(&self, other: &Identity) -> bool {
        self.digest == other.digest
    }

    /// How another identity differs from this one, in words.
    pub(super) fn differences(&self, other: &Identity) -> String {
        if self.verb != other.verb {
            return format!(
                "it holds results of `{}`, not of `{}`",
                other.verb, self.verb
            );
        }
        let mut differences = Vec::new();
        let [here, there] = [self, other].map(Identity::flat_settings);
        for (key, here) in &here {
            let there = there
                .iter()
                .find(|(other, _)| other == key)
                .map(|(_, value)| value);
            match there {
                Some(there) if there == here => {}
                Some(there) => differences.push(format!("{key} is {there} there and {here} here")),
                None => differences.push(format!("{key} is {here} here and missing there")),
            }
        }
        for (key, there) in &there {
            if here.iter().all(|(other, _)| other != key) {
                differences.push(format!("{key} is {there} there and missing here"));
            }
        }
        if self.results != other.results {
            differences.push(format!(
                "it was written by a version that computes other results (version {} of them there, {} here)",
                other.results, self.results
            ));
        }
        differences.join(", ")
    }

    /// The settings with the names of nested ones joined by dots.
    fn flat_settings(&self) -> Vec<(String, String)> {
        fn flatten(prefix: &str, value: &serde_json::Value, flat: &mut Vec<(String, String)>) {
            match value {
                serde_json::Value::Object(fields) => {
                    for (key, value) in fields {
                        let name = if prefix.is_empty() {
                            key.clone()
                        } else {
                            format!("{prefix}.{key}")
                        };
                        flatten(&name, value, flat);
                    }
                }
                serde_json::Value::Null => {}
                value => flat.push((prefix.to_owned(), value.to_string())),
            }
        }
        let mut flat = Vec::new();
        if let Ok(value) = serde_json::from_str(self.settings.get()) {
            flatten("", &value, &mut flat);
        }
        flat
    }
}

pub(super) fn header(identity: &Identity) -> String {
    seal(
        SCHEMA,
        &Header {
            schema: SCHEMA.to_owned(),
            verb: identity.verb.clone(),
            results: identity.results,
            settings: identity.settings.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    )
}

pub(super) fn run_line(identity: &Identity, run: &RunRecord) -> String {
    let line = Line {
        run: Some(run.clone()),
        task: None,
        name: None,
        files: Vec::new(),
        output: None,
    };
    seal(&identity.digest, &line)
}

pub(super) fn task_line(identity: &Identity, task: &str, stored: &StoredOutput) -> String {
    let line = Line {
        run: None,
        task: Some(task.to_owned()),
        name: Some(stored.name.clone()),
        files: stored.files.clone(),
        output: Some(stored.output.clone()),
    };
    seal(&identity.digest, &line)
}

/// Reads the first line of a ledger.
pub(super) fn read_header(line: &[u8]) -> Result<Identity, Fault> {
    #[derive(Deserialize)]
    struct Schema {
        schema: String,
    }
    let Schema { schema } = serde_json::from_slice(line).map_err(|_| Fault::Header)?;
    if schema != SCHEMA {
        return Err(Fault::Format { found: schema });
    }
    let text = unseal(SCHEMA, line).ok_or(Fault::Header)?;
    let header: Header = serde_json::from_str(text).map_err(|_| Fault::Header)?;
    Ok(Identity::from_parts(
        header.verb,
        header.results,
        header.settings,
    ))
}

/// Reads a ledger to its end. Only the last line may be torn.
pub(super) fn read(bytes: &[u8]) -> Result<Contents, Fault> {
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let header = lines.next().ok_or(Fault::Header)?;
    let mut contents = Contents {
        identity: read_header(header)?,
        last_run: None,
        outputs: HashMap::new(),
        torn: None,
        whole_bytes: header.len(),
    };
    let mut lines = (2..).zip(lines).peekable();
    while let Some((number, text)) = lines.next() {
        let line = unseal(&contents.identity.digest, text)
            .and_then(|text| serde_json::from_str::<Line>(text).ok());
        let is_taken = match line {
            Some(line) => contents.take(number, line)?,
            None => false,
        };
        if !is_taken {
            if lines.peek().is_some() {
                return Err(Fault::Damaged(number));
            }
            contents.torn = Some(Torn {
                line: number,
                bytes: text.len(),
            });
            break;
        }
        contents.whole_bytes += text.len();
    }
    Ok(contents)
}

impl Contents {
    /// Takes over what a line holds; `false` if that is nothing that we know.
    fn take(&mut self, number: usize, line: Line) -> Result<bool, Fault> {
        match line {
            Line { run: Some(run), .. } => self.last_run = Some(run),
            Line {
                task: Some(task),
                name,
                files,
                output: Some(output),
                ..
            } => match self.outputs.get(&task) {
                Some(known) if known.output.get() != output.get() => {
                    return Err(Fault::Conflict { line: number, task });
                }
                Some(_) => {}
                None => {
                    let name = name.unwrap_or_else(|| task.clone());
                    let stored = StoredOutput {
                        name,
                        output,
                        files,
                    };
                    self.outputs.insert(task, stored);
                }
            },
            _ => return Ok(false),
        }
        Ok(true)
    }
}

const SUM: &str = r#","sum":""#;
const END: &str = "\"}\n";

/// Writes a line with its checksum as the last field.
fn seal(salt: &str, line: &impl Serialize) -> String {
    let json = serde_json::to_string(line).expect("a line holds JSON already and strings");
    let body = json.strip_suffix('}').expect("a line is a JSON object");
    let sum = digest(&[salt, body]);
    format!("{body}{SUM}{sum}{END}")
}

/// The text of a line whose checksum matches.
fn unseal<'a>(salt: &str, line: &'a [u8]) -> Option<&'a str> {
    let text = str::from_utf8(line).ok()?;
    let (body, sum) = text.strip_suffix(END)?.rsplit_once(SUM)?;
    (sum == digest(&[salt, body])).then_some(text)
}

/// The first half of the SHA-256 of texts that are separated by line feeds.
fn digest(texts: &[&str]) -> String {
    hex::encode(&Sha256::digest(texts.join("\n"))[..16])
}

#[cfg(test)]
pub(super) mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use serde_json::json;

    use super::*;

    /// Ids that would like to be mistaken for syntax.
    pub const IDS: [&str; 10] = [
        "0",
        "1",
        "10",
        "518",
        "8/8/8/8 w - -",
        "a\"b",
        "c\\",
        "line\nfeed",
        "ä",
        "\"sum\":\"",
    ];

    pub fn identity() -> Identity {
        Identity::new("test", 1, &json!({"depth": 6, "nested": {"a": "b"}})).unwrap()
    }

    pub fn run() -> RunRecord {
        RunRecord {
            job: to_raw_value(&json!({"selection": "all"})).unwrap(),
            shard: None,
        }
    }

    pub fn stored(index: usize) -> StoredOutput {
        let value = match index {
            0 => json!(u64::MAX),
            1 => json!([20, 400, 8_902]),
            2 => json!({"text": "\n\"},\"sum\":\"", "none": null}),
            3 => json!(0.1 + 0.2),
            4 => json!(null),
            index => json!([index, "ü"]),
        };
        StoredOutput {
            name: format!("row {index}"),
            output: to_raw_value(&value).unwrap(),
            files: Vec::new(),
        }
    }

    /// A whole ledger, and where each of its lines ends.
    fn ledger() -> (Vec<u8>, Vec<usize>) {
        let identity = identity();
        let mut text = header(&identity);
        let mut ends = vec![text.len()];
        text += &run_line(&identity, &run());
        ends.push(text.len());
        for (index, id) in IDS.iter().enumerate() {
            text += &task_line(&identity, id, &stored(index));
            ends.push(text.len());
        }
        (text.into_bytes(), ends)
    }

    /// What was read is what was written, or part of it.
    fn assert_nothing_wrong(contents: &Contents, what: &str) {
        assert!(contents.identity.is_same(&identity()), "{what}");
        for (id, found) in &contents.outputs {
            let index = IDS.iter().position(|known| known == id).expect(what);
            assert_eq!(found.output.get(), stored(index).output.get(), "{what}");
        }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let (bytes, _) = ledger();
        let contents = read(&bytes).unwrap();
        assert_nothing_wrong(&contents, "whole");
        assert_eq!(contents.outputs.len(), IDS.len());
        assert_eq!(contents.outputs["518"].name, "row 3");
        assert_eq!(contents.last_run, Some(run()));
        assert_eq!((contents.torn, contents.whole_bytes), (None, bytes.len()));
    }

    #[test]
    fn a_line_is_json_whose_checksum_any_tool_can_repeat() {
        let identity = Identity::new("perft", 1, &json!({"depth": 2})).unwrap();
        // printf 'perft\n1\n{"depth":2}' | sha256sum | cut -c 1-32
        assert_eq!(identity.digest, "950a29cc43aa02b982dd32b4cecb2460");
        let stored = StoredOutput {
            name: "518".to_owned(),
            output: to_raw_value(&json!(["20", "400"])).unwrap(),
            files: Vec::new(),
        };
        // printf '950a29cc43aa02b982dd32b4cecb2460\n{"task":"518","name":"518","output":["20","400"]' | sha256sum
        assert_eq!(
            task_line(&identity, "518", &stored),
            "{\"task\":\"518\",\"name\":\"518\",\"output\":[\"20\",\"400\"],\"sum\":\"aa0542f640dabfc535e8263ee256f194\"}\n"
        );
    }

    #[test]
    fn a_ledger_cut_at_any_byte_loses_only_the_torn_line() {
        let (bytes, ends) = ledger();
        for cut in 0..bytes.len() {
            let found = read(&bytes[..cut]);
            if cut < ends[0] {
                assert_eq!(found.unwrap_err(), Fault::Header, "cut at {cut}");
                continue;
            }
            let contents = found.unwrap();
            let whole_lines = ends.iter().filter(|&&end| end <= cut).count();
            assert_nothing_wrong(&contents, &format!("cut at {cut}"));
            let tasks = whole_lines.saturating_sub(2);
            assert_eq!(contents.outputs.len(), tasks, "cut at {cut}");
            let whole_bytes = ends[whole_lines - 1];
            assert_eq!(contents.whole_bytes, whole_bytes);
            let torn = Torn {
                line: whole_lines + 1,
                bytes: cut - whole_bytes,
            };
            assert_eq!(contents.torn, (cut > whole_bytes).then_some(torn));
        }
    }

    #[test]
    fn a_flipped_bit_never_gives_a_wrong_result() {
        let (bytes, ends) = ledger();
        let last_line = ends[ends.len() - 2];
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // The line feed before the last line belongs to both.
            let may_be_torn = bit / 8 >= last_line - 1;
            match read(&damaged) {
                Ok(contents) => {
                    assert!(may_be_torn, "bit {bit} was not noticed");
                    assert!(contents.torn.is_some(), "bit {bit} was not noticed");
                    assert_nothing_wrong(&contents, &format!("bit {bit}"));
                }
                Err(Fault::Header | Fault::Format { .. }) => assert!(bit / 8 < ends[0]),
                Err(fault) => assert!(matches!(fault, Fault::Damaged(_)), "bit {bit}: {fault}"),
            }
        }
    }

    #[test]
    fn bytes_overwritten_or_lost_at_random_never_give_a_wrong_result() {
        let (bytes, _) = ledger();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        for round in 0..2_000 {
            let mut damaged = bytes.clone();
            for _ in 0..random.random_range(1..4) {
                let from = random.random_range(0..damaged.len());
                let to = (from + random.random_range(1..200)).min(damaged.len());
                match random.random_range(0..4) {
                    0 => damaged[from..to].fill(0),
                    1 => drop(damaged.drain(from..to)),
                    2 => damaged[from..to].reverse(),
                    _ => damaged.extend_from_within(from..to),
                }
            }
            if let Ok(contents) = read(&damaged) {
                assert_nothing_wrong(&contents, &format!("round {round}"));
            }
        }
    }

    #[test]
    fn a_line_of_another_ledger_is_not_a_result() {
        let (identity, deeper) = (
            identity(),
            Identity::new("test", 1, &json!({"depth": 7})).unwrap(),
        );
        let text = header(&identity)
            + &task_line(&deeper, "0", &stored(0))
            + &task_line(&identity, "0", &stored(0));
        assert_eq!(read(text.as_bytes()).unwrap_err(), Fault::Damaged(2));
    }

    #[test]
    fn equal_results_of_a_task_count_once_and_different_ones_are_a_conflict() {
        let identity = identity();
        let line = |index| task_line(&identity, "518", &stored(index));
        let equal = header(&identity) + &line(0) + &line(0);
        assert_eq!(read(equal.as_bytes()).unwrap().outputs.len(), 1);
        let conflict = equal + &line(1);
        assert_eq!(
            read(conflict.as_bytes()).unwrap_err(),
            Fault::Conflict {
                line: 4,
                task: "518".to_owned()
            }
        );
    }

    #[test]
    fn other_files_and_other_formats_are_told_apart() {
        for other in ["", "id,back_rank\n0,BBQNNRKR\n", "[]\n", "{}\n"] {
            assert_eq!(read(other.as_bytes()).unwrap_err(), Fault::Header);
        }
        let old = header(&identity()).replacen("ledger/2", "ledger/1", 1);
        let message = read(old.as_bytes()).unwrap_err().to_string();
        assert!(message.contains("\"ninesixty.ledger/1\""), "{message}");
        assert!(message.contains("start a new ledger"), "{message}");
    }

    #[test]
    fn differences_are_named() {
        let here = Identity::new("perft", 1, &json!({"depth": 6, "rules": "chess960"})).unwrap();
        let differences = |verb, results, settings| {
            here.differences(&Identity::new(verb, results, &settings).unwrap())
        };
        assert_eq!(
            differences("perft", 1, json!({"depth": 7, "count": {"kind": "unique"}})),
            "depth is 7 there and 6 here, rules is \"chess960\" here and missing there, count.kind is \"unique\" there and \
             missing here"
        );
        assert_eq!(
            differences("search", 1, json!({})),
            "it holds results of `search`, not of `perft`"
        );
        let newer = differences("perft", 2, json!({"depth": 6, "rules": "chess960"}));
        assert!(
            newer.contains("other results (version 2 of them there, 1 here)"),
            "{newer}"
        );
    }
}
