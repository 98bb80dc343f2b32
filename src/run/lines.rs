//! The text of a ledger: a header, then a line for every finished task.
//!
//! In walks a plan or a result and out walks its line; in walk the bytes of a whole ledger and out walk its plan and
//! results, or the fault that makes it unfit for use. Every line is a JSON object that ends in a checksum of all that
//! stands before it, and the checksum of a result takes in the hash of the plan: a line that was damaged, or that
//! belongs to another ledger, is never taken for a result.
//!
//! The header names all tasks of the plan, so that a ledger tells by itself what is missing.

use serde_json::{Value, json};

use super::plan::{Plan, Task, digest};

/// What a ledger holds.
#[derive(Debug)]
pub(super) struct Contents {
    /// The plan, without the costs of its tasks.
    pub plan: Plan,
    /// By the index of the task.
    pub results: Vec<Option<Value>>,
    pub torn: Option<Torn>,
    /// How much is left of the ledger without the line that is torn.
    pub whole_bytes: usize,
}

/// The end of a ledger that could not be written whole. Its task is to be done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is torn ({bytes} bytes): its task counts as not done")]
pub struct Torn {
    pub line: usize,
    pub bytes: usize,
}

/// What makes a ledger unfit for use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("line 1 is not the whole header of a ledger")]
    Header,
    #[error("it is of the kind {found:?} and not {SCHEMA:?}")]
    Schema { found: String },
    #[error("line {0} is damaged: remove it, and its task is done again")]
    Damaged(usize),
    #[error("line {line} is about {task:?}, which is no task of the plan")]
    UnknownTask { line: usize, task: String },
    #[error("line {line} has another result of {task:?} than a line before it")]
    Conflict { line: usize, task: String },
}

pub(super) const SCHEMA: &str = concat!(env!("CARGO_PKG_NAME"), ".ledger/1");

pub(super) fn header(plan: &Plan) -> String {
    let names: Vec<_> = plan.tasks().iter().map(Task::name).collect();
    seal(
        SCHEMA,
        &format!(
            r#"{{"schema":{},"version":{},"plan":{},"description":{},"tasks":{}"#,
            json!(SCHEMA),
            json!(env!("CARGO_PKG_VERSION")),
            json!(plan.hash()),
            json!(plan.description()),
            json!(names),
        ),
    )
}

pub(super) fn record(plan: &Plan, task: &Task, result: &Value) -> String {
    let name = json!(task.name());
    seal(
        plan.hash(),
        &format!(r#"{{"task":{name},"result":{result}"#),
    )
}

/// Reads a ledger to its end, which alone may be torn.
pub(super) fn read(bytes: &[u8]) -> Result<Contents, Fault> {
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let header = lines.next().ok_or(Fault::Header)?;
    let plan = read_header(header)?;
    let mut contents = Contents {
        results: vec![None; plan.tasks().len()],
        plan,
        torn: None,
        whole_bytes: header.len(),
    };
    let mut lines = (2..).zip(lines).peekable();
    while let Some((line, text)) = lines.next() {
        match read_record(contents.plan.hash(), text) {
            Some((task, result)) => contents.take(line, task, result)?,
            None if lines.peek().is_some() => return Err(Fault::Damaged(line)),
            None => {
                let bytes = text.len();
                contents.torn = Some(Torn { line, bytes });
                break;
            }
        }
        contents.whole_bytes += text.len();
    }
    Ok(contents)
}

impl Contents {
    fn take(&mut self, line: usize, name: String, result: Value) -> Result<(), Fault> {
        let Some(task) = self.plan.task(&name) else {
            return Err(Fault::UnknownTask { line, task: name });
        };
        let known = &mut self.results[task.index()];
        match known {
            None => *known = Some(result),
            Some(known) if *known == result => {}
            Some(_) => return Err(Fault::Conflict { line, task: name }),
        }
        Ok(())
    }
}

fn read_header(line: &[u8]) -> Result<Plan, Fault> {
    let header: Value = serde_json::from_slice(line).map_err(|_| Fault::Header)?;
    match header["schema"].as_str() {
        Some(SCHEMA) => {}
        Some(found) => {
            let found = found.to_owned();
            return Err(Fault::Schema { found });
        }
        None => return Err(Fault::Header),
    }
    unseal(SCHEMA, line)
        .and_then(|_| plan_of(&header))
        .ok_or(Fault::Header)
}

fn plan_of(header: &Value) -> Option<Plan> {
    let mut settings = Vec::new();
    for (key, value) in header["description"].as_object()? {
        settings.push((key, value.as_str()?));
    }
    let mut tasks = Vec::new();
    for name in header["tasks"].as_array()? {
        tasks.push((name.as_str()?, 0));
    }
    let plan = Plan::new(settings, tasks).ok()?;
    (plan.hash() == header["plan"]).then_some(plan)
}

fn read_record(plan: &str, line: &[u8]) -> Option<(String, Value)> {
    let mut record: Value = serde_json::from_str(unseal(plan, line)?).ok()?;
    let task = record["task"].as_str()?.to_owned();
    let result = record.get_mut("result")?.take();
    Some((task, result))
}

const SUM: &str = r#","sum":""#;
const END: &str = "\"}\n";

/// Ends a JSON object, written but for its closing brace, in its checksum.
fn seal(salt: &str, body: &str) -> String {
    let sum = digest(&[salt, body]);
    format!("{body}{SUM}{sum}{END}")
}

/// The text of a line whose checksum is right.
fn unseal<'a>(salt: &str, line: &'a [u8]) -> Option<&'a str> {
    let text = str::from_utf8(line).ok()?;
    let (body, sum) = text.strip_suffix(END)?.rsplit_once(SUM)?;
    (sum == digest(&[salt, body])).then_some(text)
}

#[cfg(test)]
pub(super) mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Ten tasks whose names and results would like to be mistaken for syntax.
    pub fn plan() -> Plan {
        let settings = [("verb", "test"), ("depth", "6")];
        let names = [
            "0",
            "1",
            "10",
            "518",
            "fen:8/8/8/8 w - -",
            "a\"b",
            "c\\",
            "line\nfeed",
            "ä",
            "\"sum\":\"",
        ];
        Plan::new(settings, names.map(|name| (name, 1))).unwrap()
    }

    pub fn result(task: &Task) -> Value {
        match task.index() {
            0 => json!(u64::MAX),
            1 => json!([20, 400, 8_902]),
            2 => json!({"text": "\n\"},\"sum\":\"", "none": null}),
            3 => json!(0.1 + 0.2),
            4 => json!(-1.797_693_134_862_315_7e308),
            index => json!([index, "ü"]),
        }
    }

    pub fn results(plan: &Plan) -> Vec<Option<Value>> {
        plan.tasks().iter().map(|task| Some(result(task))).collect()
    }

    /// A whole ledger, and where each of its lines ends.
    fn ledger(plan: &Plan) -> (Vec<u8>, Vec<usize>) {
        let mut text = header(plan);
        let mut ends = vec![text.len()];
        for task in plan.tasks() {
            text += &record(plan, task, &result(task));
            ends.push(text.len());
        }
        (text.into_bytes(), ends)
    }

    /// What was read is what was written, or part of it.
    fn assert_nothing_wrong(contents: &Contents, what: &str) {
        let plan = plan();
        assert_eq!(contents.plan.hash(), plan.hash(), "{what}");
        for (found, written) in contents.results.iter().zip(results(&plan)) {
            assert!(found.is_none() || *found == written, "{what}");
        }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let plan = plan();
        let (bytes, _) = ledger(&plan);
        let contents = read(&bytes).unwrap();
        assert_eq!(contents.plan.hash(), plan.hash());
        assert_eq!(contents.plan.description(), plan.description());
        assert_eq!(contents.results, results(&plan));
        assert_eq!(contents.torn, None);
        assert_eq!(contents.whole_bytes, bytes.len());
    }

    #[test]
    fn a_line_is_json_whose_checksum_any_tool_can_repeat() {
        let plan = Plan::new([("verb", "perft"), ("depth", "6")], [("0", 5), ("518", 9)]).unwrap();
        // printf '%s\n%s' 796432176256e4c96547c3e0751f655f '{"task":"518","result":[20,400]' | sha256sum | cut -c 1-32
        assert_eq!(
            record(&plan, &plan.tasks()[1], &json!([20, 400])),
            "{\"task\":\"518\",\"result\":[20,400],\"sum\":\"92305f49eac964da1ef0191230b76872\"}\n"
        );
        let header: Value = serde_json::from_str(&header(&plan)).unwrap();
        assert_eq!(header["schema"], "ninesixty.ledger/1");
        assert_eq!(header["plan"], plan.hash());
        assert_eq!(
            header["description"],
            json!({"verb": "perft", "depth": "6"})
        );
        assert_eq!(header["tasks"], json!(["0", "518"]));
    }

    #[test]
    fn a_ledger_cut_at_any_byte_loses_only_the_torn_line() {
        let (bytes, ends) = ledger(&plan());
        for cut in 0..bytes.len() {
            let found = read(&bytes[..cut]);
            if cut < ends[0] {
                assert_eq!(found.unwrap_err(), Fault::Header, "cut at {cut}");
                continue;
            }
            let contents = found.unwrap();
            let whole_lines = ends.iter().filter(|&&end| end <= cut).count();
            assert_nothing_wrong(&contents, &format!("cut at {cut}"));
            assert_eq!(
                contents.results.iter().flatten().count(),
                whole_lines - 1,
                "cut at {cut}"
            );
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
        let (bytes, ends) = ledger(&plan());
        let last_line = ends[ends.len() - 2];
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let found = read(&damaged);
            // The line feed before the last line belongs to both.
            let may_be_torn = bit / 8 >= last_line - 1;
            match found {
                Ok(contents) => {
                    assert!(may_be_torn, "bit {bit} was not noticed");
                    assert!(contents.torn.is_some(), "bit {bit} was not noticed");
                    assert_nothing_wrong(&contents, &format!("bit {bit}"));
                }
                Err(Fault::Header | Fault::Schema { .. }) => assert!(bit / 8 < ends[0]),
                Err(fault) => assert!(matches!(fault, Fault::Damaged(_)), "bit {bit}: {fault}"),
            }
        }
    }

    #[test]
    fn bytes_overwritten_or_lost_at_random_never_give_a_wrong_result() {
        let (bytes, _) = ledger(&plan());
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
    fn a_damaged_line_before_the_last_is_named() {
        let (mut bytes, ends) = ledger(&plan());
        bytes[ends[3] + 20] ^= 1;
        assert_eq!(read(&bytes).unwrap_err(), Fault::Damaged(5));
    }

    #[test]
    fn a_line_of_another_plan_is_not_a_result() {
        let plan = plan();
        let names = plan.tasks().iter().map(|task| (task.name(), 1));
        let deeper = Plan::new([("verb", "test"), ("depth", "7")], names).unwrap();
        let task = &plan.tasks()[3];
        let text = header(&plan)
            + &record(&deeper, task, &result(task))
            + &record(&plan, task, &result(task));
        assert_eq!(read(text.as_bytes()).unwrap_err(), Fault::Damaged(2));
    }

    #[test]
    fn equal_results_of_a_task_count_once_and_different_ones_are_a_conflict() {
        let plan = plan();
        let task = &plan.tasks()[3];
        let line = |count: u64| record(&plan, task, &json!(count));
        let equal = header(&plan) + &line(197_281) + &line(197_281);
        let contents = read(equal.as_bytes()).unwrap();
        assert_eq!(contents.results[3], Some(json!(197_281)));
        let conflict = equal + &line(197_282);
        assert_eq!(
            read(conflict.as_bytes()).unwrap_err(),
            Fault::Conflict {
                line: 4,
                task: "518".to_owned()
            }
        );
    }

    #[test]
    fn a_task_that_the_plan_does_not_have_is_a_fault() {
        let (plan, task) = (
            plan(),
            Task::clone(&Plan::new([("", "")], [("x", 1)]).unwrap().tasks()[0]),
        );
        let text = header(&plan) + &record(&plan, &task, &json!(1));
        assert_eq!(
            read(text.as_bytes()).unwrap_err(),
            Fault::UnknownTask {
                line: 2,
                task: "x".to_owned()
            }
        );
    }

    #[test]
    fn a_header_that_describes_another_plan_than_it_names_is_refused() {
        let plan = plan();
        let line = header(&plan);
        let (body, _) = line.rsplit_once(SUM).unwrap();
        assert_eq!(seal(SCHEMA, body), line);
        let other = body.replace(r#""depth":"6""#, r#""depth":"7""#);
        assert_ne!(other, body);
        let found = read(seal(SCHEMA, &other).as_bytes());
        assert_eq!(found.unwrap_err(), Fault::Header);
    }

    #[test]
    fn another_kind_of_file_is_told_apart() {
        assert_eq!(read(b"").unwrap_err(), Fault::Header);
        assert_eq!(
            read(b"id,back_rank\n0,BBQNNRKR\n").unwrap_err(),
            Fault::Header
        );
        assert_eq!(read(b"[]\n").unwrap_err(), Fault::Header);
        let newer = header(&plan()).replacen("ledger/1", "ledger/2", 1);
        assert_eq!(
            read(newer.as_bytes()).unwrap_err().to_string(),
            "it is of the kind \"ninesixty.ledger/2\" and not \"ninesixty.ledger/1\""
        );
    }
}
