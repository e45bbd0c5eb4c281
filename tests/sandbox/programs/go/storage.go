// Holds 100 MiB, writes and reads files in /tmp, makes much garbage and recurses a million calls deep.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

func depth(levels int) int {
	if levels == 0 {
		return 0
	}
	return 1 + depth(levels-1)
}

func main() {
	block := make([]uint32, 25*1024*1024)
	state, sum := uint32(1), uint32(0)
	for i := range block {
		state = state*1664525 + 1013904223
		block[i] = state
	}
	for _, word := range block {
		sum ^= word
	}
	fmt.Println("block:", sum)
	block = nil

	length := 0
	for i := 0; i < 2_000_000; i++ {
		length += len("n" + strconv.Itoa(i))
	}
	runtime.GC()
	fmt.Println("garbage:", length)

	folder, err := os.MkdirTemp("", "ordner")
	if err != nil {
		panic(err)
	}
	place := filepath.Join(folder, "größe.txt")
	file, err := os.Create(place)
	if err != nil {
		panic(err)
	}
	writer := bufio.NewWriter(file)
	for i := 0; i < 1000; i++ {
		fmt.Fprintln(writer, i, "Zeile")
	}
	writer.Flush()
	file.Close()
	read, err := os.ReadFile(place)
	fmt.Println("file:", len(read), err)
	fmt.Println("depth:", depth(1_000_000))
}
