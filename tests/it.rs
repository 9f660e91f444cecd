//! The third ring: whole sessions against the real binary and real git.

mod it {
    mod attacks;
    mod attacks3;
    mod audit;
    mod claim;
    mod claims_set;
    mod compact;
    mod concurrency;
    mod condense;
    mod corpus;
    mod cycle;
    mod deadends;
    mod entries;
    mod exec;
    mod fence;
    mod githooks;
    mod govern;
    mod graph;
    mod house;
    mod jobs;
    mod killed;
    mod links;
    mod many;
    mod mcp;
    mod memory;
    mod model;
    mod notes;
    mod odd;
    mod pacing;
    mod payloads;
    mod persons;
    mod plans;
    mod prints;
    mod questions;
    mod quick;
    mod receipts;
    mod rules;
    mod runs;
    mod setup;
    mod summary;
    mod surfaces;
    mod syscalls;
    mod transcripts;
    mod words;
    mod world;
}
