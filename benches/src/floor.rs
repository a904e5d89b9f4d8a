//! The floor: what any runner has to do at least, and nothing more.
//!
//! Bare `posix_spawn` with three pipes, input written and both outputs read in one `poll` loop,
//! then a wait. No deadline, no limits, no killing, no runtime; and no session, unless one is asked for.
#![expect(unsafe_code, reason = "the floor is the bare system call")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark may stop at the first surprise, and hands its own environment on"
)]

use std::ffi::{CStr, CString, c_char, c_short};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::{Pid, WaitOptions, waitpid};

/// A way to start a shell, with the environment as C wants it, made once.
#[derive(Debug)]
pub(crate) struct Floor {
    environment: Vec<CString>,
    session: bool,
    pipes: Option<usize>,
}

impl Floor {
    pub(crate) fn new() -> Self {
        let entry = |(name, value): (String, String)| CString::new(format!("{name}={value}")).ok();
        Self {
            environment: std::env::vars().filter_map(entry).collect(),
            session: false,
            pipes: None,
        }
    }

    /// The same in a session of its own.
    pub(crate) fn in_a_session(self) -> Self {
        Self {
            session: true,
            ..self
        }
    }

    /// The same with pipes of another size for stdin and stdout.
    pub(crate) fn with_pipes(self, size: usize) -> Self {
        Self {
            pipes: Some(size),
            ..self
        }
    }

    /// Runs `sh -c script` and returns what it wrote.
    pub(crate) fn run(&self, script: &CStr, input: &[u8]) -> Vec<u8> {
        let (child_in, stdin) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let (stdout, child_out) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let (stderr, child_err) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        if let Some(size) = self.pipes {
            fcntl_setpipe_size(&stdin, size).unwrap();
            fcntl_setpipe_size(&stdout, size).unwrap();
        }
        let pid = self.spawn(script, [&child_in, &child_out, &child_err]);
        drop((child_in, child_out, child_err));
        for end in [&stdin, &stdout, &stderr] {
            rustix::io::ioctl_fionbio(end, true).unwrap();
        }
        let output = exchange(stdin, &stdout, &stderr, input);
        waitpid(Some(pid), WaitOptions::empty()).unwrap();
        output
    }

    fn spawn(&self, script: &CStr, stdio: [&OwnedFd; 3]) -> Pid {
        let args = [c"sh".as_ptr(), c"-c".as_ptr(), script.as_ptr(), ptr::null()];
        let environment: Vec<*const c_char> = self
            .environment
            .iter()
            .map(|entry| entry.as_ptr())
            .chain([ptr::null()])
            .collect();
        let mut actions = MaybeUninit::uninit();
        let mut attributes = MaybeUninit::uninit();
        let mut pid = 0;
        let flags = c_short::try_from(libc::POSIX_SPAWN_SETSID).unwrap();
        // SAFETY: every pointer is to a live local, initialised before it is used; arrays and strings
        // end as C asks.
        let code = unsafe {
            libc::posix_spawn_file_actions_init(actions.as_mut_ptr());
            for (fd, target) in stdio.iter().zip(0..) {
                let fd = fd.as_raw_fd();
                libc::posix_spawn_file_actions_adddup2(actions.as_mut_ptr(), fd, target);
            }
            libc::posix_spawnattr_init(attributes.as_mut_ptr());
            libc::posix_spawnattr_setflags(attributes.as_mut_ptr(), flags);
            let code = libc::posix_spawn(
                &raw mut pid,
                c"/bin/sh".as_ptr(),
                actions.as_ptr(),
                if self.session {
                    attributes.as_ptr()
                } else {
                    ptr::null()
                },
                args.as_ptr().cast(),
                environment.as_ptr().cast(),
            );
            libc::posix_spawn_file_actions_destroy(actions.as_mut_ptr());
            libc::posix_spawnattr_destroy(attributes.as_mut_ptr());
            code
        };
        assert_eq!(code, 0);
        Pid::from_raw(pid).unwrap()
    }
}

fn exchange(stdin: OwnedFd, stdout: &OwnedFd, stderr: &OwnedFd, input: &[u8]) -> Vec<u8> {
    let (mut stdin, mut written) = (Some(stdin), 0);
    let mut output = Vec::with_capacity(4 << 10);
    let mut open = [true, true];
    loop {
        if let Some(pipe) = &stdin {
            match rustix::io::write(pipe, &input[written..]) {
                Ok(count) => written += count,
                Err(Errno::AGAIN) => {}
                Err(_) => written = input.len(),
            }
        }
        if written == input.len() {
            stdin = None;
        }
        for (at, pipe) in [stdout, stderr].into_iter().enumerate() {
            if output.len() == output.capacity() {
                output.reserve(64 << 10);
            }
            if rustix::io::read(pipe, spare_capacity(&mut output)) == Ok(0) {
                open[at] = false;
            }
        }
        if open == [false, false] {
            return output;
        }
        let mut fds = Vec::with_capacity(3);
        fds.extend(stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        fds.extend(open[0].then(|| PollFd::new(stdout, PollFlags::IN)));
        fds.extend(open[1].then(|| PollFd::new(stderr, PollFlags::IN)));
        let _ = poll(&mut fds, None);
    }
}
