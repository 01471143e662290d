use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use rtrun_core::serve::{Address, ServeOptions, Server};
use rtrun_core::{Engine, Error};

use super::client::{connect, get, receive, send};
use crate::support::engine;

fn serve(engine: &Arc<Engine>, path: &Path) -> Result<Server, Error> {
    Server::start(Arc::clone(engine), &ServeOptions { uds: Some(path.to_owned()), ..ServeOptions::default() })
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn refusal(result: Result<Server, Error>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn the_socket_and_a_folder_made_for_it_are_private() {
    let (engine, folder) = (engine(&["static"]), tempfile::tempdir().unwrap());
    let path = folder.path().join("made/here/socket");
    let server = serve(&engine, &path).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(get(&server, "/health/live").status, 200);
    drop(server);
    assert!(!path.exists(), "the file goes with the server");
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let (engine, folder) = (engine(&["static"]), tempfile::tempdir().unwrap());
    for (bits, is_fine) in [(0o777, false), (0o770, false), (0o1777, true), (0o755, true)] {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(bits)).unwrap();
        let result = serve(&engine, &folder.path().join("socket"));
        assert_eq!(result.is_ok(), is_fine, "{bits:o}");
        if !is_fine {
            assert!(refusal(result).contains("can be written by others"));
        }
    }
}

#[test]
fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
    let (engine, folder) = (engine(&["static"]), tempfile::tempdir().unwrap());
    let path = folder.path().join("socket");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "left over as by a killed process");
    let server = serve(&engine, &path).unwrap();
    assert!(refusal(serve(&engine, &path)).contains("another process listens there"));
    assert_eq!(get(&server, "/health/live").status, 200);
}

#[test]
fn a_path_that_is_no_socket_is_left_alone() {
    let (engine, folder) = (engine(&["static"]), tempfile::tempdir().unwrap());
    let path = folder.path().join("file");
    fs::write(&path, "precious").unwrap();
    assert!(refusal(serve(&engine, &path)).contains("is not a socket"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn a_path_that_is_too_long_is_refused() {
    let (engine, folder) = (engine(&["static"]), tempfile::tempdir().unwrap());
    let path = folder.path().join("x".repeat(100));
    assert!(refusal(serve(&engine, &path)).contains("a Unix socket allows 107"));
}

#[test]
fn a_socket_excludes_host_and_port() {
    let (engine, folder) = (engine(&["static"]), tempfile::tempdir().unwrap());
    let uds = Some(folder.path().join("socket"));
    let options = ServeOptions { uds, port: Some(0), ..ServeOptions::default() };
    assert!(refusal(Server::start(engine, &options)).contains("uds excludes host and port"));
}

#[test]
fn tcp_binds_to_this_machine_only() {
    let engine = engine(&["static"]);
    let server = super::client::serve_tcp(&engine);
    let Address::Tcp(address) = server.address() else { panic!() };
    assert!(address.ip().is_loopback());
    let taken = ServeOptions { port: Some(address.port()), ..ServeOptions::default() };
    assert!(refusal(Server::start(engine, &taken)).contains("Cannot listen on 127.0.0.1:"));
}

#[test]
fn an_address_is_bound_before_there_is_an_engine() {
    let options = ServeOptions { port: Some(0), ..ServeOptions::default() };
    let server = Server::bind(&options).unwrap();
    let Address::Tcp(address) = *server.address() else { panic!("it is bound to a port") };
    let taken = ServeOptions { port: Some(address.port()), ..ServeOptions::default() };
    assert!(refusal(Server::bind(&taken)).contains(&format!("Cannot listen on 127.0.0.1:{}", address.port())));
    // Who connects early waits.
    let mut early = connect(&server);
    send(early.as_mut(), "GET", "/health/live", b"");
    server.serve(engine(&["static"]));
    assert_eq!(receive(early.as_mut()).status, 200);
    let unused = Server::bind(&options).unwrap();
    let start = std::time::Instant::now();
    crate::support::block_on(unused.close(std::time::Duration::from_secs(20)));
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "nothing is served, so nobody is waited for");
}
