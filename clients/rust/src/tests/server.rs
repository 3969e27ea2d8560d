//! A scripted server and a scripted transport.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::sync::lock;
use crate::transport::{Failure, Request, Response, Transport, TransportError};

/// Reactions of a scripted transport to requests.
type Script =
    dyn Fn(&Request) -> Result<(u16, Vec<(String, String)>, Vec<u8>), Failure> + Send + Sync;

/// A transport that records requests and answers from a script.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub requests: Arc<Mutex<Vec<Request>>>,
    script: Arc<Script>,
}

impl Recorder {
    pub(crate) fn new(
        script: impl Fn(&Request) -> Result<(u16, Vec<(String, String)>, Vec<u8>), Failure>
        + Send
        + Sync
        + 'static,
    ) -> Recorder {
        Recorder {
            requests: Arc::default(),
            script: Arc::new(script),
        }
    }

    /// Answers everything with a status and a body.
    pub(crate) fn always(status: u16, body: &'static str) -> Recorder {
        Recorder::new(move |_| Ok((status, Vec::new(), body.as_bytes().to_vec())))
    }

    pub(crate) fn taken(&self) -> Vec<Request> {
        std::mem::take(&mut lock(&self.requests))
    }
}

impl Transport for Recorder {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        lock(&self.requests).push(request.clone());
        let (status, headers, body) = (self.script)(request)?;
        Ok(Response {
            status,
            headers,
            body: Box::new(Cursor::new(body)),
        })
    }
}

#[cfg(feature = "async")]
impl crate::AsyncTransport for Recorder {
    fn send(&self, request: Request) -> crate::SendFuture<'_> {
        lock(&self.requests).push(request.clone());
        let answer = (self.script)(&request);
        Box::pin(async move {
            let (status, headers, body) = answer?;
            Ok(crate::FullResponse {
                status,
                headers,
                body,
            })
        })
    }
}

pub(crate) fn header(request: &Request, name: &str) -> Option<String> {
    crate::request::header(&request.headers, name).map(str::to_owned)
}

/// Reaction of a server to one connection.
pub(crate) enum Turn {
    /// Writes these bytes and closes.
    Write(Vec<u8>),
    /// Closes without a word.
    Close,
    /// Keeps the connection open without further bytes.
    Hang(Vec<u8>),
}

/// An answer as bytes.
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Turn {
    let mut text = format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    Turn::Write(format!("{text}\r\n{body}").into_bytes())
}

/// A request as a server saw it: its first line, headers, and body.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub line: String,
    pub headers: Vec<(String, String)>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        crate::request::header(&self.headers, name)
    }
}

/// A real server on a free port that takes one turn for each connection, and
/// repeats the last one.
pub(crate) struct Server {
    pub url: String,
    pub seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) fn scripted(turns: Vec<Turn>) -> Server {
        let turns = Mutex::new(VecDeque::from(turns));
        Server::new(move |_| {
            let mut turns = lock(&turns);
            if turns.len() > 1 {
                return turns.pop_front().expect("a turn");
            }
            match turns.front().expect("a turn") {
                Turn::Write(bytes) => Turn::Write(bytes.clone()),
                Turn::Hang(bytes) => Turn::Hang(bytes.clone()),
                Turn::Close => Turn::Close,
            }
        })
    }

    pub(crate) fn new(script: impl Fn(&Seen) -> Turn + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (log, script) = (seen.clone(), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (log, script) = (log.clone(), script.clone());
                thread::spawn(move || serve(stream, &log, &*script));
            }
        });
        Server { url, seen }
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.seen).len()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Seen>>, script: &dyn Fn(&Seen) -> Turn) {
    let Ok(copy) = stream.try_clone() else { return };
    let mut reader = BufReader::new(copy);
    let mut line = String::new();
    if !matches!(reader.read_line(&mut line), Ok(1..)) {
        return;
    }
    let line = line.trim_end().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).is_err() || header.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = header.trim_end().split_once(": ") {
            headers.push((name.to_owned(), value.to_owned()));
        }
    }
    let length = crate::request::header(&headers, "content-length").and_then(|l| l.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let seen = Seen { line, headers };
    lock(log).push(seen.clone());
    // Some tests close the client early, so errors of writing are ignored.
    match script(&seen) {
        Turn::Write(bytes) => {
            let _ = stream.write_all(&bytes);
        }
        Turn::Close => {}
        Turn::Hang(bytes) => {
            let _ = stream.write_all(&bytes);
            let _ = reader.read(&mut [0]);
        }
    }
}
