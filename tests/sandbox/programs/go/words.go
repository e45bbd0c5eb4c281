// Reads text and counts its words, with maps, sorting, formatting, big numbers and non-ASCII output.
package main

import (
	"bufio"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"sort"
	"strings"
	"unicode"
)

type numbers []int

func (n numbers) Len() int            { return len(n) }
func (n numbers) Less(i, j int) bool  { return n[i] < n[j] }
func (n numbers) Swap(i, j int)       { n[i], n[j] = n[j], n[i] }
func (n *numbers) Push(x interface{}) { *n = append(*n, x.(int)) }
func (n *numbers) Pop() interface{} {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}

func main() {
	counts := map[string]int{}
	reader := bufio.NewScanner(os.Stdin)
	for reader.Scan() {
		for _, word := range strings.FieldsFunc(reader.Text(), func(r rune) bool { return !unicode.IsLetter(r) }) {
			counts[strings.ToLower(word)]++
		}
	}
	words := make([]string, 0, len(counts))
	for word := range counts {
		words = append(words, word)
	}
	sort.Slice(words, func(i, j int) bool {
		if counts[words[i]] != counts[words[j]] {
			return counts[words[i]] > counts[words[j]]
		}
		return words[i] < words[j]
	})
	for _, word := range words[:3] {
		fmt.Printf("%s: %d\n", word, counts[word])
	}
	waiting := &numbers{5, 1, 4, 2, 3}
	heap.Init(waiting)
	for waiting.Len() > 0 {
		fmt.Print(heap.Pop(waiting), " ")
	}
	fmt.Println(new(big.Int).MulRange(1, 30))
	encoded, err := json.Marshal(map[string]interface{}{"b": []int{1, 2}, "a": "ü"})
	fmt.Println(string(encoded), err, regexp.MustCompile(`(\d+)-(\d+)`).ReplaceAllString("11-21", "$2.$1"))
	defer func() { fmt.Println("recovered:", recover(), errors.New("größer als erlaubt: 日本語 ✓")) }()
	var none []int
	_ = none[7]
}
