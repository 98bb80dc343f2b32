//! The selection of starts on a command line.
//!
//! A selection is parsed from one line of text. It has its starts in ascending order, each once:
//!
//! ```text
//! selection = item { "," item }
//! item      = term | term "/" term       White's starts / Black's starts, every pair
//! term      = "all" | "518" | "0-99" | "RNBQKBNR" | "R??K???R" | "sample:96"
//! ```
//!
//! One pair makes the whole selection one of double starts, in which a single start applies to both sides. Back ranks
//! and patterns use the piece letters that the caller gives.

use std::str::FromStr;

use thiserror::Error;

use super::{
    DoubleNumbering, DoubleStart, Letters, LettersError, Pattern, PatternError, Sample,
    SampleError, StartId, StartIdError, UnknownLetter,
};

/// The selected starts or double starts, in ascending order and without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Starts that are the same for both sides.
    Singles(Vec<StartId>),
    /// Double starts.
    Doubles(Vec<DoubleStart>),
}

/// The part of a selection that could not be parsed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot select `{item}`: {fault}")]
pub struct SelectionError {
    /// The part of the text.
    pub item: String,
    /// What is wrong with it.
    pub fault: SelectionFault,
}

/// What is wrong with one item of a selection.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectionFault {
    /// The item is empty.
    #[error("a start is missing; write starts as in 0,5,10-20, White's and Black's as in 518/0")]
    EmptyItem,
    /// The item has more than one slash.
    #[error("a double start has one `/`, between White's start and Black's, such as 518/0")]
    TwoSlashes,
    /// The end of a range is before its beginning.
    #[error("the range runs backwards; write {last}-{first}")]
    ReversedRange {
        /// The start before the hyphen.
        first: StartId,
        /// The start after it.
        last: StartId,
    },
    /// No start matches the pattern.
    #[error("no start matches the pattern")]
    NoMatch,
    /// The item is a word of unknown meaning.
    #[error(
        "it is neither `all`, a start id, a range such as 0-99, `sample:96`, \
         a back rank nor a pattern such as R??K???R ({0})"
    )]
    UnknownWord(UnknownLetter),
    /// A start id is invalid.
    #[error(transparent)]
    Start(#[from] StartIdError),
    /// The size of a sample is invalid.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A pattern is invalid.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A back rank is invalid.
    #[error(transparent)]
    BackRank(LettersError),
}

enum SelectionItem {
    Single(Vec<StartId>),
    Pair(Vec<StartId>, Vec<StartId>),
}

impl Selection {
    /// All 960 starts.
    pub fn all() -> Selection {
        Selection::Singles(StartId::all().collect())
    }

    /// Parses a selection whose back ranks and patterns use the given piece letters.
    pub fn read(text: &str, letters: Letters) -> Result<Selection, SelectionError> {
        let items = text
            .split(',')
            .map(|item| read_item(item.trim(), text, letters))
            .collect::<Result<Vec<SelectionItem>, _>>()?;
        if items
            .iter()
            .any(|item| matches!(item, SelectionItem::Pair(..)))
        {
            Ok(Selection::Doubles(collect_doubles(&items)))
        } else {
            Ok(Selection::Singles(collect_singles(&items)))
        }
    }

    /// The number of starts or double starts.
    pub fn len(&self) -> usize {
        match self {
            Selection::Singles(singles) => singles.len(),
            Selection::Doubles(doubles) => doubles.len(),
        }
    }

    /// Whether nothing is selected. A parsed selection is never empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The selection as double starts. A single start applies to both sides.
    pub fn doubles(&self) -> impl ExactSizeIterator<Item = DoubleStart> {
        (0..self.len()).map(move |index| match self {
            Selection::Singles(singles) => DoubleStart::from(singles[index]),
            Selection::Doubles(doubles) => doubles[index],
        })
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        Selection::read(text, Letters::English)
    }
}

fn read_item(item: &str, text: &str, letters: Letters) -> Result<SelectionItem, SelectionError> {
    let fail = |item: &str, fault| SelectionError {
        item: item.to_owned(),
        fault,
    };
    let term = |term: &str| read_term(term.trim(), letters).map_err(|fault| fail(item, fault));
    match item.split('/').collect::<Vec<_>>()[..] {
        // The error quotes the whole selection, because an empty item says nothing.
        [""] => Err(fail(text, SelectionFault::EmptyItem)),
        [single] => Ok(SelectionItem::Single(term(single)?)),
        [white, black] => Ok(SelectionItem::Pair(term(white)?, term(black)?)),
        _ => Err(fail(item, SelectionFault::TwoSlashes)),
    }
}

fn read_term(term: &str, letters: Letters) -> Result<Vec<StartId>, SelectionFault> {
    if term.is_empty() {
        Err(SelectionFault::EmptyItem)
    } else if term == "all" {
        Ok(StartId::all().collect())
    } else if let Some(size) = term.strip_prefix("sample:") {
        Ok(size.parse::<Sample>()?.starts().collect())
    } else if term.starts_with(|first: char| first.is_ascii_digit()) {
        read_numbers(term)
    } else if term.contains('?') {
        read_pattern(term, letters)
    } else {
        read_back_rank(term, letters)
    }
}

fn read_numbers(term: &str) -> Result<Vec<StartId>, SelectionFault> {
    let Some((first, last)) = term.split_once('-') else {
        return Ok(vec![term.parse()?]);
    };
    let (first, last): (StartId, StartId) = (first.trim().parse()?, last.trim().parse()?);
    if last < first {
        return Err(SelectionFault::ReversedRange { first, last });
    }
    Ok(StartId::all()
        .filter(|id| (first..=last).contains(id))
        .collect())
}

fn read_pattern(term: &str, letters: Letters) -> Result<Vec<StartId>, SelectionFault> {
    let starts: Vec<StartId> = Pattern::read(term, letters)?.starts().collect();
    if starts.is_empty() {
        return Err(SelectionFault::NoMatch);
    }
    Ok(starts)
}

fn read_back_rank(term: &str, letters: Letters) -> Result<Vec<StartId>, SelectionFault> {
    match letters.read(term) {
        Ok(back_rank) => Ok(vec![back_rank.id()]),
        Err(LettersError::Unknown(letter)) => Err(SelectionFault::UnknownWord(letter)),
        Err(broken) => Err(SelectionFault::BackRank(broken)),
    }
}

impl SelectionItem {
    fn singles(&self) -> &[StartId] {
        match self {
            SelectionItem::Single(starts) => starts,
            SelectionItem::Pair(..) => &[],
        }
    }

    fn for_each_double(&self, mut visit: impl FnMut(DoubleStart)) {
        match self {
            SelectionItem::Single(starts) => {
                for &id in starts {
                    visit(DoubleStart::from(id));
                }
            }
            SelectionItem::Pair(whites, blacks) => {
                for &white in whites {
                    for &black in blacks {
                        visit(DoubleStart { white, black });
                    }
                }
            }
        }
    }
}

fn collect_singles(items: &[SelectionItem]) -> Vec<StartId> {
    let mut chosen = [false; StartId::COUNT];
    for id in items.iter().flat_map(SelectionItem::singles) {
        chosen[id.index()] = true;
    }
    StartId::all().filter(|id| chosen[id.index()]).collect()
}

fn collect_doubles(items: &[SelectionItem]) -> Vec<DoubleStart> {
    let place = |double| DoubleNumbering::WhiteFirst.number(double) as usize;
    let mut chosen = vec![false; DoubleStart::COUNT];
    for item in items {
        item.for_each_double(|double| chosen[place(double)] = true);
    }
    DoubleStart::all()
        .filter(|&double| chosen[place(double)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(text: &str) -> Selection {
        text.parse().unwrap()
    }

    /// The selection as the list of its starts.
    fn listed(text: &str) -> String {
        let names: Vec<String> = match select(text) {
            Selection::Singles(singles) => singles.iter().map(StartId::to_string).collect(),
            Selection::Doubles(doubles) => doubles.iter().map(DoubleStart::to_string).collect(),
        };
        names.join(" ")
    }

    fn fault(text: &str) -> String {
        text.parse::<Selection>().unwrap_err().to_string()
    }

    #[test]
    fn all_is_every_start() {
        assert_eq!(select("all"), Selection::all());
        assert_eq!(select("all").len(), 960);
        assert_eq!(select("0-959"), Selection::all());
    }

    #[test]
    fn numbers_ranges_and_back_ranks_are_listed_once_in_ascending_order() {
        assert_eq!(listed("518"), "518");
        assert_eq!(listed("10-12,5,0,11,5"), "0 5 10 11 12");
        assert_eq!(listed("RKRNNQBB, rnbqkbnr ,BBQNNRKR,518"), "0 518 959");
        assert_eq!(listed("7-7"), "7");
    }

    #[test]
    fn a_pattern_selects_every_start_that_matches() {
        let expected: Vec<StartId> = Pattern::read("R??K???R", Letters::English)
            .unwrap()
            .starts()
            .collect();
        assert_eq!(select("R??K???R"), Selection::Singles(expected));
        assert_eq!(listed("RNBQKBN?"), "518");
    }

    #[test]
    fn a_sample_selects_as_many_starts_as_it_says() {
        assert_eq!(select("sample:96").len(), 96);
        assert_eq!(select("sample:960"), Selection::all());
    }

    #[test]
    fn letters_are_those_of_the_given_language() {
        let classical = Ok(Selection::Singles(vec![StartId::CLASSICAL]));
        assert_eq!(Selection::read("BHFVKFHB", Letters::Hungarian), classical);
        assert_eq!(Selection::read("ЛКСФКрСК?", Letters::Russian), classical);
        assert!(Selection::read("RNBQKBNR", Letters::Russian).is_err());
    }

    #[test]
    fn a_pair_selects_every_white_start_with_every_black_one() {
        assert_eq!(listed("518/0"), "518/0");
        assert_eq!(listed("2-3/0-1"), "2/0 2/1 3/0 3/1");
        assert_eq!(listed("RNBQKBNR / 7"), "518/7");
    }

    #[test]
    fn one_pair_makes_every_item_a_double_start() {
        assert_eq!(listed("5,0/1,0-1/0,3"), "0/0 0/1 1/0 3/3 5/5");
    }

    #[test]
    fn every_pair_of_starts_can_be_selected() {
        let every = select("all/all,7/7,all");
        assert_eq!(every.len(), 921_600);
        assert!(every.doubles().eq(DoubleStart::all()));
    }

    #[test]
    fn a_single_start_applies_to_both_sides() {
        let doubles: Vec<String> = select("5,3").doubles().map(|d| d.to_string()).collect();
        assert_eq!(doubles, ["3/3", "5/5"]);
        assert!(!select("5").is_empty());
        assert!(Selection::Singles(Vec::new()).is_empty());
    }

    #[test]
    fn an_error_about_a_number_out_of_range_has_the_valid_range() {
        let valid = "start 960 does not exist: the starts are 0 to 959";
        assert_eq!(fault("5,960"), format!("cannot select `960`: {valid}"));
        assert_eq!(fault("9-960"), format!("cannot select `9-960`: {valid}"));
        assert_eq!(fault("1/960"), format!("cannot select `1/960`: {valid}"));
    }

    #[test]
    fn an_error_about_a_reversed_range_suggests_the_right_one() {
        assert_eq!(
            fault("9-3"),
            "cannot select `9-3`: the range runs backwards; write 3-9"
        );
    }

    #[test]
    fn an_empty_item_is_refused_at_every_place() {
        for text in ["", " ", ",", "0,,5", "5,", ",5", "/5", "5/", "/"] {
            let error = text.parse::<Selection>().unwrap_err();
            assert_eq!(error.fault, SelectionFault::EmptyItem, "{text}");
        }
        assert!(fault("0,,5").starts_with("cannot select `0,,5`: a start is missing"));
    }

    #[test]
    fn a_pattern_that_no_start_matches_is_refused() {
        assert_eq!(
            fault("0,K???????"),
            "cannot select `K???????`: no start matches the pattern"
        );
        assert_eq!(
            fault("R??R"),
            "cannot select `R??R`: a pattern has 8 places, not 4"
        );
    }

    #[test]
    fn an_error_about_an_unknown_word_lists_what_can_be_selected() {
        let message = fault("0,some");
        assert!(message.starts_with("cannot select `some`: it is neither `all`, a start id"));
        assert!(message.ends_with(
            "(`s` is not a piece in english: king K, queen Q, rook R, bishop B, knight N)"
        ));
    }

    #[test]
    fn an_error_about_a_back_rank_names_the_rule() {
        assert_eq!(
            fault("RNBQKBN"),
            "cannot select `RNBQKBN`: a back rank has 8 pieces, not 7"
        );
        assert_eq!(
            fault("RNBQKBRR"),
            "cannot select `RNBQKBRR`: a back rank has 2 rooks, not 3"
        );
    }

    #[test]
    fn a_sample_of_an_impossible_size_is_refused() {
        assert_eq!(
            fault("sample:0"),
            "cannot select `sample:0`: a sample has 1 to 960 starts, not `0`"
        );
        assert!(fault("sample:961").contains("1 to 960"));
    }

    #[test]
    fn a_second_slash_is_refused() {
        assert!(fault("1/2/3").starts_with("cannot select `1/2/3`: a double start has one `/`"));
    }
}
