// attack: reads host files, environment and processes, connects out, and calls the kernel directly, from Go
// must: accepted
// prints: DENIED
package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

func say(text string) { os.Stdout.WriteString(text + "\n") }

func reaches(family int, address syscall.Sockaddr) bool {
	line, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	return err == nil && syscall.Connect(line, address) == nil
}

func main() {
	for _, path := range strings.Split("@host_files@", ":") {
		for _, place := range []string{path, "/proc/1/root" + path, "/tmp/../.." + path} {
			if text, err := os.ReadFile(place); err == nil {
				say("CANARY " + string(text))
			}
		}
	}
	if os.Getenv("@variable@") != "" {
		say("CANARY environment")
	}
	port, _ := strconv.Atoi("@tcp_port@")
	if reaches(syscall.AF_INET, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}) ||
		reaches(syscall.AF_INET, &syscall.SockaddrInet4{Port: 53, Addr: [4]byte{1, 1, 1, 1}}) ||
		reaches(syscall.AF_UNIX, &syscall.SockaddrUnix{Name: "@unix_socket@"}) {
		say("CANARY connected")
	}
	if syscall.Unshare(syscall.CLONE_NEWUSER) == nil || syscall.Mount("none", "/tmp", "tmpfs", 0, "") == nil {
		say("CANARY namespaces")
	}
	inside := &os.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}}
	if _, err := os.StartProcess("/bin/true", nil, inside); err == nil {
		say("CANARY started in a namespace")
	}
	say("DENIED")
}
