package main

import (
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/pkg/sentry/fsimpl/host"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/kernel/auth"
	"gvisor.dev/gvisor/pkg/sentry/vfs"
)

// nobody is the user and group of programs.
const nobody = 65534

// receive puts the files in their places that the host has sent so far: each is
// a message with a path below the program's directory and a descriptor, open
// for reading. The runner has made an empty file of that name, on which the
// host's is mounted; where that fails, the empty one stays, and the runner, which
// sees that, does not start the program.
//
// A program never sees the descriptor's path, its owner or what is beside it.
func (w *witness) receive(t *kernel.Task) {
	w.receiving.Lock()
	defer w.receiving.Unlock()
	name, rights := make([]byte, maxName+1), make([]byte, unix.CmsgSpace(4))
	for {
		n, m, _, _, err := unix.Recvmsg(w.pipe.FD(), name, rights, unix.MSG_DONTWAIT|unix.MSG_TRUNC)
		if err != nil || n <= 0 {
			return
		}
		for _, fd := range descriptors(rights[:m]) {
			if err := w.mount(t, string(name[:min(n, len(name))]), fd); err != nil {
				log.Warningf("a file by reference: %v", err)
			}
		}
	}
}

func descriptors(rights []byte) (fds []int) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range messages {
		if got, err := unix.ParseUnixRights(&messages[i]); err == nil {
			fds = append(fds, got...)
		}
	}
	return fds
}

// mount takes a descriptor over.
func (w *witness) mount(t *kernel.Task, name string, fd int) error {
	k := t.Kernel()
	file, err := host.NewFD(t, k.HostMount(), fd, &host.NewFDOptions{
		HaveFlags: true, Flags: linux.O_RDONLY, Readonly: true, VirtualOwner: true, UID: nobody, GID: nobody,
	})
	if err != nil {
		_ = unix.Close(fd)
		return err
	}
	defer file.DecRef(t)
	c := newCollection(w, t)
	if c == nil {
		return unix.ESRCH
	}
	defer c.close()
	mount := k.VFS().NewDisconnectedMount(k.HostMount().Filesystem(), file.Dentry(), &vfs.MountOptions{
		ReadOnly: true, Locked: true, Flags: vfs.MountFlags{NoExec: true, NoDev: true, NoSUID: true},
	})
	defer mount.DecRef(t)
	return k.VFS().ConnectMountAt(t, auth.NewRootCredentials(k.RootUserNamespace()), mount, c.at(w.dir+"/"+name))
}
