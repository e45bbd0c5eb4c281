// Adds numbers up in threads, with channels, locks, atomics, scopes, and a panic that is caught.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc, Condvar, Mutex, RwLock};
use std::thread;
use std::time::Duration;

fn main() {
    let total = Arc::new(Mutex::new(0u64));
    let counted = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..16)
        .map(|i| {
            let (total, counted) = (Arc::clone(&total), Arc::clone(&counted));
            thread::spawn(move || {
                for _ in 0..1000 {
                    *total.lock().unwrap() += i;
                    counted.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for handle in threads {
        handle.join().unwrap();
    }
    println!("threads: {} {}", counted.load(Ordering::SeqCst), total.lock().unwrap());

    let (sender, receiver) = mpsc::channel();
    for worker in 0..4 {
        let sender = sender.clone();
        thread::spawn(move || (0..25).for_each(|i| sender.send(worker * 25 + i).unwrap()));
    }
    drop(sender);
    println!("channel: {}", receiver.iter().sum::<i32>());

    let numbers = RwLock::new(vec![1, 2, 3]);
    thread::scope(|scope| {
        scope.spawn(|| numbers.write().unwrap().push(4));
    });
    println!("scope: {:?}", numbers.read().unwrap());

    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let theirs = Arc::clone(&pair);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(5));
        *theirs.0.lock().unwrap() = true;
        theirs.1.notify_one();
    });
    let ready = pair.1.wait_while(pair.0.lock().unwrap(), |ready| !*ready).unwrap();
    println!("condition: {}", *ready);
    println!("panic: {}", thread::spawn(|| panic!("as planned")).join().is_err());
}
