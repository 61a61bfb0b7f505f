package gvisor

// beginning is gVisor's name of set_tid_address, about to be called.
const beginning = "syscall/sysno/218/enter"
