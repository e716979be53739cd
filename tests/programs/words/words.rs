use std::collections::{BTreeMap, HashMap};
use std::fmt;

struct Word<'a> {
    text: &'a str,
    lines: Vec<usize>,
}

impl<'a> fmt::Display for Word<'a> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {:?}", self.text, self.lines)
    }
}

trait Count {
    fn count(&self) -> usize;
}

impl<'a> Count for Word<'a> {
    fn count(&self) -> usize {
        self.lines.iter().filter(|n| **n > 0).count()
    }
}

fn index(text: &str) -> BTreeMap<&str, Vec<usize>> {
    let mut m: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        for w in line.split_whitespace() {
            m.entry(w).or_default().push(n + 1);
        }
    }
    m
}

fn main() {
    let text = std::env::args().nth(1).unwrap_or("a b a\nc".to_string());
    let mut lengths: HashMap<usize, Vec<String>> = HashMap::new();
    for (text, lines) in index(&text) {
        let w = Word { text, lines };
        let counted: Box<dyn Count> = Box::new(Word { text, lines: w.lines.clone() });
        lengths.entry(counted.count()).or_default().push(w.to_string());
    }
    let mut keys: Vec<_> = lengths.into_iter().collect();
    keys.sort();
    println!("{:?}", keys);
}
