//! Chess960 for people who work on it.
