package analyze

/*
#define _GNU_SOURCE
#include <pthread.h>

// tree-sitter lets go of what it read in two ways by calling itself, once for
// each place where the ways met: the longest source nests so many that the
// usual 8 MiB overflow, which ends the process. Memory is taken as it is used.
__attribute__((constructor)) static void deepen(void) {
	const size_t enough = 64 << 20;
	pthread_attr_t attr;
	size_t size;
	if (pthread_getattr_default_np(&attr) != 0)
		return;
	if (pthread_attr_getstacksize(&attr, &size) == 0 && size < enough && pthread_attr_setstacksize(&attr, enough) == 0)
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}
*/
import "C"

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// deep calls f where the C stack is as large as deepen wants it: on any thread
// but the first, whose stack is older than that.
func deep(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() != os.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // runs elsewhere: this thread is held here
		defer close(done)
		f()
	}()
	<-done
}
