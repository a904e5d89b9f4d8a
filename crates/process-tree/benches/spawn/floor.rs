//! The floor: what any runner has to do at least, and nothing more.
//!
//! Bare `posix_spawn` with three pipes, input written and both outputs read in one `poll` loop,
//! then a wait. No session, no deadline, no limits, no killing, no runtime.
#![expect(unsafe_code, reason = "the floor is the bare system call")]

use std::{
    ffi::{CStr, CString, c_char},
    mem::MaybeUninit,
    os::fd::{AsRawFd, OwnedFd},
    ptr,
};

use rustix::{
    buffer::spare_capacity,
    event::{PollFd, PollFlags, poll},
    io::Errno,
    pipe::{PipeFlags, pipe_with},
    process::{Pid, WaitOptions, waitpid},
};

/// Arguments and environment as C wants them, made once.
pub(crate) struct Floor {
    environment: Vec<CString>,
}

impl Floor {
    pub(crate) fn new() -> Self {
        let entry = |(name, value): (String, String)| CString::new(format!("{name}={value}")).ok();
        Self {
            environment: std::env::vars().filter_map(entry).collect(),
        }
    }

    /// Runs `sh -c script` and returns what it wrote.
    pub(crate) fn run(&self, script: &CStr, input: &[u8]) -> Vec<u8> {
        let (child_in, stdin) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let (stdout, child_out) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let (stderr, child_err) = pipe_with(PipeFlags::CLOEXEC).unwrap();
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
        let mut pid = 0;
        // SAFETY: every pointer is to a live local; arrays and strings end as C asks.
        let code = unsafe {
            libc::posix_spawn_file_actions_init(actions.as_mut_ptr());
            for (fd, target) in stdio.iter().zip(0..) {
                let fd = fd.as_raw_fd();
                libc::posix_spawn_file_actions_adddup2(actions.as_mut_ptr(), fd, target);
            }
            let code = libc::posix_spawn(
                &raw mut pid,
                c"/bin/sh".as_ptr(),
                actions.as_ptr(),
                ptr::null(),
                args.as_ptr().cast(),
                environment.as_ptr().cast(),
            );
            libc::posix_spawn_file_actions_destroy(actions.as_mut_ptr());
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
