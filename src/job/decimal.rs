//! Numbers of 128 bits as decimal strings, because JSON readers round them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub fn serialize<S: Serializer>(counts: &[u128], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(counts.iter().map(u128::to_string))
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u128>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let parse = |text: &String| {
        let count = text.parse();
        count.map_err(|_| D::Error::custom(format_args!("{text:?} is not a count")))
    };
    texts.iter().map(parse).collect()
}
