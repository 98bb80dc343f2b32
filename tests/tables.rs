//! The tables in `data/` are complete and correct, and agree with published counts.

use std::path::PathBuf;

use ninesixty::chess::Board;
use ninesixty::perft::Position;
use ninesixty::start::{BackRank, StartId};
use ninesixty::table::read::Sheet;
use rayon::prelude::*;

fn sheet(name: &str) -> Sheet {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name);
    Sheet::read(&path).unwrap()
}

fn column(sheet: &Sheet, name: &str) -> Vec<u128> {
    let column = sheet.position(name).unwrap();
    let count = |record| sheet.count(record, column).unwrap().unwrap();
    sheet.records().iter().map(count).collect()
}

#[test]
fn perft960_lists_every_start_in_order_with_back_rank_and_fen() {
    let sheet = sheet("perft960.csv");
    assert_eq!(sheet.records().len(), StartId::COUNT);
    for (start, record) in StartId::all().zip(sheet.records()) {
        let expected = [
            start.to_string(),
            BackRank::from(start).to_string(),
            Board::from_start(start).x_fen(),
        ];
        assert_eq!(record.fields[..3], expected);
    }
}

#[test]
fn perft960_agrees_with_a_new_count_to_depth_4() {
    let sheet = sheet("perft960.csv");
    for depth in 1..=4 {
        let counts = column(&sheet, &format!("d{depth}"));
        StartId::all()
            .zip(counts)
            .collect::<Vec<_>>()
            .into_par_iter()
            .for_each(|(start, count)| {
                let found = Board::from_start(start).perft(depth);
                assert_eq!(u128::from(found), count, "start {start} depth {depth}");
            });
    }
}

#[test]
fn perft960_agrees_with_published_counts() {
    let sheet = sheet("perft960.csv");
    // The sum over the published tables of all 960 starts, which end at this depth.
    assert_eq!(column(&sheet, "d6").iter().sum::<u128>(), 107_637_760_217);
    let depth_7 = column(&sheet, "d7");
    for (start, nodes) in [
        (22, 2_412_311_764),
        (171, 2_564_092_243),
        (177, 3_934_806_620),
        (396, 3_239_585_696),
        (518, 3_195_901_860),
        (732, 3_423_516_192),
    ] {
        assert_eq!(depth_7[start], nodes, "start {start}");
    }
    // At depth 8 only the count of the classical start is published.
    assert_eq!(column(&sheet, "d8")[518], 84_998_978_956);
}

#[test]
fn unique960_has_the_published_sequence_and_no_more_positions_than_nodes() {
    let (unique, perft) = (sheet("unique960.csv"), sheet("perft960.csv"));
    let published = [20, 400, 5_362, 72_078, 822_518, 9_417_681];
    for (ply, classical) in (1..).zip(published) {
        let distinct = column(&unique, &format!("u{ply}"));
        let nodes = column(&perft, &format!("d{ply}"));
        assert_eq!(distinct.len(), StartId::COUNT);
        assert_eq!(distinct[518], classical);
        assert!(
            distinct
                .iter()
                .zip(nodes)
                .all(|(distinct, nodes)| *distinct <= nodes)
        );
    }
}

#[test]
fn breakdown960_adds_up_to_perft960() {
    let (breakdown, perft) = (sheet("breakdown960.csv"), sheet("perft960.csv"));
    let (depths, nodes) = (column(&breakdown, "depth"), column(&breakdown, "nodes"));
    assert_eq!(depths.len(), 5 * StartId::COUNT);
    for depth in 1..=5 {
        let at_depth = depths.iter().zip(&nodes).filter(|(at, _)| **at == depth);
        let at_depth: Vec<u128> = at_depth.map(|(_, nodes)| *nodes).collect();
        assert_eq!(at_depth, column(&perft, &format!("d{depth}")));
    }
}

#[test]
fn tables_md_shows_the_head_and_the_sums_of_perft960() {
    let page = include_str!("../docs/TABLES.md");
    let head: Vec<&str> = include_str!("../data/perft960.csv")
        .lines()
        .take(3)
        .collect();
    assert!(page.contains(&head.join("\n")));
    let sheet = sheet("perft960.csv");
    let sums = (1..=8).map(|depth| column(&sheet, &format!("d{depth}")).iter().sum::<u128>());
    let shown = page.replace(',', "");
    for (depth, sum) in (1..).zip(sums) {
        assert!(shown.contains(&format!("| {depth} | {sum} |")), "{sum}");
    }
}
