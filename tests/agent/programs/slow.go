package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var count int
	fmt.Fscan(in, &count)
	values := make([]int, count)
	for i := range values {
		fmt.Fscan(in, &values[i])
	}
	pairs := 0
	for i := range values {
		for j := i + 1; j < count; j++ {
			if values[i] == values[j] {
				pairs++
			}
		}
	}
	fmt.Println(pairs)
}
