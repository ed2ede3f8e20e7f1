//go:build unix

package stage

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a process group of its own, which the
// terminal's Ctrl-C does not reach.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
