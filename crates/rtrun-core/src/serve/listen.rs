//! Binding: a TCP port, or a Unix socket that only this user can reach.

use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener, UnixSocket};

use super::server::ServeOptions;
use crate::error::Error;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A TCP address.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// A bound socket.
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// An accepted connection.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// `sockaddr_un` has 108 bytes, one of them for the end.
const LONGEST_SOCKET_PATH: usize = 107;

const BACKLOG: u32 = 1024;

impl Listener {
    /// Binds what the options name.
    pub async fn bind(options: &ServeOptions) -> Result<(Self, Address), Error> {
        match &options.uds {
            Some(_) if options.host.is_some() || options.port.is_some() => {
                Err(Error::InvalidOptions("Cannot serve: uds excludes host and port; give one of them".to_owned()))
            }
            Some(path) => Ok((Self::Unix(bind_unix(path)?), Address::Unix(path.clone()))),
            None => {
                let (host, port) = (options.host.as_deref().unwrap_or("127.0.0.1"), options.port.unwrap_or(8100));
                let failed = |error| Error::Unavailable(format!("Cannot listen on {host}:{port}: {error}"));
                let listener = TcpListener::bind((host, port)).await.map_err(failed)?;
                let address = listener.local_addr().map_err(failed)?;
                Ok((Self::Tcp(listener), Address::Tcp(address)))
            }
        }
    }

    /// The next connection. Peers of another user are turned away from a Unix socket even if its mode was changed.
    pub async fn accept(&self) -> std::io::Result<Box<dyn Connection>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // It fails only on a connection that is gone already, which its first read will tell.
                let _ = stream.set_nodelay(true);
                Ok(Box::new(stream))
            }
            Self::Unix(listener) => loop {
                let (stream, _) = listener.accept().await?;
                if stream.peer_cred().is_ok_and(|peer| peer.uid() == own_user()) {
                    return Ok(Box::new(stream));
                }
                tracing::warn!("turned away a peer of another user");
            },
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(formatter, "{address}"),
            Self::Unix(path) => write!(formatter, "unix:{}", path.display()),
        }
    }
}

fn bind_unix(path: &Path) -> Result<UnixListener, Error> {
    let shown = path.display();
    if path.as_os_str().len() > LONGEST_SOCKET_PATH {
        let bytes = path.as_os_str().len();
        return Err(Error::InvalidOptions(format!(
            "Cannot listen on {shown}: the path has {bytes} bytes; a Unix socket allows {LONGEST_SOCKET_PATH}"
        )));
    }
    prepare_folder(path)?;
    remove_stale(path)?;
    let failed = |error: std::io::Error| Error::Unavailable(format!("Cannot listen on {shown}: {error}"));
    let socket = UnixSocket::new_stream().map_err(failed)?;
    only_for_us(&socket).map_err(failed)?;
    socket.bind(path).map_err(failed)?;
    socket.listen(BACKLOG).map_err(failed)
}

/// The folder of the socket is made if it is missing, for this user alone. An existing one must belong to this user or
/// to root and must not let others put files in it, unless it is sticky as `/tmp` is: then nobody else can remove or
/// replace the socket, whose own mode and peer check keep others out.
fn prepare_folder(path: &Path) -> Result<(), Error> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let refused = |problem: String| {
        Error::InvalidOptions(format!("Cannot listen on {}: folder {} {problem}", path.display(), folder.display()))
    };
    let metadata = match fs::metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let made = DirBuilder::new().mode(0o700).recursive(true).create(folder);
            return made.map_err(|error| refused(format!("cannot be made: {error}")));
        }
        Err(error) => return Err(refused(format!("cannot be read: {error}"))),
    };
    if !metadata.is_dir() {
        return Err(refused("is not a folder".to_owned()));
    }
    if metadata.uid() != own_user() && metadata.uid() != 0 {
        return Err(refused(format!("belongs to user {}; it must be yours", metadata.uid())));
    }
    let (writable_by_others, sticky) = (metadata.mode() & 0o022 != 0, metadata.mode() & 0o1000 != 0);
    if writable_by_others && !sticky {
        return Err(refused(format!("can be written by others (mode {:o}); use mode 700", metadata.mode() & 0o7777)));
    }
    Ok(())
}

/// A socket that nobody answers on is left over from a process that was killed.
fn remove_stale(path: &Path) -> Result<(), Error> {
    let refused = |problem: &str| Error::Unavailable(format!("Cannot listen on {}: {problem}", path.display()));
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(refused(&error.to_string())),
        Ok(metadata) if !metadata.file_type().is_socket() => Err(refused("the path exists and is not a socket")),
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Ok(_) => Err(refused("another process listens there")),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                fs::remove_file(path).map_err(|error| refused(&error.to_string()))
            }
            Err(error) => Err(refused(&error.to_string())),
        },
    }
}

/// On Linux the mode of the socket before it is bound is the mode of its file: it is private from its first moment,
/// whatever the umask of the process.
#[allow(unsafe_code)]
fn only_for_us(socket: &UnixSocket) -> std::io::Result<()> {
    // SAFETY: the descriptor is open for as long as `socket` lives, and fchmod touches no memory of ours.
    let result = unsafe { libc::fchmod(socket.as_raw_fd(), 0o600) };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[allow(unsafe_code)]
fn own_user() -> u32 {
    // SAFETY: geteuid has no arguments, no failure and no effect.
    unsafe { libc::geteuid() }
}
