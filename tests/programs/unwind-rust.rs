// unwind-rust.rs - what Rust's compiler and library make of stacks: closures
// and iterators, dynamic calls, formatting, hashing, sorting with a callback,
// recursion, panics that unwind and are caught. tests/unwind/unwind.t steps through
// some of it. The argument: milliseconds.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::panic;
use std::time::{Duration, Instant};

trait Shape {
    fn area(&self, n: u64) -> f64;
}

struct Square(f64);
struct Circle(f64);

impl Shape for Square {
    #[inline(never)]
    fn area(&self, n: u64) -> f64 {
        self.0 * self.0 + n as f64
    }
}

impl Shape for Circle {
    #[inline(never)]
    fn area(&self, n: u64) -> f64 {
        (self.0 * self.0 + n as f64).sqrt().sin()
    }
}

// Dropped on the way out of a panic.
struct Guard<'a>(&'a mut u64);

impl Drop for Guard<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        *self.0 += 1;
    }
}

#[inline(never)]
fn fall(depth: u32, dropped: &mut u64) -> u64 {
    let guard = Guard(dropped);
    if depth == 0 {
        panic!("bottom");
    }
    fall(depth - 1, guard.0) + 1
}

#[inline(never)]
fn round(seed: u64) -> u64 {
    let shapes: Vec<Box<dyn Shape>> = (0..20)
        .map(|i| -> Box<dyn Shape> {
            if (i + seed) % 2 == 0 {
                Box::new(Square(i as f64))
            } else {
                Box::new(Circle(i as f64))
            }
        })
        .collect();
    let area: f64 = shapes.iter().map(|s| s.area(seed)).sum();
    let mut text = String::new();
    write!(text, "{:>12.3}|{:?}|{:#x}", area, Some(seed), seed).unwrap();
    let mut words: HashMap<String, usize> = HashMap::new();
    for w in text.split(|c: char| !c.is_alphanumeric()) {
        *words.entry(w.to_string()).or_insert(0) += w.len();
    }
    let mut sorted: Vec<_> = words.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let tree: BTreeMap<_, _> = sorted.into_iter().collect();
    let mut dropped = 0;
    let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| fall(8, &mut dropped)));
    assert!(caught.is_err() && dropped == 9);
    tree.values().map(|&n| n as u64).sum::<u64>() + dropped
}

fn main() {
    let ms = std::env::args().nth(1).map_or(400, |ms| ms.parse().unwrap());
    let end = Instant::now() + Duration::from_millis(ms);
    let mut sum = 0u64;
    panic::set_hook(Box::new(|_| {}));
    let mut i = 0;
    while Instant::now() < end {
        sum = sum.wrapping_add(round(i));
        i += 1;
    }
    println!("{} {}", i, sum);
}
