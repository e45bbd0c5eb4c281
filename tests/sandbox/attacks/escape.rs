// attack: reads host files, environment and processes, connects out, and starts programs, from Rust
// must: accepted
// prints: DENIED
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::process::Command;

fn main() {
    for path in "@host_files@".split(':') {
        for place in [path.to_string(), format!("/proc/1/root{path}"), format!("/tmp/../..{path}")] {
            if let Ok(text) = std::fs::read_to_string(&place) {
                println!("CANARY {text}");
            }
        }
    }
    if std::env::var("@variable@").is_ok() || TcpStream::connect("127.0.0.1:@tcp_port@").is_ok() {
        println!("CANARY reached");
    }
    if UnixStream::connect("@unix_socket@").is_ok() {
        println!("CANARY unix");
    }
    if let Ok(line) = UdpSocket::bind("0.0.0.0:0") {
        if line.send_to(b"x", "1.1.1.1:53").is_ok() {
            println!("CANARY udp");
        }
    }
    let shell = Command::new("/bin/sh").args(["-c", "cat @host_file@ /etc/shadow; id -u"]).output();
    if let Ok(done) = shell {
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        if told.trim() != "65534" {
            println!("CANARY {told}");
        }
    }
    println!("DENIED");
}
