// attack: a program of a few bytes whose executable has a gigabyte
// must: compile_error
// compile_limits: wall_time_s=5 memory_kib=524288
package main

var giant = [1 << 27]int{1<<27 - 1: 1}

func main() {
	println(giant[len(giant)-1])
}
