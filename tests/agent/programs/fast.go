package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var count, value int
	fmt.Fscan(in, &count)
	seen := map[int]int{}
	pairs := 0
	for i := 0; i < count; i++ {
		fmt.Fscan(in, &value)
		pairs += seen[value]
		seen[value]++
	}
	fmt.Println(pairs)
}
