//! A recording ingest: a plain HTTP server that keeps every byte and answers as told.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use mcpulse::wire::payload::{Call, Payload, Startup};

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    pub head: String,
    pub body: Vec<u8>,
}

impl Arrived {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub fn payloads(&self) -> Vec<Payload> {
        let body: serde_json::Value = serde_json::from_slice(&self.body).unwrap();
        serde_json::from_value(body["batch"].clone()).unwrap()
    }
}

/// What the next request gets.
#[derive(Clone, Debug)]
pub enum Answer {
    /// These bytes, then the connection closes.
    Raw(String),
    /// Nothing, and the connection closes.
    Hang,
    /// Nothing, and the connection stays open.
    Silence,
}

#[derive(Clone)]
pub struct Ingest {
    pub url: String,
    arrived: Arc<Mutex<Vec<Arrived>>>,
    answers: Arc<Mutex<VecDeque<Answer>>>,
}

impl Ingest {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let ingest = Self { url, arrived: Arc::default(), answers: Arc::default() };
        let serving = ingest.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = serving.clone();
                std::thread::spawn(move || serving.serve(stream));
            }
        });
        ingest
    }

    pub fn answer(&self, answer: Answer) {
        self.answers.lock().unwrap().push_back(answer);
    }

    pub fn answer_status(&self, status: &str) {
        self.answer(Answer::Raw(format!(
            "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )));
    }

    pub fn requests(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }

    pub fn payloads(&self) -> Vec<Payload> {
        self.requests().iter().flat_map(Arrived::payloads).collect()
    }

    pub fn calls(&self) -> Vec<Call> {
        let call = |p| if let Payload::Call(call) = p { Some(call) } else { None };
        self.payloads().into_iter().filter_map(call).collect()
    }

    pub fn startups(&self) -> Vec<Startup> {
        let startup = |p| if let Payload::Startup(startup) = p { Some(startup) } else { None };
        self.payloads().into_iter().filter_map(startup).collect()
    }

    /// Every byte that arrived, as text.
    pub fn everything(&self) -> String {
        let whole = |arrived: &Arrived| arrived.head.clone() + &String::from_utf8_lossy(&arrived.body);
        self.requests().iter().map(whole).collect()
    }

    fn serve(&self, stream: TcpStream) {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        loop {
            let mut head = String::new();
            loop {
                let mut line = String::new();
                match reader.read_line(&mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) if line == "\r\n" => break,
                    Ok(_) => head.push_str(&line),
                }
            }
            let mut arrived = Arrived { head, body: Vec::new() };
            let length: usize = arrived.header("content-length").map_or(0, |value| value.parse().unwrap());
            arrived.body.resize(length, 0);
            if reader.read_exact(&mut arrived.body).is_err() {
                return;
            }
            self.arrived.lock().unwrap().push(arrived);
            let answer = self.answers.lock().unwrap().pop_front();
            match answer {
                None => {
                    let body = r#"{"accepted":1,"rejected":[],"accepts":[1]}"#;
                    let text =
                        format!("HTTP/1.1 202 Accepted\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                    if writer.write_all(text.as_bytes()).is_err() {
                        return;
                    }
                }
                Some(Answer::Raw(text)) => {
                    let _ = writer.write_all(text.as_bytes());
                    return;
                }
                Some(Answer::Hang) => return,
                Some(Answer::Silence) => loop {
                    std::thread::park();
                },
            }
        }
    }
}
