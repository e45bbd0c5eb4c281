// attack: takes a file of the host into the executable
// must: compile_error
package main

import _ "embed"

//go:embed @host_file@
var secret string

func main() {
	println(secret)
}
